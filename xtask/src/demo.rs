//! `cargo xtask demo`: the main job, from nothing.

use anyhow::Result;

use crate::{
    build::{self, Profile},
    display::Display,
    godot, link, shell,
    workspace::Workspace,
};

/// Gets Godot, builds, and runs the session that `tests/src/bin/demo.rs` tells.
pub(crate) fn demo(workspace: &Workspace) -> Result<()> {
    eprintln!("1. Finding Godot …");
    let godot = godot::find_or_install()?;
    eprintln!("2. Building the gateway and the add-on …");
    let products = build::build(workspace, Profile::Dev)?;
    link::link(workspace, &products)?;
    eprintln!("3. Starting an editor on a copy of godot-project, and an MCP session …");
    let mut session = workspace.cargo();
    session.args(["run", "--quiet", "--package", "e2e", "--bin", "demo"]);
    let display = Display::start();
    display.tell(&mut session);
    shell::run(products.tell(&mut session, &godot))
}
