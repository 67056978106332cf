//! `godot_debugger_continue_execution`.

use std::time::{Duration, Instant};

use protocol::{
    Fault,
    tools::debugger::{ContinueExecution, Continued, Stop},
};

use super::deaf;
use crate::plan::{Context, Progress, Run};

/// How long a stopped game may take to hear that it is to go on.
const PATIENCE: Duration = Duration::from_secs(2);

impl Run for ContinueExecution {
    fn run(self, context: &Context) -> Result<Progress<Continued>, Fault> {
        context.game.require_stopped()?;
        let mark = context.game.mark();
        context.game.release("continue")?;
        let since = Instant::now();
        Ok(Progress::Aside(Box::new(move |context| {
            let game = &context.game;
            let (has_gone_on, is_late) = (game.has_gone_on_since(mark), since.elapsed() > PATIENCE);
            if has_gone_on {
                // Where it is stopped again comes after the news that it is.
                if let Some(stop) = game.stop() {
                    return Some(Ok(Continued { running: false, stop }));
                }
                if !game.is_halted() || is_late {
                    return Some(Ok(Continued { running: true, stop: Stop::default() }));
                }
            }
            if let Err(fault) = game.require_session() {
                return Some(Err(fault));
            }
            (is_late && !has_gone_on).then(|| Err(deaf(PATIENCE, "continue")))
        })))
    }
}
