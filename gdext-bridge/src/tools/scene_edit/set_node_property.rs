//! `godot_scene_edit_set_node_property`.

use godot::prelude::*;
use protocol::{
    Fault,
    tools::scene_edit::{PropertySet, SetNodeProperty},
};

use crate::{
    assignment::Assignment,
    plan::{Context, Edit, Plan},
    scene::Scene,
};

impl Edit for SetNodeProperty {
    fn plan(self, _: &Context) -> Result<Plan<PropertySet>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let object = node.clone().upcast::<Object>();
        let set = Assignment::read(&object, &self.property, &self.value.0, &scene.root, None)?;

        let result = PropertySet {
            node_path: scene.path_of(&node),
            property: self.property,
            value: set.told(),
            previous: set.told_before(&object),
            set: true,
        };
        let label = format!("Set {}:{}", result.node_path, result.property);
        let verdict = set.verdict(&scene, &node);
        Ok(Plan::steps(result, label, scene, vec![set.step(&object)]).with_verdict(verdict))
    }
}
