//! The way back of a batch that failed, through the histories of all scenes in which it has
//! registered steps.
//!
//! The editor undoes in the active scene alone, as it does for the human; so each scene is shown
//! again to be undone, which takes some frames, and in the end the one that was active before.

use godot::{classes::UndoRedo, prelude::*};

use crate::{
    dispatch::Dispatcher,
    history::{Direction, Home},
    plan::Poll,
    scene::Scene,
    scene_save, tabs,
    tools::scene_edit::open_scene::open,
    undo::kept::Leave,
};

/// An undo step of a batch.
pub(super) struct Registered {
    /// Whose history it is in.
    pub(super) home: Home,
    /// The version that the history had with it.
    pub(super) version: u64,
    /// The entries that it is of.
    pub(super) entries: Vec<usize>,
}

/// The steps that are still to be taken back, and what has become of the others.
pub(super) struct WayBack {
    /// The steps, the newest last.
    steps: Vec<Registered>,
    /// What they are called in their histories.
    name: String,
    /// The scene that was active before the batch.
    before: Option<String>,
    /// A scene that is being shown.
    showing: Option<Poll<()>>,
    /// Whether the scene of the next step was to be shown already.
    is_asked: bool,
    /// The entries whose steps stay.
    pub(super) kept: Vec<usize>,
    /// How many undo steps stay.
    pub(super) kept_steps: usize,
    /// Whether all that was registered is taken back.
    pub(super) is_all: bool,
}

impl WayBack {
    /// Nothing taken back yet.
    pub(super) fn of(steps: Vec<Registered>, name: String, before: Option<String>) -> WayBack {
        let (kept, kept_steps) = (Vec::new(), 0);
        WayBack {
            steps,
            name,
            before,
            showing: None,
            is_asked: false,
            kept,
            kept_steps,
            is_all: true,
        }
    }

    /// Goes on as far as it gets in this frame. Tells whether it is at its end.
    pub(super) fn go_on(&mut self, dispatcher: &Dispatcher) -> bool {
        if let Some(showing) = &mut self.showing {
            if showing(&dispatcher.context).is_some() {
                self.showing = None;
            }
            // What comes then comes in the next frame, when the engine has settled.
            return false;
        }
        while let Some(step) = self.steps.last() {
            if let Some(path) = hidden(&step.home).filter(|_| !self.is_asked) {
                self.is_asked = true;
                self.show(dispatcher, path);
                return false;
            }
            self.is_asked = false;
            if let Some(step) = self.steps.pop() {
                self.take_back(dispatcher, step);
            }
        }
        let active = Scene::active_path();
        let before = self.before.take().filter(|path| Some(path) != active.as_ref());
        match before.filter(|path| tabs::is_open(path)) {
            Some(path) => self.show(dispatcher, path),
            None => return true,
        }
        false
    }

    fn show(&mut self, dispatcher: &Dispatcher, path: String) {
        self.showing = Some(open(&dispatcher.context, path, |_| ()));
    }

    /// Takes one step back. By the state of the history: a step that the human made since is not
    /// touched.
    fn take_back(&mut self, dispatcher: &Dispatcher, step: Registered) {
        let Registered { home, version, entries } = step;
        let is_shown = home.scene().is_none_or(is_active);
        let is_behind = || home.undo_redo().is_some_and(|history| history.get_version() < version);
        if home.scene().is_none() && is_behind() {
            // It took itself back already, as an import with settings that do not exist.
            return;
        }
        let is_last = |history: Option<Gd<UndoRedo>>| {
            history.is_some_and(|history| history.get_version() == version)
        };
        let histories = &dispatcher.context.histories;
        let next = histories.foretell(Direction::Undo, 1).pop();
        let is_next = next.is_some_and(|next| next.step.action == self.name);
        let taken = is_shown
            && is_next
            && is_last(home.undo_redo())
            && histories.take(Direction::Undo, &Leave::Nothing).is_ok();
        if !taken {
            // It stays, as a step of its own in the history of that scene.
            self.kept.extend(entries);
            self.kept_steps += 1;
            self.is_all = false;
            return;
        }
        if let Some(scene) = home.scene() {
            scene_save::catch_up(&dispatcher.context.tabs);
            dispatcher.context.tabs.stepped(scene);
        }
        self.is_all &= !is_last(home.undo_redo());
    }
}

/// Whether the scene is the active one, as it was.
fn is_active(scene: &Scene) -> bool {
    let active = Scene::active();
    scene.root.is_instance_valid() && active.is_ok_and(|active| active.root == scene.root)
}

/// The path of a scene that is open in a tab that is not shown.
fn hidden(home: &Home) -> Option<String> {
    let scene = home.scene().filter(|scene| scene.root.is_instance_valid() && !is_active(scene))?;
    Some(scene.path()).filter(|path| tabs::is_open(path))
}
