//! Input events of the running game: made of parameters, and told in the same words.

use godot::{
    classes::{
        InputEvent, InputEventAction, InputEventJoypadButton, InputEventJoypadMotion,
        InputEventKey, InputEventMouseButton, InputEventMouseMotion, InputEventScreenDrag,
        InputEventScreenTouch, InputEventWithModifiers, InputMap,
    },
    global::{Key, MouseButtonMask},
    obj::{EngineBitfield, EngineEnum},
    prelude::*,
};
use protocol::{
    Fault, Required,
    bounds::Bounded,
    tools::input::{
        EventKind, Pixels, SequenceEvent, SimulateAction, SimulateJoypad, SimulateKey,
        SimulateMouse, SimulateTouch, TouchPhase,
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

/// A fault of one entry. What it names of an entry is to the caller a part of `events`.
pub(super) fn at(index: usize, fault: Fault) -> Fault {
    let token = fault.required.filter(|it| Required::TOKENS.contains(&it.as_str()));
    let required = token.or_else(|| Some(Required::parameter("events")));
    Fault { hint: format!("events[{index}]: {}", fault.hint), required, ..fault }
}

/// The parameters of the tool for an event, within the bounds that they have there.
fn read<T: serde::de::DeserializeOwned>(entry: &SequenceEvent) -> Result<T, Fault> {
    let parameters = Value::Object(entry.parameters.clone());
    serde_path_to_error::deserialize(parameters).map_err(|error| {
        let (place, why) = (error.path().to_string(), error.inner());
        // A dot is the event itself.
        let place = if place == "." { String::new() } else { format!("'{place}': ") };
        Fault::invalid(format!("{place}{why}."))
    })
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

pub(super) fn mouse(call: &SimulateMouse, game: Option<&Probe>) -> Result<Gd<InputEvent>, Fault> {
    let Spot { at, window } = pointed_at(call, game)?;
    if call.button.is_empty() {
        let mut event = InputEventMouseMotion::new_gd();
        event.set_position(at);
        event.set_global_position(at);
        event.set_relative(Vector2::new(call.relative_x.single(), call.relative_y.single()));
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
fn pointed_at(call: &SimulateMouse, game: Option<&Probe>) -> Result<Spot, Fault> {
    if let Some(path) = &call.node_path {
        let spot = match game {
            Some(game) => place::spot(&game.node(path)?)?,
            None => Spot { at: Vector2::ZERO, window: place::MAIN_WINDOW },
        };
        let by = |way: Option<Pixels>| way.map_or(0.0, Pixels::single);
        let by = Vector2::new(by(call.x), by(call.y));
        return Ok(Spot { at: spot.at + by, ..spot });
    }
    match (call.x, call.y) {
        (Some(x), Some(y)) => {
            Ok(Spot { at: Vector2::new(x.single(), y.single()), window: place::MAIN_WINDOW })
        }
        (x, _) => {
            let missing = if x.is_none() { "x" } else { "y" };
            Err(Fault::invalid("Give x and y, or node_path to point at a node.")
                .requiring(Required::parameter(missing)))
        }
    }
}

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
    event.set_strength(call.strength.single());
    Ok(event.upcast())
}

pub(super) fn joypad(call: &SimulateJoypad) -> Result<Gd<InputEvent>, Fault> {
    let mut event: Gd<InputEvent> = match (call.button, call.axis) {
        (Some(button), None) => {
            let mut event = InputEventJoypadButton::new_gd();
            // By name, as the library knows only the buttons that have one.
            event.set("button_index", &small(button).to_variant());
            event.set_pressed(call.pressed);
            event.set_pressure(if call.pressed { 1.0 } else { 0.0 });
            event.upcast()
        }
        (None, Some(axis)) => {
            let mut event = InputEventJoypadMotion::new_gd();
            event.set("axis", &small(axis).to_variant());
            event.set_axis_value(call.axis_value.single());
            event.upcast()
        }
        _ => {
            return Err(Fault::invalid("Give either button or axis.")
                .requiring(Required::parameter("button")));
        }
    };
    event.set_device(small(call.device));
    Ok(event)
}

pub(super) fn touch(call: &SimulateTouch) -> Result<Gd<InputEvent>, Fault> {
    let at = Vector2::new(call.x.single(), call.y.single());
    if call.phase == TouchPhase::Drag {
        let mut event = InputEventScreenDrag::new_gd();
        event.set_index(small(call.index));
        event.set_position(at);
        event.set_relative(Vector2::new(call.relative_x.single(), call.relative_y.single()));
        return Ok(event.upcast());
    }
    let mut event = InputEventScreenTouch::new_gd();
    event.set_index(small(call.index));
    event.set_position(at);
    event.set_pressed(call.phase == TouchPhase::Down);
    Ok(event.upcast())
}

/// A number as the engine takes it.
fn small<const MAX: i64>(number: Bounded<0, MAX>) -> i32 {
    i32::try_from(number.get()).unwrap_or_default()
}

/// A number of an event that may be none of those that have names.
fn number(event: &Gd<Object>, property: &str) -> Option<i32> {
    event.get(property).try_to().ok()
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
        let index = number(&button.clone().upcast(), "button_index")?;
        let (name, _) = MOUSE_BUTTONS.iter().find(|(_, known)| known.ord() == index)?;
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
        let index = number(&button.clone().upcast(), "button_index")?;
        let pressed = button.is_pressed();
        let device = button.get_device();
        (EventKind::Joypad, json!({"device": device, "button": index, "pressed": pressed}))
    } else if let Ok(motion) = event.clone().try_cast::<InputEventJoypadMotion>() {
        let axis = number(&motion.clone().upcast(), "axis")?;
        let value = motion.get_axis_value();
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
