//! The handlers that run in the game: one folder a toolset, one file a tool, as in `crate::tools`.

mod debugger;
pub(super) mod input;
mod profiling;
pub(super) mod runtime;
mod testing;

use std::time::Duration;

use protocol::tools::runtime::Patience;

/// How long the game may take for what it has to answer within `timeout`: what is left of that is for the
/// answer's own way to the editor.
fn time_for(timeout: Patience) -> Duration {
    const WAY: Duration = Duration::from_millis(200);
    let timeout = Duration::from_millis(u64::try_from(timeout.get()).unwrap_or_default());
    timeout - WAY.min(timeout / 2)
}
