//! Files of the project as undo steps: written and removed whole, put back to the byte.
//!
//! Every write goes to a file beside the target first and then takes its place, so that nobody ever
//! reads half of it. The editor hears of each, as it does of what the human does in its file dock,
//! and what it holds of the file is made new: see [`crate::refresh`].

use std::{
    cell::RefCell,
    fs, io,
    path::{Path, PathBuf},
};

use godot::prelude::*;
use protocol::{ErrorCode, Fault, Required, ResPath};

use crate::{
    exported::LostValues,
    folder::below,
    refresh::{self, Change},
    resource::on_disk,
    script_tabs,
};

/// What the editor keeps beside a file: its identity, and how it is imported.
pub(crate) const SIDECARS: [&str; 2] = ["uid", "import"];

/// A file that is to be written or removed.
pub(crate) struct FileChange {
    path: String,
    content: Option<Vec<u8>>,
    reword: Option<Reword>,
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
        FileChange { path: path.to_string(), content: Some(content), reword: None }
    }

    /// No file, and nothing beside it.
    pub(crate) fn remove(path: &ResPath) -> FileChange {
        FileChange { path: path.to_string(), content: None, reword: None }
    }

    /// The same change, which can also be made, and taken back, when somebody else has changed other
    /// parts of the file since.
    pub(crate) fn rewording(self, reword: Reword) -> FileChange {
        FileChange { reword: Some(reword), ..self }
    }

    /// Reads what is there now, to be put back.
    pub(crate) fn prepare(self) -> Result<Gd<KeptFile>, Fault> {
        let before = State::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        let after = match self.content {
            Some(content) => State { content: Some(content), ..before.clone() },
            None => State::default(),
        };
        Ok(Gd::from_object(KeptFile {
            path: self.path,
            states: RefCell::new([before, after]),
            reword: self.reword,
            made: RefCell::default(),
            lost: LostValues::default(),
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
    reword: Option<Reword>,
    /// The folders that were made for it.
    made: RefCell<Vec<PathBuf>>,
    /// What nodes lost when a script was read again.
    lost: LostValues,
    outcome: RefCell<Result<(), Fault>>,
}

#[godot_api]
impl KeptFile {
    /// Does the step.
    #[func]
    fn apply(&self) {
        let [before, after] = &mut *self.states.borrow_mut();
        *self.outcome.borrow_mut() = told(self.go(before, after, false));
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        let [before, after] = &mut *self.states.borrow_mut();
        let outcome = self.go(after, before, true);
        if outcome.is_ok() {
            remove_folders(&self.made.take());
        }
        *self.outcome.borrow_mut() = told(outcome);
    }

    /// Whether the last move did what it should.
    pub(crate) fn outcome(&self) -> Result<(), Fault> {
        self.outcome.borrow().clone()
    }

    /// Makes of the file what it is in `to`, if it is what it was in `from`.
    fn go(&self, from: &mut State, to: &mut State, back: bool) -> Result<(), Fault> {
        let file =
            resolved(&on_disk(&self.path)).map_err(|error| unreadable(&self.path, &error))?;
        let now = State::read(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        if now.content == to.content && now.beside == to.beside {
            return Ok(());
        }
        if now.content != from.content {
            let text = now.content.clone().and_then(|content| String::from_utf8(content).ok());
            let (Some(text), Some(reword)) = (text, &self.reword) else {
                return Err(changed_meanwhile(&self.path));
            };
            to.content = Some(reword(&text, back).into_bytes());
            from.content.clone_from(&now.content);
        }
        script_tabs::check_saved(&self.path)?;
        // What the editor has put beside it since, such as its UID, comes back with it.
        from.beside = now.beside;
        if to.content.is_some() {
            let made = make_folders(&file).map_err(|error| unwritable(&self.path, &error))?;
            self.made.borrow_mut().extend(made);
        }
        from.replace(to, &self.path, &file).map_err(|error| unwritable(&self.path, &error))?;
        let target = link_target(&self.path);
        for path in [Some(&self.path), target.as_ref()].into_iter().flatten() {
            self.lost.over(path, || {
                refresh::after(match &to.content {
                    Some(_) if from.content.is_none() => Change::Made(path),
                    Some(_) => Change::Written(path),
                    None => Change::Removed(path),
                });
            });
        }
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

/// The path in the project of what `path` leads to, if it is a link to a file or a folder there.
pub(crate) fn link_target(path: &str) -> Option<String> {
    if !on_disk(path).is_symlink() {
        return None;
    }
    let project = fs::canonicalize(on_disk("res://")).ok()?;
    let target = fs::canonicalize(on_disk(path)).ok()?;
    let inside = target.strip_prefix(project).ok()?.to_str()?;
    Some(format!("res://{}", inside.replace(std::path::MAIN_SEPARATOR, "/")))
}

thread_local! {
    /// What the undo history could not do with files. It calls and hears no answer.
    static REFUSALS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a refusal for whoever asked for the step, and prints it in case that was the human.
pub(crate) fn told(outcome: Result<(), Fault>) -> Result<(), Fault> {
    outcome.inspect_err(|fault| {
        godot_warn!("{}", fault.hint);
        REFUSALS.with_borrow_mut(|refusals| refusals.push(fault.clone()));
    })
}

/// The first thing that could not be done with a file since the last call, if there was one.
pub(crate) fn take_refusal() -> Option<Fault> {
    REFUSALS.with_borrow_mut(|refusals| std::mem::take(refusals).into_iter().next())
}

/// The file on disk that a path means, if it lies in the project. Links are followed: one that
/// leads out of the project is refused. `parameter` is the argument it came in.
pub(crate) fn located(path: &ResPath, parameter: &'static str) -> Result<PathBuf, Fault> {
    let refuse = |why: String| {
        Err(Fault::invalid(format!("'{path}' {why}.")).requiring(Required::parameter(parameter)))
    };
    let project = match fs::canonicalize(on_disk("res://")) {
        Ok(project) => project,
        Err(error) => return Err(unreadable("res://", &error)),
    };
    match resolved(&on_disk(path.as_str())) {
        Ok(file) if file.starts_with(&project) => Ok(file),
        Ok(_) => refuse("leads out of the project by a link".to_owned()),
        Err(error) => refuse(format!("cannot be reached: {error}")),
    }
}

/// The content of a file that must be there.
pub(crate) fn content(path: &ResPath, parameter: &'static str) -> Result<Vec<u8>, Fault> {
    let file = located(path, parameter)?;
    let named = |fault: Fault| fault.requiring(Required::parameter(parameter));
    match read(&file) {
        Ok(Some(content)) => Ok(content),
        Ok(None) => {
            Err(named(Fault::not_found(format!("There is no file '{path}'.{}", similar(path)))))
        }
        Err(_) if file.is_dir() => Err(named(Fault::invalid(format!("'{path}' is a folder.")))),
        Err(error) => Err(named(unreadable(path.as_str(), &error))),
    }
}

/// A hint at a file of the same folder whose name is like that of `path`.
fn similar(path: &ResPath) -> String {
    let entries = fs::read_dir(on_disk(path.folder())).into_iter().flatten().flatten();
    let names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let wanted = path.as_str().rsplit('/').next().unwrap_or_default();
    match crate::resource::nearest(wanted, names.iter().map(String::as_str)) {
        Some(near) => format!(" Did you mean '{}'?", below(path.folder(), near)),
        None => String::new(),
    }
}

/// A path with all links followed; of what does not exist yet, those above it.
pub(crate) fn resolved(file: &Path) -> io::Result<PathBuf> {
    for above in file.ancestors() {
        match fs::canonicalize(above) {
            Ok(real) => {
                let rest = file.strip_prefix(above).unwrap_or(Path::new(""));
                return Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) });
            }
            // A link that leads nowhere is there, and what it leads to is not known.
            Err(error) if above.symlink_metadata().is_ok() => return Err(error),
            Err(_) => {}
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Makes the folders that a file lies in. Gives those that were missing.
pub(crate) fn make_folders(file: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = file.ancestors().skip(1).take_while(|folder| !folder.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    for folder in &missing {
        fs::create_dir(folder)?;
    }
    Ok(missing)
}

/// Removes folders that were made, the innermost first. One that others have put something into
/// stays, with those above it.
pub(crate) fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

/// `None` where there is no file, nor can be one, as its name is too long. Refuses what is no regular
/// file: who reads a pipe waits until somebody else writes into it.
pub(crate) fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let content = fs::metadata(file).and_then(|found| match found.is_file() {
        true => fs::read(file),
        false => Err(io::Error::other("it is no regular file")),
    });
    match content {
        Ok(content) => Ok(Some(content)),
        Err(error) if is_nowhere(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_nowhere(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename)
}

/// Writes a file whole, or removes it.
pub(crate) fn put(file: &Path, content: Option<&[u8]>) -> io::Result<()> {
    let Some(content) = content else {
        return match fs::remove_file(file) {
            Err(error) if !is_nowhere(&error) => Err(error),
            _ => Ok(()),
        };
    };
    // In the same folder, as a file cannot be renamed across file systems; hidden, so that a scan
    // in between does not take it for one of the project. Short, as the file's own name may be as
    // long as a name can be.
    let draft = file.with_file_name(format!(".godot-mcp-{}.tmp", std::process::id()));
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

/// The file beside another that ends in `suffix`.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// A refusal to go over what somebody else did.
pub(crate) fn changed_meanwhile(path: &str) -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        format!("'{path}' was changed since by somebody else, and is left as it is. Read it, then write what it should be."),
    )
    .with("path", path)
}

/// A file that the system does not let us read.
pub(crate) fn unreadable(path: &str, error: &io::Error) -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        format!(
            "'{path}' cannot be read: {error}. Nothing was changed. See to it that it is a file which \
             the user who runs the editor may read, or name another one."
        ),
    )
    .with("path", path)
}

/// A file that the system does not let us write or remove.
pub(crate) fn unwritable(path: &str, error: &io::Error) -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        format!(
            "'{path}' cannot be written: {error}. It is as it was. See to it that the user who runs the \
             editor may write it and its folder, and that there is room on the disk, or name another \
             path."
        ),
    )
    .with("path", path)
}
