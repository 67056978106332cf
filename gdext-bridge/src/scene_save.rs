//! The save of the active scene that is part of an undo step: undo puts the scene's file back to the
//! byte, and its tab is without unsaved changes as before.

use std::{cell::RefCell, fs};

use godot::prelude::*;
use protocol::Fault;

use crate::{
    files::{put_keeping_time, unwritable},
    resource::on_disk,
    saving::save_active,
    scene::Scene,
    tabs::Tabs,
    undo::kept::{Foretold, Kept, Outcome},
};

/// The save, as the undo history keeps it.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
pub(crate) struct KeptSave {
    path: String,
    /// What the file was before, and after; `None` for the latter as long as nothing was saved.
    before: Vec<u8>,
    after: RefCell<Option<Vec<u8>>>,
    outcome: Outcome,
}

#[godot_api]
impl KeptSave {
    /// Does it again.
    #[func]
    fn apply(&self) {
        self.outcome.of(|| {
            if let Some(after) = &*self.after.borrow() {
                self.go(&self.before, after);
            }
            Ok(())
        });
    }

    /// Takes it back.
    #[func]
    fn revert(&self) {
        self.outcome.of(|| {
            if let Some(after) = &*self.after.borrow() {
                self.go(after, &self.before);
            }
            Ok(())
        });
    }

    /// A save of the active scene, to come.
    pub(crate) fn of(path: &str) -> Gd<KeptSave> {
        Gd::from_object(KeptSave {
            path: path.to_owned(),
            before: fs::read(on_disk(path)).unwrap_or_default(),
            after: RefCell::default(),
            outcome: Outcome::default(),
        })
    }

    /// It was saved.
    pub(crate) fn done(&self) {
        *self.after.borrow_mut() = fs::read(on_disk(&self.path)).ok();
    }

    /// The scene is being brought to where its file is to be `to`. The save waits until it is there.
    fn go(&self, from: &[u8], to: &[u8]) {
        if fs::read(on_disk(&self.path)).is_ok_and(|now| now == from) {
            WAITING.with_borrow_mut(|waiting| waiting.push((self.path.clone(), to.to_vec())));
        } else {
            note(format!(
                "'{}' was saved or changed since, so its file is left as it is: the scene that is open \
                 now differs from it. Save it with godot_scene_edit_save_scene, or go on.",
                self.path
            ));
        }
    }
}

impl Kept for KeptSave {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn foretell(&self, _: bool, _: &mut Foretold) -> Result<(), Fault> {
        // A scene whose file is another one now is undone all the same, and has unsaved changes.
        Ok(())
    }

    fn paths(&self) -> Vec<String> {
        Vec::new()
    }
}

thread_local! {
    /// Scenes that are to be saved, each with what its file is to be.
    static WAITING: RefCell<Vec<(String, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
    static NOTES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// What could not be put back, for whoever asked for the step, since the last call.
pub(crate) fn take_notes() -> Vec<String> {
    NOTES.take()
}

/// Keeps what could not be put back, and prints it in case it was the human who asked.
fn note(what: String) {
    godot_warn!("{what}");
    NOTES.with_borrow_mut(|notes| notes.push(what));
}

/// Saves the scenes that an undo or a redo has brought to where their files are known.
pub(crate) fn catch_up(tabs: &Tabs) {
    for (path, content) in WAITING.take() {
        if Scene::active_path().as_deref() != Some(&path) {
            continue;
        }
        // The editor's own save makes the tab clean; what it writes may differ in form.
        let saved = save_active(tabs, &path).and_then(|()| {
            put_keeping_time(&on_disk(&path), &content).map_err(|error| unwritable(&path, &error))
        });
        match saved {
            Ok(()) => tabs.saved(&path),
            Err(fault) => note(fault.hint),
        }
    }
}
