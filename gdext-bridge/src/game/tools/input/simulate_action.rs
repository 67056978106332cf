//! `godot_input_simulate_action`.

use protocol::{
    Fault,
    tools::input::{InputSent, SimulateAction},
};

use super::{event, send};
use crate::game::probe::{InGame, Probe, Soon};

impl InGame for SimulateAction {
    fn answer(self, _: &Probe) -> Result<Soon<InputSent>, Fault> {
        Ok(send("action", event::action(&self)?))
    }
}
