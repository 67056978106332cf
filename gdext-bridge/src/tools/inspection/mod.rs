//! `inspection`: reads the project, its scenes and their nodes.

mod get_active_scene;
mod get_node_groups;
mod get_node_properties;
mod get_node_property;
mod get_node_property_list;
mod get_project_info;
mod get_scene_tree;
mod get_selected_node;
mod list_scenes;
mod snapshot_subtree;

pub(crate) use get_node_property::{split, suggestions};
pub(crate) use get_scene_tree::scene_tree;
use godot::prelude::*;

/// The groups of a node without those that the engine keeps for itself.
fn groups(node: &Gd<Node>) -> Vec<String> {
    let groups = node.get_groups();
    let mut groups: Vec<String> = groups.iter_shared().map(|group| group.to_string()).collect();
    groups.retain(|group| !group.starts_with('_'));
    groups.sort();
    groups
}
