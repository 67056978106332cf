//! From a command to its handler and back.
//!
//! The only place that commits. A `reads` handler answers; an `edits` handler makes a [`Plan`] and
//! changes nothing. A preview drops the plan's work; the real call does it, reads back what it did
//! and registers one undo step. So a preview is refused where the real call is refused: it is the
//! same code.

use std::{cell::Cell, rc::Rc};

use godot::{classes::EditorPlugin, prelude::*};
use protocol::{Fault, Required, ResPath, Stamp, Tool, envelope, for_each_tool, stamp::Stamped};
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    background::Background,
    call::{Call, Mode},
    child,
    engine_log::EngineLog,
    game::{Game, ask, line::Lines, probe::InGame},
    history::{Histories, Home},
    outside::Outside,
    plan::{Context, Edit, First, Plan, Poll, Progress, Reach, Read, Run, Work},
    refresh,
    scene::Scene,
    script_tabs, settings,
    tabs::Tabs,
    undo::{Ledger, Step},
};

macro_rules! dispatch {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// A tool of the table without a handler stops the build here.
        fn prepare(dispatcher: &Dispatcher, call: &Call<'_>) -> Result<Prepared, Fault> {
            match call.tool {
                $($(Tool::$Params => arm!($verb dispatcher, call, $root::tools::$set::$Params)),*),*
            }
        }

        /// Whether a tool's work needs the editor to know the files of the project.
        fn awaits_scan(tool: Tool) -> bool {
            match tool {
                $($(Tool::$Params => scan!($verb $root::tools::$set::$Params)),*),*
            }
        }
    };
}
macro_rules! arm {
    (local $dispatcher:ident, $call:ident, $Params:ty) => {
        Err(Fault::internal("This tool is answered by the gateway."))
    };
    (batches $dispatcher:ident, $call:ident, $Params:ty) => {
        crate::batch::begin($dispatcher, &$call.params, $call.mode).map(Prepared::Answer)
    };
    (reads $dispatcher:ident, $call:ident, $Params:ty) => {
        $dispatcher.read::<$Params>(&$call.params)
    };
    (games $dispatcher:ident, $call:ident, $Params:ty) => {
        $dispatcher.ask_game::<$Params>(&$call.params)
    };
    (asks $dispatcher:ident, $call:ident, $Params:ty) => {
        $dispatcher.start::<$Params>(&$call.params)
    };
    (runs $dispatcher:ident, $call:ident, $Params:ty) => {
        $dispatcher.start::<$Params>(&$call.params)
    };
    ($verb:ident $dispatcher:ident, $call:ident, $Params:ty) => {
        $dispatcher.edit::<$Params>(&$call.params, $call.mode)
    };
}
macro_rules! scan {
    (edits $Params:ty) => {
        <$Params as Edit>::AWAITS_SCAN
    };
    (overwrites $Params:ty) => {
        <$Params as Edit>::AWAITS_SCAN
    };
    ($verb:ident $Params:ty) => {
        false
    };
}
for_each_tool!(dispatch);

/// The wire commands that this build knows.
pub(crate) fn commands() -> Vec<String> {
    let tools = Tool::ALL.iter().filter(|tool| tool.verb() != protocol::Verb::local);
    let control =
        [envelope::PLAN, envelope::PING, envelope::CANCEL, envelope::OUTCOME, envelope::CLIENT];
    tools.map(|tool| tool.wire()).chain(control).map(str::to_owned).collect()
}

/// Runs commands, and carries out what they plan.
pub(crate) struct Dispatcher {
    /// What handlers may use.
    pub(crate) context: Context,
}

/// The answer of a command, or the promise of one.
pub(crate) enum Answer {
    /// It is done.
    Done(Box<RawValue>),
    /// It takes some frames, and nothing else is run before it is done.
    Waiting(Pending),
    /// The game is asked; others are run meanwhile.
    Aside(Pending),
}

/// Asked once a frame; `None` for not yet.
pub(crate) type Pending = Box<dyn FnMut(&Dispatcher) -> Option<Result<Box<RawValue>, Fault>>>;

/// Does what comes after the steps of a plan, and gives its result.
pub(crate) type Finish = Box<dyn FnOnce(&Dispatcher) -> Result<Answer, Fault>>;

/// A command that is read, and nothing of it done that would change something.
pub(crate) enum Prepared {
    /// It changes nothing, or nothing that could be planned.
    Answer(Answer),
    /// What it would do, and what that means for those after it in a batch.
    Preview(Box<RawValue>, Reach),
    /// It is planned.
    Edit(Planned),
}

/// A plan without its types.
pub(crate) struct Planned {
    /// What it means for those after it in a batch.
    pub(crate) reach: Reach,
    /// What undo takes back; `None` for an action that it does not.
    pub(crate) steps: Option<Steps>,
    /// Whether [`Self::finish`] counts on the steps being registered.
    pub(crate) finishes_late: bool,
    /// Does what comes after the steps, and gives the result.
    pub(crate) finish: Finish,
}

/// The steps of a plan.
pub(crate) struct Steps {
    /// What they are called in the history.
    pub(crate) label: String,
    /// Whose history that is.
    pub(crate) home: Home,
    /// What comes before them.
    pub(crate) first: Option<First>,
    /// The steps.
    pub(crate) steps: Vec<Step>,
}

impl Dispatcher {
    /// Starts to take note of what the editor does.
    pub(crate) fn new(
        plugin: &Gd<EditorPlugin>,
        background: Background,
        lines: Lines,
    ) -> Dispatcher {
        settings::note_file();
        let context = Context {
            histories: Histories::watch(),
            tabs: Tabs::watch(plugin),
            log: EngineLog::install(),
            outside: Outside::watch(),
            game: Game::watch(plugin, lines),
            background,
            told: Cell::default(),
            is_alone: Rc::default(),
            is_busy: Cell::default(),
            is_unwanted: Cell::default(),
            is_patient: Cell::default(),
        };
        Dispatcher { context }
    }

    /// Gives back what was taken from the editor.
    pub(crate) fn stop(&self) {
        self.context.game.forget();
        child::log::forget();
        self.context.log.remove();
        self.context.outside.forget();
        self.context.histories.forget();
        self.context.tabs.forget();
    }

    /// Runs a command, or begins one that takes some frames.
    pub(crate) fn run(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        if !is_held_up(call) {
            return self.run_now(call);
        }
        let call = call.clone().into_owned();
        let mut begun: Option<Pending> = None;
        Ok(Answer::Waiting(Box::new(move |dispatcher| {
            if let Some(begun) = &mut begun {
                return begun(dispatcher);
            }
            if is_held_up(&call) {
                return None;
            }
            match dispatcher.run_now(&call) {
                Ok(Answer::Done(result)) => Some(Ok(result)),
                Ok(Answer::Waiting(pending) | Answer::Aside(pending)) => {
                    begun = Some(pending);
                    None
                }
                Err(fault) => Some(Err(fault)),
            }
        })))
    }

    fn run_now(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        if call.tool.verb() != protocol::Verb::games {
            self.context.outside.look();
        }
        let meant = self.context.game.meant(call.tool, call.instance)?;
        let aimed = self.context.game.aim(meant);
        let prepared = self.prepare(call)?;
        drop(aimed);
        match prepared {
            Prepared::Answer(Answer::Aside(pending)) => Ok(Answer::Aside(about(meant, pending))),
            Prepared::Answer(answer) => Ok(answer),
            Prepared::Preview(result, _) => Ok(Answer::Done(result)),
            Prepared::Edit(planned) => self.commit(planned),
        }
    }

    /// Answers a command, or plans what it would change.
    pub(crate) fn prepare(&self, call: &Call<'_>) -> Result<Prepared, Fault> {
        if let Some(scene) = call.scene.as_deref() {
            guard_scene(scene)?;
        }
        prepare(self, call)
    }

    fn read<C: Read>(&self, params: &RawValue) -> Result<Prepared, Fault> {
        let command: C = parse(params)?;
        Ok(Prepared::Answer(Answer::Done(written(&command.read(&self.context)?)?)))
    }

    /// Sends a command to the running game.
    fn ask_game<C: InGame>(&self, params: &RawValue) -> Result<Prepared, Fault> {
        let command = parse::<C>(params)?;
        if let Some(result) = command.absent(&self.context.game) {
            return Ok(Prepared::Answer(Answer::Done(written(&result)?)));
        }
        Ok(Prepared::Answer(Answer::Aside(ask(&self.context.game, &command, params)?)))
    }

    fn start<C: Run>(&self, params: &RawValue) -> Result<Prepared, Fault> {
        let command: C = parse(params)?;
        Ok(Prepared::Answer(match command.run(&self.context)? {
            Progress::Done(result) => Answer::Done(written(&result)?),
            Progress::Waiting(poll) => Answer::Waiting(untyped(poll)),
            Progress::Aside(poll) => Answer::Aside(untyped(poll)),
        }))
    }

    fn edit<C: Edit>(&self, params: &RawValue, mode: Mode) -> Result<Prepared, Fault> {
        let command: C = parse(params)?;
        // What is still there was printed by somebody else.
        self.context.log.take();
        let plan = command.plan(&self.context).map_err(|fault| self.explain(fault))?;
        check_files(&plan).map_err(|fault| self.explain(fault))?;
        match mode {
            Mode::Preview => {
                let reach = plan.reach();
                Ok(Prepared::Preview(self.preview(plan)?, reach))
            }
            Mode::Commit { confirm } => {
                plan.confirmed(confirm).map(|plan| Prepared::Edit(planned(plan)))
            }
        }
    }

    fn preview<T: protocol::Effect + serde::Serialize>(
        &self,
        plan: Plan<T>,
    ) -> Result<Box<RawValue>, Fault> {
        let stamp = Stamp { dry_run: true, ..stamp(&plan) };
        let mut result = plan.result;
        protocol::Effect::withdraw(&mut result);
        self.stamped(result, stamp)
    }

    /// Does what is planned, as one undo step.
    fn commit(&self, planned: Planned) -> Result<Answer, Fault> {
        if let Some(Steps { label, home, first, steps }) = planned.steps {
            let back = first.map(|first| first()).transpose().map_err(|it| self.explain(it))?;
            if !steps.is_empty() {
                let mut ledger = Ledger::new(home.clone());
                let done = ledger.apply(steps, &home).and_then(|()| self.register(ledger, &label));
                if let Err(fault) = done {
                    back.into_iter().for_each(|back| back());
                    return Err(self.explain(fault));
                }
            }
        }
        (planned.finish)(self)
    }

    /// Puts what was done into the history.
    pub(crate) fn register(&self, ledger: Ledger, label: &str) -> Result<(), Fault> {
        ledger.register(label, &self.context.histories, &self.context.tabs)
    }

    fn progress<T: serde::Serialize + 'static>(
        &self,
        progress: Progress<T>,
        stamp: Stamp,
    ) -> Result<Answer, Fault> {
        match progress {
            // Who goes on with what was written finds it in the editor's lists.
            Progress::Done(result) if refresh::has_missed() => {
                self.progress(refresh::when_settled(result), stamp)
            }
            Progress::Done(result) => Ok(Answer::Done(self.stamped(result, stamp)?)),
            Progress::Waiting(mut poll) | Progress::Aside(mut poll) => {
                Ok(Answer::Waiting(Box::new(move |dispatcher| {
                    Some(match poll(&dispatcher.context)? {
                        Ok(result) => dispatcher.stamped(result, stamp.clone()),
                        Err(fault) => Err(dispatcher.explain(fault)),
                    })
                })))
            }
        }
    }

    /// A result with what is said of every edit.
    pub(crate) fn stamped<T: serde::Serialize>(
        &self,
        result: T,
        mut stamp: Stamp,
    ) -> Result<Box<RawValue>, Fault> {
        stamp.scene = Scene::active_path();
        stamp.engine_errors = self.context.log.take();
        written(&Stamped { result, stamp })
    }

    /// The same fault with what the engine said, which often is the reason.
    pub(crate) fn explain(&self, fault: Fault) -> Fault {
        let errors = self.context.log.take();
        if errors.is_empty() { fault } else { fault.with("engine_errors", errors) }
    }
}

/// A promise about one of the running games.
fn about(meant: Option<i32>, mut pending: Pending) -> Pending {
    Box::new(move |dispatcher| {
        let _aimed = dispatcher.context.game.aim(meant);
        pending(dispatcher)
    })
}

/// Takes the type off a promise.
fn untyped<T: serde::Serialize + 'static>(mut poll: Poll<T>) -> Pending {
    Box::new(move |dispatcher| Some(poll(&dispatcher.context)?.and_then(|result| written(&result))))
}

/// Takes the types off a plan.
fn planned<T: serde::Serialize + 'static>(plan: Plan<T>) -> Planned {
    let (stamp, reach) = (stamp(&plan), plan.reach());
    let result = plan.result;
    match plan.work {
        Work::Steps { label, home, steps, first, last } => Planned {
            reach,
            finishes_late: last.is_some(),
            steps: Some(Steps { label, home, first, steps }),
            finish: Box::new(move |dispatcher| match last {
                Some(last) => dispatcher.progress(last(&dispatcher.context, result), stamp),
                None => dispatcher.progress(Progress::Done(result), stamp),
            }),
        },
        Work::Action { action, .. } => Planned {
            reach,
            finishes_late: false,
            steps: None,
            finish: Box::new(move |dispatcher| {
                let progress = action(&dispatcher.context, result);
                dispatcher.progress(progress.map_err(|fault| dispatcher.explain(fault))?, stamp)
            }),
        },
    }
}

/// Refuses a plan that writes or removes a file of which the human has unsaved text in a tab, or that
/// sets what cannot be written to `project.godot`.
fn check_files<T>(plan: &Plan<T>) -> Result<(), Fault> {
    let Work::Steps { steps, .. } = &plan.work else { return Ok(()) };
    steps.iter().try_for_each(|step| match step {
        Step::File(change) => script_tabs::check_saved(change.path()),
        Step::Settings(_) => settings::check_writable(),
        _ => Ok(()),
    })
}

/// What can be said of an edit when it is planned.
fn stamp<T>(plan: &Plan<T>) -> Stamp {
    Stamp {
        dry_run: false,
        verdict: plan.verdict.clone(),
        undoable: Some(matches!(&plan.work, Work::Steps { steps, .. } if !steps.is_empty())),
        scene: None,
        discards: plan.discards.clone(),
        engine_errors: Vec::new(),
    }
}

/// Whether a call has to wait until the editor has looked at the files of the project.
pub(crate) fn is_held_up(call: &Call<'_>) -> bool {
    awaits_scan(call.tool) && (refresh::is_scanning() || refresh::has_missed())
}

/// Refuses where the active scene is another one than the caller has in mind.
fn guard_scene(wanted: &str) -> Result<(), Fault> {
    let active = Scene::active_path();
    let wanted = match wanted {
        "" => String::new(),
        path => ResPath::try_from(path.to_owned()).map_err(Fault::invalid)?.to_string(),
    };
    if active.as_deref() == Some(wanted.as_str()) {
        return Ok(());
    }
    let is = match active.as_deref() {
        None => "no scene is open".to_owned(),
        Some("") => "the active scene was never saved".to_owned(),
        Some(path) => format!("the active scene is '{path}'"),
    };
    let hint = match wanted.as_str() {
        "" => format!(
            "The call is meant for a scene that was never saved, as `scene` is empty, but {is}. Name \
             the scene that is meant, or leave `scene` out."
        ),
        _ => format!(
            "The call is meant for '{wanted}', but {is}. Call godot_scene_edit_open_scene with \
             scene_path '{wanted}' first, or leave `scene` out."
        ),
    };
    Err(Fault::precondition(Required::SCENE_MATCH, hint)
        .with("active_scene", active.unwrap_or_default()))
}

pub(crate) fn parse<'a, T: serde::Deserialize<'a>>(params: &'a RawValue) -> Result<T, Fault> {
    serde_json::from_str(params.get()).map_err(|error| Fault::invalid(error.to_string()))
}

/// A result as it is sent.
pub(crate) fn written(result: &impl serde::Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(result).map_err(|error| Fault::internal(error.to_string()))
}
