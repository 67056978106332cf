//! `cargo xtask bench`: how fast it is.

use anyhow::Result;
use clap::Args;

use crate::{
    build::{self, Profile},
    display::Display,
    godot, link, shell,
    workspace::Workspace,
};

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Measure only what has this in its name.
    filter: Option<String>,
    /// How many calls of each kind.
    #[arg(long, default_value_t = 300)]
    samples: usize,
}

/// Builds for release and runs the measurements of `tests/src/bin/bench.rs`.
pub(crate) fn bench(workspace: &Workspace, options: &Options) -> Result<()> {
    let godot = godot::find_or_install()?;
    let products = build::build(workspace, Profile::Release)?;
    link::link(workspace, &products)?;
    let mut bench = workspace.cargo();
    bench.args(["run", "--quiet", "--release", "--package", "e2e", "--bin", "bench"]);
    bench.arg("--").arg(options.samples.to_string()).args(&options.filter);
    let display = Display::start();
    display.tell(&mut bench);
    shell::run(products.tell(&mut bench, &godot))
}
