//! Godot from Debian's own packages, in a folder of its own.
//!
//! Debian's stable release has no Godot 4.4, but its testing release has. So the packages of that
//! release are unpacked into a folder in the cache, which leaves the machine itself as it is, and
//! a small script runs Godot inside that folder.

use std::{
    fs::{self, File},
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::shell;

/// The first release of Debian that carries Godot 4.4 or newer.
const RELEASE: &str = "forky";

/// Godot with its export templates, and what it needs to draw in software.
const PACKAGES: &[&str] = &[
    "godot",
    "godot-template-debug",
    "godot-template-release",
    "ca-certificates",
    "libgl1-mesa-dri",
    "libgl1",
    "libglx-mesa0",
    "libegl1",
    "libegl-mesa0",
    "libxcursor1",
    "libxinerama1",
    "libxrandr2",
    "libxi6",
    "libxext6",
    "libxrender1",
    "libxkbcommon0",
    "libfontconfig1",
];

/// Runs Godot in the unpacked system. Every folder that a project may lie in is bound to the same
/// place inside, so paths mean the same on both sides. Each step is an `exec`, so that the process
/// that was started *is* Godot: signals, the exit code and memory readings are Godot's own.
const WRAPPER: &str = r#"#!/bin/sh
# Written by `cargo xtask godot`: runs the Godot that is unpacked beside this file.
exec unshare --mount /bin/sh -eu -c '
root=$1 here=$2
shift 2
for folder in /*; do
    case ${folder#/} in
        bin | boot | etc | lib* | lost+found | sbin | usr | var) continue ;;
    esac
    [ -d "$folder" ] || continue
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
done
exec chroot "$root" env -C "$here" godot "$@"
' godot "@ROOT@" "$PWD" "$@"
"#;

/// Whether packages can be installed: this is Debian or a relative, and we are root.
pub(crate) fn can_install() -> bool {
    is_root() && shell::which("apt-get").is_some()
}

/// Whether this process may do everything.
pub(crate) fn is_root() -> bool {
    // The owner of our own entry in /proc is the user that we run as.
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

/// Installs a package of this machine's own release, unless `program` is there already.
pub(crate) fn need_program(program: &str, package: &str) -> Result<()> {
    if shell::which(program).is_some() {
        return Ok(());
    }
    install(package).with_context(|| format!("`{program}` is missing"))
}

/// Installs a package of this machine's own release.
pub(crate) fn install(package: &str) -> Result<()> {
    if !can_install() {
        bail!("install it first: sudo apt-get install {package}");
    }
    eprintln!("installing {package} …");
    let apt = || {
        let mut command = Command::new("apt-get");
        command.arg("-qq").env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    shell::run_aside(apt().arg("update"))?;
    shell::run_aside(apt().args(["install", "--yes", "--no-install-recommends", package]))
}

/// The Godot in `cache`, after unpacking it there if it is not there yet.
pub(crate) fn godot(cache: &Path) -> Result<PathBuf> {
    let root = cache.join(format!("debian-{RELEASE}"));
    if !root.join("usr/bin/godot").exists() {
        unpack(cache, &root)?;
    }
    let wrapper = cache.join("godot");
    let text = WRAPPER.replace("@ROOT@", &root.to_string_lossy());
    if fs::read_to_string(&wrapper).ok().as_deref() != Some(&text) {
        // Written aside and renamed, as another process may be about to start it.
        let fresh = cache.join(format!("godot.{}", std::process::id()));
        fs::write(&fresh, text)?;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(0o755))?;
        fs::rename(&fresh, &wrapper)?;
    }
    Ok(wrapper)
}

/// Unpacks the packages under another name and renames the folder at the end, so that a folder of
/// the right name is always complete.
fn unpack(cache: &Path, root: &Path) -> Result<()> {
    fs::create_dir_all(cache).with_context(|| format!("cannot make {}", cache.display()))?;
    let lock = File::create(cache.join("install.lock"))?;
    lock.lock().context("cannot wait for another installation")?;
    if root.join("usr/bin/godot").exists() {
        return Ok(());
    }
    need_program("mmdebstrap", "mmdebstrap")?;
    let mirror = mirror()?;
    let fresh = root.with_extension("partial");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    eprintln!("installing Godot from Debian {RELEASE} into {} (about a minute) …", root.display());
    shell::run_aside(
        Command::new("mmdebstrap")
            .args(["--quiet", "--variant=essential", "--mode=root"])
            .arg(format!("--include={}", PACKAGES.join(",")))
            .arg(r#"--aptopt=APT::Install-Recommends "false""#)
            // A mirror may be a snapshot whose index has run out.
            .arg(r#"--aptopt=Acquire::Check-Valid-Until "false""#)
            .arg("--dpkgopt=path-exclude=/usr/share/doc/*")
            .arg(RELEASE)
            .arg(&fresh)
            .arg(format!("deb [signed-by={}] {} {RELEASE} main", mirror.keyring, mirror.uri)),
    )?;
    fs::rename(&fresh, root).with_context(|| format!("cannot make {}", root.display()))
}

/// Where this machine gets its Debian packages from, and the keys that it trusts for them.
#[derive(Debug, PartialEq, Eq)]
struct Mirror {
    uri: String,
    keyring: String,
}

/// Asks the machine's own configuration: it knows which mirror can be reached from here.
fn mirror() -> Result<Mirror> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(folder) = fs::read_dir("/etc/apt/sources.list.d") {
        let mut more: Vec<_> = folder.filter_map(|entry| Some(entry.ok()?.path())).collect();
        more.sort();
        files.extend(more);
    }
    files
        .iter()
        .filter_map(|file| find_mirror(&fs::read_to_string(file).ok()?))
        .next()
        .context("the apt configuration of this machine names no mirror of Debian")
}

/// The first mirror of Debian proper in a file of sources, in either of apt's two formats.
fn find_mirror(text: &str) -> Option<Mirror> {
    one_line_sources(text).into_iter().chain(stanza_sources(text)).find(|mirror| {
        let uri = mirror.uri.trim_end_matches('/');
        uri.contains("debian") && !uri.contains("security") && mirror.keyring.contains("debian")
    })
}

/// `deb [signed-by=KEYS] URI SUITE COMPONENT…`
fn one_line_sources(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim().strip_prefix("deb ") else { continue };
        let (options, rest) = match rest.trim().strip_prefix('[') {
            Some(rest) => rest.split_once(']').unwrap_or((rest, "")),
            None => ("", rest),
        };
        let keyring = options.split_whitespace().find_map(|it| it.strip_prefix("signed-by="));
        if let Some(uri) = rest.split_whitespace().next() {
            found.push(entry(uri, keyring));
        }
    }
    found
}

/// Paragraphs of `Types: deb`, `URIs: …`, `Signed-By: …`.
fn stanza_sources(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for stanza in text.split("\n\n") {
        let field = |name: &str| {
            stanza.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
            })
        };
        let is_binary = field("Types").is_some_and(|it| it.split_whitespace().any(|t| t == "deb"));
        let is_enabled = field("Enabled").is_none_or(|it| !it.eq_ignore_ascii_case("no"));
        if let Some(uri) = field("URIs").and_then(|uris| uris.split_whitespace().next())
            && is_binary
            && is_enabled
        {
            found.push(entry(uri, field("Signed-By")));
        }
    }
    found
}

fn entry(uri: &str, keyring: Option<&str>) -> Mirror {
    // A key that is written into the sources themselves is of no use as a path.
    let keyring = keyring.filter(|it| it.starts_with('/'));
    let keyring = keyring.unwrap_or("/usr/share/keyrings/debian-archive-keyring.gpg");
    Mirror { uri: uri.to_owned(), keyring: keyring.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_sources_are_read() {
        let text = "# deb http://old.example/debian x main\n\
                    deb http://security.example/debian-security stable main\n\
                    deb [arch=amd64 signed-by=/k/debian.gpg] http://one.example/debian stable main\n";
        let mirror = find_mirror(text).unwrap();
        assert_eq!(mirror.uri, "http://one.example/debian");
        assert_eq!(mirror.keyring, "/k/debian.gpg");
    }

    #[test]
    fn stanzas_are_read() {
        let text = "Types: deb deb-src\nURIs: http://two.example/debian/\nSuites: stable\n\n\
                    Types: deb\nURIs: http://security.example/debian-security\n";
        let mirror = find_mirror(text).unwrap();
        assert_eq!(mirror.uri, "http://two.example/debian/");
        assert!(mirror.keyring.ends_with("debian-archive-keyring.gpg"));
    }

    #[test]
    fn other_sources_are_passed_over() {
        assert_eq!(find_mirror("deb http://tools.example/apt stable main"), None);
        let off = "Types: deb\nURIs: http://two.example/debian\nEnabled: no\n";
        assert_eq!(find_mirror(off), None);
    }
}
