//! Input events of the running game: made of parameters, and told in the same words.

use godot::{
    classes::{
        InputEvent, InputEventAction, InputEventJoypadButton, InputEventJoypadMotion,
        InputEventKey, InputEventMouseButton, InputEventMouseMotion, InputEventScreenDrag,
        InputEventScreenTouch, InputEventWithModifiers, InputMap,
    },
    global::{JoyAxis, JoyButton, Key, MouseButtonMask},
    obj::{EngineBitfield, EngineEnum},
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::input::{
        EventKind, SequenceEvent, SimulateAction, SimulateJoypad, SimulateKey, SimulateMouse,
        SimulateTouch, TouchPhase,
    },
};
use serde_json::{Map, Value, json};

use crate::{
    game::{
        place::{self, Spot},
        probe::Probe,
    },
    input_names::{self, MOUSE_BUTTONS, key_name, lone, modifiers, typed},
    resource::nearest,
};

/// Checks the entries of a sequence outside the game, which alone knows its actions.
pub(in crate::game) fn check(entries: &[SequenceEvent]) -> Result<(), Fault> {
    for (index, entry) in entries.iter().enumerate() {
        match entry.kind {
            EventKind::Action => read::<SimulateAction>(entry).map(drop),
            _ => of(entry, None).map(drop),
        }
        .map_err(|fault| at(index, fault))?;
    }
    Ok(())
}

/// A fault of one entry.
pub(super) fn at(index: usize, fault: Fault) -> Fault {
    Fault { hint: format!("events[{index}]: {}", fault.hint), ..fault }
}

fn read<T: serde::de::DeserializeOwned>(entry: &SequenceEvent) -> Result<T, Fault> {
    serde_json::from_value(Value::Object(entry.parameters.clone()))
        .map_err(|error| Fault::invalid(format!("{error}.")))
}

/// The event of an entry of a sequence; `None` for one that only waits. Outside the game, where `game` is
/// `None`, nodes are not looked up.
pub(super) fn of(
    entry: &SequenceEvent,
    game: Option<&Probe>,
) -> Result<Option<Gd<InputEvent>>, Fault> {
    Ok(Some(match entry.kind {
        EventKind::Key => key(&read(entry)?)?,
        EventKind::Mouse => mouse(&read(entry)?, game)?,
        EventKind::Action => action(&read(entry)?)?,
        EventKind::Joypad => joypad(&read(entry)?)?,
        EventKind::Touch => touch(&read(entry)?)?,
        EventKind::Wait if entry.parameters.is_empty() => return Ok(None),
        EventKind::Wait => {
            return Err(Fault::invalid("An event that waits has only wait_frames and delay_ms."));
        }
    }))
}

pub(super) fn key(call: &SimulateKey) -> Result<Gd<InputEvent>, Fault> {
    if call.key.is_empty() {
        return Err(Fault::invalid("Name the key, such as \"Space\".")
            .requiring(Required::parameter("key")));
    }
    // A character that no key of the engine stands for comes with none, as from an input method.
    let foreign = lone(&call.key).filter(|sign| !sign.is_ascii());
    let code = match foreign {
        Some(_) => Key::NONE,
        None => input_names::key(&call.key, "key")?,
    };
    let mut event = InputEventKey::new_gd();
    event.set_keycode(code);
    event.set_physical_keycode(code);
    event.set_pressed(call.pressed);
    event.set_shift_pressed(call.shift);
    event.set_ctrl_pressed(call.ctrl);
    event.set_alt_pressed(call.alt);
    event.set_meta_pressed(call.meta);
    // What a field for text takes in. With these held a key is a shortcut, and types nothing.
    let is_typing = call.pressed && !(call.ctrl || call.alt || call.meta);
    if is_typing && let Some(sign) = foreign.or_else(|| typed(code, call.shift)) {
        event.set_unicode(u32::from(sign));
    }
    Ok(event.upcast())
}

#[allow(clippy::cast_possible_truncation, reason = "the engine's vectors are of single precision")]
pub(super) fn mouse(call: &SimulateMouse, game: Option<&Probe>) -> Result<Gd<InputEvent>, Fault> {
    let Spot { at, window } = pointed_at(call, game)?;
    if call.button.is_empty() {
        let mut event = InputEventMouseMotion::new_gd();
        event.set_position(at);
        event.set_global_position(at);
        event.set_relative(Vector2::new(call.relative_x as f32, call.relative_y as f32));
        event.set_window_id(window);
        return Ok(event.upcast());
    }
    let button = input_names::mouse_button(&call.button)?;
    let mut event = InputEventMouseButton::new_gd();
    event.set_button_index(button);
    event.set_pressed(call.pressed);
    event.set_position(at);
    event.set_global_position(at);
    let bit = u64::try_from(button.ord() - 1).map(|shift| 1_u64 << shift).unwrap_or_default();
    if call.pressed
        && let Some(mask) = MouseButtonMask::try_from_ord(bit)
    {
        event.set_button_mask(mask);
    }
    event.set_window_id(window);
    Ok(event.upcast())
}

/// Where the mouse is to be: at a place of the window, or at a node.
#[allow(clippy::cast_possible_truncation, reason = "the engine's vectors are of single precision")]
fn pointed_at(call: &SimulateMouse, game: Option<&Probe>) -> Result<Spot, Fault> {
    let vector = |x: f64, y: f64| Vector2::new(x as f32, y as f32);
    if let Some(path) = &call.node_path {
        let spot = match game {
            Some(game) => place::spot(&game.node(path)?)?,
            None => Spot { at: Vector2::ZERO, window: place::MAIN_WINDOW },
        };
        let by = vector(call.x.unwrap_or_default(), call.y.unwrap_or_default());
        return Ok(Spot { at: spot.at + by, ..spot });
    }
    match (call.x, call.y) {
        (Some(x), Some(y)) => Ok(Spot { at: vector(x, y), window: place::MAIN_WINDOW }),
        (x, _) => {
            let missing = if x.is_none() { "x" } else { "y" };
            Err(Fault::invalid("Give x and y, or node_path to point at a node.")
                .requiring(Required::parameter(missing)))
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the engine takes single precision")]
pub(super) fn action(call: &SimulateAction) -> Result<Gd<InputEvent>, Fault> {
    let map = InputMap::singleton();
    if !map.has_action(call.action.as_str()) {
        let names: Vec<String> =
            map.clone().get_actions().iter_shared().map(|name| name.to_string()).collect();
        let near = nearest(&call.action, names.iter().map(String::as_str));
        let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
        return Err(Fault::not_found(format!("The game has no action '{}'.{near}", call.action))
            .requiring(Required::parameter("action")));
    }
    let mut event = InputEventAction::new_gd();
    event.set_action(call.action.as_str());
    event.set_pressed(call.pressed);
    event.set_strength(call.strength as f32);
    Ok(event.upcast())
}

#[allow(clippy::cast_possible_truncation, reason = "the engine takes single precision")]
pub(super) fn joypad(call: &SimulateJoypad) -> Result<Gd<InputEvent>, Fault> {
    let mut event: Gd<InputEvent> = match (call.button, call.axis) {
        (Some(button), None) => {
            let mut event = InputEventJoypadButton::new_gd();
            event.set_button_index(JoyButton::from_ord(button));
            event.set_pressed(call.pressed);
            event.set_pressure(if call.pressed { 1.0 } else { 0.0 });
            event.upcast()
        }
        (None, Some(axis)) => {
            let mut event = InputEventJoypadMotion::new_gd();
            event.set_axis(JoyAxis::from_ord(axis));
            event.set_axis_value(call.axis_value as f32);
            event.upcast()
        }
        _ => {
            return Err(Fault::invalid("Give either button or axis.")
                .requiring(Required::parameter("button")));
        }
    };
    event.set_device(call.device);
    Ok(event)
}

#[allow(clippy::cast_possible_truncation, reason = "the engine's vectors are of single precision")]
pub(super) fn touch(call: &SimulateTouch) -> Result<Gd<InputEvent>, Fault> {
    let at = Vector2::new(call.x as f32, call.y as f32);
    if call.phase == TouchPhase::Drag {
        let mut event = InputEventScreenDrag::new_gd();
        event.set_index(call.index);
        event.set_position(at);
        event.set_relative(Vector2::new(call.relative_x as f32, call.relative_y as f32));
        return Ok(event.upcast());
    }
    let mut event = InputEventScreenTouch::new_gd();
    event.set_index(call.index);
    event.set_position(at);
    event.set_pressed(call.phase == TouchPhase::Down);
    Ok(event.upcast())
}

/// An event in the words of a sequence; `None` for a kind that sequences do not have.
pub(super) fn told(event: &Gd<InputEvent>) -> Option<(EventKind, Map<String, Value>)> {
    let (kind, mut told) = if let Ok(key) = event.clone().try_cast::<InputEventKey>() {
        if key.is_echo() {
            return None;
        }
        let sign = char::from_u32(key.get_unicode()).filter(|sign| !sign.is_control());
        let code = key_name(key.get_keycode())
            .or_else(|| key_name(key.get_physical_keycode()))
            .or_else(|| sign.map(String::from))?;
        (EventKind::Key, json!({"key": code, "pressed": key.is_pressed()}))
    } else if let Ok(button) = event.clone().try_cast::<InputEventMouseButton>() {
        let index = button.get_button_index();
        let (name, _) = MOUSE_BUTTONS.iter().find(|(_, known)| *known == index)?;
        let at = button.get_position();
        let pressed = button.is_pressed();
        (EventKind::Mouse, json!({"x": at.x, "y": at.y, "button": name, "pressed": pressed}))
    } else if let Ok(motion) = event.clone().try_cast::<InputEventMouseMotion>() {
        let (at, by) = (motion.get_position(), motion.get_relative());
        let moved = json!({"x": at.x, "y": at.y, "relative_x": by.x, "relative_y": by.y});
        (EventKind::Mouse, moved)
    } else if let Ok(action) = event.clone().try_cast::<InputEventAction>() {
        let name = action.get_action().to_string();
        let pressed = action.is_pressed();
        let strength = action.get_strength();
        (EventKind::Action, json!({"action": name, "pressed": pressed, "strength": strength}))
    } else if let Ok(button) = event.clone().try_cast::<InputEventJoypadButton>() {
        let index = button.get_button_index().ord();
        let pressed = button.is_pressed();
        let device = button.get_device();
        (EventKind::Joypad, json!({"device": device, "button": index, "pressed": pressed}))
    } else if let Ok(motion) = event.clone().try_cast::<InputEventJoypadMotion>() {
        let (axis, value) = (motion.get_axis().ord(), motion.get_axis_value());
        let device = motion.get_device();
        (EventKind::Joypad, json!({"device": device, "axis": axis, "axis_value": value}))
    } else if let Ok(touch) = event.clone().try_cast::<InputEventScreenTouch>() {
        let at = touch.get_position();
        let phase = if touch.is_pressed() { TouchPhase::Down } else { TouchPhase::Up };
        (
            EventKind::Touch,
            json!({"index": touch.get_index(), "phase": phase, "x": at.x, "y": at.y}),
        )
    } else if let Ok(drag) = event.clone().try_cast::<InputEventScreenDrag>() {
        let (at, by) = (drag.get_position(), drag.get_relative());
        let moved = json!({
            "index": drag.get_index(), "phase": TouchPhase::Drag, "x": at.x, "y": at.y,
            "relative_x": by.x, "relative_y": by.y,
        });
        (EventKind::Touch, moved)
    } else {
        return None;
    };
    if kind == EventKind::Key
        && let Ok(held) = event.clone().try_cast::<InputEventWithModifiers>()
        && let Value::Object(told) = &mut told
    {
        told.extend(modifiers(&held).into_iter().map(|name| (name, Value::Bool(true))));
    }
    match told {
        Value::Object(told) => Some((kind, told)),
        _ => None,
    }
}
