//! `godot_scene_edit_close_scene`.

use godot::{
    classes::{ClassDb, EditorInterface},
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::scene_edit::{CloseScene, SceneClosed},
};

use super::{losses, open_tab, wait_until};
use crate::{
    plan::{Context, Edit, Plan, Poll, Progress},
    resource::godot_version,
    scene::Scene,
};

impl Edit for CloseScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneClosed>, Fault> {
        check_can_close()?;
        let path = match self.scene_path {
            Some(path) => path.to_string(),
            None => Scene::active()?.path(),
        };
        let tab = open_tab(context, &path)?;
        let (what, lost_steps) = losses(&tab);
        let result = SceneClosed {
            scene_path: path.clone(),
            closed: true,
            had_unsaved_changes: tab.dirty.unwrap_or(true),
            lost_steps,
        };
        let closed = path.clone();
        let plan = Plan::action(result, move |context, result| {
            Ok(Progress::Waiting(close(context, path, result)?))
        });
        Ok(plan.discarding(what).closing(closed))
    }
}

/// Refuses where this Godot cannot close a scene.
pub(in crate::tools) fn check_can_close() -> Result<(), Fault> {
    if ClassDb::singleton().class_has_method("EditorInterface", "close_scene") {
        return Ok(());
    }
    Err(Fault::unsupported(format!(
        "Godot {} cannot close a scene for us; 4.5 and later can. Ask the human to close the tab.",
        godot_version()
    ))
    .requiring(Required::GODOT_VERSION))
}

/// Closes a tab. The editor closes the active one only, so another is shown first, and the one that
/// was active is shown again at the end: three scene changes, each in a frame of its own.
pub(in crate::tools) fn close<T: Clone + 'static>(
    context: &Context,
    path: String,
    result: T,
) -> Result<Poll<T>, Fault> {
    let before = Scene::active_path().filter(|active| *active != path && !active.is_empty());
    let before = before.map(|active| context.tabs.hidden(&active));
    let count = move |context: &Context, path: &str| {
        context.tabs.all().iter().filter(|tab| tab.path == path).count()
    };
    let open = count(context, &path);
    let mut stage = Stage::Show;
    let late = format!("The editor did not close '{path}'.");
    if before.is_some() {
        EditorInterface::singleton().open_scene_from_path(&path);
    } else {
        ask_to_close()?;
        stage = Stage::Close;
    }
    Ok(wait_until(
        move |context| match stage {
            Stage::Show => {
                if Scene::active_path().as_ref() == Some(&path) {
                    stage = Stage::Close;
                    return ask_to_close().err().map(Err);
                }
                None
            }
            Stage::Close => {
                if count(context, &path) == open {
                    return None;
                }
                match &before {
                    Some(before) if Scene::active_path().as_ref() != Some(&before.path) => {
                        EditorInterface::singleton().open_scene_from_path(&before.path);
                        stage = Stage::Return;
                        None
                    }
                    Some(before) => {
                        before.is_shown(&context.tabs);
                        Some(Ok(result.clone()))
                    }
                    None => Some(Ok(result.clone())),
                }
            }
            Stage::Return => {
                let before = before.as_ref()?;
                (Scene::active_path().as_ref() == Some(&before.path)).then(|| {
                    before.is_shown(&context.tabs);
                    Ok(result.clone())
                })
            }
        },
        move || Fault::internal(late.clone()),
    ))
}

/// How far the closing of a tab got.
enum Stage {
    Show,
    Close,
    Return,
}

fn ask_to_close() -> Result<(), Fault> {
    // By name, as the method is younger than the oldest Godot that we load in.
    EditorInterface::singleton().try_call("close_scene", &[]).map(drop).map_err(|error| {
        Fault::internal(format!("The editor refused to close the scene: {error}."))
    })
}
