//! `godot_runtime_step_frames`.

use std::time::Instant;

use godot::{
    classes::{Expression, Node},
    global::Error,
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::runtime::{GameStepped, StepGame, Until},
};

use crate::game::{
    probe::{InGame, Probe, Soon},
    tools::time_for,
};

impl InGame for StepGame {
    fn answer(self, game: &Probe) -> Result<Soon<GameStepped>, Fault> {
        let until = self.until.map(|until| Condition::new(game, until)).transpose()?;
        let limit = time_for(self.timeout_ms);
        let most = u64::try_from(self.frames.get()).unwrap_or_default();
        let (mut begun, since) = (None, Instant::now());
        Ok(Soon::Later(Box::new(move |game: &Probe| {
            let Some(first) = begun else {
                // Its nodes are processed in this very frame, which is the first to count.
                if let Err(fault) = game.freeze(false) {
                    return Some(Err(fault));
                }
                begun = Some(game.frame());
                return None;
            };
            let frames = game.frame() - first;
            let reached = match until.as_ref().map(Condition::holds).transpose() {
                Ok(reached) => reached,
                Err(fault) => {
                    let _ = game.freeze(true);
                    return Some(Err(fault));
                }
            };
            let timed_out = since.elapsed() >= limit;
            if frames < most && reached != Some(true) && !timed_out {
                return None;
            }
            let is_cut_short = timed_out && frames < most && reached != Some(true);
            let frame = game.frame();
            let result = GameStepped { frames, frame, reached, timed_out: is_cut_short };
            Some(game.freeze(true).map(|()| result))
        })))
    }
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
        let mut expression = Expression::new_gd();
        if expression.parse(&until.expression) != Error::OK {
            return Err(Fault::invalid(format!(
                "The condition cannot be read: {}.",
                expression.get_error_text()
            ))
            .requiring(Required::parameter("until")));
        }
        let condition = Condition { node, path: until.node_path.to_string(), expression };
        // One that fails now fails always, as a name that does not exist.
        condition.holds()?;
        Ok(condition)
    }

    fn holds(&self) -> Result<bool, Fault> {
        if !self.node.is_instance_valid() {
            return Err(Fault::not_found(format!("'{}' is gone.", self.path))
                .requiring(Required::NODE_EXISTS));
        }
        let mut expression = self.expression.clone();
        let base = self.node.clone().upcast::<Object>();
        let value = expression.execute_ex().base_instance(&base).show_error(false).done();
        if expression.has_execute_failed() {
            return Err(Fault::invalid(format!(
                "The condition failed: {}.",
                expression.get_error_text()
            ))
            .requiring(Required::parameter("until")));
        }
        Ok(value.booleanize())
    }
}
