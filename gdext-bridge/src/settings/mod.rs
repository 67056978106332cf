//! Project settings: as they are now, and as undo steps.

mod change;
mod file;
mod list;

use godot::{classes::ProjectSettings, prelude::*};

pub(crate) use self::{
    change::{KeptSettings, SettingsChange},
    file::{check_writable, is_written, note_file, take_up_autoloads},
    list::{described, forget, is_section_of_the_engine, names_below, nearest_name},
};
use crate::variant;

/// The file that the settings are in.
const FILE: &str = "res://project.godot";

/// A setting as it is now; `None` if the project has none of that name.
pub(crate) fn value(name: &str) -> Option<Variant> {
    let settings = ProjectSettings::singleton();
    settings.has_setting(name).then(|| settings.get_setting(name))
}

/// Whether a setting has this value already, in the editor and in the file.
pub(crate) fn is_already(name: &str, wanted: Option<&Variant>) -> bool {
    let is_same = match (wanted, &value(name)) {
        (Some(wanted), Some(value)) => variant::same(wanted, value),
        (wanted, value) => wanted.is_none() && value.is_none(),
    };
    is_same && is_written(name)
}

/// Whether the engine itself has the setting. Those of a project come after a place in the order of
/// all (`ProjectSettings::NO_BUILTIN_ORDER_BASE` of the engine).
pub(crate) fn is_of_the_engine(name: &str) -> bool {
    ProjectSettings::singleton().get_order(name) < 1 << 16
}

/// Gives a setting a value; `None` takes it out of the project.
fn set(name: &str, value: Option<&Variant>) {
    // The engine takes null for "no such setting".
    let null = Variant::nil();
    ProjectSettings::singleton().set_setting(name, value.unwrap_or(&null));
    list::note(name, value);
}
