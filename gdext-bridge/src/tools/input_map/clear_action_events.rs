//! `godot_input_map_clear_action_events`.

use protocol::{
    Fault,
    tools::input_map::{ActionEventsCleared, ClearActionEvents},
};

use super::Action;
use crate::plan::{Context, Edit, Plan};

impl Edit for ClearActionEvents {
    fn plan(self, _: &Context) -> Result<Plan<ActionEventsCleared>, Fault> {
        let mut action = Action::find(&self.action, "action")?;
        let event_count = std::mem::take(&mut action.events).len();
        let is_clear = event_count == 0 && action.is_written();
        let steps = if is_clear { Vec::new() } else { vec![action.step()] };
        let label = format!("Clear the input action {}", self.action);
        let result = ActionEventsCleared { action: self.action, cleared: true, event_count };
        Ok(Plan::project_steps(result, label, steps))
    }
}
