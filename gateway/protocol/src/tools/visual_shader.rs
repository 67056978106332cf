//! `visual_shader`: the node graphs of visual shaders. Every edit writes the file, is checked by
//! reading it again, and is one undo step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::shader::ShaderError;
use crate::{GodotValue, ResPath, effects, path::empty_is_none};

/// Create a visual shader file. To replace an existing file, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateVisualShader {
    /// Its name, which without a `path` is that of the file: "res://<name>.tres".
    pub name: String,
    /// What it is for: "3d" or "spatial", "2d" or "canvas_item", "particles", "sky" or "fog".
    #[serde(rename = "type", default = "spatial")]
    pub kind: String,
    /// The file to create, ending in ".tres" or ".res"; leave out for one named after `name`.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub path: Option<ResPath>,
}

fn spatial() -> String {
    "3d".to_owned()
}

/// The result of [`CreateVisualShader`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VisualShaderCreated {
    /// The file.
    pub path: String,
    /// What it is for: canvas_item, spatial, particles, sky or fog.
    pub mode: String,
    /// Whether the file was written.
    pub created: bool,
    /// Whether a file was replaced.
    pub overwrote: bool,
}

/// List the classes of nodes that a visual shader can have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListShaderNodeTypes {}

/// The result of [`ListShaderNodeTypes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderNodeTypes {
    /// The classes, in alphabetical order.
    pub types: Vec<String>,
}

/// Read the graph of a visual shader: its nodes with what differs from their defaults, and the
/// connections between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadVisualShader {
    /// The file.
    pub shader_path: ResPath,
    /// The `next_cursor` of the page before; leave out for the first page.
    #[serde(default)]
    pub cursor: String,
}

/// The result of [`ReadVisualShader`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VisualShaderGraph {
    /// The file.
    pub shader_path: String,
    /// What it is for: canvas_item, spatial, particles, sky or fog.
    pub mode: String,
    /// The nodes. The one with the id 0 is the output of its stage.
    pub nodes: Vec<GraphNode>,
    /// The connections.
    pub connections: Vec<GraphConnection>,
    /// How many nodes and connections there are.
    pub total: usize,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A node of a visual shader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphNode {
    /// Its id, unique in its stage.
    pub id: i32,
    /// The stage whose graph it is in, such as "fragment".
    pub stage: String,
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it is shown.
    pub position: GodotValue,
    /// Its stored properties that differ from the defaults of its class.
    pub parameters: Map<String, Value>,
}

/// A connection between two nodes of a visual shader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphConnection {
    /// The stage whose graph it is in.
    pub stage: String,
    /// The node that gives.
    pub from_node: i32,
    /// Its output port, counted from 0.
    pub from_port: i32,
    /// The node that takes.
    pub to_node: i32,
    /// Its input port, counted from 0.
    pub to_port: i32,
}

/// Add a node to the graph of a visual shader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AddShaderNode {
    /// The file.
    pub shader_path: ResPath,
    /// A class of godot_visual_shader_list_node_types, such as "VisualShaderNodeColorConstant".
    pub node_type: String,
    /// The id to give it: 2 or more, and free in its stage. 0 is the output.
    pub node_id: i32,
    /// Where it is shown: [x, y].
    #[serde(default)]
    pub position: Vec<f64>,
    /// The stage: "vertex", "fragment", "light", "start", "process", "collide", "start_custom",
    /// "process_custom", "sky" or "fog". Empty for the main one: fragment, process, sky or fog.
    #[serde(default)]
    pub stage: String,
}

/// The result of [`AddShaderNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderNodeAdded {
    /// Its id.
    pub node_id: i32,
    /// Its class.
    pub node_type: String,
    /// The stage that it is in.
    pub stage: String,
    /// Whether it was added.
    pub added: bool,
    /// What the compiler says of the whole graph then: the first error.
    pub errors: Vec<ShaderError>,
}

/// Connect an output port of a node of a visual shader with an input port of another. What the input
/// was connected with before is disconnected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectShaderNodes {
    /// The file.
    pub shader_path: ResPath,
    /// The node that gives.
    pub from_node: i32,
    /// Its output port, counted from 0.
    pub from_port: i32,
    /// The node that takes; 0 is the output of the stage.
    pub to_node: i32,
    /// Its input port, counted from 0.
    pub to_port: i32,
    /// The stage, as in godot_visual_shader_add_node. Empty for the main one.
    #[serde(default)]
    pub stage: String,
}

/// The result of [`ConnectShaderNodes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderNodesConnected {
    /// Whether they are connected now.
    pub connected: bool,
    /// The connection that had the input before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<GraphConnection>,
    /// What the compiler says of the whole graph then: the first error.
    pub errors: Vec<ShaderError>,
}

/// Set a property of a node of a visual shader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetShaderNodeParam {
    /// The file.
    pub shader_path: ResPath,
    /// The node.
    pub node_id: i32,
    /// The property, such as "constant" or "parameter_name"; or "position", where it is shown.
    pub property: String,
    /// The new value: a number, {"x": 1, "y": 2} or [1, 2] for a vector, "#ff0000" for a color, a
    /// "res://" path for a texture, an enum by name or number.
    #[serde(default)]
    pub value: GodotValue,
    /// The stage, as in godot_visual_shader_add_node. Empty for the main one.
    #[serde(default)]
    pub stage: String,
}

/// The result of [`SetShaderNodeParam`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderNodeParamSet {
    /// The node.
    pub node_id: i32,
    /// The property.
    pub property: String,
    /// The value, as the file read again has it.
    pub value: GodotValue,
    /// The value before.
    pub previous: GodotValue,
    /// Whether it was set.
    pub set: bool,
    /// The connections of the node that its ports do not allow any more, and that are taken out with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_connections: Vec<GraphConnection>,
    /// What the compiler says of the whole graph then: the first error.
    pub errors: Vec<ShaderError>,
}

effects! {
    VisualShaderCreated: created, overwrote;
    ShaderNodeAdded: added;
    ShaderNodesConnected: connected;
    ShaderNodeParamSet: set;
}
