//! Many commands as one edit.
//!
//! Each entry is planned as a call of its own would be, when its turn comes, so that it sees what the
//! ones before it did. Its steps are applied at once and registered only at the end, with those of
//! all others, as one undo step. If one fails, all that was applied is taken back, and nothing was
//! ever registered. What undo cannot take back, such as a save, has to see the state before it as an
//! undo step of its own; such an entry parts the batch in two.

mod active;
mod entry;
mod foreseen;
mod preview;
mod refusals;
mod report;
mod scenes;
mod undo_steps;
mod way_back;

use std::collections::VecDeque;

use protocol::{Fault, Stamp, Verb, envelope};
use serde_json::{Value, value::RawValue};

use self::{
    active::acts,
    entry::{Entry, first_refusal, read, speaks_of_settings},
    report::Report,
    scenes::Scenes,
    way_back::{Registered, WayBack},
};
use crate::{
    call::{Call, Mode},
    dispatch::{self, Answer, Dispatcher, Finish, Pending, Planned, Prepared, is_held_up},
    history::Home,
    refresh,
    scene::Scene,
    undo::Ledger,
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
    let mut alone = Some(dispatcher.context.alone());
    if let Some(outcome) = batch.advance(dispatcher) {
        return outcome.map(Answer::Done);
    }
    Ok(Answer::Aside(Box::new(move |dispatcher| {
        let context = &dispatcher.context;
        if batch.is_sharing() {
            // The game is waited for, and nothing is left half done: others have their turn.
            alone = None;
        } else if alone.is_none() {
            if context.is_busy.get() || context.is_alone.get() > 0 {
                return None;
            }
            alone = Some(context.alone());
        }
        batch.advance(dispatcher)
    })))
}

/// A batch that is under way.
struct Batch {
    stop_on_error: bool,
    entries: VecDeque<Entry>,
    report: Report,
    /// What was applied and is not registered yet.
    ledger: Option<Ledger>,
    /// Whether files were written since for whose sake the editor has read open scenes again.
    has_read_again: bool,
    /// What is taken back along with the ledger: files that were written before its steps.
    backs: Vec<Box<dyn FnOnce()>>,
    /// The entries that these are of.
    backed: Vec<usize>,
    /// The entries whose steps are in the ledger.
    applied: Vec<usize>,
    /// Those of them that set what is not written to `project.godot` yet.
    unwritten: Vec<usize>,
    /// The entries that do something to the game or the debugger, which undo knows nothing of.
    acting: Vec<usize>,
    /// What the entries do to open scenes.
    scenes: Scenes,
    /// The undo steps that were registered.
    registered: Vec<Registered>,
    /// What comes after the steps are registered.
    late: VecDeque<(usize, Finish)>,
    /// The entry that takes some frames.
    pending: Option<(usize, Pending)>,
    /// Whether others may have their turn while it does.
    is_aside: bool,
    /// The scene that was active before.
    before: Option<String>,
    /// The entry that failed, and how far all is taken back.
    way_back: Option<(Failed, WayBack)>,
}

/// The entry that ends the batch, and why.
type Failed = (usize, Fault);

impl Batch {
    fn new(batch: envelope::Batch) -> Result<Batch, Fault> {
        let stop_on_error = batch.stop_on_error;
        let (entries, mut report) = read(batch)?;
        if stop_on_error && let Some((index, fault)) = first_refusal(&entries) {
            return Err(report.refusal(index, fault, false));
        }
        Ok(Batch {
            stop_on_error,
            entries: entries.into(),
            report,
            ledger: None,
            has_read_again: false,
            backs: Vec::new(),
            backed: Vec::new(),
            applied: Vec::new(),
            unwritten: Vec::new(),
            acting: Vec::new(),
            scenes: Scenes::default(),
            registered: Vec::new(),
            late: VecDeque::new(),
            pending: None,
            is_aside: false,
            before: Scene::active_path(),
            way_back: None,
        })
    }

    /// Goes on as far as it gets in this frame; `None` if there is more to do in the next one.
    fn advance(&mut self, dispatcher: &Dispatcher) -> Option<Result<Box<RawValue>, Fault>> {
        if self.way_back.is_some() {
            return self.go_back(dispatcher).map(Err);
        }
        let went = match &mut self.pending {
            Some((index, pending)) => {
                let (index, outcome) = (*index, pending(dispatcher)?);
                self.pending = None;
                // The next entry comes in the next frame, when the engine has settled.
                let took = self.took(index, outcome).map(|()| false);
                if took.is_ok() {
                    self.is_aside = false;
                }
                took
            }
            None => self.advance_until_pending(dispatcher).map(|()| true),
        };
        match went {
            Err(failed) => {
                let is_shared = self.is_sharing();
                self.turn_back(failed);
                // The way back is none that others may cross.
                if is_shared { None } else { self.go_back(dispatcher).map(Err) }
            }
            Ok(false) => None,
            Ok(true) if self.pending.is_some() || !self.entries.is_empty() => None,
            Ok(true) => Some(self.told(dispatcher)),
        }
    }

    /// Whether an entry is waited for that lets others have their turn, with all before it registered.
    fn is_sharing(&self) -> bool {
        self.is_aside && self.ledger.is_none() && self.way_back.is_none()
    }

    fn advance_until_pending(&mut self, dispatcher: &Dispatcher) -> Result<(), Failed> {
        while let Some(entry) = self.entries.pop_front() {
            if entry.order.as_ref().is_ok_and(is_held_up) {
                self.entries.push_front(entry);
                return Ok(());
            }
            if refresh::is_reading_scenes() {
                // It sees them as they are then.
                self.has_read_again = self.ledger.is_some();
                self.entries.push_front(entry);
                return Ok(());
            }
            if refresh::has_missed() {
                // It may name a class or a file that the editor is about to learn of.
                self.entries.push_front(entry);
                return Ok(());
            }
            let outcome = entry.order.and_then(|call| self.run(dispatcher, entry.index, &call));
            self.note(entry.index, outcome)?;
            if self.pending.is_some() {
                return Ok(());
            }
        }
        if let Err(fault) = self.register(dispatcher) {
            return Err((self.report.results.len().saturating_sub(1), fault));
        }
        while let Some((index, finish)) = self.late.pop_front() {
            self.note(index, finish(dispatcher).map(Some))?;
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
        if acts(call.tool) {
            self.acting.push(index);
        }
        if call.tool.verb() == Verb::runs {
            // What it starts, such as the game, has to find things as they are in the history.
            self.register(dispatcher)?;
        }
        let is_of_settings = speaks_of_settings(call.tool);
        if !is_of_settings {
            // Who looks at project.godot finds there what was set.
            self.settle()?;
        }
        let prepared =
            dispatcher.context.tabs.ahead(self.changed_scene(), || dispatcher.prepare(call));
        match prepared? {
            Prepared::Answer(answer) => Ok(Some(answer)),
            Prepared::Preview(result, _) => Ok(Some(Answer::Done(result))),
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
        let Planned { reach, steps, finishes_late, finish } = planned;
        let writes_outside_undo = reach.writes_outside_undo;
        self.scenes.check(&reach)?;
        self.report.has_read_again |= reach.reads_again;
        match steps {
            None => {
                self.register(dispatcher)?;
                if !writes_outside_undo {
                    self.report.views.push(index);
                }
            }
            Some(steps) => {
                let explain = |fault| dispatcher.explain(fault);
                let back = steps.first.map(|first| first()).transpose().map_err(explain)?;
                // A scene that files were written for was read again, and with it went its history.
                let is_read_again = self.has_read_again && steps.home.scene().is_some();
                if is_read_again || self.is_of_another_scene(&steps.home) {
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
        self.scenes.note(index, reach);
        if writes_outside_undo {
            self.report.outside_undo.push(index);
        }
        if finishes_late {
            self.late.push_back((index, finish));
            return Ok(None);
        }
        finish(dispatcher).map(Some)
    }

    /// The scene that has changes which are not registered.
    fn changed_scene(&self) -> Option<String> {
        let ledger = self.ledger.as_ref().filter(|ledger| !ledger.is_empty())?;
        ledger.scene().ok().map(Scene::path)
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
                let (version, entries) = (history.get_version(), std::mem::take(&mut self.applied));
                self.registered.push(Registered { home, version, entries });
            }
        }
        self.backs.clear();
        self.backed.clear();
        self.applied.clear();
        self.has_read_again = false;
        Ok(())
    }

    fn note(&mut self, index: usize, outcome: Result<Option<Answer>, Fault>) -> Result<(), Failed> {
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(Answer::Waiting(pending))) => {
                self.pending = Some((index, pending));
                Ok(())
            }
            Ok(Some(Answer::Aside(pending))) => {
                self.pending = Some((index, pending));
                self.is_aside = true;
                Ok(())
            }
            Ok(Some(Answer::Done(result))) => self.took(index, Ok(result)),
            Err(fault) => self.took(index, Err(fault)),
        }
    }

    /// Takes down what became of an entry. The first failure may end the batch.
    fn took(&mut self, index: usize, outcome: Result<Box<RawValue>, Fault>) -> Result<(), Failed> {
        let failed = outcome.as_ref().err().cloned();
        let is_begun = failed.as_ref().is_none_or(|fault| {
            let state = fault.details.get("outcome").and_then(Value::as_str);
            matches!(state, Some("applied" | "may_have_applied"))
        });
        if is_begun && self.acting.contains(&index) {
            self.report.outside_undo.push(index);
        }
        self.report.take_down(index, outcome);
        match failed {
            Some(fault) if self.stop_on_error => Err((index, fault)),
            _ => Ok(()),
        }
    }

    /// Takes back what is not registered, and begins with what is.
    fn turn_back(&mut self, failed: Failed) {
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
        let steps = std::mem::take(&mut self.registered);
        let way_back = WayBack::of(steps, self.report.full_name(), self.before.take());
        self.way_back = Some((failed, way_back));
    }

    /// Goes on with the way back. Gives the failure of the whole when that is done.
    fn go_back(&mut self, dispatcher: &Dispatcher) -> Option<Fault> {
        let (_, way_back) = self.way_back.as_mut()?;
        if !way_back.go_on(dispatcher) {
            return None;
        }
        let ((index, fault), way_back) = self.way_back.take()?;
        let rolled_back = way_back.is_all && self.report.outside_undo.is_empty();
        self.report.outside_undo.extend(way_back.kept);
        self.report.kept_steps += way_back.kept_steps;
        Some(self.report.abortion(index, fault, Some(rolled_back)))
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
