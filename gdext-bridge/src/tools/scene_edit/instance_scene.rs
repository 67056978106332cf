//! `godot_scene_edit_instance_scene`.

use std::collections::HashSet;

use godot::{
    classes::{PackedScene, ResourceLoader, packed_scene::GenEditState},
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::scene_edit::{InstanceScene, SceneInstanced},
};

use super::{check_scene_file, way_to};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::{Scene, check_name, free_name, instance_root},
    undo::{AddNode, Owned, Step},
};

impl Edit for InstanceScene {
    fn plan(self, _: &Context) -> Result<Plan<SceneInstanced>, Fault> {
        let scene = Scene::active()?;
        let parent = scene.node(&self.parent_path)?;
        check_scene_file(&self.scene_path, "scene_path")?;
        check_no_circle(&scene, &parent, self.scene_path.as_str())?;
        let packed = load(&self)?;
        let root_name = packed.get_state().map(|state| state.get_node_name(0).to_string());
        let wanted = if self.name.is_empty() { root_name.unwrap_or_default() } else { self.name };
        check_name(&wanted, "name")?;
        let name = free_name(&parent, &wanted, None);
        let node_path = scene.path_below(&parent, &name);
        let verdict = persistence::of_node(&scene, &parent);

        let label = format!("Instance {node_path}");
        let make = Box::new(move || {
            let made = packed.instantiate_ex().edit_state(GenEditState::INSTANCE).done();
            made.ok_or_else(|| Fault::internal("The engine made no instance of the scene."))
        });
        let add = AddNode { make, parent, name, index: None, owned: Owned::Itself };
        let scene_path = self.scene_path.to_string();
        let result = SceneInstanced { node_path, scene_path, instanced: true };
        Ok(Plan::steps(result, label, scene, vec![Step::Add(add)]).with_verdict(verdict))
    }
}

fn load(call: &InstanceScene) -> Result<Gd<PackedScene>, Fault> {
    let loaded = ResourceLoader::singleton().load(call.scene_path.as_str());
    let packed = loaded.and_then(|loaded| loaded.try_cast::<PackedScene>().ok());
    packed.filter(|packed| packed.can_instantiate()).ok_or_else(|| {
        Fault::invalid(format!(
            "'{}' cannot be instanced: it is broken or has no nodes.",
            call.scene_path
        ))
        .requiring(Required::parameter("scene_path"))
    })
}

/// Refuses a scene that contains, at any depth, the one it would be put into. The editor would
/// refuse to save that, and say so to the human only.
fn check_no_circle(scene: &Scene, parent: &Gd<Node>, path: &str) -> Result<(), Fault> {
    let mut into = HashSet::from([scene.path()]);
    into.extend(
        instance_root(parent, &scene.root).map(|root| root.get_scene_file_path().to_string()),
    );
    into.remove("");
    match way_to(path, &into) {
        None => Ok(()),
        Some(by) => Err(Fault::invalid(format!(
            "An instance of '{path}' here would contain itself, by way of '{by}'."
        ))
        .requiring(Required::parameter("scene_path"))),
    }
}
