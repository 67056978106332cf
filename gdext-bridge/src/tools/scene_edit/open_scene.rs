//! `godot_scene_edit_open_scene`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::scene_edit::{OpenScene, SceneOpened},
};

use super::{check_scene_file, wait_until};
use crate::{
    plan::{Context, Edit, Plan, Poll, Progress},
    scene::Scene,
};

impl Edit for OpenScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneOpened>, Fault> {
        check_scene_file(&self.scene_path)?;
        let path = self.scene_path.to_string();
        let already_open = context.tabs.all().iter().any(|tab| tab.path == path);
        let is_active = Scene::active_path().as_ref() == Some(&path);
        let result = SceneOpened { scene_path: path.clone(), opened: true, already_open };
        Ok(Plan::view(result, move |_, result| {
            if is_active {
                return Ok(Progress::Done(result));
            }
            Ok(Progress::Waiting(open(path, result)))
        }))
    }
}

/// Opens a scene, or shows its tab, and gives `result` when it is the active one.
pub(crate) fn open<T: Clone + 'static>(path: String, result: T) -> Poll<T> {
    EditorInterface::singleton().open_scene_from_path(&path);
    let wanted = path.clone();
    wait_until(
        move |context| {
            let is_active = Scene::active_path().as_ref() == Some(&wanted);
            is_active.then(|| {
                context.tabs.look();
                Ok(result.clone())
            })
        },
        move || Fault::internal(format!("The editor did not open '{path}'.")),
    )
}
