//! The names that go with numbers: what the inspector lists, the project's layers, the engine's
//! constants.

use godot::{
    builtin::{Corner, EulerOrder, Side},
    classes::{ClassDb, ProjectSettings},
    global,
    obj::{EngineBitfield, EngineEnum},
    prelude::*,
};

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

/// The constants of the enum `of` of a class of the engine.
pub(crate) fn class_constants(class: &str, of: &str) -> Vec<(String, i64)> {
    let classes = ClassDb::singleton();
    if !classes.class_exists(class) {
        return Vec::new();
    }
    classes
        .class_get_enum_constants(class, of)
        .as_slice()
        .iter()
        .map(|name| {
            (name.to_string(), classes.class_get_integer_constant(class, &StringName::from(name)))
        })
        .collect()
}

/// The enums outside any class that properties use; the engine cannot list them by name.
pub(crate) fn global_constants(name: &str) -> Vec<(String, i64)> {
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
