//! `godot_project_get_filesystem_tree`.

use std::io;

use protocol::{
    Fault,
    tools::project::{FilesystemTree, FsEntry, GetFilesystemTree},
};

use crate::{
    files::unreadable,
    folder::{Folder, is_sidecar},
    plan::{Context, Read},
    tools::page::{PAGE_CHARACTERS, Page, Window},
};

impl Read for GetFilesystemTree {
    fn read(self, _: &Context) -> Result<FilesystemTree, Fault> {
        let folder = Folder::find(&self.directory, "directory")?;
        let name = match self.directory.as_str() {
            "res://" => "res://",
            path => path.rsplit('/').next().unwrap_or_default(),
        };
        let mut window = Page::parse(&self.cursor)?.window(PAGE_CHARACTERS);
        let built = build(&folder, name, self.max_depth.limit(), &mut window);
        let (_, tree) = built.map_err(|error| unreadable(folder.path(), &error))?;
        let next_cursor = window.next_cursor();
        Ok(FilesystemTree {
            tree,
            total: window.seen(),
            returned: window.admitted(),
            truncated: next_cursor.is_some(),
            next_cursor,
        })
    }
}

/// A folder with what of it and below it is on the page, and whether anything is. The folders above
/// what is on the page stand there again, so that each entry is where it belongs.
fn build(
    folder: &Folder,
    name: &str,
    depth: Option<usize>,
    window: &mut Window,
) -> io::Result<(bool, FsEntry)> {
    let mut entry = entry(name, folder.path(), "directory");
    let mut is_on_page = window.admits(&entry);
    let mut children = Vec::new();
    if depth != Some(0) {
        let entries = folder.entries()?;
        for (name, folder) in &entries.folders {
            let (has_some, below) = build(folder, name, depth.map(|depth| depth - 1), window)?;
            children.extend(has_some.then_some(below));
        }
        for (name, path) in entries.files.iter().filter(|(name, _)| !is_sidecar(name)) {
            let file = self::entry(name, path, "file");
            children.extend(window.admits(&file).then_some(file));
        }
    }
    is_on_page |= !children.is_empty();
    entry.children = Some(children);
    Ok((is_on_page, entry))
}

fn entry(name: &str, path: &str, kind: &str) -> FsEntry {
    FsEntry { name: name.to_owned(), path: path.to_owned(), kind: kind.to_owned(), children: None }
}
