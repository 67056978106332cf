//! `editor`: what the editor shows.

use serde::{Deserialize, Serialize};

use crate::{
    ResPath,
    bounds::Bounded,
    path::empty_is_none,
    tools::runtime::{Patience, two_seconds},
};

/// A number of pixels.
pub type Pixels = Bounded<0, 16_384>;

/// A picture of the editor, as an image: its whole window, its 2D or 3D view, or a scene file drawn
/// off screen. The text beside the image says what it shows and gives it a `capture_id`. Needs an
/// editor with a display.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaptureScreenshot {
    /// What to show: "window", the editor as the human sees it; "2d" or "3d", what is in that view
    /// of the edited scene. Default "window".
    #[serde(default)]
    pub view: View,
    /// A scene file to show instead, drawn on its own and as it was saved; "" for none. Its scripts
    /// do not run, except those with `@tool`.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub scene_path: Option<ResPath>,
    /// Only this part, in pixels of the whole picture. Default all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The longest side of the image in pixels; a larger one is scaled down. 0 for no limit.
    /// Default 1568.
    #[serde(default = "usual_size")]
    pub max_size: Pixels,
    /// How long to wait for the editor to draw, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// As large as models look at.
pub(crate) fn usual_size() -> Pixels {
    Pixels::of::<1568>()
}

/// What of the editor is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum View {
    /// The main window.
    #[default]
    #[serde(rename = "window")]
    Window,
    /// The view of the 2D editor.
    #[serde(rename = "2d")]
    TwoD,
    /// The first view of the 3D editor.
    #[serde(rename = "3d")]
    ThreeD,
}

/// A part of a picture, in pixels from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Its left edge.
    pub x: u32,
    /// Its upper edge.
    pub y: u32,
    /// How wide it is.
    pub width: u32,
    /// How high it is.
    pub height: u32,
}

/// A picture: the result of [`CaptureScreenshot`] and of
/// [`CaptureGameScreenshot`](super::runtime::CaptureGameScreenshot). Clients get the image as such,
/// and the rest as the text beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Picture {
    /// By what `godot_testing_compare_screenshots` knows it. The server gives it.
    #[serde(default)]
    pub capture_id: String,
    /// What it shows.
    pub what: String,
    /// How wide the image is.
    pub width: u32,
    /// How high it is.
    pub height: u32,
    /// What part of the whole picture it shows, in pixels of that.
    pub region: Region,
    /// Whether all of it has one colour: nothing was drawn, or nothing is there.
    pub blank: bool,
    /// What that may come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The frame of the game that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// The image, a PNG in base64.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub png_base64: String,
}
