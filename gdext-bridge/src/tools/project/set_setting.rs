//! `godot_project_set_setting`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue, Required,
    tools::project::{SetSetting, SettingSet},
};

use super::allowed;
use crate::{
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    secrets,
    settings::{self, SettingsChange},
    undo::Step,
    variant,
};

/// Settings that have a form of their own, and the tools that know it.
const WITH_TOOLS: [(&str, &str); 2] = [
    ("input/", "the tools of the toolset input_map"),
    ("autoload/", "godot_resources_edit_register_autoload"),
];

/// What the engine writes itself, whatever it was set to.
const OF_THE_EDITOR: &str = "application/config/features";

/// What is said of a setting that needs no change.
const SAME: &str = "It has this value already, in the editor and in project.godot, so nothing was written and \
     there is nothing to undo.";

impl Edit for SetSetting {
    fn plan(self, _: &Context) -> Result<Plan<SettingSet>, Fault> {
        check_name(&self.name)?;
        secrets::check(&self.value.0)?;
        let info = describe(&self.name)?;
        let old = settings::value(&self.name);
        let value = match &self.value.0 {
            serde_json::Value::Null => {
                if old.is_none() {
                    return Err(Fault::not_found(format!("There is no setting '{}'.", self.name))
                        .requiring(Required::parameter("name")));
                }
                check_removable(&self.name)?;
                None
            }
            json => Some(variant::from_json(json, &info, None)?),
        };
        if let Some(value) = &value {
            // A value for a feature, such as another platform, may be none of those that go here.
            if settings::described(&self.name).is_some() {
                allowed::check(&info, value)?;
            }
            allowed::check_main_scene(&self.name, value)?;
        }
        let label = match &value {
            Some(_) => format!("Set {}", self.name),
            None => format!("Remove {}", self.name),
        };
        let is_same = settings::is_already(&self.name, value.as_ref());
        if self.name == OF_THE_EDITOR && !is_same {
            return refuse(format!(
                "'{OF_THE_EDITOR}' says which version and parts of the engine the project needs. The \
                 editor finds that out itself with every save, and would not keep another value."
            ));
        }
        let mut is_masked = false;
        let mut told = |value: &Variant| {
            let mut json = variant::to_json(value);
            is_masked |= secrets::mask(&self.name, &mut json);
            GodotValue(json)
        };
        let result = SettingSet {
            value: value.as_ref().map(&mut told),
            previous: old.as_ref().map(&mut told),
            set: true,
            hint: match (is_masked, is_same) {
                (true, _) => Some(secrets::MASKED.to_owned()),
                (false, true) => Some(SAME.to_owned()),
                (false, false) => None,
            },
            name: self.name.clone(),
        };
        let step = Step::Settings(SettingsChange::of(&self.name, value));
        Ok(Plan::project_steps(result, label, if is_same { Vec::new() } else { vec![step] }))
    }
}

fn refuse<T>(hint: String) -> Result<T, Fault> {
    Err(Fault::invalid(hint).requiring(Required::parameter("name")))
}

fn check_name(name: &str) -> Result<(), Fault> {
    if let Some((_, tool)) = WITH_TOOLS.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        return refuse(format!("'{name}' has a form of its own; set it with {tool}."));
    }
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.chars().any(|c| c.is_control() || ['"', '=', '[', ']'].contains(&c))
    };
    if !name.contains('/') || !name.split('/').all(is_plain) || name.len() > 255 {
        return refuse(format!(
            "'{name}' is no name of a setting; these are like \"application/config/name\"."
        ));
    }
    let is_bare = |part: &str| part == part.trim();
    if !name.split_once('/').is_some_and(|(section, key)| is_bare(section) && is_bare(key)) {
        return refuse(format!(
            "'{name}' has space around its section or its key, which project.godot would not keep. Leave \
             that space out."
        ));
    }
    Ok(())
}

/// What a setting may hold: as the engine says of it, or of the one that it overrides for a feature
/// such as `.web`. Users' own settings may hold anything.
fn describe(name: &str) -> Result<PropertyInfo, Fault> {
    let plain = name.split_once('.').map(|(plain, _)| plain);
    let known = [Some(name), plain].into_iter().flatten();
    if let Some(info) = known.filter_map(settings::described).next() {
        return Ok(PropertyInfo { name: name.to_owned(), ..info });
    }
    let section = name.split('/').next().unwrap_or_default();
    if settings::is_section_of_the_engine(section) {
        let near = settings::nearest_name(name);
        let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
        return refuse(format!(
            "The engine has no setting '{name}'.{near} For one of your own take a section of your own, \
             such as \"my_game/{}\".",
            name.rsplit('/').next().unwrap_or_default()
        ));
    }
    Ok(PropertyInfo::untyped(name))
}

fn check_removable(name: &str) -> Result<(), Fault> {
    if settings::is_of_the_engine(name) {
        return refuse(format!(
            "'{name}' is a setting of the engine and cannot be removed; give it the value that it has \
             by default."
        ));
    }
    Ok(())
}
