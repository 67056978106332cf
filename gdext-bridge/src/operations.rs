//! What became of operations that carry an id, known to the main thread and to the links' thread.
//!
//! A repeated operation gets the answer that it got before and is not done again. A gateway that
//! got no answer in time can ask, and is answered by the links' thread even while the main thread
//! is busy or stuck: whatever has not been started by then never will be.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::{ErrorCode, Fault, envelope::OperationState};
use serde_json::value::RawValue;

/// The answer to an operation.
pub(crate) type Outcome = Result<Box<RawValue>, Fault>;

/// The operations that are under way, and the last that ended. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Operations(Arc<Mutex<Table>>);

/// What to do with an operation whose turn has come.
pub(crate) enum Turn {
    /// Start it.
    Start,
    /// It was answered before; this is the answer.
    Repeat(Outcome),
    /// Leave it: whoever wanted it was told that it will not be done.
    Leave,
}

/// How far an operation got.
enum Stage {
    Queued,
    Running,
    Withdrawn,
    Done(Outcome),
}

#[derive(Default)]
struct Table {
    stages: HashMap<String, Stage>,
    /// Those that are over, the oldest first.
    over: VecDeque<String>,
    /// What the answers on record take.
    bytes: usize,
}

/// How many operations that are over are remembered.
const REMEMBERED: usize = 256;

/// How much their answers may take, in bytes.
const REMEMBERED_BYTES: usize = 8 * 1024 * 1024;

impl Operations {
    /// An operation came in.
    pub(crate) fn expect(&self, operation: &str) {
        self.lock().stages.entry(operation.to_owned()).or_insert(Stage::Queued);
    }

    /// An operation will not be started, as its gateway went away or took it back. That gateway may
    /// send it again.
    pub(crate) fn forget(&self, operation: &str) {
        let mut table = self.lock();
        if let Some(Stage::Queued) = table.stages.get(operation) {
            table.stages.remove(operation);
        }
    }

    /// The turn of an operation has come; from now on it counts as started.
    pub(crate) fn begin(&self, operation: &str) -> Turn {
        let mut table = self.lock();
        match table.stages.get(operation) {
            Some(Stage::Done(outcome)) => Turn::Repeat(outcome.clone()),
            // Nothing else has its turn while an operation runs, so that a repeated one waits for
            // the first to end. Should one ever get here, it must not be done twice.
            Some(Stage::Withdrawn | Stage::Running) => Turn::Leave,
            Some(Stage::Queued) | None => {
                table.stages.insert(operation.to_owned(), Stage::Running);
                Turn::Start
            }
        }
    }

    /// An operation was answered. `None` for an answer that may be another one next time.
    pub(crate) fn end(&self, operation: String, outcome: Option<&Outcome>) {
        let mut table = self.lock();
        match outcome {
            None => drop(table.stages.remove(&operation)),
            Some(outcome) => table.close(operation, Stage::Done(outcome.clone())),
        }
    }

    /// What became of an operation. If it has not been started, it never will be.
    pub(crate) fn ask(&self, operation: &str) -> OperationState {
        let mut table = self.lock();
        let state = match table.stages.get(operation) {
            Some(Stage::Running) => return OperationState::Running,
            Some(Stage::Done(outcome)) => return state_of(outcome),
            Some(Stage::Withdrawn) => return OperationState::NotApplied,
            Some(Stage::Queued) => OperationState::NotApplied,
            // It may have been forgotten, so nothing can be said of the past.
            None => OperationState::Unknown,
        };
        table.close(operation.to_owned(), Stage::Withdrawn);
        state
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Every change is whole, so what a panic left behind is still good.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn close(&mut self, operation: String, stage: Stage) {
        self.bytes += stage.bytes();
        match self.stages.insert(operation.clone(), stage) {
            Some(old @ (Stage::Done(_) | Stage::Withdrawn)) => self.bytes -= old.bytes(),
            _ => self.over.push_back(operation),
        }
        while self.over.len() > REMEMBERED || (self.bytes > REMEMBERED_BYTES && self.over.len() > 1)
        {
            let Some(oldest) = self.over.pop_front() else { return };
            if let Some(stage) = self.stages.remove(&oldest) {
                self.bytes -= stage.bytes();
            }
        }
    }
}

impl Stage {
    fn bytes(&self) -> usize {
        match self {
            Stage::Done(Ok(result)) => result.get().len(),
            _ => 0,
        }
    }
}

/// What an answer says of the change that was asked for.
fn state_of(outcome: &Outcome) -> OperationState {
    let Err(fault) = outcome else { return OperationState::Applied };
    match fault.details.get("outcome").and_then(|told| told.as_str()) {
        Some("applied") => OperationState::Applied,
        Some("not_applied") => OperationState::NotApplied,
        Some(_) => OperationState::Unknown,
        // A defect or a wait in vain can strike half-way; every other refusal changes nothing.
        None if matches!(fault.code, ErrorCode::InternalError | ErrorCode::Timeout) => {
            OperationState::Unknown
        }
        None => OperationState::NotApplied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(text: &str) -> Outcome {
        Ok(RawValue::from_string(text.to_owned()).unwrap())
    }

    fn starts(operations: &Operations, operation: &str) -> bool {
        matches!(operations.begin(operation), Turn::Start)
    }

    #[test]
    fn a_repeated_operation_gets_the_same_answer_and_is_not_started_again() {
        let operations = Operations::default();
        operations.expect("a");
        assert!(starts(&operations, "a"));
        assert_eq!(operations.ask("a"), OperationState::Running);
        assert!(!starts(&operations, "a"));
        operations.end("a".to_owned(), Some(&done("1")));
        operations.expect("a");
        let Turn::Repeat(Ok(answer)) = operations.begin("a") else { panic!("it is not repeated") };
        assert_eq!(answer.get(), "1");
        assert_eq!(operations.ask("a"), OperationState::Applied);
    }

    #[test]
    fn what_was_asked_about_before_it_started_never_starts() {
        let operations = Operations::default();
        operations.expect("a");
        assert_eq!(operations.ask("a"), OperationState::NotApplied);
        assert!(!starts(&operations, "a"));
        assert_eq!(operations.ask("a"), OperationState::NotApplied);

        assert_eq!(operations.ask("b"), OperationState::Unknown);
        operations.expect("b");
        assert!(!starts(&operations, "b"));
    }

    #[test]
    fn what_a_broken_link_took_along_can_be_sent_again() {
        let operations = Operations::default();
        operations.expect("a");
        operations.forget("a");
        operations.expect("a");
        assert!(starts(&operations, "a"));
        operations.forget("a");
        assert_eq!(operations.ask("a"), OperationState::Running);
    }

    #[test]
    fn a_refusal_changed_nothing_and_a_pause_is_not_kept() {
        let operations = Operations::default();
        let ended = |fault| {
            operations.begin("a");
            operations.end("a".to_owned(), Some(&Err(fault)));
            let state = operations.ask("a");
            *operations.lock() = Table::default();
            state
        };
        assert_eq!(ended(Fault::invalid("no")), OperationState::NotApplied);
        assert_eq!(ended(Fault::internal("panic")), OperationState::Unknown);
        let told = Fault::internal("late").with("outcome", "applied");
        assert_eq!(ended(told), OperationState::Applied);
        operations.begin("a");
        operations.end("a".to_owned(), None);
        assert!(starts(&operations, "a"));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let operations = Operations::default();
        let long = done(&"1".repeat(REMEMBERED_BYTES / 4));
        for n in 0..5 {
            operations.begin(&n.to_string());
            operations.end(n.to_string(), Some(&long));
        }
        assert_eq!(operations.ask("0"), OperationState::Unknown);
        assert_eq!(operations.ask("4"), OperationState::Applied);
        for n in 0..2 * REMEMBERED {
            operations.begin(&n.to_string());
            operations.end(n.to_string(), Some(&done("1")));
        }
        let table = operations.lock();
        assert_eq!((table.stages.len(), table.over.len()), (REMEMBERED, REMEMBERED));
        assert_eq!(table.bytes, REMEMBERED);
    }
}
