//! `godot_debugger_step_into`.

use protocol::{
    Fault,
    tools::debugger::{StepInto, Stepped},
};

use super::step;
use crate::plan::{Context, Progress, Run};

impl Run for StepInto {
    fn run(self, context: &Context) -> Result<Progress<Stepped>, Fault> {
        step(context, "step", self.timeout_ms)
    }
}
