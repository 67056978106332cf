//! `core`: diagnostics, toolsets, class reference, undo. Always on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{inspection::SceneTree, runtime::RunCaptured, scripts::Diagnostic};
use crate::{
    GodotValue, ResPath,
    bounds::{Seconds, StepCount},
    effects,
    path::empty_is_none,
};

/// Tell whether a Godot editor is connected and healthy. Call it first, and when calls fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HealthCheck {}

/// The result of [`HealthCheck`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    /// The server's name.
    pub server: String,
    /// The server's version.
    pub version: String,
    /// How the client is connected: `stdio` or `http`.
    pub transport: String,
    /// Where editors find this gateway: its socket.
    pub bridge_url: String,
    /// Where editors find it over TCP, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bridge_tcp_url: Option<String>,
    /// Whether an editor that calls would go to is connected and has shaken hands.
    pub bridge_connected: bool,
    /// The version of the add-on in that editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addon_version: Option<String>,
    /// What to do where the two versions differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_notice: Option<String>,
    /// Why the gateway cannot be reached by editors, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bridge_bind_error: Option<String>,
    /// Every editor that is connected.
    pub editors: Vec<EditorInfo>,
    /// The dialog that the editor waits for; a human must answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<crate::envelope::Dialog>,
    /// What stands between this gateway and an editor, and what to do; absent when all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One connected editor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditorInfo {
    /// The project's name.
    pub project_name: String,
    /// The project's folder.
    pub project_path: String,
    /// The version of Godot.
    pub godot_version: String,
    /// The version of the add-on.
    pub addon_version: String,
    /// The editor's process.
    pub pid: u32,
    /// Whether calls go to this editor.
    pub selected: bool,
    /// For how many milliseconds it has not answered; absent while it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_ms: Option<u64>,
}

/// Describe this server: version, toolsets, connected editor, active scene, common errors and
/// what to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetServerInfo {}

/// The result of [`GetServerInfo`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerInfo {
    /// The server's name.
    pub server: String,
    /// The server's version.
    pub version: String,
    /// The version of the contract that it speaks.
    pub contract_version: u32,
    /// The oldest contract that it understands.
    pub min_compatible_contract: u32,
    /// `stdio` or `http`.
    pub transport: String,
    /// Every toolset.
    pub toolsets: Vec<ToolsetSummary>,
    /// The names of the prompts.
    pub prompts: Vec<String>,
    /// The URIs of the resources.
    pub resources: Vec<String>,
    /// The editor that calls go to.
    pub bridge: BridgeInfo,
    /// The scene that is open and active, as a `res://` path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_scene: Option<String>,
    /// Where the editor's list of commands differs from the gateway's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addon_drift_warning: Option<String>,
    /// What to do where the versions differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_notice: Option<String>,
    /// The last known update status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<UpdateStatus>,
    /// Errors that agents run into, and the way out: `symptom`, `cause`, `fix`.
    pub common_errors: Vec<BTreeMap<String, String>>,
    /// What to do now.
    pub next_steps: Vec<String>,
}

/// One toolset in [`ServerInfo`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsetSummary {
    /// Its name.
    pub name: String,
    /// Whether its tools can be called.
    pub enabled: bool,
    /// What it is for.
    pub description: String,
    /// How many tools it has.
    pub tool_count: usize,
    /// The oldest Godot that it works with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_godot: Option<String>,
}

/// The editor in [`ServerInfo`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BridgeInfo {
    /// Whether an editor is connected.
    pub connected: bool,
    /// Where editors find this gateway.
    pub url: String,
    /// The version of Godot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub godot_version: Option<String>,
    /// The project's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_name: Option<String>,
    /// The project's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_path: Option<String>,
    /// The version of the add-on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addon_version: Option<String>,
    /// The commands that the editor knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addon_commands: Option<Vec<String>>,
    /// What the editor said of itself when it connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer_identity: Option<BTreeMap<String, String>>,
    /// What the editor's build supports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
}

/// What the editor's build supports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Backend {
    /// Whether this Godot can run C#.
    pub csharp_supported: bool,
    /// Whether the project has a C# solution.
    pub csharp_project: bool,
    /// Whether this server can build C#.
    pub csharp_build: bool,
}

/// List the toolsets and whether each is enabled. Enabled ones are listed with their tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListToolsets {}

/// The result of [`ListToolsets`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsetList {
    /// Every toolset.
    pub result: Vec<ToolsetInfo>,
}

/// One toolset in [`ToolsetList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsetInfo {
    /// Its name, for `category`.
    pub name: String,
    /// Whether its tools can be called.
    pub enabled: bool,
    /// What it is for.
    pub description: String,
    /// The oldest Godot that it works with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_godot: Option<String>,
    /// Its tools; with their schemas in the answer of `godot_enable_toolset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolInfo>>,
}

/// One tool of a toolset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: Map<String, Value>,
}

/// Enable a toolset and get its tools with their schemas, callable at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EnableToolset {
    /// A toolset such as "scene_edit", a bundle ("author", "playtest", "ship", "all"), or several
    /// separated by commas.
    pub category: String,
}

/// Disable a toolset that is no longer needed. `core` stays on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DisableToolset {
    /// A toolset, a bundle, or several separated by commas.
    pub category: String,
}

/// The result of [`EnableToolset`] and [`DisableToolset`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsetChanged {
    /// The toolsets that were named, separated by commas.
    pub name: String,
    /// Whether they are enabled now.
    pub enabled: bool,
    /// What they are for.
    pub description: String,
    /// The oldest Godot that they work with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_godot: Option<String>,
    /// Their tools with schemas; when enabling only, and only as many as one answer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolInfo>>,
    /// The names of the tools, where the schemas do not fit into one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_names: Option<Vec<String>>,
    /// How to get the schemas then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// List every tool by its safety class: read_only, mutating, destructive or runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListToolsBySafetyClass {}

/// The result of [`ListToolsBySafetyClass`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsBySafetyClass {
    /// The names of the tools of each class.
    pub tools_by_safety_class: BTreeMap<String, Vec<String>>,
}

/// Read one of this server's resources as text, for clients without MCP resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadResource {
    /// "godot://project/info", "godot://scene/current", "godot://scene/tree",
    /// "godot://scene/tree/{max_depth}" or "godot://node/selected".
    pub uri: String,
}

/// The result of [`ReadResource`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceText {
    /// The resource as JSON text.
    pub result: String,
}

/// Tell whether a newer release exists. Asks the network only where the user enabled that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckForUpdates {}

/// The result of [`CheckForUpdates`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateStatus {
    /// Whether the check may use the network.
    pub enabled: bool,
    /// The version that runs.
    pub current: String,
    /// The newest release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<String>,
    /// Whether the newest release is newer than this one.
    pub update_available: bool,
    /// Where the release is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it was checked, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// Why the check failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How to enable the check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Describe a class: properties with types and defaults, methods, signals, constants, enums.
/// Knows the project's own `class_name` scripts too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DescribeClass {
    /// The class, such as "Sprite2D".
    pub class_name: String,
    /// Whether to list what it inherits, too.
    #[serde(default)]
    pub include_inherited: bool,
    /// Whether to list members whose names start with "_".
    #[serde(default)]
    pub include_private: bool,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// The result of [`DescribeClass`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassDescription {
    /// The class.
    pub class_name: String,
    /// What it extends; empty for the topmost class.
    pub inherits: String,
    /// All that it extends, nearest first.
    pub inherits_chain: Vec<String>,
    /// Whether an instance can be made.
    pub can_instantiate: bool,
    /// Its properties.
    pub properties: Vec<ClassProperty>,
    /// Its methods.
    pub methods: Vec<ClassMethod>,
    /// Its signals.
    pub signals: Vec<ClassSignal>,
    /// Its constants.
    pub constants: Vec<ClassConstant>,
    /// Its enums.
    pub enums: Vec<ClassEnum>,
    /// The script that defines it, for a class of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// How many members there are on all pages.
    pub total: usize,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A property in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassProperty {
    /// Its name.
    pub name: String,
    /// Its Variant type, or the class of its object.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its value in a new instance.
    pub default: GodotValue,
}

/// A method in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassMethod {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub args: Vec<ClassArgument>,
    /// What it gives back.
    pub return_type: String,
}

/// An argument of a method or a signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassArgument {
    /// Its name.
    pub name: String,
    /// Its Variant type, or the class of its object.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A signal in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassSignal {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub args: Vec<ClassArgument>,
}

/// A constant in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassConstant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// The enum that it belongs to; empty for none.
    #[serde(rename = "enum")]
    pub of_enum: String,
}

/// An enum in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassEnum {
    /// Its name.
    pub name: String,
    /// The names of its members.
    pub members: Vec<String>,
}

/// Show the undo history of the active scene, or the global one if no scene is open: newest
/// steps first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListHistory {}

/// The result of [`ListHistory`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// Counts every change of this history.
    pub version: i64,
    /// Whether there is a step to undo.
    pub has_undo: bool,
    /// Whether there is a step to redo.
    pub has_redo: bool,
    /// The same as `has_redo`.
    pub can_redo: bool,
    /// The step that undo would take back; empty for none.
    pub current_action: String,
    /// How many steps the history holds, undone ones included.
    pub depth: i64,
    /// The newest 20 steps, the newest first.
    pub recent: Vec<HistoryStep>,
    /// Which history this is: `scene` or `global`.
    pub history: String,
}

/// One step of [`History`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryStep {
    /// Its label.
    pub name: String,
    /// Who made it: `agent` or `user`.
    pub by: String,
    /// Whether it was undone, and so can be redone.
    pub undone: bool,
}

/// Undo the newest steps, exactly as Ctrl+Z in the editor. Each editing call is one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// How many steps; fewer are undone where the history ends.
    #[serde(default = "StepCount::one")]
    pub count: StepCount,
    /// Whether to refuse where a step is the human's own and not an agent's.
    #[serde(default)]
    pub only_agent: bool,
    /// Whether to undo a step also where somebody else has changed files of it since. These stay as
    /// they are on the disk and are told in `skipped_files`; without this, the call is refused.
    #[serde(default)]
    pub skip_changed_files: bool,
}

/// The result of [`Undo`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Undone {
    /// How many steps were asked for.
    pub requested: i64,
    /// How many were undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<i64>,
    /// The label of the last step undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_action: Option<String>,
    /// Whether there was nothing to undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing_to_undo: Option<bool>,
    /// Whether there is more to undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_undo: Option<bool>,
    /// The step that the next undo takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_undo_next: Option<String>,
    /// The steps, in the order in which they were undone.
    pub steps: Vec<HistoryMove>,
    /// The files that were left as they are, as somebody else changed them since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// What is not as it was asked for, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One step that was undone or redone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryMove {
    /// Its label.
    pub action: String,
    /// Who made it: `agent` or `user`.
    pub by: String,
    /// The history it is in: `scene` or `global`.
    pub history: String,
}

/// Redo the steps that were undone last, exactly as the editor's own redo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Redo {
    /// How many steps; fewer are redone where the history ends.
    #[serde(default = "StepCount::one")]
    pub count: StepCount,
    /// Whether to refuse where a step is the human's own and not an agent's.
    #[serde(default)]
    pub only_agent: bool,
    /// Whether to redo a step also where somebody else has changed files of it since. These stay as
    /// they are on the disk and are told in `skipped_files`; without this, the call is refused.
    #[serde(default)]
    pub skip_changed_files: bool,
}

/// The result of [`Redo`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Redone {
    /// How many steps were asked for.
    pub requested: i64,
    /// How many were redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redone: Option<i64>,
    /// The label of the last step redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_action: Option<String>,
    /// Whether there was nothing to redo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing_to_redo: Option<bool>,
    /// Whether there is more to redo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_redo: Option<bool>,
    /// The step that the next redo brings back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_redo_next: Option<String>,
    /// The steps, in the order in which they were redone.
    pub steps: Vec<HistoryMove>,
    /// The files that were left as they are, as somebody else changed them since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// What is not as it was asked for, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

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
    /// Why some were not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<String>,
}

effects! {
    Undone: undone, last_action, steps;
    Redone: redone, last_action, steps;
}
