//! `scene_edit`: opens, changes and saves scenes.

mod add_to_group;
mod attach_script;
pub(super) mod close_scene;
mod connect_signal;
mod create_node;
mod create_scene;
mod delete_node;
mod disconnect_signal;
mod duplicate_node;
mod extract_scene;
mod follow;
mod instance_scene;
mod list_open_scenes;
mod list_signal_connections;
mod move_node;
pub(crate) mod open_scene;
mod reload_scene;
mod remove_from_group;
mod rename_node;
mod rescan_filesystem;
mod save_all_scenes;
mod save_scene;
mod select_nodes;
mod set_editable_children;
mod set_node_property;

use std::collections::HashSet;

pub(super) use attach_script::{check_base, load as load_script};
use godot::{
    classes::{
        ClassDb, PackedScene, ResourceLoader, object::ConnectFlags, resource_loader::CacheMode,
    },
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::{
    dialog, history,
    plan::{Context, Poll},
    resource::{dependencies, file_exists, missing_dependencies, nearest},
    scene::Scene,
    tabs::Tab,
    undo::Step,
};

/// How many frames the editor may take to change the scene. It does so in one or two.
const PATIENCE: u32 = 300;

/// Waits until `done` gives the result, or a dialog asks the human, or `late` is the way out.
fn wait_until<T: 'static>(
    mut done: impl FnMut(&Context) -> Option<Result<T, Fault>> + 'static,
    late: impl Fn() -> Fault + 'static,
) -> Poll<T> {
    let mut frames = 0;
    // One that was there before holds nothing up that comes after it.
    let before = dialog::open();
    Box::new(move |context| {
        frames += 1;
        done(context).or_else(|| {
            let asks = dialog::open().filter(|dialog| Some(dialog) != before.as_ref());
            match asks {
                Some(dialog) => Some(Err(dialog::blocking(dialog, &late().hint))),
                None => (frames > PATIENCE).then(|| Err(late())),
            }
        })
    })
}

/// Refuses a path that is no scene file which can be opened: missing, of another kind, or with
/// parts that are missing, which the editor would ask the human about.
pub(in crate::tools) fn check_scene_file(
    path: &ResPath,
    parameter: &'static str,
) -> Result<(), Fault> {
    if !file_exists(path) {
        return Err(Fault::not_found(format!(
            "There is no file '{path}'. See godot_inspection_list_scenes."
        ))
        .requiring(Required::parameter(parameter)));
    }
    let mut loader = ResourceLoader::singleton();
    let is_scene = loader.exists_ex(path.as_str()).type_hint("PackedScene").done()
        && loader
            .get_recognized_extensions_for_type("PackedScene")
            .as_slice()
            .iter()
            .any(|extension| extension.to_string() == path.extension());
    if !is_scene {
        return Err(Fault::invalid(format!("'{path}' is no scene."))
            .requiring(Required::parameter(parameter)));
    }
    let missing = missing_dependencies(path.as_str());
    if missing.is_empty() {
        return check_readable(path, parameter);
    }
    Err(Fault::not_found(format!(
        "'{path}' needs files that are missing: {}. Put them back, or mend the references in the file.",
        missing.join(", ")
    ))
    .requiring(Required::parameter(parameter))
    .with("missing", missing))
}

/// Refuses a file that the engine cannot read: it would close the tab that shows it, and ask the
/// human about it.
fn check_readable(path: &ResPath, parameter: &'static str) -> Result<(), Fault> {
    let mut loader = ResourceLoader::singleton();
    // Past the cache, which may still hold what the file was.
    let read = loader.load_ex(path.as_str()).cache_mode(CacheMode::IGNORE).done();
    let scene = read.and_then(|read| read.try_cast::<PackedScene>().ok());
    if scene.is_some_and(|scene| scene.can_instantiate()) {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "'{path}' cannot be read: it is broken or has no nodes. See engine_errors, and mend the file."
    ))
    .requiring(Required::parameter(parameter)))
}

/// The first of the scenes `goals` that the scene at `path` is, or uses at any depth.
fn way_to(path: &str, goals: &HashSet<String>) -> Option<String> {
    let (mut seen, mut ahead) = (HashSet::new(), vec![path.to_owned()]);
    while let Some(next) = ahead.pop() {
        if goals.contains(&next) {
            return Some(next);
        }
        let is_scene = next.ends_with(".tscn") || next.ends_with(".scn");
        if is_scene && seen.insert(next.clone()) {
            ahead.extend(dependencies(&next).into_iter().map(|(_, path)| path));
        }
    }
    None
}

/// The tab of a scene that must be open.
fn open_tab(context: &Context, path: &str) -> Result<Tab, Fault> {
    context.tabs.all().into_iter().find(|tab| tab.path == path).ok_or_else(|| {
        Fault::precondition(
            Required::OPEN_SCENE,
            format!("'{path}' is not open. See godot_scene_edit_list_open_scenes."),
        )
    })
}

/// What is lost when the tab of a scene goes, in words for the one who is asked to confirm, and the
/// labels of its undo steps.
pub(super) fn losses(tab: &Tab) -> (String, Vec<String>) {
    let steps = history::of_path(&tab.path)
        .map(|undo_redo| history::labels(&undo_redo))
        .unwrap_or_default();
    let what = match tab.dirty {
        Some(false) => format!("the undo history of '{}' (it has no unsaved changes)", tab.path),
        Some(true) => format!("the unsaved changes and the undo history of '{}'", tab.path),
        None => format!("the undo history of '{}', and unsaved changes if it has any", tab.path),
    };
    (what, steps)
}

/// Refuses to change the structure of what another scene defines: the editor does not let the human
/// do it either, and a save would drop it.
fn check_own(scene: &Scene, node: &Gd<Node>, doing: &str) -> Result<(), Fault> {
    match crate::persistence::defined_elsewhere(scene, node) {
        Some(verdict) => Err(Fault::invalid(format!(
            "'{}' cannot be {doing} here. {}",
            scene.path_of(node),
            verdict.hint.unwrap_or_default()
        ))
        .requiring(Required::parameter("node_path"))
        .with("reason", verdict.reason.unwrap_or_default())),
        None => Ok(()),
    }
}

/// Refuses the root, which has no parent to be taken from.
fn check_not_root(scene: &Scene, node: &Gd<Node>, doing: &str) -> Result<(), Fault> {
    if *node == scene.root {
        return Err(Fault::invalid(format!("The root of a scene cannot be {doing}."))
            .requiring(Required::parameter("node_path")));
    }
    Ok(())
}

/// The flag of a connection that an instanced or inherited scene defines. The editor sets it, and the
/// engine does not name it to scripts: it is the bit after the last one that it names.
fn connect_inherited() -> i64 {
    let db = ClassDb::singleton();
    let names = db.class_get_enum_constants("Object", "ConnectFlags");
    let named = names.as_slice().iter();
    let last = named
        .map(|name| db.class_get_integer_constant("Object", &StringName::from(name)))
        .max()
        .unwrap_or_default();
    last.saturating_mul(2)
}

/// A connection of a signal to a method of a node of the scene.
struct Connection {
    signal: String,
    target: Gd<Node>,
    callable: Callable,
    flags: i64,
}

impl Connection {
    /// Whether it is saved with the scene.
    fn is_persistent(&self) -> bool {
        self.flags & i64::from(ConnectFlags::PERSIST.ord() as u32) != 0
    }

    /// Whether another scene defines it.
    fn is_inherited(&self) -> bool {
        self.flags & connect_inherited() != 0
    }
}

/// The connections of the signals of `source` to nodes of its scene. What the editor itself listens
/// to is left out.
fn connections(scene: &Scene, source: &Gd<Node>) -> Vec<Connection> {
    let mut connections = Vec::new();
    for signal in source.get_signal_list().iter_shared() {
        let signal = signal.get("name").map(|name| name.to_string()).unwrap_or_default();
        for entry in source.get_signal_connection_list(signal.as_str()).iter_shared() {
            let callable =
                entry.get("callable").and_then(|callable| callable.try_to::<Callable>().ok());
            let Some(callable) = callable else { continue };
            let target = callable.object().and_then(|target| target.try_cast::<Node>().ok());
            let Some(target) =
                target.filter(|it| *it == scene.root || scene.root.is_ancestor_of(it))
            else {
                continue;
            };
            let flags =
                entry.get("flags").and_then(|flags| flags.try_to().ok()).unwrap_or_default();
            connections.push(Connection { signal: signal.clone(), target, callable, flags });
        }
    }
    connections
}

/// The step that connects a signal, saved with the scene.
fn connect(source: &Gd<Node>, signal: &str, callable: &Callable, flags: i64) -> Step {
    let (do_call, undo_call) = (
        ("connect", vec![signal.to_variant(), callable.to_variant(), flags.to_variant()]),
        ("disconnect", vec![signal.to_variant(), callable.to_variant()]),
    );
    let object = source.clone().upcast::<Object>();
    let (source, signal, callable) = (source.clone(), signal.to_owned(), callable.clone());
    let holds = Box::new(move || source.is_connected(signal.as_str(), &callable));
    Step::Call { object, do_call, undo_call, holds }
}

/// Refuses a signal that a node does not have.
fn check_signal(source: &Gd<Node>, signal: &str) -> Result<(), Fault> {
    if source.has_signal(signal) {
        return Ok(());
    }
    let names = source.get_signal_list();
    let names: Vec<String> =
        names.iter_shared().filter_map(|entry| Some(entry.get("name")?.to_string())).collect();
    let near = nearest(signal, names.iter().map(String::as_str));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    Err(Fault::invalid(format!("'{}' has no signal '{signal}'.{near}", source.get_name()))
        .requiring(Required::parameter("signal_name")))
}

/// Refuses the name of a group that is empty or the engine's own.
fn check_group(group: &str) -> Result<(), Fault> {
    if group.len() > 255
        || group.trim().is_empty()
        || group.starts_with('_')
        || group.chars().any(char::is_control)
    {
        return Err(Fault::invalid(
            "This is no name for a group: it is empty or too long, begins with '_' or has a control \
             character.",
        )
        .requiring(Required::parameter("group")));
    }
    Ok(())
}

/// The step that puts a node into a group, or takes it out.
fn set_group(node: &Gd<Node>, group: &str, in_group: bool) -> Step {
    let add = ("add_to_group", vec![group.to_variant(), true.to_variant()]);
    let remove = ("remove_from_group", vec![group.to_variant()]);
    let (do_call, undo_call) = if in_group { (add, remove) } else { (remove, add) };
    let object = node.clone().upcast::<Object>();
    let (node, group) = (node.clone(), group.to_owned());
    let holds = Box::new(move || node.is_in_group(group.as_str()) == in_group);
    Step::Call { object, do_call, undo_call, holds }
}

/// The step that takes a node out of a group that it is in only while the scene is open.
fn leave_group(node: &Gd<Node>, group: &str) -> Step {
    let object = node.clone().upcast::<Object>();
    let (node, group) = (node.clone(), group.to_owned());
    let do_call = ("remove_from_group", vec![group.to_variant()]);
    let undo_call = ("add_to_group", vec![group.to_variant(), false.to_variant()]);
    let holds = Box::new(move || !node.is_in_group(group.as_str()));
    Step::Call { object, do_call, undo_call, holds }
}
