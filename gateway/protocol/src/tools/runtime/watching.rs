//! The running game, watched: what its interface shows, and how properties change from frame to frame.

use serde::{Deserialize, Serialize};

use super::{Patience, two_seconds};
use crate::{
    GamePath, GodotValue,
    bounds::{Bounded, Offset, PageSize},
};

/// Find the elements of the running game's user interface (nodes of class Control) by name, text or
/// class: where they are in the window, what they show, and whether they can be used. Click one with
/// godot_input_simulate_mouse and its path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FindUiElements {
    /// Only elements whose name or text has this in it, in upper or lower case. "" for all.
    #[serde(default)]
    pub name_contains: String,
    /// Only elements of this class or one that extends it, such as "BaseButton" or a class_name of the
    /// game. "" for all.
    #[serde(default)]
    pub class_filter: String,
    /// Only elements that are shown, with all that they lie in.
    #[serde(default)]
    pub visible_only: bool,
    /// How many to skip: the `next_offset` of the answer before.
    #[serde(default = "Offset::start")]
    pub offset: Offset,
    /// How many to tell at most. Default 200.
    #[serde(default = "PageSize::usual")]
    pub limit: PageSize,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`FindUiElements`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UiElements {
    /// Whether the elements are there. They are.
    pub ready: bool,
    /// The elements, in the order of the tree.
    pub elements: Vec<UiElement>,
    /// The frame in which they were read.
    pub frame: u64,
    /// How many there are in all.
    pub total: usize,
    /// How many this answer has.
    pub returned: usize,
    /// Whether there are more.
    pub truncated: bool,
    /// What to pass as `offset` for the next ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// One element of [`UiElements`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UiElement {
    /// Its path from the root of the game, as the other tools for the game take it.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its class, or the `class_name` of its script.
    pub node_class: String,
    /// Whether it is shown, with all that it lies in.
    pub visible: bool,
    /// Where it is.
    pub rect: UiRect,
    /// Whether a part of it lies within the window that it is in.
    pub in_window: bool,
    /// Its text as it is set; of a RichTextLabel without its tags. At most 1000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the text is longer than is told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_cut: bool,
    /// What is shown in place of the text: its translation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_text: Option<String>,
    /// Of buttons and fields for text: whether they take no input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
    /// Of buttons that stay down: whether it is pressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed: Option<bool>,
    /// Of sliders, bars and spin boxes: the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Whether keys go to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub focused: bool,
}

/// A rectangle of the game's window, in its pixels from the top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct UiRect {
    /// Its left edge.
    pub x: f64,
    /// Its top edge.
    pub y: f64,
    /// Its width.
    pub w: f64,
    /// Its height.
    pub h: f64,
}

/// How many values a monitor takes.
pub type SampleCount = Bounded<1, 1000>;

/// Watch a property of a node of the running game: its value is taken now and in every frame from then
/// on, until there are enough. Read the samples with godot_runtime_get_property_samples. Up to 16
/// properties are watched at a time; one that is watched already begins anew. While the game is frozen,
/// nothing is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MonitorProperty {
    /// The node: "/root/…", or relative to the current scene.
    pub node_path: GamePath,
    /// The property, such as "position" or "position:x".
    pub property: String,
    /// How many samples to keep; then the monitor ends. Default 30.
    #[serde(default = "thirty_samples")]
    pub samples: SampleCount,
    /// Keep a value only where it differs from the one kept before. Default true.
    #[serde(default = "crate::tools::yes")]
    pub on_change_only: bool,
    /// By how much numbers, and the numbers of vectors and the like, have to differ to be a change.
    /// Default 0.0001.
    #[serde(default = "a_hair")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub epsilon: f64,
}

fn thirty_samples() -> SampleCount {
    SampleCount::of::<30>()
}

fn a_hair() -> f64 {
    0.0001
}

/// The result of [`MonitorProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertyMonitored {
    /// Whether it is watched. It is.
    pub monitoring: bool,
    /// The node, from the root of the game.
    pub node_path: String,
    /// The property.
    pub property: String,
    /// How many samples are kept.
    pub samples: i64,
    /// Whether only changes are kept.
    pub on_change_only: bool,
    /// By how much numbers have to differ.
    pub epsilon: f64,
    /// The frame of the first sample.
    pub frame: u64,
    /// The first sample.
    pub value: GodotValue,
    /// How many monitors there are, ended ones included.
    pub monitors: usize,
    /// The oldest monitor, which had to give way with its samples: "path:property".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}

/// Read what godot_runtime_monitor_property has taken, while it goes on or after it has ended. It reads
/// a game that is paused or stopped in the debugger as well. Without parameters, all monitors are told,
/// the one that was begun last first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetPropertySamples {
    /// Only monitors of this node: "/root/…", or relative to the current scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_path: Option<GamePath>,
    /// Only monitors of this property. "" for all.
    #[serde(default)]
    pub property: String,
    /// Only samples of later frames: the `next_frame` of the answer before. Default 0, for all.
    #[serde(default)]
    pub since_frame: u64,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`GetPropertySamples`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertySamples {
    /// Whether there are samples.
    pub ready: bool,
    /// Whether the game has answered.
    pub connected: bool,
    /// The monitor that was begun last.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub latest: Option<PropertySeries>,
    /// The other monitors, the one that was begun last first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PropertySeries>,
    /// Why there are no samples, and what to call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What one monitor has taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertySeries {
    /// The node, from the root of the game.
    pub node_path: String,
    /// The property.
    pub property: String,
    /// Whether it goes on.
    pub monitoring: bool,
    /// The samples, oldest first. They hold what a property was at the beginning of their frame, before
    /// nodes are processed.
    pub samples: Vec<PropertySample>,
    /// How many samples were kept in all.
    pub total: usize,
    /// How many frames were looked at, those whose value was not kept included.
    pub frames: u64,
    /// Whether there are more samples than are told.
    pub truncated: bool,
    /// What to pass as `since_frame` for what comes next.
    pub next_frame: u64,
    /// Of a property that is a number: what it was in all frames that were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<Statistics>,
    /// Why it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<MonitorEnd>,
    /// The frame in which it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_frame: Option<u64>,
    /// Where it ended before it had all samples: in words, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The value of a property in a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertySample {
    /// The frame.
    pub frame: u64,
    /// The value.
    pub value: GodotValue,
}

/// What a number was over some frames.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct Statistics {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// The mean of all frames.
    pub mean: f64,
}

/// Why a monitor has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum MonitorEnd {
    /// It has all samples.
    Complete,
    /// Its node was freed.
    NodeFreed,
    /// The values are too long to keep more of them.
    TooLong,
    /// An error stopped the game while the property was read.
    Error,
}
