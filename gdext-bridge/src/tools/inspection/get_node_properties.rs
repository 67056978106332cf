//! `godot_inspection_get_node_properties`.

use godot::prelude::*;
use protocol::{
    Fault,
    tools::inspection::{GetNodeProperties, NodeProperties},
};
use serde_json::Map;

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    resource::script_path,
    scene::Scene,
    tools::page::{PAGE_CHARACTERS, Page},
    variant,
};

impl Read for GetNodeProperties {
    fn read(self, _: &Context) -> Result<NodeProperties, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        Ok(properties(&scene, &node, &Page::parse(&self.cursor)?, PAGE_CHARACTERS))
    }
}

/// The stored properties of a node and the names of its children, those of one page that may take so
/// many characters.
pub(super) fn properties(
    scene: &Scene,
    node: &Gd<Node>,
    page: &Page,
    characters: usize,
) -> NodeProperties {
    let object = node.clone().upcast::<Object>();
    let mut window = page.window(characters);
    let mut properties = Map::new();
    for info in PropertyInfo::all(&object) {
        if info.is_stored() && info.name != "script" && !window.skips() {
            let value = variant::to_json(&object.get(info.name.as_str()));
            if window.admits(&(&info.name, &value)) {
                properties.insert(info.name, value);
            }
        }
    }
    let total = window.seen();
    let names = node.get_children();
    let names = names.iter_shared().map(|child| child.get_name().to_string());
    let children = names.filter(|name| window.admits(name)).collect();
    NodeProperties {
        node_path: scene.path_of(node),
        kind: node.get_class().to_string(),
        script: script_path(node),
        properties,
        children,
        total,
        next_cursor: window.next_cursor(),
    }
}
