//! `godot_batch_find_nodes_by_type`.

use godot::prelude::*;
use protocol::{
    Fault,
    tools::batch::{FindNodesByType, FoundNode, NodesFound},
};

use crate::{
    plan::{Context, Read},
    resource::{NodeKind, class_of},
    scene::{Scene, walk},
    tools::page::{PAGE_CHARACTERS, Page},
};

impl Read for FindNodesByType {
    fn read(self, _: &Context) -> Result<NodesFound, Fault> {
        let scene = Scene::active()?;
        let parent = scene.node(&self.parent_path)?;
        let kind = NodeKind::find(&self.node_type, "node_type")?;
        let mut found: Vec<Gd<Node>> = Vec::new();
        let mut note = |node: &Gd<Node>| {
            if kind.has(node) {
                found.push(node.clone());
            }
        };
        if self.recursive {
            walk(&parent, &mut note);
        } else {
            note(&parent);
            parent.get_children().iter_shared().for_each(|child| note(&child));
        }

        let start = self.offset.count();
        let mut window = Page::at(0).window(PAGE_CHARACTERS);
        let page = found.iter().skip(start).take(self.limit.count());
        let nodes: Vec<FoundNode> = page
            .map(|node| FoundNode {
                path: scene.path_of(node),
                name: node.get_name().to_string(),
                class: class_of(node),
            })
            .take_while(|node| window.admits(node))
            .collect();
        let end = start.saturating_add(nodes.len());
        let truncated = end < found.len();
        Ok(NodesFound {
            class: self.node_type,
            count: nodes.len(),
            total: found.len(),
            returned: nodes.len(),
            truncated,
            next_offset: truncated.then_some(end),
            nodes,
        })
    }
}
