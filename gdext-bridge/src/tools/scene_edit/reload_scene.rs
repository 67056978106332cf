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
        check_scene_file(&self.scene_path, "scene_path")?;
        let (what, lost_steps) = losses(&tab);
        let result = SceneReloaded {
            scene_path: path.clone(),
            reloaded: true,
            had_unsaved_changes: tab.dirty.unwrap_or(true),
            lost_steps,
        };
        let plan = Plan::action(result, move |context, result| {
            Ok(Progress::Waiting(reload(context, path, tab.active, result)))
        });
        Ok(plan.discarding(what).closing(self.scene_path))
    }
}

/// Reads a scene from its file again, and gives `result` when that is done. That an active scene
/// was read again shows in its root, which is another node then; where another one is, that is shown
/// again at the end.
pub(super) fn reload<T: Clone + 'static>(
    context: &Context,
    path: String,
    is_active: bool,
    result: T,
) -> Poll<T> {
    /// In how many frames the editor comes back to the scene that was active, if it does so by itself.
    const PATIENCE: u32 = 3;
    let root = || Scene::active().ok().map(|scene| scene.root.instance_id());
    let shown = Scene::active_path().filter(|path| !path.is_empty() && !is_active);
    let (before, shown) = (root(), shown.map(|path| context.tabs.hidden(&path)));
    EditorInterface::singleton().reload_scene_from_path(&path);
    let wanted = path.clone();
    let mut frames = 0;
    wait_until(
        move |context| {
            frames += 1;
            let is_shown = Scene::active_path().as_ref() == Some(&wanted);
            if let Some(shown) = shown.as_ref().filter(|_| is_shown)
                && frames == PATIENCE
            {
                // It stays at a tab that lies before the one that was active.
                EditorInterface::singleton().open_scene_from_path(&shown.path);
            }
            let is_back = match (is_active, &shown) {
                (true, _) => is_shown && root() != before,
                (false, Some(shown)) => Scene::active_path().as_ref() == Some(&shown.path),
                // One that was never saved cannot be shown again.
                (false, None) => frames > PATIENCE,
            };
            is_back.then(|| {
                if let Some(shown) = &shown {
                    shown.is_shown(&context.tabs);
                }
                context.tabs.saved(&wanted);
                Ok(result.clone())
            })
        },
        move || Fault::internal(format!("The editor did not reload '{path}'.")),
    )
}
