//! Executes commands on the main thread, one after the other.
//!
//! Which command is next, whether it still is to be executed, and who hears of its outcome is
//! decided here; what it does, in [`crate::dispatch`].

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    time::{Duration, Instant, SystemTime},
};

use godot::{classes::EditorPlugin, prelude::*};
use protocol::{
    ErrorCode, Fault, Tool,
    envelope::{self, Progress, Request, Response},
};
use serde_json::value::RawValue;

use crate::{
    activity::{self, Activity, Note},
    call::Call,
    connection::{Incoming, Links, Reply},
    dispatch::{Answer, Dispatcher, Pending, written},
    operations::{Operations, Turn},
    panics::caught,
    refresh,
    scene::Scene,
};

/// Executes commands, one after the other.
pub(crate) struct Executor {
    links: RefCell<Links>,
    dispatcher: Dispatcher,
    queue: RefCell<VecDeque<Job>>,
    waiting: RefCell<Option<Waiting>>,
    /// Questions that the game was sent. They hold up nothing.
    asides: RefCell<Vec<Waiting>>,
    /// Whether the game has answered since they were last asked.
    was_answered: Cell<bool>,
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
    poll: Pending,
    /// What was told last of how far it is; none where nobody wants to hear it.
    told: Option<Option<Progress>>,
    /// Whether nobody waits for it any more.
    is_unwanted: bool,
}

impl Waiting {
    /// A request that was started, and how far it got by that.
    fn new(
        request: Request,
        reply: Reply,
        note: Note,
        poll: Pending,
        progress: Option<Progress>,
    ) -> Waiting {
        let told = request.tells_progress.then_some(None);
        let (id, operation) = (request.id, request.operation_id);
        let mut waiting = Waiting { id, operation, reply, note, poll, told, is_unwanted: false };
        waiting.tell(progress);
        waiting
    }

    /// Tells how far it is, where that is news.
    fn tell(&mut self, progress: Option<Progress>) {
        if let Some(told) = &mut self.told
            && let Some(progress) = progress
            && told.as_ref() != Some(&progress)
        {
            self.reply.tell(self.id, &progress);
            *told = Some(progress);
        }
    }
}

/// How long commands may be executed before the editor gets to draw a frame.
const FRAME_BUDGET: Duration = Duration::from_millis(8);

/// How many frames of the links are taken in before the next command is executed.
const TAKEN_AT_ONCE: usize = 64;

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
            dispatcher: Dispatcher::new(plugin, links.background(), links.lines()),
            links: RefCell::new(links),
            queue: RefCell::default(),
            waiting: RefCell::default(),
            asides: RefCell::default(),
            was_answered: Cell::default(),
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
        self.use_frame(until);
        // Much of the time between two frames was spent here.
        self.dispatcher.context.game.look();
    }

    fn use_frame(&self, until: Instant) {
        let start = Instant::now();
        // Further changes of scenes would be dropped by the engine in this same frame.
        if refresh::catch_up(&self.dispatcher.context.tabs) {
            return;
        }
        self.dispatcher.context.histories.look();
        self.dispatcher.context.tabs.look();
        // Also while a command takes its time: it can be asked whether we are alive, and others can
        // be withdrawn.
        self.take_in();
        // The debugger connection is read once a frame, so an answer comes the sooner the more frames
        // there are.
        let until = if self.poll_asides() { until } else { start };
        if !self.poll_waiting() || self.dispatcher.context.is_alone.get() > 0 {
            return;
        }
        while let Some(job) = self.next(until) {
            self.execute(job);
            if !self.poll_asides() {
                return;
            }
            // The next scene change would be dropped by the engine in this same frame.
            let budget = FRAME_BUDGET.max(until.saturating_duration_since(start));
            if self.waiting.borrow().is_some() || start.elapsed() > budget {
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
        Some((scene.path(), self.dispatcher.context.tabs.is_dirty(&scene).unwrap_or_default()))
    }

    /// Ends the links and gives back what was taken from the editor.
    pub(crate) fn stop(&self) {
        self.links.borrow_mut().stop();
        self.dispatcher.stop();
        self.waiting.take();
        self.asides.take();
        self.queue.take();
    }

    /// Asks for the answers of the game. Tells whether none is waited for that needs frames.
    fn poll_asides(&self) -> bool {
        let mut is_urgent = false;
        self.was_answered.set(false);
        self.dispatcher.context.is_busy.set(self.waiting.borrow().is_some());
        for mut aside in self.asides.take() {
            match self.poll(&mut aside) {
                Some(outcome) => {
                    self.activity.record(&aside.note, outcome.as_ref().err().map(|it| it.code));
                    self.answer(aside.id, aside.operation, &aside.reply, aside.note.tool, outcome);
                }
                None => {
                    is_urgent |= !self.dispatcher.context.is_patient.get();
                    self.asides.borrow_mut().push(aside);
                }
            }
        }
        !is_urgent
    }

    /// Asks the command that takes some frames. Tells whether others may be executed.
    fn poll_waiting(&self) -> bool {
        let Some(mut waiting) = self.waiting.take() else { return true };
        match self.poll(&mut waiting) {
            Some(outcome) => {
                self.activity.record(&waiting.note, outcome.as_ref().err().map(|it| it.code));
                let Waiting { id, operation, reply, note, .. } = waiting;
                self.answer(id, operation, &reply, note.tool, outcome);
            }
            None => {
                self.waiting.replace(Some(waiting));
                return false;
            }
        }
        // Only in the next frame, when the engine has settled.
        false
    }

    /// Asks a command for its answer. Without one, tells how far it is.
    fn poll(&self, waiting: &mut Waiting) -> Option<Result<Box<RawValue>, Fault>> {
        let context = &self.dispatcher.context;
        context.is_unwanted.set(waiting.is_unwanted);
        context.is_patient.set(false);
        let asked = caught(|| (waiting.poll)(&self.dispatcher).transpose());
        let outcome = asked.transpose();
        let told = self.dispatcher.context.told.take();
        if outcome.is_none() {
            waiting.tell(told);
        }
        outcome
    }

    /// The next command to execute, waiting for one until `until`.
    fn next(&self, until: Instant) -> Option<Job> {
        self.take_in();
        loop {
            if self.was_answered.get() {
                self.poll_asides();
            }
            if let Some(job) = self.queue.borrow_mut().pop_front() {
                return Some(job);
            }
            let left = until.saturating_duration_since(Instant::now());
            let incoming = self.links.borrow().next_within(left)?;
            self.sort_in(incoming);
            // Questions about this thread are no commands, and may come without end.
            if left.is_zero() {
                return self.queue.borrow_mut().pop_front();
            }
        }
    }

    /// Takes in what is there, without waiting. Not all of it where it comes faster than it can be
    /// taken: the rest has its turn in a later frame.
    fn take_in(&self) {
        for _ in 0..TAKEN_AT_ONCE {
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
            Incoming::Answered(answered) => {
                self.dispatcher.context.game.answered(answered);
                self.was_answered.set(true);
            }
            Incoming::Cancel { link, id } => {
                self.withdraw(|of, request| (of, request) == (link, id))
            }
            Incoming::Gone { link } => {
                self.dispatcher.context.game.forget_client(link);
                self.withdraw(|of, _| of == link);
            }
        }
    }

    /// Drops the commands that nobody wants any more, by their link and their id. Those that were
    /// started hear of it when they are polled.
    fn withdraw(&self, is_unwanted: impl Fn(u64, u64) -> bool) {
        let (mut asides, mut waiting) = (self.asides.borrow_mut(), self.waiting.borrow_mut());
        for started in asides.iter_mut().chain(waiting.iter_mut()) {
            started.is_unwanted |= is_unwanted(started.reply.link, started.id);
        }
        self.queue.borrow_mut().retain(|job| {
            let is_unwanted = is_unwanted(job.reply.link, job.request.id);
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
            return self.answer(request.id, request.operation_id, &reply, None, outcome);
        }
        let mut note = Note::new(received);
        let begun = caught(|| self.start(&request, &mut note));
        let progress = self.dispatcher.context.told.take();
        match begun {
            Ok(Answer::Done(result)) => {
                self.activity.record(&note, None);
                self.answer(request.id, request.operation_id, &reply, note.tool, Ok(result));
            }
            Err(fault) => {
                self.activity.record(&note, Some(fault.code));
                self.answer(request.id, request.operation_id, &reply, note.tool, Err(fault));
            }
            Ok(Answer::Waiting(poll)) => {
                let waiting = Waiting::new(request, reply, note, poll, progress);
                self.waiting.replace(Some(waiting));
            }
            Ok(Answer::Aside(poll)) => {
                let waiting = Waiting::new(request, reply, note, poll, progress);
                self.asides.borrow_mut().push(waiting);
            }
        }
    }

    fn answer(
        &self,
        id: u64,
        operation: Option<String>,
        reply: &Reply,
        tool: Option<Tool>,
        outcome: Result<Box<RawValue>, Fault>,
    ) {
        let outcome = match tool {
            Some(tool) if tool.is_about_the_game() => {
                self.dispatcher.context.game.with_news(reply.link, outcome)
            }
            _ => outcome,
        };
        // What the human held up may be let through when it is tried again.
        let is_held_up = matches!(&outcome, Err(fault) if activity::is_pause(fault));
        if let Some(operation) = operation {
            self.operations.end(operation, Some(&outcome).filter(|_| !is_held_up));
        }
        reply.send(&Response { id, outcome });
    }

    fn start(&self, request: &Request, note: &mut Note) -> Result<Answer, Fault> {
        let call = Call::of(request)?;
        note.tool = Some(call.tool);
        note.preview = call.is_preview();
        self.activity.let_through(call.tool, note.preview)?;
        self.dispatcher.run(&call)
    }
}
