//! What the classes of the engine and of the project have.

use serde::{Deserialize, Serialize};

use crate::GodotValue;

/// Describe a class: properties with types and defaults, methods, signals, constants, enums.
/// Knows the project's own `class_name` scripts too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DescribeClass {
    /// The class, such as "Sprite2D".
    pub class_name: String,
    /// Whether to list what it inherits, too.
    #[serde(default)]
    pub include_inherited: bool,
    /// Whether to list members whose names start with "_".
    #[serde(default)]
    pub include_private: bool,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// The result of [`DescribeClass`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassDescription {
    /// The class.
    pub class_name: String,
    /// What it extends; empty for the topmost class.
    pub inherits: String,
    /// All that it extends, nearest first.
    pub inherits_chain: Vec<String>,
    /// Whether an instance can be made.
    pub can_instantiate: bool,
    /// Its properties.
    pub properties: Vec<ClassProperty>,
    /// Its methods.
    pub methods: Vec<ClassMethod>,
    /// Its signals.
    pub signals: Vec<ClassSignal>,
    /// Its constants.
    pub constants: Vec<ClassConstant>,
    /// Its enums.
    pub enums: Vec<ClassEnum>,
    /// The script that defines it, for a class of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// How many members there are on all pages.
    pub total: usize,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A property in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassProperty {
    /// Its name.
    pub name: String,
    /// Its Variant type, or the class of its object.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its value in a new instance.
    pub default: GodotValue,
}

/// A method in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassMethod {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub args: Vec<ClassArgument>,
    /// What it gives back.
    pub return_type: String,
}

/// An argument of a method or a signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassArgument {
    /// Its name.
    pub name: String,
    /// Its Variant type, or the class of its object.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A signal in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassSignal {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub args: Vec<ClassArgument>,
}

/// A constant in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassConstant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// The enum that it belongs to; empty for none.
    #[serde(rename = "enum")]
    pub of_enum: String,
}

/// An enum in [`ClassDescription`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassEnum {
    /// Its name.
    pub name: String,
    /// The names of its members.
    pub members: Vec<String>,
}
