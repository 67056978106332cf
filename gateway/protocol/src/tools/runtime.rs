//! `runtime`: start the game from the editor, look into it while it runs, and stop it.

mod beside;
mod watching;

use serde::{Deserialize, Serialize};

pub use self::beside::{RunAndCapture, RunCaptured, RunProblem};
pub use self::watching::{
    FindUiElements, GetPropertySamples, MonitorEnd, MonitorProperty, PropertyMonitored,
    PropertySample, PropertySamples, PropertySeries, SampleCount, Statistics, UiElement,
    UiElements, UiRect,
};
pub use super::editor::Picture;
use super::editor::{Pixels, Region, usual_size};

use crate::{
    GamePath, GodotValue, ResPath,
    bounds::{Bounded, Depth},
    path::empty_is_none,
};

/// How long to wait for the game, in milliseconds.
pub type Patience = Bounded<1, 600_000>;

/// Two seconds.
pub(crate) fn two_seconds() -> Patience {
    Patience::of::<2000>()
}

/// Run a scene of the project, or its main scene. Answers when the game is there, or says why it is
/// not. A game that runs already is stopped first. As the editor does it for the human, open scenes
/// with unsaved changes are saved before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlayScene {
    /// The scene; "" for the main scene of the project.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub scene_path: Option<ResPath>,
    /// Run at a fixed frame rate, in which every frame lasts exactly that long for the game, however
    /// long it takes: a run with the same input repeats exactly. 0, the default, for real time. For
    /// physics that repeats in a game that is frozen between steps, give the project's physics ticks per
    /// second (60 by default), or a part of them such as 30.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub fixed_fps: u32,
    /// Freeze the game in its first frame: see godot_runtime_step_frames. With `fixed_fps` the same
    /// steps and the same input then lead to the same state.
    #[serde(default)]
    pub frozen: bool,
    /// How long to wait for the game to be there. Default 8000.
    #[serde(default = "eight_seconds")]
    pub timeout_ms: Patience,
}

fn eight_seconds() -> Patience {
    Patience::of::<8000>()
}

/// Whether a game that was started from the editor runs, and with which scene it was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IsPlaying {}

/// Stop the game, and all others that run. They are asked to quit as by a click that closes their window,
/// with the mouse released, and ended if they are still there after two seconds: see `ended`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StopScene {}

/// The state of the game: the result of [`PlayScene`], [`IsPlaying`] and [`StopScene`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayState {
    /// Whether a game runs.
    pub playing: bool,
    /// The scene that was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// Whether it is stopped in the debugger.
    pub paused: bool,
    /// Whether the game has answered: its nodes can be read and input be sent.
    pub connected: bool,
    /// Whether it runs without a display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
    /// Its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The number of this run since the editor was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// How many errors the game has printed since it was started.
    pub errors: usize,
    /// Every game that runs and is connected with the debugger. Where there are several, `instance` says
    /// to tools which one is meant, and what is said here is about the first.
    #[serde(default)]
    pub instances: Vec<GameInstance>,
    /// What ended it, or where it is stopped in the debugger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The script that it is stopped in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of it, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The exit code of the game that ended last. Absent where a signal has ended it, or where it is not
    /// known, as of a game that the editor has ended, or found dead before anybody could ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The signal that ended it, where the system tells of one: a crash, such as 11, or a kill, which is 9.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Only of the call that starts it: the files that the editor has saved before, as it does when the human
    /// plays. Those are scenes with unsaved changes, and resources that belong to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<String>,
    /// The last that it printed, oldest first, when none runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
    /// Only where this call has stopped it: whether it has quit when it was `asked` to, or was `killed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

/// How a game was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It has quit when it was asked to.
    Asked,
    /// It was ended from outside.
    Killed,
}

/// One of the games that run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameInstance {
    /// What to pass as `instance`. The editor shows it on the tab of the debugger session.
    pub id: u32,
    /// Its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The scene that it began with, once it has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// Whether it is stopped in the debugger.
    pub broken: bool,
    /// Whether it has answered.
    pub ready: bool,
}

/// List the nodes of the running game as a tree. A long answer comes in pages: follow `next_cursor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetGameSceneTree {
    /// Where to begin: "/root" and all below it, or a path relative to the current scene.
    #[serde(default = "GamePath::root")]
    pub node_path: GamePath,
    /// How many levels below it; -1 for all. Default -1.
    #[serde(default = "Depth::unlimited")]
    pub max_depth: Depth,
    /// The `next_cursor` of the page before.
    #[serde(default)]
    pub cursor: String,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`GetGameSceneTree`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameSceneTree {
    /// Whether a game runs. It does.
    pub playing: bool,
    /// Whether it has answered. It has.
    pub connected: bool,
    /// Whether the tree is there. It is.
    pub ready: bool,
    /// The nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<GameNode>,
    /// How many nodes there are in all.
    pub total: usize,
    /// How many nodes this page has.
    pub returned: usize,
    /// Whether there are more.
    pub truncated: bool,
    /// What to pass as `cursor` for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One node of [`GameSceneTree`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameNode {
    /// Its name.
    pub name: String,
    /// Its class, or the `class_name` of its script.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its path from the root of the game, such as "/root/Main/Player".
    pub path: String,
    /// Whether it was on a page before, and is here for those below it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Its children.
    pub children: Vec<GameNode>,
}

/// Read a property of a node of the running game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadProperty {
    /// The node: "/root/…", or relative to the current scene.
    pub node_path: GamePath,
    /// The property, such as "position" or "position:x".
    pub property: String,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`ReadProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameProperty {
    /// Whether the value is there. It is.
    pub ready: bool,
    /// The node, from the root of the game.
    pub node_path: String,
    /// The property.
    pub property: String,
    /// Its value.
    pub value: GodotValue,
    /// The frame in which it was read.
    pub frame: u64,
}

/// A picture of the running game, as an image. The text beside the image says what it shows and gives
/// it a `capture_id`. Needs a game with a display.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaptureGameScreenshot {
    /// Only this part, in pixels of the whole picture. Default all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The longest side of the image in pixels; a larger one is scaled down. 0 for no limit.
    /// Default 1568.
    #[serde(default = "usual_size")]
    pub max_size: Pixels,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// Read what the game printed: its output, warnings and errors, from this run or the one before if
/// none runs. Repeated lines are one entry with a count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetGameOutput {
    /// Only entries after this one: the `next_seq` of the answer before, also where that was about an
    /// earlier run. Default 0, for all of the run.
    #[serde(default)]
    pub since_seq: u64,
}

/// The result of [`GetGameOutput`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameOutput {
    /// Whether a game runs.
    pub playing: bool,
    /// Whether it has answered.
    pub connected: bool,
    /// The run that printed this.
    pub session: u64,
    /// What was printed, oldest first.
    pub entries: Vec<OutputEntry>,
    /// What to pass as `since_seq` for what comes next.
    pub next_seq: u64,
    /// How many entries this run has had.
    pub total: u64,
    /// How many entries after `since_seq` are gone: only the last ones are kept, and those of a run only
    /// until the next begins.
    pub dropped: u64,
    /// Whether there is more than this answer holds: ask again with `next_seq`.
    pub truncated: bool,
    /// Why the answer does not begin after `since_seq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One entry of [`GameOutput`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputEntry {
    /// Its number, which goes on from run to run until the editor ends.
    pub seq: u64,
    /// What it is: stdout, warning or error.
    pub kind: String,
    /// The text, one line of what the game printed. Of one with more than 4000 characters the rest is left
    /// out, and how much that is said.
    pub text: String,
    /// When it came, in milliseconds since the run was started.
    pub time_ms: u64,
    /// How often it came in a row.
    pub count: u64,
    /// Which game printed it, where several ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// For warnings and errors: the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The calls that led there, innermost first: "file:line in function".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
}

/// Freeze the running game, let it go on, change its speed, or seed its random numbers. A game that is
/// frozen is paused as a whole, with its timers; nodes that are processed always go on even then, but no
/// time passes for them. Code that awaits `process_frame` or `physics_frame` of the tree goes on too, frame
/// by frame, as do timers that ignore the time scale. For exact repeats, start the game with `fixed_fps`;
/// what reads the clock of the machine, threads and the network do not repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ControlTime {
    /// true freezes the game, false lets it go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<bool>,
    /// How fast its time passes: 1 is real time, 0.5 half of it, from 0.01 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.01, max = 100.0)))]
    pub time_scale: Option<f64>,
    /// The seed of the global random numbers (`randi`, `randf` and the like). A
    /// `RandomNumberGenerator` of the game's own is not reached, nor what was rolled before, as in `_ready`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The state of the time: the result of [`ControlTime`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeState {
    /// Whether the game is frozen by this tool.
    pub frozen: bool,
    /// How fast its time passes.
    pub time_scale: f64,
    /// The frame that it is in.
    pub frame: u64,
    /// The physics frame that it is in.
    pub physics_frame: u64,
}

/// How many frames to let the game run.
pub type StepFrames = Bounded<1, 100_000>;

/// Let a frozen game run for some frames, or until a property of a node has a value, and freeze it
/// again. One that is not frozen is afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepGame {
    /// How many frames at most. Default 1.
    #[serde(default = "one_frame")]
    pub frames: StepFrames,
    /// Stop before that once this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// How long all of it may take, in milliseconds. Default 10000.
    #[serde(default = "ten_seconds")]
    pub timeout_ms: Patience,
}

fn one_frame() -> StepFrames {
    StepFrames::of::<1>()
}

fn ten_seconds() -> Patience {
    Patience::of::<10_000>()
}

/// What a game is run until.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The node: "/root/…", or relative to the current scene.
    pub node_path: GamePath,
    /// A condition on that node, such as "position.x > 100", as Godot's class Expression reads it:
    /// without `a if b else c`, `is`, `as` and lambdas. It reads; it must not change anything.
    pub expression: String,
}

/// The result of [`StepGame`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameStepped {
    /// How many frames it ran.
    pub frames: u64,
    /// The frame that it is in.
    pub frame: u64,
    /// Whether what was waited for holds; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
    /// Whether the time was over before that.
    pub timed_out: bool,
}
