//! All that may be wrong, looked at in one call.

use serde::{Deserialize, Serialize};

use crate::{
    ResPath,
    bounds::Seconds,
    path::empty_is_none,
    tools::{inspection::SceneTree, runtime::RunCaptured, scripts::Diagnostic},
};

/// Find out what is wrong, in one call: checks all scripts, shows the open scene, runs the project without
/// a display, and says in sentences what was found and which tool to call next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DebugWorkflow {
    /// The scene to run; "" for the main scene.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub scene: Option<ResPath>,
    /// After how many seconds the run is ended. Default 5.
    #[serde(default = "five_seconds")]
    pub timeout_seconds: Seconds,
    /// Whether the game is meant to go on until then, so that this is no finding.
    #[serde(default)]
    pub expected_timeout: bool,
}

fn five_seconds() -> Seconds {
    Seconds::of::<5>()
}

/// The result of [`DebugWorkflow`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DebugReport {
    /// The editor and its project.
    pub bridge: BridgeState,
    /// The first nodes of the active scene, as text; absent if no scene is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene_tree: Option<SceneTree>,
    /// The run; absent if there was none, for the reason in `findings`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunCaptured>,
    /// What is wrong in the scripts.
    pub parse: ParseReport,
    /// What is not as it should be, the worst first. Empty for nothing.
    pub findings: Vec<String>,
    /// What to do next: which tool to call, and what with.
    pub suggestions: Vec<String>,
}

/// The editor of a [`DebugReport`], and its project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BridgeState {
    /// Whether the editor is connected. It is.
    pub connected: bool,
    /// Its version of Godot.
    pub godot_version: String,
    /// The version of the add-on in it.
    pub addon_version: String,
    /// The name of the project.
    pub project_name: String,
    /// The project's folder.
    pub project_path: String,
    /// The main scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_scene: Option<String>,
    /// The active scene; empty if it was never saved, absent if none is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_scene: Option<String>,
    /// How many scenes are open.
    pub open_scenes: usize,
    /// Whether a game runs that was started from the editor.
    pub playing: bool,
}

/// What is wrong in the scripts of a [`DebugReport`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParseReport {
    /// Whether all scripts were checked and none has an error.
    pub ok: bool,
    /// How many scripts were checked.
    pub checked: usize,
    /// How many GDScript files the project has.
    pub total: usize,
    /// The first errors.
    pub errors: Vec<Diagnostic>,
    /// How many errors there are.
    pub error_count: u64,
    /// How many warnings there are: godot_scripts_get_parse_errors tells those of one script.
    pub warning_count: u64,
    /// Why some were not checked, or not by the editor's language server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<String>,
}
