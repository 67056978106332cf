//! The open scenes that the entries of a batch change, and those that they close. The undo step of a
//! batch that changes a scene, with the files that it is also about, is in the history of that scene,
//! and goes with it; so no entry of the same batch may close it.

use protocol::{Fault, Required};

use crate::plan::Reach;

/// What the entries so far do to open scenes.
#[derive(Default)]
pub(super) struct Scenes {
    changed: Vec<(String, usize)>,
    /// Those that are closed only after all steps are registered.
    closing: Vec<(String, usize)>,
}

impl Scenes {
    /// Refuses an entry that closes what an earlier one changed, or changes what an earlier one
    /// closes.
    pub(super) fn check(&self, reach: &Reach) -> Result<(), Fault> {
        let by = |list: &[(String, usize)], path: Option<&str>| {
            list.iter().find(|(it, _)| Some(it.as_str()) == path).map(|(_, index)| *index)
        };
        let (closes, changes) = (reach.closes.as_deref(), reach.step.scene());
        if let (Some(path), Some(index)) = (closes, by(&self.changed, closes)) {
            return Err(refused(path, index, "changes"));
        }
        match (changes, by(&self.closing, changes)) {
            (Some(path), Some(index)) => Err(refused(path, index, "closes")),
            _ => Ok(()),
        }
    }

    /// An entry was done.
    pub(super) fn note(&mut self, index: usize, reach: Reach) {
        self.changed.extend(reach.step.scene().map(|path| (path.to_owned(), index)));
        self.closing.extend(reach.closes.filter(|_| reach.closes_late).map(|path| (path, index)));
    }
}

/// What is said of an entry that closes a scene, and of one before it that does something to that, or the
/// other way round.
pub(super) fn refused(path: &str, by: usize, does: &str) -> Fault {
    Fault::precondition(
        Required::parameter("commands"),
        format!(
            "'{path}' is closed or read again by this batch, and command {by} of the same batch {does} \
             it: the undo step of the batch would go with the scene. Make two calls of it. Save the \
             scene with godot_scene_edit_save_scene in between, if what was changed is to stay."
        ),
    )
    .with("scene_path", path)
}
