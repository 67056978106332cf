//! One connected editor: calls go out with an id, answers come back by it.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use link::{Connection, Identity, Reader, Writer};
use protocol::{
    ErrorCode, Fault, Required,
    envelope::{CANCEL, Cancel, PLAN, Plan, Request, Response},
};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::selection::canonical;
use crate::{lock, registry::to_raw, safety::Permit};

/// What tells an editor that another one took over its project. It has no answer.
const PEER_REPLACED: &str = "cmd_peer_replaced";

/// The frames that wait to be sent to an editor.
pub type Outbox = mpsc::UnboundedReceiver<Bytes>;

type Outcome = Result<Box<RawValue>, Fault>;

/// One connected editor.
#[derive(Debug)]
pub struct Editor {
    serial: u64,
    identity: Identity,
    project_dir: PathBuf,
    outbox: mpsc::UnboundedSender<Bytes>,
    next_id: AtomicU64,
    /// Who waits for which answer; none once the connection is gone.
    waiting: Mutex<Option<HashMap<u64, oneshot::Sender<Outcome>>>>,
    leaving: CancellationToken,
}

impl Editor {
    pub(super) fn new(serial: u64, identity: Identity) -> (Arc<Editor>, Outbox) {
        let (sender, outbox) = mpsc::unbounded_channel();
        let path = identity.project.as_ref().map(|project| project.path.as_str());
        let editor = Editor {
            serial,
            project_dir: canonical(Path::new(path.unwrap_or_default())),
            identity,
            outbox: sender,
            next_id: AtomicU64::new(1),
            waiting: Mutex::new(Some(HashMap::new())),
            leaving: CancellationToken::new(),
        };
        (Arc::new(editor), outbox)
    }

    /// Tells connections apart; never used twice.
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
    pub(super) async fn call(
        &self,
        permit: &Permit,
        deadline: Duration,
        cancel: &CancellationToken,
    ) -> Outcome {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = frame(&request(id, permit, deadline)?)?;
        let (sender, answer) = oneshot::channel();
        match lock(&self.waiting).as_mut() {
            Some(waiting) => waiting.insert(id, sender),
            None => return Err(gone(false)),
        };
        let call = Pending { editor: self, id };
        if self.outbox.send(frame).is_err() {
            return Err(gone(false));
        }
        tokio::select! {
            biased;
            answer = answer => answer.unwrap_or_else(|_| Err(gone(permit.changes()))),
            () = cancel.cancelled() => Err(call.withdraw(permit, "The call was cancelled")),
            () = tokio::time::sleep(deadline) => Err(call.withdraw(
                permit,
                &format!("The editor did not answer within {} s", deadline.as_secs_f64()),
            )),
        }
    }

    /// Carries frames until either side ends.
    pub(super) async fn run(&self, connection: Connection, outbox: Outbox) {
        let (reader, writer) = connection.split();
        tokio::select! {
            () = self.receive(reader) => {}
            () = send(writer, outbox) => {}
            () = self.left() => {}
        }
        // Dropping the senders wakes everyone who waits.
        drop(lock(&self.waiting).take());
    }

    /// Closes the connection. Where another editor took over the project, it is told so first.
    pub(super) fn part(&self, replaced: bool) {
        let notice = Request {
            id: 0,
            command: PEER_REPLACED.to_owned(),
            params: RawValue::NULL.to_owned(),
            confirm: false,
            scene: None,
            deadline_ms: None,
            operation_id: None,
        };
        if replaced && let Ok(notice) = frame(&notice) {
            // It may be gone already, which is all the same.
            let _ = self.outbox.send(notice);
        }
        self.leaving.cancel();
    }

    /// Returns a moment after the editor was told to leave, so that the notice gets out.
    async fn left(&self) {
        self.leaving.cancelled().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
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
        match Response::from_json(frame) {
            Ok(Response { id: 0, outcome }) => {
                tracing::info!(editor = self.serial, notice = ?outcome.err(), "notice");
            }
            Ok(Response { id, outcome }) => {
                let waiting = lock(&self.waiting).as_mut().and_then(|waiting| waiting.remove(&id));
                // An answer that nobody waits for any more is late, and dropped.
                if let Some(waiting) = waiting {
                    let _ = waiting.send(outcome);
                }
            }
            Err(error) => {
                tracing::warn!(editor = self.serial, %error, "a frame cannot be read");
            }
        }
    }
}

async fn send(mut writer: Writer, mut outbox: Outbox) {
    while let Some(frame) = outbox.recv().await {
        if let Err(error) = writer.send(frame).await {
            return tracing::warn!(%error, "link");
        }
    }
}

/// A call that is under way. Whoever stops waiting stops it, where it has not started yet.
struct Pending<'a> {
    editor: &'a Editor,
    id: u64,
}

impl Pending<'_> {
    fn withdraw(self, permit: &Permit, why: &str) -> Fault {
        let fault = Fault::new(
            ErrorCode::Timeout,
            if permit.changes() {
                format!(
                    "{why}. It may have been applied all the same: read the state before you repeat it."
                )
            } else {
                format!("{why}. Nothing was changed; try again.")
            },
        );
        told(fault, permit.changes())
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let unanswered = lock(&self.editor.waiting)
            .as_mut()
            .is_some_and(|waiting| waiting.remove(&self.id).is_some());
        if unanswered && let Ok(cancel) = cancel(self.id) {
            let _ = self.editor.outbox.send(cancel);
        }
    }
}

fn request(id: u64, permit: &Permit, deadline: Duration) -> Result<Request, Fault> {
    let command = permit.tool().wire().to_owned();
    let params = permit.params().to_owned();
    let (command, params) = if permit.is_preview() {
        (PLAN.to_owned(), to_raw(&Plan { command, params })?)
    } else {
        (command, params)
    };
    Ok(Request {
        id,
        command,
        params,
        confirm: permit.confirmed(),
        scene: permit.scene().map(str::to_owned),
        deadline_ms: u64::try_from(deadline.as_millis()).ok(),
        operation_id: None,
    })
}

fn cancel(id: u64) -> Result<Bytes, Fault> {
    frame(&Request {
        // It has no answer, and so needs no id of its own.
        id: 0,
        command: CANCEL.to_owned(),
        params: to_raw(&Cancel { id })?,
        confirm: false,
        scene: None,
        deadline_ms: None,
        operation_id: None,
    })
}

fn frame(message: &impl Serialize) -> Result<Bytes, Fault> {
    let frame = serde_json::to_vec(message).map_err(|error| Fault::internal(error.to_string()))?;
    Ok(Bytes::from(frame))
}

/// The editor went away, before the call was sent or while it ran.
fn gone(may_have_applied: bool) -> Fault {
    let hint = if may_have_applied {
        "The editor went away during the call, which may have been applied: read the state before \
         you repeat it. An editor that restarts connects by itself."
    } else {
        "The editor went away; nothing was changed. An editor that restarts connects by itself: try \
         again."
    };
    let fault = Fault::new(ErrorCode::BridgeDisconnected, hint);
    told(fault.requiring(Required::BRIDGE_CONNECTED), may_have_applied)
}

/// The same failure, saying what became of the call.
fn told(fault: Fault, may_have_applied: bool) -> Fault {
    if may_have_applied {
        fault.with("outcome", "may_have_applied").with("may_have_applied", true)
    } else {
        fault.with("outcome", "not_applied")
    }
}
