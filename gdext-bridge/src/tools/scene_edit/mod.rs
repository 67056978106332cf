//! `scene_edit`: opens, changes and saves scenes.

mod close_scene;
mod create_node;
mod create_scene;
mod delete_node;
mod duplicate_node;
mod follow;
mod instance_scene;
mod list_open_scenes;
mod move_node;
mod open_scene;
mod reload_scene;
mod rename_node;
mod save_scene;
mod select_nodes;
mod set_node_property;

use godot::{classes::ResourceLoader, prelude::*};
use protocol::{Fault, Required, ResPath};

use crate::{
    dispatch::{Context, Poll},
    history,
    resource::file_exists,
    scene::Scene,
    tabs::Tab,
};

/// How many frames the editor may take to change the scene. It does so in one or two.
const PATIENCE: u32 = 300;

/// Waits until `done` gives the result; with `late` as the way out if it never does.
fn wait_until<T: 'static>(
    mut done: impl FnMut(&Context) -> Option<Result<T, Fault>> + 'static,
    late: impl Fn() -> Fault + 'static,
) -> Poll<T> {
    let mut frames = 0;
    Box::new(move |context| {
        frames += 1;
        done(context).or_else(|| (frames > PATIENCE).then(|| Err(late())))
    })
}

/// Refuses a path that is no scene file which can be opened: missing, of another kind, or with
/// parts that are missing, which the editor would ask the human about.
fn check_scene_file(path: &ResPath) -> Result<(), Fault> {
    if !file_exists(path) {
        return Err(Fault::not_found(format!(
            "There is no file '{path}'. See godot_inspection_list_scenes."
        ))
        .requiring(Required::parameter("scene_path")));
    }
    let mut loader = ResourceLoader::singleton();
    if !loader.exists_ex(path.as_str()).type_hint("PackedScene").done() {
        return Err(Fault::invalid(format!("'{path}' is no scene."))
            .requiring(Required::parameter("scene_path")));
    }
    let missing: Vec<String> = dependencies(path.as_str())
        .into_iter()
        .filter(|path| !loader.exists(path.as_str()))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Fault::not_found(format!(
        "'{path}' needs files that are missing: {}. Put them back, or mend the references in the file.",
        missing.join(", ")
    ))
    .with("missing", missing))
}

/// The files that a file names, as paths.
fn dependencies(path: &str) -> Vec<String> {
    let list = ResourceLoader::singleton().get_dependencies(path);
    let list = list.as_slice().iter().map(ToString::to_string);
    // An entry is a path, or `uid::type::path`; a UID that leads somewhere beats the path.
    list.map(|entry| {
        let mut parts = entry.split("::");
        let first = parts.next().unwrap_or_default().to_owned();
        let uid = first.starts_with("uid://") && ResourceLoader::singleton().exists(first.as_str());
        match parts.last() {
            Some(path) if !uid => path.to_owned(),
            _ => first,
        }
    })
    .collect()
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
/// labels of its undo steps. Those of another tab cannot be told.
fn losses(tab: &Tab) -> (String, Vec<String>) {
    let scene = Scene::active().ok().filter(|_| tab.active);
    let undo_redo = scene.as_ref().and_then(history::of_scene);
    let steps = undo_redo.map(|undo_redo| history::labels(&undo_redo)).unwrap_or_default();
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
