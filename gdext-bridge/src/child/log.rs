//! All that a run prints, in a file of its own: what does not fit into an answer is read there.

use std::{
    cell::RefCell,
    collections::VecDeque,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::resource::on_disk;

/// Where these files are: beside the engine's own logs, and not in the project.
const FOLDER: &str = "user://godot_mcp_runs";

/// How much of a run is written, in bytes.
const LONGEST: usize = 64 << 20;

/// How many files are kept at once.
const KEPT: usize = 8;

/// The file of one run. It goes away with this.
pub(crate) struct Log {
    path: PathBuf,
}

/// Writes the file, for as long as somebody prints.
pub(super) struct Writer {
    /// None where there is no file, or no more is to be written.
    file: Option<fs::File>,
    room: usize,
}

thread_local! {
    /// The files of runs that were told, the oldest first.
    static TOLD: RefCell<VecDeque<Log>> = RefCell::default();
}

impl Log {
    /// The file of the run with this name, which is not made yet.
    pub(super) fn of(name: &str) -> Log {
        Log { path: on_disk(&format!("{FOLDER}/{name}.log")) }
    }

    /// Makes the file.
    pub(super) fn begin(&self) -> Writer {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let file = fs::create_dir_all(folder).and_then(|()| fs::File::create_new(&self.path));
        // Without a file a run is told as far as it fits, which its answer says.
        Writer { file: file.ok(), room: LONGEST }
    }

    /// Leaves the file to who was told of it, until many others were told of theirs. Gives its path, if
    /// there is one.
    pub(super) fn keep(self) -> Option<String> {
        let path = self.path.is_file().then(|| self.path.to_string_lossy().into_owned());
        TOLD.with_borrow_mut(|told| {
            told.push_back(self);
            while told.len() > KEPT {
                told.pop_front();
            }
        });
        path
    }
}

/// Removes the files of all runs.
pub(crate) fn forget() {
    TOLD.take();
}

impl Drop for Log {
    fn drop(&mut self) {
        // What cannot be removed is outside of the project.
        let _ = fs::remove_file(&self.path);
        if let Some(folder) = self.path.parent() {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl Writer {
    /// Writes what was read.
    pub(super) fn write(&mut self, read: &[u8]) {
        let read = read.get(..self.room).unwrap_or(read);
        self.room -= read.len();
        let written = self.file.as_mut().map(|file| file.write_all(read));
        if self.room == 0 || written.is_some_and(|it: io::Result<()>| it.is_err()) {
            self.file = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_what_was_written_and_goes_with_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs/1.log");
        let log = Log { path: path.clone() };
        let mut writer = log.begin();
        writer.room = 8;
        ["abc", "def", "ghi", "jkl"].iter().for_each(|it| writer.write(it.as_bytes()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "abcdefgh");
        drop(writer);
        drop(log);
        assert!(!path.exists() && !folder.path().join("runs").exists());
    }

    #[test]
    fn the_last_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |number: usize| folder.path().join(format!("{number}.log"));
        for number in 0..=KEPT {
            let log = Log { path: at(number) };
            log.begin().write(b"x");
            assert_eq!(log.keep().as_deref(), at(number).to_str());
        }
        assert!(!at(0).exists() && at(1).exists() && at(KEPT).exists());
        forget();
        assert!(!at(KEPT).exists());
    }
}
