//! `shader`: shader files, and shader materials of nodes.

use serde::{Deserialize, Serialize};

use crate::{GodotValue, NodePath, ResPath, effects};

/// Create a shader file (".gdshader"). Missing folders are created. The answer has what the compiler
/// says of the code. To replace an existing file, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateShader {
    /// The file to create, ending in ".gdshader".
    pub shader_path: ResPath,
    /// The code; by default a white canvas_item shader.
    #[serde(default = "white")]
    pub code: String,
}

fn white() -> String {
    "shader_type canvas_item;\n\nvoid fragment() {\n\tCOLOR = vec4(1.0);\n}\n".to_owned()
}

/// The result of [`CreateShader`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderCreated {
    /// The file.
    pub shader_path: String,
    /// Whether the file was written.
    pub created: bool,
    /// Whether a file was replaced.
    pub overwrote: bool,
    /// What is wrong with the code: the first error. The file is written all the same.
    pub errors: Vec<ShaderError>,
}

/// An error in a shader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderError {
    /// What the compiler says.
    pub message: String,
    /// The file that the error is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// Read a shader: its code, its type and its uniforms. Also for visual shaders, whose code is
/// generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadShader {
    /// The file: ".gdshader", ".gdshaderinc", or a resource file that holds a shader.
    pub shader_path: ResPath,
}

/// The result of [`ReadShader`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderText {
    /// The file.
    pub shader_path: String,
    /// The code.
    pub code: String,
    /// What it is for: canvas_item, spatial, particles, sky or fog; absent for an include file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The parameters that materials can set. Empty while the code does not compile.
    pub uniforms: Vec<Uniform>,
}

/// A parameter of a shader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uniform {
    /// Its name.
    pub name: String,
    /// The type of its values, as scripts write it.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its limits or names, as "0.0,1.0,0.1" or "Off,On".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Check whether a shader compiles, without running or writing anything. The compiler stops at the
/// first error. What only a graphics driver can find is not checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ValidateShader {
    /// The ".gdshader" file, or a resource file that holds a shader.
    pub shader_path: ResPath,
}

/// The result of [`ValidateShader`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderValidated {
    /// The file.
    pub shader_path: String,
    /// Whether the compiler has nothing against it.
    pub ok: bool,
    /// The first error; there may be more after it.
    pub errors: Vec<ShaderError>,
    /// Whether the compiler read the code to its end.
    pub complete: bool,
}

/// Give a node a new material with a shader. Which property of the node takes it follows the type
/// of the shader: `material` of what is drawn in 2D for canvas_item, `material_override` of
/// geometry for spatial, `process_material` of particles for particles, `material` of a FogVolume
/// for fog. A shader of another type is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AssignShaderMaterial {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
    /// The shader: a ".gdshader" file, or a resource file that holds a shader.
    pub shader_path: ResPath,
}

/// The result of [`AssignShaderMaterial`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderMaterialAssigned {
    /// The node.
    pub node_path: String,
    /// The shader.
    pub shader_path: String,
    /// The property that holds the material.
    pub material_property: String,
    /// Whether the node has the material now.
    pub assigned: bool,
}

/// Set a parameter of the shader material of a node. A material that is a file of its own, or is
/// embedded in one, is changed in that file. One that another scene keeps than the active one is
/// refused, with the scene to open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetShaderParam {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
    /// The uniform. Unknown names are refused; godot_shader_read lists them.
    pub name: String,
    /// The value, of the type of the uniform and within its hint_range: a number, true,
    /// {"x": 1, "y": 2} or [1, 2] for a vector, "#ff0000" for a source_color, a "res://" path for a
    /// texture; null for the shader's own default.
    #[serde(default)]
    pub value: GodotValue,
    /// The type that the uniform must have, as a check: "float", "int", "bool", "vector2",
    /// "vector3", "vector4" or "color". Empty for whatever it has.
    #[serde(default)]
    pub param_type: String,
}

/// The result of [`SetShaderParam`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderParamSet {
    /// The node.
    pub node_path: String,
    /// The uniform.
    pub name: String,
    /// The value.
    pub value: GodotValue,
    /// The value before; null for the shader's own default.
    pub previous: GodotValue,
    /// The property of the node that holds the material.
    pub material_property: String,
    /// Whether it was set.
    pub set: bool,
}

/// Read a parameter of the shader material of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetShaderParam {
    /// The node, relative to the root of the scene.
    pub node_path: NodePath,
    /// The uniform.
    pub name: String,
}

/// The result of [`GetShaderParam`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShaderParam {
    /// The node.
    pub node_path: String,
    /// The uniform.
    pub name: String,
    /// The value: that of the material, else the shader's default.
    pub value: GodotValue,
    /// Whether the shader has such a uniform.
    pub exists: bool,
    /// Whether the material sets it; otherwise the value is the shader's default.
    pub overridden: bool,
    /// The type of its values.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Names like the one asked for, where there is no such uniform.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

effects! {
    ShaderCreated: created, overwrote;
    ShaderMaterialAssigned: assigned;
    ShaderParamSet: set;
}
