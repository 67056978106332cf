//! `resources_edit`: resource files, read, created and changed. Every edit of a file is one undo
//! step, and undo gives the file back to the byte.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{GodotValue, ResPath, effects};

/// Create a resource file of any resource class, with properties. Missing folders are created. To
/// replace an existing file is possible as well; see `discards` in a preview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateResource {
    /// The class: a resource class such as "StandardMaterial3D", or a `class_name` of the project
    /// that extends Resource.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file to create, with an extension that the class is saved with: ".tres" (text) or ".res"
    /// (binary).
    pub resource_path: ResPath,
    /// Values for its properties by name. Unknown names and values that do not fit are refused. A
    /// resource inside this one is written in place: {"_type": "Gradient", …}.
    #[serde(default)]
    pub properties: Map<String, Value>,
}

/// The result of [`CreateResource`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceCreated {
    /// The file.
    pub resource_path: String,
    /// The class of the resource.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the file was written.
    pub created: bool,
    /// Whether a file was replaced.
    pub overwrote: bool,
}

/// Read a resource file: its class, its script and its stored properties, as they are on disk.
/// Long ones come in pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadResourceFile {
    /// The file, such as "res://resources/theme.tres".
    pub resource_path: ResPath,
    /// The `next_cursor` of the page before; leave out for the first page.
    #[serde(default)]
    pub cursor: String,
}

/// The result of [`ReadResourceFile`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourceFile {
    /// The file.
    pub resource_path: String,
    /// The class of the resource: that of its script if it has a `class_name`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Its stored properties. A resource inside the file is named by the file, "::" and its id; see
    /// `sub_resources`.
    pub properties: Map<String, Value>,
    /// The resources inside the file that its properties name.
    pub sub_resources: Vec<SubResource>,
    /// How many properties and resources inside it has.
    pub total: usize,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A resource inside a resource file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubResource {
    /// The path that names it.
    pub path: String,
    /// Its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its stored properties that differ from the defaults of its class.
    pub properties: Map<String, Value>,
}

/// Set a property of a resource file and write the file. The editor and open scenes that use it
/// show the new value at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetResourceProperty {
    /// The file, such as "res://resources/box.tres". What is imported, as images are, cannot be
    /// changed so; nor can scenes, scripts and shaders, which have tools of their own.
    pub resource_path: ResPath,
    /// The property, or a part of it as "size:x".
    pub property: String,
    /// The new value, as godot_scene_edit_set_node_property takes it: {"x": 1, "y": 2} for a vector,
    /// "#ff0000" for a color, an enum by name or number, a "res://" path for another file. A new
    /// resource inside this one is {"_type": class, property: value, …}.
    #[serde(default)]
    pub value: GodotValue,
}

/// The result of [`SetResourceProperty`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResourcePropertySet {
    /// The file.
    pub resource_path: String,
    /// The property.
    pub property: String,
    /// The value, as the file read again has it.
    pub value: GodotValue,
    /// The value before.
    pub previous: GodotValue,
    /// Whether the file was written.
    pub set: bool,
}

/// Register an autoload: a scene or script that every run of the game has from its start, under a
/// global name. Written to project.godot, as one undo step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RegisterAutoload {
    /// The global name, such as "GameState". No class, type or word of the language.
    pub name: String,
    /// A scene, or a script that extends a node.
    pub path: ResPath,
}

/// The result of [`RegisterAutoload`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AutoloadRegistered {
    /// The name.
    pub name: String,
    /// The file.
    pub path: String,
    /// Whether it was registered.
    pub registered: bool,
    /// The file that had the name before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_path: Option<String>,
}

/// Take an autoload out of the project. Its file stays; scripts that use its name fail from then on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UnregisterAutoload {
    /// The name of the autoload.
    pub name: String,
}

/// The result of [`UnregisterAutoload`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AutoloadUnregistered {
    /// The name.
    pub name: String,
    /// The file that it stood for.
    pub path: String,
    /// Whether it was taken out.
    pub unregistered: bool,
}

effects! {
    ResourceCreated: created, overwrote;
    ResourcePropertySet: set;
    AutoloadRegistered: registered;
    AutoloadUnregistered: unregistered;
}
