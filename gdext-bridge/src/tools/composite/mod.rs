//! `composite`: many changes as one undo step. `run_commands` is [`crate::batch`].

mod apply_node_edits;
mod batch_create_nodes;
mod compose_node;

use godot::{
    classes::{ResourceLoader, Script},
    prelude::*,
};
use protocol::{Fault, Required, tools::composite::Properties};

use crate::{
    assignment::{Assignment, find},
    plan::{Context, Progress},
    property::PropertyInfo,
    resource::NodeClass,
    saving::{check_unchanged, require_path, save_active},
    scene::Scene,
    undo::{AddNode, Owned, Step},
};

/// A node that is not made yet, to check the properties that it is to get.
struct Model {
    /// Of the engine's class that the node is of, and without a script, as that may run.
    stand_in: Gd<Node>,
    /// What the script exports.
    exported: Vec<PropertyInfo>,
}

/// A property that a new node gets, as it is planned.
struct Setting {
    name: String,
    value: Variant,
}

impl Model {
    /// Of a class, or of the script that takes the place of the one that the class has.
    fn of(class: &NodeClass, script: Option<&Gd<Script>>) -> Result<Model, Fault> {
        let own = match class {
            NodeClass::Script { path, .. } if script.is_none() => ResourceLoader::singleton()
                .load(path.as_str())
                .and_then(|script| script.try_cast::<Script>().ok()),
            _ => script.cloned(),
        };
        let exported = own.map(|script| {
            let list = script.get_script_property_list();
            list.iter_shared().filter_map(|entry| PropertyInfo::from_dictionary(&entry)).collect()
        });
        let stand_in = NodeClass::Engine(class.engine_class().to_owned()).instantiate()?;
        Ok(Model { stand_in, exported: exported.unwrap_or_default() })
    }

    /// The properties as they are set; refused with the name of the one that does not fit.
    fn settings(&self, properties: &Properties, root: &Gd<Node>) -> Result<Vec<Setting>, Fault> {
        let object = self.stand_in.clone().upcast::<Object>();
        let mut settings: Vec<Setting> = Vec::new();
        for (property, value) in properties {
            let (name, _) = crate::tools::inspection::split(property);
            let old = settings.iter().find(|it| it.name == name).map(|it| it.value.clone());
            let info = match self.exported.iter().find(|info| info.name == name) {
                Some(info) => info.clone(),
                None => find(&object, name).map_err(|fault| named(fault, property))?,
            };
            let read = Assignment::of(&object, info, property, &value.0, root, old);
            let read = read.map_err(|fault| named(fault, property))?;
            settings.retain(|setting| setting.name != read.name);
            settings.push(Setting { name: read.name, value: read.value });
        }
        Ok(settings)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.stand_in.clone().free();
    }
}

/// The steps that add a node, and those which it makes possible.
fn add(
    class: NodeClass,
    parent: Gd<Node>,
    name: String,
    then: impl FnOnce(Gd<Node>) -> Vec<Step> + 'static,
) -> [Step; 2] {
    let made = {
        let (parent, name) = (parent.clone(), name.clone());
        move || match parent.get_node_or_null(name.as_str()) {
            Some(node) => Ok(then(node)),
            None => Err(Fault::internal(format!("'{name}' is not where it was added."))),
        }
    };
    let make = Box::new(move || class.instantiate());
    let add = AddNode { make, parent, name, index: None, owned: Owned::Itself };
    [Step::Add(add), Step::Then(Box::new(made))]
}

/// The steps that add a node with its properties. These come last: some need the node in its place.
fn add_with(class: NodeClass, parent: Gd<Node>, name: String, settings: Vec<Setting>) -> [Step; 2] {
    add(class, parent, name, move |node| set_all(&node.upcast(), settings).collect())
}

/// The steps that set what was planned.
fn set_all(object: &Gd<Object>, settings: Vec<Setting>) -> impl Iterator<Item = Step> {
    let object = object.clone();
    settings.into_iter().map(move |Setting { name, value }| Step::Set {
        object: object.clone(),
        property: name,
        value,
    })
}

/// The same fault, saying which property of several it is about.
fn named(fault: Fault, property: &str) -> Fault {
    Fault { hint: format!("{property}: {}", fault.hint), ..fault }
        .requiring(Required::parameter("properties"))
        .with("property", property)
}

/// The file that the scene is to be saved to after the steps, where that was asked for: refused where
/// the save could not be made, or would write over what somebody else did.
fn save_path(context: &Context, scene: &Scene, save: bool) -> Result<Option<String>, Fault> {
    if !save {
        return Ok(None);
    }
    let path = require_path(scene)?;
    check_unchanged(&context.tabs, &path, "save")?;
    Ok(Some(path))
}

/// Saves the scene after the steps, where that was asked for. `told` puts into the result whether it
/// worked, and why not: the change itself stands in any case.
fn save_after<T: 'static>(
    path: Option<String>,
    told: impl FnOnce(&mut T, bool, Option<String>) + 'static,
) -> impl FnOnce(&Context, T) -> Progress<T> + 'static {
    move |context, mut result| {
        if let Some(path) = path {
            match save_active(&context.tabs, &path) {
                Ok(()) => told(&mut result, true, None),
                Err(fault) => {
                    let note = format!("The change was made, but not saved. {}", fault.hint);
                    told(&mut result, false, Some(note));
                }
            }
        }
        Progress::Done(result)
    }
}
