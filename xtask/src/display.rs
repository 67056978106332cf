//! A display for what looks at pictures, where nobody has one.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use crate::shell;

/// Where the tests look for the name of the display.
const VARIABLE: &str = "E2E_DISPLAY";

/// A virtual X server. It ends when this does.
pub(crate) struct Display(Option<(Child, String)>);

impl Display {
    /// Starts Xvfb, if it is installed and no display is named already.
    pub(crate) fn start() -> Display {
        if std::env::var_os(VARIABLE).is_some() {
            return Display(None);
        }
        let started = shell::which("Xvfb").and_then(|program| {
            let mut command = Command::new(program);
            command.args(["-displayfd", "1", "-screen", "0", "1280x720x24", "-nolisten", "tcp"]);
            let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
            let mut number = String::new();
            // It says which display it took once it can be used.
            BufReader::new(server.stdout.take()?).read_line(&mut number).ok()?;
            Some((server, format!(":{}", number.trim())))
        });
        if started.is_none() {
            eprintln!("without Xvfb whatever needs a display is left out");
        }
        Display(started)
    }

    /// Tells a command of it.
    pub(crate) fn tell(&self, command: &mut Command) {
        if let Some((_, name)) = &self.0 {
            command.env(VARIABLE, name);
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some((server, _)) = &mut self.0 {
            // It may have ended already.
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}
