//! The editors that are connected, and the way to them.
//!
//! Each editor finds this gateway in the rendezvous directory and dials it. A call goes to one
//! editor, and never to one that was merely the last to be active: see [`selection`].

pub mod editor;
pub mod selection;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use link::{Connection, Directory, HandshakeError, Identity, Listener, Role, Secret, handshake};
use protocol::Fault;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use self::editor::Editor;
use self::selection::{Choice, Wanted};
use crate::{lock, safety::Permit};

/// How long a call waits for an editor that is alive but not connected yet.
const GRACE: Duration = Duration::from_secs(1);

/// How long to wait after a failed `accept`, so that a lasting failure does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Every editor that is connected.
pub struct Editors {
    wanted: Wanted,
    deadline: Duration,
    started: Instant,
    directory: Result<Directory, String>,
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    address: String,
    bind_error: Option<String>,
    refused: Option<String>,
    connected: Vec<Arc<Editor>>,
    serial: u64,
}

impl Editors {
    /// No editors yet. Calls go to the one that is `wanted` and have `deadline` to be answered.
    pub fn new(
        directory: Result<Directory, String>,
        wanted: Wanted,
        deadline: Duration,
    ) -> Arc<Editors> {
        let state = State { bind_error: directory.as_ref().err().cloned(), ..State::default() };
        Arc::new(Editors {
            wanted,
            deadline,
            started: Instant::now(),
            directory,
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
        })
    }

    /// Makes this gateway known, and welcomes editors in the background until it is dropped.
    ///
    /// What goes wrong is no reason to end: it is said in `godot_health_check`, which an agent can
    /// read, unlike a log.
    pub fn open(self: &Arc<Editors>) {
        let Ok(directory) = &self.directory else { return };
        match announce(directory) {
            Ok((listener, secret, me)) => {
                lock(&self.state).address = listener.address().to_owned();
                tokio::spawn(welcome(self.clone(), listener, secret, me));
            }
            Err(error) => {
                tracing::error!(%error, "editors cannot reach this gateway");
                lock(&self.state).bind_error = Some(error.to_string());
            }
        }
    }

    /// The editor that a call goes to.
    ///
    /// # Errors
    /// If there is none, or more than one. An editor that is alive is waited for, briefly.
    pub async fn choose(&self) -> Result<Arc<Editor>, Fault> {
        let mut changes = self.changes.subscribe();
        let give_up = tokio::time::Instant::now() + GRACE;
        loop {
            match self.look() {
                Choice::Editor(editor) => return Ok(editor),
                Choice::Refuse(fault) => return Err(fault),
                Choice::Wait(fallback) => {
                    let heard = tokio::time::timeout_at(give_up, changes.changed()).await;
                    if heard.is_err() {
                        return fallback.map_err(|fault| self.with_refusal(fault));
                    }
                }
            }
        }
    }

    /// The editor that a call would go to now, without waiting for one.
    pub fn chosen(&self) -> Result<Arc<Editor>, Fault> {
        match self.look() {
            Choice::Editor(editor) | Choice::Wait(Ok(editor)) => Ok(editor),
            Choice::Refuse(fault) | Choice::Wait(Err(fault)) => Err(self.with_refusal(fault)),
        }
    }

    /// Sends an admitted call to its editor.
    ///
    /// # Errors
    /// What the editor has against it, or that it did not answer.
    pub async fn send(
        &self,
        permit: Permit,
        cancel: &CancellationToken,
    ) -> Result<Box<RawValue>, Fault> {
        let editor = permit.editor().clone();
        editor.call(&permit, self.deadline, cancel).await
    }

    /// Every editor that is connected, in the order in which they came.
    pub fn connected(&self) -> Vec<Arc<Editor>> {
        lock(&self.state).connected.clone()
    }

    /// Hears of every editor that comes or goes.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Where editors find this gateway: its socket, or the directory while there is none.
    pub fn address(&self) -> String {
        let address = lock(&self.state).address.clone();
        match (&self.directory, address.as_str()) {
            (Ok(directory), "") => directory.path().display().to_string(),
            _ => address,
        }
    }

    /// Why editors cannot reach this gateway, if they cannot.
    pub fn bind_error(&self) -> Option<String> {
        lock(&self.state).bind_error.clone()
    }

    /// Why the last editor that dialed was turned away, until one is welcomed.
    pub fn refusal(&self) -> Option<String> {
        lock(&self.state).refused.clone()
    }

    fn look(&self) -> Choice {
        let connected = self.connected();
        let settling = self.started.elapsed() < GRACE;
        let choice = self.wanted.choose(&connected, settling, || {
            let directory = self.directory.as_ref().ok()?;
            directory.live_editors().inspect_err(|error| tracing::warn!(%error, "editors")).ok()
        });
        match choice {
            Choice::Refuse(fault) => Choice::Refuse(self.with_place(self.with_refusal(fault))),
            Choice::Wait(Err(fault)) => Choice::Wait(Err(self.with_place(fault))),
            choice => choice,
        }
    }

    /// Adds where editors are expected, to a fault that says that there is none.
    fn with_place(&self, mut fault: Fault) -> Fault {
        if fault.code != protocol::ErrorCode::BridgeDisconnected {
            return fault;
        }
        let place = self.address();
        match self.bind_error() {
            None => fault.hint.push_str(&format!(" This gateway listens at {place}.")),
            Some(error) => {
                fault.hint.push_str(&format!(" Editors cannot reach this gateway: {error}."))
            }
        }
        fault.with("looked_in", place)
    }

    fn with_refusal(&self, mut fault: Fault) -> Fault {
        if fault.code == protocol::ErrorCode::BridgeDisconnected
            && let Some(refusal) = self.refusal()
            && !fault.hint.contains(&refusal)
        {
            fault.hint.push_str(&format!(" An editor was turned away: {refusal}."));
        }
        fault
    }

    /// Takes in an editor. One of the same project makes room.
    fn add(&self, identity: Identity) -> (Arc<Editor>, editor::Outbox) {
        let mut state = lock(&self.state);
        state.serial += 1;
        let (editor, outbox) = Editor::new(state.serial, identity);
        let (same, mut others): (Vec<_>, Vec<_>) = state
            .connected
            .drain(..)
            .partition(|other| other.project_dir() == editor.project_dir());
        others.push(editor.clone());
        state.connected = others;
        state.refused = None;
        drop(state);
        for replaced in same {
            // A process that dials again has lost its connection; it was not replaced.
            let is_reconnect = replaced.identity().instance == editor.identity().instance;
            replaced.part(!is_reconnect);
        }
        self.changes.send_modify(|count| *count += 1);
        (editor, outbox)
    }

    fn remove(&self, editor: &Editor) {
        lock(&self.state).connected.retain(|other| other.serial() != editor.serial());
        self.changes.send_modify(|count| *count += 1);
    }

    fn turn_away(&self, error: &HandshakeError) {
        tracing::warn!(%error, "an editor was turned away");
        lock(&self.state).refused = Some(error.to_string());
    }
}

fn announce(directory: &Directory) -> std::io::Result<(Listener, Secret, Identity)> {
    let secret = directory.secret()?;
    let me = Identity::of_this_process(None)?;
    Ok((directory.announce_gateway()?, secret, me))
}

async fn welcome(editors: Arc<Editors>, listener: Listener, secret: Secret, me: Identity) {
    loop {
        match listener.accept().await {
            Ok(connection) => {
                tokio::spawn(serve(editors.clone(), connection, secret.clone(), me.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One editor, from its handshake to its end.
async fn serve(editors: Arc<Editors>, mut connection: Connection, secret: Secret, me: Identity) {
    let identity = match handshake(&mut connection, &secret, Role::Gateway, &me).await {
        Ok(identity) => identity,
        Err(error) => return editors.turn_away(&error),
    };
    if identity.project.is_none() {
        let error = HandshakeError::Malformed("an editor without a project".to_owned());
        return editors.turn_away(&error);
    }
    let (editor, outbox) = editors.add(identity);
    tracing::info!(editor = editor.serial(), project = editor.project_path(), "editor connected");
    editor.run(connection, outbox).await;
    editors.remove(&editor);
    tracing::info!(editor = editor.serial(), "editor gone");
}
