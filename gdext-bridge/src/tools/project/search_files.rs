//! `godot_project_search_files`.

use std::fs;

use godot::prelude::*;
use protocol::{
    Fault,
    tools::project::{FilesFound, LineFound, SearchFiles},
};

use crate::{
    files::unreadable,
    folder::Folder,
    plan::{Context, Read},
    resource::on_disk,
    secrets,
    tools::page::{PAGE_CHARACTERS, Page},
};

/// Files with more bytes are not looked into.
const LARGEST: u64 = 2_000_000;

/// How much of a line is told, in characters.
const LINE: usize = 200;

impl Read for SearchFiles {
    fn read(self, _: &Context) -> Result<FilesFound, Fault> {
        let folder = Folder::find(&self.directory, "directory")?;
        let limit = usize::try_from(self.max_results.get()).unwrap_or_default();
        let mut window = Page::parse(&self.offset.to_string())?.window(PAGE_CHARACTERS);
        let (mut matches, mut lines) = (Vec::new(), Vec::new());
        let mut has_more = false;
        folder
            .each_file(&mut |path| {
                if !is_named(path, folder.path(), &self.name_glob) {
                    return true;
                }
                let line = match self.content.as_str() {
                    "" => None,
                    text => match find(path, text) {
                        Some(line) => Some(line),
                        None => return true,
                    },
                };
                if matches.len() >= limit {
                    has_more = true;
                    return false;
                }
                if window.admits(&(path, &line)) {
                    matches.push(path.to_owned());
                    lines.extend(line);
                }
                has_more = window.is_full();
                !has_more
            })
            .map_err(|error| unreadable(folder.path(), &error))?;
        let next = usize::try_from(self.offset).unwrap_or_default() + matches.len();
        let next_offset = has_more.then_some(next);
        Ok(FilesFound { matches, lines, truncated: has_more, next_offset })
    }
}

/// Whether a file's name fits. With a "/" in the pattern it is the path below the folder that has to.
fn is_named(path: &str, folder: &str, glob: &str) -> bool {
    let name = match glob.contains('/') {
        true => path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/'),
        false => path.rsplit('/').next().unwrap_or_default(),
    };
    glob.is_empty() || GString::from(name).matchn_glob(glob)
}

/// Where a text stands first in a file.
fn find(path: &str, wanted: &str) -> Option<LineFound> {
    let file = on_disk(path);
    if fs::metadata(&file).ok()?.len() > LARGEST {
        return None;
    }
    let text = fs::read_to_string(&file).ok()?;
    let text = secrets::masked(path, &text);
    let at = text.find(wanted)?;
    let line = text.get(..at)?.matches('\n').count();
    let shown = text.lines().nth(line).unwrap_or_default().trim();
    let text = shown.chars().take(LINE).collect();
    Some(LineFound { path: path.to_owned(), line: line + 1, text })
}
