//! A property and the value that it is to get: found, checked and read, but not set yet.

use godot::prelude::*;
use protocol::{Fault, GodotValue, Required, Verdict};
use serde_json::Value;

use crate::{
    adjusted, persistence,
    property::PropertyInfo,
    scene::Scene,
    tools::inspection::{split, suggestions},
    undo::Step,
    variant,
};

/// A property of a node with its new value.
pub(crate) struct Assignment {
    /// The property, without the component that the caller may have named.
    pub(crate) name: String,
    /// The value of the whole property.
    pub(crate) value: Variant,
    info: PropertyInfo,
    /// The value before, where it had to be known.
    old: Option<Variant>,
    component: String,
}

impl Assignment {
    /// What `property`, which may name a component as `position:x` does, of `object` becomes with
    /// `json`. `old` is its value before, if it is not the one that the object has now.
    pub(crate) fn read(
        object: &Gd<Object>,
        property: &str,
        json: &Value,
        root: &Gd<Node>,
        old: Option<Variant>,
    ) -> Result<Assignment, Fault> {
        let (name, _) = split(property);
        let info = find(object, name)?;
        Assignment::of(object, info, property, json, root, old)
    }

    /// The same for a property whose description is at hand.
    pub(crate) fn of(
        object: &Gd<Object>,
        info: PropertyInfo,
        property: &str,
        json: &Value,
        root: &Gd<Node>,
        old: Option<Variant>,
    ) -> Result<Assignment, Fault> {
        let (name, component) = split(property);
        check_settable(object, &info)?;
        let (value, old) = if component.is_empty() {
            (variant::from_json(json, &info, Some(root))?, old)
        } else {
            let old = old.unwrap_or_else(|| object.get(name));
            (variant::with_component(&old, &component, json)?, Some(old))
        };
        adjusted::check(object, &info, &value)?;
        let component = component.join(":");
        Ok(Assignment { name: name.to_owned(), value, info, old, component })
    }

    /// The new value as it is told, or that of the component.
    pub(crate) fn told(&self) -> GodotValue {
        self.shown(&self.value)
    }

    /// The value that `object` has before it is set, as it is told, or that of the component.
    pub(crate) fn told_before(&self, object: &Gd<Object>) -> GodotValue {
        self.shown(self.old.as_ref().unwrap_or(&object.get(&*self.name)))
    }

    /// Whether a save keeps it.
    pub(crate) fn verdict(&self, scene: &Scene, node: &Gd<Node>) -> Verdict {
        persistence::of_property(scene, node, &self.info, &self.value)
    }

    /// The step that sets it.
    pub(crate) fn step(self, object: &Gd<Object>) -> Step {
        Step::Set { object: object.clone(), property: self.name, value: self.value }
    }

    fn shown(&self, value: &Variant) -> GodotValue {
        let path: Vec<&str> = self.component.split(':').filter(|name| !name.is_empty()).collect();
        let part = if path.is_empty() { None } else { variant::component(value, &path) };
        GodotValue(variant::to_json(part.as_ref().unwrap_or(value)))
    }
}

/// What the engine says of a property. Metadata need not exist to be set.
pub(crate) fn find(object: &Gd<Object>, name: &str) -> Result<PropertyInfo, Fault> {
    if let Some(info) = PropertyInfo::of(object, name).or_else(|| PropertyInfo::of_metadata(name)) {
        return Ok(info);
    }
    let near = suggestions(object, name);
    let list = match object.is_class("Node") {
        true => "godot_inspection_get_node_property_list",
        false => "godot_describe_class",
    };
    let hint = match near.first() {
        Some(first) => {
            format!("'{}' has no property '{name}'. Did you mean '{first}'?", object.get_class())
        }
        None => format!("'{}' has no property '{name}'. See {list}.", object.get_class()),
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
