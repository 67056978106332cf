//! `godot_scene_edit_remove_from_group`.

use protocol::{
    Fault,
    tools::scene_edit::{GroupChanged, RemoveFromGroup},
};

use super::{check_group, leave_group, set_group};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::Scene,
};

impl Edit for RemoveFromGroup {
    fn plan(self, _: &Context) -> Result<Plan<GroupChanged>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        check_group(&self.group)?;
        let changed = node.is_in_group(self.group.as_str());
        let verdict = persistence::of_group_removal(&scene, &node, &self.group);

        let node_path = scene.path_of(&node);
        let label = format!("Remove {node_path} from group {}", self.group);
        let steps = changed.then(|| match persistence::is_group_kept(&scene, &node, &self.group) {
            true => set_group(&node, &self.group, false),
            // So that undo does not make it a group that is saved.
            false => leave_group(&node, &self.group),
        });
        let result = GroupChanged { node_path, group: self.group, in_group: false, changed };
        Ok(Plan::steps(result, label, scene, steps.into_iter().collect()).with_verdict(verdict))
    }
}
