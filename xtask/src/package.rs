//! `cargo xtask package`: the add-on as a user copies it into a project, and as a zip.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use anyhow::{Context, Result};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    build::Products,
    link::{copy_file, place},
    workspace::Workspace,
};

/// What a person who finds the folder in a project reads.
const README: &str = include_str!("addon-readme.md");

/// Makes `target/package`: the add-on's folder, a zip of it, and the gateway beside them.
pub(crate) fn package(workspace: &Workspace, products: &Products) -> Result<()> {
    let top = workspace.target.join("package");
    let addon = top.join("addons/godot_mcp");
    if addon.exists() {
        fs::remove_dir_all(&addon).with_context(|| format!("cannot clear {}", addon.display()))?;
    }
    place(workspace, products, &addon, copy_file)?;
    fs::write(addon.join("README.md"), README)?;

    let archive = top.join("godot-mcp-addon.zip");
    zip_folder(&top, &addon, &archive)
        .with_context(|| format!("cannot write {}", archive.display()))?;

    let program = products.gateway.file_name().context("the gateway has no name")?;
    let program = top.join(program);
    fs::copy(&products.gateway, &program)
        .with_context(|| format!("cannot write {}", program.display()))?;

    eprintln!("add-on:  {}", addon.display());
    eprintln!("zip:     {}", archive.display());
    eprintln!("gateway: {}", program.display());
    Ok(())
}

/// Packs `folder`, with paths relative to `top`, as Godot's asset installer expects them.
fn zip_folder(top: &Path, folder: &Path, archive: &Path) -> Result<()> {
    let mut writer = ZipWriter::new(File::create(archive)?);
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder)?.collect::<io::Result<_>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for path in entries.iter().map(fs::DirEntry::path) {
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let is_library = path.extension().is_some_and(|it| it == "so" || it == "dylib");
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .unix_permissions(if is_library { 0o755 } else { 0o644 });
            let name = path.strip_prefix(top)?.to_string_lossy().replace('\\', "/");
            writer.start_file(name, options)?;
            io::copy(&mut File::open(&path)?, &mut writer)?;
        }
    }
    writer.finish()?;
    Ok(())
}
