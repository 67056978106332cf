//! `godot_scene_edit_save_scene`.

use godot::{classes::EditorInterface, global::Error, prelude::*};
use protocol::{
    Fault, Required,
    envelope::Dialog,
    tools::scene_edit::{SaveScene, SceneSaved},
};

use crate::{
    dialog,
    plan::{Context, Edit, Plan, Progress},
    scene::Scene,
    tabs::FileMark,
};

impl Edit for SaveScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneSaved>, Fault> {
        let path = Scene::active()?.path();
        if path.is_empty() {
            return Err(Fault::precondition(
                Required::SCENE_SAVED,
                "The active scene was never saved and has no file. Ask the human to save it once, or \
                 make scenes with godot_scene_edit_create_scene, which gives them a file.",
            ));
        }
        let result = SceneSaved {
            saved: true,
            path: Some(path.clone()),
            changed_on_disk: context.tabs.changed_on_disk(&path),
        };
        Ok(Plan::action(result, move |context, result| {
            let (before, dialog) = (FileMark::of(&path), dialog::open());
            let error = EditorInterface::singleton().save_scene();
            // The editor answers OK also when it asked the human and wrote nothing, so the file
            // itself is looked at: a save writes it anew even where nothing changed.
            if error != Error::OK || FileMark::of(&path) == before {
                return Err(refused(
                    dialog,
                    &format!("The editor did not write '{path}' ({error:?})"),
                ));
            }
            context.tabs.saved(&path);
            Ok(Progress::Done(result))
        }))
    }
}

/// The editor saved nothing: it asks the human, or has printed why. A dialog that was there before
/// has nothing to do with it.
pub(super) fn refused(before: Option<Dialog>, what: &str) -> Fault {
    match dialog::open().filter(|dialog| Some(dialog) != before.as_ref()) {
        Some(dialog) => dialog::blocking(dialog, what),
        None => Fault::internal(format!("{what}. See engine_errors.")),
    }
}
