//! `godot_input_map_remove_action`.

use protocol::{
    Fault, Required,
    tools::input_map::{ActionRemoved, RemoveAction},
};

use super::{Action, setting};
use crate::{
    plan::{Context, Edit, Plan},
    settings::{SettingsChange, is_of_the_engine},
    undo::Step,
};

impl Edit for RemoveAction {
    fn plan(self, _: &Context) -> Result<Plan<ActionRemoved>, Fault> {
        let action = Action::find(&self.name, "name")?;
        if is_of_the_engine(&setting(&self.name)) {
            return Err(Fault::invalid(format!(
                "'{}' is an action of the engine itself, which brings it back. Clear its events with \
                 godot_input_map_clear_action_events instead.",
                self.name
            ))
            .requiring(Required::parameter("name")));
        }
        let label = format!("Remove the input action {}", self.name);
        let step = Step::Settings(SettingsChange::of(&setting(&self.name), None));
        let event_count = action.events.len();
        let result = ActionRemoved { name: self.name, removed: true, event_count };
        Ok(Plan::project_steps(result, label, vec![step]))
    }
}
