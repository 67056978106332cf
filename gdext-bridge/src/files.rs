//! Files of the project as undo steps: written and removed whole, put back to the byte.
//!
//! Every write goes to a file beside the target first and then takes its place, so that nobody ever
//! reads half of it. The editor hears of each, as it does of what the human does in its file dock.

use std::{
    cell::RefCell,
    fs, io,
    path::{Path, PathBuf},
};

use godot::{classes::EditorInterface, prelude::*};
use protocol::{Fault, ResPath};

use crate::resource::on_disk;

/// What the editor keeps beside a file: its identity, and how it is imported.
const SIDECARS: [&str; 2] = ["uid", "import"];

/// A file that is to be written or removed.
pub(crate) struct FileChange {
    path: String,
    after: State,
}

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
        let beside = State::read(path.as_str()).map(|state| state.beside).unwrap_or_default();
        FileChange { path: path.to_string(), after: State { content: Some(content), beside } }
    }

    /// No file, and nothing beside it.
    pub(crate) fn remove(path: &ResPath) -> FileChange {
        FileChange { path: path.to_string(), after: State::default() }
    }

    /// Reads what is there now, to be put back.
    pub(crate) fn prepare(self) -> Result<Gd<KeptFile>, Fault> {
        let before = State::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        let states = RefCell::new([before, self.after]);
        let path = self.path;
        Ok(Gd::from_object(KeptFile {
            path,
            states,
            made: RefCell::default(),
            outcome: Ok(()).into(),
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
    /// The folders that were made for it.
    made: RefCell<Vec<PathBuf>>,
    outcome: RefCell<Result<(), Fault>>,
}

#[godot_api]
impl KeptFile {
    /// Does the step.
    #[func]
    fn apply(&self) {
        let [before, after] = &mut *self.states.borrow_mut();
        *self.outcome.borrow_mut() = self.go(before, after);
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        let [before, after] = &mut *self.states.borrow_mut();
        let outcome = self.go(after, before);
        for folder in self.made.take().iter().rev() {
            // Only while it is empty: others may have put something there.
            let _ = fs::remove_dir(folder);
        }
        if let Err(fault) = &outcome {
            // In the middle of an undo nobody is there to answer to.
            godot_error!("{}", fault.hint);
        }
        *self.outcome.borrow_mut() = outcome;
    }

    /// Whether the last move did what it should.
    pub(crate) fn outcome(&self) -> Result<(), Fault> {
        self.outcome.borrow().clone()
    }

    /// Makes of the file what it is in `to`, if it is what it was in `from`.
    fn go(&self, from: &mut State, to: &State) -> Result<(), Fault> {
        let file = on_disk(&self.path);
        let now = State::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        if now.content == to.content && now.beside == to.beside {
            return Ok(());
        }
        if now.content != from.content {
            return Err(Fault::new(
                protocol::ErrorCode::PreconditionFailed,
                format!(
                    "'{}' was changed since by somebody else, and is left as it is.",
                    self.path
                ),
            ));
        }
        // What the editor has put beside it since, such as its UID, comes back with it.
        from.beside = now.beside;
        let unwritable = |error: io::Error| {
            Fault::internal(format!("'{}' cannot be written: {error}.", self.path))
        };
        if to.content.is_some() {
            self.make_folders(&file).map_err(unwritable)?;
        }
        for (suffix, content) in SIDECARS.iter().zip(&to.beside) {
            put(&beside(&file, suffix), content.as_deref()).map_err(unwritable)?;
        }
        put(&file, to.content.as_deref()).map_err(unwritable)?;
        tell_editor(&self.path);
        crate::resource_file::load_again(&self.path);
        Ok(())
    }

    fn make_folders(&self, file: &Path) -> io::Result<()> {
        let missing = file.ancestors().skip(1).take_while(|folder| !folder.exists());
        let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        missing.reverse();
        for folder in &missing {
            fs::create_dir(folder)?;
        }
        self.made.borrow_mut().extend(missing);
        Ok(())
    }
}

impl State {
    fn read(path: &str) -> io::Result<State> {
        let file = on_disk(path);
        let mut state = State { content: read(&file)?, ..State::default() };
        for (suffix, content) in SIDECARS.iter().zip(&mut state.beside) {
            *content = read(&beside(&file, suffix))?;
        }
        Ok(state)
    }
}

/// Tells the editor that a file of the project is not what it was.
pub(crate) fn tell_editor(path: &str) {
    if let Some(mut files) = EditorInterface::singleton().get_resource_filesystem() {
        files.update_file(path);
    }
}

/// `None` where there is no file.
fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file whole, or removes it.
pub(crate) fn put(file: &Path, content: Option<&[u8]>) -> io::Result<()> {
    let Some(content) = content else {
        return match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    // In the same folder, as a file cannot be renamed across file systems; hidden, so that a scan
    // in between does not take it for one of the project.
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = file.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = fs::write(&draft, content).and_then(|()| {
        if let Ok(old) = fs::metadata(file) {
            fs::set_permissions(&draft, old.permissions())?;
        }
        fs::rename(&draft, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// A file that the system does not let us read.
pub(crate) fn unreadable(path: &str, error: &io::Error) -> Fault {
    Fault::internal(format!("'{path}' cannot be read: {error}. Nothing was changed."))
}
