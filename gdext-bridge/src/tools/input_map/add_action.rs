//! `godot_input_map_add_action`.

use protocol::{
    Fault, Required,
    tools::input_map::{ActionAdded, AddAction},
};

use super::Action;
use crate::plan::{Context, Edit, Plan};

impl Edit for AddAction {
    fn plan(self, _: &Context) -> Result<Plan<ActionAdded>, Fault> {
        check_name(&self.name)?;
        if Action::known(&self.name).is_some() {
            return Err(Fault::invalid(format!(
                "There is an action '{}' already. See it with godot_input_map_get_action_events.",
                self.name
            ))
            .requiring(Required::parameter("name")));
        }
        let action = Action { name: self.name, deadzone: self.deadzone, events: Vec::new() };
        let step = action.step();
        let label = format!("Add the input action {}", action.name);
        let result = ActionAdded { name: action.name, added: true, deadzone: action.deadzone };
        Ok(Plan::project_steps(result, label, vec![step]))
    }
}

/// The rules of the editor's own dialog.
fn check_name(name: &str) -> Result<(), Fault> {
    let bad = |c: char| ['/', ':', '=', '\\', '"'].contains(&c) || c.is_control();
    if name.trim().is_empty() || name != name.trim() || name.contains(bad) || name.len() > 255 {
        return Err(Fault::invalid(
            "An action needs a name without / : = \\ and \", and without space around it.",
        )
        .requiring(Required::parameter("name")));
    }
    Ok(())
}
