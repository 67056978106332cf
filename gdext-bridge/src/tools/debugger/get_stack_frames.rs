//! `godot_debugger_get_stack_frames`.

use std::time::{Duration, Instant};

use protocol::{
    ErrorCode, Fault,
    tools::debugger::{GetStackFrames, StackFrame, StackFrames},
};

use crate::plan::{Context, Progress, Run};

/// How long the calls of a game that has just stopped may be on their way.
const PATIENCE: Duration = Duration::from_secs(2);

impl Run for GetStackFrames {
    fn run(self, context: &Context) -> Result<Progress<StackFrames>, Fault> {
        context.game.require_stopped()?;
        let since = Instant::now();
        Ok(Progress::Aside(Box::new(move |context| {
            let limit = self.limit.count();
            let told = context.game.frames(|reason, frames| told(reason, frames, limit));
            if let Some(told) = told {
                return Some(Ok(told));
            }
            if let Err(fault) = context.game.require_stopped() {
                return Some(Err(fault));
            }
            (since.elapsed() > PATIENCE).then(|| {
                Err(Fault::new(
                    ErrorCode::Timeout,
                    "The stopped game did not tell its calls. Try again.",
                )
                .with("outcome", "not_applied"))
            })
        })))
    }
}

fn told(reason: &str, frames: &[StackFrame], limit: usize) -> StackFrames {
    let hint = "The game is stopped between two frames, where no script is executed. To stop it in one, \
                step into it, or set a breakpoint and continue.";
    StackFrames {
        frames: frames.iter().take(limit).cloned().collect(),
        reason: reason.to_owned(),
        total: frames.len(),
        truncated: frames.len() > limit,
        hint: frames.is_empty().then(|| hint.to_owned()),
    }
}
