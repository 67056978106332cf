//! `godot_runtime_control_time`.

use godot::{classes::Engine, global::seed, prelude::*};
use protocol::{
    Fault,
    tools::runtime::{ControlTime, TimeState},
};

use crate::game::probe::{InGame, Probe, Soon};

impl InGame for ControlTime {
    fn answer(self, game: &Probe) -> Result<Soon<TimeState>, Fault> {
        if let Some(number) = self.seed {
            seed(number);
        }
        if let Some(scale) = self.time_scale {
            game.set_time_scale(scale);
        }
        let frozen = self.frozen;
        Ok(Soon::Between(Box::new(move |game: &Probe| {
            if let Some(frozen) = frozen
                && let Err(fault) = game.control(frozen)
            {
                return Some(Err(fault));
            }
            Some(Ok(TimeState {
                frozen: game.is_frozen(),
                time_scale: game.time_scale(),
                frame: game.frame(),
                physics_frame: Engine::singleton().get_physics_frames(),
            }))
        })))
    }
}
