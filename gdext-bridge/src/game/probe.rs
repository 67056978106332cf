//! Our side in the running game: answers what the editor asks.
//!
//! Registered only in a game that an editor with the add-on started, which it tells by an environment
//! variable; in all others, exported ones above all, nothing is. It is no node and no autoload. It
//! answers also while the tree is paused, and while a script is stopped in the debugger.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use godot::{
    classes::{
        DisplayServer, Engine, EngineDebugger, Input, InputEvent, Node, RenderingServer, SceneTree,
        input::MouseMode, notify::NodeNotification,
    },
    prelude::*,
};
use link::Directory;
use protocol::{Command, Fault, GamePath, Required, Tool, for_each_tool};
use serde_json::value::{RawValue, to_raw_value};

use super::{
    CAPTURE, EDITOR_PID, FROZEN, Game, Hello, Reply,
    line::{Call, Line},
    monitors::Monitors,
    place::size_window,
    recorder::Recorder,
};
use crate::{resource::nearest, signal};

/// A command that the running game answers.
pub(crate) trait InGame: Command {
    /// What it needs of the game.
    fn needs(&self) -> Needs {
        Needs::Running
    }

    /// What the editor answers where no game can; `None` to refuse the call or to ask the game.
    fn absent(&self, _: &Game) -> Option<Self::Output> {
        None
    }

    /// Answers, or begins what takes some frames.
    fn answer(self, game: &Probe) -> Result<Soon<Self::Output>, Fault>;
}

/// What a command needs of the game.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    /// It is not stopped in the debugger.
    Running,
    /// The same; and the answer changes nothing, so that it need not keep its order with what the game
    /// prints.
    Look,
    /// It may be stopped.
    Game,
    /// It is stopped, and there is this call on the stack.
    Frame(usize),
}

/// How far an answer got.
pub(crate) enum Soon<T> {
    /// It is there.
    Now(T),
    /// It takes some frames; asked once in each until there is one.
    Later(Ask<T>),
    /// The same, but asked first as soon as this frame is drawn, with all that was changed in it.
    Drawn(Ask<T>),
}

/// Asked once a frame; `None` for not yet.
pub(crate) type Ask<T> = Box<dyn FnMut(&Probe) -> Option<Result<T, Fault>>>;

/// Who asked, and so is answered.
enum Asker {
    /// The debugger, by the id of the question.
    Debugger(i64),
    Line(Call),
}

/// What handlers may use of the game.
#[derive(Clone, Default)]
pub(crate) struct Probe(Rc<State>);

#[derive(Default)]
struct State {
    pending: RefCell<Vec<(Asker, Ask<Box<RawValue>>)>>,
    /// Those that wait for this frame to be drawn.
    undrawn: RefCell<Vec<(Asker, Ask<Box<RawValue>>)>>,
    /// The frame that was drawn last.
    drawn: Cell<u64>,
    line: RefCell<Option<Line>>,
    /// The object whose function the call is in that the request is about.
    owner: Cell<i64>,
    /// Whether it is called in every frame.
    is_connected: Cell<bool>,
    /// Whether it has said that the scene is there.
    is_ready: Cell<bool>,
    /// What is called when a frame is drawn, while somebody waits for that.
    drawing: RefCell<Option<Callable>>,
    /// How many events were injected.
    injected: Cell<u64>,
    /// Whether the editor has started this game, and not another game.
    is_child: bool,
    recorder: Recorder,
    monitors: Monitors,
    is_frozen: Cell<bool>,
    /// Whether the game itself had paused when it was frozen.
    was_paused: Cell<bool>,
}

macro_rules! in_game {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// A tool of the running game without a handler stops the build here.
        fn start(probe: &Probe, tool: Tool, params: &str) -> Result<Soon<Box<RawValue>>, Fault> {
            match tool {
                $($(Tool::$Params => in_game_arm!($verb probe, params, $root::tools::$set::$Params)),*),*
            }
        }
    };
}
macro_rules! in_game_arm {
    (games $probe:ident, $params:ident, $Params:ty) => {
        $probe.start::<$Params>($params)
    };
    ($verb:ident $probe:ident, $params:ident, $Params:ty) => {
        Err(Fault::internal("This tool is answered by the editor."))
    };
}
for_each_tool!(in_game);

/// Begins to answer, if this is a game that somebody has questions for.
pub(crate) fn begin() {
    let mut debugger = EngineDebugger::singleton();
    if Engine::singleton().is_editor_hint()
        || !debugger.is_active()
        || std::env::var_os(EDITOR_PID).is_none()
    {
        return;
    }
    let probe = Probe(Rc::new(State { is_child: is_child(), ..State::default() }));
    freeze_soon(probe.clone(), 0);
    let capture = Callable::from_fn("godot_mcp_capture", move |arguments| {
        let message = arguments.first().map(|it| it.to_string()).unwrap_or_default();
        if let Some(data) = arguments.get(1).and_then(|it| it.try_to::<VarArray>().ok()) {
            probe.hear(&message, &data);
        }
        true.to_variant()
    });
    debugger.register_message_capture(CAPTURE, &capture);
    super::breakpoints::take_over();
    // There is no tree yet. The editor answers to this, and its answer is read in the first frame.
    debugger.send_message(&format!("{CAPTURE}:loaded"), &varray![].upcast_any_array());
}

/// Freezes the game as soon as there is one, where that was asked for. The engine makes deferred calls
/// first in its first frame: after one step of physics, and before the nodes are processed.
fn freeze_soon(probe: Probe, tries: u32) {
    /// Calls are also made before there is a tree, and then as long as there are more.
    const TRIES: u32 = 8;
    if std::env::var_os(FROZEN).is_none() || tries == TRIES {
        return;
    }
    let later = Callable::from_fn("godot_mcp_freeze", move |_| match probe.tree() {
        Ok(tree) if tree.get_current_scene().is_some() => {
            probe.watch_frames();
            // Whether it is frozen, its first answer says.
            let _ = probe.freeze(true);
        }
        _ => freeze_soon(probe.clone(), tries + 1),
    });
    later.call_deferred(&[]);
}

/// Stops to answer.
pub(crate) fn end() {
    let mut debugger = EngineDebugger::singleton();
    if debugger.has_capture(CAPTURE) {
        debugger.unregister_message_capture(CAPTURE);
    }
}

impl Probe {
    /// The tree of the game.
    pub(crate) fn tree(&self) -> Result<Gd<SceneTree>, Fault> {
        let main_loop = Engine::singleton().get_main_loop();
        main_loop.and_then(|it| it.try_cast::<SceneTree>().ok()).ok_or_else(|| {
            Fault::precondition(Required::RUNTIME_PROBE, "The game has no scene tree yet.")
        })
    }

    /// The node at a path.
    pub(crate) fn node(&self, path: &GamePath) -> Result<Gd<Node>, Fault> {
        let tree = self.tree()?;
        let root = tree.get_root().map(|root| root.upcast::<Node>());
        let root = root.ok_or_else(|| Fault::internal("The game has no root."))?;
        if let Some(inner) = path.as_str().strip_prefix("/root") {
            let inner = inner.trim_start_matches('/');
            let node =
                if inner.is_empty() { Some(root.clone()) } else { root.get_node_or_null(inner) };
            return node.ok_or_else(|| no_such_node(&root, path));
        }
        let Some(scene) = tree.get_current_scene() else {
            return Err(Fault::not_found(
                "The game has no current scene; name nodes from \"/root\". See \
                 godot_runtime_get_game_scene_tree.",
            )
            .requiring(Required::NODE_EXISTS));
        };
        scene.get_node_or_null(path.as_str()).ok_or_else(|| no_such_node(&scene, path))
    }

    /// The frame that the game is in.
    pub(crate) fn frame(&self) -> u64 {
        Engine::singleton().get_process_frames()
    }

    /// The frame that was drawn last.
    pub(crate) fn drawn(&self) -> u64 {
        self.0.drawn.get()
    }

    /// Gives the game an event, which it handles at once.
    pub(crate) fn inject(&self, event: &Gd<InputEvent>) {
        let mut input = Input::singleton();
        input.parse_input_event(event);
        input.flush_buffered_events();
        self.0.injected.set(self.0.injected.get() + 1);
    }

    /// How many events were injected.
    pub(crate) fn injected(&self) -> u64 {
        self.0.injected.get()
    }

    /// Records input.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    /// Watches properties.
    pub(crate) fn monitors(&self) -> &Monitors {
        &self.0.monitors
    }

    /// Pauses the whole tree, or lets it be as the game has it.
    pub(crate) fn freeze(&self, frozen: bool) -> Result<(), Fault> {
        let mut tree = self.tree()?;
        if frozen == self.0.is_frozen.replace(frozen) {
            return Ok(());
        }
        if frozen {
            self.0.was_paused.set(tree.is_paused());
            tree.set_pause(true);
        } else {
            tree.set_pause(self.0.was_paused.get());
        }
        Ok(())
    }

    /// Whether the game is frozen.
    pub(crate) fn is_frozen(&self) -> bool {
        self.0.is_frozen.get()
    }

    /// The object whose function the call is in that the request is about; none for a static one.
    pub(crate) fn owner(&self) -> Option<Gd<Object>> {
        let id = Some(self.0.owner.get()).filter(|id| *id != 0)?;
        Gd::try_from_instance_id(InstanceId::try_from_i64(id)?).ok()
    }

    fn hear(&self, message: &str, data: &VarArray) {
        self.watch_frames();
        match message {
            "request" => self.take(data),
            "quit" => self.quit(),
            // As a step into the next line, whatever function it is in.
            "halt" => {
                let mut debugger = EngineDebugger::singleton();
                debugger.set_depth(-1);
                debugger.set_lines_left(1);
            }
            _ => {}
        }
    }

    /// Does what the window manager does when the window is closed. A game that would rather not be closed
    /// so hears of it and quits when it likes.
    fn quit(&self) {
        let Ok(mut tree) = self.tree() else { return };
        Input::singleton().set_mouse_mode(MouseMode::VISIBLE);
        if let Some(mut root) = tree.get_root() {
            root.propagate_notification(i32::from(NodeNotification::WM_CLOSE_REQUEST));
        }
        if tree.is_auto_accept_quit() {
            tree.quit();
        }
    }

    fn take(&self, data: &VarArray) {
        let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
        let id = data.get(0).and_then(|id| id.try_to::<i64>().ok()).unwrap_or_default();
        let owner = data.get(3).and_then(|owner| owner.try_to::<i64>().ok());
        self.0.owner.set(owner.unwrap_or_default());
        let started = self.begin(&text(1), &text(2));
        self.go_on(Asker::Debugger(id), started);
    }

    /// Answers what came over the line.
    fn take_calls(&self) {
        loop {
            let line = self.0.line.borrow();
            let Some(call) = line.as_ref().and_then(Line::next) else { return };
            drop(line);
            let started = self.begin(&call.asked().command, call.asked().params.get());
            self.go_on(Asker::Line(call), started);
        }
    }

    fn begin(&self, command: &str, params: &str) -> Result<Soon<Box<RawValue>>, Fault> {
        let unknown = || Fault::unsupported(format!("The game knows no command '{command}'."));
        start(self, Tool::from_wire(command).ok_or_else(unknown)?, params)
    }

    fn go_on(&self, asker: Asker, started: Result<Soon<Box<RawValue>>, Fault>) {
        match started {
            Ok(Soon::Now(result)) => asker.answer(Reply::Ok(result)),
            Ok(Soon::Later(pending)) => self.0.pending.borrow_mut().push((asker, pending)),
            Ok(Soon::Drawn(pending)) => {
                self.0.undrawn.borrow_mut().push((asker, pending));
                self.watch_drawing();
            }
            Err(fault) => asker.answer(Reply::Err(fault)),
        }
    }

    /// Asks what takes some frames, in every frame, paused or not.
    fn watch_frames(&self) {
        if self.0.is_connected.get() {
            return;
        }
        let Ok(tree) = self.tree() else { return };
        self.0.is_connected.set(true);
        let probe = self.clone();
        let frame = Callable::from_fn("godot_mcp_frame", move |_| probe.each_frame());
        signal::connect(&tree, "process_frame", &frame);
    }

    fn each_frame(&self) {
        if self.0.is_child && !is_child() {
            // Nobody would stop it any more.
            if let Ok(mut tree) = self.tree() {
                tree.quit();
            }
            return;
        }
        if !self.0.is_ready.get()
            && let Ok(tree) = self.tree()
            && tree.get_current_scene().is_some()
        {
            self.0.is_ready.set(true);
            // Without a line the debugger will do.
            self.0.line.replace(call_editor());
            size_window(&tree);
            let headless = DisplayServer::singleton().get_name() == "headless";
            let scene = self.tree().ok().and_then(|tree| tree.get_current_scene());
            let hello = Hello {
                pid: std::process::id(),
                headless,
                is_child: self.0.is_child,
                scene: scene.map(|scene| scene.get_scene_file_path().to_string()),
            };
            let hello = serde_json::to_string(&hello).unwrap_or_default();
            let data = varray![hello].upcast_any_array();
            EngineDebugger::singleton().send_message(&format!("{CAPTURE}:hello"), &data);
        }
        // The frame before was not drawn where nothing had changed.
        self.leave_drawing();
        self.0.pending.borrow_mut().append(&mut self.0.undrawn.borrow_mut());
        self.0.drawn.set(self.frame().saturating_sub(1));
        self.take_calls();
        // Before input is given, so that a sample has what the frame before led to.
        if !self.is_frozen() {
            self.0.monitors.look(self.frame());
        }
        // Taken out, as a handler may cause new requests.
        self.poll(self.0.pending.take());
    }

    /// Has what waits for this frame to be drawn asked once it is.
    fn watch_drawing(&self) {
        if self.0.drawing.borrow().is_some() {
            return;
        }
        let probe = self.clone();
        let drawn = Callable::from_fn("godot_mcp_drawn", move |_| {
            probe.leave_drawing();
            probe.0.drawn.set(probe.frame());
            probe.poll(probe.0.undrawn.take());
        });
        signal::connect(&RenderingServer::singleton(), DRAWN, &drawn);
        self.0.drawing.replace(Some(drawn));
    }

    /// Lets the server be, which outlives this library.
    fn leave_drawing(&self) {
        if let Some(drawn) = self.0.drawing.take() {
            RenderingServer::singleton().disconnect(DRAWN, &drawn);
        }
    }

    fn poll(&self, pending: Vec<(Asker, Ask<Box<RawValue>>)>) {
        for (asker, mut poll) in pending {
            match poll(self) {
                Some(Ok(result)) => asker.answer(Reply::Ok(result)),
                Some(Err(fault)) => asker.answer(Reply::Err(fault)),
                None => self.0.pending.borrow_mut().push((asker, poll)),
            }
        }
    }

    fn start<C: InGame>(&self, params: &str) -> Result<Soon<Box<RawValue>>, Fault> {
        let command: C =
            serde_json::from_str(params).map_err(|error| Fault::invalid(error.to_string()))?;
        Ok(match command.answer(self)? {
            Soon::Now(result) => Soon::Now(written(&result)?),
            Soon::Later(poll) => Soon::Later(untyped(poll)),
            Soon::Drawn(poll) => Soon::Drawn(untyped(poll)),
        })
    }
}

/// The signal of the server that says that a frame is drawn.
const DRAWN: &str = "frame_post_draw";

/// Whether the editor is there, and has started the game: its process is the parent of ours. A game that
/// another game has started has that one for a parent. Where none of this can be known, the editor ends its
/// games itself when it quits.
#[cfg(unix)]
fn is_child() -> bool {
    editor().is_none_or(|editor| editor == std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn is_child() -> bool {
    true
}

/// The line to the editor, where there can be one.
fn call_editor() -> Option<Line> {
    Line::dial(Directory::open().ok()?, editor()?).ok()
}

/// The process of the editor.
fn editor() -> Option<u32> {
    std::env::var(EDITOR_PID).ok()?.parse().ok()
}

/// The same without its type.
fn untyped<T: serde::Serialize + 'static>(mut poll: Ask<T>) -> Ask<Box<RawValue>> {
    Box::new(move |probe| Some(poll(probe)?.and_then(|result| written(&result))))
}

fn written(result: &impl serde::Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(result).map_err(|error| Fault::internal(error.to_string()))
}

impl Asker {
    fn answer(self, reply: Reply) {
        match self {
            Asker::Line(call) => call.answer(reply),
            Asker::Debugger(id) => {
                let text = serde_json::to_string(&reply).unwrap_or_default();
                let data = varray![id, text].upcast_any_array();
                EngineDebugger::singleton().send_message(&format!("{CAPTURE}:reply"), &data);
            }
        }
    }
}

fn no_such_node(base: &Gd<Node>, path: &GamePath) -> Fault {
    let mut all = Vec::new();
    crate::scene::walk(base, &mut |node| {
        if node != base {
            all.push(base.get_path_to(node).to_string());
        }
    });
    let wanted = path.as_str().trim_start_matches("/root/");
    let near = nearest(wanted, all.iter().map(String::as_str));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    Fault::not_found(format!(
        "The game has no node at '{path}'.{near} See godot_runtime_get_game_scene_tree."
    ))
    .requiring(Required::NODE_EXISTS)
}
