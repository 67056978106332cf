//! From a request to its handler and back, on the main thread.
//!
//! The only place that commits. A `reads` handler answers; an `edits` handler makes a [`Plan`] and
//! changes nothing. A preview drops the plan's work; the real call does it, reads back what it did
//! and registers one undo step. So a preview is refused where the real call is refused: it is the
//! same code.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    time::{Duration, Instant, SystemTime},
};

use godot::{classes::EditorPlugin, prelude::*};
use protocol::{
    Command, ErrorCode, Fault, Required, ResPath, Stamp, Tool, Verdict,
    envelope::{self, Request, Response},
    for_each_tool,
    stamp::Stamped,
};
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    activity::{self, Activity, Note},
    connection::{Incoming, Links, Reply},
    engine_log::EngineLog,
    history::{Histories, OURS},
    operations::{Operations, Turn},
    scene::Scene,
    tabs::Tabs,
    undo::{Ledger, Step},
};

/// What handlers may use of the editor.
pub(crate) struct Context {
    /// The undo histories, and whose steps they hold.
    pub(crate) histories: Histories,
    /// The scene tabs, and what is known of the files behind them.
    pub(crate) tabs: Tabs,
}

/// A command that asks and changes nothing.
pub(crate) trait Read: Command {
    /// Answers.
    fn read(self, context: &Context) -> Result<Self::Output, Fault>;
}

/// A command that changes something.
pub(crate) trait Edit: Command<Output: protocol::Effect> {
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
    /// How it is done.
    pub(crate) work: Work<T>,
}

/// How a plan is carried out.
pub(crate) enum Work<T> {
    /// Steps on a scene, together one undo step with this label.
    Steps {
        /// What the step says in the history, after `MCP: `.
        label: String,
        /// The scene whose history it belongs to.
        scene: Scene,
        /// What is done, in order. None if all is as it should be already.
        steps: Vec<Step>,
        /// What undo does not take back, done before the steps.
        first: Option<First>,
        /// What is done after the steps are registered.
        last: Option<Last<T>>,
    },
    /// Something that the editor does and that undo does not take back.
    Action(Action<T>),
}

/// Does what undo does not take back. Gives what takes it back if the steps fail.
pub(crate) type First = Box<dyn FnOnce() -> Result<Box<dyn FnOnce()>, Fault>>;

/// Does what comes after the steps, and gives the result as it became.
pub(crate) type Last<T> = Box<dyn FnOnce(&Context, T) -> T>;

/// Does it, and gives the result as it became.
pub(crate) type Action<T> = Box<dyn FnOnce(&Context, T) -> Result<Progress<T>, Fault>>;

/// How far an action got.
pub(crate) enum Progress<T> {
    /// It is done.
    Done(T),
    /// It takes some frames; asked once in each until it gives an answer.
    Waiting(Poll<T>),
}

/// Asked once a frame; `None` for not yet.
pub(crate) type Poll<T> = Box<dyn FnMut(&Context) -> Option<Result<T, Fault>>>;

impl<T> Plan<T> {
    /// A plan of undoable steps.
    pub(crate) fn steps(result: T, label: String, scene: Scene, steps: Vec<Step>) -> Plan<T> {
        let work = Work::Steps { label, scene, steps, first: None, last: None };
        Plan { result, verdict: None, discards: None, work }
    }

    /// A plan that undo does not take back.
    pub(crate) fn action(
        result: T,
        action: impl FnOnce(&Context, T) -> Result<Progress<T>, Fault> + 'static,
    ) -> Plan<T> {
        Plan { result, verdict: None, discards: None, work: Work::Action(Box::new(action)) }
    }

    /// The same plan, with what a save makes of it.
    pub(crate) fn with_verdict(self, verdict: Verdict) -> Plan<T> {
        Plan { verdict: Some(verdict), ..self }
    }

    /// The same plan, saying what it loses.
    pub(crate) fn discarding(self, what: impl Into<String>) -> Plan<T> {
        Plan { discards: Some(what.into()), ..self }
    }
}

/// The answer of a command, or the promise of one.
enum Answer {
    Done(Box<RawValue>),
    Waiting(Poll<Box<RawValue>>),
}

/// How a command is to be run.
#[derive(Clone, Copy)]
enum Mode {
    Preview,
    Commit { confirm: bool },
}

macro_rules! dispatch {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// A tool of the table without a handler stops the build here.
        fn run(executor: &Executor, tool: Tool, params: &RawValue, mode: Mode) -> Result<Answer, Fault> {
            match tool {
                $($(Tool::$Params => {
                    arm!($verb executor, params, mode, $root::tools::$set::$Params)
                })*)*
            }
        }
    };
}
macro_rules! arm {
    (local $executor:ident, $params:ident, $mode:ident, $Params:ty) => {
        Err(Fault::internal("This tool is answered by the gateway."))
    };
    (reads $executor:ident, $params:ident, $mode:ident, $Params:ty) => {
        $executor.read::<$Params>($params)
    };
    (runs $executor:ident, $params:ident, $mode:ident, $Params:ty) => {
        $executor.run::<$Params>($params)
    };
    ($verb:ident $executor:ident, $params:ident, $mode:ident, $Params:ty) => {
        $executor.edit::<$Params>($params, $mode)
    };
}
for_each_tool!(dispatch);

/// The wire commands that this build knows.
pub(crate) fn commands() -> Vec<String> {
    let tools = Tool::ALL.iter().filter(|tool| tool.verb() != protocol::Verb::local);
    let control = [envelope::PLAN, envelope::PING, envelope::CANCEL, envelope::OUTCOME];
    tools.map(|tool| tool.wire()).chain(control).map(str::to_owned).collect()
}

/// Executes commands, one after the other.
pub(crate) struct Executor {
    links: RefCell<Links>,
    context: Context,
    log: RefCell<EngineLog>,
    queue: RefCell<VecDeque<Job>>,
    waiting: RefCell<Option<Waiting>>,
    operations: Operations,
    activity: Rc<Activity>,
    busy: Cell<bool>,
}

/// A command that has not been started.
struct Job {
    received: Instant,
    request: Request,
    reply: Reply,
}

impl Job {
    fn is(&self, link: u64, id: u64) -> bool {
        (self.reply.link, self.request.id) == (link, id)
    }

    /// Whether its deadline has passed: by the time since it came in, and by the clock that it
    /// shares with the gateway, which also counts while this process was stopped.
    fn is_late(&self) -> bool {
        let limit = self.request.deadline_ms.map(Duration::from_millis);
        let end = self.request.expires_at_ms.map(Duration::from_millis);
        limit.is_some_and(|limit| self.received.elapsed() > limit)
            || end.is_some_and(|end| SystemTime::UNIX_EPOCH + end < SystemTime::now())
    }
}

/// A command that was started and takes some frames.
struct Waiting {
    id: u64,
    operation: Option<String>,
    reply: Reply,
    note: Note,
    poll: Poll<Box<RawValue>>,
}

/// How long commands may be executed before the editor gets to draw a frame.
const FRAME_BUDGET: Duration = Duration::from_millis(8);

/// Clears the mark when it goes, also when a handler panics.
struct Busy<'a>(&'a Cell<bool>);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl Executor {
    /// Executes what comes in over `links`, and tells of it in `activity`.
    pub(crate) fn new(links: Links, plugin: &Gd<EditorPlugin>, activity: Rc<Activity>) -> Executor {
        Executor {
            operations: links.operations(),
            links: RefCell::new(links),
            context: Context { histories: Histories::watch(), tabs: Tabs::watch(plugin) },
            log: RefCell::new(EngineLog::install()),
            queue: RefCell::default(),
            waiting: RefCell::default(),
            activity,
            busy: Cell::new(false),
        }
    }

    /// Uses one frame: executes what is there and waits for more until `until`.
    pub(crate) fn tick(&self, until: Instant) {
        // A nested frame, in the middle of a command: that one has to end first.
        if self.busy.replace(true) {
            return;
        }
        let _busy = Busy(&self.busy);
        let start = Instant::now();
        self.context.histories.look();
        self.context.tabs.look();
        // Also while a command takes its time: it can be asked whether we are alive, and others can
        // be withdrawn.
        self.take_in();
        if !self.poll_waiting() {
            return;
        }
        while let Some(job) = self.next(until) {
            self.execute(job);
            // The next scene change would be dropped by the engine in this same frame.
            if self.waiting.borrow().is_some() || start.elapsed() > FRAME_BUDGET.max(until - start)
            {
                return;
            }
        }
    }

    /// Whether a command is being executed just now, in a frame around this one.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// The active scene: its path, and whether it is known to have unsaved changes.
    pub(crate) fn scene(&self) -> Option<(String, bool)> {
        let scene = Scene::active().ok()?;
        Some((scene.path(), self.context.tabs.is_dirty(&scene).unwrap_or_default()))
    }

    /// Ends the links and gives back what was taken from the editor.
    pub(crate) fn stop(&self) {
        self.links.borrow_mut().stop();
        self.log.borrow_mut().remove();
        self.context.histories.forget();
        self.context.tabs.forget();
        self.waiting.take();
        self.queue.take();
    }

    /// Asks the command that takes some frames. Tells whether others may be executed.
    fn poll_waiting(&self) -> bool {
        let Some(mut waiting) = self.waiting.take() else { return true };
        let asked = catch_unwind(AssertUnwindSafe(|| (waiting.poll)(&self.context)));
        match asked.unwrap_or_else(|panic| Some(Err(panicked(&*panic)))) {
            Some(outcome) => {
                self.activity.record(&waiting.note, outcome.as_ref().err().map(|it| it.code));
                self.answer(waiting.id, waiting.operation, &waiting.reply, outcome);
            }
            None => {
                self.waiting.replace(Some(waiting));
                return false;
            }
        }
        // Only in the next frame, when the engine has settled.
        false
    }

    /// The next command to execute, waiting for one until `until`.
    fn next(&self, until: Instant) -> Option<Job> {
        self.take_in();
        loop {
            if let Some(job) = self.queue.borrow_mut().pop_front() {
                return Some(job);
            }
            let incoming =
                self.links.borrow().next_within(until.saturating_duration_since(Instant::now()))?;
            self.sort_in(incoming);
        }
    }

    /// Takes in what is there, without waiting.
    fn take_in(&self) {
        loop {
            let incoming = self.links.borrow().try_next();
            let Some(incoming) = incoming else { return };
            self.sort_in(incoming);
        }
    }

    fn sort_in(&self, incoming: Incoming) {
        match incoming {
            // Out of turn: it asks about this thread, not about the commands.
            Incoming::Request { request, reply, .. } if request.command == envelope::PING => {
                let pong = envelope::Pong { dialog: crate::dialog::open() };
                reply.send(&Response { id: request.id, outcome: written(&pong) });
            }
            Incoming::Request { received, request, reply } => {
                self.queue.borrow_mut().push_back(Job { received, request, reply });
            }
            Incoming::Cancel { link, id } => self.withdraw(|job| job.is(link, id)),
            Incoming::Gone { link } => self.withdraw(|job| job.reply.link == link),
        }
    }

    /// Drops the commands that nobody wants any more.
    fn withdraw(&self, is_unwanted: impl Fn(&Job) -> bool) {
        self.queue.borrow_mut().retain(|job| {
            let is_unwanted = is_unwanted(job);
            if is_unwanted && let Some(operation) = &job.request.operation_id {
                self.operations.forget(operation);
            }
            !is_unwanted
        });
    }

    fn execute(&self, job: Job) {
        let is_late = job.is_late();
        let Job { received, request, reply } = job;
        match request.operation_id.as_deref().map(|operation| self.operations.begin(operation)) {
            Some(Turn::Repeat(outcome)) => {
                return reply.send(&Response { id: request.id, outcome });
            }
            Some(Turn::Leave) => return,
            Some(Turn::Start) | None => {}
        }
        if is_late {
            let fault =
                Fault::new(ErrorCode::Timeout, "The deadline passed before it was started.");
            let outcome = Err(fault.with("outcome", "not_applied"));
            return self.answer(request.id, request.operation_id, &reply, outcome);
        }
        let mut note = Note::new(received);
        match catch_unwind(AssertUnwindSafe(|| self.start(&request, &mut note)))
            .unwrap_or_else(|panic| Err(panicked(&*panic)))
        {
            Ok(Answer::Done(result)) => {
                self.activity.record(&note, None);
                self.answer(request.id, request.operation_id, &reply, Ok(result));
            }
            Err(fault) => {
                self.activity.record(&note, Some(fault.code));
                self.answer(request.id, request.operation_id, &reply, Err(fault));
            }
            Ok(Answer::Waiting(poll)) => {
                let (id, operation) = (request.id, request.operation_id);
                self.waiting.replace(Some(Waiting { id, operation, reply, note, poll }));
            }
        }
    }

    fn answer(
        &self,
        id: u64,
        operation: Option<String>,
        reply: &Reply,
        outcome: Result<Box<RawValue>, Fault>,
    ) {
        // What the human held up may be let through when it is tried again.
        let is_held_up = matches!(&outcome, Err(fault) if activity::is_pause(fault));
        if let Some(operation) = operation {
            self.operations.end(operation, Some(&outcome).filter(|_| !is_held_up));
        }
        reply.send(&Response { id, outcome });
    }

    fn start(&self, request: &Request, note: &mut Note) -> Result<Answer, Fault> {
        let plan: envelope::Plan;
        let (command, params, mode) = if request.command == envelope::PLAN {
            plan = parse(&request.params)?;
            (plan.command.as_str(), &*plan.params, Mode::Preview)
        } else {
            let mode = Mode::Commit { confirm: request.confirm };
            (request.command.as_str(), &*request.params, mode)
        };
        let tool = Tool::from_wire(command).ok_or_else(|| {
            Fault::unsupported(format!(
                "This editor's add-on knows no command '{command}'. Update the add-on, then restart the editor."
            ))
        })?;
        note.tool = Some(tool);
        note.preview = matches!(mode, Mode::Preview);
        self.activity.let_through(tool, note.preview)?;
        if let Some(scene) = &request.scene {
            guard_scene(scene)?;
        }
        run(self, tool, params, mode)
    }

    fn read<C: Read>(&self, params: &RawValue) -> Result<Answer, Fault> {
        let command: C = parse(params)?;
        Ok(Answer::Done(written(&command.read(&self.context)?)?))
    }

    fn run<C: Run>(&self, params: &RawValue) -> Result<Answer, Fault> {
        let command: C = parse(params)?;
        match command.run(&self.context)? {
            Progress::Done(result) => Ok(Answer::Done(written(&result)?)),
            Progress::Waiting(mut poll) => Ok(Answer::Waiting(Box::new(move |context| {
                Some(poll(context)?.and_then(|result| written(&result)))
            }))),
        }
    }

    fn edit<C: Edit>(&self, params: &RawValue, mode: Mode) -> Result<Answer, Fault> {
        let command: C = parse(params)?;
        // What is still there was printed by somebody else.
        self.log.borrow().take();
        let Plan { mut result, verdict, discards, work } = command.plan(&self.context)?;
        let undoable = matches!(&work, Work::Steps { steps, .. } if !steps.is_empty());
        let mut stamp = Stamp {
            dry_run: matches!(mode, Mode::Preview),
            verdict,
            undoable: Some(undoable),
            scene: None,
            discards: discards.clone(),
            engine_errors: Vec::new(),
        };
        let Mode::Commit { confirm } = mode else {
            protocol::Effect::withdraw(&mut result);
            stamp.scene = Scene::active_path();
            stamp.engine_errors = self.log.borrow().take();
            return Ok(Answer::Done(written(&Stamped { result, stamp })?));
        };
        if let Some(what) = discards
            && !confirm
        {
            return Err(Fault::precondition(
                Required::CONFIRM,
                format!(
                    "This discards {what}. Look with dry_run=true, then repeat with confirm=true."
                ),
            )
            .with("discards", what));
        }
        match work {
            Work::Steps { label, scene, steps, first, last } => {
                let back = first.map(|first| first()).transpose().map_err(|it| self.explain(it))?;
                if !steps.is_empty() {
                    let done = Ledger::apply(steps, &scene)
                        .and_then(|ledger| ledger.register(&format!("{OURS}{label}"), &scene));
                    if let Err(fault) = done {
                        back.into_iter().for_each(|back| back());
                        return Err(self.explain(fault));
                    }
                    self.context.histories.registered(&scene);
                    self.context.tabs.touched(&scene);
                }
                let result = match last {
                    Some(last) => last(&self.context, result),
                    None => result,
                };
                Ok(Answer::Done(self.stamped(result, stamp)?))
            }
            Work::Action(action) => {
                match action(&self.context, result).map_err(|fault| self.explain(fault))? {
                    Progress::Done(result) => Ok(Answer::Done(self.stamped(result, stamp)?)),
                    Progress::Waiting(poll) => Ok(Answer::Waiting(self.later(poll, stamp))),
                }
            }
        }
    }

    /// A poll whose result is stamped when it comes.
    fn later<T: serde::Serialize + 'static>(
        &self,
        mut poll: Poll<T>,
        stamp: Stamp,
    ) -> Poll<Box<RawValue>> {
        let log = self.log.borrow().clone();
        Box::new(move |context| {
            let outcome = poll(context)?;
            let mut stamp = stamp.clone();
            stamp.scene = Scene::active_path();
            stamp.engine_errors = log.take();
            let errors = stamp.engine_errors.clone();
            Some(match outcome {
                Ok(result) => written(&Stamped { result, stamp }),
                Err(fault) => Err(with_engine_errors(fault, errors)),
            })
        })
    }

    fn stamped<T: serde::Serialize>(
        &self,
        result: T,
        mut stamp: Stamp,
    ) -> Result<Box<RawValue>, Fault> {
        stamp.scene = Scene::active_path();
        stamp.engine_errors = self.log.borrow().take();
        written(&Stamped { result, stamp })
    }

    /// The same fault with what the engine said, which often is the reason.
    fn explain(&self, fault: Fault) -> Fault {
        with_engine_errors(fault, self.log.borrow().take())
    }
}

fn with_engine_errors(fault: Fault, errors: Vec<String>) -> Fault {
    if errors.is_empty() { fault } else { fault.with("engine_errors", errors) }
}

/// Refuses where the active scene is another one than the caller has in mind.
fn guard_scene(wanted: &str) -> Result<(), Fault> {
    let active = Scene::active_path();
    let wanted = ResPath::try_from(wanted.to_owned()).map_err(Fault::invalid)?;
    if active.as_deref() == Some(wanted.as_str()) {
        return Ok(());
    }
    let is = match active.as_deref() {
        None => "no scene is open".to_owned(),
        Some("") => "the active scene was never saved".to_owned(),
        Some(path) => format!("the active scene is '{path}'"),
    };
    Err(Fault::precondition(
        Required::SCENE_MATCH,
        format!(
            "The call is meant for '{wanted}', but {is}. Call godot_scene_edit_open_scene with \
             scene_path '{wanted}' first, or leave `scene` out."
        ),
    )
    .with("active_scene", active.unwrap_or_default()))
}

fn parse<'a, T: serde::Deserialize<'a>>(params: &'a RawValue) -> Result<T, Fault> {
    serde_json::from_str(params.get()).map_err(|error| Fault::invalid(error.to_string()))
}

fn written(result: &impl serde::Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(result).map_err(|error| Fault::internal(error.to_string()))
}

/// A handler panicked. That is our defect, and the editor lives on.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Fault {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Fault::internal(format!("The handler failed: {text}. Read the state back before you go on."))
}
