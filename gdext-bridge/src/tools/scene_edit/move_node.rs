//! `godot_scene_edit_move_node`.

use godot::prelude::*;
use protocol::{
    Fault, Required,
    tools::scene_edit::{MoveNode, NodeMoved},
};

use super::{check_not_root, check_own, follow::follow};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::{Scene, free_name},
    undo::{self, Step},
};

impl Edit for MoveNode {
    fn plan(self, _: &Context) -> Result<Plan<NodeMoved>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let parent = scene.node(&self.new_parent_path)?;
        check_not_root(&scene, &node, "moved")?;
        check_own(&scene, &node, "moved")?;
        if parent == node || node.is_ancestor_of(&parent) {
            return Err(Fault::invalid(format!(
                "'{}' cannot be moved below itself.",
                scene.path_of(&node)
            ))
            .requiring(Required::parameter("new_parent_path")));
        }
        check_saved(&scene, &node, &parent)?;
        let stays = node.get_parent().as_ref() == Some(&parent);
        let index = place(&parent, self.index, stays)?;
        let name = match stays {
            true => node.get_name().to_string(),
            false => free_name(&parent, &node.get_name().to_string(), None),
        };
        let node_path = scene.path_below(&parent, &name);
        let verdict = persistence::of_place(&scene, &node, &parent);

        let label = format!("Move {} to {node_path}", scene.path_of(&node));
        let (follow, updated_paths) = match stays {
            true => (Vec::new(), Vec::new()),
            false => follow(&scene, &node, &node_path),
        };
        let step = undo::MoveNode {
            node,
            parent,
            index: Some(index),
            keep_global_transform: self.keep_global_transform,
        };
        let steps = std::iter::once(Step::Move(step)).chain(follow).collect();
        let result = NodeMoved { node_path, moved: true, index, updated_paths };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

/// Refuses to move what the scene saves to where it saves nothing: the next save would lose it.
fn check_saved(scene: &Scene, node: &Gd<Node>, parent: &Gd<Node>) -> Result<(), Fault> {
    let there = persistence::of_node(scene, parent);
    if there.persisted || !persistence::of_node(scene, node).persisted {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "'{}' would be lost at the next save. {}",
        scene.path_of(node),
        there.hint.unwrap_or_default()
    ))
    .requiring(Required::parameter("new_parent_path"))
    .with("reason", there.reason.unwrap_or_default()))
}

/// The place that an index names among the children of the new parent, the node itself included.
fn place(parent: &Gd<Node>, index: i32, stays: bool) -> Result<i32, Fault> {
    let last = parent.get_child_count() - i32::from(stays);
    match index {
        -1 => Ok(last),
        _ if (0..=last).contains(&index) => Ok(index),
        _ => Err(Fault::invalid(format!(
            "index {index} is not within 0 to {last}; -1 is the last place."
        ))
        .requiring(Required::parameter("index"))),
    }
}
