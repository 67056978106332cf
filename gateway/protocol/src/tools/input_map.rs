//! `input_map`: the input actions of the project, and what triggers them.

use serde::{Deserialize, Serialize};

use crate::effects;

/// Add an input action to the project. It has no events yet: see godot_input_map_add_event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AddAction {
    /// Its name, such as "jump". Without / : = \ and ".
    pub name: String,
    /// How far an axis must move to count, from 0 to 1. Default 0.5.
    #[serde(default = "usual_deadzone")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub deadzone: f64,
}

/// Godot's own default, as in the input map of its project settings.
fn usual_deadzone() -> f64 {
    0.5
}

/// The result of [`AddAction`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionAdded {
    /// The action.
    pub name: String,
    /// Whether it was added.
    pub added: bool,
    /// Its dead zone.
    pub deadzone: f64,
}

/// Add an event that triggers an action: a key, a mouse button, a joypad button or a joypad axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AddEvent {
    /// The action.
    pub action: String,
    /// What kind of event.
    pub event_type: EventType,
    /// For a key: the key by what is printed on it, such as "Space", "A", "Up" or "F1".
    #[serde(default)]
    pub keycode: String,
    /// For a key: the key by its place on a US keyboard, so that WASD stays together on others.
    #[serde(default)]
    pub physical_keycode: String,
    /// For a key or a mouse button: with Shift.
    #[serde(default)]
    pub shift: bool,
    /// For a key or a mouse button: with Ctrl.
    #[serde(default)]
    pub ctrl: bool,
    /// For a key or a mouse button: with Alt.
    #[serde(default)]
    pub alt: bool,
    /// For a key or a mouse button: with Meta (Windows or Command).
    #[serde(default)]
    pub meta: bool,
    /// For a mouse button: left, right, middle, wheel_up, wheel_down, wheel_left, wheel_right,
    /// xbutton1 or xbutton2.
    #[serde(default)]
    pub button: String,
    /// The device; -1 for all. Default 0.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = -1, max = 63)))]
    pub device: i32,
    /// For a joypad axis: 0 and 1 are the left stick, 2 and 3 the right one, 4 and 5 the triggers.
    #[serde(default = "none")]
    #[cfg_attr(feature = "schema", schemars(range(min = -1, max = 9)))]
    pub axis: i32,
    /// For a joypad axis: the direction, -1 or 1. Default 1.
    #[serde(default = "forward")]
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 1.0)))]
    pub axis_value: f64,
    /// For a joypad button: its number; 0 is the bottom one of four (Sony Cross, Xbox A).
    #[serde(default = "none")]
    #[cfg_attr(feature = "schema", schemars(range(min = -1, max = 127)))]
    pub joy_button_index: i32,
}

fn none() -> i32 {
    -1
}

fn forward() -> f64 {
    1.0
}

/// The kinds of events that the input map knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// A key.
    Key,
    /// A button of the mouse, or its wheel.
    MouseButton,
    /// A button of a joypad.
    JoyButton,
    /// An axis of a joypad: a stick or a trigger.
    JoyAxis,
}

/// The result of [`AddEvent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventAdded {
    /// The action.
    pub action: String,
    /// The place of the event among those of the action.
    pub event_index: usize,
    /// Whether it was added. False also if the action had it before.
    pub added: bool,
    /// Whether the action had it before.
    pub already_there: bool,
    /// The event.
    pub event: InputEventInfo,
}

/// Tell an input action and its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetActionEvents {
    /// The action; one of the engine's own, such as "ui_accept", too.
    pub action: String,
}

/// The result of [`GetActionEvents`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionEvents {
    /// The action.
    pub action: String,
    /// Its dead zone.
    pub deadzone: f64,
    /// Its events.
    pub events: Vec<InputEventInfo>,
}

/// One event of an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputEventInfo {
    /// Its kind: key, mouse_button, joy_button, joy_axis, or the class of another one.
    #[serde(rename = "type")]
    pub kind: String,
    /// As the editor shows it, such as "Space (Physical)".
    pub text: String,
    /// The device; -1 for all.
    pub device: i32,
    /// The key by what is printed on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keycode: Option<String>,
    /// The key by its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub physical_keycode: Option<String>,
    /// The keys held with it: shift, ctrl, alt, meta.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modifiers: Option<Vec<String>>,
    /// The mouse button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<String>,
    /// The number of the mouse or joypad button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button_index: Option<i32>,
    /// The axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<i32>,
    /// The direction of the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis_value: Option<f64>,
}

/// Remove an input action of the project with its events. Scripts that use it fail from then on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveAction {
    /// The action.
    pub name: String,
}

/// The result of [`RemoveAction`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionRemoved {
    /// The action.
    pub name: String,
    /// Whether it was removed.
    pub removed: bool,
    /// How many events went with it.
    pub event_count: usize,
}

/// Remove all events of an input action; the action stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClearActionEvents {
    /// The action.
    pub action: String,
}

/// The result of [`ClearActionEvents`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionEventsCleared {
    /// The action.
    pub action: String,
    /// Whether its events were removed.
    pub cleared: bool,
    /// How many there were.
    pub event_count: usize,
}

effects! {
    ActionAdded: added;
    EventAdded: added;
    ActionRemoved: removed;
    ActionEventsCleared: cleared;
}
