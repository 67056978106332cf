//! `godot_scene_edit_select_nodes`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::scene_edit::{NodesSelected, SelectNodes},
};

use crate::{
    plan::{Context, Edit, Plan, Progress},
    scene::Scene,
};

impl Edit for SelectNodes {
    fn plan(self, _: &Context) -> Result<Plan<NodesSelected>, Fault> {
        let scene = Scene::active()?;
        let mut nodes: Vec<Gd<Node>> = Vec::new();
        for path in &self.node_paths {
            let node = scene.node(path)?;
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        let result = NodesSelected {
            scene_path: scene.path(),
            selected: nodes.iter().map(|node| scene.path_of(node)).collect(),
            count: nodes.len(),
        };
        Ok(Plan::view(result, move |_, result| {
            let selection = EditorInterface::singleton().get_selection();
            let mut selection =
                selection.ok_or_else(|| Fault::internal("The editor has no selection."))?;
            selection.clear();
            for node in &nodes {
                selection.add_node(node);
            }
            Ok(Progress::Done(result))
        }))
    }
}
