//! `godot_scene_edit_set_editable_children`.

use godot::{classes::PackedScene, global::Error, prelude::*};
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

/// How much of what is dropped is listed.
const LISTED: usize = 100;

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
            dropped_on_save.extend(changes_below(&scene, &node_path)?);
        }
        let dropped_total = dropped_on_save.len();
        if dropped_total > 0 {
            verdict.hint.get_or_insert_with(|| {
                format!(
                    "The next save drops what this scene changed below '{node_path}', as listed in \
                     dropped_on_save. Undo before it, to keep it."
                )
            });
        }
        dropped_on_save.truncate(LISTED);
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
        let result =
            EditableChildrenSet { node_path, editable, changed, dropped_on_save, dropped_total };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

/// What the scene would save of the nodes that the instance at `path` has, as the engine finds it out
/// for a save.
fn changes_below(scene: &Scene, path: &str) -> Result<Vec<String>, Fault> {
    let mut packed = PackedScene::new_gd();
    let is_packed = packed.pack(&scene.root) == Error::OK;
    let state = packed.get_state().filter(|_| is_packed);
    let state = state.ok_or_else(|| Fault::internal("The engine could not pack the scene."))?;
    let relative = |path: &NodePath| path.to_string().trim_start_matches("./").to_owned();
    let lies_below = |node: &str| node.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));

    let mut changes = Vec::new();
    for index in 0..state.get_node_count() {
        let node = relative(&state.get_node_path(index));
        let is_own =
            !state.get_node_type(index).is_empty() || state.get_node_instance(index).is_some();
        if is_own || !lies_below(&node) {
            continue;
        }
        let properties = 0..state.get_node_property_count(index);
        let properties = properties.map(|at| state.get_node_property_name(index, at));
        changes.extend(properties.map(|property| format!("{node}:{property}")));
        let groups = state.get_node_groups(index);
        changes.extend(groups.as_slice().iter().map(|group| format!("{node} in {group}")));
    }
    for index in 0..state.get_connection_count() {
        let source = relative(&state.get_connection_source(index));
        if lies_below(&source) {
            changes.push(format!(
                "{source}:{} -> {}:{}",
                state.get_connection_signal(index),
                relative(&state.get_connection_target(index)),
                state.get_connection_method(index)
            ));
        }
    }
    Ok(changes)
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
