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

/// Put a node into a group, saved with the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AddToGroup {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The group.
    pub group: String,
}

/// Take a node out of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveFromGroup {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The group.
    pub group: String,
}

/// The result of [`AddToGroup`] and [`RemoveFromGroup`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupChanged {
    /// The node.
    pub node_path: String,
    /// The group.
    pub group: String,
    /// Whether the node is in the group after the call.
    pub in_group: bool,
    /// Whether the call changed that.
    pub changed: bool,
}

/// List the connections of a node's signals to nodes of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListSignalConnections {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// The result of [`ListSignalConnections`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalConnections {
    /// The node.
    pub node_path: String,
    /// The connections.
    pub connections: Vec<SignalConnection>,
    /// How many there are on all pages.
    pub total: usize,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One connection of a signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalConnection {
    /// The signal.
    pub signal: String,
    /// The node whose method is called.
    pub target_path: String,
    /// The method.
    pub method: String,
    /// Whether it is saved with the scene.
    pub persistent: bool,
    /// Whether an instanced or inherited scene defines it, so that it cannot be undone here.
    pub inherited: bool,
}

/// Connect a signal of a node to a method of another, saved with the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectSignal {
    /// The node that emits, relative to the root of the scene; "." is the root.
    pub source_path: NodePath,
    /// The signal.
    pub signal_name: String,
    /// The node whose method is called.
    pub target_path: NodePath,
    /// The method; it must exist and take what the signal carries.
    pub method_name: String,
}

/// The result of [`ConnectSignal`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalConnected {
    /// The node that emits.
    pub source_path: String,
    /// The signal.
    pub signal_name: String,
    /// The node whose method is called.
    pub target_path: String,
    /// The method.
    pub method_name: String,
    /// Whether they are connected after the call.
    pub connected: bool,
    /// Whether they were before, so that the call changed nothing.
    pub already_connected: bool,
}

/// Take a connection of a signal back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DisconnectSignal {
    /// The node that emits, relative to the root of the scene; "." is the root.
    pub source_path: NodePath,
    /// The signal.
    pub signal_name: String,
    /// The node whose method is called.
    pub target_path: NodePath,
    /// The method.
    pub method_name: String,
}

/// The result of [`DisconnectSignal`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalDisconnected {
    /// The node that emits.
    pub source_path: String,
    /// The signal.
    pub signal_name: String,
    /// The node whose method was called.
    pub target_path: String,
    /// The method.
    pub method_name: String,
    /// Whether the connection is gone.
    pub disconnected: bool,
}

/// Make the children of an instanced scene editable in this scene, or not any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetEditableChildren {
    /// The root of the instance, relative to the root of the scene.
    pub node_path: NodePath,
    /// Whether they are to be editable. Where not, a save drops what this scene changed in them.
    #[serde(default = "super::yes")]
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

/// Save a node with all below it as a scene of its own, and optionally put an instance in its
/// place. To replace an existing file, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExtractScene {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
    /// The file to create, ending in ".tscn" or ".scn".
    pub scene_path: ResPath,
    /// Whether to put an instance of the new scene in place of the node.
    #[serde(default)]
    pub replace_with_instance: bool,
    /// Whether to save the active scene afterwards.
    #[serde(default)]
    pub save_current: bool,
}

/// The result of [`ExtractScene`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneExtracted {
    /// The node.
    pub node_path: String,
    /// The new scene.
    pub scene_path: String,
    /// Whether the file was written.
    pub extracted: bool,
    /// Whether an instance took the place of the node.
    pub replaced: bool,
    /// Whether the active scene was saved.
    pub saved: bool,
    /// How many nodes the new scene has.
    pub node_count: usize,
    /// The instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_path: Option<String>,
    /// Whether a file was replaced.
    pub overwrote: bool,
    /// Whether undo leaves the file in place. It does.
    pub file_kept_on_undo: bool,
    /// Connections between the node's descendants and the rest of the scene that an instance cannot
    /// have, as `source:signal -> target:method`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_connections: Vec<String>,
}

/// Save all open scenes to their files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SaveAllScenes {}

/// The result of [`SaveAllScenes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AllScenesSaved {
    /// Whether every scene that had unsaved changes was written.
    pub saved: bool,
    /// How many files were written.
    pub count: usize,
    /// The scenes, and what became of each.
    pub scenes: Vec<SavedScene>,
}

/// One scene of [`AllScenesSaved`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedScene {
    /// The scene.
    pub path: String,
    /// Whether its file was written.
    pub saved: bool,
    /// Whether somebody else had changed the file since the editor last read or wrote it.
    pub changed_on_disk: bool,
}

/// Let the editor look for files that were changed outside of it. Answers when it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RescanFilesystem {}

/// The result of [`RescanFilesystem`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesystemRescanned {
    /// Whether a scan that began after the call has ended.
    pub scanned: bool,
    /// Whether a scan is still running.
    pub scanning: bool,
}

effects! {
    SceneOpened: opened;
    SceneCreated: created, overwrote;
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
    ScriptAttached: attached;
    GroupChanged: changed;
    SignalConnected: connected;
    SignalDisconnected: disconnected;
    EditableChildrenSet: changed;
    SceneExtracted: extracted, replaced, saved, overwrote;
    AllScenesSaved: saved, count;
}
