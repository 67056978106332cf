//! `godot_scene_edit_set_node_property`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue, Required,
    tools::scene_edit::{PropertySet, SetNodeProperty},
};

use crate::{
    adjusted, persistence,
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    scene::Scene,
    tools::inspection::{split, suggestions},
    undo::Step,
    variant,
};

impl Edit for SetNodeProperty {
    fn plan(self, _: &Context) -> Result<Plan<PropertySet>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let object = node.clone().upcast::<Object>();
        let (name, component) = split(&self.property);
        let info = find(&object, name)?;
        check_settable(&object, &info)?;
        let old = object.get(name);
        let json = &self.value.0;
        let value = if component.is_empty() {
            variant::from_json(json, &info, Some(&scene.root))?
        } else {
            variant::with_component(&old, &component, json)?
        };

        adjusted::check(&object, &info, &value)?;
        let shown = |value: &Variant| {
            let shown = variant::component(value, &component);
            GodotValue(variant::to_json(shown.as_ref().unwrap_or(value)))
        };
        let result = PropertySet {
            node_path: scene.path_of(&node),
            property: self.property.clone(),
            value: shown(&value),
            previous: shown(&old),
            set: true,
        };
        let label = format!("Set {}:{}", result.node_path, self.property);
        let verdict = persistence::of_property(&scene, &node, &info, &value);
        let steps = vec![Step::Set { object, property: name.to_owned(), value }];
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

/// What the engine says of a property. Metadata need not exist to be set.
fn find(object: &Gd<Object>, name: &str) -> Result<PropertyInfo, Fault> {
    if let Some(info) = PropertyInfo::of(object, name) {
        return Ok(info);
    }
    if let Some(key) = name.strip_prefix("metadata/")
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && !key.is_empty()
    {
        return Ok(PropertyInfo::untyped(name));
    }
    let near = suggestions(object, name);
    let hint = match near.first() {
        Some(first) => {
            format!("'{}' has no property '{name}'. Did you mean '{first}'?", object.get_class())
        }
        None => format!(
            "'{}' has no property '{name}'. See godot_inspection_get_node_property_list.",
            object.get_class()
        ),
    };
    Err(Fault::invalid(hint).requiring(Required::parameter("property")).with("suggestions", near))
}

fn check_settable(object: &Gd<Object>, info: &PropertyInfo) -> Result<(), Fault> {
    let refuse =
        |hint: String| Err(Fault::invalid(hint).requiring(Required::parameter("property")));
    match info.name.as_str() {
        "name" => refuse("Rename nodes with godot_scene_edit_rename_node.".to_owned()),
        "owner" | "scene_file_path" | "multiplayer" => {
            refuse(format!("'{}' is kept by the editor and cannot be set.", info.name))
        }
        name if info.is_read_only() => {
            refuse(format!("'{name}' of '{}' can only be read.", object.get_class()))
        }
        _ => Ok(()),
    }
}
