//! `godot_runtime_stop_scene`.

use std::time::{Duration, Instant};

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::runtime::{PlayState, StopScene},
};

use crate::plan::{Context, Progress, Run};

/// How long the editor may take to end the game.
const PATIENCE: Duration = Duration::from_secs(5);

impl Run for StopScene {
    fn run(self, context: &Context) -> Result<Progress<PlayState>, Fault> {
        if !EditorInterface::singleton().is_playing_scene() {
            return Ok(Progress::Done(context.game.state()));
        }
        EditorInterface::singleton().stop_playing_scene();
        let since = Instant::now();
        Ok(Progress::Waiting(Box::new(move |context| {
            if !EditorInterface::singleton().is_playing_scene() {
                return Some(Ok(context.game.state()));
            }
            (since.elapsed() > PATIENCE)
                .then(|| Err(Fault::internal("The editor did not end the game.")))
        })))
    }
}
