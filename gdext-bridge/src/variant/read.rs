//! From JSON to the value that a receiver wants.

use godot::{classes::Resource, prelude::*};
use serde_json::{Map, Value, json};

use super::{
    choice, container,
    misfit::Misfit,
    object, packed, scalar,
    shape::Shape,
    types::{kind_named, name_of_kind},
    write::{ENTRIES, TYPE},
};
use crate::property::PropertyInfo;

/// The key of a tagged value that is no struct.
const TAGGED: &str = "value";

/// Arrays and dictionaries that nest deeper are refused, as the engine cannot compare them.
const DEEPEST: u32 = 32;

/// Reads `json` as the type that `want` describes.
///
/// Nodes are looked up from `scene_root`; without one, a slot for a node takes only null.
pub(crate) fn from_json(
    json: &Value,
    want: &PropertyInfo,
    scene_root: Option<&Gd<Node>>,
) -> Result<Variant, Misfit> {
    let reader = Reader { scene_root, home: None, deepest: DEEPEST };
    reader.read(json, want).map_err(|misfit| misfit.in_value(want.type_name()))
}

/// The same for a value of a file, which may name the resources inside the file.
pub(crate) fn from_json_in_file(
    json: &Value,
    want: &PropertyInfo,
    home: &Home,
) -> Result<Variant, Misfit> {
    let reader = Reader { scene_root: None, home: Some(home), deepest: DEEPEST };
    reader.read(json, want).map_err(|misfit| misfit.in_value(want.type_name()))
}

/// The file that a value is for, as a copy that nobody else has.
pub(crate) struct Home {
    /// The file.
    pub(crate) path: String,
    /// The resources inside it.
    pub(crate) inside: Vec<Gd<Resource>>,
}

/// What reading needs beside the value, at one level of nesting.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) scene_root: Option<&'a Gd<Node>>,
    /// The file that the value is for, if it is for one.
    pub(super) home: Option<&'a Home>,
    deepest: u32,
}

impl Reader<'_> {
    /// A reader that knows no nodes.
    pub(super) fn without_scene() -> Reader<'static> {
        Reader { scene_root: None, home: None, deepest: DEEPEST }
    }

    /// Reads `json` as the type that `want` describes.
    pub(super) fn read(&self, json: &Value, want: &PropertyInfo) -> Result<Variant, Misfit> {
        if json.is_null() {
            return null(want);
        }
        if want.kind == VariantType::NIL {
            return self.natural(json);
        }
        if let Some(json) = inner_json(json, want.kind) {
            return self.deeper()?.read(&json, want);
        }
        match tagged(json, want)? {
            Some(json) => self.typed(&json, want),
            None => self.typed(json, want),
        }
    }

    /// A reader for what the value holds.
    pub(super) fn deeper(&self) -> Result<Self, Misfit> {
        match self.deepest.checked_sub(1) {
            Some(deepest) => Ok(Reader { deepest, ..*self }),
            None => Err(Misfit::new(format!("Values nest at most {DEEPEST} levels deep."))),
        }
    }

    fn typed(&self, json: &Value, want: &PropertyInfo) -> Result<Variant, Misfit> {
        match want.kind {
            VariantType::BOOL => scalar::boolean(json).map(|value| value.to_variant()),
            VariantType::INT if want.is_flags() => {
                choice::combine(json, want).map(|n| n.to_variant())
            }
            VariantType::INT if want.is_enum() => {
                choice::choose(json, want).map(|n| n.to_variant())
            }
            VariantType::INT => scalar::int(json).map(|value| value.to_variant()),
            VariantType::FLOAT => scalar::float(json).map(|value| value.to_variant()),
            VariantType::STRING => {
                text(json, "String").map(|text| GString::from(text).to_variant())
            }
            VariantType::STRING_NAME => {
                escaped_text(json, "StringName").map(|text| StringName::from(&text).to_variant())
            }
            VariantType::NODE_PATH => {
                escaped_text(json, "NodePath").map(|text| NodePath::from(&text).to_variant())
            }
            VariantType::ARRAY => container::array(json, want, *self),
            VariantType::DICTIONARY => container::dictionary(json, want, *self),
            VariantType::OBJECT => object::read(json, want, *self),
            VariantType::CALLABLE => {
                Err(refuse("Callable", "a function cannot be written as a value"))
            }
            VariantType::SIGNAL => Err(refuse("Signal", "connect the signal with its own tool")),
            VariantType::RID => Err(refuse("RID", "it names something inside a running engine")),
            kind => match Shape::of(kind) {
                Some(shape) => shape.variant(&shape.read(json)?),
                None => packed::read(json, kind)
                    .unwrap_or_else(|| Err(refuse(name_of_kind(kind), "its type is unknown"))),
            },
        }
    }

    /// Reads `json` as what it plainly is, for a receiver that takes any value.
    fn natural(&self, json: &Value) -> Result<Variant, Misfit> {
        let as_kind = |kind| self.typed(json, &PropertyInfo::slot(kind));
        match json {
            Value::Null => Ok(Variant::nil()),
            Value::Bool(value) => Ok(value.to_variant()),
            Value::Number(number) if number.is_f64() => as_kind(VariantType::FLOAT),
            Value::Number(_) => as_kind(VariantType::INT),
            Value::String(text) => Ok(match scalar::sentinel(text) {
                Some(number) => number.to_variant(),
                None => GString::from(text).to_variant(),
            }),
            Value::Array(_) => as_kind(VariantType::ARRAY),
            Value::Object(fields) => match fields.get(TYPE).and_then(Value::as_str) {
                Some(name) => self.by_tag(json, name),
                None => as_kind(VariantType::DICTIONARY),
            },
        }
    }

    fn by_tag(&self, json: &Value, name: &str) -> Result<Variant, Misfit> {
        let slot = match kind_named(name) {
            Some(kind) => PropertyInfo::slot(kind),
            None => PropertyInfo {
                class_name: name.to_owned(),
                ..PropertyInfo::slot(VariantType::OBJECT)
            },
        };
        if slot.kind == VariantType::NIL || name == "Object" {
            return Err(Misfit::new(format!(
                "'{name}' is no type to make a value of; name a type such as Vector2 or a class of resource."
            )));
        }
        self.read(json, &slot)
    }
}

fn null(want: &PropertyInfo) -> Result<Variant, Misfit> {
    if want.accepts_null() {
        return Ok(Variant::nil());
    }
    Err(Misfit::new(format!("{} cannot be null; give a value of its type.", want.type_name())))
}

/// The value without its tag, if it has one: `{"_type": "Vector2", "x": 1, "y": 2}`.
///
/// The tag of an object stays, as it says which class to make.
fn tagged(json: &Value, want: &PropertyInfo) -> Result<Option<Value>, Misfit> {
    let Value::Object(fields) = json else { return Ok(None) };
    let Some(tag) = fields.get(TYPE) else { return Ok(None) };
    if want.kind == VariantType::OBJECT {
        return Ok(None);
    }
    let name = name_of_kind(want.kind);
    if tag.as_str() != Some(name) {
        let hint = match want.kind {
            VariantType::DICTIONARY => format!(
                r#"; to store a key called {TYPE}, give the pairs as {{"{ENTRIES}": [[key, value]]}}"#
            ),
            _ => String::new(),
        };
        return Err(Misfit::new(format!("{TYPE} is {tag}, but {name} is wanted{hint}.")));
    }
    let mut fields: Map<String, Value> = fields.clone();
    fields.remove(TYPE);
    let only = fields.len() == 1;
    Ok(Some(fields.remove(TAGGED).filter(|_| only).unwrap_or_else(|| json!(fields))))
}

/// JSON inside text, as clients send it that cannot nest values; text types keep it as it is.
fn inner_json(json: &Value, kind: VariantType) -> Option<Value> {
    let is_text =
        matches!(kind, VariantType::STRING | VariantType::STRING_NAME | VariantType::NODE_PATH);
    let text =
        json.as_str().filter(|text| !is_text && text.trim_start().starts_with(['{', '[']))?;
    serde_json::from_str(text).ok()
}

fn text<'a>(json: &'a Value, kind: &str) -> Result<&'a str, Misfit> {
    let text = json.as_str();
    let text = text.ok_or_else(|| Misfit::wrong(kind, json, "text, in quotes"))?;
    if text.contains('\0') {
        return Err(Misfit::new(format!("{kind} cannot hold a NUL character.")));
    }
    if text.starts_with('\u{feff}') {
        return Err(Misfit::new(format!(
            "{kind} cannot begin with a byte order mark: the engine takes it off."
        )));
    }
    Ok(text)
}

/// Text of a type that the engine writes to files with escapes, two of which it does not read back.
pub(super) fn escaped_text(json: &Value, kind: &str) -> Result<GString, Misfit> {
    let text = text(json, kind)?;
    match text.chars().find(|c| ['\u{7}', '\u{b}'].contains(c)) {
        Some(c) => Err(Misfit::new(format!(
            "{kind} cannot hold the character {c:?}: a file of the engine would not keep it."
        ))),
        None => Ok(text.into()),
    }
}

fn refuse(kind: &str, why: &str) -> Misfit {
    Misfit::new(format!("A {kind} cannot be set from JSON: {why}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_off() {
        let want = PropertyInfo::slot(VariantType::VECTOR2);
        let json = json!({"_type": "Vector2", "x": 1, "y": 2});
        assert_eq!(tagged(&json, &want), Ok(Some(json!({"x": 1, "y": 2}))));
        let json = json!({"_type": "Vector2", "value": [1, 2]});
        assert_eq!(tagged(&json, &want), Ok(Some(json!([1, 2]))));
        assert_eq!(tagged(&json!({"x": 1}), &want), Ok(None));
        assert!(tagged(&json!({"_type": "Vector3"}), &want).is_err());
    }

    #[test]
    fn json_in_text_is_for_types_that_are_no_text() {
        let text = json!("{\"a\":1}");
        assert_eq!(inner_json(&text, VariantType::DICTIONARY), Some(json!({"a": 1})));
        assert_eq!(inner_json(&text, VariantType::STRING), None);
        assert_eq!(inner_json(&json!("007"), VariantType::INT), None);
    }

    #[test]
    fn text_stays_as_it_is_and_numbers_are_no_text() {
        assert_eq!(text(&json!("007"), "String"), Ok("007"));
        assert!(escaped_text(&json!("a\u{b}"), "NodePath").is_err());
        for json in [json!(7), json!(true), json!(["a"]), json!("a\0b")] {
            let misfit = text(&json, "String").unwrap_err();
            assert!(misfit.message.contains("String"), "{}", misfit.message);
        }
    }

    #[test]
    fn null_is_for_those_who_take_it() {
        let misfit = null(&PropertyInfo::slot(VariantType::VECTOR2)).unwrap_err();
        assert!(misfit.message.contains("Vector2"), "{}", misfit.message);
    }
}
