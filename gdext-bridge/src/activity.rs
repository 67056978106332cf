//! The last commands and what became of them, and whether the human lets edits through.
//!
//! The executor pushes one record a command; whoever shows them looks when it likes.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    time::{Duration, Instant, SystemTime},
};

use protocol::{ErrorCode, Fault, Required, Tool, Verb};

/// What the executor tells of its work, and the one thing that the human tells it.
#[derive(Default)]
pub(crate) struct Activity {
    records: RefCell<VecDeque<Record>>,
    count: Cell<u64>,
    paused: Cell<bool>,
}

/// One command that was answered.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// When it was answered.
    pub(crate) at: SystemTime,
    /// The tool.
    pub(crate) tool: Tool,
    /// Whether it was only a preview.
    pub(crate) preview: bool,
    /// What went wrong, if something did.
    pub(crate) error: Option<ErrorCode>,
    /// The time from its arrival to its answer.
    pub(crate) took: Duration,
}

/// What will be in the record, while the command is executed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note {
    received: Instant,
    /// The tool, once it is known; what is no tool is not recorded.
    pub(crate) tool: Option<Tool>,
    /// Whether it is only a preview.
    pub(crate) preview: bool,
}

/// How many commands are remembered.
pub(crate) const REMEMBERED: usize = 50;

impl Activity {
    /// A command was answered.
    pub(crate) fn record(&self, note: &Note, error: Option<ErrorCode>) {
        let Some(tool) = note.tool else { return };
        let mut records = self.records.borrow_mut();
        if records.len() == REMEMBERED {
            records.pop_front();
        }
        let (at, took) = (SystemTime::now(), note.received.elapsed());
        records.push_back(Record { at, tool, preview: note.preview, error, took });
        self.count.set(self.count.get() + 1);
    }

    /// How many commands were answered since the start.
    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// The records that came after the first `seen`, oldest first, as far as they are remembered.
    pub(crate) fn since(&self, seen: u64) -> Vec<Record> {
        let records = self.records.borrow();
        let news = usize::try_from(self.count.get().saturating_sub(seen)).unwrap_or(usize::MAX);
        records.iter().skip(records.len().saturating_sub(news)).cloned().collect()
    }

    /// Whether the human wants no edits now.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.get()
    }

    /// The human wants no edits from now on, or wants them again.
    pub(crate) fn pause(&self, paused: bool) {
        self.paused.set(paused);
    }

    /// Refuses what would change something while edits are paused. Reads and previews are welcome.
    pub(crate) fn let_through(&self, tool: Tool, preview: bool) -> Result<(), Fault> {
        let changes = !preview && !matches!(tool.verb(), Verb::reads | Verb::asks | Verb::local);
        if !(changes && self.paused.get()) {
            return Ok(());
        }
        Err(Fault::precondition(
            Required::HUMAN_APPROVAL,
            "The human paused edits in the MCP dock of the editor, so nothing was changed. Reads \
             and previews (dry_run=true) still work. Ask the human to switch Pause off there, \
             then repeat the call.",
        ))
    }
}

/// Whether a call was refused because edits are paused.
pub(crate) fn is_pause(fault: &Fault) -> bool {
    fault.required == Some(Required::HUMAN_APPROVAL)
}

impl Note {
    /// Begins a note on a command that came in at `received`.
    pub(crate) fn new(received: Instant) -> Note {
        Note { received, tool: None, preview: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(verb: Verb) -> Tool {
        Tool::ALL.iter().copied().find(|tool| tool.verb() == verb).unwrap()
    }

    #[test]
    fn the_oldest_records_make_room_and_only_news_are_given() {
        let activity = Activity::default();
        let note = Note { tool: Some(tool(Verb::reads)), ..Note::new(Instant::now()) };
        for _ in 0..REMEMBERED + 7 {
            activity.record(&note, None);
        }
        assert_eq!(activity.since(0).len(), REMEMBERED);
        activity.record(&note, Some(ErrorCode::Timeout));
        let news = activity.since(activity.count() - 1);
        assert_eq!(news.len(), 1);
        assert_eq!(news[0].error, Some(ErrorCode::Timeout));
        assert!(activity.since(activity.count()).is_empty());
    }

    #[test]
    fn what_is_no_tool_is_not_recorded() {
        let activity = Activity::default();
        activity.record(&Note::new(Instant::now()), None);
        assert_eq!(activity.count(), 0);
    }

    #[test]
    fn a_pause_stops_changes_and_nothing_else() {
        let activity = Activity::default();
        assert!(activity.let_through(tool(Verb::edits), false).is_ok());
        activity.pause(true);
        assert!(activity.let_through(tool(Verb::reads), false).is_ok());
        assert!(activity.let_through(tool(Verb::edits), true).is_ok());
        for verb in [Verb::edits, Verb::overwrites, Verb::runs] {
            let fault = activity.let_through(tool(verb), false).unwrap_err();
            assert!(is_pause(&fault));
        }
    }
}
