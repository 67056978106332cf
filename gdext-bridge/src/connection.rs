//! Finds gateways and carries frames between them and the main thread.
//!
//! One thread with a small runtime dials every live gateway of the rendezvous directory, and again
//! when a new one shows up; and one over TCP, where that is asked for. It also hears what running games
//! answer over their [`Lines`]. It never touches the engine:
//! requests go to the main thread through a channel, answers come back through another.
//!
//! A gateway that serves another editor of this project is left to it and asked again from time to
//! time, and at once when that editor is gone.

use std::{
    collections::HashMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use link::{
    Connection, Directory, Endpoint, Identity, Presence, Remote, Role, Secret, Watch, remote,
};
use protocol::{
    Fault,
    envelope::{self, Progress, Request, Response},
};
use serde_json::value::to_raw_value;
use tokio::{
    sync::{mpsc as tokio_mpsc, watch},
    task::JoinSet,
};

use crate::{
    background::Background,
    game::line::{Answered, Lines},
    operations::Operations,
    status::Board,
};

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
    /// A running game has answered.
    Answered(Answered),
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

    /// Tells how far the request with this id is.
    pub(crate) fn tell(&self, id: u64, progress: &Progress) {
        let _ = self.frames.send(progress.to_json(id));
    }
}

/// The thread, while it runs.
pub(crate) struct Links {
    incoming: mpsc::Receiver<Incoming>,
    background: Background,
    lines: Lines,
    operations: Operations,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Links {
    /// Starts to find gateways for an editor that says `me` of itself. How that goes is on the
    /// `board`.
    ///
    /// # Errors
    /// If the rendezvous directory is not usable, TCP is asked for in a way that is not safe, or
    /// the system has no thread to give.
    pub(crate) fn start(me: Identity, board: Board) -> std::io::Result<Links> {
        let remote = match Remote::from_environment().map_err(std::io::Error::other)? {
            remote::Asked::Tcp(remote) => Some(remote),
            // The gateway warns of it, where somebody reads warnings.
            remote::Asked::Ignored(_) | remote::Asked::No => None,
        };
        let directory = Directory::open()?;
        let secret = directory.secret()?;
        let (send, incoming) = mpsc::channel();
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let operations = Operations::default();
        let background = Background::on(runtime.handle().clone());
        let lines = Lines::default();
        let seeker = Seeker {
            directory,
            secret,
            remote,
            me,
            incoming: send,
            lines: lines.clone(),
            operations: operations.clone(),
            stopped,
            board,
        };
        let thread = thread::Builder::new()
            .name("godot-mcp-link".to_owned())
            .spawn(move || runtime.block_on(seeker.run()))?;
        Ok(Links { incoming, background, lines, operations, stop, thread: Some(thread) })
    }

    /// What becomes of the operations that come in.
    pub(crate) fn operations(&self) -> Operations {
        self.operations.clone()
    }

    /// Runs work beside the main thread, for as long as the links are there.
    pub(crate) fn background(&self) -> Background {
        self.background.clone()
    }

    /// The games that can be asked directly.
    pub(crate) fn lines(&self) -> Lines {
        self.lines.clone()
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
    remote: Option<Remote>,
    me: Identity,
    incoming: mpsc::Sender<Incoming>,
    lines: Lines,
    operations: Operations,
    stopped: watch::Receiver<bool>,
    board: Board,
}

/// A gateway that is connected, or waits to be tried again.
#[derive(Default)]
struct Tried {
    failures: u32,
    /// How often in a row it said that it serves another editor.
    refusals: u32,
    retry_at: Option<tokio::time::Instant>,
}

/// How a connection ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// It never came up.
    Failed,
    /// It was up, and broke or was closed.
    Closed,
    /// The gateway serves another editor of this project.
    Replaced,
}

impl Tried {
    /// When to try again after a connection that ended.
    fn retry_after(&mut self, end: End) -> Duration {
        self.failures = if end == End::Failed { self.failures + 1 } else { 0 };
        self.refusals = if end == End::Replaced { self.refusals + 1 } else { 0 };
        let (first, last, times) = match end {
            End::Replaced => (FIRST_PROBE, LAST_PROBE, self.refusals - 1),
            End::Failed | End::Closed => (FIRST_RETRY, LAST_RETRY, self.failures),
        };
        first.saturating_mul(1 << times.min(10)).min(last)
    }
}

impl Seeker {
    async fn run(mut self) {
        let project = self.me.project.as_ref().map(|project| project.path.clone());
        let project = project.unwrap_or_default();
        // Held for as long as this thread runs. Without it gateways would only find out later
        // that an editor is on its way, so a failure is no reason to stay away.
        let presence = self.directory.announce_editor(&project);
        let _games = presence.as_ref().ok().and_then(|presence| self.serve_games(presence));
        let project = resolved(&project);
        let mut watch = Watch::new(self.directory.path());
        let mut gateways: HashMap<Endpoint, Tried> = HashMap::new();
        let mut links: JoinSet<(Endpoint, End)> = JoinSet::new();
        let mut last_link = 0;
        let mut had_rival = false;
        loop {
            let mut live = self.directory.live_gateways().unwrap_or_default();
            live.extend(self.remote.iter().map(Remote::endpoint));
            gateways.retain(|endpoint, tried| tried.retry_at.is_none() || live.contains(endpoint));
            self.board.keep(|path| gateways.keys().any(|it| it.to_string() == path));
            let has_rival = self.has_rival(&project, &gateways);
            if had_rival && !has_rival {
                // The other editor is gone: its place is free.
                let now = tokio::time::Instant::now();
                for tried in gateways.values_mut().filter(|tried| tried.refusals > 0) {
                    tried.refusals = 0;
                    tried.retry_at = tried.retry_at.map(|at| at.min(now));
                }
            }
            had_rival = has_rival;
            for endpoint in live {
                let now = tokio::time::Instant::now();
                let tried = gateways.get(&endpoint);
                if tried.is_none_or(|tried| tried.retry_at.is_some_and(|at| at <= now)) {
                    gateways.entry(endpoint.clone()).or_default().retry_at = None;
                    last_link += 1;
                    self.board.dialing(&endpoint);
                    links.spawn(self.link(last_link, &endpoint).run(endpoint));
                }
            }
            let retry_at = gateways.values().filter_map(|tried| tried.retry_at).min();
            tokio::select! {
                () = watch.changed() => {}
                () = until(retry_at) => {}
                Some(Ok((endpoint, end))) = links.join_next() => {
                    let tried = gateways.entry(endpoint.clone()).or_default();
                    let retry_at = tokio::time::Instant::now() + tried.retry_after(end);
                    tried.retry_at = Some(retry_at);
                    self.board.ended(&endpoint, retry_at.into_std());
                }
                _ = self.stopped.changed() => {
                    // Before the sign of life is taken down, which tells others that the place is
                    // free.
                    return links.shutdown().await;
                }
            }
        }
    }

    /// Takes the calls of games, until what this gives is dropped. Where that cannot be, games are asked
    /// over the debugger.
    fn serve_games(&self, presence: &Presence) -> Option<JoinSet<()>> {
        let listener = self.directory.listen_for_games(presence).ok()?;
        let incoming = self.incoming.clone();
        let heard = move |answered| {
            let _ = incoming.send(Incoming::Answered(answered));
        };
        let mut games = JoinSet::new();
        games.spawn(self.lines.clone().serve(
            listener,
            self.secret.clone(),
            self.me.clone(),
            heard,
        ));
        Some(games)
    }

    /// Whether another editor has the same project open. Looked at only where that matters.
    fn has_rival(&self, project: &Path, gateways: &HashMap<Endpoint, Tried>) -> bool {
        gateways.values().any(|tried| tried.refusals > 0)
            && self.directory.live_editors().is_ok_and(|alive| {
                alive.iter().any(|it| it.pid != self.me.pid && resolved(&it.project) == project)
            })
    }

    fn link(&self, number: u64, endpoint: &Endpoint) -> Link {
        let remote = self.remote.as_ref().filter(|_| endpoint.is_remote());
        Link {
            number,
            secret: remote.map_or(&self.secret, Remote::secret).clone(),
            me: self.me.clone(),
            incoming: self.incoming.clone(),
            operations: self.operations.clone(),
            board: self.board.clone(),
        }
    }
}

/// A folder without links, where it exists.
fn resolved(path: &str) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path))
}

/// How long to leave a gateway to another editor before it is asked again; doubled each time.
const FIRST_PROBE: Duration = Duration::from_secs(5);

/// The longest wait before a gateway that serves another editor is asked again.
const LAST_PROBE: Duration = Duration::from_secs(30);

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
    operations: Operations,
    board: Board,
}

/// What became of a frame.
enum Taken {
    /// It is seen to, or on its way to the main thread.
    Yes,
    /// It says that the gateway serves another editor.
    Replaced,
    /// The main thread is gone.
    Nobody,
}

impl Link {
    /// Serves the gateway until it goes away.
    async fn run(self, endpoint: Endpoint) -> (Endpoint, End) {
        let dialed = tokio::time::timeout(link::handshake::LIMIT, link::dial(&endpoint)).await;
        let end = match dialed.unwrap_or_else(|late| Err(late.into())) {
            Ok(connection) => self.serve(connection, &endpoint).await,
            Err(error) => {
                self.board.failed(&endpoint, &error);
                End::Failed
            }
        };
        (endpoint, end)
    }

    async fn serve(&self, mut connection: Connection, endpoint: &Endpoint) -> End {
        match link::handshake(&mut connection, &self.secret, Role::Editor, &self.me).await {
            Ok(peer) => self.board.connected(endpoint, &peer),
            Err(error) => {
                self.board.failed(endpoint, &error);
                return End::Failed;
            }
        }
        let (frames, outgoing) = tokio_mpsc::unbounded_channel();
        let reply = Reply { link: self.number, frames };
        let end = connection.carry(outgoing, |frame| match self.take(frame, &reply, endpoint) {
            Taken::Yes => ControlFlow::Continue(()),
            Taken::Replaced => ControlFlow::Break(End::Replaced),
            Taken::Nobody => ControlFlow::Break(End::Closed),
        });
        let end = end.await.unwrap_or(End::Closed);
        if end == End::Replaced {
            self.board.replaced(endpoint);
        }
        let _ = self.incoming.send(Incoming::Gone { link: self.number });
        end
    }

    /// Answers a frame, or hands it to the main thread.
    fn take(&self, frame: &[u8], reply: &Reply, endpoint: &Endpoint) -> Taken {
        let received = Instant::now();
        let request = match serde_json::from_slice::<Request>(frame) {
            Ok(request) => request,
            Err(error) => {
                // Without its number nobody waits for the answer, but the gateway can log it.
                let fault = Fault::invalid(format!("The frame is no request: {error}."));
                reply.send(&Response { id: 0, outcome: Err(fault) });
                return Taken::Yes;
            }
        };
        let incoming = match request.command.as_str() {
            envelope::PEER_REPLACED => return Taken::Replaced,
            envelope::CLIENT => {
                if let Ok(client) = serde_json::from_str(request.params.get()) {
                    self.board.introduced(endpoint, client);
                }
                return Taken::Yes;
            }
            envelope::OUTCOME => {
                reply.send(&Response { id: request.id, outcome: self.outcome(&request) });
                return Taken::Yes;
            }
            envelope::CANCEL => {
                let Ok(cancel) = serde_json::from_str::<envelope::Cancel>(request.params.get())
                else {
                    return Taken::Yes;
                };
                Incoming::Cancel { link: self.number, id: cancel.id }
            }
            _ => {
                if let Some(operation) = &request.operation_id {
                    self.operations.expect(operation);
                }
                Incoming::Request { received, request, reply: reply.clone() }
            }
        };
        if self.incoming.send(incoming).is_ok() { Taken::Yes } else { Taken::Nobody }
    }

    /// Says what became of an operation.
    fn outcome(&self, request: &Request) -> crate::operations::Outcome {
        let asked: envelope::AskOutcome = serde_json::from_str(request.params.get())
            .map_err(|error| Fault::invalid(error.to_string()))?;
        let known = envelope::KnownOutcome { outcome: self.operations.ask(&asked.operation_id) };
        to_raw_value(&known).map_err(|error| Fault::internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_replaced_asks_again_ever_more_rarely() {
        let mut tried = Tried::default();
        let waits: Vec<u64> = (0..5).map(|_| tried.retry_after(End::Replaced).as_secs()).collect();
        assert_eq!(waits, [5, 10, 20, 30, 30]);
        assert_eq!(tried.retry_after(End::Closed), FIRST_RETRY);
        assert_eq!(tried.retry_after(End::Replaced), FIRST_PROBE);
        let waits: Vec<u128> =
            (0..12).map(|_| tried.retry_after(End::Failed).as_millis()).collect();
        assert_eq!((waits[0], waits[1], waits[11]), (40, 80, 5000));
    }
}
