//! `godot_scene_edit_rename_node`.

use protocol::{
    Fault,
    tools::scene_edit::{NodeRenamed, RenameNode},
};

use super::{check_own, follow::follow};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::{Scene, check_name, free_name},
    undo::Step,
};

impl Edit for RenameNode {
    fn plan(self, _: &Context) -> Result<Plan<NodeRenamed>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        check_own(&scene, &node, "renamed")?;
        check_name(&self.new_name, "new_name")?;
        let parent = node.get_parent().filter(|_| node != scene.root);
        let name = match &parent {
            Some(parent) => free_name(parent, &self.new_name, Some(&node)),
            None => self.new_name,
        };
        let old_name = node.get_name().to_string();
        let node_path = match &parent {
            Some(parent) => scene.path_below(parent, &name),
            None => ".".to_owned(),
        };
        let verdict = persistence::of_node(&scene, &node);

        let label = format!("Rename {} to {name}", scene.path_of(&node));
        let (mut steps, updated_paths) = follow(&scene, &node, &node_path);
        steps.insert(0, Step::Rename { node, name: name.clone() });
        let old_name = Some(old_name);
        let result =
            NodeRenamed { node_path, new_name: name, renamed: true, old_name, updated_paths };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}
