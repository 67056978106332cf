//! `profiling`: what the engine measures of itself, in the editor and in the running game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::runtime::{Patience, two_seconds};
use crate::bounds::Bounded;

/// Read the performance monitors of the editor's own process: frame rate, memory, objects, rendering,
/// physics and others, with those that plugins have added. Times are in seconds, memory in bytes. For
/// the game see godot_profiling_get_performance_monitors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetEditorPerformance {
    /// Only these monitors, such as "time_fps" or "memory_static". Default all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub names: Vec<String>,
}

/// The result of [`GetEditorPerformance`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditorPerformance {
    /// The monitors and what they show: those of the engine by the names of its constants in small
    /// letters, custom ones by their own names.
    pub monitors: BTreeMap<String, f64>,
    /// Which of them are custom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<String>,
}

/// For how many frames to measure; 0 for not at all.
pub type WindowFrames = Bounded<0, 100_000>;

/// For how long to measure, in milliseconds; 0 for not at all.
pub type WindowTime = Bounded<0, 600_000>;

/// Read the performance monitors of the running game, custom ones included, and with a window measure
/// how long its frames take. Times of monitors are in seconds, memory in bytes. Most of the engine's own
/// are renewed once a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetPerformanceMonitors {
    /// Only these monitors, such as "time_fps" or "object_node_count"; with a window, they are read in
    /// each of its frames. Default all, and in a window none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(max = 100)))]
    pub names: Vec<String>,
    /// Measure this many frames. Default 0: not at all.
    #[serde(default = "no_frames")]
    pub window_frames: WindowFrames,
    /// Measure for this long, in milliseconds; with `window_frames` until the first of both is over. It
    /// has to leave 200 of timeout_ms. Default 0: not at all.
    #[serde(default = "no_time")]
    pub window_ms: WindowTime,
    /// How long to wait for the game, in milliseconds, a window included. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

fn no_frames() -> WindowFrames {
    WindowFrames::of::<0>()
}

fn no_time() -> WindowTime {
    WindowTime::of::<0>()
}

/// The result of [`GetPerformanceMonitors`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GamePerformance {
    /// Whether a game runs.
    pub playing: bool,
    /// Whether it has answered.
    pub connected: bool,
    /// Whether the monitors are there.
    pub ready: bool,
    /// The monitors and what they show: those of the engine by the names of its constants in small
    /// letters, custom ones by their own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub monitors: BTreeMap<String, f64>,
    /// Which of them are custom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<String>,
    /// The frame in which they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// What was measured, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<PerformanceWindow>,
    /// What to call, or to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Why there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What was measured over some frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PerformanceWindow {
    /// How many frames.
    pub frames: usize,
    /// How long they took, in milliseconds.
    pub ms: f64,
    /// Whether the time was over before there were as many as were asked for.
    pub timed_out: bool,
    /// How long a frame took, from its beginning to that of the next, in milliseconds of real time.
    pub frame_ms: Spread,
    /// The monitors that were named, read at the beginning of every frame.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub monitors: BTreeMap<String, Spread>,
}

/// How a number is spread over the frames of a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Spread {
    /// The lowest.
    pub min: f64,
    /// Half of the frames have this or less.
    pub p50: f64,
    /// Of 100 frames, 95 have this or less.
    pub p95: f64,
    /// The highest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}
