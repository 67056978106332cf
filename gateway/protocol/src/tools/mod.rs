//! The parameters and the result of every tool, one module a toolset.
//!
//! The doc comment of a parameter type is the tool's description, those of its fields describe
//! the parameters: an agent reads them as they stand.

pub mod asset_import;
pub mod batch;
pub mod composite;
pub mod core;
pub mod debugger;
pub mod editor;
pub mod input;
pub mod input_map;
pub mod inspection;
pub mod profiling;
pub mod project;
pub mod project_scaffold;
pub mod resources_edit;
pub mod runtime;
pub mod scene_edit;
pub mod scripts;
pub mod shader;
pub mod testing;
pub mod visual_shader;

/// `true`, for `#[serde(default)]`.
pub(crate) fn yes() -> bool {
    true
}
