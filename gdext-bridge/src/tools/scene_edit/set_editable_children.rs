//! `godot_scene_edit_set_editable_children`.

use godot::prelude::*;
use protocol::{
    Fault, Required,
    tools::scene_edit::{EditableChildrenSet, SetEditableChildren},
};

use super::check_own;
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::{Scene, walk},
    undo::Step,
};

impl Edit for SetEditableChildren {
    fn plan(self, _: &Context) -> Result<Plan<EditableChildrenSet>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        if node == scene.root || node.get_scene_file_path().is_empty() {
            return Err(Fault::invalid(format!(
                "'{}' is not the root of an instanced scene.",
                scene.path_of(&node)
            ))
            .requiring(Required::parameter("node_path")));
        }
        check_own(&scene, &node, "made editable")?;
        let mut verdict = persistence::of_node(&scene, &node);

        let editable = self.editable;
        let changed = scene.root.is_editable_instance(&node) != editable;
        let node_path = scene.path_of(&node);
        let mut dropped_on_save = Vec::new();
        if changed && !editable {
            dropped_on_save = own_nodes_below(&scene, &node);
            verdict.hint.get_or_insert_with(|| {
                format!(
                    "The next save drops what this scene changed below '{node_path}': nodes that it \
                     added, values, groups and connections. Undo before it, to keep them."
                )
            });
        }
        let label = match editable {
            true => format!("Make children of {node_path} editable"),
            false => format!("Make children of {node_path} not editable"),
        };
        let call = |editable: bool| {
            ("set_editable_instance", vec![node.to_variant(), editable.to_variant()])
        };
        let (root, instance) = (scene.root.clone(), node.clone());
        let step = Step::Call {
            object: scene.root.clone().upcast(),
            do_call: call(editable),
            undo_call: call(!editable),
            holds: Box::new(move || root.is_editable_instance(&instance) == editable),
        };
        let steps = if changed { vec![step] } else { Vec::new() };
        let result = EditableChildrenSet { node_path, editable, changed, dropped_on_save };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

/// The nodes of the scene itself that hang below a child of an instance. Those right below its root
/// are kept.
fn own_nodes_below(scene: &Scene, instance: &Gd<Node>) -> Vec<String> {
    let mut own = Vec::new();
    walk(instance, &mut |node| {
        let is_own = node.get_owner().as_ref() == Some(&scene.root);
        if is_own && node != instance && node.get_parent().as_ref() != Some(instance) {
            own.push(scene.path_of(node));
        }
    });
    own
}
