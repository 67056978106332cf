//! `testing`: whether the game does as it should.

use serde::{Deserialize, Serialize};

use crate::{
    GamePath, GodotValue, ResPath,
    bounds::{Bounded, Seconds},
    path::empty_is_none,
    tools::{
        editor::Region,
        input::SequenceEvent,
        runtime::{Patience, RunProblem},
    },
};

/// How long to wait, in milliseconds; 0 for not at all.
pub type Delay = Bounded<0, 600_000>;

/// Compare two images pixel by pixel, and say where they differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CompareScreenshots {
    /// The first image: the `capture_id` of a screenshot, a PNG file of the project
    /// ("res://….png"), or a PNG in base64.
    pub image_a: String,
    /// The second image, in the same ways.
    pub image_b: String,
    /// By how much the red, green, blue or opacity of a pixel may differ and still count as the
    /// same: 0 for not at all, 1 for any. Default 0.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub tolerance: f64,
}

/// The result of [`CompareScreenshots`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScreenshotsCompared {
    /// Whether both have one size. Where they have not, nothing else is compared.
    pub same_size: bool,
    /// How wide the first is.
    pub width: u32,
    /// How high the first is.
    pub height: u32,
    /// How many pixels differ by more than the tolerance.
    pub diff_pixels: u64,
    /// How many pixels there are.
    pub total_pixels: u64,
    /// The part of the pixels that differ, from 0 to 1.
    pub diff_ratio: f64,
    /// By how much the colours differ on average, from 0 to 1.
    pub mean_abs_diff: f64,
    /// Whether no pixel differs by more than the tolerance.
    #[serde(rename = "match")]
    pub matches: bool,
    /// How alike they are: 1 for the same, 0 for black against white.
    pub score: f64,
    /// The smallest rectangle with all pixels that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_region: Option<Region>,
    /// Width and height of the second, where its size is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_size: Option<Vec<u32>>,
}

/// Check a property of a node of the running game. A check that fails is an answer with `passed: false`,
/// not an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AssertNodeState {
    /// The node: "/root/…", or relative to the current scene.
    pub node_path: GamePath,
    /// The property, such as "position" or "position:x".
    pub property: String,
    /// What it is compared with, in any form that a value of its type takes: {"x": 1, "y": 2}, [1, 2] or
    /// "Vector2(1, 2)" for a vector, "red" for a color, a path for a resource, null.
    pub expected: GodotValue,
    /// How it is compared: `==`, `!=`, `<`, `<=`, `>`, `>=` for numbers and text; `contains` for an element
    /// of an array, a key of a dictionary or a part of a text; `approx` for numbers, also those inside a
    /// value, that may differ by `tolerance`. Default `==`.
    #[serde(default)]
    pub op: Comparison,
    /// For `approx`: by how much. Default 0.001.
    #[serde(default = "a_thousandth")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub tolerance: f64,
    /// Ask again in every frame until it holds, for at most so long, in milliseconds, and no longer than
    /// `timeout_ms`. Default 0: ask once.
    #[serde(default = "not_at_all")]
    pub within_ms: Delay,
    /// How long to wait for the game, in milliseconds. Default 1500.
    #[serde(default = "a_second_and_a_half")]
    pub timeout_ms: Patience,
}

fn not_at_all() -> Delay {
    Delay::of::<0>()
}

fn a_thousandth() -> f64 {
    0.001
}

fn a_second_and_a_half() -> Patience {
    Patience::of::<1500>()
}

/// How a value is compared with what is expected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum Comparison {
    /// They are the same; floats as numbers of 32 bits, as the engine keeps most.
    #[default]
    #[serde(rename = "==")]
    Equal,
    /// They are not the same.
    #[serde(rename = "!=")]
    NotEqual,
    /// It is less.
    #[serde(rename = "<")]
    Less,
    /// It is not more.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// It is more.
    #[serde(rename = ">")]
    Greater,
    /// It is not less.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// What is expected is in it.
    #[serde(rename = "contains")]
    Contains,
    /// Their numbers differ by no more than the tolerance, and nothing else does.
    #[serde(rename = "approx")]
    Approx,
}

/// The result of [`AssertNodeState`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeStateAsserted {
    /// The node.
    pub node_path: String,
    /// The property.
    pub property: String,
    /// How it was compared.
    pub op: Comparison,
    /// What was expected.
    pub expected: GodotValue,
    /// What it is; absent where it is null or cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<GodotValue>,
    /// Whether the check holds.
    pub passed: bool,
    /// Why they cannot be compared, as where there is no such node; "" where they can.
    pub error: String,
    /// The frame in which it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
}

/// Play a scene, give it input, check it and stop it: a whole test in one call. What is wrong with the
/// input is refused before the game starts, but for the names of actions, which only the game knows. With
/// `fixed_fps` all of it repeats exactly, but for what is random: see `seed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunTestScenario {
    /// The scene; "" for the main scene of the project.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub scene: Option<ResPath>,
    /// The input, in the words of godot_input_play_sequence, each event in a frame of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = 2000)))]
    pub events: Option<Vec<SequenceEvent>>,
    /// The checks after it, in the words of godot_testing_assert_node_state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(max = 500)))]
    pub assertions: Option<Vec<Assertion>>,
    /// How long the scene runs before the first event, in milliseconds of its time. Default 800.
    #[serde(default = "setup_time")]
    pub setup_ms: Delay,
    /// How long it runs between the last event and the first check. Default 300.
    #[serde(default = "settle_time")]
    pub settle_ms: Delay,
    /// Whether the game is stopped at the end, however it ends. Default true.
    #[serde(default = "crate::tools::yes")]
    pub stop_after: bool,
    /// Run at a fixed frame rate, in which times are counted in frames, however long these take. 0, the
    /// default, for real time.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub fixed_fps: u32,
    /// The seed of the game's global random numbers, set in its first frame: what is rolled before that, as
    /// in `_ready`, does not repeat. Absent: as the game has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// How long all of it may take, in milliseconds. Default 60000.
    #[serde(default = "a_minute")]
    pub timeout_ms: Patience,
}

fn setup_time() -> Delay {
    Delay::of::<800>()
}

fn settle_time() -> Delay {
    Delay::of::<300>()
}

fn a_minute() -> Patience {
    Patience::of::<60_000>()
}

/// A check of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// The node: "/root/…", or relative to the current scene.
    pub node_path: GamePath,
    /// The property, such as "position" or "position:x".
    pub property: String,
    /// What it is compared with.
    pub expected: GodotValue,
    /// How it is compared. Default `==`.
    #[serde(default)]
    pub op: Comparison,
    /// For `approx`: by how much it may differ. Default 0.001.
    #[serde(default = "a_thousandth")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub tolerance: f64,
}

/// The result of [`RunTestScenario`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenarioRun {
    /// Whether the game ran to the end of it and every check holds.
    pub passed: bool,
    /// Whether the game was started.
    pub played: bool,
    /// Whether it answered.
    pub connected: bool,
    /// The checks that were made, in order.
    pub assertions: Vec<NodeStateAsserted>,
    /// What ended it early; "" for nothing.
    pub error: String,
    /// How many errors the game printed.
    pub errors: usize,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_errors: Vec<String>,
    /// Whether the game runs on.
    pub playing_after: bool,
    /// The files that the editor has saved before it was started: scenes with unsaved changes, and
    /// resources that belong to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<String>,
}

/// Give the running game random input actions, and see whether it survives. The same seed gives the same
/// actions in the same order. What is held at the end is released. A game that is frozen would handle
/// none of it, and is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunStressTest {
    /// How many events, each a press or a release of an action. Default 100.
    #[serde(default = "a_hundred_times")]
    pub iterations: Bounded<1, 2000>,
    /// The actions to choose from. Default: those of the project, or the engine's own `ui_…` where it has
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 200)))]
    pub actions: Option<Vec<String>>,
    /// The seed of the choice. Default 0.
    #[serde(default)]
    pub seed: i64,
    /// How long to wait before each event, in milliseconds; a frame at least. Default 8.
    #[serde(default = "eight_milliseconds")]
    pub delay_ms: Delay,
    /// How long all of it may take, in milliseconds. Default 60000.
    #[serde(default = "a_minute")]
    pub timeout_ms: Patience,
}

fn a_hundred_times() -> Bounded<1, 2000> {
    Bounded::of::<100>()
}

fn eight_milliseconds() -> Delay {
    Delay::of::<8>()
}

/// The result of [`RunStressTest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StressRun {
    /// Whether the game handled all of it and still answers.
    pub survived: bool,
    /// How many events it is known to have handled.
    pub iterations: usize,
    /// Whether a game runs afterwards, answering or not.
    pub playing_after: bool,
    /// The seed.
    pub seed: i64,
    /// The actions that were chosen from.
    pub actions: Vec<String>,
    /// What it did not survive; "" for nothing.
    pub error: String,
    /// How many errors the game printed meanwhile.
    pub errors: usize,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_errors: Vec<String>,
}

/// Run the project's own tests, with GUT or gdUnit4, whichever is in addons/, without a display and in a
/// process of its own: how many passed, and what failed in which line. Without either framework it says
/// so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunTests {
    /// The folder with the tests, subfolders included. Default "res://test".
    #[serde(default = "test_folder")]
    pub test_dir: ResPath,
    /// After how many seconds the tests are ended; the answer then tells of those before. Default 120.
    #[serde(default = "two_minutes")]
    pub timeout_seconds: Seconds,
}

fn test_folder() -> ResPath {
    ResPath::in_project("test")
}

fn two_minutes() -> Seconds {
    Seconds::of::<120>()
}

/// The result of [`RunTests`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestsRun {
    /// Whether the framework was run.
    pub ran: bool,
    /// The framework: `gut` or `gdunit4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<String>,
    /// Whether the project has none.
    pub framework_absent: bool,
    /// How many tests passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
    /// How many were neither: left out, pending, or without anything that they assert.
    pub skipped: u64,
    /// How many there were.
    pub total: u64,
    /// What failed.
    pub failures: Vec<TestFailure>,
    /// Whether some were left out of `failures`, for length.
    pub truncated: bool,
    /// Whether the time was over before the end.
    pub timed_out: bool,
    /// The exit code of the framework; absent where it was ended by a signal or by the timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, where the system tells of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How long it took.
    pub duration_seconds: f64,
    /// The end of what it printed.
    pub raw_summary: String,
    /// The errors that the engine printed meanwhile, such as of tests that do not parse.
    pub errors: Vec<RunProblem>,
    /// How many there were in all.
    pub error_count: u64,
    /// What to know before the counts are believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One thing that failed in a test of [`TestsRun`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestFailure {
    /// The test.
    pub test: String,
    /// The file that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, counted from 1, where the framework knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// What is wrong.
    pub message: String,
}
