//! `godot_input_get_stats`.

use protocol::{
    Fault,
    tools::input::{GetInputStats, InputStats},
};

use crate::game::probe::{InGame, Needs, Probe, Soon};

impl InGame for GetInputStats {
    fn needs(&self) -> Needs {
        Needs::Look
    }

    fn answer(self, game: &Probe) -> Result<Soon<InputStats>, Fault> {
        Ok(Soon::Now(InputStats {
            playing: true,
            connected: true,
            injected: game.injected(),
            frame: game.frame(),
            recording: game.recorder().is_recording(),
        }))
    }
}
