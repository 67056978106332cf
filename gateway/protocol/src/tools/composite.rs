//! `composite`: many changes in one call, and in one undo step.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{GodotValue, NodePath, ResPath, Verdict, effects, path::empty_is_none};

/// Properties by their names.
pub type Properties = BTreeMap<String, GodotValue>;

/// Run several commands as one: one round trip, and one undo step for all that undo can take back.
/// Each command passes every check of its own tool, and its toolset must be on. Commands that read
/// see what the ones before them wrote. Where one fails, everything is taken back, unless
/// stop_on_error is false.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunCommands {
    /// The commands, in order, at most 2000.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 2000)))]
    pub commands: Vec<BatchCommand>,
    /// Whether the first failure ends the batch and takes everything back. Default true. Otherwise
    /// only what failed is left out, and `ok_all` is false.
    #[serde(default = "super::yes")]
    pub stop_on_error: bool,
}

/// A command with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchCommand {
    /// The tool: "godot_scene_edit_create_node", "scene_edit_create_node", "cmd_create_node" or, where
    /// only one toolset has such an action, "create_node".
    pub command: String,
    /// The tool's own parameters, `dry_run`, `confirm` and `scene` included where it has them.
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// The result of [`RunCommands`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandsRun {
    /// What became of each command, in order.
    pub results: Vec<CommandResult>,
    /// Whether none of them failed.
    pub ok_all: bool,
    /// How many were run, or planned in a preview.
    pub count: usize,
    /// In a preview: the commands that could be planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Vec<String>>,
    /// In a preview: what each command is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<CommandClass>>,
    /// The command at which the batch ended, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted_at: Option<usize>,
    /// How many commands were not run, as an earlier one failed.
    pub skipped_count: usize,
    /// How many undo steps the batch is: one, or none if nothing changed; more where a command in
    /// between wrote or showed something else, such as another scene.
    pub undo_steps: usize,
    /// The commands whose effect undo does not take back, counted from 0.
    pub outside_undo: Vec<usize>,
    /// What to know about the batch as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What became of one command of a batch.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandResult {
    /// Which command of the batch it is, counted from 0.
    pub index: usize,
    /// The command, as it was given.
    pub command: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// What its tool answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub result: Option<ToolResult>,
    /// The code of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What to do about the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The precondition that is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// Further facts about the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
    /// It was done, and whether it was taken back: in a batch that failed, or as what it set could not
    /// be written. What only changes what the editor shows is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back: Option<bool>,
    /// In a preview: it may work once the commands before it have run, and cannot be planned sooner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on_earlier: Option<bool>,
}

/// What a tool answers, which nobody looks into on its way to the agent.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct ToolResult(pub Box<RawValue>);

impl<'de> Deserialize<'de> for ToolResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ToolResult, D::Error> {
        // What holds it is flattened into another object, where raw text cannot be taken from.
        let members = Map::<String, Value>::deserialize(deserializer)?;
        to_raw_value(&members).map(ToolResult).map_err(D::Error::custom)
    }
}

/// What a command of a batch is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandClass {
    /// The command, as it was given.
    pub command: String,
    /// The tool's full name.
    pub tool: String,
    /// Its toolset.
    pub toolset: String,
    /// Its safety class: read_only, mutating, destructive or runtime.
    pub safety_class: String,
}

/// Create a node with its properties, script and children, as one undo step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ComposeNode {
    /// The parent; "." is the root.
    pub parent_path: NodePath,
    /// The class of the node, or a `class_name` of the project.
    pub node_type: String,
    /// Its name. One that is taken gets a number.
    pub node_name: String,
    /// Its properties.
    #[serde(default)]
    pub properties: Properties,
    /// A script to attach before the properties are set, so that its variables are among them.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub script_path: Option<ResPath>,
    /// Children of the node.
    #[serde(default)]
    pub children: Vec<ComposedChild>,
    /// Save the scene afterwards.
    #[serde(default)]
    pub save: bool,
}

/// A child with its properties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ComposedChild {
    /// The class of the child, or a `class_name` of the project.
    pub node_type: String,
    /// Its name; by default that of its class.
    #[serde(default)]
    pub node_name: String,
    /// Its properties.
    #[serde(default)]
    pub properties: Properties,
}

/// The result of [`ComposeNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeComposed {
    /// The node.
    pub node_path: String,
    /// Whether it was created.
    pub created: bool,
    /// Its children.
    pub children: Vec<String>,
    /// Whether a script was attached.
    pub script_attached: bool,
    /// The properties of the node itself that were set.
    pub properties_set: Vec<String>,
    /// Whether the scene was saved.
    pub saved: bool,
    /// What to know, such as why the scene was not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Create several nodes of one class under one parent, as one undo step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchCreateNodes {
    /// The parent; "." is the root.
    pub parent_path: NodePath,
    /// The class of the nodes, or a `class_name` of the project.
    pub node_type: String,
    /// Their names, at most 5000. One that is taken gets a number.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 5000)))]
    pub names: Vec<String>,
    /// Properties that each of them gets.
    #[serde(default)]
    pub properties: Properties,
    /// Save the scene afterwards.
    #[serde(default)]
    pub save: bool,
}

/// The result of [`BatchCreateNodes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodesCreated {
    /// The nodes.
    pub created: Vec<String>,
    /// How many were created, or would be.
    pub count: usize,
    /// Whether the scene was saved.
    pub saved: bool,
    /// What to know, such as why the scene was not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Set properties of several nodes, as one undo step. A node, property or value that does not fit
/// refuses the whole call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApplyNodeEdits {
    /// The edits, at most 5000.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 5000)))]
    pub edits: Vec<NodeEdit>,
    /// Save the scene afterwards.
    #[serde(default)]
    pub save: bool,
}

/// A node with the properties to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NodeEdit {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The properties to set.
    #[serde(default)]
    pub properties: Properties,
}

/// The result of [`ApplyNodeEdits`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodesEdited {
    /// The nodes that were changed, or would be.
    pub edited: Vec<String>,
    /// Nodes that were left out. Always empty: what does not fit refuses the whole call.
    pub skipped: Vec<String>,
    /// How many nodes were changed, or would be.
    pub count: usize,
    /// Whether the scene was saved.
    pub saved: bool,
    /// Whether a save keeps the change, node by node.
    pub persistence: Vec<NodeVerdict>,
    /// What to know, such as why the scene was not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Whether a save keeps what was changed of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeVerdict {
    /// The node.
    pub node_path: String,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

effects! {
    CommandsRun: ;
    NodeComposed: created, script_attached, saved;
    NodesCreated: saved;
    NodesEdited: saved;
}
