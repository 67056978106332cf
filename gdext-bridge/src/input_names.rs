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

/// The key with a name, or that of a character such as "/"; no key for no name.
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
    // The engine gives the keys of these the number of the character.
    if let Some(key) =
        lone(name).and_then(|sign| Key::try_from_ord(i32::try_from(u32::from(sign)).ok()?))
    {
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

/// The character that a name consists of, if it is one that can be typed.
pub(crate) fn lone(name: &str) -> Option<char> {
    let mut characters = name.chars();
    let first = characters.next().filter(|first| !first.is_control())?;
    characters.next().is_none().then_some(first)
}

/// What a key types on a US keyboard; `None` for one that types nothing.
pub(crate) fn typed(key: Key, shift: bool) -> Option<char> {
    /// What the keys of the keypad type, in the engine's order.
    const KEYPAD: &str = "*/-.+0123456789";
    /// Signs, each with the one that Shift makes of it.
    const SHIFTED: &str = "1!2@3#4$5%6^7&8*9(0)-_=+[{]}\\|;:'\",<.>/?`~";
    let place = key.ord() - Key::KP_MULTIPLY.ord();
    if let Ok(place) = usize::try_from(place)
        && let Some(sign) = KEYPAD.chars().nth(place)
    {
        return Some(sign);
    }
    let sign = u32::try_from(key.ord()).ok().and_then(char::from_u32)?;
    if key.ord() >= Key::SPECIAL.ord() || sign.is_control() {
        return None;
    }
    if !shift {
        return Some(sign.to_ascii_lowercase());
    }
    let plain = SHIFTED.chars().step_by(2);
    let mut pairs = plain.zip(SHIFTED.chars().skip(1).step_by(2));
    Some(pairs.find(|(plain, _)| *plain == sign).map_or(sign, |(_, shifted)| shifted))
}

/// The name of a key; `None` for no key.
pub(crate) fn key_name(key: Key) -> Option<String> {
    // The mark of keys without a character is none, and the engine prints an error for it. What it does not
    // know is none that could be pressed.
    if [Key::NONE, Key::SPECIAL, Key::UNKNOWN].contains(&key) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_type_what_they_do_on_a_us_keyboard() {
        let cases = [
            (Key::A, "aA"),
            (Key::Z, "zZ"),
            (Key::SPACE, "  "),
            (Key::KEY_1, "1!"),
            (Key::KEY_2, "2@"),
            (Key::KEY_0, "0)"),
            (Key::MINUS, "-_"),
            (Key::EQUAL, "=+"),
            (Key::BACKSLASH, "\\|"),
            (Key::APOSTROPHE, "'\""),
            (Key::QUOTELEFT, "`~"),
            (Key::SLASH, "/?"),
            (Key::EXCLAM, "!!"),
            (Key::PLUS, "++"),
            (Key::KP_0, "00"),
            (Key::KP_9, "99"),
            (Key::KP_MULTIPLY, "**"),
            (Key::KP_DIVIDE, "//"),
            (Key::KP_SUBTRACT, "--"),
            (Key::KP_PERIOD, ".."),
            (Key::KP_ADD, "++"),
        ];
        for (key, expected) in cases {
            let told: String =
                [false, true].map(|shift| typed(key, shift).unwrap()).iter().collect();
            assert_eq!(told, expected, "{key:?}");
        }
        let silent = [
            Key::NONE,
            Key::ENTER,
            Key::KP_ENTER,
            Key::TAB,
            Key::BACKSPACE,
            Key::DELETE,
            Key::SHIFT,
            Key::LEFT,
            Key::F1,
            Key::F35,
            Key::UNKNOWN,
        ];
        for key in silent {
            assert_eq!(typed(key, false), None, "{key:?}");
        }
    }

    #[test]
    fn only_what_can_be_typed_is_a_lone_character() {
        assert_eq!([lone("/"), lone(" "), lone("é")], [Some('/'), Some(' '), Some('é')]);
        assert_eq!([lone(""), lone("ab"), lone("\n")], [None; 3]);
    }
}
