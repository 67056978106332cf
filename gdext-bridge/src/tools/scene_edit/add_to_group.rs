//! `godot_scene_edit_add_to_group`.

use protocol::{
    Fault,
    tools::scene_edit::{AddToGroup, GroupChanged},
};

use super::{check_group, set_group};
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
        let changed = !node.is_in_group(self.group.as_str());
        let verdict = persistence::of_node(&scene, &node);

        let node_path = scene.path_of(&node);
        let label = format!("Add {node_path} to group {}", self.group);
        let steps = changed.then(|| set_group(&node, &self.group, true));
        let result = GroupChanged { node_path, group: self.group, in_group: true, changed };
        Ok(Plan::steps(result, label, scene, steps.into_iter().collect()).with_verdict(verdict))
    }
}
