//! One run of the game, of which there may be several instances: the human can have the editor start more
//! than one, and a game can start others. Each has a session of the debugger, and its number is the one
//! that the editor shows on the tab of the session.

use std::{collections::BTreeMap, time::Instant};

use godot::{classes::EditorInterface, obj::Singleton};
use protocol::tools::runtime::GameInstance;

use super::{
    Hello,
    exit::{Exit, Watch},
    halt::Halts,
};

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
    /// Whether a call was to end it.
    pub(super) is_ended_by_call: bool,
    /// Whether it was ended from outside, and not asked.
    pub(super) is_killed: bool,
}

/// One game that is connected with the debugger.
#[derive(Default)]
pub(super) struct Instance {
    /// What it said of itself, once it is there.
    pub(super) hello: Option<Hello>,
    /// Its process, which the engine tells before it is there.
    pub(super) pid: Option<u32>,
    watch: Option<Watch>,
    pub(super) halts: Halts,
}

/// How a run ended.
#[derive(Clone)]
pub(super) struct End {
    /// In words.
    pub(super) reason: String,
    /// As its process ended.
    pub(super) exit: Exit,
}

impl Run {
    /// A run with that number begins.
    pub(super) fn begin(number: u64, scene: &str) -> Run {
        let started = Some(Instant::now());
        Run { number, scene: scene.to_owned(), started, ..Run::default() }
    }

    /// A game is there; with its process, if that is known.
    pub(super) fn add(&mut self, session: Session, pid: Option<u32>) {
        let mut instance = Instance::default();
        pid.into_iter().for_each(|pid| instance.is_process(pid));
        self.instances.insert(session, instance);
        self.had_several |= self.instances.len() > 1;
    }

    /// What is told of the games that are there.
    pub(super) fn told(&self) -> Vec<GameInstance> {
        let told = |(session, instance): (&Session, &Instance)| GameInstance {
            id: id_of(*session),
            pid: instance.pid,
            scene: instance.hello.as_ref().and_then(|hello| hello.scene.clone()),
            broken: instance.halts.is_halted(),
            ready: instance.hello.is_some(),
        };
        self.instances.iter().map(told).collect()
    }
}

impl Instance {
    /// This is its process.
    pub(super) fn is_process(&mut self, pid: u32) {
        if self.pid != Some(pid) {
            self.pid = Some(pid);
            self.watch = Watch::begin(pid);
        }
    }

    /// Takes in how its process has ended, if it has: before the engine does so and forgets it.
    pub(super) fn glance(&self) {
        self.watch.iter().for_each(Watch::glance);
    }

    /// How its process has ended, where that is known.
    pub(super) fn exit(&self) -> Exit {
        let knows = !EditorInterface::singleton().is_playing_scene();
        self.watch.as_ref().map(|watch| watch.exit(knows)).unwrap_or_default()
    }
}

/// What an instance is called.
pub(super) fn id_of(session: Session) -> u32 {
    u32::try_from(session).unwrap_or_default() + 1
}
