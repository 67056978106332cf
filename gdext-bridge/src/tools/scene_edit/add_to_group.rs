//! `godot_scene_edit_add_to_group`.

use protocol::{
    Fault,
    tools::scene_edit::{AddToGroup, GroupChanged},
};

use super::{check_group, leave_group, set_group};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::Scene,
};

impl Edit for AddToGroup {
    fn plan(self, _: &Context) -> Result<Plan<GroupChanged>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        check_group(&self.group)?;
        let is_in = node.is_in_group(self.group.as_str());
        let changed = !is_in || !persistence::is_group_kept(&scene, &node, &self.group);
        let verdict = persistence::of_node(&scene, &node);

        let node_path = scene.path_of(&node);
        let label = format!("Add {node_path} to group {}", self.group);
        let mut steps = Vec::new();
        if changed && is_in {
            // A script put it there, for the time that the scene is open. To be saved, it has to be
            // put there anew.
            steps.push(leave_group(&node, &self.group));
        }
        if changed {
            steps.push(set_group(&node, &self.group, true));
        }
        let result = GroupChanged { node_path, group: self.group, in_group: true, changed };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}
