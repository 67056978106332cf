//! The names that go with numbers: what the inspector lists, the project's layers, the engine's
//! constants.

use godot::{
    builtin::{AnyDictionary, Corner, EulerOrder, Side},
    classes::{ClassDb, ProjectSettings, ResourceLoader, Script},
    global,
    obj::{EngineBitfield, EngineEnum},
    prelude::*,
};

use super::object::script_class;

/// The names of a hint string such as `A:1,B:4`; `next` numbers those without a number by their
/// index and the number before.
pub(crate) fn parse_names(hint: &str, next: impl Fn(usize, i64) -> i64) -> Vec<(String, i64)> {
    let mut last = -1;
    let mut names = Vec::new();
    for (index, part) in hint.split(',').enumerate().filter(|_| !hint.is_empty()) {
        let (name, number) = part.split_once(':').unwrap_or((part, ""));
        last = number.trim().parse().unwrap_or_else(|_| next(index, last));
        names.push((name.trim().to_owned(), last));
    }
    names
}

/// The layers of a kind, such as `2d_physics`, that the project has named.
pub(crate) fn layer_names(setting: &str, count: u32) -> Vec<(String, i64)> {
    let settings = ProjectSettings::singleton();
    let mut names = Vec::new();
    for layer in 0..count {
        let path = format!("layer_names/{setting}/layer_{}", layer + 1);
        let name = settings.get_setting(&path).stringify().to_string();
        if !name.is_empty() && settings.has_setting(&path) {
            names.push((name, 1 << layer));
        }
    }
    names
}

/// The constants of the enum called `name`, such as `CanvasItem.TextureFilter` or `Side`.
pub(crate) fn enum_constants(name: &str) -> Vec<(String, i64)> {
    match name.rsplit_once('.') {
        Some((class, of)) => class_constants(class, of),
        None => global_constants(name),
    }
}

/// The constants of the enum `of` of `class`, which is the engine's or a script's.
fn class_constants(class: &str, of: &str) -> Vec<(String, i64)> {
    let classes = ClassDb::singleton();
    if !classes.class_exists(class) {
        return script_constants(class, of).unwrap_or_default();
    }
    let value = |name: &GString| classes.class_get_integer_constant(class, &StringName::from(name));
    let names = classes.class_get_enum_constants(class, of);
    names.as_slice().iter().map(|name| (name.to_string(), value(name))).collect()
}

/// A script tells its enums as constants that are dictionaries.
fn script_constants(class: &str, of: &str) -> Option<Vec<(String, i64)>> {
    let path = script_class(class).map_or_else(|| class.to_owned(), |known| known.path);
    if !path.starts_with("res://") || !ResourceLoader::singleton().exists(&path) {
        return None;
    }
    let script = ResourceLoader::singleton().load(&path)?.try_cast::<Script>().ok()?;
    let constants = script.get_script_constant_map();
    let values: AnyDictionary = constants.get(of)?.try_to().ok()?;
    let pairs = values.iter_shared();
    pairs.map(|(name, value)| Some((name.stringify().to_string(), value.try_to().ok()?))).collect()
}

/// The enums outside any class that properties use; the engine cannot list them by name.
fn global_constants(name: &str) -> Vec<(String, i64)> {
    fn list<E: EngineEnum>() -> Vec<(String, i64)> {
        let constants = E::all_constants().iter();
        constants.map(|c| (c.godot_name().to_owned(), c.value().ord().into())).collect()
    }
    fn bits<E: EngineBitfield>() -> Vec<(String, i64)> {
        let constants = E::all_constants().iter();
        constants
            .filter_map(|c| Some((c.godot_name().to_owned(), c.value().ord().try_into().ok()?)))
            .collect()
    }
    match name {
        "ClockDirection" => list::<global::ClockDirection>(),
        "Corner" => list::<Corner>(),
        "EulerOrder" => list::<EulerOrder>(),
        "HorizontalAlignment" => list::<global::HorizontalAlignment>(),
        "InlineAlignment" => list::<global::InlineAlignment>(),
        "JoyAxis" => list::<global::JoyAxis>(),
        "JoyButton" => list::<global::JoyButton>(),
        "Key" => list::<global::Key>(),
        "KeyLocation" => list::<global::KeyLocation>(),
        "KeyModifierMask" => bits::<global::KeyModifierMask>(),
        "MIDIMessage" => list::<global::MidiMessage>(),
        "MouseButton" => list::<global::MouseButton>(),
        "MouseButtonMask" => bits::<global::MouseButtonMask>(),
        "Orientation" => list::<global::Orientation>(),
        "Side" => list::<Side>(),
        "VerticalAlignment" => list::<global::VerticalAlignment>(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_as_the_inspector_does() {
        let names = parse_names("Idle, Run:4,Jump,Dead:-1", |_, last| last + 1);
        let expected = [("Idle", 0), ("Run", 4), ("Jump", 5), ("Dead", -1)];
        assert_eq!(names, expected.map(|(name, n)| (name.to_owned(), n)));
        assert_eq!(parse_names("", |_, last| last + 1), []);
    }

    #[test]
    fn global_enums_have_the_names_of_the_engine() {
        let constants = global_constants("HorizontalAlignment");
        assert!(constants.contains(&("HORIZONTAL_ALIGNMENT_CENTER".to_owned(), 1)));
        assert_eq!(global_constants("Nothing"), []);
    }
}
