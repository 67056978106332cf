//! Nodes of the active scene: added, changed, moved and removed.

use serde::{Deserialize, Serialize};

use crate::{GodotValue, NodePath, ResPath, effects};

/// Create a node and add it under a parent. A name that is taken gets the editor's own number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateNode {
    /// The parent, relative to the root of the scene; "." is the root.
    pub parent_path: NodePath,
    /// A node class such as "Sprite2D", or a `class_name` of the project.
    pub node_type: String,
    /// The name of the new node.
    pub node_name: String,
}

/// The result of [`CreateNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeCreated {
    /// The new node.
    pub node_path: String,
    /// Whether it was created.
    pub created: bool,
}

/// Put an instance of a scene under a parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InstanceScene {
    /// The parent, relative to the root of the scene; "." is the root.
    pub parent_path: NodePath,
    /// The scene to instance.
    pub scene_path: ResPath,
    /// The name of the instance; leave out for the name of its root.
    #[serde(default)]
    pub name: String,
}

/// The result of [`InstanceScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneInstanced {
    /// The new node.
    pub node_path: String,
    /// The scene it is an instance of.
    pub scene_path: String,
    /// Whether it was instanced.
    pub instanced: bool,
}

/// Set one property of a node, such as its position, or one of its script. The value is read by the
/// property's type and never guessed: what does not fit is refused, and what was set is read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetNodeProperty {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The property, such as "position", "position:x" or "metadata/note".
    pub property: String,
    /// The value: {"x": 1, "y": 2}, [1, 2] or "Vector2(1, 2)" for a vector, "#ff0000" or "red" for
    /// a color, a "res://" path or {"_type": "RectangleShape2D", …} for a resource, an enum by name
    /// or number, null to clear.
    pub value: GodotValue,
}

/// The result of [`SetNodeProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertySet {
    /// The node.
    pub node_path: String,
    /// The property.
    pub property: String,
    /// Its value, as read back.
    pub value: GodotValue,
    /// Its value before.
    pub previous: GodotValue,
    /// Whether it was set.
    pub set: bool,
}

/// Rename a node. Paths to it in the scene (connections, NodePath properties, animation tracks)
/// follow. A name that is taken gets the editor's own number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RenameNode {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// Its new name.
    pub new_name: String,
}

/// The result of [`RenameNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeRenamed {
    /// The node, by its new path.
    pub node_path: String,
    /// The name it has now.
    pub new_name: String,
    /// Whether it was renamed.
    pub renamed: bool,
    /// The name it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    /// The paths elsewhere in the scene that were changed to follow it, as `node:property`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_paths: Vec<String>,
}

/// Move a node to another parent (reparent it), or to another place among its siblings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveNode {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
    /// Its new parent; "." is the root.
    pub new_parent_path: NodePath,
    /// Its place among the children of the new parent, from 0; -1 for the last.
    #[serde(default = "last")]
    pub index: i32,
    /// Whether it keeps its global position, rotation and scale, as in the editor's scene dock.
    #[serde(default = "crate::tools::yes")]
    pub keep_global_transform: bool,
}

fn last() -> i32 {
    -1
}

/// The result of [`MoveNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeMoved {
    /// The node, by its new path.
    pub node_path: String,
    /// Whether it was moved.
    pub moved: bool,
    /// Its place among its siblings, from 0.
    pub index: i32,
    /// The paths elsewhere in the scene that were changed to follow it, as `node:property`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated_paths: Vec<String>,
}

/// Duplicate a node with all below it, beside the original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DuplicateNode {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
}

/// The result of [`DuplicateNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeDuplicated {
    /// The duplicate.
    pub node_path: String,
    /// The original.
    pub source_path: String,
    /// Whether it was duplicated.
    pub duplicated: bool,
}

/// Delete a node with all below it. One undo brings everything back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeleteNode {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
}

/// The result of [`DeleteNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeDeleted {
    /// The node.
    pub node_path: String,
    /// Whether it was deleted.
    pub deleted: bool,
    /// How many nodes go with it, itself included.
    pub node_count: usize,
}

/// Select nodes in the editor; an empty list selects none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SelectNodes {
    /// The nodes, relative to the root of the scene.
    pub node_paths: Vec<NodePath>,
}

/// The result of [`SelectNodes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodesSelected {
    /// The scene they are in; empty if never saved.
    pub scene_path: String,
    /// The nodes that are selected now, or would be.
    pub selected: Vec<String>,
    /// How many.
    pub count: usize,
}

/// Attach a script to a node, or swap it. The script must extend the node's class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AttachScript {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The script file.
    pub script_path: ResPath,
}

/// The result of [`AttachScript`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScriptAttached {
    /// The node.
    pub node_path: String,
    /// The script.
    pub script_path: String,
    /// Whether it is attached now.
    pub attached: bool,
    /// The script that the node had before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_script: Option<String>,
}

/// Make the children of an instanced scene editable in this scene, or not any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetEditableChildren {
    /// The root of the instance, relative to the root of the scene.
    pub node_path: NodePath,
    /// Whether they are to be editable. Where not, a save drops what this scene changed in them.
    #[serde(default = "crate::tools::yes")]
    pub editable: bool,
}

/// The result of [`SetEditableChildren`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditableChildrenSet {
    /// The root of the instance.
    pub node_path: String,
    /// Whether the children are editable after the call.
    pub editable: bool,
    /// Whether the call changed that.
    pub changed: bool,
    /// Where the children are not editable any more, what a save drops: nodes that this scene has
    /// below them, as paths, and what it changed of them, as `node:property`, `node in group` or
    /// `node:signal -> node:method`. At most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_on_save: Vec<String>,
    /// How many there are in all.
    pub dropped_total: usize,
}

effects! {
    NodeCreated: created;
    SceneInstanced: instanced;
    PropertySet: set;
    NodeRenamed: renamed;
    NodeMoved: moved;
    NodeDuplicated: duplicated;
    NodeDeleted: deleted;
    NodesSelected: ;
    ScriptAttached: attached;
    EditableChildrenSet: changed;
}
