//! The running game, from both sides.
//!
//! The same library is loaded in the game that the editor starts. There [`probe`] answers over the
//! engine's own debugger connection, or over a [`line`] of ours where that is the shorter way; nothing
//! is added to the project for it. In the editor, [`question`] sends requests and takes the answers,
//! [`debugger`] hears what comes over the connection, and [`output`] keeps what the game prints. It is stopped and let go on by [`control`]; [`halt`] knows
//! where it is stopped, and [`breakpoints`] where it is to be. Several may run at once, as [`run`] knows;
//! [`aim`] says which of them a command is about, and [`news`] who has heard of which errors.
//!
//! A request is the command of a tool with verb `games`, its parameters as they came from the gateway.
//! It has an id, and the answer comes when the game has it, in whatever order.

mod aim;
pub(crate) mod breakpoints;
pub(crate) mod control;
pub(crate) mod debugger;
mod exit;
mod expression;
mod halt;
pub(crate) mod line;
pub(crate) mod monitors;
mod news;
pub(crate) mod output;
mod place;
pub(crate) mod probe;
mod question;
pub(crate) mod recorder;
mod run;
mod series;
mod tools;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use godot::{
    classes::{
        EditorDebuggerPlugin, EditorDebuggerSession, EditorInterface, EditorPlugin, Os, SceneTree,
    },
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::{input::SequenceEvent, runtime::PlayState},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use self::question::{Question, ask};
use self::{
    breakpoints::Breakpoints,
    control::in_words,
    line::{Answered, Lines, Span},
    news::News,
    output::Output,
    question::Questions,
    run::{End, Instance, Run, Session, id_of},
};
use crate::signal;

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
    /// Whether the editor has started it, and not another game.
    pub(crate) is_child: bool,
    /// The scene that it began with.
    pub(crate) scene: Option<String>,
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
    each_frame: RefCell<Option<(Gd<SceneTree>, Callable)>>,
    /// What is connected with the engine's own nodes for sessions: the node, its signal and ours.
    heard: RefCell<Vec<(InstanceId, &'static str, Callable)>>,
    run: RefCell<Run>,
    /// The processes of sessions that are not begun yet: that is the first that a game says.
    announced: RefCell<HashMap<Session, u32>>,
    output: RefCell<Output>,
    breakpoints: Breakpoints,
    questions: Questions,
    /// The games that can be asked directly.
    lines: Lines,
    /// The session that the command is about that is executed just now.
    aim: Cell<Option<Session>>,
    news: News,
}

impl Game {
    /// Starts to listen to games.
    pub(crate) fn watch(plugin: &Gd<EditorPlugin>, lines: Lines) -> Game {
        let game = Game(Rc::new(State { lines, ..State::default() }));
        let listener = debugger::GameDebugger::listening(game.clone());
        plugin.clone().add_debugger_plugin(&listener);
        game.0.plugin.replace(Some((plugin.clone(), listener)));
        // Before any node has its turn, the one of the editor's that shows games above all.
        let looking = game.clone();
        let each_frame = Callable::from_fn("godot_mcp_look", move |_| looking.look());
        if let Some(tree) = plugin.get_tree_or_null() {
            signal::connect(&tree, "process_frame", &each_frame);
            game.0.each_frame.replace(Some((tree, each_frame)));
        }
        // Games inherit it. Without it they take no notice of us.
        Os::singleton().set_environment(EDITOR_PID, &std::process::id().to_string());
        game
    }

    /// Stops to listen.
    pub(crate) fn forget(&self) {
        if let Some((mut tree, each_frame)) = self.0.each_frame.take() {
            tree.disconnect("process_frame", &each_frame);
        }
        debugger::forget_engine(self);
        if let Some((mut plugin, listener)) = self.0.plugin.take() {
            plugin.remove_debugger_plugin(&listener);
            Os::singleton().unset_environment(EDITOR_PID);
            self.0.breakpoints.forget();
        }
    }

    /// A new run begins.
    pub(crate) fn begin(&self, scene: &str) {
        let number = self.0.run.borrow().number + 1;
        self.0.run.replace(Run::begin(number, scene));
        self.0.output.borrow_mut().begin(number);
    }

    /// The state of the game.
    pub(crate) fn state(&self) -> PlayState {
        self.look();
        let editor = EditorInterface::singleton();
        let run = self.0.run.borrow();
        let end = run.end.as_ref();
        let playing = editor.is_playing_scene() && end.is_none();
        let scene = match editor.get_playing_scene().to_string() {
            scene if scene.is_empty() => run.scene.clone(),
            scene => scene,
        };
        let end = end.filter(|_| !playing);
        let instance = self.instance(&run).filter(|_| playing);
        let hello = instance.and_then(|it| it.hello.as_ref());
        let stop = instance.and_then(|it| it.halts.stop());
        PlayState {
            playing,
            scene: playing.then_some(scene),
            paused: instance.is_some_and(|it| it.halts.is_halted()),
            connected: hello.is_some(),
            headless: hello.map(|hello| hello.headless),
            pid: hello.map(|hello| hello.pid),
            session: (run.number > 0).then_some(run.number),
            errors: self.0.output.borrow().errors(),
            instances: if playing { run.told() } else { Vec::new() },
            exit_code: end.and_then(|end| end.exit.code),
            signal: end.and_then(|end| end.exit.signal),
            saved: Vec::new(),
            last_lines: match end {
                // Its last words may come after the news of its end.
                Some(_) => self.0.output.borrow().last_lines(),
                None => Vec::new(),
            },
            ended: None,
            reason: match end {
                Some(end) => Some(end.reason.clone()),
                None => stop.clone().map(in_words),
            },
            file: stop.as_ref().and_then(|stop| stop.file.clone()),
            line: stop.and_then(|stop| stop.line),
        }
    }

    /// What the game printed, for whoever reads it.
    pub(crate) fn output<T>(&self, read: impl FnOnce(&Output) -> T) -> T {
        read(&self.0.output.borrow())
    }

    /// Somebody is told what was printed, up to the entry with this number.
    pub(crate) fn tell_output(&self, seq: u64) {
        self.0.output.borrow_mut().tell(seq);
    }

    /// Refuses where there is no game that could answer.
    pub(crate) fn require(&self) -> Result<(), Fault> {
        let state = self.state();
        if !state.playing {
            return Err(self.gone());
        }
        if !state.connected && state.paused {
            return Err(self.not_running());
        }
        if !state.connected {
            return Err(Fault::precondition(
                Required::RUNTIME_PROBE,
                "The game has not answered yet. Wait a moment, or read godot_runtime_get_game_output; it \
                 may be stopped by an error, in an endless loop (godot_debugger_force_break stops it where \
                 it is), or not be started by this editor.",
            ));
        }
        Ok(())
    }

    /// Refuses where the game is stopped in the debugger.
    pub(crate) fn require_running(&self) -> Result<(), Fault> {
        self.require()?;
        if self.is_stopped() {
            return Err(self.not_running());
        }
        Ok(())
    }

    /// The game that the command is about, of those that run.
    fn instance<'a>(&self, run: &'a Run) -> Option<&'a Instance> {
        match self.0.aim.get() {
            Some(session) => run.instances.get(&session),
            None => run.instances.values().next(),
        }
    }

    /// The same, to be changed.
    fn instance_mut<'a>(&self, run: &'a mut Run) -> Option<&'a mut Instance> {
        match self.0.aim.get() {
            Some(session) => run.instances.get_mut(&session),
            None => run.instances.values_mut().next(),
        }
    }

    /// That game, and the way to it.
    fn session(&self) -> Option<(Session, Gd<EditorDebuggerSession>)> {
        let first = || self.0.run.borrow().instances.keys().next().copied();
        let id = self.0.aim.get().or_else(first)?;
        Some((id, self.session_of(id)?))
    }

    /// The way to one game.
    fn session_of(&self, id: Session) -> Option<Gd<EditorDebuggerSession>> {
        if !self.0.run.borrow().instances.contains_key(&id) {
            return None;
        }
        let plugin = self.0.plugin.borrow();
        let (_, listener) = plugin.as_ref()?;
        listener.get_session(id).filter(|session| session.is_active())
    }

    /// The ways to all games.
    pub(super) fn sessions(&self) -> Vec<Gd<EditorDebuggerSession>> {
        let ids: Vec<Session> = self.0.run.borrow().instances.keys().copied().collect();
        ids.into_iter().filter_map(|id| self.session_of(id)).collect()
    }

    /// Asks all games to quit, as the window manager does when their window is closed. One that does not
    /// answer yet, or is stopped in the debugger, cannot be asked: tells whether all of them were.
    pub(crate) fn ask_to_quit(&self) -> bool {
        let run = self.0.run.borrow();
        let can_hear = |it: &Instance| it.hello.is_some() && !it.halts.is_stopped();
        if run.instances.is_empty() || !run.instances.values().all(can_hear) {
            return false;
        }
        drop(run);
        for mut session in self.sessions() {
            session.send_message(&format!("{CAPTURE}:quit"));
        }
        true
    }

    /// A call ends the run.
    pub(crate) fn is_ended_by_call(&self) {
        self.0.run.borrow_mut().is_ended_by_call = true;
    }

    /// Whether a call was to end the run, or the last one.
    pub(crate) fn was_ended_by_call(&self) -> bool {
        self.0.run.borrow().is_ended_by_call
    }

    /// A call has the editor end the run from outside.
    pub(crate) fn is_killed(&self) {
        let mut run = self.0.run.borrow_mut();
        (run.is_ended_by_call, run.is_killed) = (true, true);
    }

    /// Whether the run, or the last one, was ended from outside.
    pub(crate) fn was_killed(&self) -> bool {
        self.0.run.borrow().is_killed
    }

    // What the debugger tells.

    fn session_started(&self, session: Session) {
        let (number, is_over) = {
            let run = self.0.run.borrow();
            (run.number + 1, run.end.is_some() || run.number == 0)
        };
        if is_over {
            // The human has started it.
            self.0.run.replace(Run::begin(number, ""));
            self.0.output.borrow_mut().begin(number);
        }
        let pid = self.0.announced.borrow_mut().remove(&session);
        self.0.run.borrow_mut().add(session, pid);
        if let Some(way) = self.session_of(session) {
            self.0.breakpoints.tell_all(&way);
        }
    }

    /// Takes note of the games that have left the debugger, which the editor itself sees only when it looks
    /// for their messages. It kills what is left of them then.
    pub(crate) fn look(&self) {
        self.0.run.borrow().instances.values().for_each(Instance::glance);
        let ids: Vec<Session> = self.0.run.borrow().instances.keys().copied().collect();
        for id in ids.into_iter().filter(|id| self.session_of(*id).is_none()) {
            self.session_stopped(id);
        }
    }

    fn session_stopped(&self, session: Session) {
        let Some(instance) = self.0.run.borrow_mut().instances.remove(&session) else { return };
        self.0.questions.drop_those_of(session);
        let exit = instance.exit();
        if !self.0.run.borrow().instances.is_empty() {
            return;
        }
        let output = self.0.output.borrow();
        let error = output.last_error();
        let error = error.map(|error| format!("; its last error was: {error}")).unwrap_or_default();
        let reason = format!("it ended{}{error}", exit.in_words());
        let end = End { reason, exit };
        self.0.run.borrow_mut().end = Some(end);
    }

    fn heard(&self, message: &str, data: &VarArray, session: Session) -> bool {
        let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
        match message.strip_prefix(CAPTURE).and_then(|rest| rest.strip_prefix(':')) {
            Some("loaded") => {
                // Whatever it is told, it is told in its first frame, and looks at the scene then.
                if let Some(mut session) = self.session_of(session) {
                    session.send_message(&format!("{CAPTURE}:begin"));
                }
            }
            Some("hello") => {
                if let Some(instance) = self.0.run.borrow_mut().instances.get_mut(&session) {
                    instance.hello = serde_json::from_str(&text(0)).ok();
                    if let Some(pid) = instance.hello.as_ref().map(|hello| hello.pid) {
                        instance.is_process(pid);
                    }
                }
            }
            Some("reply") => {
                let id = data.get(0).and_then(|id| id.try_to::<i64>().ok());
                let id = id.and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
                let reply = serde_json::from_str(&text(1)).unwrap_or_else(|error| {
                    let hint = format!("The game's answer is unreadable: {error}.");
                    Reply::Err(Fault::internal(hint))
                });
                let time = |index: usize| data.get(index)?.try_to::<i64>().ok()?.try_into().ok();
                let span = time(2).zip(time(3)).map(|(first, last)| Span { first, last });
                self.answered(Answered { id, reply, span });
            }
            _ => return false,
        }
        true
    }

    fn raw(&self, message: &str, data: &VarArray, session: Session) {
        if message == "request_quit" {
            // It is the last that a game says, and the editor kills it in answer.
            return self.session_stopped(session);
        }
        let mut heard = None;
        let mut run = self.0.run.borrow_mut();
        let since = run.started.map(|started| started.elapsed()).unwrap_or_default();
        let whose = run.had_several.then_some(id_of(session));
        let pid = data.get(0).filter(|_| message == "set_pid");
        let pid = pid.and_then(|pid| pid.try_to::<i64>().ok()?.try_into().ok());
        match (run.instances.get_mut(&session), pid) {
            (Some(instance), Some(pid)) => instance.is_process(pid),
            (Some(instance), None) => heard = instance.halts.hear(message, data),
            (None, Some(pid)) => {
                self.0.announced.borrow_mut().insert(session, pid);
            }
            (None, None) => {}
        }
        drop(run);
        self.0.output.borrow_mut().hear(message, data, since, whose);
        if let Some(heard) = heard {
            self.take_note(session, heard, since, whose);
        }
    }

    /// There is no game, or not any more: what is known of the last one, with the next call.
    pub(crate) fn gone(&self) -> Fault {
        let state = self.state();
        let fault = Fault::precondition(
            Required::PLAY_SESSION,
            match &state.reason {
                Some(end) if !state.playing => format!(
                    "No game runs. The last one: {end}. See godot_runtime_get_game_output, and start it \
                     again with godot_runtime_play_scene."
                ),
                _ if state.playing => {
                    "This game ended before it answered, or has not come yet. See \
                                       godot_runtime_is_playing."
                        .to_owned()
                }
                _ => "No game runs. Start one with godot_runtime_play_scene.".to_owned(),
            },
        );
        let fault = match state.exit_code {
            Some(code) => fault.with("exit_code", code),
            None => fault,
        };
        let fault = match state.signal {
            Some(signal) => fault.with("signal", signal),
            None => fault,
        };
        match state.last_lines.is_empty() {
            true => fault,
            false => fault.with("last_lines", state.last_lines),
        }
    }
}
