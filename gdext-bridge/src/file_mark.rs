//! How one state of a file is told from another, and who made it: somebody else, or a step of ours.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    time::SystemTime,
};

use crate::resource::on_disk;

/// Tells one state of a file from another, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileMark {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

impl FileMark {
    /// The state of the file at a `res://` path; a missing file has one, too.
    pub(crate) fn of(path: &str) -> FileMark {
        let facts = fs::metadata(on_disk(path)).ok();
        FileMark {
            modified: facts.as_ref().and_then(|facts| facts.modified().ok()),
            length: facts.as_ref().map(fs::Metadata::len).unwrap_or_default(),
            inode: facts.as_ref().map(inode).unwrap_or_default(),
        }
    }

    /// Whether there is a file.
    pub(crate) fn is_there(&self) -> bool {
        self.modified.is_some()
    }
}

#[cfg(unix)]
fn inode(facts: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(facts)
}

#[cfg(not(unix))]
fn inode(_: &fs::Metadata) -> u64 {
    0
}

/// How many states of one file are known as ours.
const KNOWN: usize = 256;

thread_local! {
    /// The files that our steps have written: the states that they had, one after the other, with nobody
    /// else in between.
    static OURS: RefCell<HashMap<String, VecDeque<FileMark>>> = RefCell::default();
}

/// A step of ours has written the file, which was like `before`.
pub(crate) fn wrote(path: &str, before: FileMark) {
    let now = FileMark::of(path);
    OURS.with_borrow_mut(|ours| {
        let known = ours.entry(path.to_owned()).or_default();
        if known.back() != Some(&before) {
            *known = VecDeque::from([before]);
        }
        known.push_back(now);
        if known.len() > KNOWN {
            known.pop_front();
        }
    });
}

/// Whether all that has become of a file between two states was done by steps of ours.
pub(crate) fn is_ours(path: &str, from: FileMark, to: FileMark) -> bool {
    OURS.with_borrow(|ours| {
        ours.get(path).is_some_and(|known| known.contains(&from) && known.back() == Some(&to))
    })
}

/// Tells one content of a file from another. `None` where it cannot be read.
pub(crate) fn content(path: &str) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(on_disk(path)).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}
