//! The threads of a run: one starts the process and waits for its end, one reads what it prints, and one
//! decides.

use std::{
    io::{self, Read},
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use protocol::{Fault, Required};

use super::{
    Ended, Place, State, guard, lock,
    log::{Log, Writer},
    output::Lines,
    system::{self, Family},
};
use crate::game::{EDITOR_PID, FROZEN};

/// How long a process may take to be gone after it was ended, and its output to be read to the end.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// What is read of the output at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// What the thread that decides hears.
pub(super) enum Event {
    /// There is a process.
    Started(u32),
    /// There is none.
    Failed(io::Error),
    /// It has ended.
    Exited(io::Result<ExitStatus>),
    /// Nobody can print any more.
    Closed,
    /// It is not wanted any more.
    Cancel,
}

/// What is to be run.
pub(super) struct Order {
    /// What all processes of the run have in their environment, so that they can be found.
    pub(super) mark: String,
    /// The program and its arguments.
    pub(super) command: Vec<String>,
    /// When it is to be ended.
    pub(super) limit: Duration,
    /// Where all that it prints is written.
    pub(super) log: Log,
}

impl Order {
    /// The process, printing to `output` whatever it prints, so that the order is kept.
    fn command(&self, output: io::PipeWriter) -> io::Result<Command> {
        let (program, arguments) = self.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .env("GODOT_MCP_DISABLE", "1")
            .env(guard::MARK, &self.mark)
            .env(guard::LIMIT, self.limit.as_secs().to_string())
            .env_remove(EDITOR_PID)
            .env_remove(FROZEN);
        system::prepare(&mut command);
        Ok(command)
    }
}

/// Decides about one run.
pub(super) struct Keeper {
    /// Where its threads tell of the process.
    pub(super) events: Sender<Event>,
    /// What it shares with the main thread.
    pub(super) state: Arc<Mutex<State>>,
    /// What is to be run.
    pub(super) order: Order,
}

/// What is known of the process.
#[derive(Default)]
struct Known {
    family: Option<Family>,
    status: Option<ExitStatus>,
    is_closed: bool,
    timed_out: bool,
    cancelled: bool,
}

impl Keeper {
    /// Runs the process, and leaves how it ended in the state.
    pub(super) fn keep(self, heard: &Receiver<Event>, place: Place) {
        let begun = Instant::now();
        let known = self.run(heard, begun);
        let end = known.map(|known| {
            let duration = begun.elapsed();
            let is_ours = known.timed_out || known.cancelled;
            let status = known.status.filter(|_| !is_ours);
            let mut output = std::mem::take(&mut lock(&self.state).output);
            output.finish();
            Ended {
                exit_code: status.and_then(|status| status.code()),
                signal: status.and_then(system::signal),
                timed_out: known.timed_out,
                duration,
                output,
                log: self.order.log,
                command: self.order.command,
            }
        });
        // Whoever hears of the end may start the next.
        drop(place);
        lock(&self.state).end = Some(end);
    }

    fn run(&self, heard: &Receiver<Event>, begun: Instant) -> Result<Known, Fault> {
        let no_run = |error: io::Error| {
            let program = self.order.command.first().map(String::as_str).unwrap_or_default();
            Fault::precondition(
                Required::GODOT_BINARY,
                format!(
                    "Godot could not be started from '{program}': {error}. Nothing was run. Check that \
                     this file is there and may be executed, then repeat the call."
                ),
            )
        };
        let (reader, writer) = io::pipe().map_err(no_run)?;
        let command = self.order.command(writer).map_err(no_run)?;
        let starter = self.thread("start", |events| start(command, &events)).map_err(no_run)?;
        let listener = {
            let (state, log) = (self.state.clone(), self.order.log.begin());
            self.thread("read", move |events| listen(reader, log, &state, &events))
                .map_err(no_run)?
        };
        let known = self.decide(heard, begun).map_err(no_run)?;
        // Threads that still wait for what does not end are left behind.
        for (thread, is_over) in [(starter, known.status.is_some()), (listener, known.is_closed)] {
            if is_over {
                let _ = thread.join();
            }
        }
        if known.status.is_none() && !known.cancelled {
            return Err(Fault::internal(
                "The run was to be ended and has not ended; the system does not say why. See whether \
                 its process is still there before you start another one.",
            ));
        }
        Ok(known)
    }

    fn thread(
        &self,
        name: &str,
        work: impl FnOnce(Sender<Event>) + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let events = self.events.clone();
        let name = format!("godot-mcp-run-{name}");
        thread::Builder::new().name(name).spawn(move || work(events))
    }

    /// Hears what becomes of the process, and ends it when that is due.
    fn decide(&self, heard: &Receiver<Event>, begun: Instant) -> io::Result<Known> {
        let mut known = Known::default();
        let mut until = begun + self.order.limit;
        loop {
            match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Started(pid)) => {
                    let family = Family::new(pid, &self.order.mark);
                    if known.timed_out || known.cancelled {
                        family.end();
                    }
                    known.family = Some(family);
                }
                Ok(Event::Failed(error)) => return Err(error),
                Ok(Event::Exited(status)) => {
                    known.status = Some(status?);
                    // What it started and left behind would go on without anybody to end it.
                    known.end_family();
                    until = Instant::now() + LAST_BREATH;
                }
                Ok(Event::Closed) => known.is_closed = true,
                Ok(Event::Cancel) => {
                    known.cancelled = true;
                    known.end_family();
                    until = Instant::now() + LAST_BREATH;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let is_over = known.status.is_some() || known.timed_out || known.cancelled;
                    if is_over {
                        return Ok(known);
                    }
                    known.timed_out = true;
                    known.end_family();
                    until = Instant::now() + LAST_BREATH;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(known),
            }
            if known.is_closed && known.status.is_some() {
                return Ok(known);
            }
        }
    }
}

impl Known {
    fn end_family(&self) {
        if let Some(family) = &self.family {
            family.end();
        }
    }
}

/// Starts the process and waits for its end. On Linux the process ends with the thread that started
/// it, so that is this one.
fn start(mut command: Command, events: &Sender<Event>) {
    let spawned = command.spawn();
    // It holds our end of the pipe, without which nobody would hear that all others are closed.
    drop(command);
    // Whoever decides may have given up waiting.
    let _ = match spawned {
        Err(error) => events.send(Event::Failed(error)),
        Ok(mut process) => {
            let _ = events.send(Event::Started(process.id()));
            events.send(Event::Exited(process.wait()))
        }
    };
}

/// Reads what is printed until nobody can print any more.
fn listen(
    mut reader: io::PipeReader,
    mut log: Writer,
    state: &Mutex<State>,
    events: &Sender<Event>,
) {
    let mut chunk = vec![0; CHUNK];
    let mut lines = Lines::default();
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                let read = chunk.get(..length).unwrap_or_default();
                log.write(read);
                let mut state = lock(state);
                lines.feed(read, |line, is_cut| state.output.take(line, is_cut));
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    lines.end(|line, is_cut| lock(state).output.take(line, is_cut));
    let _ = events.send(Event::Closed);
}
