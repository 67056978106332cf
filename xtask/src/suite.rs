//! The test programs of the workspace, several at a time: most wait for an editor most of the time.

use std::{
    collections::VecDeque,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{shell, workspace::Workspace};

/// Programs that compare what an editor does under load with what it does without: nothing may run
/// beside them.
const ALONE: &[&str] = &["faults", "link"];

/// Programs that take long, and so begin first.
const LONG: &[&str] = &["lifecycle", "export", "compile_fail", "dock", "run_and_capture", "large"];

/// Builds the test programs of a selection of packages and runs them all, even where one fails, with
/// these arguments. `prepare` sets the environment of each.
pub(crate) fn run(
    workspace: &Workspace,
    selection: &[&str],
    arguments: &[String],
    prepare: impl Fn(&mut Command) + Sync,
) -> Result<()> {
    let (alone, mut beside): (Vec<_>, Vec<_>) =
        programs(workspace, selection)?.into_iter().partition(|it| it.is_in(ALONE));
    beside.sort_by_key(|program| !program.is_in(LONG));
    let attempt = |program: Program| {
        eprintln!("── {} begins", program.name);
        let start = Instant::now();
        let mut command = program.command(arguments);
        prepare(&mut command);
        let output = command.output();
        report(&program, start.elapsed(), output.as_ref());
        (!output.is_ok_and(|it| it.status.success())).then_some(program.name)
    };
    let workers = thread::available_parallelism().map_or(1, |cores| cores.get().min(MOST));
    let queue = Mutex::new(VecDeque::from(beside));
    let next = || queue.lock().ok()?.pop_front();
    let mut failed: Vec<String> = thread::scope(|scope| {
        let work = || std::iter::from_fn(next).filter_map(attempt).collect::<Vec<_>>();
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    failed.extend(alone.into_iter().filter_map(attempt));
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{} failed; run one of them alone with `cargo test --test NAME`", failed.join(", "))
}

/// How many programs run at once at most: each has an editor, and many a game.
const MOST: usize = 4;

/// A test program.
struct Program {
    /// The name of its target.
    name: String,
    file: PathBuf,
    /// The folder of its package, in which cargo would start it.
    package: PathBuf,
}

impl Program {
    /// What a line of cargo's says was built, if it is a test program.
    fn from_message(line: &str) -> Option<Program> {
        let message: Value = serde_json::from_str(line).ok()?;
        let text = |pointer| message.pointer(pointer)?.as_str();
        let is_test = message.pointer("/profile/test")?.as_bool()?;
        let file = text("/executable").filter(|_| is_test)?;
        Some(Program {
            name: text("/target/name")?.to_owned(),
            file: file.into(),
            package: Path::new(text("/manifest_path")?).parent()?.into(),
        })
    }

    fn is_in(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.file);
        command.args(arguments).current_dir(&self.package);
        command.env("CARGO_MANIFEST_DIR", &self.package);
        command
    }
}

/// Builds the programs.
fn programs(workspace: &Workspace, selection: &[&str]) -> Result<Vec<Program>> {
    let mut cargo = workspace.cargo();
    cargo.args(["test", "--no-run", "--message-format", "json-render-diagnostics"]);
    let built = shell::output(cargo.args(selection))?;
    let programs: Vec<_> = built.lines().filter_map(Program::from_message).collect();
    programs.first().context("cargo built no test program")?;
    Ok(programs)
}

/// Prints what a program has printed, in one piece.
fn report(program: &Program, time: Duration, output: Result<&Output, &io::Error>) {
    let mut text = format!("── {} ended after {:.1} s: ", program.name, time.as_secs_f64());
    match output {
        Ok(output) => {
            text.push_str(&format!("{}\n", output.status));
            text.push_str(&String::from_utf8_lossy(&output.stdout));
            text.push_str(&String::from_utf8_lossy(&output.stderr));
        }
        Err(error) => text.push_str(&format!("cannot be run: {error}\n")),
    }
    // Where nobody listens there is nobody to tell.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_told_from_what_else_cargo_builds() {
        let message = |test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact",
                "manifest_path": "/w/tests/Cargo.toml",
                "target": {"name": "runtime"},
                "profile": {"test": test},
                "executable": "/w/target/debug/deps/runtime-1",
            })
        };
        let program = Program::from_message(&message(true).to_string()).unwrap();
        assert_eq!(
            (program.name.as_str(), program.package),
            ("runtime", PathBuf::from("/w/tests"))
        );
        for line in [&message(false).to_string(), r#"{"reason": "build-finished"}"#, "warning: x"] {
            assert!(Program::from_message(line).is_none(), "{line}");
        }
    }
}
