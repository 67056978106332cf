//! `godot_debugger_clear_breakpoints`.

use protocol::{
    Fault,
    tools::debugger::{BreakpointsCleared, ClearBreakpoints},
};

use crate::plan::{Context, Progress, Run};

impl Run for ClearBreakpoints {
    fn run(self, context: &Context) -> Result<Progress<BreakpointsCleared>, Fault> {
        let all = context.game.breakpoints().all();
        for place in &all {
            context.game.remove_breakpoint(place);
        }
        Ok(Progress::Done(BreakpointsCleared { breakpoints_cleared: true, count: all.len() }))
    }
}
