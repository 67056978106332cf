//! `godot_composite_batch_create_nodes`.

use protocol::{
    Fault,
    tools::composite::{BatchCreateNodes, NodesCreated},
};

use super::{Model, add_with, save_after, save_path};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    resource::NodeClass,
    scene::{NewNames, Scene, check_name},
};

impl Edit for BatchCreateNodes {
    fn plan(self, context: &Context) -> Result<Plan<NodesCreated>, Fault> {
        let scene = Scene::active()?;
        let parent = scene.node(&self.parent_path)?;
        let class = NodeClass::find(&self.node_type, "node_type")?;
        let path = save_path(context, &scene, self.save)?;
        let model = Model::of(&class, None)?;
        let mut names = NewNames::default();
        let mut created = Vec::new();
        let mut steps = Vec::new();
        for wanted in &self.names {
            check_name(wanted, "names")?;
            let name = names.next(wanted, |name| parent.has_node(name));
            created.push(scene.path_below(&parent, &name));
            let settings = model.settings(&self.properties, &scene.root)?;
            steps.extend(add_with(class.clone(), parent.clone(), name, settings));
        }
        let verdict = persistence::of_node(&scene, &parent);
        let label = format!("Create {} nodes below {}", created.len(), scene.path_of(&parent));
        let result = NodesCreated { count: created.len(), created, saved: self.save, note: None };
        let save = save_after(path, |result: &mut NodesCreated, saved, note| {
            (result.saved, result.note) = (saved, note);
        });
        let plan = Plan::steps(result, label, scene, steps).with_verdict(verdict);
        Ok(if self.save { plan.then(save) } else { plan })
    }
}
