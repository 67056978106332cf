//! Finds gateways and carries frames between them and the main thread.
//!
//! One thread with a small runtime dials every live gateway of the rendezvous directory, and again
//! when a new one shows up. It never touches the engine: requests go to the main thread through a
//! channel, answers come back through another.

use std::{
    collections::HashMap,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use link::{Connection, Directory, Endpoint, Identity, Role, Secret, Watch};
use protocol::{
    Fault,
    envelope::{self, Request, Response},
};
use tokio::{
    sync::{mpsc as tokio_mpsc, watch},
    task::JoinSet,
};

use crate::status::Board;

/// What the main thread hears.
pub(crate) enum Incoming {
    /// A command to execute, and where its answer goes.
    Request {
        /// When the frame arrived; deadlines count from here.
        received: Instant,
        /// The command.
        request: Request,
        /// Where the answer goes.
        reply: Reply,
    },
    /// A command which need not be executed any more, if it has not been yet.
    Cancel {
        /// The link that asked for it.
        link: u64,
        /// The request.
        id: u64,
    },
    /// A gateway is gone: its waiting commands have nobody left to hear of them.
    Gone {
        /// The link that ended.
        link: u64,
    },
}

/// Where the answers for one gateway go.
#[derive(Clone)]
pub(crate) struct Reply {
    /// Names the link among those of this process.
    pub(crate) link: u64,
    frames: tokio_mpsc::UnboundedSender<Vec<u8>>,
}

impl Reply {
    /// Sends an answer. A gateway that is gone does not hear it, and that is fine.
    pub(crate) fn send(&self, response: &Response) {
        let _ = self.frames.send(response.to_json());
    }
}

/// The thread, while it runs.
pub(crate) struct Links {
    incoming: mpsc::Receiver<Incoming>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Links {
    /// Starts to find gateways for an editor that says `me` of itself. How that goes is on the
    /// `board`.
    ///
    /// # Errors
    /// If the rendezvous directory is not usable, or the system has no thread to give.
    pub(crate) fn start(me: Identity, board: Board) -> std::io::Result<Links> {
        let directory = Directory::open()?;
        let secret = directory.secret()?;
        let (send, incoming) = mpsc::channel();
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let seeker = Seeker { directory, secret, me, incoming: send, stopped, board };
        let thread = thread::Builder::new()
            .name("godot-mcp-link".to_owned())
            .spawn(move || runtime.block_on(seeker.run()))?;
        Ok(Links { incoming, stop, thread: Some(thread) })
    }

    /// What has come in, without waiting.
    pub(crate) fn try_next(&self) -> Option<Incoming> {
        self.incoming.try_recv().ok()
    }

    /// What comes in within `limit`.
    pub(crate) fn next_within(&self, limit: Duration) -> Option<Incoming> {
        self.incoming.recv_timeout(limit).ok()
    }

    /// Ends the thread and waits for it: a library must not be unloaded under a running thread.
    pub(crate) fn stop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Dials every gateway that is alive.
struct Seeker {
    directory: Directory,
    secret: Secret,
    me: Identity,
    incoming: mpsc::Sender<Incoming>,
    stopped: watch::Receiver<bool>,
    board: Board,
}

/// A gateway that is connected, or waits to be tried again.
#[derive(Default)]
struct Tried {
    failures: u32,
    retry_at: Option<tokio::time::Instant>,
}

impl Seeker {
    async fn run(mut self) {
        let project = self.me.project.as_ref().map(|project| project.path.clone());
        // Held for as long as this thread runs. Without it gateways would only find out later
        // that an editor is on its way, so a failure is no reason to stay away.
        let _presence = self.directory.announce_editor(&project.unwrap_or_default());
        let mut watch = Watch::new(self.directory.path());
        let mut gateways: HashMap<Endpoint, Tried> = HashMap::new();
        let mut links: JoinSet<(Endpoint, bool)> = JoinSet::new();
        let mut last_link = 0;
        loop {
            let live = self.directory.live_gateways().unwrap_or_default();
            gateways.retain(|endpoint, tried| tried.retry_at.is_none() || live.contains(endpoint));
            self.board.keep(|path| gateways.keys().any(|it| it.to_string() == path));
            for endpoint in live {
                let now = tokio::time::Instant::now();
                let tried = gateways.get(&endpoint);
                if tried.is_none_or(|tried| tried.retry_at.is_some_and(|at| at <= now)) {
                    gateways.entry(endpoint.clone()).or_default().retry_at = None;
                    last_link += 1;
                    self.board.dialing(&endpoint);
                    links.spawn(self.link(last_link).run(endpoint));
                }
            }
            let retry_at = gateways.values().filter_map(|tried| tried.retry_at).min();
            tokio::select! {
                () = watch.changed() => {}
                () = until(retry_at) => {}
                Some(Ok((endpoint, was_up))) = links.join_next() => {
                    let tried = gateways.entry(endpoint.clone()).or_default();
                    tried.failures = if was_up { 0 } else { tried.failures + 1 };
                    let wait = FIRST_RETRY.saturating_mul(1 << tried.failures.min(10));
                    let retry_at = tokio::time::Instant::now() + wait.min(LAST_RETRY);
                    tried.retry_at = Some(retry_at);
                    self.board.ended(&endpoint, retry_at.into_std());
                }
                _ = self.stopped.changed() => return,
            }
        }
    }

    fn link(&self, number: u64) -> Link {
        Link {
            number,
            secret: self.secret.clone(),
            me: self.me.clone(),
            incoming: self.incoming.clone(),
            board: self.board.clone(),
        }
    }
}

/// The notice of a gateway that it serves another editor of this project from now on.
const PEER_REPLACED: &str = "cmd_peer_replaced";

/// How long to wait before a gateway is tried again; doubled after each failure.
const FIRST_RETRY: Duration = Duration::from_millis(20);

/// The longest wait before a gateway is tried again.
const LAST_RETRY: Duration = Duration::from_secs(5);

/// Returns at `when`, or never.
async fn until(when: Option<tokio::time::Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}

/// One connection to one gateway.
struct Link {
    number: u64,
    secret: Secret,
    me: Identity,
    incoming: mpsc::Sender<Incoming>,
    board: Board,
}

impl Link {
    /// Serves the gateway until it goes away. Tells whether the connection came up at all.
    async fn run(self, endpoint: Endpoint) -> (Endpoint, bool) {
        let up = match link::dial(&endpoint).await {
            Ok(connection) => self.serve(connection, &endpoint).await,
            Err(error) => {
                self.board.failed(&endpoint, &error);
                false
            }
        };
        (endpoint, up)
    }

    async fn serve(&self, mut connection: Connection, endpoint: &Endpoint) -> bool {
        match link::handshake(&mut connection, &self.secret, Role::Editor, &self.me).await {
            Ok(peer) => self.board.connected(endpoint, &peer),
            Err(error) => {
                self.board.failed(endpoint, &error);
                return false;
            }
        }
        let (mut reader, mut writer) = connection.split();
        let (frames, mut outgoing) = tokio_mpsc::unbounded_channel::<Vec<u8>>();
        let reply = Reply { link: self.number, frames };
        // Side by side, so that a gateway that is slow to read does not keep us from hearing it.
        let write = async {
            while let Some(frame) = outgoing.recv().await {
                if writer.send(frame.into()).await.is_err() {
                    return;
                }
            }
        };
        let read = async {
            while let Ok(Some(frame)) = reader.recv().await {
                if self.take(&frame, &reply, endpoint).is_none() {
                    return;
                }
            }
        };
        tokio::select! {
            () = write => {}
            () = read => {}
        }
        let _ = self.incoming.send(Incoming::Gone { link: self.number });
        true
    }

    /// Hands one frame to the main thread; `None` once that is gone.
    fn take(&self, frame: &[u8], reply: &Reply, endpoint: &Endpoint) -> Option<()> {
        let received = Instant::now();
        let incoming = match serde_json::from_slice::<Request>(frame) {
            Ok(request) if request.command == envelope::CANCEL => {
                let cancel: envelope::Cancel = serde_json::from_str(request.params.get()).ok()?;
                Incoming::Cancel { link: self.number, id: cancel.id }
            }
            Ok(request) if request.command == PEER_REPLACED => {
                self.board.replaced(endpoint);
                return Some(());
            }
            Ok(request) => Incoming::Request { received, request, reply: reply.clone() },
            Err(error) => {
                // Without its number nobody waits for the answer, but the gateway can log it.
                let fault = Fault::invalid(format!("The frame is no request: {error}."));
                reply.send(&Response { id: 0, outcome: Err(fault) });
                return Some(());
            }
        };
        self.incoming.send(incoming).ok()
    }
}
