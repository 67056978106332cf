//! `godot_input_simulate_key`.

use protocol::{
    Fault,
    tools::input::{InputSent, SimulateKey},
};

use super::{event, send};
use crate::game::probe::{InGame, Probe, Soon};

impl InGame for SimulateKey {
    fn answer(self, _: &Probe) -> Result<Soon<InputSent>, Fault> {
        Ok(send("key", event::key(&self)?))
    }
}
