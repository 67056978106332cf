//! Input events: made of parameters, and told.

use godot::{
    classes::{
        InputEvent, InputEventJoypadButton, InputEventJoypadMotion, InputEventKey,
        InputEventMouseButton, InputEventWithModifiers,
    },
    obj::EngineEnum,
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::input_map::{AddEvent, EventType, InputEventInfo},
};

use crate::input_names::{MOUSE_BUTTONS, key, key_name, modifiers, mouse_button};

// By name, as the engine takes more of these numbers than it has names for, and its methods as we have
// them only those with a name.
/// The property with the number of a button.
const BUTTON: &str = "button_index";

/// The property with the number of an axis.
const AXIS: &str = "axis";

/// The event that the parameters describe.
pub(super) fn make(call: &AddEvent) -> Result<Gd<InputEvent>, Fault> {
    check_parameters(call)?;
    let mut event = match call.event_type {
        EventType::Key => {
            let mut event = InputEventKey::new_gd();
            event.set_keycode(key(&call.keycode, "keycode")?);
            event.set_physical_keycode(key(&call.physical_keycode, "physical_keycode")?);
            set_modifiers(&mut event.clone().upcast(), call);
            event.upcast::<InputEvent>()
        }
        EventType::MouseButton => {
            let mut event = InputEventMouseButton::new_gd();
            event.set_button_index(mouse_button(&call.button)?);
            set_modifiers(&mut event.clone().upcast(), call);
            event.upcast()
        }
        EventType::JoyButton => {
            let mut event = InputEventJoypadButton::new_gd();
            event.set(BUTTON, &call.joy_button_index.to_variant());
            event.upcast()
        }
        EventType::JoyAxis => {
            let mut event = InputEventJoypadMotion::new_gd();
            event.set(AXIS, &call.axis.to_variant());
            #[allow(clippy::cast_possible_truncation, reason = "it lies between -1 and 1")]
            event.set_axis_value(call.axis_value as f32);
            event.upcast()
        }
    };
    event.set_device(call.device);
    Ok(event)
}

/// What is told of an event.
pub(super) fn info(event: &Gd<InputEvent>) -> InputEventInfo {
    let mut info = InputEventInfo {
        kind: event.get_class().to_string(),
        text: event.as_text().to_string(),
        device: event.get_device(),
        keycode: None,
        physical_keycode: None,
        modifiers: None,
        button: None,
        button_index: None,
        axis: None,
        axis_value: None,
    };
    if let Ok(held) = event.clone().try_cast::<InputEventWithModifiers>() {
        info.modifiers = Some(modifiers(&held));
    }
    if let Ok(key) = event.clone().try_cast::<InputEventKey>() {
        "key".clone_into(&mut info.kind);
        info.keycode = key_name(key.get_keycode());
        info.physical_keycode = key_name(key.get_physical_keycode());
    } else if let Ok(mouse) = event.clone().try_cast::<InputEventMouseButton>() {
        "mouse_button".clone_into(&mut info.kind);
        let index = number(&mouse, BUTTON);
        let name = MOUSE_BUTTONS.iter().find(|(_, button)| Some(button.ord()) == index);
        info.button = name.map(|(name, _)| (*name).to_owned());
        info.button_index = index;
    } else if let Ok(joy) = event.clone().try_cast::<InputEventJoypadButton>() {
        "joy_button".clone_into(&mut info.kind);
        info.button_index = number(&joy, BUTTON);
    } else if let Ok(joy) = event.clone().try_cast::<InputEventJoypadMotion>() {
        "joy_axis".clone_into(&mut info.kind);
        info.axis = number(&joy, AXIS);
        info.axis_value = Some(f64::from(joy.get_axis_value()));
    }
    info
}

/// A property of an event that is a number.
fn number<T: Inherits<Object>>(event: &Gd<T>, property: &str) -> Option<i32> {
    event.clone().upcast::<Object>().get(property).try_to().ok()
}

/// Refuses parameters that say nothing of this kind of event, and the lack of one that must.
fn check_parameters(call: &AddEvent) -> Result<(), Fault> {
    let given = [
        ("keycode", !call.keycode.is_empty(), &[EventType::Key][..]),
        ("physical_keycode", !call.physical_keycode.is_empty(), &[EventType::Key]),
        ("button", !call.button.is_empty(), &[EventType::MouseButton]),
        ("axis", call.axis >= 0, &[EventType::JoyAxis]),
        ("joy_button_index", call.joy_button_index >= 0, &[EventType::JoyButton]),
        ("shift", call.shift, &[EventType::Key, EventType::MouseButton]),
        ("ctrl", call.ctrl, &[EventType::Key, EventType::MouseButton]),
        ("alt", call.alt, &[EventType::Key, EventType::MouseButton]),
        ("meta", call.meta, &[EventType::Key, EventType::MouseButton]),
    ];
    let refuse = |name: &'static str, hint: String| {
        Err(Fault::invalid(hint).requiring(Required::parameter(name)))
    };
    if let Some((name, ..)) =
        given.iter().find(|(_, is_given, kinds)| *is_given && !kinds.contains(&call.event_type))
    {
        return refuse(name, format!("An event of this type has no '{name}'; leave it out."));
    }
    match call.event_type {
        EventType::Key if call.keycode.is_empty() && call.physical_keycode.is_empty() => refuse(
            "keycode",
            "A key needs a keycode or a physical_keycode, such as \"Space\".".into(),
        ),
        EventType::MouseButton if call.button.is_empty() => {
            refuse("button", "A mouse button needs a button, such as \"left\".".into())
        }
        EventType::JoyButton if call.joy_button_index < 0 => {
            refuse("joy_button_index", "A joypad button needs its joy_button_index.".into())
        }
        EventType::JoyAxis if call.axis < 0 => {
            refuse("axis", "A joypad axis needs its axis, from 0 to 9.".into())
        }
        EventType::JoyAxis if call.axis_value == 0.0 => {
            refuse("axis_value", "An axis event needs a direction: axis_value -1 or 1.".into())
        }
        _ => Ok(()),
    }
}

fn set_modifiers(event: &mut Gd<InputEventWithModifiers>, call: &AddEvent) {
    event.set_shift_pressed(call.shift);
    event.set_ctrl_pressed(call.ctrl);
    event.set_alt_pressed(call.alt);
    event.set_meta_pressed(call.meta);
}
