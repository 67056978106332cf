//! Values that the engine would adjust or refuse, foretold where that is cheap.
//!
//! Whether the engine kept a value is read back after it was set. A preview sets nothing, so what can
//! be known before is refused before: by the limits of the property, tried on an object of the same
//! class that nobody sees, and by the few rules that no limit tells.

use godot::{
    classes::{ClassDb, Control, Node, Script},
    prelude::*,
    register::info::PropertyHint,
};
use protocol::{Fault, Required};

use crate::{property::PropertyInfo, throwaway::base_of, variant};

/// Refuses a value that the engine would not keep as it is.
pub(crate) fn check(
    object: &Gd<Object>,
    info: &PropertyInfo,
    value: &Variant,
) -> Result<(), Fault> {
    match info.name.as_str() {
        "unique_name_in_owner" => check_unique_name(object, value)?,
        "current_animation" => check_playing(object, value)?,
        "script" => check_script(object, value)?,
        "size" => check_size(object, value)?,
        _ => {}
    }
    check_range(object, info, value)
}

/// The fault of a value that reads back as another one. `old` is what the property holds.
pub(crate) fn refused(property: &str, asked: &Variant, got: &Variant, old: &Variant) -> Fault {
    let (asked, got, old) = (variant::to_json(asked), variant::to_json(got), variant::to_json(old));
    Fault::invalid(format!(
        "'{property}' was set to {asked} but reads {got}: the engine adjusted or refused the value. It \
         is {old} as before; give a value that it takes as it is."
    ))
    .requiring(Required::parameter("value"))
    .with("asked", asked)
    .with("got", got)
}

/// The limits of a property are those of the inspector; many setters take more. So a number beyond
/// them is tried.
fn check_range(object: &Gd<Object>, info: &PropertyInfo, value: &Variant) -> Result<(), Fault> {
    if info.hint != PropertyHint::RANGE || !info.is_of_class() {
        return Ok(());
    }
    let mut limits = info.hint_string.split(',').map(|part| part.trim().parse::<f64>());
    let (Some(Ok(least)), Some(Ok(most))) = (limits.next(), limits.next()) else { return Ok(()) };
    let number = match value.get_type() {
        VariantType::INT => value.try_to::<i64>().map(approximate).ok(),
        VariantType::FLOAT => value.try_to::<f64>().ok(),
        _ => None,
    };
    if number.is_none_or(|number| (least..=most).contains(&number)) {
        return Ok(());
    }
    let db = ClassDb::singleton();
    if !db.can_instantiate(info.owner.as_str()) {
        return Ok(());
    }
    let Ok(mut trial) = db.instantiate(info.owner.as_str()).try_to::<Gd<Object>>() else {
        return Ok(());
    };
    trial.set(info.name.as_str(), value);
    let got = trial.get(info.name.as_str());
    if !trial.is_class("RefCounted") {
        trial.free();
    }
    if variant::same(value, &got) {
        return Ok(());
    }
    Err(refused(&info.name, value, &got, &object.get(info.name.as_str())))
}

#[allow(clippy::cast_precision_loss, reason = "it is only compared with a limit")]
fn approximate(number: i64) -> f64 {
    number as f64
}

/// A script extends what the object is, or the engine would print an error when the game runs.
fn check_script(object: &Gd<Object>, value: &Variant) -> Result<(), Fault> {
    if value.is_nil() {
        return Ok(());
    }
    let refuse = |why: String| Err(Fault::invalid(why).requiring(Required::parameter("value")));
    let Ok(script) = value.try_to::<Gd<Script>>() else {
        return refuse("'script' takes a script.".to_owned());
    };
    let (path, class) = (script.get_path(), object.get_class());
    let Some(base) = base_of(&script) else {
        return refuse(format!("'{path}' has errors; correct them first."));
    };
    if !ClassDb::singleton().is_parent_class(&StringName::from(&class), &base) {
        return refuse(format!("'{path}' extends {base}, but this is a {class}."));
    }
    Ok(())
}

/// A control does not get smaller than what is in it.
fn check_size(object: &Gd<Object>, value: &Variant) -> Result<(), Fault> {
    let (Ok(control), Ok(size)) = (object.clone().try_cast::<Control>(), value.try_to::<Vector2>())
    else {
        return Ok(());
    };
    let got = size.coord_max(control.get_combined_minimum_size()).to_variant();
    if variant::same(value, &got) {
        return Ok(());
    }
    Err(refused("size", value, &got, &control.get_size().to_variant()))
}

/// A name is unique within a scene only once.
fn check_unique_name(object: &Gd<Object>, value: &Variant) -> Result<(), Fault> {
    let Ok(node) = object.clone().try_cast::<Node>() else { return Ok(()) };
    let Some(owner) = node.get_owner().filter(|_| value.booleanize()) else { return Ok(()) };
    let name = node.get_name();
    // Where the owner knows no such name, the engine goes on to ask the owner's own owner.
    let taken = owner.get_node_or_null(&format!("%{name}"));
    match taken.filter(|other| *other != node && other.get_owner().as_ref() == Some(&owner)) {
        None => Ok(()),
        Some(other) => Err(Fault::invalid(format!(
            "The unique name '%{name}' is taken by '{}'. Rename one of the two first.",
            owner.get_path_to(&other)
        ))
        .requiring(Required::parameter("value"))),
    }
}

/// An animation that is current in the editor changes the animated nodes, and no undo brings their
/// values back.
fn check_playing(object: &Gd<Object>, value: &Variant) -> Result<(), Fault> {
    if !object.is_class("AnimationPlayer") || value.stringify().is_empty() {
        return Ok(());
    }
    Err(Fault::invalid(
        "Setting 'current_animation' would play it in the editor: the next save would write the \
         animated values, and undo does not bring back those before. Set 'autoplay' to play it when \
         the game starts.",
    )
    .requiring(Required::parameter("property")))
}
