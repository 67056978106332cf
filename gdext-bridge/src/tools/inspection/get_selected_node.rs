//! `godot_inspection_get_selected_node`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::inspection::{GetSelectedNode, SelectedNode},
};

use super::get_node_properties::properties;
use crate::{
    plan::{Context, Read},
    scene::Scene,
    tools::page::Page,
};

impl Read for GetSelectedNode {
    fn read(self, _: &Context) -> Result<SelectedNode, Fault> {
        let nothing = SelectedNode { selected: None, all: Vec::new() };
        let Ok(scene) = Scene::active() else { return Ok(nothing) };
        let Some(selection) = EditorInterface::singleton().get_selection() else {
            return Ok(nothing);
        };
        let nodes = selection.clone().get_selected_nodes();
        let first = nodes.iter_shared().next();
        Ok(SelectedNode {
            selected: match first {
                Some(node) => Some(properties(&scene, &node, &Page::parse("")?)),
                None => None,
            },
            all: nodes.iter_shared().map(|node| scene.path_of(&node)).collect(),
        })
    }
}
