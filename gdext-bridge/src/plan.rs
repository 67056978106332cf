//! What handlers implement: reads answer, edits plan, runs start something.
//!
//! A [`Plan`] is what a call would do: the result that it would have, and the work that leads there.
//! Making one changes nothing; [`crate::dispatch`] carries it out, or drops the work for a preview.

use std::{cell::Cell, rc::Rc};

use protocol::{Command, Fault, Required, Verdict, envelope};

use crate::{
    background::Background,
    engine_log::EngineLog,
    game::Game,
    history::{Histories, Home},
    outside::Outside,
    scene::Scene,
    tabs::Tabs,
    undo::Step,
};

/// What handlers may use of the editor.
pub(crate) struct Context {
    /// The undo histories, and whose steps they hold.
    pub(crate) histories: Histories,
    /// The running game.
    pub(crate) game: Game,
    /// The scene tabs, and what is known of the files behind them.
    pub(crate) tabs: Tabs,
    /// What the engine prints.
    pub(crate) log: EngineLog,
    /// What others do to files that are loaded.
    pub(crate) outside: Outside,
    /// Where work is done that waits for others.
    pub(crate) background: Background,
    /// How far the command is that runs now.
    pub(crate) told: Cell<Option<envelope::Progress>>,
    /// How many commands that wait let no others run meanwhile.
    pub(crate) is_alone: Rc<Cell<u32>>,
    /// Whether a command takes some frames of the editor just now.
    pub(crate) is_busy: Cell<bool>,
    /// Whether whoever asked for the command that is polled now does not wait for it any more.
    pub(crate) is_unwanted: Cell<bool>,
    /// Whether the command that is polled now gets on without frames of the editor.
    pub(crate) is_patient: Cell<bool>,
}

/// Keeps other commands from being executed for as long as it lives.
pub(crate) struct Exclusive(Rc<Cell<u32>>);

impl Drop for Exclusive {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Context {
    /// Lets no other command be executed until what this gives is dropped.
    pub(crate) fn alone(&self) -> Exclusive {
        self.is_alone.set(self.is_alone.get() + 1);
        Exclusive(Rc::clone(&self.is_alone))
    }

    /// Tells how far the command is: how much is `done`, of how much in all where that is known, and
    /// what is being done, in a few words. It costs next to nothing and goes nowhere where nobody
    /// listens, so it may be told in every frame; but it makes no deadline later.
    pub(crate) fn tell(
        &self,
        done: u64,
        total: impl Into<Option<u64>>,
        message: impl Into<String>,
    ) {
        let (total, message) = (total.into(), message.into());
        self.told.set(Some(envelope::Progress { done, total, message }));
    }
}

/// A command that asks and changes nothing.
pub(crate) trait Read: Command {
    /// Answers.
    fn read(self, context: &Context) -> Result<Self::Output, Fault>;
}

/// A command that changes something.
pub(crate) trait Edit: Command<Output: protocol::Effect> {
    /// Whether it has to wait while the editor looks at the files of the project: it writes some, or
    /// needs to know which classes there are.
    const AWAITS_SCAN: bool = false;

    /// Finds out what the call would do, and whether it can. Changes nothing.
    fn plan(self, context: &Context) -> Result<Plan<Self::Output>, Fault>;
}

/// A command that starts something and has no preview.
pub(crate) trait Run: Command {
    /// Starts it.
    fn run(self, context: &Context) -> Result<Progress<Self::Output>, Fault>;
}

/// What a call would do.
pub(crate) struct Plan<T> {
    /// The result of the real call.
    pub(crate) result: T,
    /// Whether a save keeps the change; `None` where the question does not arise.
    pub(crate) verdict: Option<Verdict>,
    /// Existing data that is lost for good. The real call needs `confirm`.
    pub(crate) discards: Option<String>,
    /// The path of an open scene whose tab, and with it the undo history, goes.
    pub(crate) closes: Option<String>,
    /// Whether open scenes are read again for the sake of files that it writes.
    pub(crate) reads_again: bool,
    /// How it is done.
    pub(crate) work: Work<T>,
}

/// What a call means for those that come after it in a batch.
pub(crate) struct Reach {
    /// Where its undo step belongs.
    pub(crate) step: StepHome,
    /// Whether it writes something that undo does not take back.
    pub(crate) writes_outside_undo: bool,
    /// The path of an open scene whose history goes.
    pub(crate) closes: Option<String>,
    /// Whether that comes only after all steps are registered.
    pub(crate) closes_late: bool,
    /// Whether open scenes are read again, and begin new histories.
    pub(crate) reads_again: bool,
}

/// The history that a call has an undo step in.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum StepHome {
    /// None: there is nothing to do.
    Nowhere,
    /// None: it is nothing that undo takes back.
    Outside,
    /// That of the project, or that of any scene which it is done along with.
    Project,
    /// That of the open scene with this path.
    Scene(String),
}

impl StepHome {
    /// The scene that is changed.
    pub(crate) fn scene(&self) -> Option<&str> {
        match self {
            StepHome::Scene(path) => Some(path),
            StepHome::Nowhere | StepHome::Outside | StepHome::Project => None,
        }
    }
}

/// How a plan is carried out.
pub(crate) enum Work<T> {
    /// Steps that can be taken back, together one undo step with this label.
    Steps {
        /// What the step says in the history, after `MCP: `.
        label: String,
        /// The history that it belongs to.
        home: Home,
        /// What is done, in order. None if all is as it should be already.
        steps: Vec<Step>,
        /// What undo does not take back, done before the steps.
        first: Option<First>,
        /// What is done after the steps are registered.
        last: Option<Last<T>>,
    },
    /// Something that the editor does and that undo does not take back.
    Action {
        /// Does it.
        action: Action<T>,
        /// Whether it writes a file or discards something; otherwise it only shows another thing.
        writes: bool,
    },
}

/// Does what undo does not take back. Gives what takes it back if the steps fail.
pub(crate) type First = Box<dyn FnOnce() -> Result<Box<dyn FnOnce()>, Fault>>;

/// Does what comes after the steps are registered, such as a save, and gives the result as it
/// became. It cannot fail any more: what did not work is said in the result.
pub(crate) type Last<T> = Box<dyn FnOnce(&Context, T) -> Progress<T>>;

/// Does it, and gives the result as it became.
pub(crate) type Action<T> = Box<dyn FnOnce(&Context, T) -> Result<Progress<T>, Fault>>;

/// How far an action got.
pub(crate) enum Progress<T> {
    /// It is done.
    Done(T),
    /// It takes some frames; asked once in each until it gives an answer.
    Waiting(Poll<T>),
    /// It waits for the game; others are run meanwhile.
    Aside(Poll<T>),
}

/// Asked once a frame; `None` for not yet.
pub(crate) type Poll<T> = Box<dyn FnMut(&Context) -> Option<Result<T, Fault>>>;

impl<T> Plan<T> {
    /// A plan of undoable steps on a scene.
    pub(crate) fn steps(result: T, label: String, scene: Scene, steps: Vec<Step>) -> Plan<T> {
        Plan::steps_in(Home::Scene(scene), result, label, steps)
    }

    /// A plan of undoable steps on files and settings, which belong to no scene.
    pub(crate) fn project_steps(result: T, label: String, steps: Vec<Step>) -> Plan<T> {
        Plan::steps_in(Home::Project, result, label, steps)
    }

    fn steps_in(home: Home, result: T, label: String, steps: Vec<Step>) -> Plan<T> {
        Plan::of(result, Work::Steps { label, home, steps, first: None, last: None })
    }

    /// A plan that undo does not take back.
    pub(crate) fn action(
        result: T,
        action: impl FnOnce(&Context, T) -> Result<Progress<T>, Fault> + 'static,
    ) -> Plan<T> {
        Plan::of(result, Work::Action { action: Box::new(action), writes: true })
    }

    /// A plan that only changes what the editor shows.
    pub(crate) fn view(
        result: T,
        action: impl FnOnce(&Context, T) -> Result<Progress<T>, Fault> + 'static,
    ) -> Plan<T> {
        Plan::of(result, Work::Action { action: Box::new(action), writes: false })
    }

    /// A plan that is carried out like this.
    pub(crate) fn of(result: T, work: Work<T>) -> Plan<T> {
        Plan { result, verdict: None, discards: None, closes: None, reads_again: false, work }
    }

    /// The same plan, with what a save makes of it.
    pub(crate) fn with_verdict(self, verdict: Verdict) -> Plan<T> {
        Plan { verdict: Some(verdict), ..self }
    }

    /// The same plan of steps, with what is done after they are registered.
    pub(crate) fn then(
        mut self,
        after: impl FnOnce(&Context, T) -> Progress<T> + 'static,
    ) -> Plan<T> {
        if let Work::Steps { last, .. } = &mut self.work {
            *last = Some(Box::new(after));
        }
        self
    }

    /// The same plan if it may be carried out: with leave to discard data, or if it discards none.
    pub(crate) fn confirmed(self, confirm: bool) -> Result<Plan<T>, Fault> {
        match self.discards {
            Some(what) if !confirm => Err(Fault::precondition(
                Required::CONFIRM,
                format!(
                    "This discards {what}. Look with dry_run=true, then repeat with confirm=true."
                ),
            )
            .with("discards", what)),
            _ => Ok(self),
        }
    }

    /// The same plan, saying what it loses.
    pub(crate) fn discarding(self, what: impl Into<String>) -> Plan<T> {
        Plan { discards: Some(what.into()), ..self }
    }

    /// The same plan, saying which open scene loses its undo history.
    pub(crate) fn closing(self, path: impl Into<String>) -> Plan<T> {
        Plan { closes: Some(path.into()), ..self }
    }

    /// The same plan, saying whether open scenes are read again.
    pub(crate) fn reading_again(self, reads_again: bool) -> Plan<T> {
        Plan { reads_again, ..self }
    }

    /// What it means for calls that come after it in a batch.
    pub(crate) fn reach(&self) -> Reach {
        let (step, writes_outside_undo) = match &self.work {
            Work::Action { writes, .. } => (StepHome::Outside, *writes),
            Work::Steps { steps, first, .. } if steps.is_empty() => {
                (StepHome::Nowhere, first.is_some())
            }
            Work::Steps { home, first, .. } => {
                let scene = home.scene().map(Scene::path);
                (scene.map_or(StepHome::Project, StepHome::Scene), first.is_some())
            }
        };
        Reach {
            step,
            writes_outside_undo,
            closes: self.closes.clone(),
            closes_late: matches!(self.work, Work::Steps { .. }),
            reads_again: self.reads_again,
        }
    }
}
