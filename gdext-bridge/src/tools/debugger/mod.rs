//! `debugger`: stops the game and lets it go on. What looks into the stopped game runs there: see
//! `crate::game::tools`.

mod clear_breakpoints;
mod continue_execution;
mod force_break;
mod get_stack_frames;
mod lines;
mod list_breakpoints;
mod remove_breakpoint;
mod set_breakpoint;
mod step_into;
mod step_out;
mod step_over;

use std::time::{Duration, Instant};

use protocol::{
    ErrorCode, Fault,
    tools::{
        debugger::{Stepped, Stop},
        runtime::Patience,
    },
};

use crate::plan::{Context, Progress};

fn limit(timeout_ms: Patience) -> Duration {
    Duration::from_millis(u64::try_from(timeout_ms.get()).unwrap_or_default())
}

/// Lets the game do one step of a kind that the engine's debugger knows. It is done when the game has
/// stopped again; one that waits, or executes no script any more, does not.
fn step(
    context: &Context,
    message: &'static str,
    timeout_ms: Patience,
) -> Result<Progress<Stepped>, Fault> {
    context.game.require_stopped()?;
    let mark = context.game.mark();
    context.game.release(message)?;
    let (since, limit) = (Instant::now(), limit(timeout_ms));
    Ok(Progress::Aside(Box::new(move |context| {
        let game = &context.game;
        if game.has_stopped_since(mark)
            && let Some(stop) = game.stop()
        {
            return Some(Ok(Stepped { stepped: true, breaked: true, stop }));
        }
        if let Err(fault) = game.require_session() {
            return Some(Err(fault));
        }
        if since.elapsed() < limit {
            return None;
        }
        Some(match game.has_gone_on_since(mark) {
            true => {
                // It would stop what runs at any later time.
                game.end_step();
                Ok(Stepped { stepped: true, breaked: false, stop: Stop::default() })
            }
            false => Err(deaf(limit, message)),
        })
    })))
}

/// The stopped game did not take the order.
fn deaf(limit: Duration, message: &str) -> Fault {
    Fault::new(
        ErrorCode::Timeout,
        format!(
            "The stopped game did not take the order '{message}' within {} ms. Try again, or end it with \
             godot_runtime_stop_scene.",
            limit.as_millis(),
        ),
    )
    .may_have_applied()
}
