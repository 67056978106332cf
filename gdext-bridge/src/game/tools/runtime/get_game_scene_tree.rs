//! `godot_runtime_get_game_scene_tree`.

use godot::{classes::Node, prelude::*};
use protocol::{
    Fault,
    tools::runtime::{GameNode, GameSceneTree, GetGameSceneTree},
};

use crate::{
    game::probe::{InGame, Needs, Probe, Soon},
    resource::class_of,
    tools::page::{PAGE_CHARACTERS, Page, Window},
};

impl InGame for GetGameSceneTree {
    fn needs(&self) -> Needs {
        Needs::Look
    }

    fn answer(self, game: &Probe) -> Result<Soon<GameSceneTree>, Fault> {
        let node = game.node(&self.node_path)?;
        let mut window = Page::parse(&self.cursor)?.window(PAGE_CHARACTERS);
        let tree = build(&node, self.max_depth.limit(), &mut window);
        let next_cursor = window.next_cursor();
        Ok(Soon::Now(GameSceneTree {
            playing: true,
            connected: true,
            ready: true,
            tree,
            total: window.seen(),
            returned: window.admitted(),
            truncated: next_cursor.is_some(),
            next_cursor,
        }))
    }
}

/// A node with what of it and below it is on the page; `None` if nothing is.
fn build(node: &Gd<Node>, limit: Option<usize>, window: &mut Window) -> Option<GameNode> {
    let mut facts = GameNode {
        name: node.get_name().to_string(),
        kind: class_of(node),
        path: node.get_path().to_string(),
        continued: false,
        children: Vec::new(),
    };
    let admitted = window.admits(&facts);
    if limit != Some(0) {
        let limit = limit.map(|limit| limit - 1);
        for child in node.get_children().iter_shared() {
            facts.children.extend(build(&child, limit, window));
        }
    }
    facts.continued = !admitted;
    (admitted || !facts.children.is_empty()).then_some(facts)
}
