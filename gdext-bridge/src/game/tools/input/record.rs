//! `godot_input_record`.

use protocol::{
    Fault,
    tools::input::{RecordInput, RecordingStarted},
};

use super::event;
use crate::{
    game::probe::{InGame, Probe, Soon},
    game::recorder::Describe,
};

impl InGame for RecordInput {
    fn answer(self, game: &Probe) -> Result<Soon<RecordingStarted>, Fault> {
        let describe: Describe = event::told;
        game.recorder().begin(&game.tree()?, self.include_motion, describe)?;
        Ok(Soon::Now(RecordingStarted { recording: true, frame: game.frame() }))
    }
}
