//! Running other programs, with errors that say what was run.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// The cargo that runs us, so that a toolchain chosen on the command line stays chosen.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program; what it prints goes to the terminal.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", text_of(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", text_of(command));
    }
    Ok(())
}

/// Runs a program whose standard output must not become ours: `cargo xtask godot` prints a path
/// and nothing else.
pub(crate) fn run_aside(command: &mut Command) -> Result<()> {
    run(command.stdin(Stdio::null()).stdout(io::stderr()))
}

/// Runs a program and returns what it printed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {}", text_of(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", text_of(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("{} printed no text", text_of(command)))
}

/// The program of that name on `PATH`.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(&file))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}

/// The folder for what is installed once and used by every checkout.
pub(crate) fn cache_folder() -> Result<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| Some(env::home_dir()?.join(".cache")))
        .context("there is no home folder to keep a cache in; set XDG_CACHE_HOME")?;
    Ok(base.join("godot-mcp"))
}

/// The program and its first arguments, for messages.
fn text_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args().take(4));
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}
