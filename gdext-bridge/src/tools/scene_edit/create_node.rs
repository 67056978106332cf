//! `godot_scene_edit_create_node`.

use protocol::{
    Fault,
    tools::scene_edit::{CreateNode, NodeCreated},
};

use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    resource::NodeClass,
    scene::{Scene, check_name, free_name},
    undo::{AddNode, Owned, Step},
};

impl Edit for CreateNode {
    fn plan(self, _: &Context) -> Result<Plan<NodeCreated>, Fault> {
        let scene = Scene::active()?;
        let parent = scene.node(&self.parent_path)?;
        let class = NodeClass::find(&self.node_type, "node_type")?;
        check_name(&self.node_name, "node_name")?;
        let name = free_name(&parent, &self.node_name, None);
        let node_path = scene.path_below(&parent, &name);
        let verdict = persistence::of_node(&scene, &parent);

        let label = format!("Create {node_path}");
        let make = Box::new(move || class.instantiate());
        let add = AddNode { make, parent, name, index: None, owned: Owned::Itself };
        let result = NodeCreated { node_path, created: true };
        Ok(Plan::steps(result, label, scene, vec![Step::Add(add)]).with_verdict(verdict))
    }
}
