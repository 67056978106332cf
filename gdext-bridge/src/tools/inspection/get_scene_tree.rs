//! `godot_inspection_get_scene_tree`.

use std::collections::HashMap;

use godot::{
    classes::{PackedScene, Resource, ResourceLoader},
    prelude::*,
};
use protocol::{
    Fault,
    tools::inspection::{GetSceneTree, SceneNode, SceneTree},
};

use crate::{
    plan::{Context, Read},
    resource::script_path,
    scene::Scene,
    tools::page::{PAGE_CHARACTERS, Page, Window},
};

impl Read for GetSceneTree {
    fn read(self, _: &Context) -> Result<SceneTree, Fault> {
        scene_tree(&self, PAGE_CHARACTERS)
    }
}

/// What is asked for of the tree of the active scene, in at most `room` characters.
pub(crate) fn scene_tree(asked: &GetSceneTree, room: usize) -> Result<SceneTree, Fault> {
    let page = Page::parse(&asked.cursor)?;
    let Ok(scene) = Scene::active() else { return Ok(nothing_open()) };
    let mut walk = Walk {
        scene: &scene,
        limit: asked.max_depth.limit(),
        window: page.window(room),
        ancestors: Vec::new(),
        root_scripts: HashMap::new(),
    };
    let root = &scene.root;
    let (tree, text) = if asked.lightweight {
        let mut text = String::new();
        walk.write(root, 0, &mut text);
        (None, Some(text))
    } else {
        (walk.build(root, ".", 0).map(without_lone_ancestors), None)
    };
    let window = walk.window;
    let next_cursor = window.next_cursor();
    Ok(SceneTree {
        tree,
        text,
        scene: Some(scene.path()),
        total: window.seen(),
        returned: window.admitted(),
        truncated: next_cursor.is_some(),
        hint: next_cursor.as_ref().map(|cursor| {
            format!(
                "Call again with cursor=\"{cursor}\" for more, or set lightweight or max_depth."
            )
        }),
        next_cursor,
    })
}

fn nothing_open() -> SceneTree {
    SceneTree {
        tree: None,
        text: None,
        scene: None,
        total: 0,
        returned: 0,
        truncated: false,
        next_cursor: None,
        hint: Some("No scene is open. Open one with godot_scene_edit_open_scene.".to_owned()),
    }
}

/// On its way through the tree, parents first.
struct Walk<'a> {
    scene: &'a Scene,
    limit: Option<usize>,
    window: Window,
    /// The names of the nodes above the one at hand.
    ancestors: Vec<String>,
    /// The scripts that the roots of scenes have, by the scene.
    root_scripts: HashMap<String, Option<String>>,
}

impl Walk<'_> {
    /// A node with what of it and below it is on the page; `None` if nothing is.
    fn build(&mut self, node: &Gd<Node>, path: &str, depth: usize) -> Option<SceneNode> {
        let (admitted, facts) = if self.window.skips() {
            (false, None)
        } else {
            let facts = self.facts(node, path);
            (self.window.admits(&facts), Some(facts))
        };
        let mut children = Vec::new();
        // Asked first, as most nodes have none and the list of children costs more.
        if node.get_child_count() > 0 && self.limit.is_none_or(|limit| depth < limit) {
            if self.window.is_full() {
                self.window.skip(count_below(node, self.limit.map(|limit| limit - depth)));
            } else {
                for child in node.get_children().iter_shared() {
                    let path = path_below(path, &child);
                    children.extend(self.build(&child, &path, depth + 1));
                }
            }
        }
        if !admitted && children.is_empty() {
            return None;
        }
        let facts = facts.unwrap_or_else(|| self.facts(node, path));
        Some(SceneNode { continued: !admitted, children, ..facts })
    }

    fn facts(&self, node: &Gd<Node>, path: &str) -> SceneNode {
        let root = &self.scene.root;
        let owner = node.get_owner().filter(|owner| owner != root && node != root);
        let is_instance = node != root && !node.get_scene_file_path().is_empty();
        SceneNode {
            name: node.get_name().to_string(),
            kind: node.get_class().to_string(),
            path: path.to_owned(),
            script: script_path(node),
            instance: is_instance.then(|| node.get_scene_file_path().to_string()),
            owner: owner.map(|owner| self.scene.path_of(&owner)),
            editable_children: is_instance && root.is_editable_instance(node),
            continued: false,
            children: Vec::new(),
        }
    }

    /// One line a node, with only what is not the same for most nodes.
    fn write(&mut self, node: &Gd<Node>, depth: usize, text: &mut String) {
        if !self.window.skips() {
            let line = self.line(node, depth);
            if self.window.admits_length(line.len()) {
                if text.is_empty() && !self.ancestors.is_empty() {
                    text.push_str(&format!("# below {}\n", self.ancestors.join("/")));
                }
                text.push_str(&line);
            }
        }
        if node.get_child_count() == 0 || self.limit.is_some_and(|limit| depth >= limit) {
            return;
        }
        if self.window.is_full() {
            self.window.skip(count_below(node, self.limit.map(|limit| limit - depth)));
        } else {
            if depth > 0 {
                self.ancestors.push(node.get_name().to_string());
            }
            for child in node.get_children().iter_shared() {
                self.write(&child, depth + 1, text);
            }
            if depth > 0 {
                self.ancestors.pop();
            }
        }
    }

    fn line(&mut self, node: &Gd<Node>, depth: usize) -> String {
        let mut line = format!("{}{} {}", " ".repeat(depth), node.get_name(), node.get_class());
        if let Some(script) = script_path(node)
            && !self.is_script_of_its_scene(node, &script)
        {
            line.push_str(&format!(" script={script}"));
        }
        let root = &self.scene.root;
        if node != root && !node.get_scene_file_path().is_empty() {
            let editable = if root.is_editable_instance(node) { " editable" } else { "" };
            line.push_str(&format!(" instance={}{editable}", node.get_scene_file_path()));
        }
        line.push('\n');
        line
    }
}

impl Walk<'_> {
    /// Whether an instanced scene says that the node has this script, so that it is no news here.
    fn is_script_of_its_scene(&mut self, node: &Gd<Node>, script: &str) -> bool {
        let root = &self.scene.root;
        if node == root {
            return false;
        }
        if let Some(owner) = node.get_owner().filter(|owner| owner != root) {
            return !root.is_editable_instance(&owner);
        }
        let file = node.get_scene_file_path().to_string();
        if file.is_empty() {
            return false;
        }
        let of_scene =
            self.root_scripts.entry(file).or_insert_with_key(|file| script_of_root(file));
        of_scene.as_deref() == Some(script)
    }
}

/// The script of the root of a scene, by the scene itself or one that it inherits.
fn script_of_root(file: &str) -> Option<String> {
    let scene = ResourceLoader::singleton().load(file)?.try_cast::<PackedScene>().ok()?;
    let mut at = scene.get_state();
    while let Some(state) = at {
        for index in 0..state.get_node_property_count(0) {
            if state.get_node_property_name(0, index) == "script" {
                let script = state.get_node_property_value(0, index).try_to::<Gd<Resource>>();
                return script.ok().map(|script| script.get_path().to_string());
            }
        }
        at = state.get_node_instance(0).and_then(|base| base.get_state());
    }
    None
}

/// The path of a child of the node at `path`.
fn path_below(path: &str, child: &Gd<Node>) -> String {
    let name = child.get_name();
    if path == "." { name.to_string() } else { format!("{path}/{name}") }
}

/// How many nodes lie below `node`, down to a depth.
fn count_below(node: &Gd<Node>, depth: Option<usize>) -> usize {
    if depth == Some(0) || node.get_child_count() == 0 {
        return 0;
    }
    let depth = depth.map(|depth| depth - 1);
    let children = node.get_children();
    children.len() + children.iter_shared().map(|child| count_below(&child, depth)).sum::<usize>()
}

/// On a later page, the ancestors which all of its nodes share are left out but for the lowest: the
/// path of each node tells where it is.
fn without_lone_ancestors(mut tree: SceneNode) -> SceneNode {
    while tree.continued
        && tree.children.len() == 1
        && tree.children.first().is_some_and(|child| child.continued)
        && let Some(child) = tree.children.pop()
    {
        tree = child;
    }
    tree
}
