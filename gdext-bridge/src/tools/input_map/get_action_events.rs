//! `godot_input_map_get_action_events`.

use protocol::{
    Fault,
    tools::input_map::{ActionEvents, GetActionEvents},
};

use super::{Action, event::info};
use crate::plan::{Context, Read};

impl Read for GetActionEvents {
    fn read(self, _: &Context) -> Result<ActionEvents, Fault> {
        let Action { name, deadzone, events } = Action::find(&self.action, "action")?;
        Ok(ActionEvents { action: name, deadzone, events: events.iter().map(info).collect() })
    }
}
