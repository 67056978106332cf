//! `godot_runtime_play_scene`.

use std::time::{Duration, Instant};

use godot::{
    classes::{DisplayServer, EditorInterface, Os, ProjectSettings},
    prelude::*,
};
use protocol::{
    ErrorCode, Fault, Required, ResPath,
    tools::runtime::{PlayScene, PlayState},
};

use super::{autosave::Unsaved, run_and_capture::main_scene_to_run};
use crate::{
    game::FROZEN,
    plan::{Context, Progress, Run},
    tools::scene_edit::check_scene_file,
};

/// The setting with what the editor adds to the command line of a game.
const RUN_ARGUMENTS: &str = "editor/run/main_run_args";

impl Run for PlayScene {
    fn run(self, context: &Context) -> Result<Progress<PlayState>, Fault> {
        let scene = scene_to_play(self.scene_path.as_ref(), "scene_path")?;
        let limit = Duration::from_millis(u64::try_from(self.timeout_ms.get()).unwrap_or_default());
        let (fixed_fps, frozen) = (self.fixed_fps, self.frozen);
        let mut stage = Stage::Before;
        let mut since = Instant::now();
        let mut paused = None;
        let mut saved = Vec::new();
        // The settings are not as they are to be saved until the process is there. Then others have their
        // turn, of which one may be to stop it.
        let mut alone = Some(context.alone());
        Ok(Progress::Aside(Box::new(move |context| {
            let mut editor = EditorInterface::singleton();
            stage.tell(context);
            match &mut stage {
                // One that runs is ended first. The editor takes a frame for that.
                Stage::Before if editor.is_playing_scene() => {
                    context.game.is_killed();
                    editor.stop_playing_scene();
                    stage = Stage::Stopping;
                    None
                }
                Stage::Stopping if editor.is_playing_scene() => {
                    let is_late = since.elapsed() > limit;
                    is_late.then(|| Err(Fault::internal("The game that runs cannot be ended.")))
                }
                Stage::Before | Stage::Stopping => {
                    stage = Stage::Prepared(Arguments::of(fixed_fps, frozen));
                    None
                }
                // A setting takes effect a frame after it was set.
                Stage::Prepared(_) => {
                    since = Instant::now();
                    context.game.begin(&scene);
                    let unsaved = Unsaved::where_nothing_is(context);
                    context.tabs.take_saved();
                    editor.play_custom_scene(&scene);
                    saved = context.tabs.take_saved();
                    drop(unsaved);
                    let prepared = std::mem::replace(&mut stage, Stage::Before);
                    if let Stage::Prepared(arguments) = prepared {
                        stage = Stage::Started(context.game.state().session, Some(arguments));
                    }
                    None
                }
                Stage::Started(session, arguments) => {
                    let state = PlayState { saved: saved.clone(), ..context.game.state() };
                    if state.session != *session {
                        return Some(Err(replaced(&state)));
                    }
                    // The process is started within a frame or two.
                    let is_late = since.elapsed() > Duration::from_millis(500);
                    if state.playing || is_late {
                        *arguments = None;
                        drop(alone.take());
                    }
                    // One that is stopped before its first frame answers when it goes on.
                    if state.connected || is_told(&state, &mut paused) {
                        return Some(Ok(state));
                    }
                    let is_over = !state.playing && is_late;
                    if !is_over && since.elapsed() < limit {
                        return None;
                    }
                    if !state.playing && context.game.was_ended_by_call() {
                        return Some(Err(ended_by_call(&state)));
                    }
                    Some(Err(not_there(&state, limit)))
                }
            }
        })))
    }
}

/// The file of the scene that is to be played, which can be. `parameter` is the one that names it.
pub(in crate::tools) fn scene_to_play(
    scene: Option<&ResPath>,
    parameter: &'static str,
) -> Result<String, Fault> {
    let Some(path) = scene else { return main_scene_to_run(parameter) };
    check_scene_file(path, parameter)?;
    Ok(path.to_string())
}

/// Whether all is told of a game that is stopped since `paused`: why and where comes after the news
/// that it is.
fn is_told(state: &PlayState, paused: &mut Option<Instant>) -> bool {
    /// How long that may take.
    const PATIENCE: Duration = Duration::from_secs(1);
    if !state.paused {
        *paused = None;
        return false;
    }
    state.reason.is_some() || paused.get_or_insert_with(Instant::now).elapsed() > PATIENCE
}

/// How far the start is.
enum Stage {
    Before,
    Stopping,
    Prepared(Arguments),
    /// The run, and what it was started with until its process is there.
    Started(Option<u64>, Option<Arguments>),
}

impl Stage {
    /// Tells how far the start is.
    fn tell(&self, context: &Context) {
        let (done, message) = match self {
            Stage::Before => (0, "The start is prepared"),
            Stage::Stopping => (1, "The game that runs is ended"),
            Stage::Prepared(_) => (2, "The game is started"),
            Stage::Started(..) => (3, "The game loads; its first frame is waited for"),
        };
        context.tell(done, 4, message);
    }
}

/// The arguments of games, changed for as long as this lives and never saved: an editor without a
/// display starts games that want one.
struct Arguments {
    before: Option<Variant>,
}

impl Arguments {
    fn of(fixed_fps: u32, frozen: bool) -> Arguments {
        if frozen {
            Os::singleton().set_environment(FROZEN, "1");
        }
        let mut wanted = String::new();
        if DisplayServer::singleton().get_name() == "headless" {
            wanted.push_str("--headless ");
        }
        if fixed_fps > 0 {
            wanted.push_str(&format!("--fixed-fps {fixed_fps} "));
        }
        if wanted.is_empty() {
            return Arguments { before: None };
        }
        let mut settings = ProjectSettings::singleton();
        let before = settings.get_setting(RUN_ARGUMENTS);
        let arguments = format!("{wanted}{before}");
        settings.set_setting(RUN_ARGUMENTS, &arguments.trim().to_variant());
        Arguments { before: Some(before) }
    }
}

impl Drop for Arguments {
    fn drop(&mut self) {
        Os::singleton().unset_environment(FROZEN);
        if let Some(before) = self.before.take() {
            ProjectSettings::singleton().set_setting(RUN_ARGUMENTS, &before);
        }
    }
}

fn ended_by_call(state: &PlayState) -> Fault {
    let facts = serde_json::to_value(state).unwrap_or_default();
    let hint = "The game was started, and another call has stopped it before this one answered.";
    Fault::precondition(Required::PLAY_SESSION, hint)
        .with("outcome", "applied")
        .with("state", facts)
}

fn replaced(state: &PlayState) -> Fault {
    let fault = Fault::new(
        ErrorCode::PreconditionFailed,
        "The game was started, and another call has started another one before this one answered. See \
         godot_runtime_is_playing.",
    )
    .with("outcome", "applied")
    .requiring(Required::PLAY_SESSION);
    match state.saved.is_empty() {
        true => fault,
        false => fault.with("saved", state.saved.clone()),
    }
}

fn not_there(state: &PlayState, limit: Duration) -> Fault {
    let facts = serde_json::to_value(state).unwrap_or_default();
    let fault = match (&state.reason, state.playing) {
        (Some(reason), false) => Fault::new(
            ErrorCode::PreconditionFailed,
            format!("The game did not stay: {reason}. See godot_runtime_get_game_output."),
        ),
        (None, false) => Fault::new(
            ErrorCode::PreconditionFailed,
            "The game ended before it could say anything. Look at the scene and its scripts with \
             godot_scripts_get_parse_errors, and run it with godot_runtime_run_and_capture.",
        ),
        (_, true) => Fault::new(
            ErrorCode::Timeout,
            format!(
                "The game was started, but did not answer within {} ms. It may still be loading, be stopped \
                 by an error, or be in an endless loop: see godot_runtime_get_game_output, or stop it where \
                 it is with godot_debugger_force_break.",
                limit.as_millis()
            ),
        )
        .with("outcome", "applied"),
    };
    fault.requiring(Required::PLAY_SESSION).with("state", facts)
}
