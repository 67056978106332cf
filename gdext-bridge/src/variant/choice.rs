//! Numbers that have names: enums and flags.

use serde_json::Value;

use super::{misfit::Misfit, misfit::summary, scalar};
use crate::property::PropertyInfo;

/// One of the values of an enum, by its number or by its name.
pub(super) fn choose(json: &Value, want: &PropertyInfo) -> Result<i64, Misfit> {
    let names = want.enum_names();
    if let Value::String(text) = json
        && let Some(value) = named(text, want, &names)
    {
        return Ok(value);
    }
    let number = scalar::int(json).map_err(|_| refuse(json, want, &names))?;
    let known = |list: &[(String, i64)]| list.iter().any(|(_, value)| *value == number);
    if known(&names) {
        return Ok(number);
    }
    let constants = want.constants();
    if names.is_empty() && constants.is_empty() || known(&constants) {
        return Ok(number);
    }
    Err(refuse(json, want, &names))
}

/// A set of flags: by its number, by a list of names or numbers, or as `A|B`.
pub(super) fn combine(json: &Value, want: &PropertyInfo) -> Result<i64, Misfit> {
    let names = want.enum_names();
    match json {
        Value::Array(items) => items.iter().enumerate().try_fold(0, |all, (i, item)| {
            Ok(all | flag(item, want, &names).map_err(|m| m.in_element(i))?)
        }),
        Value::String(text) => match scalar::int(json) {
            Ok(bits) => Ok(bits),
            Err(_) => text
                .split('|')
                .try_fold(0, |all, name| Ok(all | flag(&Value::from(name.trim()), want, &names)?)),
        },
        _ => flag(json, want, &names),
    }
}

fn flag(json: &Value, want: &PropertyInfo, names: &[(String, i64)]) -> Result<i64, Misfit> {
    if let Value::String(text) = json
        && let Some(value) = named(text, want, names)
    {
        return Ok(value);
    }
    scalar::int(json).map_err(|_| refuse(json, want, names))
}

/// The value that `text` names: as the inspector shows it, or by the constant of the engine.
fn named(text: &str, want: &PropertyInfo, names: &[(String, i64)]) -> Option<i64> {
    let last = text.rsplit('.').next().unwrap_or(text);
    find(names, text).or_else(|| find(names, last)).or_else(|| {
        // Asking the engine for constants is not cheap, and none of them looks like a number.
        let is_word = last.starts_with(|c: char| c.is_ascii_alphabetic());
        is_word.then(|| find(&want.constants(), last))?
    })
}

fn find(names: &[(String, i64)], text: &str) -> Option<i64> {
    let exact = names.iter().find(|(name, _)| name == text);
    let alike = || {
        let wanted = plain(text);
        names.iter().find(|(name, _)| !wanted.is_empty() && plain(name) == wanted)
    };
    exact.or_else(alike).map(|(_, value)| *value)
}

/// `name` without what people vary: case, spaces, underscores and dashes.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn refuse(json: &Value, want: &PropertyInfo, names: &[(String, i64)]) -> Misfit {
    const MOST: usize = 40;
    let constants = if names.is_empty() { want.constants() } else { Vec::new() };
    let all = if names.is_empty() { &constants } else { names };
    let mut list: Vec<String> =
        all.iter().take(MOST).map(|(name, value)| format!("{name} = {value}")).collect();
    if all.len() > MOST {
        list.push(format!("and {} more", all.len() - MOST));
    }
    let kind = if want.is_flags() { "flags" } else { "values" };
    let known = if list.is_empty() { "none has a name".to_owned() } else { list.join(", ") };
    Misfit::new(format!("{} is none of the {kind}: {known}.", summary(json)))
}

#[cfg(test)]
mod tests {
    use godot::{builtin::VariantType, register::info::PropertyHint};
    use serde_json::json;

    use super::*;

    fn info(hint: PropertyHint, names: &str) -> PropertyInfo {
        let slot = PropertyInfo::slot(VariantType::INT);
        PropertyInfo { hint, hint_string: names.to_owned(), ..slot }
    }

    #[test]
    fn an_enum_takes_its_numbers_and_names() {
        let info = info(PropertyHint::ENUM, "Idle,Run Fast:4,2");
        for (json, expected) in [
            (json!(0), 0),
            (json!(4.0), 4),
            (json!("Run Fast"), 4),
            (json!("run_fast"), 4),
            (json!("State.RUN_FAST"), 4),
            (json!("2"), 5),
            (json!("4"), 4),
        ] {
            assert_eq!(choose(&json, &info), Ok(expected), "{json}");
        }
    }

    #[test]
    fn flags_take_numbers_names_and_lists() {
        let info = info(PropertyHint::FLAGS, "Fire,Water,Ice Cold:8");
        for (json, expected) in [
            (json!(9), 9),
            (json!("9"), 9),
            (json!("fire"), 1),
            (json!("Fire | Ice Cold"), 9),
            (json!(["Fire", 2, "ice_cold"]), 11),
            (json!([]), 0),
        ] {
            assert_eq!(combine(&json, &info), Ok(expected), "{json}");
        }
    }
}
