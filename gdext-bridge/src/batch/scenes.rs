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
        let by = |list: &[(String, usize)], path: &Option<String>| {
            list.iter().find(|(it, _)| Some(it) == path.as_ref()).map(|(_, index)| *index)
        };
        let (path, why) = if let Some(index) = by(&self.changed, &reach.closes) {
            (&reach.closes, format!("command {index} of the same batch changes it"))
        } else if let Some(index) = by(&self.closing, &reach.changes) {
            (&reach.changes, format!("command {index} of the same batch closes it"))
        } else {
            return Ok(());
        };
        let path = path.clone().unwrap_or_default();
        Err(Fault::precondition(
            Required::parameter("commands"),
            format!(
                "'{path}' is closed or read again by this batch, and {why}: the undo step of the batch \
                 would go with the scene. Make two calls of it. Save the scene with \
                 godot_scene_edit_save_scene in between, if what was changed is to stay."
            ),
        )
        .with("scene_path", path))
    }

    /// An entry was done.
    pub(super) fn note(&mut self, index: usize, reach: Reach) {
        self.changed.extend(reach.changes.map(|path| (path, index)));
        self.closing.extend(reach.closes.filter(|_| reach.closes_late).map(|path| (path, index)));
    }
}
