//! `godot_scene_edit_duplicate_node`.

use godot::{classes::ClassDb, prelude::*};
use protocol::{
    Fault,
    tools::scene_edit::{DuplicateNode, NodeDuplicated},
};

use super::{check_not_root, check_own};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::{Scene, free_name, walk},
    undo::{AddNode, Owned, Step},
};

impl Edit for DuplicateNode {
    fn plan(self, _: &Context) -> Result<Plan<NodeDuplicated>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        check_not_root(&scene, &node, "duplicated")?;
        check_own(&scene, &node, "duplicated")?;
        let Some(parent) = node.get_parent() else {
            return Err(Fault::internal("The node has no parent."));
        };
        let name = free_name(&parent, &node.get_name().to_string(), None);
        let node_path = scene.path_below(&parent, &name);
        let source_path = scene.path_of(&node);
        let verdict = persistence::of_place(&scene, &node, &parent);

        let label = format!("Duplicate {source_path} as {node_path}");
        let index = Some(node.get_index() + 1);
        let owned = Owned::At(own_paths(&scene, &node));
        let make = Box::new(move || duplicate(&node));
        let add = AddNode { make, parent, name, index, owned };
        let result = NodeDuplicated { node_path, source_path, duplicated: true };
        Ok(Plan::steps(result, label, scene, vec![Step::Add(add)]).with_verdict(verdict))
    }
}

/// A copy of a node with all below it, as the editor makes it, outside the tree.
pub(super) fn duplicate(node: &Gd<Node>) -> Result<Gd<Node>, Fault> {
    // By name, as the typed call takes no flag but those that scripts may use.
    let made = node.clone().try_call("duplicate", vslice![editor_flags()]);
    let made = made.ok().and_then(|made| made.try_to::<Gd<Node>>().ok());
    made.ok_or_else(|| Fault::internal("The engine made no duplicate of the node."))
}

/// The nodes that the scene owns, at and below `node`, relative to it.
pub(super) fn own_paths(scene: &Scene, node: &Gd<Node>) -> Vec<String> {
    let mut paths = Vec::new();
    walk(node, &mut |below| {
        if below.get_owner().as_ref() == Some(&scene.root) {
            paths.push(if below == node {
                ".".to_owned()
            } else {
                node.get_path_to(below).to_string()
            });
        }
    });
    paths
}

/// Everything that is duplicated, and the flag by which the editor marks its own duplicates: it
/// keeps what an instance differs in apart from what its scene says. The engine does not name that
/// flag to scripts; it is the bit after the last one that it names.
fn editor_flags() -> i32 {
    let db = ClassDb::singleton();
    let names = db.class_get_enum_constants("Node", "DuplicateFlags");
    let named = names.as_slice().iter();
    let last = named
        .map(|name| db.class_get_integer_constant("Node", &StringName::from(name)))
        .max()
        .unwrap_or_default();
    DUPLICATE_EVERYTHING | i32::try_from(last.saturating_mul(2)).unwrap_or_default()
}

/// Signals, groups, scripts, and instances as instances.
const DUPLICATE_EVERYTHING: i32 = 1 | 2 | 4 | 8;
