//! A real, headless Godot editor on a project.

use std::{
    fs,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::project::Project;

/// How long an editor may take for what it is asked to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks at a process or a file, where the system tells of no event.
const GLANCE: Duration = Duration::from_millis(5);

/// An editor process. Dropping it kills it.
#[derive(Debug)]
pub struct Editor<'a> {
    project: &'a Project,
    process: Child,
    log: std::path::PathBuf,
}

impl<'a> Editor<'a> {
    /// Starts an editor on `project`.
    pub fn start(project: &'a Project) -> Editor<'a> {
        Editor::start_with(project, |command| command)
    }

    /// Starts an editor; `change` may alter the command.
    pub fn start_with(
        project: &'a Project,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Editor<'a> {
        let mut command = project.godot();
        change(&mut command);
        Editor::spawn(project, command)
    }

    fn spawn(project: &'a Project, mut command: Command) -> Editor<'a> {
        let number = (0..).find(|n| !log_file(project, *n).exists()).unwrap();
        let log = log_file(project, number);
        let file = fs::File::create(&log).unwrap();
        command.arg("--editor").stdin(Stdio::null());
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let process = command.spawn().expect("Godot can be started");
        Editor { project, process, log }
    }

    /// Starts an editor in a window on an X display, which draws in software.
    pub fn start_in_window(project: &'a Project, display: &str) -> Editor<'a> {
        let mut command = project.godot_in_window();
        command.args(["--rendering-driver", "opengl3", "--audio-driver", "Dummy"]);
        command.env("DISPLAY", display).env("LIBGL_ALWAYS_SOFTWARE", "1");
        Editor::spawn(project, command)
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The project that it has open.
    pub fn project(&self) -> &'a Project {
        self.project
    }

    /// All that it printed so far.
    pub fn log(&self) -> String {
        fs::read(&self.log).map(|it| String::from_utf8_lossy(&it).into_owned()).unwrap_or_default()
    }

    /// Panics, with what the editor printed, if it is gone.
    pub fn assert_alive(&mut self) {
        if let Ok(Some(status)) = self.process.try_wait() {
            panic!("the editor ended ({status}); it printed:\n{}", self.log());
        }
    }

    /// Has the editor's user do something; see `hands/hands.gd`.
    pub fn hands(&mut self, order: &Value) -> Value {
        let folder = self.project.work();
        let (draft, path, done) = (folder.join("do.draft"), folder.join("do"), folder.join("done"));
        fs::write(&draft, order.to_string()).unwrap();
        fs::rename(&draft, &path).unwrap();
        let start = Instant::now();
        while !done.exists() {
            self.assert_alive();
            assert!(start.elapsed() < PATIENCE, "the editor did not do {order}\n{}", self.log());
            thread::sleep(GLANCE);
        }
        let answer: Value = serde_json::from_slice(&fs::read(&done).unwrap()).unwrap();
        fs::remove_file(&done).unwrap();
        answer["answer"].clone()
    }

    /// Quits as its user would, and demands a clean end: exit code 0, and nothing leaked.
    pub fn quit(self) -> String {
        let log = self.quit_in_any_state();
        assert_no_leaks(&log);
        log
    }

    /// Quits as its user would, and demands exit code 0.
    pub fn quit_in_any_state(mut self) -> String {
        self.hands(&json!({"do": "quit"}));
        let status = self.wait();
        let log = self.log();
        assert!(status.success(), "the editor ended with {status}; it printed:\n{log}");
        assert!(!log.contains("panicked at"), "the editor panicked; it printed:\n{log}");
        log
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) -> ExitStatus {
        wait(&mut self.process, PATIENCE).unwrap_or_else(|| {
            panic!("the editor did not end; it printed:\n{}", self.log());
        })
    }

    /// Ends it at once, as a crash would.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Editor<'_> {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Panics if the engine complained about what was left at its end.
pub fn assert_no_leaks(log: &str) {
    for sign in ["leaked", "ObjectDB instances", "still in use at exit", "panicked at"] {
        assert!(!log.contains(sign), "the engine printed {sign:?}:\n{log}");
    }
}

/// Waits for the end of a process, up to a limit.
pub fn wait(process: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = process.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(GLANCE);
    }
    None
}

fn log_file(project: &Project, number: u32) -> std::path::PathBuf {
    project.work().join(format!("editor-{number}.log"))
}
