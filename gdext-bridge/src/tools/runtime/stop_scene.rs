//! `godot_runtime_stop_scene`.

use std::time::{Duration, Instant};

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::runtime::{Ended, PlayState, StopScene},
};

use crate::plan::{Context, Progress, Run};

/// How long a game has to quit when it is asked to.
const ITS_TIME: Duration = Duration::from_secs(2);

/// How long the editor may take to end it after that.
const PATIENCE: Duration = Duration::from_secs(5);

impl Run for StopScene {
    fn run(self, context: &Context) -> Result<Progress<PlayState>, Fault> {
        if !is_there(context) {
            return Ok(Progress::Done(context.game.state()));
        }
        let (since, session) = (Instant::now(), context.game.state().session);
        // It may have gone without a word to the editor, which shows it as running until it is told.
        let had_ended = !context.game.state().playing;
        if had_ended {
            EditorInterface::singleton().stop_playing_scene();
        } else {
            context.game.is_ended_by_call();
            if !context.game.ask_to_quit() {
                kill(context);
            }
        }
        Ok(Progress::Aside(Box::new(move |context| {
            let was_killed = context.game.was_killed();
            // Another call may have started the next one already.
            if !is_there(context) || context.game.state().session != session {
                let ended = if was_killed { Ended::Killed } else { Ended::Asked };
                let ended = Some(ended).filter(|_| !had_ended);
                return Some(Ok(PlayState { ended, ..context.game.state() }));
            }
            if !context.game.state().playing {
                EditorInterface::singleton().stop_playing_scene();
                return None;
            }
            if !was_killed && since.elapsed() > ITS_TIME {
                kill(context);
            }
            (since.elapsed() > ITS_TIME + PATIENCE)
                .then(|| Err(Fault::internal("The editor did not end the game.")))
        })))
    }
}

/// Whether the editor has a game running, or thinks so.
fn is_there(context: &Context) -> bool {
    context.game.state().playing || EditorInterface::singleton().is_playing_scene()
}

fn kill(context: &Context) {
    context.game.is_killed();
    EditorInterface::singleton().stop_playing_scene();
}
