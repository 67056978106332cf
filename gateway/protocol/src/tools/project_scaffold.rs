//! `project_scaffold`: what a new project begins with.

use serde::{Deserialize, Serialize};

use crate::effects;

/// Set up a new project: a main scene, a GameState autoload, and settings that suit the kind of game.
/// All of it or nothing, as one undo step. Files that are there already are kept as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScaffoldProject {
    /// The kind of game: 2d, 3d, or ui for one made of controls.
    #[serde(rename = "type")]
    pub kind: ProjectKind,
    /// The name of the project; "" keeps the one it has.
    #[serde(default)]
    pub project_name: String,
    /// The name of the main scene, such as "main" for res://scenes/main.tscn, which is the default.
    /// Letters, digits and _.
    #[serde(default)]
    pub main_scene: String,
}

/// The kind of game that a project is set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub enum ProjectKind {
    /// Flat, with a `Node2D` at the root of its main scene.
    #[serde(rename = "2d")]
    TwoD,
    /// In space, with a `Node3D`, a camera and a light.
    #[serde(rename = "3d")]
    ThreeD,
    /// Made of controls, with a `Control` at the root.
    #[serde(rename = "ui")]
    Ui,
}

/// The result of [`ScaffoldProject`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectScaffolded {
    /// Whether it was set up.
    pub created: bool,
    /// The files that were written, or would be.
    pub paths_created: Vec<String>,
    /// The files that were there already and are kept.
    pub paths_kept: Vec<String>,
    /// The autoloads that were registered, or would be.
    pub autoloads_registered: Vec<String>,
    /// The settings that were changed, or would be.
    pub settings_changed: Vec<String>,
    /// The main scene.
    pub main_scene: String,
}

effects! {
    ProjectScaffolded: created;
}
