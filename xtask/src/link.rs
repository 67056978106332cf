//! `cargo xtask link`: the add-on as a folder that a Godot project can load.

use std::{
    env::consts,
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

use crate::{build::Products, workspace::Workspace};

/// Puts the add-on into the sample project.
pub(crate) fn link(workspace: &Workspace, products: &Products) -> Result<()> {
    let folder = workspace.root.join("godot-project/addons/godot_mcp");
    place(workspace, products, &folder, link_file)?;
    eprintln!("linked the add-on into {}", folder.display());
    Ok(())
}

/// Lays the add-on out in `folder`, each file put there by `put(from, to)`.
pub(crate) fn place(
    workspace: &Workspace,
    products: &Products,
    folder: &Path,
    put: fn(&Path, &Path) -> io::Result<()>,
) -> Result<()> {
    let manifest = workspace.root.join("addon.gdextension");
    let library = library_path(&fs::read_to_string(&manifest)?)?;
    let files = [
        (manifest, PathBuf::from("addon.gdextension")),
        (workspace.root.join("LICENSE"), PathBuf::from("LICENSE")),
        (products.bridge.clone(), library),
    ];
    for (from, to) in files {
        let to = folder.join(to);
        replace(&from, &to, put).with_context(|| format!("cannot put {} there", to.display()))?;
    }
    Ok(())
}

fn replace(from: &Path, to: &Path, put: fn(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    // Never write through a link or into a file that an editor has mapped: take the old one away.
    match fs::remove_file(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => put(from, to),
    }
}

/// A copy.
pub(crate) fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

/// A link, so that the next build is what the next start of the editor loads. Windows wants
/// special rights for links, and gets a copy.
fn link_file(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(from, to);
    #[cfg(not(unix))]
    copy_file(from, to)
}

/// Where `addon.gdextension` expects the library of this machine, relative to itself.
fn library_path(manifest: &str) -> Result<PathBuf> {
    let architecture = match consts::ARCH {
        "aarch64" => "arm64",
        other => other,
    };
    let key = match consts::OS {
        "macos" => "macos.editor".to_owned(),
        system => format!("{system}.editor.{architecture}"),
    };
    for line in manifest.lines() {
        if let Some((name, path)) = line.split_once('=')
            && name.trim() == key
        {
            return Ok(PathBuf::from(path.trim().trim_matches('"')));
        }
    }
    bail!("addon.gdextension has no library for this machine: no line `{key} = …`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_names_the_library_of_this_machine() {
        let path = library_path(include_str!("../../addon.gdextension")).unwrap();
        assert!(path.starts_with("bin"));
        assert!(path.to_string_lossy().ends_with(consts::DLL_SUFFIX));
        assert!(library_path("").is_err());
    }
}
