//! `cargo xtask build`: the gateway and the add-on's library.

use std::{
    env::consts,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, ensure};

use crate::{shell, workspace::Workspace};

/// How to build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Quick to build.
    Dev,
    /// Quick to run.
    Release,
}

impl Profile {
    /// The folder under `target` that cargo builds into.
    fn folder(self) -> &'static str {
        match self {
            Profile::Dev => "debug",
            Profile::Release => "release",
        }
    }
}

/// What a build makes.
pub(crate) struct Products {
    /// The program `godot-mcp`.
    pub(crate) gateway: PathBuf,
    /// The library that Godot loads.
    pub(crate) bridge: PathBuf,
}

impl Products {
    /// Where cargo puts them.
    pub(crate) fn of(workspace: &Workspace, profile: Profile) -> Products {
        let folder = workspace.target.join(profile.folder());
        let library = format!("{}gdext_bridge{}", consts::DLL_PREFIX, consts::DLL_SUFFIX);
        Products {
            gateway: folder.join(format!("godot-mcp{}", consts::EXE_SUFFIX)),
            bridge: folder.join(library),
        }
    }
}

impl Products {
    /// Tells a program of the package `e2e` what to try: the names are read in
    /// `tests/src/setup.rs`.
    pub(crate) fn tell<'a>(&self, command: &'a mut Command, godot: &Path) -> &'a mut Command {
        command.env("E2E_GODOT", godot).env("E2E_GATEWAY", &self.gateway)
    }
}

/// Builds both, and nothing that only tests need.
pub(crate) fn build(workspace: &Workspace, profile: Profile) -> Result<Products> {
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--package", "gateway", "--package", "gdext-bridge"]);
    if profile == Profile::Release {
        cargo.arg("--release");
    }
    shell::run_aside(&mut cargo)?;
    let products = Products::of(workspace, profile);
    for product in [&products.gateway, &products.bridge] {
        ensure!(product.is_file(), "cargo built no {}", product.display());
    }
    Ok(products)
}
