//! `core`: diagnostics, toolsets, class reference, undo. Always on.

mod class_reference;
mod debugging;
mod history;
mod toolsets;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::{
    class_reference::{
        ClassArgument, ClassConstant, ClassDescription, ClassEnum, ClassMethod, ClassProperty,
        ClassSignal, DescribeClass,
    },
    debugging::{BridgeState, DebugReport, DebugWorkflow, ParseReport},
    history::{History, HistoryMove, HistoryStep, ListHistory, Redo, Redone, Undo, Undone},
    toolsets::{
        DisableToolset, EnableToolset, ListToolsBySafetyClass, ListToolsets, ToolInfo,
        ToolsBySafetyClass, ToolsetChanged, ToolsetInfo, ToolsetList,
    },
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
