//! `godot_input_simulate_touch`.

use protocol::{
    Fault,
    tools::input::{InputSent, SimulateTouch},
};

use super::{event, send};
use crate::game::probe::{InGame, Probe, Soon};

impl InGame for SimulateTouch {
    fn answer(self, _: &Probe) -> Result<Soon<InputSent>, Fault> {
        Ok(send("touch", event::touch(&self)?))
    }
}
