//! `godot_input_map_add_event`.

use protocol::{
    Fault,
    tools::input_map::{AddEvent, EventAdded},
};

use super::{
    Action,
    event::{info, make},
};
use crate::plan::{Context, Edit, Plan};

impl Edit for AddEvent {
    fn plan(self, _: &Context) -> Result<Plan<EventAdded>, Fault> {
        let mut action = Action::find(&self.action, "action")?;
        let event = make(&self)?;
        let known = action
            .events
            .iter()
            .position(|other| other.get_device() == event.get_device() && other.is_match(&event));
        let info = info(&event);
        let label = format!("Add {} to the input action {}", info.text, self.action);
        let result = EventAdded {
            action: self.action,
            event_index: known.unwrap_or(action.events.len()),
            added: known.is_none(),
            already_there: known.is_some(),
            event: info,
        };
        let steps = match known {
            Some(_) if action.is_written() => Vec::new(),
            Some(_) => vec![action.step()],
            None => {
                action.events.push(event);
                vec![action.step()]
            }
        };
        Ok(Plan::project_steps(result, label, steps))
    }
}
