//! Files of the project as undo steps: written and removed whole, put back to the byte.
//!
//! The editor hears of each, as it does of what the human does in its file dock, and what it holds
//! of the file is made new: see [`crate::refresh`].

use std::{
    cell::RefCell,
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use godot::prelude::*;
use protocol::{Fault, ResPath};

use crate::{
    by_products::ByProducts,
    exported::LostValues,
    file_mark::{self, FileMark},
    files::{
        SIDECARS, beside, changed_meanwhile, link_target, make_folders, put, read, remove_folders,
        resolved, unreadable, unwritable,
    },
    refresh::{self, Change},
    resource::on_disk,
    script_tabs, together,
    undo::kept::{Foretold, Kept, Outcome},
};

/// A file that is to be written or removed.
pub(crate) struct FileChange {
    path: String,
    content: Option<Vec<u8>>,
    reword: Option<Reword>,
    remakes_instances: bool,
}

/// Makes the same change to another text than the one that was there: forth, or back if that is set.
pub(crate) type Reword = Box<dyn Fn(&str, bool) -> String>;

/// A file with what lies beside it.
#[derive(Clone, Default, PartialEq)]
struct State {
    /// `None` where there is no file.
    content: Option<Vec<u8>>,
    /// The content of the files beside it, in the order of [`SIDECARS`]; `None` for one that is not
    /// there.
    beside: [Option<Vec<u8>>; SIDECARS.len()],
}

impl FileChange {
    /// The file with this content, in folders that are made where they are missing. What lies beside
    /// a file that is there stays.
    pub(crate) fn write(path: &ResPath, content: Vec<u8>) -> FileChange {
        FileChange {
            path: path.to_string(),
            content: Some(content),
            reword: None,
            remakes_instances: false,
        }
    }

    /// No file, and nothing beside it.
    pub(crate) fn remove(path: &ResPath) -> FileChange {
        FileChange { path: path.to_string(), content: None, reword: None, remakes_instances: false }
    }

    /// The file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The same change, which can also be made, and taken back, when somebody else has changed other
    /// parts of the file since.
    pub(crate) fn rewording(self, reword: Reword) -> FileChange {
        FileChange { reword: Some(reword), ..self }
    }

    /// The same change of a scene, after which the open scenes are read again that have instances of it.
    pub(crate) fn remaking_instances(self) -> FileChange {
        FileChange { remakes_instances: true, ..self }
    }

    /// Reads what is there now, to be put back.
    pub(crate) fn prepare(self) -> Result<Gd<KeptFile>, Fault> {
        let before = State::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        let after = match self.content {
            Some(content) => State { content: Some(content), ..before.clone() },
            None => State::default(),
        };
        let by_products = [ByProducts::read(&self.path), ByProducts::default()];
        Ok(Gd::from_object(KeptFile {
            path: self.path,
            by_products: RefCell::new(by_products),
            states: RefCell::new([before, after]),
            reword: self.reword,
            remakes_instances: self.remakes_instances,
            made: RefCell::default(),
            lost: Rc::default(),
            outcome: Outcome::default(),
        }))
    }
}

/// A file before and after a step, as the undo history keeps it.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
pub(crate) struct KeptFile {
    path: String,
    /// Before, and after.
    states: RefCell<[State; 2]>,
    /// What an importer has made of it: before, and after once it was taken back.
    by_products: RefCell<[ByProducts; 2]>,
    reword: Option<Reword>,
    /// Whether open scenes show the change only when they are read again.
    remakes_instances: bool,
    /// The folders that were made for it.
    made: RefCell<Vec<PathBuf>>,
    /// What nodes lost when a script was read again.
    lost: Rc<LostValues>,
    outcome: Outcome,
}

#[godot_api]
impl KeptFile {
    /// Does the step.
    #[func]
    fn apply(&self) {
        let [before, after] = &mut *self.states.borrow_mut();
        self.outcome.of(|| self.go(before, after, false));
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        let [before, after] = &mut *self.states.borrow_mut();
        self.outcome.of(|| {
            self.go(after, before, true)?;
            if before.content.is_none() {
                before.put_back_beside(&self.path);
            }
            remove_folders(&self.made.take());
            Ok(())
        });
    }

    /// Makes of the file what it is in `to`, if it is what it was in `from`.
    fn go(&self, from: &mut State, to: &mut State, back: bool) -> Result<(), Fault> {
        let file =
            resolved(&on_disk(&self.path)).map_err(|error| unreadable(&self.path, &error))?;
        let now = State::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        let is_there = now.content == to.content;
        if is_there && (to.content.is_some() || now.beside == to.beside) {
            return Ok(());
        }
        if !is_there && now.content != from.content {
            to.content = Some(self.reworded(now.content.as_deref(), back)?);
            from.content.clone_from(&now.content);
        }
        script_tabs::check_saved(&self.path)?;
        // What the editor has put beside it since, such as its UID, comes back with it.
        from.beside = now.beside;
        let made = match &to.content {
            Some(_) => make_folders(&file).map_err(|error| unwritable(&self.path, &error))?,
            None => Vec::new(),
        };
        let mark = FileMark::of(&self.path);
        if let Err(error) = from.replace(to, &self.path, &file) {
            // As if nothing had been begun.
            remove_folders(&made);
            return Err(unwritable(&self.path, &error));
        }
        self.made.borrow_mut().extend(made);
        file_mark::wrote(&self.path, mark);
        self.put_by_products(back, from.content.is_some());
        let target = link_target(&self.path);
        let change = match &to.content {
            Some(_) if from.content.is_none() => Change::Made,
            Some(_) => Change::Written,
            None => Change::Removed,
        };
        for path in [Some(&self.path), target.as_ref()].into_iter().flatten() {
            let lost = Rc::clone(&self.lost);
            together::read_again(path, move |path| {
                lost.over(path, || refresh::after(path, change));
            });
        }
        if self.remakes_instances {
            refresh::read_users(&self.path);
        }
        Ok(())
    }

    /// Puts back what importers had made. Of a file that was only removed, that was left.
    fn put_by_products(&self, back: bool, was_written: bool) {
        let [before, after] = &mut *self.by_products.borrow_mut();
        let now = ByProducts::read(&self.path);
        match back {
            true if was_written => {
                before.put_back(&now);
                *after = now;
            }
            true => {}
            false => after.put(&now),
        }
    }

    /// What becomes of a file that somebody else has changed since.
    fn reworded(&self, now: Option<&[u8]>, back: bool) -> Result<Vec<u8>, Fault> {
        let text = now.and_then(|content| std::str::from_utf8(content).ok());
        match (text, &self.reword) {
            (Some(text), Some(reword)) => Ok(reword(text, back).into_bytes()),
            _ => Err(changed_meanwhile(&self.path)),
        }
    }
}

impl Kept for KeptFile {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn foretell(&self, back: bool, files: &mut Foretold) -> Result<(), Fault> {
        let [before, after] = &*self.states.borrow();
        let (from, to) = if back { (after, before) } else { (before, after) };
        let now = files.content(&self.path)?;
        if now == to.content {
            return Ok(());
        }
        let then = match now == from.content {
            true => to.content.clone(),
            false => Some(self.reworded(now.as_deref(), back)?),
        };
        script_tabs::check_saved(&self.path)?;
        files.put(&self.path, then);
        Ok(())
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }
}

impl State {
    /// Writes what lay beside a file before there was one, such as its UID: the editor removes that with
    /// the file. What cannot be written can be made again.
    fn put_back_beside(&self, path: &str) {
        for (suffix, content) in SIDECARS.iter().zip(&self.beside) {
            if let Some(content) = content {
                let _ = put(&beside(&on_disk(path), suffix), Some(content));
            }
        }
    }

    fn read(path: &str) -> io::Result<State> {
        let file = on_disk(path);
        let mut state = State { content: read(&file)?, ..State::default() };
        for (suffix, content) in SIDECARS.iter().zip(&mut state.beside) {
            *content = read(&beside(&file, suffix))?;
        }
        Ok(state)
    }

    /// Makes of `file`, which is what `path` leads to, what it is in `to`: all of it, or nothing. What
    /// lies beside it lies beside the path that was named, also where that is a link.
    fn replace(&self, to: &State, path: &str, file: &Path) -> io::Result<()> {
        put(file, to.content.as_deref())?;
        let sidecars = SIDECARS.map(|suffix| beside(&on_disk(path), suffix));
        let write = |state: &State| {
            let mut pairs = sidecars.iter().zip(&state.beside);
            pairs.try_for_each(|(file, content)| put(file, content.as_deref()))
        };
        let written = write(to);
        if written.is_err() {
            // As far as the system lets us; what could be written can be written back.
            let _ = put(file, self.content.as_deref());
            let _ = write(self);
        }
        written
    }
}
