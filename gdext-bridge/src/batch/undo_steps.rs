//! How many undo steps a batch would be, counted as it registers them: one, and one more wherever the
//! history has to be right for what comes, or another history is meant.

use crate::plan::{Reach, StepHome};

/// The undo steps so far.
#[derive(Default)]
pub(super) struct UndoSteps {
    /// Where that belongs which is not registered yet.
    open: Option<StepHome>,
    /// Whether open scenes are read again since that was begun.
    has_read_again: bool,
    count: usize,
    /// Whether something was done of which that cannot be told.
    is_least: bool,
}

impl UndoSteps {
    /// How many there are, if nothing more comes.
    pub(super) fn count(&self) -> usize {
        self.count + usize::from(self.open.is_some())
    }

    /// Whether there may be more.
    pub(super) fn is_least(&self) -> bool {
        self.is_least
    }

    /// What was done is registered.
    pub(super) fn register(&mut self) {
        self.count += usize::from(self.open.take().is_some());
        self.has_read_again = false;
    }

    /// An entry is done that was planned.
    pub(super) fn take(&mut self, reach: &Reach) {
        self.step(&reach.step);
        self.has_read_again |= reach.reads_again;
    }

    /// An entry is done that could not be planned. Where its step belongs its tool tells, but not always.
    pub(super) fn take_unplanned(&mut self, home: Option<&StepHome>) {
        match home {
            Some(home) => self.step(home),
            None => {
                self.is_least |= self.open.is_some();
                self.open.get_or_insert(StepHome::Project);
            }
        }
    }

    fn step(&mut self, home: &StepHome) {
        match (home, &self.open) {
            (StepHome::Nowhere, _) => return,
            (StepHome::Outside, _) => return self.register(),
            (StepHome::Scene(now), Some(StepHome::Scene(before))) if now != before => {
                self.register();
            }
            (StepHome::Scene(_), _) if self.has_read_again => self.register(),
            _ => {}
        }
        if !matches!((home, &self.open), (StepHome::Project, Some(_))) {
            self.open = Some(home.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(homes: &[(StepHome, bool)]) -> usize {
        let mut steps = UndoSteps::default();
        for (step, reads_again) in homes {
            steps.take(&Reach {
                step: step.clone(),
                writes_outside_undo: false,
                closes: None,
                closes_late: false,
                reads_again: *reads_again,
            });
        }
        assert!(!steps.is_least());
        steps.count()
    }

    #[test]
    fn steps_are_counted_as_they_are_registered() {
        let scene = |name: &str| (StepHome::Scene(name.to_owned()), false);
        let (project, outside, nothing) =
            ((StepHome::Project, false), (StepHome::Outside, false), (StepHome::Nowhere, false));
        let moved = (StepHome::Project, true);
        for (homes, expected) in [
            (vec![], 0),
            (vec![nothing.clone(), outside.clone()], 0),
            (vec![project.clone(), scene("a"), project.clone(), scene("a")], 1),
            (vec![scene("a"), outside.clone(), nothing.clone()], 1),
            (vec![scene("a"), outside.clone(), scene("a")], 2),
            (vec![scene("a"), project.clone(), scene("b")], 2),
            (vec![moved.clone(), project.clone(), moved.clone()], 1),
            (vec![moved.clone(), scene("a"), scene("a")], 2),
            (vec![moved, outside, scene("a")], 2),
        ] {
            assert_eq!(count(&homes), expected);
        }
    }

    #[test]
    fn what_cannot_be_told_is_said() {
        let mut steps = UndoSteps::default();
        steps.take_unplanned(None);
        assert!(!steps.is_least() && steps.count() == 1);
        steps.take_unplanned(Some(&StepHome::Scene("a".to_owned())));
        assert!(!steps.is_least() && steps.count() == 1);
        steps.take_unplanned(None);
        assert!(steps.is_least() && steps.count() == 1);
    }
}
