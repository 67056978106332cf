//! `godot_debugger_step_out`.

use protocol::{
    Fault,
    tools::debugger::{StepOut, Stepped},
};

use super::step;
use crate::plan::{Context, Progress, Run};

impl Run for StepOut {
    fn run(self, context: &Context) -> Result<Progress<Stepped>, Fault> {
        step(context, "out", self.timeout_ms)
    }
}
