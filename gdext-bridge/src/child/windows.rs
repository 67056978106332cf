//! The processes of a run on Windows.

use std::{
    os::windows::process::CommandExt,
    process::{Command, ExitStatus, Stdio},
};

/// `CREATE_NO_WINDOW`: no console window shows up for it.
const NO_WINDOW: u32 = 0x0800_0000;

/// Keeps the process from showing a console.
pub(super) fn prepare(command: &mut Command) {
    command.creation_flags(NO_WINDOW);
}

/// There are no signals: what would be one is an exit code.
pub(super) fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// A process and all that it started.
pub(super) struct Family {
    leader: u32,
}

impl Family {
    /// The process `leader`, and those below it.
    pub(super) fn new(leader: u32, _mark: &str) -> Family {
        Family { leader }
    }

    /// Ends all of them at once, by the program that Windows has for that.
    pub(super) fn end(&self) {
        let mut kill = Command::new("taskkill");
        kill.args(["/T", "/F", "/PID", &self.leader.to_string()]);
        kill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // They may be gone already, which is all the same.
        let _ = kill.creation_flags(NO_WINDOW).status();
    }
}
