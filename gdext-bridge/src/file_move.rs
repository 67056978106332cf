//! Files and folders of the project that go elsewhere, as undo steps: with what lies beside them, and
//! with what the editor has loaded from them and shows of them.

use std::{cell::RefCell, fs, io, path::PathBuf};

use godot::prelude::*;
use protocol::{Fault, ResPath};

use crate::{
    files::{
        SIDECARS, beside, changed_meanwhile, make_folders, put, read, remove_folders, resolved,
        unreadable, unwritable,
    },
    refresh,
    resource::on_disk,
    script_tabs,
    undo::kept::{Foretold, Kept, Outcome},
};

/// A file or folder that is to lie elsewhere, where nothing is yet.
pub(crate) struct FileMove {
    /// Where it is, and where it is to be.
    pub(crate) ends: [ResPath; 2],
    /// The files that go with it, each with its path before and after; without what lies beside them.
    pub(crate) files: Vec<(String, String)>,
}

impl FileMove {
    /// Reads what the editor changes on the way, to be put back.
    pub(crate) fn prepare(self) -> Result<Gd<KeptMove>, Fault> {
        let mut imports = Vec::new();
        for (old, new) in &self.files {
            let file = beside(&on_disk(old), "import");
            if let Some(content) = read(&file).map_err(|error| unreadable(old, &error))? {
                imports.push((old.clone(), new.clone(), content));
            }
        }
        Ok(Gd::from_object(KeptMove {
            ends: self.ends,
            files: self.files,
            imports,
            made: RefCell::default(),
            outcome: Outcome::default(),
        }))
    }
}

/// A move, as the undo history keeps it.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
pub(crate) struct KeptMove {
    ends: [ResPath; 2],
    files: Vec<(String, String)>,
    /// How files are imported: the editor writes that anew where they come to lie.
    imports: Vec<(String, String, Vec<u8>)>,
    /// The folders that were made for it.
    made: RefCell<Vec<PathBuf>>,
    outcome: Outcome,
}

#[godot_api]
impl KeptMove {
    /// Does the step.
    #[func]
    fn apply(&self) {
        let [old, new] = &self.ends;
        let files: Vec<_> = self.files.iter().map(|(old, new)| (&**old, &**new)).collect();
        self.outcome.of(|| self.go(old, new, &files).map(|()| refresh::moved(&files)));
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        let [old, new] = &self.ends;
        let files: Vec<_> = self.files.iter().map(|(old, new)| (&**new, &**old)).collect();
        self.outcome.of(|| {
            self.go(new, old, &files)?;
            for (old, _, content) in &self.imports {
                put(&beside(&on_disk(old), "import"), Some(content))
                    .map_err(|error| unreadable(old, &error))?;
            }
            remove_folders(&self.made.take());
            refresh::moved(&files);
            Ok(())
        });
    }

    fn go(&self, from: &ResPath, to: &ResPath, files: &[(&str, &str)]) -> Result<(), Fault> {
        let place = |path: &ResPath| {
            resolved(&on_disk(path.as_str())).map_err(|error| unreadable(path.as_str(), &error))
        };
        let (source, target) = (place(from)?, place(to)?);
        if !source.exists() {
            return Err(changed_meanwhile(from.as_str()));
        }
        if target.exists() {
            return Err(changed_meanwhile(to.as_str()));
        }
        for (old, _) in files {
            script_tabs::check_saved(old)?;
        }
        let failed = |error: io::Error| unwritable(to.as_str(), &error);
        self.made.borrow_mut().extend(make_folders(&target).map_err(failed)?);
        fs::rename(&source, &target).map_err(failed)?;
        if target.is_file() {
            for suffix in SIDECARS {
                let sidecar = beside(&source, suffix);
                if sidecar.exists() {
                    fs::rename(sidecar, beside(&target, suffix)).map_err(failed)?;
                }
            }
        }
        Ok(())
    }
}

impl Kept for KeptMove {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn foretell(&self, back: bool, files: &mut Foretold) -> Result<(), Fault> {
        let turned = |ends: (&str, &str)| {
            if back {
                (ends.1.to_owned(), ends.0.to_owned())
            } else {
                (ends.0.to_owned(), ends.1.to_owned())
            }
        };
        let [old, new] = &self.ends;
        let (from, to) = turned((old.as_str(), new.as_str()));
        if !files.has(&from) {
            return Err(changed_meanwhile(&from));
        }
        if files.has(&to) {
            return Err(changed_meanwhile(&to));
        }
        let moves: Vec<_> = self.files.iter().map(|(old, new)| turned((old, new))).collect();
        moves.iter().try_for_each(|(old, _)| script_tabs::check_saved(old))?;
        moves.iter().for_each(|(old, new)| files.rename(old, new));
        Ok(())
    }

    fn paths(&self) -> Vec<String> {
        self.files.iter().map(|(_, new)| new.clone()).collect()
    }

    fn is_whole(&self) -> bool {
        true
    }
}
