//! Scenes as a whole: opened, made, saved and closed.

use serde::{Deserialize, Serialize};

use crate::{NodePath, ResPath, effects, path::empty_is_none};

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
    /// The undo steps that it has lost, newest first: the editor makes a scene anew when it is shown
    /// again and a scene that is an instance in it has changed meanwhile. What was not saved stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_steps: Vec<String>,
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
    SceneExtracted: extracted, replaced, saved, overwrote;
    AllScenesSaved: saved, count;
}
