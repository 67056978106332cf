//! Files and folders of the project that go elsewhere, as undo steps: with what lies beside them, and
//! with what the editor has loaded from them and shows of them.

use std::{
    cell::RefCell,
    fs, io,
    path::{Path, PathBuf},
};

use godot::prelude::*;
use protocol::{Fault, ResPath};

use crate::{
    by_products::ByProducts,
    files::{
        SIDECARS, beside, changed_meanwhile, made_beside, make_folders, put, read, remove_folders,
        resolved, unreadable, unwritable,
    },
    refresh,
    resource::on_disk,
    script_tabs,
    undo::kept::{Foretold, Kept, Outcome},
};

/// A file or folder that is to lie elsewhere, where nothing is yet.
pub(crate) struct FileMove {
    /// Where it is, and where it is to be; the same of what was made of it and lies beside it.
    pub(crate) ends: Vec<[ResPath; 2]>,
    /// The files that go with it, each with its path before and after; without what lies beside them.
    pub(crate) files: Vec<(String, String)>,
    /// UIDs that somebody names such a file by, and that need not be its own, each with its path before
    /// and after.
    pub(crate) uids: Vec<(String, [String; 2])>,
}

impl FileMove {
    /// Reads what the editor changes on the way, to be put back.
    pub(crate) fn prepare(self) -> Result<Gd<KeptMove>, Fault> {
        let mut imported = Vec::new();
        for (old, new) in &self.files {
            if let Some(before) = Import::read(old)? {
                imported.push(Imported {
                    ends: [old.clone(), new.clone()],
                    states: [Some(before), None],
                });
            }
        }
        let none = |(_, new): &(String, String)| [ByProducts::read(new), ByProducts::default()];
        let by_products = self.files.iter().map(none).collect();
        Ok(Gd::from_object(KeptMove {
            by_products: RefCell::new(by_products),
            ends: self.ends,
            files: self.files,
            uids: self.uids,
            imported: RefCell::new(imported),
            made: RefCell::default(),
            outcome: Outcome::default(),
        }))
    }
}

/// A file that is imported, with where it is and where it is to be.
struct Imported {
    ends: [String; 2],
    /// What the import was like there, once it was.
    states: [Option<Import>; 2],
}

/// How a file is imported, which the editor writes anew where the file comes to lie; and what it has
/// made of it beside it, which is not the same to the byte when it is made again.
struct Import {
    how: Vec<u8>,
    made: Vec<(String, Vec<u8>)>,
}

impl Import {
    fn read(path: &str) -> Result<Option<Import>, Fault> {
        let content = |file: &Path| read(file).map_err(|error| unreadable(path, &error));
        let Some(how) = content(&beside(&on_disk(path), "import"))? else { return Ok(None) };
        let mut made = Vec::new();
        for file in made_beside(path, &String::from_utf8_lossy(&how)) {
            if let Some(content) = content(&on_disk(&file))? {
                made.push((file, content));
            }
        }
        Ok(Some(Import { how, made }))
    }

    fn put(&self, path: &str) -> io::Result<()> {
        put(&beside(&on_disk(path), "import"), Some(&self.how))?;
        self.made.iter().try_for_each(|(file, content)| put(&on_disk(file), Some(content)))
    }
}

/// A move, as the undo history keeps it.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
pub(crate) struct KeptMove {
    ends: Vec<[ResPath; 2]>,
    files: Vec<(String, String)>,
    uids: Vec<(String, [String; 2])>,
    imported: RefCell<Vec<Imported>>,
    /// What importers have made of each file where it is to be: before, and after once it was taken back.
    by_products: RefCell<Vec<[ByProducts; 2]>>,
    /// The folders that were made for it.
    made: RefCell<Vec<PathBuf>>,
    outcome: Outcome,
}

#[godot_api]
impl KeptMove {
    /// Does the step.
    #[func]
    fn apply(&self) {
        let ends: Vec<_> = self.ends.iter().map(|[old, new]| [old, new]).collect();
        let files: Vec<_> = self.files.iter().map(|(old, new)| (&**old, &**new)).collect();
        self.outcome.of(|| {
            self.go(&ends, &files)?;
            self.each_by_products(|[_, after], now| after.put(&now));
            for (uid, [old, new]) in &self.uids {
                refresh::lead_uid(uid, old, new);
            }
            refresh::moved(&files, &self.put_imports(|[_, after]| after, |[_, new]| new)?);
            Ok(())
        });
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        let ends: Vec<_> = self.ends.iter().map(|[old, new]| [new, old]).collect();
        let files: Vec<_> = self.files.iter().map(|(old, new)| (&**new, &**old)).collect();
        self.outcome.of(|| {
            for Imported { ends: [_, new], states: [_, after] } in &mut *self.imported.borrow_mut()
            {
                *after = Import::read(new)?;
            }
            self.go(&ends, &files)?;
            let kept = self.put_imports(|[before, _]| before, |[old, _]| old)?;
            self.each_by_products(|[before, after], now| {
                before.put_back(&now);
                *after = now;
            });
            remove_folders(&self.made.take());
            for (uid, [old, new]) in &self.uids {
                refresh::lead_uid(uid, new, old);
            }
            refresh::moved(&files, &kept);
            Ok(())
        });
    }

    /// Calls `visit` with what importers had made of each file where it was moved to, and have there now.
    fn each_by_products(&self, visit: impl Fn(&mut [ByProducts; 2], ByProducts)) {
        let made = &mut *self.by_products.borrow_mut();
        made.iter_mut().zip(&self.files).for_each(|(made, (_, new))| {
            visit(made, ByProducts::read(new));
        });
    }

    /// Puts back what imports were like on one side. Gives the files that need none again.
    fn put_imports(
        &self,
        state: fn(&[Option<Import>; 2]) -> &Option<Import>,
        end: fn(&[String; 2]) -> &String,
    ) -> Result<Vec<String>, Fault> {
        let mut kept = Vec::new();
        for Imported { ends, states } in &*self.imported.borrow() {
            let (path, Some(import)) = (end(ends), state(states)) else { continue };
            import.put(path).map_err(|error| unwritable(path, &error))?;
            if !import.made.is_empty() {
                kept.push(path.clone());
            }
        }
        Ok(kept)
    }

    fn go(&self, ends: &[[&ResPath; 2]], files: &[(&str, &str)]) -> Result<(), Fault> {
        let place = |path: &ResPath| {
            resolved(&on_disk(path.as_str())).map_err(|error| unreadable(path.as_str(), &error))
        };
        let mut places = Vec::new();
        for [from, to] in ends {
            let (source, target) = (place(from)?, place(to)?);
            if !source.exists() {
                return Err(changed_meanwhile(from.as_str()));
            }
            if target.exists() {
                return Err(changed_meanwhile(to.as_str()));
            }
            places.push((source, target, to));
        }
        for (old, _) in files {
            script_tabs::check_saved(old)?;
        }
        for (source, target, to) in places {
            let moved = self.rename(&source, &target);
            moved.map_err(|error| unwritable(to.as_str(), &error))?;
        }
        Ok(())
    }

    fn rename(&self, source: &Path, target: &Path) -> io::Result<()> {
        let made = make_folders(target)?;
        if let Err(error) = fs::rename(source, target) {
            // As if nothing had been begun.
            remove_folders(&made);
            return Err(error);
        }
        self.made.borrow_mut().extend(made);
        if target.is_file() {
            for suffix in SIDECARS {
                let sidecar = beside(source, suffix);
                if sidecar.exists() {
                    fs::rename(sidecar, beside(target, suffix))?;
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
        for [old, new] in &self.ends {
            let (from, to) = turned((old.as_str(), new.as_str()));
            if !files.has(&from) {
                return Err(changed_meanwhile(&from));
            }
            if files.has(&to) {
                return Err(changed_meanwhile(&to));
            }
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
