//! The running game, from both sides.
//!
//! The same library is loaded in the game that the editor starts. There [`probe`] answers over the
//! engine's own debugger connection; nothing is added to the project for it. In the editor,
//! [`Game`] sends requests and takes the answers, [`debugger`] hears what comes over the connection,
//! and [`output`] keeps what the game prints. It is stopped and let go on by [`control`]; [`halt`] knows
//! where it is stopped, and [`breakpoints`] where it is to be.
//!
//! A request is the command of a tool with verb `games`, its parameters as they came from the gateway.
//! It has an id, and the answer comes when the game has it, in whatever order.

pub(crate) mod breakpoints;
pub(crate) mod control;
pub(crate) mod debugger;
mod halt;
pub(crate) mod output;
pub(crate) mod probe;
mod question;
pub(crate) mod recorder;
mod tools;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant},
};

use godot::{
    classes::{EditorDebuggerPlugin, EditorDebuggerSession, EditorInterface, EditorPlugin, Os},
    prelude::*,
};
use protocol::{
    ErrorCode, Fault, Required, Tool,
    tools::{input::SequenceEvent, runtime::PlayState},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use self::question::Question;
use self::{breakpoints::Breakpoints, halt::Halts, output::Output, probe::Needs};
use crate::dispatch::Pending;

/// Checks input outside the game, which alone knows its actions.
pub(crate) fn check_events(events: &[SequenceEvent]) -> Result<(), Fault> {
    tools::input::check(events)
}

/// The name of the capture, on both sides of the debugger connection.
pub(crate) const CAPTURE: &str = "godot_mcp";

/// Tells a game that it was started by an editor which has questions for it: that editor's process.
pub(crate) const EDITOR_PID: &str = "GODOT_MCP_EDITOR_PID";

/// Tells a game that it is to be frozen before its first frame.
pub(crate) const FROZEN: &str = "GODOT_MCP_FROZEN";

/// What a game says of itself when it is there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// Its process.
    pub(crate) pid: u32,
    /// Whether it has no display.
    pub(crate) headless: bool,
}

/// An answer of the game, or its failure.
#[derive(Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The result.
    Ok(Box<RawValue>),
    /// Why there is none.
    Err(Fault),
}

/// The game as the editor sees it. Shared with the callbacks of the debugger.
#[derive(Clone, Default)]
pub(crate) struct Game(Rc<State>);

#[derive(Default)]
struct State {
    plugin: RefCell<Option<(Gd<EditorPlugin>, Gd<EditorDebuggerPlugin>)>>,
    run: RefCell<Run>,
    output: RefCell<Output>,
    halts: RefCell<Halts>,
    breakpoints: Breakpoints,
    answers: RefCell<HashMap<u64, Option<Reply>>>,
    ids: Cell<u64>,
}

/// One run of the game.
#[derive(Default)]
struct Run {
    /// Counts the runs since the editor was started.
    number: u64,
    scene: String,
    /// The session of the debugger, once there is one.
    session: Option<i32>,
    hello: Option<Hello>,
    is_broken: bool,
    /// Why it ended.
    end: Option<String>,
    started: Option<Instant>,
}

impl Game {
    /// Starts to listen to games.
    pub(crate) fn watch(plugin: &Gd<EditorPlugin>) -> Game {
        let game = Game::default();
        let listener = debugger::GameDebugger::listening(game.clone());
        plugin.clone().add_debugger_plugin(&listener);
        game.0.plugin.replace(Some((plugin.clone(), listener)));
        // Games inherit it. Without it they take no notice of us.
        Os::singleton().set_environment(EDITOR_PID, &std::process::id().to_string());
        game
    }

    /// Stops to listen.
    pub(crate) fn forget(&self) {
        if let Some((mut plugin, listener)) = self.0.plugin.take() {
            plugin.remove_debugger_plugin(&listener);
            Os::singleton().unset_environment(EDITOR_PID);
            self.0.breakpoints.forget();
        }
    }

    /// A new run begins.
    pub(crate) fn begin(&self, scene: &str) {
        let mut run = self.0.run.borrow_mut();
        let number = run.number + 1;
        *run = Run { number, scene: scene.to_owned(), ..Run::default() };
        run.started = Some(Instant::now());
        self.0.output.borrow_mut().begin(number);
    }

    /// The state of the game.
    pub(crate) fn state(&self) -> PlayState {
        let playing = EditorInterface::singleton().is_playing_scene();
        let run = self.0.run.borrow();
        let hello = run.hello.as_ref().filter(|_| playing);
        let scene = match EditorInterface::singleton().get_playing_scene().to_string() {
            scene if scene.is_empty() => run.scene.clone(),
            scene => scene,
        };
        PlayState {
            playing,
            scene: playing.then_some(scene),
            paused: playing && run.is_broken,
            connected: hello.is_some(),
            headless: hello.map(|hello| hello.headless),
            pid: hello.map(|hello| hello.pid),
            session: (run.number > 0).then_some(run.number),
            errors: self.0.output.borrow().errors(),
            reason: if playing { self.place() } else { run.end.clone() },
        }
    }

    /// What the game printed, for whoever reads it.
    pub(crate) fn output<T>(&self, read: impl FnOnce(&Output) -> T) -> T {
        read(&self.0.output.borrow())
    }

    /// Refuses where there is no game that could answer.
    pub(crate) fn require(&self) -> Result<(), Fault> {
        let state = self.state();
        if !state.playing {
            let end = state.reason.map(|end| format!(" The last one: {end}.")).unwrap_or_default();
            return Err(Fault::precondition(
                Required::PLAY_SESSION,
                format!("No game runs.{end} Start one with godot_runtime_play_scene."),
            ));
        }
        if !state.connected {
            return Err(Fault::precondition(
                Required::RUNTIME_PROBE,
                "The game has not answered yet. Wait a moment, or read godot_runtime_get_game_output; it \
                 may be stopped by an error, or not be started by this editor.",
            ));
        }
        Ok(())
    }

    /// Refuses where the game is stopped in the debugger.
    pub(crate) fn require_running(&self) -> Result<(), Fault> {
        self.require()?;
        if self.0.run.borrow().is_broken {
            return Err(Fault::precondition(
                Required::GAME_NOT_BREAKED,
                format!(
                    "The game is {}. Look with godot_debugger_get_stack_frames, and go on with \
                     godot_debugger_continue_execution.",
                    self.place().unwrap_or_else(|| "stopped in the debugger".to_owned())
                ),
            ));
        }
        Ok(())
    }

    fn session(&self) -> Option<Gd<EditorDebuggerSession>> {
        let id = self.0.run.borrow().session?;
        let plugin = self.0.plugin.borrow();
        let (_, listener) = plugin.as_ref()?;
        listener.get_session(id).filter(|session| session.is_active())
    }

    /// Sends a request to the game, with the instance id of the object that it is about, if it is about
    /// one. Gives the id of the answer.
    pub(crate) fn ask(
        &self,
        command: &str,
        params: &str,
        about: Option<i64>,
    ) -> Result<u64, Fault> {
        let Some(mut session) = self.session() else { return Err(gone()) };
        let id = self.0.ids.get() + 1;
        self.0.ids.set(id);
        self.0.answers.borrow_mut().insert(id, None);
        let data = varray![
            i64::try_from(id).unwrap_or_default(),
            command,
            params,
            about.unwrap_or_default()
        ];
        session
            .send_message_ex(&format!("{CAPTURE}:request"))
            .data(&data.upcast_any_array())
            .done();
        Ok(id)
    }

    /// The answer to a request, once it is there.
    pub(crate) fn answer(&self, id: u64) -> Option<Result<Box<RawValue>, Fault>> {
        let mut answers = self.0.answers.borrow_mut();
        let Some(answer) = answers.get_mut(&id) else { return Some(Err(gone())) };
        let reply = answer.take()?;
        answers.remove(&id);
        Some(match reply {
            Reply::Ok(result) => Ok(result),
            Reply::Err(fault) => Err(fault),
        })
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn give_up(&self, id: u64) {
        self.0.answers.borrow_mut().remove(&id);
    }

    // What the debugger tells.

    fn session_started(&self, session: i32) {
        let mut run = self.0.run.borrow_mut();
        if run.end.is_some() || run.number == 0 {
            // The human has started it.
            let number = run.number + 1;
            *run = Run { number, started: Some(Instant::now()), ..Run::default() };
            self.0.output.borrow_mut().begin(number);
        }
        run.session = Some(session);
        drop(run);
        if let Some(session) = self.session() {
            self.0.breakpoints.tell_all(&session);
        }
    }

    fn session_stopped(&self, session: i32) {
        let mut run = self.0.run.borrow_mut();
        if run.session != Some(session) {
            return;
        }
        run.is_broken = false;
        run.session = None;
        self.0.halts.borrow_mut().end();
        let last = self.0.output.borrow().last_error();
        run.end = Some(match last {
            Some(error) => format!("it ended; its last error was: {error}"),
            None => "it ended".to_owned(),
        });
        // Nobody will answer.
        self.0.answers.borrow_mut().clear();
    }

    fn broken(&self, is_broken: bool) {
        self.0.run.borrow_mut().is_broken = is_broken;
    }

    fn heard(&self, message: &str, data: &VarArray) -> bool {
        let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
        match message.strip_prefix(CAPTURE).and_then(|rest| rest.strip_prefix(':')) {
            Some("loaded") => {
                // Whatever it is told, it is told in its first frame, and looks at the scene then.
                if let Some(mut session) = self.session() {
                    session.send_message(&format!("{CAPTURE}:begin"));
                }
            }
            Some("hello") => {
                self.0.run.borrow_mut().hello = serde_json::from_str(&text(0)).ok();
            }
            Some("reply") => {
                let id = data.get(0).and_then(|id| id.try_to::<i64>().ok());
                let id = id.and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
                if let Some(answer) = self.0.answers.borrow_mut().get_mut(&id) {
                    let reply = serde_json::from_str(&text(1));
                    *answer = Some(reply.unwrap_or_else(|error| {
                        Reply::Err(Fault::internal(format!(
                            "The game's answer is unreadable: {error}."
                        )))
                    }));
                }
            }
            _ => return false,
        }
        true
    }

    fn raw(&self, message: &str, data: &VarArray) {
        let since = self.0.run.borrow().started.map(|started| started.elapsed());
        self.0.output.borrow_mut().hear(message, data, since.unwrap_or_default());
        self.0.halts.borrow_mut().hear(message, data);
    }
}

/// Sends a command to the game; its answer is there when the game has it, or a fault when it is late.
pub(crate) fn ask(
    game: &Game,
    tool: Tool,
    params: &RawValue,
    needs: Needs,
) -> Result<Pending, Fault> {
    /// The parameter of every such tool that says how long to wait.
    #[derive(Default, Deserialize)]
    struct Limit {
        timeout_ms: Option<u64>,
    }
    let limit: Limit = serde_json::from_str(params.get()).unwrap_or_default();
    let limit = Duration::from_millis(limit.timeout_ms.unwrap_or(2000));
    let params = params.get().to_owned();
    let mut id = match needs {
        Needs::Running => {
            game.require_running()?;
            Some(game.ask(tool.wire(), &params, None)?)
        }
        Needs::Game => {
            game.require_there()?;
            Some(game.ask(tool.wire(), &params, None)?)
        }
        Needs::Frame(_) => {
            game.require_stopped()?;
            None
        }
    };
    let (since, mark) = (Instant::now(), game.mark());
    let mut stopped: Option<Instant> = None;
    Ok(Box::new(move |dispatcher| {
        let game = &dispatcher.context.game;
        // Whose function a call is in, the engine tells to the editor only.
        if let Needs::Frame(frame) = needs
            && id.is_none()
            && let Some(owner) = game.owner(frame).transpose()
        {
            match owner.and_then(|owner| game.ask(tool.wire(), &params, owner)) {
                Ok(asked) => id = Some(asked),
                Err(fault) => return Some(Err(fault)),
            }
        }
        if let Some(answer) = id.and_then(|id| game.answer(id)) {
            return Some(answer);
        }
        let state = match needs {
            Needs::Running => game.require_running(),
            // What was stopped before the question came answers it; what it stopped does not.
            _ if game.has_stopped_since(mark) => {
                let since = *stopped.get_or_insert_with(Instant::now);
                if since.elapsed() > TO_ANSWER { game.require_running() } else { Ok(()) }
            }
            _ => game.require_session(),
        };
        if state.is_ok() && since.elapsed() < limit {
            return None;
        }
        id.into_iter().for_each(|id| game.give_up(id));
        if let Err(fault) = state {
            return Some(Err(fault));
        }
        let hint = format!(
            "The game did not answer within {} ms. It may be busy with a long frame or in an endless \
             loop: see godot_runtime_get_game_output, stop it where it is with \
             godot_debugger_force_break, or end it with godot_runtime_stop_scene.",
            limit.as_millis()
        );
        Some(Err(Fault::new(ErrorCode::Timeout, hint).with("outcome", "may_have_applied")))
    }))
}

/// How long a game that has just stopped takes at most to answer what it was asked before.
const TO_ANSWER: Duration = Duration::from_millis(300);

/// The game is not there any more.
fn gone() -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        "The game ended before it answered. See why with godot_runtime_is_playing and \
         godot_runtime_get_game_output.",
    )
    .requiring(Required::PLAY_SESSION)
}
