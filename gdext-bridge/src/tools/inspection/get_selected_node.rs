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
    tools::page::{PAGE_CHARACTERS, Page},
};

/// How much JSON the paths of the selected nodes may take, out of that of a page.
const ALL_CHARACTERS: usize = 8_000;

impl Read for GetSelectedNode {
    fn read(self, _: &Context) -> Result<SelectedNode, Fault> {
        let nothing = SelectedNode { selected: None, all: Vec::new(), total: 0, truncated: false };
        let Ok(scene) = Scene::active() else { return Ok(nothing) };
        let Some(selection) = EditorInterface::singleton().get_selection() else {
            return Ok(nothing);
        };
        let nodes = selection.clone().get_selected_nodes();
        let first = nodes.iter_shared().next();
        let page = Page::parse("")?;
        let selected =
            first.map(|node| properties(&scene, &node, &page, PAGE_CHARACTERS - ALL_CHARACTERS));
        let mut window = page.window(ALL_CHARACTERS);
        let paths = nodes.iter_shared().map(|node| scene.path_of(&node));
        let all = paths.filter(|path| window.admits(path)).collect();
        Ok(SelectedNode { selected, all, total: window.seen(), truncated: window.is_full() })
    }
}
