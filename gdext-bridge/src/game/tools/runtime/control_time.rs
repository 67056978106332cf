//! `godot_runtime_control_time`.

use godot::{classes::Engine, global::seed, prelude::*};
use protocol::{
    Fault,
    tools::runtime::{ControlTime, TimeState},
};

use crate::game::probe::{InGame, Probe, Soon};

impl InGame for ControlTime {
    fn answer(self, _: &Probe) -> Result<Soon<TimeState>, Fault> {
        if let Some(number) = self.seed {
            seed(number);
        }
        if let Some(scale) = self.time_scale {
            Engine::singleton().set_time_scale(scale);
        }
        // In a frame of its own, so that the frame that runs is whole.
        let frozen = self.frozen;
        Ok(Soon::Later(Box::new(move |game: &Probe| {
            if let Some(frozen) = frozen
                && let Err(fault) = game.freeze(frozen)
            {
                return Some(Err(fault));
            }
            let engine = Engine::singleton();
            Some(Ok(TimeState {
                frozen: game.is_frozen(),
                time_scale: engine.get_time_scale(),
                frame: game.frame(),
                physics_frame: engine.get_physics_frames(),
            }))
        })))
    }
}
