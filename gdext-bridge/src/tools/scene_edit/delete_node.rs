//! `godot_scene_edit_delete_node`.

use protocol::{
    Fault,
    tools::scene_edit::{DeleteNode, NodeDeleted},
};

use super::{check_not_root, check_own};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::{Scene, walk},
    undo::Step,
};

impl Edit for DeleteNode {
    fn plan(self, _: &Context) -> Result<Plan<NodeDeleted>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        check_not_root(&scene, &node, "deleted")?;
        check_own(&scene, &node, "deleted")?;
        let node_path = scene.path_of(&node);
        let mut node_count = 0;
        walk(&node, &mut |_| node_count += 1);
        let verdict = persistence::of_node(&scene, &node);

        let label = format!("Delete {node_path}");
        let what = match node_count {
            1 => format!("the node '{node_path}'"),
            _ => format!("the node '{node_path}' and {} below it", node_count - 1),
        };
        let result = NodeDeleted { node_path, deleted: true, node_count };
        let plan = Plan::steps(result, label, scene, vec![Step::Remove { node }]);
        Ok(plan.with_verdict(verdict).discarding(what))
    }
}
