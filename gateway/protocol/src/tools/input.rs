//! `input`: input for the running game, as a human would give it.
//!
//! Every answer names the frame in which the game handled the input: it was there before the nodes of
//! that frame were processed. A game that is frozen has it in the first frame that it runs after that,
//! before that frame's ticks of physics.

use serde::{Deserialize, Serialize};

use crate::{
    GamePath,
    bounds::{Bounded, Real},
    tools::runtime::Patience,
};

/// A place, or a way, in pixels of the game's window. No window is larger, and what is much larger is
/// infinite to the engine.
pub type Pixels = Real<-1_000_000, 1_000_000>;

/// How strongly an action is pressed.
pub type Strength = Real<0, 1>;

/// Where an axis of a joypad is.
pub type AxisValue = Real<-1, 1>;

/// How long to wait for the game, in milliseconds, where no parameter says so.
fn two_seconds() -> Patience {
    crate::tools::runtime::two_seconds()
}

/// Press or release a key in the running game. A field for text that has the focus takes in what the key
/// types, as long as neither Ctrl, Alt nor Meta is held. A game that is frozen has it in the first frame of its next
/// step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SimulateKey {
    /// The key, such as "Space", "A", "Left", "Kp 1" or "F1", or the character that it types, such as "/",
    /// "!" or "é". A letter is typed small, unless with Shift.
    pub key: String,
    /// Whether it is pressed; false to release it. Default true.
    #[serde(default = "crate::tools::yes")]
    pub pressed: bool,
    /// With Shift held: a key then types what it does on a US keyboard, such as "!" for 1.
    #[serde(default)]
    pub shift: bool,
    /// With Ctrl held.
    #[serde(default)]
    pub ctrl: bool,
    /// With Alt held.
    #[serde(default)]
    pub alt: bool,
    /// With Meta held (Windows or Command).
    #[serde(default)]
    pub meta: bool,
}

/// Move the mouse in the running game, or press or release a button of it at a place, or on a node. A
/// click is two calls: the button pressed, and released. Events, controls, hovering and picking follow. The
/// pointer of the human is never moved: in a game with a display, `get_global_mouse_position()`,
/// `get_viewport().get_mouse_position()` and the like still tell where that is, and the answer says so in
/// `hint`. In a headless game they follow, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SimulateMouse {
    /// Where, in pixels of the game's window from its left edge. With `node_path`, from the middle of
    /// the node, and 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<Pixels>,
    /// Where, in pixels of the game's window from its top edge. With `node_path`, from the middle of the
    /// node, and 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<Pixels>,
    /// The node to point at: "/root/…", or relative to the current scene. The middle of a Control, the
    /// origin of a Node2D or Node3D where it is seen. One that is hidden or out of the window is
    /// refused. A sequence takes the place where the node is when the sequence begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_path: Option<GamePath>,
    /// The button: left, right, middle, wheel_up, wheel_down, wheel_left, wheel_right, xbutton1 or
    /// xbutton2. "" only moves the mouse.
    #[serde(default)]
    pub button: String,
    /// Whether the button is pressed; false to release it. Default true.
    #[serde(default = "crate::tools::yes")]
    pub pressed: bool,
    /// How far the mouse moved to get there, for games that capture it.
    #[serde(default = "no_way")]
    pub relative_x: Pixels,
    /// How far the mouse moved to get there, for games that capture it.
    #[serde(default = "no_way")]
    pub relative_y: Pixels,
}

/// Press or release an input action of the running game. One that is frozen has it in the first frame of its
/// next step. Physics knows of it where that frame has a tick, as each has with the `fixed_fps` of physics,
/// which is 60 by default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SimulateAction {
    /// The action, such as "jump".
    pub action: String,
    /// Whether it is pressed; false to release it. Default true.
    #[serde(default = "crate::tools::yes")]
    pub pressed: bool,
    /// How strongly, from 0 to 1. Default 1.
    #[serde(default = "fully")]
    pub strength: Strength,
}

fn no_way() -> Pixels {
    Pixels::of::<0>()
}

fn fully() -> Strength {
    Strength::of::<1>()
}

/// Press or release a button of a joypad, or move one of its axes, in the running game. No joypad need
/// be there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SimulateJoypad {
    /// The joypad. Default 0.
    #[serde(default = "the_first_joypad")]
    pub device: Bounded<0, 63>,
    /// The button, from 0 to 127; 0 is the bottom one of four. Give this or `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<Bounded<0, 127>>,
    /// Whether the button is pressed; false to release it. Default true.
    #[serde(default = "crate::tools::yes")]
    pub pressed: bool,
    /// The axis, from 0 to 9: 0 and 1 are the left stick, 2 and 3 the right one, 4 and 5 the triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Bounded<0, 9>>,
    /// Where the axis is, from -1 to 1.
    #[serde(default = "in_the_middle")]
    pub axis_value: AxisValue,
}

fn the_first_joypad() -> Bounded<0, 63> {
    Bounded::of::<0>()
}

fn the_first_finger() -> Bounded<0, 9> {
    Bounded::of::<0>()
}

fn in_the_middle() -> AxisValue {
    AxisValue::of::<0>()
}

/// Touch the screen of the running game, drag a finger, or lift it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SimulateTouch {
    /// Which finger, from 0. Default 0.
    #[serde(default = "the_first_finger")]
    pub index: Bounded<0, 9>,
    /// What the finger does.
    pub phase: TouchPhase,
    /// Where, in pixels of the game's window from its left edge.
    pub x: Pixels,
    /// Where, in pixels of the game's window from its top edge.
    pub y: Pixels,
    /// For a drag: how far it moved.
    #[serde(default = "no_way")]
    pub relative_x: Pixels,
    /// For a drag: how far it moved.
    #[serde(default = "no_way")]
    pub relative_y: Pixels,
}

/// What a finger does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum TouchPhase {
    /// It comes down.
    Down,
    /// It moves, and stays down.
    Drag,
    /// It is lifted.
    Up,
}

/// Play several inputs in order, each in a frame of its own, and answer when the last was handled. An
/// event that cannot be is refused before the first is played. A game that is frozen has all of them in
/// the first frame of its next step, however long is waited between them; to play them frame by frame, let
/// it go on, or use godot_testing_run_test_scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlaySequence {
    /// The events, at most 2000.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 2000)))]
    pub events: Vec<SequenceEvent>,
    /// How long to wait before each event that does not say it itself, in milliseconds.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 600_000)))]
    pub delay_ms: u64,
    /// How long all of it may take, in milliseconds. Default 30000.
    #[serde(default = "half_a_minute")]
    pub timeout_ms: Patience,
}

fn half_a_minute() -> Patience {
    Patience::of::<30_000>()
}

/// How many frames to wait.
pub type Frames = Bounded<0, 100_000>;

/// One event of a sequence: what it is, with the parameters of the tool for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SequenceEvent {
    /// key, mouse, action, joypad, touch, or wait for nothing but the time.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// How many frames to wait before it. 0 for the same frame as the one before; without it, the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100_000)))]
    pub wait_frames: Option<u64>,
    /// How long to wait before it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 600_000)))]
    pub delay_ms: Option<u64>,
    /// The parameters of the tool that simulates it.
    #[serde(flatten)]
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

/// The kinds of events of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// As [`SimulateKey`].
    Key,
    /// As [`SimulateMouse`].
    Mouse,
    /// As [`SimulateAction`].
    Action,
    /// As [`SimulateJoypad`].
    Joypad,
    /// As [`SimulateTouch`].
    Touch,
    /// Nothing: the time to the next one.
    Wait,
}

/// What became of an input: the result of all of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputSent {
    /// Whether the game has handled it. It has.
    pub sent: bool,
    /// What it was: key, mouse, action, joypad, touch or sequence.
    pub kind: String,
    /// How many events.
    pub count: usize,
    /// The frame in which the game handled the first of them.
    pub first_frame: u64,
    /// The frame in which the game handled the last of them.
    pub frame: u64,
    /// For the mouse: where it was, in pixels of the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// For the mouse: where it was, in pixels of the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
    /// For the mouse in a game with a display: what does not follow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How much input the running game was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetInputStats {
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`GetInputStats`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputStats {
    /// Whether a game runs. It does.
    pub playing: bool,
    /// Whether it has answered. It has.
    pub connected: bool,
    /// How many events it was given.
    pub injected: u64,
    /// The frame that it is in.
    pub frame: u64,
    /// Whether its input is being recorded.
    pub recording: bool,
}

/// Begin to record the input of the running game: what a human gives, and what these tools give.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordInput {
    /// Whether movements of the mouse are recorded as well.
    #[serde(default)]
    pub include_motion: bool,
}

/// The result of [`RecordInput`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordingStarted {
    /// Whether it is recorded now. It is.
    pub recording: bool,
    /// The frame from which on.
    pub frame: u64,
}

/// End a recording and get its events, which godot_input_play_sequence takes as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StopRecording {
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`StopRecording`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recording {
    /// Whether there is one.
    pub ready: bool,
    /// Whether the game has answered. It has.
    pub connected: bool,
    /// The events, at most the first 2000.
    pub events: Vec<SequenceEvent>,
    /// Whether there were more than are told.
    pub truncated: bool,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
