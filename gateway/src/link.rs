//! The editors that are connected, and the way to them.
//!
//! Each editor finds this gateway in the rendezvous directory and dials it. A call goes to one
//! editor, and never to one that was merely the last to be active: see [`selection`].

pub mod editor;
mod outcome;
pub mod selection;
mod succession;
mod wire;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use link::{
    Connection, Directory, HandshakeError, Identity, Listener, Remote, Role, Secret, handshake,
};
use protocol::{Fault, envelope::Client};
use serde_json::value::RawValue;
use tokio::sync::watch;

pub use self::editor::Editor;
use self::{
    editor::Call,
    selection::{Choice, Wanted, canonical},
    succession::Succession,
    wire::Attached,
};
use crate::{caller::Caller, lock, safety::Permit};

/// How long a call waits for an editor that is alive but not connected yet.
const GRACE: Duration = Duration::from_secs(1);

/// How long the calls to an editor that lost its connection wait for it to come back.
const RETURN: Duration = Duration::from_secs(1);

/// How long after the end of a connection the process at its other end has ended too, if it has.
const LAST_BREATH: Duration = Duration::from_millis(100);

/// How long to wait after a failed `accept`, so that a lasting failure does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Every editor that is connected.
pub struct Editors {
    wanted: Wanted,
    deadline: Duration,
    started: Instant,
    directory: Result<Directory, String>,
    me: Result<Identity, String>,
    state: Mutex<State>,
    changes: watch::Sender<u64>,
    operations: AtomicU64,
}

#[derive(Default)]
struct State {
    address: String,
    remote_address: Option<String>,
    bind_error: Option<String>,
    refused: Option<String>,
    connected: Vec<Arc<Editor>>,
    /// Editors that lost their connection in the middle of a call, and may come back.
    lost: Vec<Arc<Editor>>,
    succession: Succession,
    /// Whom this gateway serves, once that is known.
    client: Option<Client>,
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
            me: Identity::of_this_process(None).map_err(|error| error.to_string()),
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
            operations: AtomicU64::new(1),
        })
    }

    /// Makes this gateway known, and welcomes editors in the background until it is dropped.
    ///
    /// What goes wrong is no reason to end: it is said in `godot_health_check`, which an agent can
    /// read, unlike a log.
    pub fn open(self: &Arc<Editors>) {
        let Ok(directory) = &self.directory else { return };
        match announce(directory) {
            Ok((listener, secret)) => {
                lock(&self.state).address = listener.endpoint().to_string();
                tokio::spawn(welcome(self.clone(), listener, secret));
            }
            Err(error) => self.unreachable(&error.to_string()),
        }
    }

    /// Welcomes editors over TCP as well.
    pub fn open_remote(self: &Arc<Editors>, remote: Remote) {
        let editors = self.clone();
        tokio::spawn(async move {
            match remote.listen().await {
                Ok(listener) => {
                    let address = listener.endpoint().to_string();
                    lock(&editors.state).remote_address = Some(address);
                    editors.tell();
                    welcome(editors, listener, remote.secret().clone()).await;
                }
                Err(error) => editors.unreachable(&format!("{}: {error}", remote.endpoint())),
            }
        });
    }

    fn unreachable(&self, error: &str) {
        tracing::error!(%error, "editors cannot reach this gateway");
        lock(&self.state).bind_error = Some(error.to_owned());
        self.tell();
    }

    /// Wakes everybody who watches.
    fn tell(&self) {
        self.changes.send_modify(|count| *count += 1);
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
    pub async fn send(&self, permit: Permit, caller: &Caller) -> Result<Box<RawValue>, Fault> {
        let editor = permit.editor();
        if editor.is_first_call() {
            lock(&self.state).succession.served(editor.project_dir(), editor.identity());
        }
        let operation = permit.changes().then(|| self.next_operation());
        let call = Call { permit: &permit, operation, deadline: self.deadline + permit.patience() };
        editor.call(&call, caller).await
    }

    /// Refuses the first change after another editor process took over the project: what the agent
    /// knows is the state of the one before.
    ///
    /// # Errors
    /// `PEER_REPLACED`, once.
    pub fn require_known(&self, editor: &Editor) -> Result<(), Fault> {
        lock(&self.state).succession.tell(editor.project_dir()).map_or(Ok(()), Err)
    }

    /// What the next change will be refused for.
    pub fn succession_notice(&self, editor: &Editor) -> Option<String> {
        lock(&self.state).succession.news(editor.project_dir()).map(|fault| fault.hint)
    }

    /// Tells every editor, now and later, whom this gateway serves.
    pub fn serve_client(&self, client: Client) {
        let mut state = lock(&self.state);
        if state.client.as_ref() != Some(&client) {
            state.connected.iter().for_each(|editor| editor.introduce(&client));
            state.client = Some(client);
        }
    }

    /// Names an operation among those of all gateways.
    fn next_operation(&self) -> String {
        let me = self.me.as_ref().map(|me| me.instance.as_str()).unwrap_or_default();
        format!("{me}-{}", self.operations.fetch_add(1, Ordering::Relaxed))
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

    /// Where editors find this gateway over TCP, if they can.
    pub fn remote_address(&self) -> Option<String> {
        lock(&self.state).remote_address.clone()
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

    /// Takes in an editor. Of several with the same project, the youngest process is the one that
    /// calls go to: it is given back where it is not the one that dialed.
    fn add(
        &self,
        identity: Identity,
        is_remote: bool,
    ) -> Result<(Arc<Editor>, Attached), Box<Identity>> {
        let mut state = lock(&self.state);
        let same = |editor: &Arc<Editor>| editor.identity().instance == identity.instance;
        if let Some(known) = state.connected.iter().find(|editor| same(editor)).cloned() {
            // A process that dials again has lost its connection; one that has found a second way
            // to us keeps to the first.
            if known.is_up_otherwise(is_remote) {
                return Err(Box::new(identity));
            }
            let attached = known.attach(is_remote);
            state.client.iter().for_each(|client| known.introduce(client));
            return Ok((known, attached));
        }
        let project = identity.project.as_ref().map(|project| project.path.as_str());
        let project = canonical(std::path::Path::new(project.unwrap_or_default()));
        let rivals = state.connected.iter().filter(|editor| editor.project_dir() == project);
        if let Some(younger) = rivals.clone().find(|it| it.identity().is_younger_than(&identity)) {
            return Err(Box::new(younger.identity().clone()));
        }
        let mut replaced = Vec::new();
        for older in rivals {
            older.replaced_by(&identity);
            replaced.push(older.identity().instance.clone());
        }
        state.succession.arrived(&project, &identity, |instance, pid| {
            let alive = || self.directory.as_ref().ok()?.live_editors().ok();
            replaced.iter().any(|other| other == instance)
                || pid != identity.pid
                    && alive().is_some_and(|it| it.iter().any(|it| it.pid == pid))
        });
        state.connected.retain(|editor| editor.project_dir() != project);
        let lost = state.lost.iter().position(same).map(|index| state.lost.remove(index));
        let editor = lost.unwrap_or_else(|| {
            state.serial += 1;
            Arc::new(Editor::new(state.serial, identity))
        });
        let attached = editor.attach(is_remote);
        state.client.iter().for_each(|client| editor.introduce(client));
        state.connected.push(editor.clone());
        state.refused = None;
        drop(state);
        self.tell();
        Ok((editor, attached))
    }

    /// An editor is without a connection. Where calls were under way it may come back for them.
    async fn mourn(&self, editor: &Arc<Editor>) {
        let mut changes = self.changes.subscribe();
        let is_awaited = editor.is_awaited() && self.is_alive(editor);
        {
            let mut state = lock(&self.state);
            // It may have come back before this end of its old connection was seen.
            if editor.is_up() {
                return;
            }
            state.connected.retain(|other| other.serial() != editor.serial());
            if is_awaited {
                state.lost.push(editor.clone());
            }
        }
        self.tell();
        let give_up = tokio::time::Instant::now() + RETURN;
        let mut may_return = is_awaited;
        while may_return {
            let back = async { while !editor.is_up() && changes.changed().await.is_ok() {} };
            let is_back = tokio::time::timeout(LAST_BREATH, back).await.is_ok();
            // Its sockets may have been closed before its sign of life went.
            may_return = !is_back && tokio::time::Instant::now() < give_up && self.is_alive(editor);
        }
        let mut state = lock(&self.state);
        state.lost.retain(|other| other.serial() != editor.serial());
        if !editor.is_up() {
            editor.give_up();
        }
    }

    /// Whether the editor's process is there, as far as this machine can tell.
    fn is_alive(&self, editor: &Editor) -> bool {
        let Ok(directory) = &self.directory else { return true };
        let path = editor.project_path();
        editor.is_remote()
            || directory.live_editors().is_ok_and(|alive| alive.iter().any(|it| it.project == path))
    }

    fn turn_away(&self, error: &HandshakeError) {
        tracing::warn!(%error, "an editor was turned away");
        lock(&self.state).refused = Some(error.to_string());
    }
}

fn announce(directory: &Directory) -> std::io::Result<(Listener, Secret)> {
    let secret = directory.secret()?;
    Ok((directory.announce_gateway()?, secret))
}

async fn welcome(editors: Arc<Editors>, listener: Listener, secret: Secret) {
    loop {
        match listener.accept().await {
            Ok(connection) => {
                tokio::spawn(serve(editors.clone(), connection, secret.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// One connection, from its handshake to its end.
async fn serve(editors: Arc<Editors>, mut connection: Connection, secret: Secret) {
    let me = match &editors.me {
        Ok(me) => me,
        Err(error) => return editors.turn_away(&HandshakeError::Malformed(error.clone())),
    };
    let identity = match handshake(&mut connection, &secret, Role::Gateway, me).await {
        Ok(identity) => identity,
        Err(error) => return editors.turn_away(&error),
    };
    if identity.project.is_none() {
        let error = HandshakeError::Malformed("an editor without a project".to_owned());
        return editors.turn_away(&error);
    }
    let (editor, attached) = match editors.add(identity, connection.is_remote()) {
        Ok(added) => added,
        Err(younger) => {
            if let Ok(notice) = editor::replaced(&younger) {
                // It may be gone already, which is all the same.
                let _ = connection.send(notice).await;
            }
            return;
        }
    };
    tracing::info!(editor = editor.serial(), project = editor.project_path(), "editor connected");
    if editor.run(connection, attached).await {
        tracing::info!(editor = editor.serial(), "editor gone");
        editors.mourn(&editor).await;
        // Others who wait for the end of this process hear of it by the removal of its traces.
        tokio::time::sleep(LAST_BREATH).await;
        if let Ok(directory) = &editors.directory {
            let _ = directory.live_editors();
        }
    }
}
