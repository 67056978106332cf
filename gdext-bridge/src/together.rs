//! Files that change together: the editor makes new what it holds of them when all of them are where
//! they belong, and not before.
//!
//! A step that moves a file also writes those that name it, and undo goes through that from the end. A
//! file that is read again while what it names is elsewhere loses that in memory, and on the disk with
//! the next save.

use std::cell::RefCell;

use godot::prelude::*;

use crate::{autoload, script_users, settings, undo::Step};

/// What is left to be done, until the group is whole.
#[derive(Default)]
struct Group {
    /// How many groups are begun and not ended, one in the other.
    depth: u32,
    has_autoloads: bool,
    /// The files that are to be read again, each with the path that it has by now.
    files: Vec<(String, ReadAgain)>,
}

/// Reads a file again, by its path.
type ReadAgain = Box<dyn FnOnce(&str)>;

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

/// Makes a group of steps, to be done and taken back as one. It moves these files, each with its path
/// before and after.
pub(crate) fn group(files: Vec<(String, String)>, steps: Vec<Step>) -> Vec<Step> {
    let bounds = Gd::from_object(Bounds { files });
    let bound = |do_call, undo_call| Step::Call {
        object: bounds.clone().upcast(),
        do_call: (do_call, Vec::new()),
        undo_call: (undo_call, Vec::new()),
        holds: Box::new(|| true),
    };
    // Undo comes to the end first.
    let (begin, end) = (bound("begin", "end"), bound("end", "begin"));
    [begin].into_iter().chain(steps).chain([end]).collect()
}

/// Reads a file again, by the path that it has then: now, or at the end of the group.
pub(crate) fn read_again(path: &str, read: impl FnOnce(&str) + 'static) {
    let mut read = Some(read);
    GROUP.with_borrow_mut(|group| {
        if group.depth > 0
            && let Some(read) = read.take()
        {
            group.files.push((path.to_owned(), Box::new(read)));
        }
    });
    if let Some(read) = read {
        read(path);
    }
}

/// Has the editor take up changed autoloads: now, or at the end of the group.
pub(crate) fn take_up_autoloads() {
    let is_later = GROUP.with_borrow_mut(|group| {
        group.has_autoloads |= group.depth > 0;
        group.depth > 0
    });
    if !is_later {
        settings::take_up_autoloads();
    }
}

/// A file of the group lies elsewhere now.
pub(crate) fn moved(old: &str, new: &str) {
    GROUP.with_borrow_mut(|group| {
        let files = group.files.iter_mut().filter(|(path, _)| path == old);
        files.for_each(|(path, _)| new.clone_into(path));
    });
}

/// The ends of a group, as the undo history keeps them.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
struct Bounds {
    files: Vec<(String, String)>,
}

#[godot_api]
impl Bounds {
    /// What follows belongs together.
    #[func]
    fn begin(&self) {
        script_users::compile(&self.files);
        GROUP.with_borrow_mut(|group| group.depth += 1);
    }

    /// All is in place.
    #[func]
    fn end(&self) {
        let whole = GROUP.with_borrow_mut(|group| {
            group.depth = group.depth.saturating_sub(1);
            (group.depth == 0).then(|| std::mem::take(group))
        });
        let Some(Group { has_autoloads, files, .. }) = whole else { return };
        let paths = self.files.iter().flat_map(|(old, new)| [old.as_str(), new.as_str()]);
        if has_autoloads || !autoload::names_of(&paths.collect::<Vec<_>>()).is_empty() {
            // First, as scripts that use one do not compile without it.
            settings::take_up_autoloads();
        }
        files.into_iter().for_each(|(path, read)| read(&path));
    }
}
