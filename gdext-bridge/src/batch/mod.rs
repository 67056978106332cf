//! Many commands as one edit.
//!
//! Each entry is planned as a call of its own would be, when its turn comes, so that it sees what the
//! ones before it did. Its steps are applied at once and registered only at the end, with those of
//! all others, as one undo step. If one fails, all that was applied is taken back, and nothing was
//! ever registered. What undo cannot take back, such as a save, has to see the state before it as an
//! undo step of its own; such an entry parts the batch in two.

mod entry;
mod preview;
mod report;

use std::collections::VecDeque;

use godot::{classes::UndoRedo, prelude::*};
use protocol::{Fault, Stamp, Verb, envelope};
use serde_json::value::RawValue;

use self::{
    entry::{Entry, read, speaks_of_settings},
    report::Report,
};
use crate::{
    dispatch::{
        self, Answer, Call, Dispatcher, Finish, Mode, Pending, Planned, Prepared, is_held_up,
    },
    history::{Direction, Home},
    scene::Scene,
    scene_save,
    undo::{Ledger, kept::Leave},
};

/// Runs a batch, or begins one that takes some frames.
pub(crate) fn begin(
    dispatcher: &Dispatcher,
    params: &RawValue,
    mode: Mode,
) -> Result<Answer, Fault> {
    let batch: envelope::Batch = dispatch::parse(params)?;
    if matches!(mode, Mode::Preview) {
        return preview::preview(dispatcher, batch).map(Answer::Done);
    }
    let mut batch = Batch::new(batch)?;
    match batch.advance(dispatcher) {
        Some(outcome) => outcome.map(Answer::Done),
        None => Ok(Answer::Waiting(Box::new(move |dispatcher| batch.advance(dispatcher)))),
    }
}

/// A batch that is under way.
struct Batch {
    stop_on_error: bool,
    entries: VecDeque<Entry>,
    report: Report,
    /// What was applied and is not registered yet.
    ledger: Option<Ledger>,
    /// What is taken back along with the ledger: files that were written before its steps.
    backs: Vec<Box<dyn FnOnce()>>,
    /// The entries that these are of.
    backed: Vec<usize>,
    /// The entries whose steps are in the ledger.
    applied: Vec<usize>,
    /// Those of them that set what is not written to `project.godot` yet.
    unwritten: Vec<usize>,
    /// The undo steps that were registered, with the version that their history had then, and the
    /// entries that they are of.
    registered: Vec<(Home, u64, Vec<usize>)>,
    /// What comes after the steps are registered.
    late: VecDeque<(usize, Finish)>,
    /// The entry that takes some frames.
    pending: Option<(usize, Pending)>,
}

impl Batch {
    fn new(batch: envelope::Batch) -> Result<Batch, Fault> {
        let stop_on_error = batch.stop_on_error;
        let (entries, report) = read(batch)?;
        Ok(Batch {
            stop_on_error,
            entries: entries.into(),
            report,
            ledger: None,
            backs: Vec::new(),
            backed: Vec::new(),
            applied: Vec::new(),
            unwritten: Vec::new(),
            registered: Vec::new(),
            late: VecDeque::new(),
            pending: None,
        })
    }

    /// Goes on as far as it gets in this frame; `None` if there is more to do in the next one.
    fn advance(&mut self, dispatcher: &Dispatcher) -> Option<Result<Box<RawValue>, Fault>> {
        if let Some((index, pending)) = &mut self.pending {
            let (index, outcome) = (*index, pending(dispatcher)?);
            self.pending = None;
            // The next entry comes in the next frame, when the engine has settled.
            return self.took(dispatcher, index, outcome).err().map(Err);
        }
        match self.advance_until_pending(dispatcher) {
            Err(fault) => Some(Err(fault)),
            Ok(()) if self.pending.is_some() || !self.entries.is_empty() => None,
            Ok(()) => Some(self.told(dispatcher)),
        }
    }

    fn advance_until_pending(&mut self, dispatcher: &Dispatcher) -> Result<(), Fault> {
        while let Some(entry) = self.entries.pop_front() {
            if entry.order.as_ref().is_ok_and(is_held_up) {
                self.entries.push_front(entry);
                return Ok(());
            }
            let outcome = entry.order.and_then(|call| self.run(dispatcher, entry.index, &call));
            self.note(dispatcher, entry.index, outcome)?;
            if self.pending.is_some() {
                return Ok(());
            }
        }
        if let Err(fault) = self.register(dispatcher) {
            let rolled_back = self.roll_back(dispatcher);
            let last = self.report.results.len().saturating_sub(1);
            return Err(self.report.abortion(last, fault, Some(rolled_back)));
        }
        while let Some((index, finish)) = self.late.pop_front() {
            self.note(dispatcher, index, finish(dispatcher).map(Some))?;
            if self.pending.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Runs one command. `None` if its answer comes after the steps are registered.
    fn run(
        &mut self,
        dispatcher: &Dispatcher,
        index: usize,
        call: &Call<'_>,
    ) -> Result<Option<Answer>, Fault> {
        if call.tool.verb() == Verb::runs {
            // What it starts, such as the game, has to find things as they are in the history.
            self.register(dispatcher)?;
        }
        let is_of_settings = speaks_of_settings(call.tool);
        if !is_of_settings {
            // Who looks at project.godot finds there what was set.
            self.settle()?;
        }
        match dispatcher.prepare(call)? {
            Prepared::Answer(answer) => Ok(Some(answer)),
            Prepared::Edit(planned) => self.edit(dispatcher, index, planned, is_of_settings),
        }
    }

    fn edit(
        &mut self,
        dispatcher: &Dispatcher,
        index: usize,
        planned: Planned,
        is_of_settings: bool,
    ) -> Result<Option<Answer>, Fault> {
        let Planned { steps, writes_outside_undo, finishes_late, finish } = planned;
        match steps {
            None => self.register(dispatcher)?,
            Some(steps) => {
                let explain = |fault| dispatcher.explain(fault);
                let back = steps.first.map(|first| first()).transpose().map_err(explain)?;
                if self.is_of_another_scene(&steps.home) {
                    self.register(dispatcher)?;
                }
                let ledger = self.ledger.get_or_insert_with(|| Ledger::new(steps.home.clone()));
                let done = match is_of_settings {
                    true => ledger.apply(steps.steps, &steps.home),
                    // Of what is done in files as well, the settings are no part to be left out.
                    false => ledger.apply_and_settle(steps.steps, &steps.home),
                };
                if let Err(fault) = done {
                    back.into_iter().for_each(|back| back());
                    return Err(dispatcher.explain(fault));
                }
                if back.is_some() {
                    self.backed.push(index);
                }
                self.backs.extend(back);
                if is_of_settings && ledger.has_unwritten() {
                    self.unwritten.push(index);
                }
                self.applied.push(index);
                self.report.labels.push((index, steps.label));
            }
        }
        if writes_outside_undo {
            self.report.outside_undo.push(index);
        }
        if finishes_late {
            self.late.push_back((index, finish));
            return Ok(None);
        }
        finish(dispatcher).map(Some)
    }

    fn is_of_another_scene(&self, home: &Home) -> bool {
        let before = self.ledger.as_ref().and_then(|ledger| ledger.scene().ok());
        match (before, home.scene()) {
            (Some(before), Some(now)) => before.root != now.root,
            _ => false,
        }
    }

    /// Writes what was set of the settings. Where that fails and does not end the batch, what could
    /// not be written is taken back, and the results of its entries say so.
    fn settle(&mut self) -> Result<(), Fault> {
        let Some(ledger) = &mut self.ledger else { return Ok(()) };
        let settled = ledger.settle();
        let unwritten = std::mem::take(&mut self.unwritten);
        match settled {
            Err(fault) if !self.stop_on_error => {
                ledger.leave_out_unwritten();
                self.applied.retain(|index| !unwritten.contains(index));
                self.late.retain(|(index, _)| !unwritten.contains(index));
                unwritten.into_iter().for_each(|index| self.report.take_back(index, &fault));
                Ok(())
            }
            settled => settled,
        }
    }

    /// Puts what was applied into the history.
    fn register(&mut self, dispatcher: &Dispatcher) -> Result<(), Fault> {
        self.settle()?;
        if let Some(ledger) = self.ledger.take().filter(|ledger| !ledger.is_empty()) {
            let home = ledger.home().clone();
            dispatcher.register(ledger, &self.report.step_name())?;
            if let Some(history) = home.undo_redo() {
                let applied = std::mem::take(&mut self.applied);
                self.registered.push((home, history.get_version(), applied));
            }
        }
        self.backs.clear();
        self.backed.clear();
        self.applied.clear();
        Ok(())
    }

    fn note(
        &mut self,
        dispatcher: &Dispatcher,
        index: usize,
        outcome: Result<Option<Answer>, Fault>,
    ) -> Result<(), Fault> {
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(Answer::Waiting(pending) | Answer::Aside(pending))) => {
                self.pending = Some((index, pending));
                Ok(())
            }
            Ok(Some(Answer::Done(result))) => self.took(dispatcher, index, Ok(result)),
            Err(fault) => self.took(dispatcher, index, Err(fault)),
        }
    }

    /// Takes down what became of an entry. The first failure may end the batch.
    fn took(
        &mut self,
        dispatcher: &Dispatcher,
        index: usize,
        outcome: Result<Box<RawValue>, Fault>,
    ) -> Result<(), Fault> {
        let failed = outcome.as_ref().err().cloned();
        self.report.take_down(index, outcome);
        match failed {
            Some(fault) if self.stop_on_error => {
                let rolled_back = self.roll_back(dispatcher);
                Err(self.report.abortion(index, fault, Some(rolled_back)))
            }
            _ => Ok(()),
        }
    }

    /// Takes everything back. Tells whether that is all.
    fn roll_back(&mut self, dispatcher: &Dispatcher) -> bool {
        if let Some(ledger) = self.ledger.take() {
            ledger.roll_back();
        }
        let has_backs = !self.backs.is_empty();
        self.backs.drain(..).rev().for_each(|back| back());
        if has_backs {
            // What was written before its steps has its own way back, which was just taken.
            let backed = std::mem::take(&mut self.backed);
            self.report.outside_undo.retain(|index| !backed.contains(index));
        }
        // By the state of the history: a step that the human made since is not touched.
        let mut is_all = self.report.outside_undo.is_empty();
        while let Some((home, version, entries)) = self.registered.pop() {
            let is_shown = match (home.scene(), Scene::active()) {
                (Some(scene), Ok(active)) => {
                    scene.root.is_instance_valid() && scene.root == active.root
                }
                (Some(_), Err(_)) => false,
                (None, _) => true,
            };
            let is_behind =
                || home.undo_redo().is_some_and(|history| history.get_version() < version);
            if home.scene().is_none() && is_behind() {
                // It took itself back already, as an import with settings that do not exist.
                continue;
            }
            let is_last = |history: Option<Gd<UndoRedo>>| {
                history.is_some_and(|history| history.get_version() == version)
            };
            let histories = &dispatcher.context.histories;
            let next = histories.foretell(Direction::Undo, 1).pop();
            let is_next = next.is_some_and(|next| next.step.action == self.report.full_name());
            let taken = is_shown
                && is_next
                && is_last(home.undo_redo())
                && histories.take(Direction::Undo, &Leave::Nothing).is_ok();
            if !taken {
                // It stays, as a step of its own in the history of that scene.
                self.report.outside_undo.extend(entries);
                self.report.kept_steps += 1;
                is_all = false;
                continue;
            }
            if let Some(scene) = home.scene() {
                scene_save::catch_up(&dispatcher.context.tabs);
                dispatcher.context.tabs.stepped(scene);
            }
            is_all &= !is_last(home.undo_redo());
        }
        is_all
    }

    fn told(&mut self, dispatcher: &Dispatcher) -> Result<Box<RawValue>, Fault> {
        let report = std::mem::take(&mut self.report);
        let undo_steps = self.registered.len();
        let stamp = Stamp {
            dry_run: false,
            verdict: None,
            undoable: Some(undo_steps > 0 && report.outside_undo.is_empty()),
            scene: None,
            discards: None,
            engine_errors: Vec::new(),
        };
        dispatcher.stamped(report.run(undo_steps), stamp)
    }
}
