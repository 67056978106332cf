//! The undo histories of the editor: what is in them, whose steps these are, and taking them back
//! as the human's own Ctrl+Z does.

mod menu;

use std::{cell::RefCell, collections::HashMap};

use godot::{
    classes::{EditorInterface, Resource, UndoRedo},
    prelude::*,
};
use protocol::{Fault, tools::core::HistoryMove};

use self::menu::Menu;
use crate::{
    scene::Scene,
    selection::Selection,
    settings,
    undo::kept::{self, Foretold, Held, Leave},
};

/// What the labels of our own steps begin with.
pub(crate) const OURS: &str = "MCP: ";

/// The history of everything that is not in a scene; `EditorUndoRedoManager.GLOBAL_HISTORY`.
const GLOBAL: i32 = 0;

/// The history that an undo step belongs to.
#[derive(Clone)]
pub(crate) enum Home {
    /// That of a scene.
    Scene(Scene),
    /// That of everything which is in no scene: files and settings.
    Project,
}

impl Home {
    /// The scene, if it is one.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        match self {
            Home::Scene(scene) => Some(scene),
            Home::Project => None,
        }
    }

    /// Its history.
    pub(crate) fn undo_redo(&self) -> Option<Gd<UndoRedo>> {
        undo_redo(self.id()?)
    }

    fn id(&self) -> Option<i32> {
        match self {
            Home::Scene(scene) => scene_history(scene),
            Home::Project => Some(GLOBAL),
        }
    }
}

/// Which way to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Back.
    Undo,
    /// Forth again.
    Redo,
}

impl Direction {
    fn reversed(self) -> Direction {
        match self {
            Direction::Undo => Direction::Redo,
            Direction::Redo => Direction::Undo,
        }
    }
}

/// The histories, and in which order their steps were made.
#[derive(Default)]
pub(crate) struct Histories {
    /// For each history, when each of its steps was first seen: a running number.
    order: RefCell<HashMap<i32, Vec<u64>>>,
    clock: std::cell::Cell<u64>,
    /// What our own steps do to files, by their numbers, with their labels.
    held: RefCell<HashMap<u64, (String, Vec<Held>)>>,
    menu: Menu,
}

/// A step as it would be taken.
pub(crate) struct Foreseen {
    /// The step.
    pub(crate) step: HistoryMove,
    /// The files that have to be left as they are for it to be taken.
    pub(crate) leave: Leave,
    /// Why it is refused otherwise.
    pub(crate) faults: Vec<Fault>,
    /// The files that it writes.
    pub(crate) writes: Vec<String>,
}

/// A history that undo acts on.
struct Stack {
    id: i32,
    undo_redo: Gd<UndoRedo>,
}

impl Histories {
    /// Starts to take note of the order of steps.
    pub(crate) fn watch() -> Histories {
        Histories::default()
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        self.order.borrow_mut().clear();
        self.held.borrow_mut().clear();
        self.menu.forget();
    }

    /// Takes note of steps that are new. Called in every frame and after each of our own steps.
    pub(crate) fn look(&self) {
        self.stacks();
    }

    /// The histories that undo acts on, with all of their steps taken note of.
    fn stacks(&self) -> Vec<Stack> {
        let stacks = stacks();
        let mut order = self.order.borrow_mut();
        for stack in &stacks {
            let seen = order.entry(stack.id).or_default();
            let count = usize::try_from(stack.undo_redo.get_history_count()).unwrap_or_default();
            // A new step removes those that were undone, so the length alone does not tell; but
            // then the numbers of the later ones are only older than they should be.
            seen.truncate(count);
            while seen.len() < count {
                self.clock.set(self.clock.get() + 1);
                seen.push(self.clock.get());
            }
        }
        stacks
    }

    /// One of our own steps was registered in the history of `home`, which does this to files: it is
    /// the newest now.
    pub(crate) fn registered(&self, home: &Home, label: &str, held: Vec<Held>) {
        self.look();
        if let Some(id) = home.id()
            && let Some(last) =
                self.order.borrow_mut().get_mut(&id).and_then(|seen| seen.last_mut())
        {
            self.clock.set(self.clock.get() + 1);
            *last = self.clock.get();
            if !held.is_empty() {
                self.held.borrow_mut().insert(*last, (label.to_owned(), held));
            }
        }
        let order = self.order.borrow();
        self.held.borrow_mut().retain(|when, _| order.values().any(|seen| seen.contains(when)));
    }

    /// The history of the active scene, or the global one if no scene is open, and its name.
    pub(crate) fn shown(&self) -> Option<(Gd<UndoRedo>, &'static str)> {
        let id = Scene::active().ok().and_then(|scene| scene_history(&scene)).unwrap_or(GLOBAL);
        Some((undo_redo(id)?, name_of(id)))
    }

    /// The steps that the editor would take, at most `count`, in order.
    pub(crate) fn foretell(&self, direction: Direction, count: usize) -> Vec<Foreseen> {
        let stacks = self.stacks();
        let order = self.order.borrow();
        let mut at: Vec<(Stack, i32)> = stacks
            .into_iter()
            .map(|stack| {
                let current = stack.undo_redo.get_current_action();
                (stack, if direction == Direction::Undo { current } else { current + 1 })
            })
            .collect();
        let (mut moves, mut files) = (Vec::new(), Foretold::default());
        let held = self.held.borrow();
        let back = direction == Direction::Undo;
        while moves.len() < count {
            // As `EditorUndoRedoManager` picks: the newest step to undo, the oldest to redo.
            let next = at
                .iter_mut()
                .filter(|(stack, index)| {
                    *index >= 0 && *index < stack.undo_redo.get_history_count()
                })
                .min_by_key(|(stack, index)| {
                    let seen = order.get(&stack.id);
                    let index = usize::try_from(*index).unwrap_or_default();
                    let when = seen.and_then(|seen| seen.get(index)).copied().unwrap_or_default();
                    if direction == Direction::Undo { u64::MAX - when } else { when }
                });
            let Some((stack, index)) = next else { break };
            let action = stack.undo_redo.clone().get_action_name(*index).to_string();
            let when = order
                .get(&stack.id)
                .and_then(|seen| seen.get(usize::try_from(*index).unwrap_or_default()));
            // A step of the human may have taken the place of ours unseen; its label tells.
            let held = when.and_then(|when| held.get(when)).filter(|(label, _)| *label == action);
            let (leave, faults) = match held {
                Some((_, held)) => kept::foretell(held, back, &mut files),
                None => (Leave::Nothing, Vec::new()),
            };
            let by = made_by(&action).to_owned();
            let step = HistoryMove { by, action, history: name_of(stack.id).to_owned() };
            moves.push(Foreseen { step, leave, faults, writes: files.take_written() });
            *index += if direction == Direction::Undo { -1 } else { 1 };
        }
        moves
    }

    /// Takes one step, which must be there, as the human's own shortcut does. Tells which one it was,
    /// and which files it left as they are.
    pub(crate) fn take(
        &self,
        direction: Direction,
        leave: &Leave,
    ) -> Result<(HistoryMove, Vec<String>), Fault> {
        let before: Vec<(Stack, u64)> = stacks()
            .into_iter()
            .map(|stack| {
                let version = stack.undo_redo.get_version();
                (stack, version)
            })
            .collect();
        let selection = Selection::now();
        // What the human has set is part of their step.
        settings::forget();
        let refusals = kept::taking(leave, || self.menu.press(direction))?;
        selection.restore();
        let is_left = *leave != Leave::Nothing && refusals.iter().all(kept::is_for_their_sake);
        if let Some(fault) = refusals.first().filter(|_| !is_left) {
            // Part of the step could not be taken. The other way leads back to where it began.
            kept::taking(leave, || self.menu.press(direction.reversed()))?;
            return Err(fault.clone());
        }
        let left = match leave {
            Leave::All(files) => files.clone(),
            _ => refusals.iter().filter_map(kept::path_of).collect(),
        };
        let moved = before.iter().find(|(stack, before)| stack.undo_redo.get_version() != *before);
        let Some((Stack { id, undo_redo }, _)) = moved else {
            return Err(Fault::internal(
                "The editor did not take the step. A dialog may be open, or a mouse button pressed; \
                 look at the editor.",
            ));
        };
        let current = undo_redo.get_current_action();
        let index = if direction == Direction::Undo { current + 1 } else { current };
        let action = undo_redo.get_action_name(index).to_string();
        let (by, history) = (made_by(&action).to_owned(), name_of(*id).to_owned());
        Ok((HistoryMove { by, action, history }, left))
    }
}

/// Who made a step, by its label.
pub(crate) fn made_by(label: &str) -> &'static str {
    if label.starts_with(OURS) { "agent" } else { "user" }
}

/// The labels of the steps of a history, the newest first.
pub(crate) fn labels(undo_redo: &Gd<UndoRedo>) -> Vec<String> {
    let count = undo_redo.get_history_count();
    (0..count).rev().map(|index| undo_redo.get_action_name(index).to_string()).collect()
}

/// The history of a scene.
pub(crate) fn of_scene(scene: &Scene) -> Option<Gd<UndoRedo>> {
    undo_redo(scene_history(scene)?)
}

/// The history of an open scene, also of one in another tab; `None` where no tab has it open.
pub(crate) fn of_path(path: &str) -> Option<Gd<UndoRedo>> {
    // A resource inside the file of a scene has the history of that scene.
    let mut probe = Resource::new_gd();
    probe.set_path_cache(&format!("{path}::probe"));
    let manager = EditorInterface::singleton().get_editor_undo_redo()?;
    // That of everything which is in no scene is what the editor names for one that is not open.
    let id = Some(manager.get_object_history_id(&probe)).filter(|id| *id != GLOBAL);
    undo_redo(id?).filter(|_| !path.is_empty())
}

fn scene_history(scene: &Scene) -> Option<i32> {
    let manager = EditorInterface::singleton().get_editor_undo_redo()?;
    Some(manager.get_object_history_id(&scene.root))
}

fn undo_redo(id: i32) -> Option<Gd<UndoRedo>> {
    EditorInterface::singleton().get_editor_undo_redo()?.get_history_undo_redo(id)
}

/// The histories that undo acts on: that of the active scene and the global one.
fn stacks() -> Vec<Stack> {
    let scene = Scene::active().ok().and_then(|scene| scene_history(&scene));
    let ids = scene.into_iter().filter(|id| *id != GLOBAL).chain([GLOBAL]);
    ids.filter_map(|id| Some(Stack { id, undo_redo: undo_redo(id)? })).collect()
}

fn name_of(id: i32) -> &'static str {
    if id == GLOBAL { "global" } else { "scene" }
}
