//! Files that are not text and name what goes elsewhere: read before it goes, and saved anew when it
//! is there.

use godot::{classes::ClassDb, prelude::*};
use protocol::{Fault, ResPath, tools::project::FileReference};

use super::{references::Project, rewrite::Route};
use crate::{
    resource::dependencies,
    resource_file::{ResourceFile, has_unsaved_changes},
    undo::Step,
};

/// The files of a project that are not text and name what goes elsewhere.
#[derive(Default)]
pub(super) struct Binaries {
    /// Those that are saved anew, with what they use, which is held until then.
    files: Vec<ResourceFile>,
    /// In which files how many names change, by the paths that they will have.
    pub(super) references: Vec<FileReference>,
    /// Those that cannot be saved anew.
    pub(super) left: Vec<String>,
}

impl Binaries {
    /// Those that a route concerns.
    pub(super) fn of(project: &Project, route: &Route) -> Binaries {
        let mut binaries = Binaries::default();
        for path in &project.binaries {
            let named = dependencies(path);
            let count = named.iter().filter(|(_, named)| route.takes(named)).count();
            if count == 0 {
                continue;
            }
            match open(path) {
                Some(file) => {
                    let reference = FileReference { file: route.after(path), count };
                    binaries.references.push(reference);
                    binaries.files.push(file);
                }
                None => binaries.left.push(path.clone()),
            }
        }
        binaries
    }

    /// The paths that the files have now.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// The step that saves them when what they use lies where it is to lie; `None` without any.
    pub(super) fn step(self, route: Route) -> Option<Step> {
        if self.files.is_empty() {
            return None;
        }
        Some(Step::Then(Box::new(move || {
            let saved = |file: ResourceFile| -> Result<Step, Fault> {
                let path = ResPath::try_from(route.after(file.path.as_str()));
                let file = file.moved_to(path.map_err(Fault::internal)?);
                Ok(file.written()?.0)
            };
            self.files.into_iter().map(saved).collect()
        })))
    }
}

/// A file that can be saved with nothing lost: it can be read, with all that it names, the editor holds
/// no changes of it, and this Godot lets a file keep its UID.
fn open(path: &str) -> Option<ResourceFile> {
    if !ClassDb::singleton().class_has_method("ResourceSaver", "set_uid") {
        return None;
    }
    let path = ResPath::try_from(path.to_owned()).ok()?;
    let file = ResourceFile::open(&path, "path").ok()?;
    file.check_complete().ok()?;
    (!has_unsaved_changes(&path)).then_some(file)
}
