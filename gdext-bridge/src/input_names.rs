//! Keys and mouse buttons by name, for the input map and for the running game.

use godot::{
    classes::{InputEventWithModifiers, Os},
    global::{Key, MouseButton},
    obj::EngineEnum,
    prelude::*,
};
use protocol::{Fault, Required};

use crate::resource::nearest;

/// The buttons of a mouse by name.
pub(crate) const MOUSE_BUTTONS: [(&str, MouseButton); 9] = [
    ("left", MouseButton::LEFT),
    ("right", MouseButton::RIGHT),
    ("middle", MouseButton::MIDDLE),
    ("wheel_up", MouseButton::WHEEL_UP),
    ("wheel_down", MouseButton::WHEEL_DOWN),
    ("wheel_left", MouseButton::WHEEL_LEFT),
    ("wheel_right", MouseButton::WHEEL_RIGHT),
    ("xbutton1", MouseButton::XBUTTON1),
    ("xbutton2", MouseButton::XBUTTON2),
];

/// The key with a name; no key for no name.
pub(crate) fn key(name: &str, parameter: &'static str) -> Result<Key, Fault> {
    if name.is_empty() {
        return Ok(Key::NONE);
    }
    let plain = name.strip_prefix("KEY_").unwrap_or(name).replace('_', " ");
    let names: Vec<(Key, String)> =
        Key::values().iter().filter_map(|key| Some((*key, key_name(*key)?))).collect();
    // The engine would look it up as well, but prints an error for a name that it does not know.
    let found = [name, plain.as_str(), &plain.replace(' ', "")].into_iter().find_map(|wanted| {
        names.iter().find(|(_, name)| name.eq_ignore_ascii_case(wanted)).map(|(key, _)| *key)
    });
    if let Some(key) = found {
        return Ok(key);
    }
    let near = nearest(name, names.iter().map(|(_, name)| name.as_str()));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    Err(Fault::invalid(format!(
        "There is no key '{name}'.{near} Keys held with it have parameters of their own: shift, ctrl, \
         alt, meta."
    ))
    .requiring(Required::parameter(parameter)))
}

/// The name of a key; `None` for no key.
pub(crate) fn key_name(key: Key) -> Option<String> {
    // The mark of keys without a character is none, and the engine prints an error for it.
    if [Key::NONE, Key::SPECIAL].contains(&key) {
        return None;
    }
    Some(Os::singleton().get_keycode_string(key).to_string()).filter(|name| !name.is_empty())
}

/// The button with a name.
pub(crate) fn mouse_button(name: &str) -> Result<MouseButton, Fault> {
    let found = MOUSE_BUTTONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, button)| *button).ok_or_else(|| {
        let names: Vec<&str> = MOUSE_BUTTONS.iter().map(|(name, _)| *name).collect();
        let near = nearest(name, names.iter().copied());
        let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
        Fault::invalid(format!(
            "There is no mouse button '{name}'.{near} There are {}.",
            names.join(", ")
        ))
        .requiring(Required::parameter("button"))
    })
}

/// The keys held with an event.
pub(crate) fn modifiers(event: &Gd<InputEventWithModifiers>) -> Vec<String> {
    let held = [
        ("shift", event.is_shift_pressed()),
        ("ctrl", event.is_ctrl_pressed()),
        ("alt", event.is_alt_pressed()),
        ("meta", event.is_meta_pressed()),
    ];
    held.iter().filter(|(_, held)| *held).map(|(name, _)| (*name).to_owned()).collect()
}
