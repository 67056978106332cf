//! `cargo xtask …`: everything that is done with this repository, in one place and in Rust.
//!
//! The crate is kept light, so that the first `cargo xtask` on a fresh machine starts soon: what
//! talks MCP (the demo, the bench, the end-to-end tests) lives in the package `e2e`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]

mod bench;
mod build;
#[cfg(target_os = "linux")]
mod debian;
mod demo;
mod display;
mod godot;
mod link;
mod package;
mod shell;
mod suite;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use crate::{build::Profile, workspace::Workspace};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Build, try and test Godot MCP.",
    disable_version_flag = true
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Print the path of a Godot 4.4 or newer, after installing one where that can be done.
    Godot,
    /// Build the gateway and the add-on's library.
    Build(Release),
    /// Build, then put the add-on into godot-project/addons/godot_mcp.
    Link(Release),
    /// Build, then make target/package/addons/godot_mcp and a zip of it, to copy into any project.
    Package(Release),
    /// See it work, from nothing: an agent's session in a real editor, call by call.
    Demo,
    /// Run every check and every test, those in a real editor included.
    Test(test::Options),
    /// Measure latency, memory and idle load, each beside the floor of the same run.
    Bench(bench::Options),
}

#[derive(Args, Clone, Copy)]
struct Release {
    /// Optimise: small and quick, but slow to build.
    #[arg(long)]
    release: bool,
}

impl Release {
    fn profile(self) -> Profile {
        if self.release { Profile::Release } else { Profile::Dev }
    }
}

fn main() -> ExitCode {
    match run(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    if let Task::Godot = task {
        println!("{}", godot::find_or_install()?.display());
        return Ok(());
    }
    let workspace = Workspace::find()?;
    match task {
        Task::Godot => Ok(()),
        Task::Build(release) => build::build(&workspace, release.profile()).map(drop),
        Task::Link(release) => {
            link::link(&workspace, &build::build(&workspace, release.profile())?)
        }
        Task::Package(release) => {
            package::package(&workspace, &build::build(&workspace, release.profile())?)
        }
        Task::Demo => demo::demo(&workspace),
        Task::Test(options) => test::test(&workspace, &options),
        Task::Bench(options) => bench::bench(&workspace, &options),
    }
}
