//! What the undo history keeps of a step on files and settings, which are in no scene: whether it can
//! be taken is foretold, and what somebody else has changed since is left as it is.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use godot::{
    obj::{Bounds, bounds::DeclUser},
    prelude::*,
};
use protocol::Fault;

use crate::{
    files::{read, unreadable},
    resource::on_disk,
};

/// A step as the history keeps it. The history calls its methods `apply` and `revert`, and hears no
/// answer.
pub(crate) trait Kept {
    /// How the last move went.
    fn outcome(&self) -> &Outcome;

    /// What taking it would make of the files: forth, or back. Refused where that would be.
    fn foretell(&self, back: bool, files: &mut Foretold) -> Result<(), Fault>;

    /// The files that it is about.
    fn paths(&self) -> Vec<String>;

    /// Whether the other files of the same step make no sense without it.
    fn is_whole(&self) -> bool {
        false
    }
}

/// A [`Kept`] that lives as long as its history has it.
pub(crate) struct Held {
    id: InstanceId,
    look: Box<Look>,
}

type Look = dyn Fn(&mut dyn FnMut(&dyn Kept));

impl Held {
    /// The one that was given to the history.
    pub(super) fn of<T: Kept + GodotClass + Bounds<Declarer = DeclUser>>(kept: &Gd<T>) -> Held {
        let id = kept.instance_id();
        let look = Box::new(move |look: &mut dyn FnMut(&dyn Kept)| {
            if let Ok(kept) = Gd::<T>::try_from_instance_id(id) {
                look(&*kept.bind());
            }
        });
        Held { id, look }
    }

    /// Whether that is the one.
    pub(super) fn is(&self, id: InstanceId) -> bool {
        self.id == id
    }
}

/// What may be left as it is on the disk when a step is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Nothing: the step is taken whole, or not at all.
    Nothing,
    /// The files that somebody else has changed since.
    Theirs(Vec<String>),
    /// All files of the step, as one that was moved cannot go back.
    All(Vec<String>),
}

impl Leave {
    /// The files that are left.
    pub(crate) fn files(&self) -> &[String] {
        match self {
            Leave::Nothing => &[],
            Leave::Theirs(files) | Leave::All(files) => files,
        }
    }
}

/// Foretells a whole step: what has to be left for it to be taken, and why that is refused otherwise.
pub(crate) fn foretell(held: &[Held], back: bool, files: &mut Foretold) -> (Leave, Vec<Fault>) {
    let was = files.clone();
    let (mut paths, mut faults, mut is_whole) = (Vec::new(), Vec::new(), false);
    let mut look = |held: &Held| {
        (held.look)(&mut |kept| {
            paths.extend(kept.paths());
            if let Err(fault) = kept.foretell(back, files) {
                faults.push(fault);
                is_whole |= kept.is_whole();
            }
        });
    };
    if back {
        held.iter().rev().for_each(&mut look)
    } else {
        held.iter().for_each(&mut look)
    }
    if faults.is_empty() {
        return (Leave::Nothing, faults);
    }
    if is_whole {
        *files = was;
        paths.sort();
        paths.dedup();
        return (Leave::All(paths), faults);
    }
    (Leave::Theirs(faults.iter().filter_map(path_of).collect()), faults)
}

/// The file that a refusal is about.
pub(crate) fn path_of(fault: &Fault) -> Option<String> {
    Some(fault.details.get("path")?.as_str()?.to_owned())
}

/// Whether it was refused for the sake of what somebody else did.
pub(crate) fn is_for_their_sake(fault: &Fault) -> bool {
    ["changed_since", "unsaved_in_editor"]
        .iter()
        .any(|fact| fault.details.get(*fact).is_some_and(|it| *it == true))
}

/// The files as they would be after steps that were foretold and not taken.
#[derive(Clone, Default)]
pub(crate) struct Foretold {
    files: HashMap<String, Content>,
    /// Those that were written since that was last asked.
    written: Vec<String>,
}

#[derive(Clone)]
enum Content {
    /// This; `None` for no file.
    Is(Option<Vec<u8>>),
    /// What the file at this path has now.
    Of(String),
}

impl Foretold {
    /// What a file would have in it; `None` for no file.
    pub(crate) fn content(&self, path: &str) -> Result<Option<Vec<u8>>, Fault> {
        let of = |path: &str| read(&on_disk(path)).map_err(|error| unreadable(path, &error));
        match self.files.get(path) {
            Some(Content::Is(content)) => Ok(content.clone()),
            Some(Content::Of(other)) => of(other),
            None => of(path),
        }
    }

    /// Whether there would be a file or a folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut known =
            self.files.iter().filter(|(it, _)| *it == path || it.starts_with(&below)).peekable();
        if known.peek().is_none() {
            return on_disk(path).exists();
        }
        known.any(|(_, content)| match content {
            Content::Is(content) => content.is_some(),
            Content::Of(other) => on_disk(other).exists(),
        })
    }

    /// A file would be written or removed.
    pub(crate) fn put(&mut self, path: &str, content: Option<Vec<u8>>) {
        if content.is_some() {
            self.written.push(path.to_owned());
        }
        self.files.insert(path.to_owned(), Content::Is(content));
    }

    /// The files that would be written since this was last asked.
    pub(crate) fn take_written(&mut self) -> Vec<String> {
        std::mem::take(&mut self.written)
    }

    /// A file would lie elsewhere.
    pub(crate) fn rename(&mut self, old: &str, new: &str) {
        let content = self.files.remove(old).unwrap_or_else(|| Content::Of(old.to_owned()));
        self.files.insert(new.to_owned(), content);
        self.put(old, None);
    }
}

thread_local! {
    /// What the undo history could not do. It calls and hears no answer.
    static REFUSALS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
    /// Whether files are left as they are.
    static IS_LEFT: Cell<bool> = const { Cell::new(false) };
    /// Whether the history is taking a step for us.
    static IS_TAKING: Cell<bool> = const { Cell::new(false) };
}

/// How the last move of a [`Kept`] went.
pub(crate) struct Outcome(RefCell<Result<(), Fault>>);

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome(RefCell::new(Ok(())))
    }
}

impl Outcome {
    /// Does it, unless files are left as they are. Keeps a refusal for whoever asked for the step,
    /// and prints it in case that was the human.
    pub(crate) fn of(&self, go: impl FnOnce() -> Result<(), Fault>) {
        if IS_LEFT.get() {
            return;
        }
        let outcome = go().inspect_err(|fault| {
            godot_warn!("{}", fault.hint);
            REFUSALS.with_borrow_mut(|refusals| refusals.push(fault.clone()));
        });
        *self.0.borrow_mut() = outcome;
    }

    /// Whether it did what it should.
    pub(crate) fn get(&self) -> Result<(), Fault> {
        self.0.borrow().clone()
    }
}

/// Has the history take a step. Gives what it could not do.
pub(crate) fn taking(
    leave: &Leave,
    take: impl FnOnce() -> Result<(), Fault>,
) -> Result<Vec<Fault>, Fault> {
    REFUSALS.take();
    IS_LEFT.set(matches!(leave, Leave::All(_)));
    IS_TAKING.set(true);
    let taken = take();
    IS_TAKING.set(false);
    IS_LEFT.set(false);
    taken.map(|()| REFUSALS.take())
}

/// Whether the history is in the midst of a step that was asked for here.
pub(crate) fn is_taking() -> bool {
    IS_TAKING.get()
}
