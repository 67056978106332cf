//! One run of the game, of which there may be several instances: the human can have the editor start more
//! than one, and a game can start others. Each has a session of the debugger, and its number is the one
//! that the editor shows on the tab of the session.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

use godot::{
    classes::{EditorInterface, Os},
    prelude::*,
};
use protocol::tools::runtime::GameInstance;

use super::{Hello, halt::Halts};

/// The number of a debugger session, as the engine counts them.
pub(super) type Session = i32;

/// One run of the game.
#[derive(Default)]
pub(super) struct Run {
    /// Counts the runs since the editor was started.
    pub(super) number: u64,
    pub(super) scene: String,
    pub(super) started: Option<Instant>,
    /// Those that are there, by the session of each.
    pub(super) instances: BTreeMap<Session, Instance>,
    /// Whether there was more than one at a time.
    pub(super) had_several: bool,
    /// How it ended.
    pub(super) end: Option<End>,
}

/// One game that is connected with the debugger.
#[derive(Default)]
pub(super) struct Instance {
    /// What it said of itself, once it is there.
    pub(super) hello: Option<Hello>,
    /// Its process, which the engine tells before it is there.
    pub(super) pid: Option<u32>,
    pub(super) halts: Halts,
}

/// How a run ended.
#[derive(Clone)]
pub(super) struct End {
    /// In words.
    pub(super) reason: String,
    pub(super) exit_code: Option<i64>,
}

/// How long a game that has left the debugger may take to end. The editor kills it at the end of the
/// frame in which it left.
const LAST_BREATH: Duration = Duration::from_secs(1);

impl Run {
    /// A run with that number begins.
    pub(super) fn begin(number: u64, scene: &str) -> Run {
        let started = Some(Instant::now());
        Run { number, scene: scene.to_owned(), started, ..Run::default() }
    }

    /// A game is there.
    pub(super) fn add(&mut self, session: Session) {
        self.instances.insert(session, Instance::default());
        self.had_several |= self.instances.len() > 1;
    }

    /// What is told of the games that are there.
    pub(super) fn told(&self) -> Vec<GameInstance> {
        let told = |(session, instance): (&Session, &Instance)| GameInstance {
            id: id_of(*session),
            pid: instance.pid,
            scene: instance.hello.as_ref().and_then(|hello| hello.scene.clone()),
            broken: instance.halts.is_stopped(),
            ready: instance.hello.is_some(),
        };
        self.instances.iter().map(told).collect()
    }
}

impl Instance {
    /// The code with which it ended, which is awaited for a moment: the end of a process is no event for
    /// the editor, and after this frame nobody can learn it any more. `None` where it is still there, is no
    /// child of the editor, or was killed by it.
    pub(super) fn exit_code(&self) -> Option<i64> {
        const GLANCE: Duration = Duration::from_millis(1);
        let is_child = self.hello.as_ref().is_none_or(|hello| hello.is_child);
        let pid = i32::try_from(self.pid?).ok().filter(|_| is_child)?;
        if !EditorInterface::singleton().is_playing_scene() {
            return None;
        }
        let (os, since) = (Os::singleton(), Instant::now());
        while os.is_process_running(pid) {
            if since.elapsed() > LAST_BREATH {
                return None;
            }
            thread::sleep(GLANCE);
        }
        Some(i64::from(os.get_process_exit_code(pid))).filter(|code| *code >= 0)
    }
}

/// What an instance is called.
pub(super) fn id_of(session: Session) -> u32 {
    u32::try_from(session).unwrap_or_default() + 1
}
