//! `resources_edit`: reads, creates and changes resource files, and says which the game has from its
//! start.

mod create_resource;
mod read_resource_file;
mod register_autoload;
mod set_resource_property;
mod unregister_autoload;

use std::collections::VecDeque;

use godot::{
    classes::{ClassDb, Resource},
    prelude::*,
};
use protocol::{Fault, Required};
use serde_json::{Map, Value};

use crate::{
    adjusted,
    assignment::find,
    property::PropertyInfo,
    resource_file::ResourceFile,
    tools::inspection::split,
    variant::{self, Home},
};

/// What never is set by name: a resource's identity and code.
const KEPT: [&str; 2] = ["resource_path", "script"];

/// A property of a resource that was given another value.
pub(in crate::tools) struct Assigned {
    /// The property that was set as a whole.
    pub(in crate::tools) name: String,
    /// Its value.
    pub(in crate::tools) whole: Variant,
    /// The value that was asked for, as it became.
    pub(in crate::tools) value: Value,
    /// The value before.
    pub(in crate::tools) previous: Value,
    /// Whether a file has it by its own name.
    is_stored: bool,
}

/// Sets a property, or a part of it, of an object of that file that nobody else has, and looks whether it
/// took.
pub(in crate::tools) fn assign(
    file: &ResourceFile,
    object: &Gd<Object>,
    property: &str,
    json: &Value,
) -> Result<Assigned, Fault> {
    let (name, component) = split(property);
    let old = object.get(name);
    let info = find(object, name)?.holding(&old);
    let refuse = |why: String| Err(Fault::invalid(why).requiring(Required::parameter("property")));
    if KEPT.contains(&name) || info.is_read_only() {
        return refuse(format!("'{name}' of '{}' cannot be set.", object.get_class()));
    }
    let asked = match component.is_empty() {
        true => {
            let inside = inside(&file.resource);
            let home = Home { path: file.path.to_string(), inside };
            variant::from_json_in_file(json, &info, &home)?
        }
        false => variant::with_component(&old, &component, json)?,
    };
    let mut object = object.clone();
    match name.strip_prefix("metadata/") {
        // Set as a property, it would stay, as null.
        Some(key) if asked.is_nil() => object.remove_meta(key),
        _ => object.set(name, &asked),
    }
    let got = object.get(name);
    let shown = |value: &Variant| {
        let part = variant::component(value, &component);
        variant::to_json(part.as_ref().unwrap_or(value))
    };
    if !variant::same(&asked, &got) {
        return Err(adjusted::refused(name, &asked, &got, &old));
    }
    let (value, previous) = (shown(&got), shown(&old));
    let is_stored = info.is_stored() || name.starts_with("metadata/");
    Ok(Assigned { name: name.to_owned(), whole: asked, value, previous, is_stored })
}

impl Assigned {
    /// Refuses a value that the file does not keep: `again` is the object read from it. One that is not
    /// stored itself may be computed from others that are, as the points of a curve.
    pub(in crate::tools) fn check_kept(&self, again: &Gd<Object>) -> Result<(), Fault> {
        let got = again.get(self.name.as_str());
        if is_kept(&self.whole, &got) {
            return Ok(());
        }
        if !self.is_stored {
            return Err(Fault::invalid(format!(
                "'{}' of '{}' is not written to a file, so setting it there has no effect.",
                self.name,
                again.get_class()
            ))
            .requiring(Required::parameter("property")));
        }
        Err(Fault::invalid(format!(
            "A file keeps '{}' as {} instead of {}. Nothing was changed.",
            self.name,
            variant::to_json(&got),
            variant::to_json(&self.whole)
        ))
        .requiring(Required::parameter("value")))
    }
}

/// Whether a value that was written is the one that is read again. A resource read again is another
/// object.
fn is_kept(written: &Variant, got: &Variant) -> bool {
    let may_hold_objects = matches!(
        written.get_type(),
        VariantType::OBJECT | VariantType::ARRAY | VariantType::DICTIONARY
    );
    variant::same(written, got) || may_hold_objects && written.get_type() == got.get_type()
}

/// The stored properties of a resource, with their values.
pub(in crate::tools) fn stored(resource: &Gd<Resource>) -> Vec<(String, Variant)> {
    let object = resource.clone().upcast::<Object>();
    let mut stored = PropertyInfo::all(&object);
    stored.retain(|info| info.is_stored() && !KEPT.contains(&info.name.as_str()));
    stored
        .into_iter()
        .map(|info| {
            let value = object.get(info.name.as_str());
            (info.name, value)
        })
        .collect()
}

/// The resources inside a file that the stored properties of its resource lead to.
fn inside(resource: &Gd<Resource>) -> Vec<Gd<Resource>> {
    let mut found: Vec<Gd<Resource>> = Vec::new();
    let mut waiting = VecDeque::from([resource.clone()]);
    while let Some(next) = waiting.pop_front() {
        for (_, value) in stored(&next) {
            collect(&value, &mut |inner| {
                if inner.get_path().to_string().contains("::") && !found.contains(&inner) {
                    found.push(inner.clone());
                    waiting.push_back(inner);
                }
            });
        }
    }
    found
}

/// The resources that a value is or holds.
fn collect(value: &Variant, take: &mut dyn FnMut(Gd<Resource>)) {
    match value.get_type() {
        VariantType::OBJECT => {
            if let Ok(resource) = value.try_to::<Gd<Resource>>() {
                take(resource);
            }
        }
        VariantType::ARRAY => {
            if let Ok(array) = value.try_to::<AnyArray>() {
                array.iter_shared().for_each(|item| collect(&item, take));
            }
        }
        VariantType::DICTIONARY => {
            if let Ok(dictionary) = value.try_to::<AnyDictionary>() {
                dictionary.iter_shared().for_each(|(_, item)| collect(&item, take));
            }
        }
        _ => {}
    }
}

/// The stored properties that differ from the defaults of the class.
pub(in crate::tools) fn changed(resource: &Gd<Resource>) -> Map<String, Value> {
    let class = resource.get_class();
    let db = ClassDb::singleton();
    stored(resource)
        .into_iter()
        .filter(|(name, value)| {
            !variant::same(
                &db.class_get_property_default_value(&class.to_string_name(), name.as_str()),
                value,
            )
        })
        .map(|(name, value)| (name, variant::to_json(&value)))
        .collect()
}
