//! `batch`: one question or one change for many nodes or many scenes.

use serde::{Deserialize, Serialize};

use crate::{
    GodotValue, NodePath, ResPath,
    bounds::{Offset, PageSize},
    effects,
    tools::composite::NodeVerdict,
};

/// Set one property of many nodes to one value, as one undo step. Name the nodes, or a class of
/// which all nodes of the scene are meant. A node that is missing, a property that one of the named
/// nodes lacks and a value that does not fit refuse the whole call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BatchSetProperty {
    /// The property.
    pub property: String,
    /// Its new value, as godot_scene_edit_set_node_property takes it: {"x": 1, "y": 2} for a vector,
    /// "#ff0000" for a color, a "res://" path for a resource, an enum by name or number.
    pub value: GodotValue,
    /// The nodes. Give this or `node_type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_paths: Option<Vec<NodePath>>,
    /// The class whose nodes are meant, subclasses and script classes included. Nodes without the
    /// property are skipped.
    #[serde(default)]
    pub node_type: String,
}

/// The result of [`BatchSetProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PropertiesSet {
    /// The property.
    pub property: String,
    /// The nodes that were changed, or would be.
    pub applied: Vec<String>,
    /// The nodes of the class that do not have the property.
    pub skipped: Vec<SkippedNode>,
    /// How many nodes were changed, or would be.
    pub count: usize,
    /// Whether a save keeps the change, node by node.
    pub persistence: Vec<NodeVerdict>,
}

/// A node that was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SkippedNode {
    /// The node.
    pub node_path: String,
    /// Why.
    pub reason: String,
}

/// Find the nodes of a class in the active scene, subclasses and script classes included. The
/// parent itself counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FindNodesByType {
    /// The class, or a `class_name` of the project.
    pub node_type: String,
    /// Where to look; "." is the root.
    #[serde(default = "NodePath::root")]
    pub parent_path: NodePath,
    /// Whether to look below the children, too. Default true.
    #[serde(default = "crate::tools::yes")]
    pub recursive: bool,
    /// How many to pass over.
    #[serde(default = "Offset::start")]
    pub offset: Offset,
    /// How many to give at most. Default 200.
    #[serde(default = "PageSize::usual")]
    pub limit: PageSize,
}

/// The result of [`FindNodesByType`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodesFound {
    /// The class that was asked for.
    #[serde(rename = "type")]
    pub class: String,
    /// The nodes of this page, in the order of the tree.
    pub nodes: Vec<FoundNode>,
    /// How many nodes this page has.
    pub count: usize,
    /// How many there are in all.
    pub total: usize,
    /// How many nodes this page has.
    pub returned: usize,
    /// Whether there are more.
    pub truncated: bool,
    /// The `offset` of the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// One node of [`NodesFound`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundNode {
    /// Its path, relative to the root of the scene.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its class, or the `class_name` of its script.
    #[serde(rename = "type")]
    pub class: String,
}

/// List the files that a file of the project needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetDependencies {
    /// The file.
    pub path: ResPath,
}

/// The result of [`GetDependencies`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dependencies {
    /// The file.
    pub path: String,
    /// What it needs: what a scene or a resource is made of; what a script extends, preloads or loads,
    /// by path or as a class; what a shader includes.
    pub dependencies: Vec<Dependency>,
    /// How many.
    pub count: usize,
}

/// One file that another needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dependency {
    /// The reference as the engine tells it, or as it stands in the file.
    pub raw: String,
    /// The file that it leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The class of the resource in it.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Whether there is such a file.
    pub exists: bool,
}

/// Set one property of all nodes of a class in several scene files, and write them, as one undo step.
/// Nodes without the property are passed over. The active scene is changed as it is open, and saved;
/// another one that is open must be closed first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CrossSceneSetProperty {
    /// The scene files, at most 500.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 500)))]
    pub scenes: Vec<ResPath>,
    /// The class whose nodes are meant, subclasses and script classes included.
    pub node_type: String,
    /// The property.
    pub property: String,
    /// Its new value, as godot_scene_edit_set_node_property takes it: {"x": 1, "y": 2} for a vector,
    /// "#ff0000" for a color, a "res://" path for a resource, an enum by name or number.
    pub value: GodotValue,
}

/// The result of [`CrossSceneSetProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScenesChanged {
    /// What became of each scene.
    pub results: Vec<SceneChanged>,
    /// How many nodes were changed in all, or would be.
    pub total_modified: usize,
    /// How many scenes were looked at.
    pub scenes: usize,
    /// Whether the files were written.
    pub written: bool,
}

/// One scene of [`ScenesChanged`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SceneChanged {
    /// The scene.
    pub scene: String,
    /// How many nodes were changed, or would be.
    pub modified: usize,
    /// Whether a save keeps the change, for the nodes of which it does not.
    pub not_kept: Vec<NodeVerdict>,
}

effects! {
    PropertiesSet: ;
    ScenesChanged: written;
}
