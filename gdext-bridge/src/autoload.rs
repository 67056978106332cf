//! The autoloads of the project: what they may be called, and what they may be.

use godot::{
    classes::{ClassDb, Engine, PackedScene, ResourceLoader, Script},
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::{
    outside,
    resource::{file_exists, global_class, nearest, resolved_uid},
    settings::{self, SettingsChange},
    throwaway::{base_of, is_known},
    undo::Step,
    variant::kind_named,
};

/// Where autoloads are among the settings.
const PREFIX: &str = "autoload/";

/// The words of GDScript, which no name can be (its reference, "Keywords" and "Built-in types").
const KEYWORDS: &[&str] = &[
    "if",
    "elif",
    "else",
    "for",
    "while",
    "match",
    "when",
    "break",
    "continue",
    "pass",
    "return",
    "class",
    "class_name",
    "extends",
    "is",
    "in",
    "as",
    "self",
    "super",
    "signal",
    "func",
    "static",
    "const",
    "enum",
    "var",
    "breakpoint",
    "preload",
    "await",
    "yield",
    "assert",
    "void",
    "not",
    "and",
    "or",
    "true",
    "false",
    "null",
    "namespace",
    "trait",
    "PI",
    "TAU",
    "INF",
    "NAN",
];

/// The enums of the global scope (its class reference, `@GlobalScope`).
const GLOBAL_ENUMS: &[&str] = &[
    "Side",
    "Corner",
    "Orientation",
    "ClockDirection",
    "HorizontalAlignment",
    "VerticalAlignment",
    "InlineAlignment",
    "EulerOrder",
    "Key",
    "KeyModifierMask",
    "KeyLocation",
    "MouseButton",
    "MouseButtonMask",
    "JoyButton",
    "JoyAxis",
    "MIDIMessage",
    "Error",
    "PropertyHint",
    "PropertyUsageFlags",
    "MethodFlags",
    "Variant",
];

/// The step that adds an autoload, or takes it out.
pub(crate) fn step(name: &str, path: Option<&ResPath>) -> Step {
    // The star makes it a global name, as the editor's own dialog does by default.
    let value = path.map(|path| format!("*{path}").to_variant());
    Step::Settings(SettingsChange::of(&setting(name), value))
}

/// Whether `project.godot` has the autoload as the editor has.
pub(crate) fn is_written(name: &str) -> bool {
    settings::is_written(&setting(name))
}

/// The path of an autoload; `None` if there is none of that name.
pub(crate) fn path_of(name: &str) -> Option<String> {
    let value = settings::value(&setting(name))?.to_string();
    Some(value.trim_start_matches('*').to_owned())
}

/// The names of all autoloads.
pub(crate) fn names() -> Vec<String> {
    settings::names_below(PREFIX)
}

/// The names of the autoloads that one of these files is, also where they are named by its UID.
pub(crate) fn names_of(files: &[&str]) -> Vec<String> {
    let is_one = |name: &String| {
        let path = path_of(name).map(|path| resolved_uid(&path).unwrap_or(path));
        path.is_some_and(|path| files.contains(&path.as_str()))
    };
    names().into_iter().filter(is_one).collect()
}

fn setting(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Refuses a name that scripts could not use, or that means something else to them.
pub(crate) fn check_name(name: &str) -> Result<(), Fault> {
    let refuse = |why: &str| {
        Err(Fault::invalid(format!(
            "'{name}' cannot name an autoload: {why}. Choose another name."
        ))
        .requiring(Required::parameter("name")))
    };
    let is_identifier = !name.is_empty()
        && name.len() <= 255
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_identifier {
        return refuse("it is no identifier; letters, digits and _ only, and no digit first");
    }
    if KEYWORDS.contains(&name) {
        return refuse("it is a word of GDScript");
    }
    if let Some(what) = meaning(name) {
        return refuse(&format!("it is {what} of the engine"));
    }
    if let Some(class) = global_class(name) {
        return refuse(&format!("it is the class_name of '{}'", class.path));
    }
    if path_of(name).is_none() && is_known(name) {
        return refuse(
            "to scripts it is something of the engine, such as a constant or a function",
        );
    }
    Ok(())
}

/// What a name is to the engine itself, in every project.
fn meaning(name: &str) -> Option<&'static str> {
    if ClassDb::singleton().class_exists(name) || kind_named(name).is_some() {
        return Some("a class or a type");
    }
    let singletons = Engine::singleton().get_singleton_list();
    let is_global =
        GLOBAL_ENUMS.contains(&name) || singletons.as_slice().iter().any(|it| *it == name);
    is_global.then_some("a global name")
}

/// Whether a name means something else to scripts than a class that a script calls so.
pub(crate) fn hides_class(name: &str) -> bool {
    meaning(name).is_some() || names().iter().any(|autoload| autoload == name)
}

/// Refuses a file that cannot be an autoload: a scene, or a script that extends a node.
pub(crate) fn check_file(path: &ResPath) -> Result<(), Fault> {
    let parameter = Required::parameter("path");
    if !file_exists(path) {
        return Err(Fault::not_found(format!("There is no file '{path}'.")).requiring(parameter));
    }
    let refuse = |why: String| Err(Fault::invalid(why).requiring(parameter.clone()));
    outside::take_in(path.as_str());
    let mut loader = ResourceLoader::singleton();
    let Some(loaded) = loader.load(path.as_str()) else {
        return refuse(format!("'{path}' cannot be loaded. See engine_errors."));
    };
    if loaded.clone().try_cast::<PackedScene>().is_ok() {
        return Ok(());
    }
    let Ok(script) = loaded.try_cast::<Script>() else {
        return refuse(format!("'{path}' is neither a scene nor a script."));
    };
    let Some(base) = base_of(&script) else {
        return refuse(format!("'{path}' has errors; correct them first."));
    };
    if !ClassDb::singleton().is_parent_class(&base, "Node") {
        return refuse(format!("'{path}' extends {base}; an autoload has to extend a node."));
    }
    Ok(())
}

/// The fault of a name that no autoload has.
pub(crate) fn missing(name: &str) -> Fault {
    let names = names();
    let near = nearest(name, names.iter().map(String::as_str));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Fault::not_found(format!("There is no autoload '{name}'.{near} The project has: {all}."))
        .requiring(Required::parameter("name"))
}
