//! `godot_scene_edit_reload_scene`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::scene_edit::{ReloadScene, SceneReloaded},
};

use super::{check_scene_file, losses, open_tab, wait_until};
use crate::{
    plan::{Context, Edit, Plan, Poll, Progress},
    scene::Scene,
};

impl Edit for ReloadScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneReloaded>, Fault> {
        let path = self.scene_path.to_string();
        let tab = open_tab(context, &path)?;
        check_scene_file(&self.scene_path)?;
        let (what, lost_steps) = losses(&tab);
        let result = SceneReloaded {
            scene_path: path.clone(),
            reloaded: true,
            had_unsaved_changes: tab.dirty.unwrap_or(true),
            lost_steps,
        };
        let plan = Plan::action(result, move |_, result| {
            Ok(Progress::Waiting(reload(path, tab.active, result)))
        });
        Ok(plan.discarding(what).closing(self.scene_path))
    }
}

/// Reads a scene from its file again, and gives `result` when that is done. That an active scene
/// was read again shows in its root, which is another node then.
pub(super) fn reload<T: Clone + 'static>(path: String, is_active: bool, result: T) -> Poll<T> {
    let root = || Scene::active().ok().map(|scene| scene.root.instance_id());
    let before = root();
    EditorInterface::singleton().reload_scene_from_path(&path);
    let wanted = path.clone();
    wait_until(
        move |context| {
            let is_back = match is_active {
                true => Scene::active_path().as_ref() == Some(&wanted) && root() != before,
                false => root() == before,
            };
            is_back.then(|| {
                context.tabs.saved(&wanted);
                Ok(result.clone())
            })
        },
        move || Fault::internal(format!("The editor did not reload '{path}'.")),
    )
}
