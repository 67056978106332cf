//! `inspection`: read the project, its scenes and their nodes. On by default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{GodotValue, NodePath, bounds::Depth};

/// Describe the open project: name, Godot version, main scene, autoloads, input actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetProjectInfo {}

/// The result of [`GetProjectInfo`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectInfo {
    /// The project's name.
    pub name: String,
    /// The version of Godot, such as `4.6.3.stable`.
    pub godot_version: String,
    /// The main scene as a `res://` path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_scene: Option<String>,
    /// The project's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_path: Option<String>,
    /// The autoloads: name to path.
    pub autoloads: BTreeMap<String, String>,
    /// The input actions that the project defines.
    pub input_actions: Vec<String>,
    /// Whether this Godot can run C#.
    pub csharp_supported: bool,
    /// Whether the project has a C# solution.
    pub csharp_project: bool,
}

/// List the project's scene files, and which are open, active and main.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListScenes {
    /// How many to skip: the `next_offset` of the answer before.
    #[serde(default)]
    pub offset: u32,
}

/// The result of [`ListScenes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneList {
    /// The scenes, by path.
    pub scenes: Vec<SceneFile>,
    /// The main scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_scene: Option<String>,
    /// How many scenes the project has.
    pub total: usize,
    /// How many are listed here.
    pub returned: usize,
    /// Whether more follow.
    pub truncated: bool,
    /// The `offset` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// One scene file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneFile {
    /// Its `res://` path.
    pub path: String,
    /// Whether it is the main scene.
    pub is_main: bool,
    /// Whether it has a tab in the editor.
    pub is_open: bool,
    /// Whether its tab is the active one.
    pub is_active: bool,
}

/// Tell which scene is open and active, and whether it has unsaved changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetActiveScene {}

/// The result of [`GetActiveScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActiveScene {
    /// Whether a scene is open.
    pub is_open: bool,
    /// Its `res://` path; absent for a scene that was never saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name of its root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it has unsaved changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
    /// Whether `dirty` could be found out.
    pub dirty_known: bool,
}

/// Show the node tree of the active scene, unsaved edits included. Long trees come in pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetSceneTree {
    /// How deep to look: -1 for all the way down, 0 for the root alone.
    #[serde(default = "Depth::unlimited")]
    pub max_depth: Depth,
    /// Whether to answer in compact text, one line a node, in `text`.
    #[serde(default)]
    pub lightweight: bool,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// The result of [`GetSceneTree`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneTree {
    /// The root with its children; null if no scene is open. On a later page, the ancestors of
    /// the first node are repeated, marked `continued`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<SceneNode>,
    /// With `lightweight`: one line a node, indented by depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The scene as a `res://` path; empty if never saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// How many nodes lie within `max_depth`.
    pub total: usize,
    /// How many are in this answer.
    pub returned: usize,
    /// Whether more follow.
    pub truncated: bool,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What to do about an empty or a cut answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One node of a [`SceneTree`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneNode {
    /// Its name.
    pub name: String,
    /// Its class; the global name of its script, if it has one, is found by `script`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its path, relative to the root of the scene.
    pub path: String,
    /// The `res://` path of its script.
    pub script: Option<String>,
    /// The scene that it is the root of an instance of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The path of the instance that owns it; absent for nodes of the scene itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Whether it is an instance whose children are editable; absent unless true.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub editable_children: bool,
    /// Whether it was on an earlier page and is repeated for its descendants.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Its children, in order.
    pub children: Vec<SceneNode>,
}

/// Show the node that is selected in the editor, with its properties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetSelectedNode {}

/// The result of [`GetSelectedNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SelectedNode {
    /// The node selected first; null for none.
    pub selected: Option<NodeProperties>,
    /// The paths of the selected nodes, as many as fit.
    pub all: Vec<String>,
    /// How many are selected.
    pub total: usize,
    /// Whether some were left out of `all`, for length.
    pub truncated: bool,
}

/// Read all stored properties of a node, those that its script exports included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetNodeProperties {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// The result of [`GetNodeProperties`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeProperties {
    /// The node.
    pub node_path: String,
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// The `res://` path of its script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Its properties: name to value.
    pub properties: Map<String, Value>,
    /// The names of its children, in order. They come after the properties, on the same page or on
    /// later ones.
    pub children: Vec<String>,
    /// How many properties there are on all pages.
    pub total: usize,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Read one property of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetNodeProperty {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The property, such as "position", "position:x" or "theme_override_colors/font_color".
    pub property: String,
}

/// The result of [`GetNodeProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeProperty {
    /// The node.
    pub node_path: String,
    /// The property.
    pub property: String,
    /// Its value.
    pub value: GodotValue,
    /// Whether the node has this property.
    pub exists: bool,
    /// Its Variant type, or the class of its object.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// For an enum, the name of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_name: Option<String>,
    /// Properties with similar names, where it does not exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

/// List the names of all properties that a node has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetNodePropertyList {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
}

/// The result of [`GetNodePropertyList`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodePropertyList {
    /// The node.
    pub node_path: String,
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// The names of its properties.
    pub properties: Vec<String>,
}

/// List the groups of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetNodeGroups {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
}

/// The result of [`GetNodeGroups`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeGroups {
    /// The node.
    pub node_path: String,
    /// Its groups, without the engine's own.
    pub groups: Vec<String>,
}

/// Remember the state of a node and all below it, to compare with later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SnapshotSubtree {
    /// The topmost node, relative to the root of the scene; "." is the root.
    #[serde(default = "NodePath::root")]
    pub node_path: NodePath,
    /// Properties to remember besides the transform, the groups and the script's own variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Vec<String>>,
    /// How deep to look: -1 for all the way down, 0 for the node alone.
    #[serde(default = "Depth::unlimited")]
    pub max_depth: Depth,
}

/// The result of [`SnapshotSubtree`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// Names the snapshot in `godot_inspection_diff_snapshots`. The gateway keeps the last 32.
    #[serde(default)]
    pub snapshot_id: String,
    /// The topmost node.
    pub node_path: String,
    /// What was remembered: path to facts. Left out where it is too long; it can be compared
    /// all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Map<String, Value>>,
    /// How many nodes it covers.
    pub node_count: usize,
    /// Whether `snapshot` was left out.
    #[serde(default)]
    pub truncated: bool,
}

/// Compare a snapshot with a later one, or with the scene as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiffSnapshots {
    /// The earlier snapshot.
    pub before_id: String,
    /// The later snapshot; leave out for the scene as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_id: Option<String>,
    /// Compare only what lies at or below this node; "." for all that `before_id` covers.
    #[serde(default = "NodePath::root")]
    pub node_path: NodePath,
}

/// The result of [`DiffSnapshots`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SnapshotDiff {
    /// The paths of nodes that only the later one has.
    pub added: Vec<String>,
    /// The paths of nodes that only the earlier one has.
    pub removed: Vec<String>,
    /// Nodes that both have, at different paths: renamed, or moved to another parent.
    pub moved: Vec<NodeMove>,
    /// Every difference of a node that both have, by its later path.
    pub changed: Vec<PropertyChange>,
    /// How many differences there are.
    pub total: usize,
    /// Whether some were left out, for length.
    pub truncated: bool,
}

/// A node of a [`SnapshotDiff`] that is elsewhere now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeMove {
    /// Its path in the earlier snapshot.
    pub from: String,
    /// Its path in the later one.
    pub to: String,
}

/// One difference of a [`SnapshotDiff`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertyChange {
    /// The node.
    pub node: String,
    /// The property; `type`, `script`, `groups` and `index` are told in the same way, `index` of those
    /// alone that changed places with siblings.
    pub property: String,
    /// Its value in the earlier snapshot; absent where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GodotValue>,
    /// Its value in the later one; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<GodotValue>,
}
