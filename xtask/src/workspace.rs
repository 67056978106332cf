//! Where the repository is, and where cargo builds into.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

/// The two folders that every task needs.
pub(crate) struct Workspace {
    /// The top of the repository.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the user's configuration puts it.
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Asks cargo, which knows about `CARGO_TARGET_DIR` and every configuration file.
    pub(crate) fn find() -> Result<Workspace> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = shell::output(
            shell::cargo()
                .args(["metadata", "--no-deps", "--format-version", "1"])
                .current_dir(here),
        )?;
        let metadata: Value = serde_json::from_str(&text).context("cannot read cargo metadata")?;
        let folder = |key: &str| {
            let path = metadata.get(key).and_then(Value::as_str);
            path.map(PathBuf::from).with_context(|| format!("cargo metadata lacks {key}"))
        };
        Ok(Workspace { root: folder("workspace_root")?, target: folder("target_directory")? })
    }

    /// `cargo`, run at the top of the repository.
    pub(crate) fn cargo(&self) -> std::process::Command {
        let mut command = shell::cargo();
        command.current_dir(&self.root);
        command
    }
}
