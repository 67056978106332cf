//! Project settings as undo steps: set by the engine's own API, which also the project settings of
//! the editor show, and written to `project.godot` at once.
//!
//! The file is never edited as text: the editor would write over it.

use std::{
    cell::{Cell, RefCell},
    fs, io,
    path::PathBuf,
};

use godot::{
    classes::{ConfigFile, EditorInterface, ProjectSettings},
    global::{Error, var_to_str},
    prelude::*,
};
use protocol::{ErrorCode, Fault, Required};

use crate::{
    files,
    resource::{nearest, on_disk},
    tabs::FileMark,
    undo::kept::{Foretold, Kept, Outcome},
    variant,
};

/// The file that the settings are in.
const FILE: &str = "res://project.godot";

/// Settings that are to get other values.
pub(crate) struct SettingsChange {
    values: Vec<(String, Option<Variant>)>,
}

impl SettingsChange {
    /// One setting with its new value; `None` takes it out of the project.
    pub(crate) fn of(name: &str, value: Option<Variant>) -> SettingsChange {
        SettingsChange { values: vec![(name.to_owned(), value)] }
    }

    /// Several settings at once.
    pub(crate) fn all(values: Vec<(String, Variant)>) -> SettingsChange {
        let values = values.into_iter().map(|(name, value)| (name, Some(value)));
        SettingsChange { values: values.collect() }
    }

    /// Keeps what the settings are now, to be put back.
    pub(crate) fn prepare(self) -> Gd<KeptSettings> {
        let (names, after): (Vec<String>, Vec<Option<Variant>>) = self.values.into_iter().unzip();
        let before = names.iter().map(|name| value(name)).collect();
        let (file, outcome) = (RefCell::default(), Outcome::default());
        Gd::from_object(KeptSettings { names, before, after, file, outcome })
    }
}

/// Settings before and after a step, as the undo history keeps them.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
pub(crate) struct KeptSettings {
    names: Vec<String>,
    before: Vec<Option<Variant>>,
    after: Vec<Option<Variant>>,
    /// `project.godot` before the step and after it: the engine writes it in a form of its own, and
    /// undo gives back the form that it had.
    file: RefCell<[Vec<u8>; 2]>,
    outcome: Outcome,
}

#[godot_api]
impl KeptSettings {
    /// Does the step.
    #[func]
    fn apply(&self) {
        let before = read();
        self.outcome.of(|| self.go(&self.before, &self.after));
        *self.file.borrow_mut() = [before, read()];
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        let [before, after] = &*self.file.borrow();
        let is_ours = read() == *after;
        self.outcome.of(|| {
            self.go(&self.after, &self.before)?;
            if is_ours { put_back(before).map_err(|error| unwritable(&error)) } else { Ok(()) }
        });
    }

    fn go(&self, from: &[Option<Variant>], to: &[Option<Variant>]) -> Result<(), Fault> {
        check_writable()?;
        take_over_file();
        self.set(to);
        let done = save().and_then(|()| self.check(to));
        if done.is_err() {
            self.set(from);
        }
        if self.names.iter().any(|name| name.starts_with("autoload/")) {
            refresh_autoloads();
        }
        done
    }

    fn set(&self, values: &[Option<Variant>]) {
        let mut settings = ProjectSettings::singleton();
        for (name, value) in self.names.iter().zip(values) {
            // The engine takes null for "no such setting".
            settings.set_setting(name.as_str(), &value.clone().unwrap_or_default());
        }
    }

    fn check(&self, wanted: &[Option<Variant>]) -> Result<(), Fault> {
        for (name, wanted) in self.names.iter().zip(wanted) {
            let got = value(name);
            let is_same = match (wanted, &got) {
                (Some(wanted), Some(got)) => variant::same(wanted, got),
                (wanted, got) => wanted.is_none() && got.is_none(),
            };
            if !is_same {
                return Err(Fault::internal(format!(
                    "'{name}' reads otherwise than it was set. It was put back to what it was."
                )));
            }
        }
        Ok(())
    }
}

impl Kept for KeptSettings {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn foretell(&self, _: bool, _: &mut Foretold) -> Result<(), Fault> {
        // What somebody else has written is kept by every move.
        check_writable()
    }

    fn paths(&self) -> Vec<String> {
        vec![FILE.to_owned()]
    }
}

/// A setting as it is now; `None` if the project has none of that name.
pub(crate) fn value(name: &str) -> Option<Variant> {
    let settings = ProjectSettings::singleton();
    settings.has_setting(name).then(|| settings.get_setting(name))
}

/// The names of the settings below a prefix, without it.
pub(crate) fn names_below(prefix: &str) -> Vec<String> {
    let list = ProjectSettings::singleton().get_property_list();
    let names = list.iter_shared().filter_map(|entry| Some(entry.get("name")?.to_string()));
    names.filter_map(|name| Some(name.strip_prefix(prefix)?.to_owned())).collect()
}

/// Whether the engine has settings whose names begin with this word.
pub(crate) fn is_section_of_the_engine(section: &str) -> bool {
    let prefix = format!("{section}/");
    names_below(&prefix).iter().any(|name| is_of_the_engine(&format!("{prefix}{name}")))
}

/// The setting with the most similar name.
pub(crate) fn nearest_name(name: &str) -> Option<String> {
    let names = names_below("");
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Whether the engine itself has the setting. Those of a project come after a place in the order of
/// all (`ProjectSettings::NO_BUILTIN_ORDER_BASE` of the engine).
pub(crate) fn is_of_the_engine(name: &str) -> bool {
    ProjectSettings::singleton().get_order(name) < 1 << 16
}

/// Lets the editor take up changed autoloads, as its own dialog does: scripts may use them from then
/// on. The method is bound for undo steps, but its class is not part of the API.
fn refresh_autoloads() {
    let Some(base) = EditorInterface::singleton().get_base_control() else { return };
    let dialogs = base.find_children_ex("*").type_("EditorAutoloadSettings").owned(false).done();
    for mut dialog in dialogs.iter_shared() {
        if dialog.has_method("update_autoload") {
            dialog.call("update_autoload", &[]);
        }
    }
}

thread_local! {
    /// `project.godot` as it was when it was last in step with the settings.
    static IN_STEP: Cell<Option<FileMark>> = const { Cell::new(None) };
}

/// Takes over what somebody else wrote to `project.godot` since it was read, as the save that follows
/// would undo it.
fn take_over_file() {
    if IN_STEP.get() == Some(FileMark::of(FILE)) {
        return;
    }
    let mut file = ConfigFile::new_gd();
    if file.load(FILE) != Error::OK {
        return;
    }
    let mut settings = ProjectSettings::singleton();
    for section in file.get_sections().as_slice() {
        for key in file.get_section_keys(section).as_slice() {
            let name =
                if section.is_empty() { key.to_string() } else { format!("{section}/{key}") };
            let written = file.get_value(section, key);
            let is_known = settings.has_setting(&name)
                && var_to_str(&settings.get_setting(&name)) == var_to_str(&written);
            // The version of the file is no setting.
            if !is_known && name != "config_version" {
                settings.set_setting(&name, &written);
            }
        }
    }
}

/// Refuses where the file cannot be written: the engine's own save does not tell.
fn check_writable() -> Result<(), Fault> {
    let opened = fs::File::options().append(true).open(file());
    opened.map(drop).map_err(|error| unwritable(&error))
}

fn save() -> Result<(), Fault> {
    match ProjectSettings::singleton().save() {
        Error::OK => {
            IN_STEP.set(Some(FileMark::of(FILE)));
            Ok(())
        }
        error => Err(unwritable(&error)),
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

fn file() -> PathBuf {
    on_disk(FILE)
}

fn read() -> Vec<u8> {
    fs::read(file()).unwrap_or_default()
}

/// Writes the file as it was, with the time of the engine's own save: a later one would be taken for
/// a change by somebody else, about which the editor asks the human.
fn put_back(content: &[u8]) -> io::Result<()> {
    let saved = fs::metadata(file())?.modified()?;
    files::put(&file(), Some(content))?;
    fs::File::options().write(true).open(file())?.set_modified(saved)?;
    IN_STEP.set(Some(FileMark::of(FILE)));
    Ok(())
}
