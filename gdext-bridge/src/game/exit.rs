//! How the process of a game ends, which the editor is the parent of. The engine takes that in, and
//! forgets it, when it sees that the game has left the debugger, which is often before we do; so a
//! thread looks on from the begin, and each frame begins with a look, as the thread may be kept waiting.

use std::{
    sync::{Arc, OnceLock},
    thread,
    time::{Duration, Instant},
};

/// How long a game that has left the debugger may take to end: it is a fraction of a second where the
/// machine is not busy. The editor kills it at the end of the frame in which it left.
const LAST_BREATH: Duration = Duration::from_secs(3);

/// How a process has ended.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Exit {
    /// The code that it left.
    pub(super) code: Option<i64>,
    /// The signal that ended it, where the system tells of one.
    pub(super) signal: Option<i32>,
}

/// A look at a process until it ends.
pub(super) struct Watch {
    pid: i32,
    end: Arc<OnceLock<Exit>>,
}

impl Exit {
    /// In words, after "it ended".
    pub(super) fn in_words(self) -> String {
        match (self.signal, self.code) {
            (Some(signal), _) => {
                // The engine sends what is printed once a frame.
                format!(
                    " by signal {signal}, as a program that crashes or is killed (what it printed in its \
                     last frame may be missing; godot_runtime_run_and_capture has all of it)"
                )
            }
            (None, Some(code)) => format!(" with exit code {code}"),
            (None, None) => String::new(),
        }
    }
}

impl Watch {
    /// Begins to look at a process.
    pub(super) fn begin(pid: u32) -> Option<Watch> {
        let pid = i32::try_from(pid).ok()?;
        let end = Arc::new(OnceLock::new());
        if let Some(exit) = system::look(pid) {
            // It has ended already, and the engine may take that in at any moment.
            let _ = end.set(exit);
        } else {
            system::wait(pid, end.clone());
        }
        Some(Watch { pid, end })
    }

    /// Takes in how it has ended, if it has.
    pub(super) fn glance(&self) {
        if self.end.get().is_none()
            && let Some(exit) = system::look(self.pid)
        {
            let _ = self.end.set(exit);
        }
    }

    /// How it has ended, which is awaited for a moment: after this frame nobody can learn it any more.
    /// Nothing is known of one that is still there then, is no child of ours, or was ended by the editor,
    /// which is so if that `knows` of the end.
    pub(super) fn exit(&self, knows: bool) -> Exit {
        const GLANCE: Duration = Duration::from_millis(1);
        let since = Instant::now();
        while self.end.get().is_none() && since.elapsed() < LAST_BREATH {
            if let Some(exit) = system::ask_engine(self.pid, knows) {
                return exit;
            }
            thread::sleep(GLANCE);
        }
        let exit = self.end.get().copied().unwrap_or_default();
        if knows && exit.signal == system::KILL { Exit::default() } else { exit }
    }
}

#[cfg(unix)]
mod system {
    use std::{
        sync::{Arc, OnceLock},
        thread,
    };

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, waitid};

    use super::Exit;

    /// The signal by which the editor ends a game.
    pub(super) const KILL: Option<i32> = Some(Signal::KILL.as_raw());

    /// How a child has ended, if it has. It is left to the engine to take that in.
    pub(super) fn look(pid: i32) -> Option<Exit> {
        ask(pid, WaitIdOptions::NOHANG).ok()?
    }

    /// Waits on a thread of its own until a child has ended.
    pub(super) fn wait(pid: i32, end: Arc<OnceLock<Exit>>) {
        let wait = move || {
            let exit = loop {
                match ask(pid, WaitIdOptions::empty()) {
                    Ok(Some(exit)) => break exit,
                    Ok(None) | Err(rustix::io::Errno::INTR) => {}
                    // It is no child of ours, or the engine was there first.
                    Err(_) => break Exit::default(),
                }
            };
            let _ = end.set(exit);
        };
        // Without a thread its end stays unknown, which is told as such.
        let _ = thread::Builder::new().name("godot-mcp-exit".to_owned()).spawn(wait);
    }

    /// The engine knows no more than the system.
    pub(super) fn ask_engine(_: i32, _: bool) -> Option<Exit> {
        None
    }

    fn ask(pid: i32, how: WaitIdOptions) -> rustix::io::Result<Option<Exit>> {
        let pid = Pid::from_raw(pid).ok_or(rustix::io::Errno::CHILD)?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how;
        let told = |status: WaitIdStatus| Exit {
            code: status.exit_status().map(i64::from),
            signal: status.terminating_signal(),
        };
        Ok(waitid(WaitId::Pid(pid), options)?.map(told))
    }
}

#[cfg(not(unix))]
mod system {
    use std::sync::{Arc, OnceLock};

    use godot::{classes::Os, prelude::*};

    use super::Exit;

    /// There are no signals.
    pub(super) const KILL: Option<i32> = None;

    /// Only the engine is asked.
    pub(super) fn look(_: i32) -> Option<Exit> {
        None
    }

    /// Only the engine is asked, and by us alone.
    pub(super) fn wait(_: i32, _: Arc<OnceLock<Exit>>) {}

    /// What the engine knows of a process, unless it has forgotten it already.
    pub(super) fn ask_engine(pid: i32, has_forgotten: bool) -> Option<Exit> {
        let os = Os::singleton();
        if has_forgotten {
            return Some(Exit::default());
        }
        if os.is_process_running(pid) {
            return None;
        }
        let code = Some(i64::from(os.get_process_exit_code(pid))).filter(|code| *code >= 0);
        Some(Exit { code, signal: None })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    fn exit_of(script: &str) -> Exit {
        let child = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let watch = Watch::begin(child.id()).unwrap();
        // As the engine does, whenever it likes.
        let mut child = child;
        while watch.end.get().is_none() {
            thread::yield_now();
        }
        child.wait().unwrap();
        watch.exit(false)
    }

    #[test]
    fn codes_and_signals_are_told_apart() {
        assert_eq!(exit_of("exit 11"), Exit { code: Some(11), signal: None });
        assert_eq!(exit_of("kill -11 $$"), Exit { code: None, signal: Some(11) });
        assert_eq!(exit_of("kill -9 $$"), Exit { code: None, signal: Some(9) });
    }

    #[test]
    fn of_others_nothing_is_known() {
        let watch = Watch::begin(1).unwrap();
        assert_eq!(watch.exit(false), Exit::default());
    }
}
