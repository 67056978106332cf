//! `cargo xtask godot`: a real Godot 4.4 or newer.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// The oldest Godot that loads the add-on.
const OLDEST: (u32, u32) = (4, 4);

/// Looks at `GODOT_BIN`, at `PATH`, and in the cache; then installs one there if it can.
pub(crate) fn find_or_install() -> Result<PathBuf> {
    if let Some(path) = env::var_os("GODOT_BIN").filter(|value| !value.is_empty()) {
        let path = PathBuf::from(path);
        let version = version_of(&path).context("GODOT_BIN cannot be used")?;
        ensure!(version >= OLDEST, "GODOT_BIN is Godot {}.{}, but {NEEDED}", version.0, version.1);
        return Ok(path);
    }
    for name in ["godot", "godot4"] {
        let Some(path) = shell::which(name) else { continue };
        match version_of(&path) {
            Ok(version) if version >= OLDEST => return Ok(path),
            Ok((major, minor)) => {
                eprintln!("passing over {}: Godot {major}.{minor}, but {NEEDED}", path.display());
            }
            Err(error) => eprintln!("passing over {}: {error:#}", path.display()),
        }
    }
    install()
}

const NEEDED: &str = "4.4 or newer is needed";

#[cfg(target_os = "linux")]
fn install() -> Result<PathBuf> {
    use crate::debian;

    if debian::can_install() {
        return debian::godot(&shell::cache_folder()?);
    }
    bail!(
        "no Godot 4.4 or newer was found. Get one from https://godotengine.org/download and put it \
         on PATH as `godot`, or set GODOT_BIN to it. On Debian, `sudo cargo xtask godot` installs \
         Debian's package `godot` into a cache folder."
    )
}

#[cfg(not(target_os = "linux"))]
fn install() -> Result<PathBuf> {
    let app = Path::new("/Applications/Godot.app/Contents/MacOS/Godot");
    if app.is_file() && version_of(app)? >= OLDEST {
        return Ok(app.to_owned());
    }
    bail!(
        "no Godot 4.4 or newer was found. Get one from https://godotengine.org/download and put it \
         on PATH as `godot`, or set GODOT_BIN to it."
    )
}

/// Asks an executable for its version.
fn version_of(path: &Path) -> Result<(u32, u32)> {
    let output = Command::new(path)
        .args(["--headless", "--version"])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", path.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse_version(&text)
        .with_context(|| format!("{} does not tell a version: {text:?}", path.display()))
}

/// The version in what Godot prints, such as `4.6.3.stable.official.abc`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    text.lines().find_map(|line| {
        let mut parts = line.trim().split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(parse_version("4.6.3.stable.debian\n"), Some((4, 6)));
        assert_eq!(parse_version("warning\n4.10.stable"), Some((4, 10)));
        assert_eq!(parse_version("no"), None);
        assert!((4, 10) >= OLDEST);
        assert!((3, 6) < OLDEST);
    }
}
