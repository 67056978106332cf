//! `godot_input_simulate_joypad`.

use protocol::{
    Fault,
    tools::input::{InputSent, SimulateJoypad},
};

use super::{event, send};
use crate::game::probe::{InGame, Probe, Soon};

impl InGame for SimulateJoypad {
    fn answer(self, _: &Probe) -> Result<Soon<InputSent>, Fault> {
        Ok(send("joypad", event::joypad(&self)?))
    }
}
