//! `godot_debugger_step_over`.

use protocol::{
    Fault,
    tools::debugger::{StepOver, Stepped},
};

use super::step;
use crate::plan::{Context, Progress, Run};

impl Run for StepOver {
    fn run(self, context: &Context) -> Result<Progress<Stepped>, Fault> {
        step(context, "next", self.timeout_ms)
    }
}
