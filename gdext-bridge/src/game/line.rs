//! The short way between an editor and its games: a local socket of this user.
//!
//! The threads of the engine's debugger connection look for something to do every 6.9 ms, at both ends,
//! so that a question and its answer take some frames of the game. What only looks at the game takes
//! this way, and has its answer in the next frame. All else stays with the debugger, where it keeps its
//! order with what the game prints, and is heard by a game that is stopped. So does all of it where a
//! game does not find the socket.
//!
//! The editor listens ([`Lines`]), and its games dial ([`Line`]), each in the thread that it has for
//! sockets.

use std::{
    collections::HashMap,
    io,
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use link::{Connection, Directory, Identity, Listener, Role, Secret};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::{
    sync::{
        mpsc::{UnboundedSender, unbounded_channel},
        watch,
    },
    task::JoinSet,
};

use super::Reply;

/// What the game is asked.
#[derive(Serialize, Deserialize)]
pub(super) struct Asked {
    /// Names the answer.
    pub(super) id: u64,
    /// The command of a tool.
    pub(super) command: String,
    /// Its parameters, as they came from the gateway.
    pub(super) params: Box<RawValue>,
    /// What the clock of the system said when it was sent, in milliseconds.
    pub(super) sent_ms: u64,
}

/// What it answers.
#[derive(Serialize, Deserialize)]
pub(crate) struct Answered {
    /// The question.
    pub(super) id: u64,
    /// The answer.
    pub(super) reply: Reply,
    /// When the game worked on it and on nothing else, where that is told.
    #[serde(default)]
    pub(super) span: Option<Span>,
}

/// A time of the game in milliseconds of its own clock, by which the engine also dates errors; both ends
/// count.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// Frames on their way to the other end.
type Frames = UnboundedSender<Vec<u8>>;

/// The games that are on the line, by the process of each. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<HashMap<u32, Frames>>>);

impl Lines {
    /// Asks the game that is this process. Tells whether it is on the line.
    pub(super) fn ask(&self, pid: u32, asked: &Asked) -> bool {
        let Ok(frame) = serde_json::to_vec(asked) else { return false };
        let Ok(games) = self.0.lock() else { return false };
        games.get(&pid).is_some_and(|game| game.send(frame).is_ok())
    }

    /// Takes the calls of games for as long as it is polled, and hands on what they answer.
    pub(crate) async fn serve(
        self,
        listener: Listener,
        secret: Secret,
        me: Identity,
        heard: impl Fn(Answered) + Clone + Send + Sync + 'static,
    ) {
        let mut games = JoinSet::new();
        loop {
            tokio::select! {
                dialed = listener.accept() => match dialed {
                    Ok(connection) => {
                        let (lines, heard) = (self.clone(), heard.clone());
                        let (secret, me) = (secret.clone(), me.clone());
                        games.spawn(lines.hear(connection, secret, me, heard));
                    }
                    // Somebody else, or the system is short of something.
                    Err(_) => tokio::time::sleep(PAUSE).await,
                },
                Some(_) = games.join_next() => {}
            }
        }
    }

    async fn hear(
        self,
        mut connection: Connection,
        secret: Secret,
        me: Identity,
        heard: impl Fn(Answered),
    ) {
        let met = link::handshake(&mut connection, &secret, Role::Editor, &me).await;
        let Ok(Identity { pid, .. }) = met else { return };
        let (frames, outgoing) = unbounded_channel();
        let add = |to: Option<Frames>| {
            if let Ok(mut games) = self.0.lock() {
                match to {
                    Some(frames) => games.insert(pid, frames),
                    None => games.remove(&pid),
                };
            }
        };
        add(Some(frames));
        let broken = connection.carry(outgoing, |frame| {
            // One that cannot be read is missed by whoever waits for it, as if it had never come.
            if let Ok(answered) = serde_json::from_slice(frame) {
                heard(answered);
            }
            ControlFlow::<()>::Continue(())
        });
        broken.await;
        add(None);
    }
}

/// A question, and where its answer goes.
pub(super) struct Call {
    asked: Asked,
    frames: Frames,
}

impl Call {
    /// What is asked.
    pub(super) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Answers it. An editor that is gone does not hear it, and that is fine.
    pub(super) fn answer(self, reply: Reply) {
        let answered = Answered { id: self.asked.id, reply, span: None };
        if let Ok(frame) = serde_json::to_vec(&answered) {
            let _ = self.frames.send(frame);
        }
    }
}

/// The line of a game to its editor, and the thread behind it.
pub(super) struct Line {
    calls: Receiver<Call>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    /// Dials the editor that is this process, and again whenever the line breaks.
    ///
    /// # Errors
    /// If the rendezvous directory is not usable, or the system has no thread to give.
    pub(super) fn dial(directory: Directory, editor: u32) -> io::Result<Line> {
        let (secret, me) = (directory.secret()?, Identity::of_this_process(None)?);
        let (send, calls) = mpsc::channel();
        let (stop, mut stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let calling = async move {
            loop {
                if let Ok(connection) = link::dial(&directory.editor(editor)).await {
                    listen(connection, &secret, &me, &send).await;
                }
                tokio::time::sleep(PAUSE).await;
            }
        };
        let thread = thread::Builder::new().name("godot-mcp-line".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = calling => {}
                    _ = stopped.changed() => {}
                }
            });
        })?;
        Ok(Line { calls, stop, thread: Some(thread) })
    }

    /// What is asked next, without waiting.
    pub(super) fn next(&self) -> Option<Call> {
        self.calls.try_recv().ok()
    }

    /// What is asked within `limit`.
    pub(super) fn next_within(&self, limit: Duration) -> Option<Call> {
        self.calls.recv_timeout(limit).ok()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // A library must not be unloaded under a running thread.
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// How long to wait where there is nobody at the other end.
const PAUSE: Duration = Duration::from_millis(500);

/// Hands on what the editor asks, until it hangs up.
async fn listen(mut connection: Connection, secret: &Secret, me: &Identity, calls: &Sender<Call>) {
    if link::handshake(&mut connection, secret, Role::Game, me).await.is_err() {
        return;
    }
    let (frames, outgoing) = unbounded_channel();
    let broken = connection.carry(outgoing, |frame| {
        if let Ok(asked) = serde_json::from_slice(frame) {
            let _ = calls.send(Call { asked, frames: frames.clone() });
        }
        ControlFlow::<()>::Continue(())
    });
    broken.await;
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::value::to_raw_value;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    /// An editor, in a thread of its own.
    struct Editor {
        lines: Lines,
        answers: Receiver<Answered>,
        stop: watch::Sender<bool>,
        thread: Option<JoinHandle<()>>,
    }

    impl Editor {
        fn start(directory: &Directory) -> Editor {
            let (send, answers) = mpsc::channel();
            let (stop, mut stopped) = watch::channel(false);
            let (lines, there) = (Lines::default(), directory.clone());
            let serving = lines.clone();
            let work = async move {
                let presence = there.announce_editor("/somewhere").unwrap();
                let listener = there.listen_for_games(&presence).unwrap();
                let me = Identity::of_this_process(None).unwrap();
                let heard = move |answered| send.send(answered).unwrap();
                tokio::select! {
                    () = serving.serve(listener, there.secret().unwrap(), me, heard) => {}
                    _ = stopped.changed() => {}
                }
            };
            let thread = thread::spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.unwrap().block_on(work);
            });
            Editor { lines, answers, stop, thread: Some(thread) }
        }

        /// Asks as soon as the game is there.
        fn ask(&self, id: u64) {
            let since = Instant::now();
            let params = || to_raw_value("all").unwrap();
            let asked =
                || Asked { id, command: "cmd_look".to_owned(), params: params(), sent_ms: 0 };
            while !self.lines.ask(std::process::id(), &asked()) {
                assert!(since.elapsed() < PATIENCE, "the game did not call");
                thread::yield_now();
            }
        }
    }

    impl Drop for Editor {
        fn drop(&mut self) {
            self.stop.send(true).unwrap();
            self.thread.take().unwrap().join().unwrap();
        }
    }

    #[test]
    fn a_game_answers_and_calls_again_when_the_editor_is_back() {
        let parent = tempfile::tempdir().unwrap();
        let directory = Directory::at(parent.path().join("run")).unwrap();
        let line = Line::dial(directory.clone(), std::process::id()).unwrap();
        for id in [3, 5] {
            let editor = Editor::start(&directory);
            editor.ask(id);
            let call = line.calls.recv_timeout(PATIENCE).unwrap();
            assert_eq!((call.asked().id, call.asked().command.as_str()), (id, "cmd_look"));
            assert_eq!(call.asked().params.get(), "\"all\"");
            call.answer(Reply::Ok(to_raw_value(&[id]).unwrap()));
            let answered = editor.answers.recv_timeout(PATIENCE).unwrap();
            let Reply::Ok(result) = answered.reply else { panic!("a fault") };
            assert_eq!((answered.id, result.get()), (id, format!("[{id}]").as_str()));
        }
        // The thread ends with it.
        drop(line);
    }

    #[test]
    fn a_process_that_does_not_call_is_not_asked() {
        let params = to_raw_value("").unwrap();
        let asked = Asked { id: 1, command: String::new(), params, sent_ms: 0 };
        assert!(!Lines::default().ask(1, &asked));
    }
}
