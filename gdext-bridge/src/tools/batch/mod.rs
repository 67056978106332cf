//! `batch`: one question or one change for many nodes or many scenes.

mod cross_scene_set_property;
mod find_nodes_by_type;
mod get_dependencies;
mod set_property;
