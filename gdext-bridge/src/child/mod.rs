//! A Godot of its own beside the editor, without a display: started, heard to its end, and ended with
//! all that it started.
//!
//! Three threads serve a run, so that the editor's main thread never waits for it: one starts the
//! process and waits for its end, one reads what it prints, and one decides: it hears of both, of the
//! time that is over and of the caller who does not want it any more. On the main thread a [`Run`] is
//! only looked at; when it goes, the process does.

mod call;
pub(crate) mod guard;
mod keeper;
pub(crate) mod log;
mod output;
mod problems;
mod tell;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
        mpsc::{self, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use godot::{classes::Os, prelude::*};
use protocol::{ErrorCode, Fault};

use self::{
    keeper::{Event, Keeper, Order},
    log::Log,
};
pub(crate) use self::{
    output::Output,
    tell::{errors, seconds, told},
};
use crate::{plan::Context, resource::on_disk};

/// How many may run at once: each is a whole engine.
const AT_ONCE: u32 = 2;

/// How many run now.
static RUNNING: AtomicU32 = AtomicU32::new(0);

/// Counts the runs of this process.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// One run of Godot. Dropping it ends the process and waits until it is gone.
pub(crate) struct Run {
    events: Sender<Event>,
    state: Arc<Mutex<State>>,
    keeper: Option<JoinHandle<()>>,
}

/// How a run ended.
pub(crate) struct Ended {
    /// The exit code; none where it was killed, by whomever.
    pub(crate) exit_code: Option<i32>,
    /// The signal that ended it, where there is such a thing and it was not ours.
    pub(crate) signal: Option<i32>,
    /// Whether its time was over before it ended.
    pub(crate) timed_out: bool,
    /// How long it ran.
    pub(crate) duration: Duration,
    /// What it printed.
    pub(crate) output: Output,
    /// All of that, in a file.
    pub(crate) log: Log,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
}

/// What the threads of a run share with the main thread.
#[derive(Default)]
struct State {
    output: Output,
    /// How it ended, until that is taken.
    end: Option<Result<Ended, Fault>>,
}

/// One of the places of [`AT_ONCE`], until it is dropped.
struct Place;

impl Place {
    fn take() -> Result<Place, Fault> {
        let next = |running: u32| (running < AT_ONCE).then_some(running + 1);
        match RUNNING.fetch_update(Ordering::AcqRel, Ordering::Acquire, next) {
            Ok(_) => Ok(Place),
            Err(_) => Err(Fault::new(
                ErrorCode::PreconditionFailed,
                format!(
                    "{AT_ONCE} runs beside the editor are under way, and no more are started at once. \
                     Nothing was run. Wait for the answer of one of them, then repeat the call."
                ),
            )),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Run {
    /// Starts this Godot on this project, without a display and without the add-on, with these
    /// arguments more. It is ended after `limit`.
    ///
    /// # Errors
    /// If too many run already, or the system has no thread to give.
    pub(crate) fn start(arguments: Vec<String>, limit: Duration) -> Result<Run, Fault> {
        let place = Place::take()?;
        let program = Os::singleton().get_executable_path().to_string();
        // Without the header of the engine and of what our library is made with, the output is the game's.
        let mut command = vec![program];
        command.extend(["--headless", "--no-header", "--path"].map(str::to_owned));
        command.push(on_disk("res://").to_string_lossy().trim_end_matches('/').to_owned());
        command.extend(arguments);
        let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let order = Order { log: Log::of(&mark), mark, command, limit };
        let (events, heard) = mpsc::channel();
        let state = Arc::new(Mutex::new(State::default()));
        let keeper = Keeper { events: events.clone(), state: state.clone(), order };
        let keeper = thread::Builder::new()
            .name("godot-mcp-run".to_owned())
            .spawn(move || keeper.keep(&heard, place))
            .map_err(|error| {
                Fault::internal(format!("There is no thread for the run: {error}."))
            })?;
        Ok(Run { events, state, keeper: Some(keeper) })
    }

    /// Looks at the run on behalf of a command that waits for it, and tells how far it is: by the lines
    /// that were printed, and the last of them. `None` for not yet.
    pub(crate) fn poll(&self, context: &Context) -> Option<Result<Ended, Fault>> {
        context.is_patient.set(true);
        if context.is_unwanted.get() {
            let hint = "Nobody waits for the run any more, so it was ended.";
            return Some(Err(Fault::new(ErrorCode::Timeout, hint).with("outcome", "applied")));
        }
        let mut state = lock(&self.state);
        if let Some(end) = state.end.take() {
            return Some(end);
        }
        context.tell(state.output.lines(), None, state.output.last_line());
        None
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It may have ended already, and then nobody hears it.
        let _ = self.events.send(Event::Cancel);
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Every change is whole, so what a panic left behind is still good.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
