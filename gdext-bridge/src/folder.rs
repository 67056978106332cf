//! The folders of the project as they are on disk: what is in them, in order, and no further than
//! the project goes.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use protocol::{Fault, Required, ResPath};

use crate::{
    files::{SIDECARS, located, unreadable},
    resource::on_disk,
};

/// A folder of the project.
pub(crate) struct Folder {
    path: String,
    place: PathBuf,
    project: PathBuf,
}

/// What a folder holds, by name.
#[derive(Default)]
pub(crate) struct Entries {
    /// The folders in it.
    pub(crate) folders: BTreeMap<String, Folder>,
    /// The `res://` paths of the files in it.
    pub(crate) files: BTreeMap<String, String>,
}

impl Folder {
    /// A folder that must be there. `parameter` is the argument it came in.
    pub(crate) fn find(path: &ResPath, parameter: &'static str) -> Result<Folder, Fault> {
        let place = located(path, parameter)?;
        let named = |fault: Fault| fault.requiring(Required::parameter(parameter));
        if place.is_file() {
            return Err(named(Fault::invalid(format!("'{path}' is a file, not a folder."))));
        }
        if !place.is_dir() {
            return Err(named(Fault::not_found(format!("There is no folder '{path}'."))));
        }
        let project = fs::canonicalize(on_disk("res://"))
            .map_err(|error| unreadable(path.as_str(), &error))?;
        Ok(Folder { path: path.to_string(), place, project })
    }

    /// What it holds. Left out are hidden files and folders, as those of version control and of the
    /// editor; links that lead out of the project or back up; and what is neither file nor folder, such
    /// as a pipe.
    pub(crate) fn entries(&self) -> io::Result<Entries> {
        let mut entries = Entries::default();
        for entry in fs::read_dir(&self.place)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let place = entry.path();
            let kind = entry.file_type()?;
            let place = if kind.is_symlink() {
                match fs::canonicalize(place) {
                    Ok(real) if self.may_follow(&real) => real,
                    _ => continue,
                }
            } else {
                place
            };
            let path = below(&self.path, &name);
            if kind.is_dir() || (kind.is_symlink() && place.is_dir()) {
                let folder = Folder { path, place, project: self.project.clone() };
                entries.folders.insert(name, folder);
            } else if place.is_file() {
                entries.files.insert(name, path);
            }
        }
        Ok(entries)
    }

    /// Calls `visit` with the path of every file in it and below, in order, until that says no.
    pub(crate) fn each_file(&self, visit: &mut impl FnMut(&str) -> bool) -> io::Result<bool> {
        let entries = self.entries()?;
        for folder in entries.folders.values() {
            if !folder.each_file(visit)? {
                return Ok(false);
            }
        }
        Ok(entries.files.values().all(|path| visit(path)))
    }

    /// Its `res://` path.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn may_follow(&self, real: &Path) -> bool {
        real.starts_with(&self.project) && !self.place.starts_with(real)
    }
}

/// The path of what is called `name` in a folder.
pub(crate) fn below(folder: &str, name: &str) -> String {
    let between = if folder.ends_with('/') { "" } else { "/" };
    format!("{folder}{between}{name}")
}

/// Whether a file is one that the editor keeps beside another.
pub(crate) fn is_sidecar(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| SIDECARS.contains(&end))
}
