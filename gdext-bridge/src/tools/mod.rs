//! The handlers: one folder a toolset, one file a tool. What two tools of a toolset share is in its
//! `mod.rs`; what toolsets share is in `crate::scene`, `crate::resource` and their like.

pub(crate) mod asset_import;
mod batch;
mod composite;
mod core;
mod debugger;
mod editor;
mod input_map;
pub(crate) mod inspection;
pub(crate) mod page;
mod profiling;
mod project;
mod project_scaffold;
mod resources_edit;
mod runtime;
pub(crate) mod scene_edit;
pub(crate) mod scripts;
mod shader;
mod testing;
mod visual_shader;
