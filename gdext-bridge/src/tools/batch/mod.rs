//! `batch`: one question or one change for many nodes or many scenes.

mod find_nodes_by_type;
mod get_dependencies;
mod set_property;
