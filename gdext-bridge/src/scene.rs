//! The edited scene as handlers see it: found or a fault, its nodes by path, its names foretold.

use std::collections::{HashMap, HashSet};

use godot::{
    classes::{EditorInterface, Node, ProjectSettings},
    prelude::*,
};
use protocol::{Fault, NodePath, Required};

use crate::resource::nearest;

/// A scene that is open in the editor, by its root.
#[derive(Clone)]
pub(crate) struct Scene {
    /// The root of the edited scene.
    pub(crate) root: Gd<Node>,
}

impl Scene {
    /// The active scene.
    pub(crate) fn active() -> Result<Scene, Fault> {
        match EditorInterface::singleton().get_edited_scene_root() {
            Some(root) => Ok(Scene { root }),
            None => Err(Fault::precondition(
                Required::ACTIVE_SCENE,
                "No scene is open. Open one with godot_scene_edit_open_scene, or make one with \
                 godot_scene_edit_create_scene.",
            )),
        }
    }

    /// The path of the active scene: empty if it was never saved, `None` if no scene is open.
    pub(crate) fn active_path() -> Option<String> {
        Scene::active().ok().map(|scene| scene.path())
    }

    /// Its file; empty if it was never saved.
    pub(crate) fn path(&self) -> String {
        String::from(self.root.get_scene_file_path())
    }

    /// The node at `path`.
    pub(crate) fn node(&self, path: &NodePath) -> Result<Gd<Node>, Fault> {
        let found = self.root.get_node_or_null(path.as_str());
        found.ok_or_else(|| self.no_such_node(path))
    }

    /// The path of a node, relative to the root.
    pub(crate) fn path_of(&self, node: &Gd<Node>) -> String {
        if *node == self.root { ".".to_owned() } else { self.root.get_path_to(node).to_string() }
    }

    /// The path that a child of `parent` called `name` has.
    pub(crate) fn path_below(&self, parent: &Gd<Node>, name: &str) -> String {
        if *parent == self.root {
            name.to_owned()
        } else {
            format!("{}/{name}", self.path_of(parent))
        }
    }

    /// Calls `visit` with every node of the scene, instanced ones included, parents first.
    pub(crate) fn walk(&self, visit: &mut impl FnMut(&Gd<Node>)) {
        walk(&self.root, visit);
    }

    /// The same with what the path of each begins with, which its name ends; `None` for the root.
    pub(crate) fn walk_paths(&self, visit: &mut impl FnMut(&Gd<Node>, Option<&str>)) {
        visit(&self.root, None);
        walk_paths_below(&self.root, "", visit);
    }

    fn no_such_node(&self, path: &NodePath) -> Fault {
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        let (mut same, mut all) = (Vec::new(), Vec::new());
        self.walk(&mut |node| {
            if node.get_name() == name {
                same.push(self.path_of(node));
            }
            all.push(self.path_of(node));
        });
        same.truncate(8);
        let fault = |hint: String| Fault::not_found(hint).requiring(Required::NODE_EXISTS);
        if !same.is_empty() {
            return fault(format!(
                "No node at '{path}'. A node called '{name}' is at: {}.",
                same.join(", ")
            ))
            .with("candidates", same);
        }
        let near = nearest(path.as_str(), all.iter().map(String::as_str));
        match near {
            Some(near) => fault(format!("No node at '{path}'. Did you mean '{near}'?"))
                .with("candidates", vec![near.to_owned()]),
            None => fault(format!(
                "No node at '{path}'. See the paths with godot_inspection_get_scene_tree."
            )),
        }
    }
}

/// Calls `visit` with `node` and every node below it, parents first.
pub(crate) fn walk(node: &Gd<Node>, visit: &mut impl FnMut(&Gd<Node>)) {
    visit(node);
    // Most nodes have none, for whom a list of them need not be made.
    if node.get_child_count() == 0 {
        return;
    }
    for child in node.get_children().iter_shared() {
        walk(&child, visit);
    }
}

fn walk_paths_below(
    node: &Gd<Node>,
    beginning: &str,
    visit: &mut impl FnMut(&Gd<Node>, Option<&str>),
) {
    for child in node.get_children().iter_shared() {
        visit(&child, Some(beginning));
        if child.get_child_count() > 0 {
            let beginning = path_at(&child, beginning) + "/";
            walk_paths_below(&child, &beginning, visit);
        }
    }
}

/// The path of a node that begins like this.
pub(crate) fn path_at(node: &Gd<Node>, beginning: &str) -> String {
    // Formatting would take the name character by character.
    beginning.to_owned() + &String::from(GString::from(&node.get_name()))
}

/// The nearest ancestor that is an instance of a scene (`node` itself counts), below `root`.
pub(crate) fn instance_root(node: &Gd<Node>, root: &Gd<Node>) -> Option<Gd<Node>> {
    let mut at = Some(node.clone());
    while let Some(node) = at.filter(|node| node != root) {
        if !node.get_scene_file_path().is_empty() {
            return Some(node);
        }
        at = node.get_parent();
    }
    None
}

/// The name that a child gets which is added to `parent` as `wanted`: a name that is taken gets a
/// number, as `Node::_generate_serial_child_name` of the engine does it. `except` is a child whose
/// own name does not count as taken.
pub(crate) fn free_name(parent: &Gd<Node>, wanted: &str, except: Option<&Gd<Node>>) -> String {
    let is_taken = |name: &str| {
        let found = parent.get_node_or_null(name);
        found.is_some_and(|child| {
            child.get_parent().as_ref() == Some(parent) && Some(&child) != except
        })
    };
    if is_taken(wanted) { Numbered::from(wanted).find_free(is_taken) } else { wanted.to_owned() }
}

/// The names that several children get which are added to one parent after each other.
#[derive(Default)]
pub(crate) struct NewNames {
    taken: HashSet<String>,
    /// How far the numbers of a name got.
    numbers: HashMap<String, Numbered>,
}

impl NewNames {
    /// The name that the next child gets. `is_taken` tells of the children that are there already.
    pub(crate) fn next(&mut self, wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let is_taken = |name: &str| self.taken.contains(name) || is_taken(name);
        let name = if is_taken(wanted) {
            let numbers = self.numbers.entry(wanted.to_owned());
            numbers.or_insert_with(|| Numbered::from(wanted)).find_free(is_taken)
        } else {
            wanted.to_owned()
        };
        self.taken.insert(name.clone());
        name
    }
}

/// A name with a number at its end, which is counted up.
struct Numbered {
    stem: String,
    number: String,
}

impl Numbered {
    fn from(wanted: &str) -> Numbered {
        let separator = match ProjectSettings::singleton()
            .get_setting("editor/naming/node_name_num_separator")
            .try_to::<i64>()
        {
            Ok(1) => " ",
            Ok(2) => "_",
            Ok(3) => "-",
            _ => "",
        };
        let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = wanted.get(stem.len()..).unwrap_or_default();
        let (stem, number) = match stem.strip_suffix(separator) {
            Some(_) if !digits.is_empty() => (stem.to_owned(), digits.to_owned()),
            _ => (format!("{wanted}{separator}"), "1".to_owned()),
        };
        Numbered { stem, number }
    }

    fn find_free(&mut self, is_taken: impl Fn(&str) -> bool) -> String {
        loop {
            self.number = increased(&self.number);
            let name = format!("{}{}", self.stem, self.number);
            if !is_taken(&name) {
                return name;
            }
        }
    }
}

/// A number in digits, one higher; leading zeros stay as the engine keeps them.
fn increased(digits: &str) -> String {
    let mut out: Vec<char> = digits.chars().collect();
    for digit in out.iter_mut().rev() {
        if *digit == '9' {
            *digit = '0';
        } else {
            *digit = char::from_digit(digit.to_digit(10).unwrap_or(0) + 1, 10).unwrap_or('0');
            return out.into_iter().collect();
        }
    }
    out.insert(0, '1');
    out.into_iter().collect()
}

/// The longest name of a node that we give: the longest that a file system has for a file.
const LONGEST_NAME: usize = 255;

/// Refuses a name that the engine would change or that cannot be in a path.
pub(crate) fn check_name(name: &str, parameter: &'static str) -> Result<(), Fault> {
    let refuse = |why: &str| {
        Err(Fault::invalid(format!("{parameter} {name:?} {why}."))
            .requiring(Required::parameter(parameter)))
    };
    if name.trim().is_empty() {
        return refuse("is empty");
    }
    if name.len() > LONGEST_NAME {
        return Err(Fault::invalid(format!("{parameter} has more than {LONGEST_NAME} bytes."))
            .requiring(Required::parameter(parameter)));
    }
    if name != name.trim() {
        return refuse("begins or ends with a space");
    }
    if let Some(bad) = name.chars().find(|c| ['.', ':', '@', '/', '"', '%'].contains(c)) {
        return refuse(&format!("has the character '{bad}', which node names cannot have"));
    }
    if name.chars().any(char::is_control) {
        return refuse("has a control character");
    }
    Ok(())
}
