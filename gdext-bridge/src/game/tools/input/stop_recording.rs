//! `godot_input_stop_recording`.

use protocol::{
    Fault,
    tools::input::{Recording, StopRecording},
};

use crate::game::probe::{InGame, Probe, Soon};

impl InGame for StopRecording {
    fn answer(self, game: &Probe) -> Result<Soon<Recording>, Fault> {
        let recorded = game.recorder().end();
        let reason = match &recorded {
            Some(_) => None,
            None => Some("Nothing is being recorded; begin with godot_input_record.".to_owned()),
        };
        let ready = recorded.is_some();
        let (events, truncated) = recorded.unwrap_or_default();
        Ok(Soon::Now(Recording { ready, connected: true, events, truncated, reason }))
    }
}
