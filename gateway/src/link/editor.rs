//! One editor process: calls go out with an id, answers come back by it.
//!
//! Its connection may break and come back. What was under way then is sent once more, in the same
//! order and under the same operation ids, so that the editor repeats an answer that it has given
//! already instead of doing the work twice. See [`wire`](super::wire).

use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use link::{Connection, Identity, Reader, Writer};
use protocol::{
    ErrorCode, Fault,
    envelope::{
        AskOutcome, CANCEL, CLIENT, Cancel, Client, KnownOutcome, OUTCOME, OperationState,
        PEER_REPLACED, PING, PLAN, PeerReplaced, Plan, Request, Response, Told,
    },
};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::{
    sync::oneshot,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    outcome::{gone, told},
    selection::canonical,
    wire::{Attached, Outbox, Outcome, Waiting, Wire},
};
use crate::{caller::Caller, lock, registry::to_raw, safety::Permit};

/// How long an editor may be silent before it is asked whether it is there.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// How long an editor has to say what became of an edit that it did not answer.
const LAST_QUESTION: Duration = Duration::from_millis(300);

/// How long a connection that is to end may take to carry what it still has.
const FAREWELL: Duration = Duration::from_millis(50);

/// One editor process that is connected, or was a moment ago.
#[derive(Debug)]
pub struct Editor {
    serial: u64,
    identity: Identity,
    project_dir: PathBuf,
    knows_outcomes: bool,
    knows_clients: bool,
    /// Whether a call of this client has gone to it.
    served: AtomicBool,
    next_id: AtomicU64,
    wire: Mutex<Wire>,
    /// When its main thread was last heard.
    heard: Mutex<Instant>,
}

/// A call as the link carries it.
pub(super) struct Call<'a> {
    pub(super) permit: &'a Permit,
    /// Names it across repetitions; for calls that change something.
    pub(super) operation: Option<String>,
    pub(super) deadline: Duration,
}

impl Editor {
    pub(super) fn new(serial: u64, identity: Identity) -> Editor {
        let project = identity.project.as_ref();
        let path = project.map(|project| project.path.as_str()).unwrap_or_default();
        let knows = |command: &str| {
            project.is_some_and(|project| project.commands.iter().any(|it| it == command))
        };
        Editor {
            serial,
            project_dir: canonical(Path::new(path)),
            knows_outcomes: knows(OUTCOME),
            knows_clients: knows(CLIENT),
            identity,
            served: AtomicBool::new(false),
            next_id: AtomicU64::new(1),
            wire: Mutex::default(),
            heard: Mutex::new(Instant::now()),
        }
    }

    /// Tells editors apart; never used twice.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// What the editor said of itself.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The folder of its project, links resolved.
    pub fn project_dir(&self) -> &Path {
        &self.project_dir
    }

    /// The folder of its project, as it was told.
    pub fn project_path(&self) -> &str {
        self.identity.project.as_ref().map(|project| project.path.as_str()).unwrap_or_default()
    }

    /// The name of its project.
    pub fn project_name(&self) -> &str {
        self.identity.project.as_ref().map(|project| project.name.as_str()).unwrap_or_default()
    }

    /// Its version of Godot.
    pub fn godot_version(&self) -> &str {
        let project = self.identity.project.as_ref();
        project.map(|project| project.godot_version.as_str()).unwrap_or_default()
    }

    /// Makes one call and waits for its answer.
    pub(super) async fn call(&self, call: &Call<'_>, caller: &Caller) -> Outcome {
        let Call { permit, deadline, .. } = *call;
        let id = self.next_id();
        let request = request(id, call, !lock(&self.wire).is_remote())?;
        let listener = caller.listener().cloned();
        let frame = frame(&Request { tells_progress: listener.is_some(), ..request })?;
        let (sender, mut answer) = oneshot::channel();
        if !lock(&self.wire).put(id, Waiting::new(sender, frame).telling(listener)) {
            return Err(gone(false));
        }
        let mut pending = Pending { editor: self, id, withdrawn: false };
        tokio::select! {
            biased;
            answer = &mut answer => answer.unwrap_or_else(|_| Err(gone(permit.changes()))),
            () = caller.cancelled() => {
                let outcome = if permit.changes() { None } else { Some(OperationState::NotApplied) };
                Err(overdue("The call was cancelled", outcome))
            }
            () = sleep(deadline) => {
                let why = format!("The editor did not answer within {} s", deadline.as_secs_f64());
                if !permit.changes() {
                    return Err(overdue(&why, Some(OperationState::NotApplied)));
                }
                pending.withdraw();
                tokio::select! {
                    biased;
                    // It came after all, and says more than any other answer could.
                    Ok(answer) = &mut answer => answer,
                    state = self.what_became_of(call) => Err(overdue(&why, state)),
                }
            }
        }
    }

    /// What the editor says of an edit that it did not answer; `None` if it says nothing.
    async fn what_became_of(&self, call: &Call<'_>) -> Option<OperationState> {
        let operation_id = call.operation.clone().filter(|_| self.knows_outcomes)?;
        let params = to_raw(&AskOutcome { operation_id }).ok()?;
        let answer = self.ask(OUTCOME, params, true)?;
        let answer = timeout(LAST_QUESTION, answer).await.ok()?.ok()?.ok()?;
        Some(serde_json::from_str::<KnownOutcome>(answer.get()).ok()?.outcome)
    }

    /// Asks the main thread for a sign of life.
    pub(crate) fn ping(&self) -> Option<oneshot::Receiver<Outcome>> {
        self.ask(PING, RawValue::NULL.to_owned(), false)
    }

    /// How long its main thread has not been heard.
    pub(crate) fn silence(&self) -> Duration {
        lock(&self.heard).elapsed()
    }

    fn ask(
        &self,
        command: &str,
        params: Box<RawValue>,
        aside: bool,
    ) -> Option<oneshot::Receiver<Outcome>> {
        let id = self.next_id();
        let frame = frame(&Request::new(id, command, params)).ok()?;
        let (sender, answer) = oneshot::channel();
        let question = Waiting::new(sender, frame);
        let question = if aside { question.aside() } else { question };
        lock(&self.wire).put(id, question).then_some(answer)
    }

    /// Takes a connection for this editor; an older one ends. What is under way is sent again.
    pub(super) fn attach(&self, is_remote: bool) -> Attached {
        *lock(&self.heard) = Instant::now();
        lock(&self.wire).attach(is_remote)
    }

    /// Carries frames until either side ends. Tells whether the editor is without a connection now.
    pub(super) async fn run(&self, connection: Connection, attached: Attached) -> bool {
        let (reader, writer) = connection.split();
        let Attached { number, outbox, leaving } = attached;
        tokio::select! {
            () = self.receive(reader) => {}
            () = send(writer, outbox) => {}
            () = left(leaving) => {}
            () = self.heartbeat() => {}
        }
        lock(&self.wire).detach(number)
    }

    /// Notes that a call goes to it. Tells whether it is the first.
    pub(super) fn is_first_call(&self) -> bool {
        !self.served.swap(true, Ordering::Relaxed)
    }

    /// Whether it is connected.
    pub(super) fn is_up(&self) -> bool {
        lock(&self.wire).is_up()
    }

    /// Whether it may be on another machine.
    pub(super) fn is_remote(&self) -> bool {
        lock(&self.wire).is_remote()
    }

    /// Whether it is connected in another way than this.
    pub(super) fn is_up_otherwise(&self, is_remote: bool) -> bool {
        let wire = lock(&self.wire);
        wire.is_up() && wire.is_remote() != is_remote
    }

    /// Whether somebody waits for it, so that its return makes a difference.
    pub(super) fn is_awaited(&self) -> bool {
        lock(&self.wire).is_awaited()
    }

    /// Tells everybody who waits that it will not come back.
    pub(super) fn give_up(&self) {
        lock(&self.wire).give_up();
    }

    /// Tells it whose calls it will get.
    pub(super) fn introduce(&self, client: &Client) {
        let notice = to_raw(client).and_then(|client| frame(&Request::new(0, CLIENT, client)));
        // Without a connection it is told with the next one.
        if self.knows_clients
            && let Ok(notice) = notice
        {
            lock(&self.wire).send(notice);
        }
    }

    /// Ends the connection, as `younger` took over the project.
    pub(super) fn replaced_by(&self, younger: &Identity) {
        let notice = replaced(younger).ok();
        lock(&self.wire).end(notice);
    }

    /// Asks now and then, if there is nothing else to hear from it.
    async fn heartbeat(&self) {
        let mut asked: Option<oneshot::Receiver<Outcome>> = None;
        loop {
            sleep(HEARTBEAT).await;
            if let Some(question) = &mut asked
                && matches!(question.try_recv(), Err(oneshot::error::TryRecvError::Empty))
            {
                continue;
            }
            asked = if self.silence() < HEARTBEAT { None } else { self.ping() };
        }
    }

    async fn receive(&self, mut reader: Reader) {
        loop {
            match reader.recv().await {
                Ok(Some(frame)) => self.deliver(&frame),
                Ok(None) => return,
                Err(error) => return tracing::warn!(editor = self.serial, %error, "link"),
            }
        }
    }

    fn deliver(&self, frame: &[u8]) {
        match Told::from_json(frame) {
            Ok(Told::Progress { id, progress }) => {
                *lock(&self.heard) = Instant::now();
                lock(&self.wire).tell(id, progress);
            }
            Ok(Told::Response(Response { id: 0, outcome })) => {
                tracing::info!(editor = self.serial, notice = ?outcome.err(), "notice");
            }
            Ok(Told::Response(Response { id, outcome })) => {
                let waiting = lock(&self.wire).take(id);
                if waiting.as_ref().is_none_or(|waiting| !waiting.aside) {
                    *lock(&self.heard) = Instant::now();
                }
                // An answer that nobody waits for any more is late, and dropped.
                if let Some(waiting) = waiting {
                    let _ = waiting.answer.send(outcome);
                }
            }
            Err(error) => {
                tracing::warn!(editor = self.serial, %error, "a frame cannot be read");
            }
        }
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

/// The notice that `younger` took over.
pub(super) fn replaced(younger: &Identity) -> Result<Bytes, Fault> {
    let by = PeerReplaced { pid: younger.pid, instance: younger.instance.clone() };
    frame(&Request::new(0, PEER_REPLACED, to_raw(&by)?))
}

async fn send(mut writer: Writer, mut outbox: Outbox) {
    while let Some(frame) = outbox.recv().await {
        if let Err(error) = writer.send(frame).await {
            return tracing::warn!(%error, "link");
        }
    }
}

/// Returns a moment after the connection was told to end, so that a last notice gets out.
async fn left(leaving: CancellationToken) {
    leaving.cancelled().await;
    sleep(FAREWELL).await;
}

/// A call that is under way. Whoever stops waiting stops it, where it has not started yet.
struct Pending<'a> {
    editor: &'a Editor,
    id: u64,
    withdrawn: bool,
}

impl Pending<'_> {
    /// Stops it, and goes on waiting for its answer.
    fn withdraw(&mut self) {
        self.withdrawn = true;
        if let Ok(cancel) = cancel(self.id) {
            lock(&self.editor.wire).send(cancel);
        }
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let unanswered = lock(&self.editor.wire).take(self.id).is_some();
        if unanswered && !self.withdrawn {
            self.withdraw();
        }
    }
}

fn request(id: u64, call: &Call<'_>, same_clock: bool) -> Result<Request, Fault> {
    let permit = call.permit;
    let command = permit.tool().wire();
    let params = permit.params().to_owned();
    let (command, params) = if permit.is_preview() {
        (PLAN, to_raw(&Plan { command: command.to_owned(), params })?)
    } else {
        (command, params)
    };
    Ok(Request {
        confirm: permit.confirmed(),
        scene: permit.scene().map(str::to_owned),
        instance: permit.instance(),
        deadline_ms: u64::try_from(call.deadline.as_millis()).ok(),
        expires_at_ms: same_clock.then(|| expires_at_ms(call.deadline)).flatten(),
        operation_id: call.operation.clone(),
        ..Request::new(id, command, params)
    })
}

fn expires_at_ms(deadline: Duration) -> Option<u64> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from((now + deadline).as_millis()).ok()
}

/// A cancellation has no answer, and so needs no id of its own.
fn cancel(id: u64) -> Result<Bytes, Fault> {
    frame(&Request::new(0, CANCEL, to_raw(&Cancel { id })?))
}

fn frame(message: &impl Serialize) -> Result<Bytes, Fault> {
    let frame = serde_json::to_vec(message).map_err(|error| Fault::internal(error.to_string()))?;
    Ok(Bytes::from(frame))
}

/// No answer in time; `state` is what is known of the call all the same.
fn overdue(why: &str, state: Option<OperationState>) -> Fault {
    let advice = match state {
        Some(OperationState::Applied) => "It was applied all the same; do not repeat it.",
        Some(OperationState::NotApplied) => "Nothing was changed; try again.",
        Some(OperationState::Running) => {
            "The editor is still at it and may yet apply it: read the state before you repeat it."
        }
        Some(OperationState::Unknown) | None => {
            "It may have been applied all the same: read the state before you repeat it."
        }
    };
    told(Fault::new(ErrorCode::Timeout, format!("{why}. {advice}")), state)
}
