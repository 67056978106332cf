//! What a setting of the engine may hold beyond its type, by what the engine says of it: one of some
//! texts, or a number between limits that its own dialog does not let the human pass either.

use godot::{
    classes::{FileAccess, ProjectSettings, ResourceLoader},
    prelude::*,
    register::info::PropertyHint,
};
use protocol::{Fault, Required};

use crate::{property::PropertyInfo, resource::resolved_uid, variant};

/// The setting that names the scene which the game begins with.
const MAIN_SCENE: &str = "application/run/main_scene";

/// Refuses a value that the engine does not know. Its own default is never refused.
pub(super) fn check(info: &PropertyInfo, value: &Variant) -> Result<(), Fault> {
    let default = ProjectSettings::singleton().property_get_revert(&info.name);
    let why = match info.hint {
        _ if variant::same(value, &default) => None,
        PropertyHint::ENUM => not_listed(&info.hint_string, value),
        PropertyHint::RANGE => number(value).and_then(|it| out_of_range(&info.hint_string, it)),
        _ => None,
    };
    match why {
        Some(why) => refuse(format!("{} {why}.", info.name)),
        None => Ok(()),
    }
}

/// Refuses a main scene that is not there, or is no scene.
pub(super) fn check_main_scene(name: &str, value: &Variant) -> Result<(), Fault> {
    let is_main = name.split('.').next() == Some(MAIN_SCENE);
    let path = value.to_string();
    if !is_main || path.is_empty() {
        return Ok(());
    }
    let file = if path.starts_with("uid://") { resolved_uid(&path) } else { Some(path.clone()) };
    if let Some(file) = file.filter(|file| FileAccess::file_exists(file)) {
        let loader = ResourceLoader::singleton();
        let endings = loader.get_recognized_extensions_for_type("PackedScene");
        if endings.as_slice().iter().any(|ending| file.ends_with(&format!(".{ending}"))) {
            return Ok(());
        }
        return refuse(format!("'{path}' is no scene, so the game could not begin with it"));
    }
    Err(Fault::not_found(format!(
        "There is no scene '{path}', so the game could not begin with it. See \
         godot_inspection_list_scenes."
    ))
    .requiring(Required::parameter("value")))
}

fn refuse<T>(hint: String) -> Result<T, Fault> {
    Err(Fault::invalid(hint).requiring(Required::parameter("value")))
}

/// Says that a text is none of the list. Numbers of a list are checked when they are read.
fn not_listed(hint: &str, value: &Variant) -> Option<String> {
    if !matches!(value.get_type(), VariantType::STRING | VariantType::STRING_NAME) {
        return None;
    }
    let text = value.to_string();
    let known: Vec<&str> = hint.split(',').map(str::trim).collect();
    (!known.contains(&&*text)).then(|| format!("is one of {}, not {text:?}", known.join(", ")))
}

fn number(value: &Variant) -> Option<f64> {
    value.try_to::<f64>().or_else(|_| value.try_to::<i64>().map(|it| it as f64)).ok()
}

/// Says that a number is beyond a limit. One that the hint calls soft is none.
fn out_of_range(hint: &str, number: f64) -> Option<String> {
    let parts: Vec<&str> = hint.split(',').map(str::trim).collect();
    // Such numbers are shown in degrees and kept in radians.
    if parts.iter().any(|part| part.starts_with("radians")) {
        return None;
    }
    let limit = |index: usize| parts.get(index)?.parse::<f64>().ok();
    let (least, most) = (limit(0)?, limit(1)?);
    if number < least && !parts.contains(&"or_less") {
        return Some(format!("is {least} or more, not {number}"));
    }
    if number > most && !parts.contains(&"or_greater") {
        return Some(format!("is {most} or less, not {number}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hard_limits_count() {
        for (hint, value, expected) in [
            ("1,7680,1,or_greater", -5.0, true),
            ("1,7680,1,or_greater", 9000.0, false),
            ("0,10", 11.0, true),
            ("0,10,1,or_less", -1.0, false),
            ("0,10,1,suffix:px", 10.0, false),
            ("-90,90,1,radians_as_degrees", 100.0, false),
            ("", 1.0, false),
        ] {
            assert_eq!(out_of_range(hint, value).is_some(), expected, "{hint} {value}");
        }
    }
}
