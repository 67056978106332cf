//! Saving the active scene, and finding out whether that worked.

use godot::{classes::EditorInterface, global::Error, prelude::*};
use protocol::{Fault, Required, envelope::Dialog};

use crate::{dialog, file_mark::FileMark, scene::Scene, tabs::Tabs};

/// The path of the scene, which must have one, as the editor would ask the human for it otherwise.
pub(crate) fn require_path(scene: &Scene) -> Result<String, Fault> {
    let path = scene.path();
    if path.is_empty() {
        return Err(Fault::precondition(
            Required::SCENE_SAVED,
            "The active scene was never saved and has no file. Ask the human to save it once, or \
             make scenes with godot_scene_edit_create_scene, which gives them a file.",
        ));
    }
    Ok(path)
}

/// Refuses a save that would write over what somebody else has made of the file since the editor read
/// or wrote it. `parameter` is the argument that the save is asked for with.
pub(crate) fn check_unchanged(
    tabs: &Tabs,
    path: &str,
    parameter: &'static str,
) -> Result<(), Fault> {
    if !tabs.changed_on_disk(path) {
        return Ok(());
    }
    Err(Fault::precondition(
        Required::parameter(parameter),
        format!(
            "'{path}' was changed on the disk by somebody else since it was opened, and a save would \
             write over that. Read it again with godot_scene_edit_reload_scene."
        ),
    ))
}

/// Saves the active scene, whose path is `path`.
pub(crate) fn save_active(tabs: &Tabs, path: &str) -> Result<(), Fault> {
    let (before, dialog) = (FileMark::of(path), dialog::open());
    let error = EditorInterface::singleton().save_scene();
    // The editor answers OK also when it asked the human and wrote nothing, so the file itself is
    // looked at: a save writes it anew even where nothing changed.
    if error != Error::OK || FileMark::of(path) == before {
        return Err(refused(dialog, &format!("The editor did not write '{path}' ({error:?})")));
    }
    tabs.saved(path);
    Ok(())
}

/// The editor saved nothing: it asks the human, or has printed why. A dialog that was there before
/// has nothing to do with it.
pub(crate) fn refused(before: Option<Dialog>, what: &str) -> Fault {
    match dialog::open().filter(|dialog| Some(dialog) != before.as_ref()) {
        Some(dialog) => dialog::blocking(dialog, what),
        None => Fault::internal(format!("{what}. See engine_errors.")),
    }
}
