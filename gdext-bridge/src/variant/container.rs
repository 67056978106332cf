//! Arrays and dictionaries, typed and untyped.

use godot::prelude::*;
use serde_json::{Map, Value};

use super::{
    misfit::{Misfit, summary},
    object,
    read::Reader,
    types::name_of_kind,
    write::ENTRIES,
};
use crate::property::PropertyInfo;

/// An array whose elements all fit the type that `want` gives them.
pub(super) fn array(json: &Value, want: &PropertyInfo, reader: Reader) -> Result<Variant, Misfit> {
    let Value::Array(items) = json else {
        return Err(Misfit::wrong(&want.type_name(), json, "an array such as [1, 2]"));
    };
    let element = want.element();
    let slot = element.clone().unwrap_or_else(|| PropertyInfo::slot(VariantType::NIL));
    let inner = reader.deeper()?;
    let mut array = VarArray::new();
    for (index, item) in items.iter().enumerate() {
        let value = inner.read(item, &slot).map_err(|misfit| misfit.in_element(index))?;
        array.push(&value);
    }
    match element {
        Some(element) if !element.accepts_any() => typed_array(&array, &element),
        _ => Ok(array.to_variant()),
    }
}

/// A dictionary whose keys and values all fit the types that `want` gives them.
pub(super) fn dictionary(
    json: &Value,
    want: &PropertyInfo,
    reader: Reader,
) -> Result<Variant, Misfit> {
    let Value::Object(fields) = json else {
        return Err(Misfit::wrong(&want.type_name(), json, r#"an object such as {"a": 1}"#));
    };
    let entry = want.entry();
    let any = || PropertyInfo::slot(VariantType::NIL);
    let (key_slot, value_slot) = entry.clone().unwrap_or_else(|| (any(), any()));
    let inner = reader.deeper()?;
    let mut dictionary = VarDictionary::new();
    for (key, value) in pairs(fields)? {
        let at = key.as_str().map_or_else(|| summary(&key), str::to_owned);
        let value = inner.read(value, &value_slot).map_err(|misfit| misfit.in_field(&at))?;
        let key = inner.read(&key, &key_slot).map_err(|misfit| Misfit {
            message: format!("As a key: {}", misfit.message),
            ..misfit.in_field(&at)
        })?;
        if dictionary.contains_key(&key) {
            return Err(Misfit::new(format!("The key {at} is given twice.")));
        }
        dictionary.set(&key, &value);
    }
    match entry {
        Some((key, value)) => typed_dictionary(&dictionary, &key, &value),
        None => Ok(dictionary.to_variant()),
    }
}

/// The pairs of a plain object, or of `{"_entries": [[key, value], …]}`.
fn pairs(fields: &Map<String, Value>) -> Result<Vec<(Value, &Value)>, Misfit> {
    let Some(entries) = fields.get(ENTRIES) else {
        return Ok(fields.iter().map(|(key, value)| (key.as_str().into(), value)).collect());
    };
    let refuse = || Misfit::new(format!(r#"{ENTRIES} stands alone and holds [[key, value], …]."#));
    let Some(entries) = entries.as_array().filter(|_| fields.len() == 1) else {
        return Err(refuse());
    };
    let mut pairs = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        match entry.as_array().map(Vec::as_slice) {
            Some([key, value]) => pairs.push((key.clone(), value)),
            _ => return Err(refuse().in_element(index).in_field(ENTRIES)),
        }
    }
    Ok(pairs)
}

/// `items` as an array that itself knows the type of its elements, as a script's variable demands.
fn typed_array(items: &VarArray, element: &PropertyInfo) -> Result<Variant, Misfit> {
    let Some(element) = type_text(element)? else { return Ok(items.to_variant()) };
    let typed = godot::global::str_to_var(&format!("Array[{element}]([])"));
    let fits = |typed: &Variant| {
        let size = typed.try_to::<AnyArray>().map(|array| array.len());
        size.ok() == Some(items.len())
    };
    if typed.get_type() == VariantType::ARRAY {
        typed.call("assign", &[items.to_variant()]);
    }
    if fits(&typed) { Ok(typed) } else { Err(unknown(&format!("Array[{element}]"))) }
}

/// `items` as a dictionary that itself knows its types.
fn typed_dictionary(
    items: &VarDictionary,
    key: &PropertyInfo,
    value: &PropertyInfo,
) -> Result<Variant, Misfit> {
    let (Some(key), Some(value)) = (type_text(key)?, type_text(value)?) else {
        return Ok(items.to_variant());
    };
    let typed = godot::global::str_to_var(&format!("Dictionary[{key}, {value}]({{}})"));
    let fits = |typed: &Variant| {
        let size = typed.try_to::<AnyDictionary>().map(|dictionary| dictionary.len());
        size.ok() == Some(items.len())
    };
    if typed.get_type() == VariantType::DICTIONARY {
        typed.call("assign", &[items.to_variant()]);
    }
    if fits(&typed) { Ok(typed) } else { Err(unknown(&format!("Dictionary[{key}, {value}]"))) }
}

/// A type as the engine's text form has it: names that exist, and paths without a quote, only.
///
/// `None` for a choice of classes, which no array can be typed as.
fn type_text(slot: &PropertyInfo) -> Result<Option<String>, Misfit> {
    if slot.kind != VariantType::OBJECT {
        return Ok(Some(name_of_kind(slot.kind).to_owned()));
    }
    let class = slot.classes();
    if class.is_empty() {
        return Ok(Some("Object".to_owned()));
    }
    if class.contains(',') {
        return Ok(None);
    }
    if object::is_native(class) {
        return Ok(Some(class.to_owned()));
    }
    let path = object::script_class(class).map_or_else(|| class.to_owned(), |known| known.path);
    let plain = !path.contains(['"', '\\', '\n']) && path.starts_with("res://");
    if plain { Ok(Some(format!("Resource(\"{path}\")"))) } else { Err(unknown(class)) }
}

fn unknown(name: &str) -> Misfit {
    Misfit::new(format!("The engine does not make a value of type {name}."))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pairs_come_from_both_forms() {
        let plain = json!({"a": 1, "b": 2});
        assert_eq!(
            pairs(plain.as_object().unwrap()).unwrap(),
            [(json!("a"), &json!(1)), (json!("b"), &json!(2))]
        );
        let entries = json!({"_entries": [[1, "a"], [[0, 0], null]]});
        assert_eq!(
            pairs(entries.as_object().unwrap()).unwrap(),
            [(json!(1), &json!("a")), (json!([0, 0]), &Value::Null)]
        );
        for json in [
            json!({"_entries": 1}),
            json!({"_entries": [[1]]}),
            json!({"_entries": [1]}),
            json!({"_entries": [], "a": 1}),
        ] {
            assert!(pairs(json.as_object().unwrap()).is_err(), "{json}");
        }
    }
}
