//! `godot_debugger_force_break`.

use std::time::{Duration, Instant};

use protocol::{
    ErrorCode, Fault,
    tools::debugger::{ForceBreak, ForcedBreak},
};

use super::limit;
use crate::plan::{Context, Progress, Run};

/// How long a game has to come to a line of a script, before it is stopped where it is.
const SCRIPTS: Duration = Duration::from_millis(500);

impl Run for ForceBreak {
    fn run(self, context: &Context) -> Result<Progress<ForcedBreak>, Fault> {
        let game = &context.game;
        game.require_session()?;
        if let Some(stop) = game.stop() {
            return Ok(Progress::Done(ForcedBreak {
                force_break_sent: false,
                breaked: true,
                stop,
            }));
        }
        let mark = game.mark();
        game.halt()?;
        let (since, limit) = (Instant::now(), limit(self.timeout_ms));
        let mut is_pressed = false;
        Ok(Progress::Aside(Box::new(move |context| {
            let game = &context.game;
            if game.has_stopped_since(mark)
                && let Some(stop) = game.stop()
            {
                return Some(Ok(ForcedBreak { force_break_sent: true, breaked: true, stop }));
            }
            if let Err(fault) = game.require_session() {
                return Some(Err(fault));
            }
            // Between two frames the engine can stop it too, but with no calls to see.
            if !is_pressed && since.elapsed() > SCRIPTS.min(limit / 2) && !game.is_stopped() {
                is_pressed = true;
                if let Err(fault) = game.order("break") {
                    return Some(Err(fault));
                }
            }
            (since.elapsed() > limit).then(|| Err(not_stopped(limit)))
        })))
    }
}

fn not_stopped(limit: Duration) -> Fault {
    Fault::new(
        ErrorCode::Timeout,
        format!(
            "The game did not stop within {} ms. It may be in a long piece of work of the engine, or \
             loading. Look with godot_runtime_is_playing whether it has stopped since, or end it with \
             godot_runtime_stop_scene.",
            limit.as_millis()
        ),
    )
    .may_have_applied()
}
