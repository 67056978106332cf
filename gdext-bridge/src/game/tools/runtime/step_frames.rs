//! `godot_runtime_step_frames`.

use godot::{
    classes::{Expression, Node},
    prelude::*,
};
use protocol::{
    ErrorCode, Fault, Required,
    tools::runtime::{GameStepped, StepGame, Until},
};

use crate::game::{
    expression::{LACKS, awaiting, parsed},
    probe::{Deadline, InGame, Probe, Soon},
};

impl InGame for StepGame {
    fn answer(self, game: &Probe) -> Result<Soon<GameStepped>, Fault> {
        let until = self.until.map(|until| Condition::new(game, until)).transpose()?;
        let deadline = Deadline::of(game, self.timeout_ms);
        let most = u64::try_from(self.frames.get()).unwrap_or_default();
        let mut steps = None;
        Ok(Soon::Between(Box::new(move |game: &Probe| {
            let is_late = deadline.is_over(game);
            let Some(run) = &steps else {
                // Others step first.
                match game.step() {
                    Ok(None) if is_late => return Some(Err(held_up())),
                    Ok(begun) => steps = begun,
                    Err(fault) => return Some(Err(fault)),
                }
                return None;
            };
            let frames = run.count();
            if !run.goes_on() {
                return Some(Err(taken_over(frames)));
            }
            let reached = match until.as_ref().map(|it| it.holds(game)).transpose() {
                Ok(reached) => reached,
                Err(fault) => {
                    steps = None;
                    return Some(Err(fault));
                }
            };
            let is_over = frames >= most || reached == Some(true);
            if !is_over && !is_late {
                return None;
            }
            steps = None;
            Some(Ok(GameStepped { frames, frame: game.frame(), reached, timed_out: !is_over }))
        })))
    }
}

fn taken_over(frames: u64) -> Fault {
    Fault::precondition(
        Required::PLAY_SESSION,
        format!(
            "After {frames} frames another call has frozen the game or let it go on for good, with \
             godot_runtime_control_time. See what it is like now."
        ),
    )
    .with("frames", frames)
}

fn held_up() -> Fault {
    Fault::new(
        ErrorCode::Timeout,
        "Another call has stepped the game all the time; none of these frames was run. Try again, or give a \
         longer timeout_ms.",
    )
    .with("outcome", "not_applied")
}

/// A condition on a node.
struct Condition {
    node: Gd<Node>,
    path: String,
    expression: Gd<Expression>,
}

impl Condition {
    fn new(game: &Probe, until: Until) -> Result<Condition, Fault> {
        let node = game.node(&until.node_path)?;
        let expression = parsed(&until.expression, &PackedStringArray::new()).map_err(|error| {
            Fault::invalid(format!("The condition cannot be read: {error}. {LACKS}"))
                .requiring(Required::parameter("until"))
        })?;
        let condition = Condition { node, path: until.node_path.to_string(), expression };
        // One that fails now fails always, as a name that does not exist.
        condition.holds(game)?;
        Ok(condition)
    }

    fn holds(&self, game: &Probe) -> Result<bool, Fault> {
        if !self.node.is_instance_valid() {
            return Err(Fault::not_found(format!("'{}' is gone.", self.path))
                .requiring(Required::NODE_EXISTS));
        }
        let mut expression = self.expression.clone();
        let base = self.node.clone().upcast::<Object>();
        let value = game.unless_it_fails(|| {
            expression.execute_ex().base_instance(&base).show_error(false).done()
        });
        let Some(value) = value else {
            return Err(Fault::invalid("The condition stopped the game with an error.")
                .requiring(Required::parameter("until")));
        };
        if expression.has_execute_failed() {
            return Err(Fault::invalid(format!(
                "The condition failed: {}.",
                expression.get_error_text().to_string().trim_end_matches('.')
            ))
            .requiring(Required::parameter("until")));
        }
        if awaiting(&value).is_some() {
            return Err(Fault::invalid(
                "The condition calls a function that awaits; it has to tell at once.",
            )
            .requiring(Required::parameter("until")));
        }
        Ok(value.booleanize())
    }
}
