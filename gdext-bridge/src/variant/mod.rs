//! Godot values as JSON, and JSON as Godot values.
//!
//! The only place that knows both forms; `docs/value-shapes.md` lists them. Reading always goes by
//! the type that the receiver wants, so a value either fits or is a [`misfit`] that says where and
//! why. Nothing is guessed and nothing ever becomes zero.
//!
//! In reading order: [`mod@write`] and [`read`] dispatch by type; [`shape`], [`numbers`], [`form`],
//! [`literal`] and [`color`] know the structs; [`scalar`], [`choice`] and [`names`] the numbers;
//! [`packed`] and [`container`] the arrays and dictionaries; [`object`] the resources and nodes.
//! [`compare`] serves the read-back, [`mod@component`] paths such as `position:x`.

mod choice;
mod color;
mod compare;
mod component;
mod container;
mod form;
mod literal;
mod misfit;
pub(crate) mod names;
mod numbers;
mod object;
mod packed;
mod read;
mod scalar;
mod shape;
mod types;
mod write;

pub(crate) use compare::same;
pub(crate) use component::{component, with_component};
pub(crate) use numbers::numbers_of;
pub(crate) use object::{class_of, fill, make};
pub(crate) use read::{Home, from_json, from_json_in_file};
pub(crate) use types::{kind_named, name_of_kind};
pub(crate) use write::{ENTRIES, to_json};
