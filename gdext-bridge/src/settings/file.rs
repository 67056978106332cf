//! `project.godot`, in which the settings are. It is never edited as text: the editor would write over
//! it.

use std::{
    cell::{Cell, RefCell},
    fs,
    path::PathBuf,
};

use godot::{
    classes::{ConfigFile, EditorInterface, ProjectSettings},
    global::{Error, var_to_str},
    prelude::*,
};
use protocol::{ErrorCode, Fault, Required};

use super::{FILE, is_of_the_engine, names_below, set, value};
use crate::{
    file_mark::FileMark,
    files, line_ends,
    resource::{on_disk, resolved_uid},
    together,
};

/// Where autoloads are among the settings.
const AUTOLOADS: &str = "autoload/";

/// Lets the editor take up changed autoloads, as its own dialog does: scripts may use them from then
/// on. The method is bound for undo steps, but its class is not part of the API.
pub(crate) fn take_up_autoloads() {
    look_up_again();
    let Some(base) = EditorInterface::singleton().get_base_control() else { return };
    let dialogs = base.find_children_ex("*").type_("EditorAutoloadSettings").owned(false).done();
    for mut dialog in dialogs.iter_shared() {
        if dialog.has_method("update_autoload") {
            dialog.call("update_autoload", &[]);
        }
    }
}

/// Has the engine look up where the autoloads lie that are named by their UIDs. It does so only when
/// such a setting changes.
fn look_up_again() {
    for name in names_below(AUTOLOADS).into_iter().map(|name| format!("{AUTOLOADS}{name}")) {
        let Some(named) = value(&name) else { continue };
        let text = named.to_string();
        let uid = text.trim_start_matches('*');
        if let Some(path) = resolved_uid(uid) {
            set(&name, Some(&text.replace(uid, &path).to_variant()));
            set(&name, Some(&named));
        }
    }
}

thread_local! {
    /// `project.godot` as it was when it was last in step with the settings.
    static IN_STEP: Cell<Option<FileMark>> = const { Cell::new(None) };
    /// The names of the settings that it had then, or when the editor began.
    static HAD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Notes which settings the file has while the editor begins, which has just read it.
pub(crate) fn note_file() {
    if let Some(written) = written() {
        HAD.replace(written.into_iter().map(|(name, _)| name).collect());
    }
}

/// The file is in step with the settings.
fn note_in_step() {
    note_file();
    IN_STEP.set(Some(FileMark::of(FILE)));
}

/// The settings in the file, in its order; `None` where it cannot be read.
fn written() -> Option<Vec<(String, Variant)>> {
    let mut file = ConfigFile::new_gd();
    if file.load(FILE) != Error::OK {
        return None;
    }
    let mut written = Vec::new();
    for section in file.get_sections().as_slice() {
        for key in file.get_section_keys(section).as_slice() {
            let name =
                if section.is_empty() { key.to_string() } else { format!("{section}/{key}") };
            // The version of the file is no setting.
            if name != "config_version" {
                written.push((name, file.get_value(section, key)));
            }
        }
    }
    Some(written)
}

/// Takes over what somebody else wrote to `project.godot` since it was read, or took out of it, as the
/// save that follows would undo it. Not what `is_ours` has set since, and is to be written.
pub(super) fn take_over(is_ours: impl Fn(&str) -> bool) {
    if IN_STEP.get() == Some(FileMark::of(FILE)) || has_marks() {
        return;
    }
    let Some(written) = written() else { return };
    let mut has_autoloads = false;
    let mut take = |name: &str, theirs: Option<Variant>| {
        let text = |value: &Option<Variant>| value.as_ref().map(var_to_str);
        if !is_ours(name) && text(&value(name)) != text(&theirs) {
            set(name, theirs.as_ref());
            has_autoloads |= name.starts_with(AUTOLOADS);
        }
    };
    let has = |name: &String| written.iter().any(|(it, _)| it == name);
    for name in HAD.take().iter().filter(|name| !has(name)) {
        take(name, default(name));
    }
    for (name, theirs) in &written {
        take(name, Some(theirs.clone()));
    }
    if has_autoloads {
        together::take_up_autoloads();
    }
    note_in_step();
}

/// What a setting has that is not in the file; `None` if there is none of that name then.
fn default(name: &str) -> Option<Variant> {
    let is_known = value(name).is_some() && is_of_the_engine(name);
    is_known.then(|| ProjectSettings::singleton().property_get_revert(name))
}

/// Refuses where the file cannot be written, as the engine's own save does not tell; and where it
/// cannot be read, as that save would put the settings of the editor over what stands there.
pub(crate) fn check_writable() -> Result<(), Fault> {
    let opened = fs::File::options().append(true).open(file());
    opened.map(drop).map_err(|error| unwritable(&error))?;
    let is_in_step = IN_STEP.get() == Some(FileMark::of(FILE));
    if is_in_step || (ConfigFile::new_gd().load(FILE) == Error::OK && !has_marks()) {
        return Ok(());
    }
    Err(Fault::new(
        ErrorCode::PreconditionFailed,
        "project.godot cannot be read: it is broken, as by the marks of a merge that is not finished, \
         and to set anything would write over it. See engine_errors, and mend the file as text first.",
    )
    .requiring(Required::PROJECT_DIR))
}

/// Whether a merge has left its marks, of which the engine overlooks some.
fn has_marks() -> bool {
    let text = fs::read_to_string(file()).unwrap_or_default();
    text.lines().any(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "))
}

/// Writes the settings, of which these have changed.
pub(super) fn save<'a>(mut names: impl Iterator<Item = &'a str> + Clone) -> Result<(), Fault> {
    let (before, had) = (FileMark::of(FILE), read());
    match ProjectSettings::singleton().save() {
        // What it writes beside the file takes the file's place at the end, and nobody is told where
        // that fails.
        Error::OK if FileMark::of(FILE) == before && !names.clone().all(is_written) => {
            return Err(unwritable(&Error::ERR_FILE_CANT_WRITE));
        }
        Error::OK => put(&line_ends::kept(&had, read()))?,
        error => return Err(unwritable(&error)),
    }
    if names.any(|name| name.starts_with(AUTOLOADS)) {
        together::take_up_autoloads();
    }
    Ok(())
}

/// Whether a setting stands in the file as it is in the editor. One that has its default is left out.
pub(crate) fn is_written(name: &str) -> bool {
    let mut file = ConfigFile::new_gd();
    if file.load(FILE) != Error::OK {
        return false;
    }
    let (section, key) = name.split_once('/').unwrap_or(("", name));
    let written = file.has_section_key(section, key).then(|| file.get_value(section, key));
    let default = || ProjectSettings::singleton().property_get_revert(name);
    match (written, value(name)) {
        (Some(written), Some(value)) => var_to_str(&written) == var_to_str(&value),
        (None, Some(value)) => var_to_str(&default()) == var_to_str(&value),
        (written, None) => written.is_none(),
    }
}

fn unwritable(error: &dyn std::fmt::Debug) -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        format!(
            "project.godot cannot be written ({error:?}), so nothing was changed. See whether the file \
             or its folder is read-only."
        ),
    )
    .requiring(Required::PROJECT_DIR)
}

/// The file itself, where the project has a link to it.
fn file() -> PathBuf {
    let named = on_disk(FILE);
    files::resolved(&named).unwrap_or(named)
}

/// What is in the file.
pub(super) fn read() -> Vec<u8> {
    fs::read(file()).unwrap_or_default()
}

/// Gives the file this content, with the time of the engine's own save: a later one would be taken for
/// a change by somebody else, about which the editor asks the human.
pub(super) fn put(content: &[u8]) -> Result<(), Fault> {
    if read() != content {
        files::put_keeping_time(&file(), content).map_err(|error| unwritable(&error))?;
    }
    note_in_step();
    Ok(())
}
