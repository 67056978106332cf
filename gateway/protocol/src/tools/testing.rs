//! `testing`: whether the game does as it should.

use serde::{Deserialize, Serialize};

use crate::tools::editor::Region;

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
