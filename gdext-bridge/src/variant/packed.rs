//! Packed arrays, element by element.

use godot::{builtin::*, meta::ToGodot};
use serde_json::Value;

use super::{
    literal::{self, Argument},
    misfit::Misfit,
    numbers,
    read::escaped_text,
    scalar,
    shape::Shape,
    types::name_of_kind,
    write::BASE64,
};

/// The packed array of type `kind` that `json` gives; `None` for another type.
pub(super) fn read(json: &Value, kind: VariantType) -> Option<Result<Variant, Misfit>> {
    Some(match kind {
        VariantType::PACKED_BYTE_ARRAY => {
            bytes(json).map(|b| PackedByteArray::from(b).to_variant())
        }
        VariantType::PACKED_INT32_ARRAY => each(json, kind, |item| {
            let number = scalar::int_within(item, "An element", i32::MIN.into(), i32::MAX.into())?;
            i32::try_from(number).map_err(|_| Misfit::new("Too large."))
        })
        .map(|items| PackedInt32Array::from(items).to_variant()),
        VariantType::PACKED_INT64_ARRAY => {
            each(json, kind, scalar::int).map(|items| PackedInt64Array::from(items).to_variant())
        }
        VariantType::PACKED_FLOAT32_ARRAY => each(json, kind, scalar::single)
            .map(|items| PackedFloat32Array::from(items).to_variant()),
        VariantType::PACKED_FLOAT64_ARRAY => each(json, kind, scalar::float)
            .map(|items| PackedFloat64Array::from(items).to_variant()),
        VariantType::PACKED_STRING_ARRAY => each(json, kind, |json| escaped_text(json, "String"))
            .map(|items| PackedStringArray::from(items).to_variant()),
        VariantType::PACKED_VECTOR2_ARRAY => {
            structs(json, kind, VariantType::VECTOR2, numbers::to_vector2)
                .map(|items| PackedVector2Array::from(items).to_variant())
        }
        VariantType::PACKED_VECTOR3_ARRAY => {
            structs(json, kind, VariantType::VECTOR3, numbers::to_vector3)
                .map(|items| PackedVector3Array::from(items).to_variant())
        }
        VariantType::PACKED_VECTOR4_ARRAY => {
            structs(json, kind, VariantType::VECTOR4, numbers::to_vector4)
                .map(|items| PackedVector4Array::from(items).to_variant())
        }
        VariantType::PACKED_COLOR_ARRAY => {
            structs(json, kind, VariantType::COLOR, numbers::to_color)
                .map(|items| PackedColorArray::from(items).to_variant())
        }
        _ => return None,
    })
}

fn each<T>(
    json: &Value,
    kind: VariantType,
    read: impl Fn(&Value) -> Result<T, Misfit>,
) -> Result<Vec<T>, Misfit> {
    let Value::Array(items) = json else {
        return Err(Misfit::wrong(name_of_kind(kind), json, "an array of its elements"));
    };
    let items = items.iter().enumerate();
    items.map(|(i, item)| read(item).map_err(|misfit| misfit.in_element(i))).collect()
}

/// Elements that are structs, each in any of its forms, or all in one constructor text.
fn structs<T>(
    json: &Value,
    kind: VariantType,
    element: VariantType,
    build: impl Fn(&[f64]) -> Option<T>,
) -> Result<Vec<T>, Misfit> {
    let name = name_of_kind(kind);
    let shape = Shape::of(element).ok_or_else(|| Misfit::new(format!("{name} is unknown.")))?;
    let build = |row: &[f64]| {
        build(row)
            .ok_or_else(|| Misfit::new(format!("{} takes {} numbers.", shape.name, shape.count())))
    };
    match json {
        Value::String(text) => {
            let rows = constructor(text, name, shape)
                .ok_or_else(|| Misfit::wrong(name, json, &format!("an array of {}", shape.name)))?;
            rows.iter()
                .enumerate()
                .map(|(i, row)| build(row).map_err(|m| m.in_element(i)))
                .collect()
        }
        _ => each(json, kind, |item| build(&shape.read(item)?)),
    }
}

/// The rows of text such as `PackedVector2Array(0, 0, 1, 1)`.
fn constructor(text: &str, name: &str, shape: &Shape) -> Option<Vec<Vec<f64>>> {
    let literal = literal::parse(text).filter(|literal| literal.name == name)?;
    let mut numbers = Vec::new();
    for argument in &literal.arguments {
        match argument {
            Argument::Number(number) => numbers.push(shape.check(*number).ok()?),
            Argument::Literal(_) => return None,
        }
    }
    Some(numbers.chunks(shape.count()).map(<[f64]>::to_vec).collect())
}

/// Numbers from 0 to 255, or `{"_base64": "…"}`.
fn bytes(json: &Value) -> Result<Vec<u8>, Misfit> {
    if let Some(text) = json.as_object().filter(|o| o.len() == 1).and_then(|o| o.get(BASE64)) {
        return text.as_str().and_then(base64).ok_or_else(|| {
            Misfit::wrong("PackedByteArray", json, r#"valid base64 such as {"_base64": "AQID"}"#)
        });
    }
    each(json, VariantType::PACKED_BYTE_ARRAY, |item| {
        let number = scalar::int_within(item, "A byte", 0, 255)?;
        u8::try_from(number).map_err(|_| Misfit::new("Too large."))
    })
}

/// The bytes of `text` in the standard alphabet, with its padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for c in body.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn base64_is_read_strictly() {
        assert_eq!(base64(""), Some(vec![]));
        assert_eq!(base64("AQID"), Some(vec![1, 2, 3]));
        assert_eq!(base64("aGk="), Some(b"hi".to_vec()));
        assert_eq!(base64("/+8="), Some(vec![0xff, 0xef]));
        for text in ["A", "AQI", "AQ=D", "A===", "AQ I", "AQI\n", "====", "äöü="] {
            assert_eq!(base64(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_are_bytes() {
        assert_eq!(bytes(&json!([0, 255, "7"])), Ok(vec![0, 255, 7]));
        assert_eq!(bytes(&json!({"_base64": "AQID"})), Ok(vec![1, 2, 3]));
        assert_eq!(bytes(&json!([0, 256])).unwrap_err().at, "[1]");
        for json in [json!([-1]), json!("AQID"), json!(null), json!({"_base64": 1}), json!([0.5])] {
            assert!(bytes(&json).is_err(), "{json}");
        }
    }

    #[test]
    fn constructor_text_gives_rows() {
        let shape = Shape::of(VariantType::VECTOR2).unwrap();
        let rows = constructor("PackedVector2Array(0, 0, 10, 0)", "PackedVector2Array", shape);
        assert_eq!(rows, Some(vec![vec![0.0, 0.0], vec![10.0, 0.0]]));
        assert_eq!(constructor("Vector2(0, 0)", "PackedVector2Array", shape), None);
    }
}
