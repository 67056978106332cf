//! `scene_edit`: open, change and save scenes. Every edit of a node is one undo step.

use serde::{Deserialize, Serialize};

use crate::{GodotValue, NodePath, ResPath, effects, path::empty_is_none};

/// Open a scene in the editor and make it the active one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OpenScene {
    /// The scene file, such as "res://scenes/main.tscn".
    pub scene_path: ResPath,
}

/// The result of [`OpenScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneOpened {
    /// The scene.
    pub scene_path: String,
    /// Whether it is open and active now.
    pub opened: bool,
    /// Whether it had a tab before.
    pub already_open: bool,
}

/// Create a scene file with a root node, open it and make it active. Missing folders are created.
/// To replace an existing file, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateScene {
    /// The class of the root: a node class such as "Node2D", or a `class_name` of the project.
    pub root_type: String,
    /// The file to create, ending in ".tscn" or ".scn".
    pub scene_path: ResPath,
}

/// The result of [`CreateScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneCreated {
    /// The scene.
    pub scene_path: String,
    /// The class of its root.
    pub root_type: String,
    /// Whether the file was written and the scene is open.
    pub created: bool,
    /// Whether a file was replaced.
    pub overwrote: bool,
    /// Whether undo leaves the file in place. It does.
    pub file_kept_on_undo: bool,
}

/// Save the active scene to its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SaveScene {}

/// The result of [`SaveScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneSaved {
    /// Whether the file was written.
    pub saved: bool,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the file had been changed by someone else since the editor last read or wrote it;
    /// saving replaces that change.
    pub changed_on_disk: bool,
}

/// Close a scene's tab. Unsaved changes are lost: look with `dry_run` first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CloseScene {
    /// The scene to close; leave out for the active one.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub scene_path: Option<ResPath>,
}

/// The result of [`CloseScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneClosed {
    /// The scene.
    pub scene_path: String,
    /// Whether its tab is gone.
    pub closed: bool,
    /// Whether it had unsaved changes.
    pub had_unsaved_changes: bool,
    /// The undo steps since it was opened, newest first: what is lost with unsaved changes.
    pub lost_steps: Vec<String>,
}

/// Read an open scene from its file again. Unsaved changes and the undo history are lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReloadScene {
    /// The scene; it must be open.
    pub scene_path: ResPath,
}

/// The result of [`ReloadScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneReloaded {
    /// The scene.
    pub scene_path: String,
    /// Whether it was read again.
    pub reloaded: bool,
    /// Whether it had unsaved changes.
    pub had_unsaved_changes: bool,
    /// The undo steps since it was opened, newest first: what is lost.
    pub lost_steps: Vec<String>,
}

/// List the scenes that have a tab in the editor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListOpenScenes {}

/// The result of [`ListOpenScenes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenScenes {
    /// The scenes, in the order of their tabs.
    pub scenes: Vec<OpenSceneInfo>,
}

/// One tab of [`OpenScenes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenSceneInfo {
    /// The scene as a `res://` path; empty if never saved.
    pub path: String,
    /// Whether its tab is the active one.
    pub active: bool,
    /// Whether it has unsaved changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

/// Create a node under a parent. A name that is taken gets the editor's own number.
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

/// Set one property of a node. The value is read by the property's type and never guessed: what
/// does not fit is refused, and what was set is read back.
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

/// Move a node to another parent, or to another place among its siblings.
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
    #[serde(default = "super::yes")]
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

effects! {
    SceneOpened: opened;
    SceneCreated: created;
    SceneSaved: saved;
    SceneClosed: closed;
    SceneReloaded: reloaded;
    NodeCreated: created;
    SceneInstanced: instanced;
    PropertySet: set;
    NodeRenamed: renamed;
    NodeMoved: moved;
    NodeDuplicated: duplicated;
    NodeDeleted: deleted;
    NodesSelected: ;
}
