//! Files of the project on the disk: found, read, and written whole.
//!
//! Every write goes to a file beside the target first and then takes its place, so that nobody ever
//! reads half of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use protocol::{ErrorCode, Fault, Required, ResPath};

use crate::{folder::below, resource::on_disk};

/// What the editor keeps beside a file: its identity, and how it is imported.
pub(crate) const SIDECARS: [&str; 2] = ["uid", "import"];

/// How long the name is at most of what is written beside a file before it takes its place.
pub(crate) const LONGEST_DRAFT: usize = ".godot-mcp-4294967295.tmp".len();

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

/// Makes the folders that a file lies in, all or none. Gives those that were missing.
pub(crate) fn make_folders(file: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = file.ancestors().skip(1).take_while(|folder| !folder.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    for (count, folder) in missing.iter().enumerate() {
        if let Err(error) = fs::create_dir(folder) {
            remove_folders(missing.get(..count).unwrap_or_default());
            return Err(error);
        }
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

/// Writes a file with the time that it has: a later one would be taken for a change by somebody else,
/// about which the editor asks the human.
pub(crate) fn put_keeping_time(file: &Path, content: &[u8]) -> io::Result<()> {
    let saved = fs::metadata(file)?.modified()?;
    put(file, Some(content))?;
    fs::File::options().write(true).open(file)?.set_modified(saved)
}

/// The file beside another that ends in `suffix`.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// What the editor has made of a file that it imports as `import` says, beside it: of a table of
/// translations a file a language. What it makes of all else is out of sight.
pub(crate) fn made_beside(path: &str, import: &str) -> Vec<String> {
    let stem = stem(path);
    let is_made = |made: &&str| {
        let rest = made.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| !rest.contains('/') && rest.ends_with(".translation"))
    };
    let list = import.lines().find_map(|line| line.strip_prefix("dest_files="));
    let made = list.unwrap_or_default().split('"').filter(is_made);
    made.map(str::to_owned).collect()
}

/// A path without the end that says what the file is.
pub(crate) fn stem(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// A refusal to go over what somebody else did.
pub(crate) fn changed_meanwhile(path: &str) -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        format!("'{path}' was changed since by somebody else, and is left as it is. Read it, then write what it should be."),
    )
    .with("path", path)
    .with("changed_since", true)
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
    .requiring(Required::PROJECT_DIR)
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
    .requiring(Required::PROJECT_DIR)
    .with("path", path)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_all_or_none() {
        let top = std::env::temp_dir().join(format!("godot-mcp-folders-{}", std::process::id()));
        let file = top.join("a").join("n".repeat(300)).join("x.gd");
        assert!(make_folders(&file).is_err());
        assert!(!top.exists());
        let made = make_folders(&top.join("a").join("x.gd")).unwrap();
        assert_eq!(made, [top.clone(), top.join("a")]);
        remove_folders(&made);
        assert!(!top.exists());
    }
}
