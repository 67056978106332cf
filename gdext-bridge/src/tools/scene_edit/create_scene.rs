//! `godot_scene_edit_create_scene`.

use godot::{
    classes::{PackedScene, ResourceSaver, resource_saver::SaverFlags},
    global::Error,
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath,
    tools::scene_edit::{CreateScene, SceneCreated},
};

use super::{losses, open_scene::open, reload_scene::reload};
use crate::{
    files::{make_folders, remove_folders, unwritable},
    plan::{Context, Edit, Plan, Poll, Progress},
    refresh,
    resource::{NodeClass, file_exists, on_disk},
    scene::{Scene, check_name},
};

impl Edit for CreateScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneCreated>, Fault> {
        let path = self.scene_path.clone();
        check_target(&path)?;
        let class = NodeClass::find(&self.root_type, "root_type")?;
        let name = root_name(&path);
        check_name(&name, "scene_path")?;
        let overwrote = file_exists(&path);
        let tab = context.tabs.all().into_iter().find(|tab| tab.path == path.as_str());
        let result = SceneCreated {
            scene_path: path.to_string(),
            root_type: self.root_type,
            created: true,
            overwrote,
            file_kept_on_undo: true,
        };
        let lost = tab.as_ref().map(|tab| format!(", and {}", losses(tab).0)).unwrap_or_default();
        let what = format!("{}{lost}", replaced(path.as_str()));
        let is_open = tab.is_some();
        let closed = path.clone();
        let plan = Plan::action(result, move |context, result| {
            write(&path, &class, &name)?;
            let is_active = Scene::active_path().as_deref() == Some(path.as_str());
            // An open tab shows the old scene, which the next save would write over the new one.
            Ok(Progress::Waiting(match is_open {
                true if is_active => reload(context, path.to_string(), true, result),
                true => reload_and_show(context, path.to_string(), result),
                false => open(context, path.to_string(), move |_| result.clone()),
            }))
        });
        let plan = if is_open { plan.closing(closed) } else { plan };
        Ok(if overwrote { plan.discarding(what) } else { plan })
    }
}

/// Reads a scene in another tab again, then shows it: two scene changes, each in its own frame.
fn reload_and_show(context: &Context, path: String, result: SceneCreated) -> Poll<SceneCreated> {
    let mut first = reload(context, path.clone(), false, result);
    let mut second = None;
    Box::new(move |context| match &mut second {
        None => match first(context)? {
            Ok(result) => {
                second = Some(open(context, path.clone(), move |_| result.clone()));
                None
            }
            Err(fault) => Some(Err(fault)),
        },
        Some(second) => second(context),
    })
}

/// Refuses a path that no scene can be written to.
pub(super) fn check_target(path: &ResPath) -> Result<(), Fault> {
    if !["tscn", "scn"].contains(&path.extension().as_str()) {
        return Err(Fault::invalid(format!("'{path}' does not end in '.tscn' or '.scn'."))
            .requiring(Required::parameter("scene_path")));
    }
    crate::resource::check_target(path, "scene_path")
}

/// What is lost with the scene that a file holds, in words for the one who is asked to confirm.
pub(super) fn replaced(path: &str) -> String {
    let scene = Scene::active().ok().filter(|scene| scene.path() != path);
    let mut shown = Vec::new();
    if let Some(scene) = scene {
        scene.walk(&mut |node| {
            if *node != scene.root && node.get_scene_file_path() == path {
                shown.push(scene.path_of(node));
            }
        });
    }
    let what = format!("the scene that '{path}' holds now");
    let Some(first) = shown.first() else { return what };
    match shown.len() - 1 {
        0 => format!("{what}, of which '{first}' in the active scene is an instance"),
        more => {
            format!("{what}, of which '{first}' and {more} more in the active scene are instances")
        }
    }
}

/// Writes a scene with nothing but a root.
fn write(path: &ResPath, class: &NodeClass, name: &str) -> Result<(), Fault> {
    let mut root = class.instantiate()?;
    root.set_name(name);
    let saved = save(&root, path);
    root.free();
    saved
}

/// Writes `root` and what it owns as a scene, makes the folders that the file lies in, and tells the
/// editor of it.
pub(super) fn save(root: &Gd<Node>, path: &ResPath) -> Result<(), Fault> {
    let made = make_folders(&on_disk(path.as_str()));
    let made = made.map_err(|error| unwritable(path.as_str(), &error))?;
    let saved = save_in_folder(root, path);
    if saved.is_err() {
        remove_folders(&made);
    }
    saved
}

fn save_in_folder(root: &Gd<Node>, path: &ResPath) -> Result<(), Fault> {
    let mut packed = PackedScene::new_gd();
    let is_packed = packed.pack(root);
    if is_packed != Error::OK {
        return Err(Fault::internal(format!(
            "The engine could not pack the scene ({is_packed:?})."
        )));
    }
    let saved = ResourceSaver::singleton()
        .save_ex(&packed)
        .path(path.as_str())
        .flags(SaverFlags::CHANGE_PATH)
        .done();
    if saved != Error::OK {
        return Err(Fault::internal(format!("'{path}' cannot be written ({saved:?}).")));
    }
    refresh::update(path.as_str());
    Ok(())
}

/// The name of the root: that of the file, in the form that the editor gives to names of nodes.
fn root_name(path: &ResPath) -> String {
    let file = path.as_str().rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    GString::from(stem).to_pascal_case().to_string()
}
