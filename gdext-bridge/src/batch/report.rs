//! What is told of a batch: what became of each entry, and of the whole.

use protocol::{
    Fault,
    tools::composite::{CommandResult, CommandsRun, ToolResult},
};
use serde_json::value::RawValue;

use crate::history::OURS;

/// What is told of a batch.
#[derive(Default)]
pub(super) struct Report {
    pub(super) results: Vec<CommandResult>,
    /// What the entries that were applied are called. The step has the name of the first.
    pub(super) labels: Vec<(usize, String)>,
    pub(super) outside_undo: Vec<usize>,
    /// The entries that only changed what the editor shows, which is not taken back.
    pub(super) views: Vec<usize>,
    /// Whether scenes were read again, and begin new histories.
    pub(super) has_read_again: bool,
    /// How many undo steps of a failed batch stay.
    pub(super) kept_steps: usize,
}

impl Report {
    pub(super) fn step_name(&self) -> String {
        let label = self.labels.first().map(|(_, label)| &**label).unwrap_or_default();
        match self.results.len() {
            1 => label.to_owned(),
            count => format!("{label} (batch of {count})"),
        }
    }

    pub(super) fn full_name(&self) -> String {
        format!("{}{}", OURS, self.step_name())
    }

    pub(super) fn take_down(&mut self, index: usize, outcome: Result<Box<RawValue>, Fault>) {
        let Some(result) = self.results.get_mut(index) else { return };
        match outcome {
            Ok(answer) => {
                result.ok = true;
                result.result = Some(ToolResult(answer));
            }
            Err(fault) => {
                result.error = Some(fault.code.name().to_owned());
                result.hint = Some(fault.hint);
                result.required = fault.required.map(|required| required.as_str().to_owned());
                result.details = Some(*fault.details).filter(|details| !details.is_empty());
            }
        }
    }

    /// Says of an entry that was done that it was taken back, and why.
    pub(super) fn take_back(&mut self, index: usize, fault: &Fault) {
        self.labels.retain(|(entry, _)| *entry != index);
        if let Some(result) = self.results.get_mut(index) {
            result.ok = false;
            result.result = None;
            result.rolled_back = Some(true);
        }
        self.take_down(index, Err(fault.clone()));
    }

    /// What is told of a batch that came to its end.
    pub(super) fn run(mut self, undo_steps: usize) -> CommandsRun {
        self.outside_undo.sort_unstable();
        self.outside_undo.dedup();
        let failed = self.results.iter().filter(|result| !result.ok).count();
        let mut hints = Vec::new();
        if failed > 0 {
            hints.push(format!(
                "{failed} of {} commands failed and changed nothing.",
                self.results.len()
            ));
        }
        if undo_steps > 1 {
            hints.push(format!(
                "It is {undo_steps} undo steps, as histories of scenes are apart: take it back with \
                 godot_undo, step by step, each in the scene that it is of."
            ));
        }
        if !self.outside_undo.is_empty() {
            hints.push(format!(
                "Undo does not take back the commands {}.",
                self.outside_undo.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            ));
        }
        CommandsRun {
            ok_all: failed == 0,
            count: self.results.len(),
            results: self.results,
            undo_steps,
            outside_undo: self.outside_undo,
            hint: (!hints.is_empty()).then(|| hints.join(" ")),
            ..CommandsRun::default()
        }
    }

    /// Says of every entry before the one that failed what has become of it.
    fn take_back_results(&mut self, failed: usize) {
        for result in self.results.iter_mut().filter(|result| result.index != failed) {
            let stays = self.outside_undo.contains(&result.index);
            if result.error.is_some() || stays {
                continue;
            }
            result.ok = true;
            let is_view = self.views.contains(&result.index);
            result.rolled_back = Some(!is_view);
            if is_view {
                result.hint = Some(
                    "It changes only what the editor shows, and is not taken back. The scene that was \
                     active before the batch is the active one again, if it is still open."
                        .to_owned(),
                );
            } else if result.result.is_none() {
                result.hint = Some("It was done, and taken back before it was told.".to_owned());
            }
        }
    }

    /// The failure of a batch of which nothing was run, as one entry cannot be.
    pub(super) fn refusal(&mut self, index: usize, fault: Fault, is_preview: bool) -> Fault {
        let total = self.results.len();
        self.take_down(index, Err(fault.clone()));
        let refused = self.results.drain(..).nth(index);
        let command = refused.as_ref().map(|it| it.command.clone()).unwrap_or_default();
        let hint = format!(
            "Command {index} ({command}) was refused: {} No command of the batch was run.",
            fault.hint
        );
        Fault { hint, ..fault }
            .with("aborted_at", index)
            .with("skipped_count", total.saturating_sub(index + 1))
            .with("count", 0)
            .with("ok_all", false)
            .with("results", serde_json::to_value(refused.as_slice()).unwrap_or_default())
            .with("outside_undo", Vec::<usize>::new())
            .with("undo_steps", 0)
            .with("dry_run", is_preview)
            .with("rolled_back", true)
    }

    /// The failure of the whole batch, which is that of one entry.
    pub(super) fn abortion(
        &mut self,
        index: usize,
        mut fault: Fault,
        rolled_back: Option<bool>,
    ) -> Fault {
        let total = self.results.len();
        self.results.truncate(index + 1);
        self.outside_undo.sort_unstable();
        self.outside_undo.dedup();
        if rolled_back.is_some() {
            self.take_back_results(index);
        }
        let command = self.results.last().map(|it| it.command.clone()).unwrap_or_default();
        let state = match rolled_back {
            None => "This is a preview; nothing was changed.",
            Some(true) if self.has_read_again => {
                "Everything was taken back. But the open scenes that name a file which was moved were \
                 read again, and begin new undo histories."
            }
            Some(true) if !self.views.is_empty() => {
                "Everything was taken back; nothing was changed but for what the editor shows."
            }
            Some(true) => "Everything was taken back; nothing was changed.",
            Some(false) => {
                "What undo can take back was taken back, but not all: see outside_undo, and read the \
                 state before you go on."
            }
        };
        fault.hint = format!("Command {index} ({command}) failed: {} {state}", fault.hint);
        let results = serde_json::to_value(&self.results).unwrap_or_default();
        if rolled_back == Some(true) && self.labels.iter().any(|(entry, _)| *entry == index) {
            // Its steps are taken back with all others, whatever it says of itself alone.
            fault.details.remove("outcome");
        }
        let fault = fault
            .with("aborted_at", index)
            .with("skipped_count", total - index - 1)
            .with("count", index + 1)
            .with("ok_all", false)
            .with("results", results)
            .with("outside_undo", self.outside_undo.clone());
        let fault =
            fault.with("undo_steps", self.kept_steps).with("dry_run", rolled_back.is_none());
        match rolled_back {
            Some(rolled_back) => fault.with("rolled_back", rolled_back),
            None => fault,
        }
    }
}
