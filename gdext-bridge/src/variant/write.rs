//! From a value of the engine to JSON.

use godot::{classes::Resource, prelude::*};
use serde_json::{Map, Value, json};

use super::{numbers, object, scalar, shape::Shape};

/// Deeper arrays and dictionaries are cut, as one may contain itself.
const DEEPEST: usize = 32;

/// The key under which a dictionary that is no plain JSON object lists its pairs.
pub(crate) const ENTRIES: &str = "_entries";

/// The key that names the type of a value whose receiver takes any.
pub(super) const TYPE: &str = "_type";

/// The key under which bytes may be given in base64.
pub(super) const BASE64: &str = "_base64";

/// `value` in the form that `docs/value-shapes.md` lists.
pub(crate) fn to_json(value: &Variant) -> Value {
    write(value, DEEPEST)
}

fn write(value: &Variant, deepest: usize) -> Value {
    match value.get_type() {
        VariantType::NIL => Value::Null,
        VariantType::BOOL => value.try_to::<bool>().map_or(Value::Null, Value::from),
        VariantType::INT => value.try_to::<i64>().map_or(Value::Null, Value::from),
        VariantType::FLOAT => value.try_to().map_or(Value::Null, scalar::float_json),
        VariantType::ARRAY => array(value, deepest),
        VariantType::DICTIONARY => dictionary(value, deepest),
        VariantType::OBJECT => object(value),
        kind => match (Shape::of(kind), numbers::numbers(value)) {
            (Some(shape), Some(numbers)) => shape.json(&numbers),
            _ => packed(value).unwrap_or_else(|| value.stringify().to_string().into()),
        },
    }
}

fn array(value: &Variant, deepest: usize) -> Value {
    let Ok(array) = value.try_to::<AnyArray>() else { return Value::Null };
    if deepest == 0 {
        return too_deep();
    }
    array.iter_shared().map(|item| write(&item, deepest - 1)).collect()
}

fn dictionary(value: &Variant, deepest: usize) -> Value {
    let Ok(dictionary) = value.try_to::<AnyDictionary>() else { return Value::Null };
    if deepest == 0 {
        return too_deep();
    }
    let mut object = Map::new();
    for (key, value) in dictionary.iter_shared() {
        match plain_key(&key) {
            Some(key) => object.insert(key, write(&value, deepest - 1)),
            None => return entries(&dictionary, deepest),
        };
    }
    Value::Object(object)
}

/// The text of a key that can stand in a JSON object without being taken for one of ours.
fn plain_key(key: &Variant) -> Option<String> {
    let is_text = matches!(key.get_type(), VariantType::STRING | VariantType::STRING_NAME);
    let text = is_text.then(|| key.stringify().to_string())?;
    (![ENTRIES, TYPE, BASE64].contains(&text.as_str())).then_some(text)
}

fn entries(dictionary: &AnyDictionary, deepest: usize) -> Value {
    let pairs: Value = dictionary
        .iter_shared()
        .map(|(key, value)| json!([write(&key, deepest - 1), write(&value, deepest - 1)]))
        .collect();
    json!({ ENTRIES: pairs })
}

fn too_deep() -> Value {
    format!("<nested deeper than {DEEPEST}>").into()
}

/// A resource by its path or class, a node by its path; other objects by their class.
fn object(value: &Variant) -> Value {
    let Ok(object) = value.try_to::<Gd<Object>>() else { return "<freed object>".into() };
    let object = match object.try_cast::<Node>() {
        Ok(node) => return object::node_text(&node).into(),
        Err(object) => object,
    };
    match object.try_cast::<Resource>() {
        Ok(resource) if !resource.get_path().is_empty() => resource.get_path().to_string().into(),
        Ok(resource) => object::class_of(&resource.upcast()).into(),
        Err(object) => object::class_of(&object).into(),
    }
}

fn packed(value: &Variant) -> Option<Value> {
    fn row<const N: usize>(
        kind: VariantType,
        items: impl Iterator<Item = [f64; N]>,
    ) -> Option<Value> {
        let shape = Shape::of(kind)?;
        Some(items.map(|numbers| shape.json(&numbers)).collect())
    }
    Some(match value.get_type() {
        VariantType::PACKED_BYTE_ARRAY => value.try_to::<PackedByteArray>().ok()?.as_slice().into(),
        VariantType::PACKED_INT32_ARRAY => {
            value.try_to::<PackedInt32Array>().ok()?.as_slice().into()
        }
        VariantType::PACKED_INT64_ARRAY => {
            value.try_to::<PackedInt64Array>().ok()?.as_slice().into()
        }
        VariantType::PACKED_FLOAT32_ARRAY => {
            let array: PackedFloat32Array = value.try_to().ok()?;
            array.as_slice().iter().copied().map(scalar::single_json).collect()
        }
        VariantType::PACKED_FLOAT64_ARRAY => {
            let array: PackedFloat64Array = value.try_to().ok()?;
            array.as_slice().iter().copied().map(scalar::double_json).collect()
        }
        VariantType::PACKED_STRING_ARRAY => {
            let array: PackedStringArray = value.try_to().ok()?;
            array.as_slice().iter().map(ToString::to_string).collect()
        }
        VariantType::PACKED_VECTOR2_ARRAY => {
            let array: PackedVector2Array = value.try_to().ok()?;
            row(VariantType::VECTOR2, array.as_slice().iter().copied().map(numbers::vector2))?
        }
        VariantType::PACKED_VECTOR3_ARRAY => {
            let array: PackedVector3Array = value.try_to().ok()?;
            row(VariantType::VECTOR3, array.as_slice().iter().copied().map(numbers::vector3))?
        }
        VariantType::PACKED_VECTOR4_ARRAY => {
            let array: PackedVector4Array = value.try_to().ok()?;
            row(VariantType::VECTOR4, array.as_slice().iter().copied().map(numbers::vector4))?
        }
        VariantType::PACKED_COLOR_ARRAY => {
            let array: PackedColorArray = value.try_to().ok()?;
            row(VariantType::COLOR, array.as_slice().iter().copied().map(numbers::color))?
        }
        _ => return None,
    })
}
