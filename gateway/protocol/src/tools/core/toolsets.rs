//! Which tools there are, and which of them are on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
