//! `godot_debugger_continue_execution`.

use std::time::{Duration, Instant};

use protocol::{
    Fault,
    tools::debugger::{ContinueExecution, Continued},
};

use super::deaf;
use crate::plan::{Context, Progress, Run};

/// How long a stopped game may take to hear that it is to go on.
const PATIENCE: Duration = Duration::from_secs(2);

impl Run for ContinueExecution {
    fn run(self, context: &Context) -> Result<Progress<Continued>, Fault> {
        context.game.require_stopped()?;
        let mark = context.game.mark();
        context.game.order("continue")?;
        let since = Instant::now();
        Ok(Progress::Aside(Box::new(move |context| {
            let game = &context.game;
            if game.has_gone_on_since(mark) {
                return Some(Ok(Continued { running: !game.is_stopped() }));
            }
            if let Err(fault) = game.require_session() {
                return Some(Err(fault));
            }
            (since.elapsed() > PATIENCE).then(|| Err(deaf(PATIENCE, "continue")))
        })))
    }
}
