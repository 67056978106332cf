//! `godot_undo`.

use protocol::{
    Fault,
    tools::core::{Undo, Undone},
};

use super::{Taken, foretell, hint, left, lost_steps, next, take};
use crate::{
    history::Direction,
    plan::{Context, Edit, Plan},
    refresh,
};

impl Edit for Undo {
    // What it takes back may be a file.
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<Undone>, Fault> {
        let steps = foretell(
            context,
            Direction::Undo,
            self.count,
            self.only_agent,
            self.skip_changed_files,
        )?;
        let skipped_files = left(&steps);
        let result = Undone {
            requested: self.count.get(),
            nothing_to_undo: Some(steps.is_empty()),
            has_undo: Some(!steps.is_empty()),
            would_undo_next: steps.first().map(|it| it.step.action.clone()),
            hint: hint(&skipped_files),
            skipped_files,
            lost_steps: lost_steps(context, &steps),
            ..Undone::default()
        };
        Ok(Plan::action(result, move |context, result| {
            let Taken { steps, left, hint } = take(context, Direction::Undo, &steps)?;
            let next = next(context, Direction::Undo);
            let result = Undone {
                undone: i64::try_from(steps.len()).ok(),
                last_action: steps.last().map(|step| step.action.clone()),
                has_undo: Some(next.is_some()),
                would_undo_next: next,
                steps,
                skipped_files: left,
                hint,
                ..result
            };
            Ok(refresh::when_read_again(result, |result, lost| result.lost_steps.extend(lost)))
        }))
    }
}
