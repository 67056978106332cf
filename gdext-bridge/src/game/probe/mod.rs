//! Our side in the running game: answers what the editor asks.
//!
//! Registered only in a game that an editor with the add-on started, which it tells by an environment
//! variable; in all others, exported ones above all, nothing is. It is no node and no autoload. It
//! answers also while the tree is paused, and while a script is stopped in the debugger.

mod answer;
mod clock;
mod deadline;
mod life;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use godot::{
    classes::{Engine, Input, InputEvent, Node, SceneTree, Time},
    prelude::*,
};
use protocol::{Command, Fault, GamePath, Required, tools::runtime::OutputEntry};
use serde_json::value::RawValue;

use self::answer::Asked;
pub(super) use self::deadline::clock_ms;
pub(crate) use self::{
    deadline::{Deadline, time_for},
    life::{begin, end},
};
use super::{
    Game,
    line::{Line, Span},
    monitors::Monitors,
    recorder::Recorder,
};
use crate::resource::nearest;

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

    /// Puts the errors that the game printed meanwhile into an answer that has a place for them.
    fn complete(answer: Box<RawValue>, _: Vec<OutputEntry>) -> Box<RawValue> {
        answer
    }

    /// Whether nothing is changed by it, in the game or in what is known of it.
    fn is_read(&self) -> bool {
        matches!(self.needs(), Needs::Look)
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
    /// The same, but asked between two frames only, where time can be stopped and let go on.
    Between(Ask<T>),
}

/// Asked once a frame; `None` for not yet.
pub(crate) type Ask<T> = Box<dyn FnMut(&Probe) -> Option<Result<T, Fault>>>;

/// What handlers may use of the game.
#[derive(Clone, Default)]
pub(crate) struct Probe(Rc<State>);

#[derive(Default)]
struct State {
    pending: RefCell<Vec<Asked>>,
    /// Those that wait for this frame to be drawn.
    undrawn: RefCell<Vec<Asked>>,
    /// Those that are asked between two frames.
    between: RefCell<Vec<Asked>>,
    /// The frame that was drawn last.
    drawn: Cell<u64>,
    line: RefCell<Option<Line>>,
    /// The object whose function the call is in that the request is about.
    owner: Cell<i64>,
    /// Whether the game was stopped in the debugger when the request came.
    is_stopped: Cell<bool>,
    /// When the answer was worked on that is given next.
    span: Cell<Option<Span>>,
    /// How long the call that is begun was on its way.
    waited: Cell<Duration>,
    /// When the frame began.
    frame_begun: Cell<Option<Instant>>,
    /// How long the last two took.
    frame_times: Cell<[Duration; 2]>,
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
    /// How often an error has stopped the game.
    failures: Cell<u64>,
    recorder: Recorder,
    monitors: Monitors,
    is_frozen: Cell<bool>,
    /// Whether the game itself had paused when it was frozen.
    was_paused: Cell<bool>,
    /// How fast time went then.
    was_scale: Cell<f64>,
    /// Which caller has a frozen game run for some frames.
    stepper: Cell<Option<u64>>,
    /// How many callers there were.
    steps: Cell<u64>,
    /// The frame in which time was controlled last.
    controlled: Cell<u64>,
    /// Events that a frozen game is to have in its next frame.
    held: RefCell<Vec<Gd<InputEvent>>>,
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

    /// Gives the game an event, which it handles at once; one that is frozen, in its next frame. While it is
    /// paused its nodes would not hear of it.
    pub(crate) fn inject(&self, event: &Gd<InputEvent>) {
        self.0.injected.set(self.0.injected.get() + 1);
        if self.is_frozen() {
            self.0.held.borrow_mut().push(event.clone());
        } else {
            give(event);
        }
    }

    /// Gives a game that goes on what was held back for it. To be called between two frames: the engine
    /// takes it from its buffer as it takes what the system gives it, before the next frame, so that its
    /// ticks of physics know of it as its nodes do.
    fn give_held(&self) {
        if self.is_frozen() || self.0.held.borrow().is_empty() {
            return;
        }
        let mut input = Input::singleton();
        // Without its buffer it would handle them at once, in the frame that is over.
        let is_buffered = input.is_using_accumulated_input();
        input.set_use_accumulated_input(true);
        self.0.held.take().iter().for_each(|event| input.parse_input_event(event));
        input.set_use_accumulated_input(is_buffered);
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

    /// A millisecond in which nothing was done before, and so nothing printed either.
    pub(crate) fn fresh_millisecond() -> u64 {
        let time = Time::singleton();
        let before = time.get_ticks_msec();
        loop {
            let now = time.get_ticks_msec();
            if now != before {
                return now;
            }
            std::hint::spin_loop();
        }
    }

    /// Says since when the answer was worked on that is given next, so that the editor knows which errors
    /// came of it. What comes after that, comes in another millisecond.
    pub(crate) fn worked_since(&self, first: u64) {
        self.0.span.set(Some(Span { first, last: Probe::fresh_millisecond() - 1 }));
    }

    /// Does something that may run code of the game, in which an error may stop it. That returns as if
    /// nothing were wrong, once the game has been let go on: `None` where it happened.
    pub(crate) fn unless_it_fails<T>(&self, run: impl FnOnce() -> T) -> Option<T> {
        let before = self.0.failures.get();
        let result = run();
        (before == self.0.failures.get()).then_some(result)
    }

    /// Whether the game was stopped in the debugger when it was asked over that. No frame comes then.
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.is_stopped.get()
    }

    /// The object whose function the call is in that the request is about; none for a static one.
    pub(crate) fn owner(&self) -> Option<Gd<Object>> {
        let id = Some(self.0.owner.get()).filter(|id| *id != 0)?;
        Gd::try_from_instance_id(InstanceId::try_from_i64(id)?).ok()
    }
}

fn give(event: &Gd<InputEvent>) {
    let mut input = Input::singleton();
    input.parse_input_event(event);
    input.flush_buffered_events();
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
