//! `godot_redo`.

use protocol::{
    Fault,
    tools::core::{Redo, Redone},
};

use super::{Taken, foretell, hint, left, lost_steps, next, take};
use crate::{
    history::Direction,
    plan::{Context, Edit, Plan},
    refresh,
};

impl Edit for Redo {
    // What it takes back may be a file.
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<Redone>, Fault> {
        let steps = foretell(
            context,
            Direction::Redo,
            self.count,
            self.only_agent,
            self.skip_changed_files,
        )?;
        let skipped_files = left(&steps);
        let result = Redone {
            requested: self.count.get(),
            nothing_to_redo: Some(steps.is_empty()),
            has_redo: Some(!steps.is_empty()),
            would_redo_next: steps.first().map(|it| it.step.action.clone()),
            hint: hint(&skipped_files),
            skipped_files,
            lost_steps: lost_steps(context, &steps),
            ..Redone::default()
        };
        Ok(Plan::action(result, move |context, result| {
            let Taken { steps, left, hint } = take(context, Direction::Redo, &steps)?;
            let next = next(context, Direction::Redo);
            let result = Redone {
                redone: i64::try_from(steps.len()).ok(),
                last_action: steps.last().map(|step| step.action.clone()),
                has_redo: Some(next.is_some()),
                would_redo_next: next,
                steps,
                skipped_files: left,
                hint,
                ..result
            };
            Ok(refresh::when_read_again(result, |result, lost| result.lost_steps.extend(lost)))
        }))
    }
}
