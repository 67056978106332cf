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
        check_scene_file(&self.scene_path, "scene_path")?;
        let path = self.scene_path.to_string();
        let already_open = context.tabs.all().iter().any(|tab| tab.path == path);
        let is_active = Scene::active_path().as_ref() == Some(&path);
        let lost_steps = Vec::new();
        let result =
            SceneOpened { scene_path: path.clone(), opened: true, already_open, lost_steps };
        Ok(Plan::view(result, move |context, result| {
            if is_active {
                return Ok(Progress::Done(result));
            }
            let told = move |lost_steps: Vec<String>| SceneOpened { lost_steps, ..result.clone() };
            Ok(Progress::Waiting(open(context, path, told)))
        }))
    }
}

/// Opens a scene, or shows its tab, and gives a result when it is the active one: made of the labels of
/// the undo steps that it has lost by that.
pub(crate) fn open<T: 'static>(
    context: &Context,
    path: String,
    told: impl Fn(Vec<String>) -> T + 'static,
) -> Poll<T> {
    let hidden = context.tabs.hidden(&path);
    EditorInterface::singleton().open_scene_from_path(&path);
    wait_until(
        move |context| {
            let is_active = Scene::active_path().as_ref() == Some(&hidden.path);
            is_active.then(|| {
                context.tabs.look();
                Ok(told(hidden.is_shown(&context.tabs)))
            })
        },
        move || Fault::internal(format!("The editor did not open '{path}'.")),
    )
}
