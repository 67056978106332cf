//! `godot_input_simulate_mouse`.

use protocol::{
    Fault,
    tools::input::{InputSent, SimulateMouse},
};

use super::{event, send};
use crate::game::probe::{InGame, Probe, Soon};

impl InGame for SimulateMouse {
    fn answer(self, game: &Probe) -> Result<Soon<InputSent>, Fault> {
        Ok(send("mouse", event::mouse(&self, Some(game))?))
    }
}
