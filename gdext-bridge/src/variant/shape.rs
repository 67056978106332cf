//! The types that are a fixed row of numbers, and the forms in which JSON may give them.

use godot::{
    builtin::{Variant, VariantType},
    meta::ToGodot,
};
use serde_json::{Map, Value};

use super::{misfit::Misfit, numbers, scalar};

/// A struct type: the names of its fields and what each holds.
///
/// Its numbers are always in the order of its fields, so those of a `Basis` go axis by axis.
pub(super) struct Shape {
    pub(super) kind: VariantType,
    pub(super) name: &'static str,
    pub(super) fields: &'static [(&'static str, Field)],
    /// Whether its numbers are whole.
    pub(super) whole: bool,
    /// The forms that it is read from, for a message.
    pub(super) accepted: &'static str,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Number,
    Struct(&'static Shape),
}

use Field::{Number, Struct};

const XY: &[(&str, Field)] = &[("x", Number), ("y", Number)];
const XYZ: &[(&str, Field)] = &[("x", Number), ("y", Number), ("z", Number)];
const XYZW: &[(&str, Field)] = &[("x", Number), ("y", Number), ("z", Number), ("w", Number)];
const RGBA: &[(&str, Field)] = &[("r", Number), ("g", Number), ("b", Number), ("a", Number)];

macro_rules! shapes {
    ($($NAME:ident $name:literal $whole:literal $fields:expr, $accepted:literal;)*) => {
        $(pub(super) static $NAME: Shape = Shape {
            kind: VariantType::$NAME,
            name: $name,
            fields: $fields,
            whole: $whole,
            accepted: $accepted,
        };)*
        pub(super) static SHAPES: &[&Shape] = &[$(&$NAME),*];
    };
}

shapes! {
    VECTOR2 "Vector2" false XY, r#"{"x": 1, "y": 2}, [1, 2] or "Vector2(1, 2)""#;
    VECTOR2I "Vector2i" true XY, r#"whole numbers as {"x": 1, "y": 2}, [1, 2] or "Vector2i(1, 2)""#;
    VECTOR3 "Vector3" false XYZ, r#"{"x": 1, "y": 2, "z": 3}, [1, 2, 3] or "Vector3(1, 2, 3)""#;
    VECTOR3I "Vector3i" true XYZ, r#"whole numbers as {"x": 1, "y": 2, "z": 3}, [1, 2, 3] or "Vector3i(1, 2, 3)""#;
    VECTOR4 "Vector4" false XYZW, r#"{"x", "y", "z", "w"}, [1, 2, 3, 4] or "Vector4(1, 2, 3, 4)""#;
    VECTOR4I "Vector4i" true XYZW, r#"whole numbers as {"x", "y", "z", "w"}, [1, 2, 3, 4] or "Vector4i(1, 2, 3, 4)""#;
    RECT2 "Rect2" false &[("position", Struct(&VECTOR2)), ("size", Struct(&VECTOR2))],
        r#"{"position": {"x", "y"}, "size": {"x", "y"}}, [x, y, width, height] or "Rect2(x, y, width, height)""#;
    RECT2I "Rect2i" true &[("position", Struct(&VECTOR2I)), ("size", Struct(&VECTOR2I))],
        r#"whole numbers as {"position": {"x", "y"}, "size": {"x", "y"}}, [x, y, width, height] or "Rect2i(x, y, width, height)""#;
    TRANSFORM2D "Transform2D" false
        &[("x", Struct(&VECTOR2)), ("y", Struct(&VECTOR2)), ("origin", Struct(&VECTOR2))],
        r#"{"x": {"x", "y"}, "y": {"x", "y"}, "origin": {"x", "y"}}, an array of 6 numbers in that order or "Transform2D(1, 0, 0, 1, 0, 0)""#;
    PLANE "Plane" false &[("normal", Struct(&VECTOR3)), ("d", Number)],
        r#"{"normal": {"x", "y", "z"}, "d": 1}, [x, y, z, d] or "Plane(x, y, z, d)""#;
    QUATERNION "Quaternion" false XYZW,
        r#"{"x", "y", "z", "w"}, [0, 0, 0, 1] or "Quaternion(0, 0, 0, 1)""#;
    AABB "AABB" false &[("position", Struct(&VECTOR3)), ("size", Struct(&VECTOR3))],
        r#"{"position": {"x", "y", "z"}, "size": {"x", "y", "z"}}, an array of 6 numbers or "AABB(0, 0, 0, 1, 1, 1)""#;
    BASIS "Basis" false
        &[("x", Struct(&VECTOR3)), ("y", Struct(&VECTOR3)), ("z", Struct(&VECTOR3))],
        r#"its axes as {"x": {"x", "y", "z"}, "y": …, "z": …}, an array of 9 numbers axis by axis or "Basis(…)" with 9 numbers row by row as in a scene file"#;
    TRANSFORM3D "Transform3D" false
        &[("basis", Struct(&BASIS)), ("origin", Struct(&VECTOR3))],
        r#"{"basis": {"x", "y", "z"}, "origin": {"x", "y", "z"}}, an array of 12 numbers (x axis, y axis, z axis, origin) or "Transform3D(…)" with 12 numbers as in a scene file"#;
    PROJECTION "Projection" false
        &[("x", Struct(&VECTOR4)), ("y", Struct(&VECTOR4)), ("z", Struct(&VECTOR4)), ("w", Struct(&VECTOR4))],
        r#"its columns as {"x": {"x", "y", "z", "w"}, "y": …, "z": …, "w": …}, an array of 16 numbers column by column or "Projection(…)""#;
    COLOR "Color" false RGBA,
        r##""red", "#ff0000", "#ff000080", {"r": 1, "g": 0, "b": 0, "a": 1} or [1, 0, 0]"##;
}

impl Shape {
    /// The shape of `kind`, if it is a struct.
    pub(super) fn of(kind: VariantType) -> Option<&'static Shape> {
        SHAPES.iter().copied().find(|shape| shape.kind == kind)
    }

    /// The field called `name`: its place among the numbers, and what it holds.
    pub(super) fn field(&self, name: &str) -> Option<(usize, Field)> {
        let mut start = 0;
        for (known, field) in self.fields {
            if *known == name {
                return Some((start, *field));
            }
            start += field.count();
        }
        None
    }

    /// How many numbers it holds.
    pub(super) fn count(&self) -> usize {
        self.fields.iter().map(|(_, field)| field.count()).sum()
    }

    /// The names of its fields, for a message.
    pub(super) fn field_names(&self) -> String {
        self.fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// `numbers` under the names of the fields.
    pub(super) fn json(&self, numbers: &[f64]) -> Value {
        let mut rest = numbers;
        let mut object = Map::new();
        for (name, field) in self.fields {
            let Some((own, after)) = rest.split_at_checked(field.count()) else { break };
            rest = after;
            let value = match (field, own) {
                (Struct(shape), own) => shape.json(own),
                (Number, &[number]) if self.whole => (number as i64).into(),
                (Number, &[number]) => scalar::float_json(number),
                (Number, _) => break,
            };
            object.insert((*name).to_owned(), value);
        }
        Value::Object(object)
    }

    /// `number` as a value of the engine.
    #[allow(clippy::cast_possible_truncation, reason = "the numbers of a whole shape are whole")]
    pub(super) fn number(&self, number: f64) -> Option<Variant> {
        Some(if self.whole { (number as i64).to_variant() } else { number.to_variant() })
    }

    /// `row`, which must be as many numbers as the shape has, as a value of the engine.
    pub(super) fn variant(&self, row: &[f64]) -> Result<Variant, Misfit> {
        numbers::build(self.kind, row)
            .ok_or_else(|| self.refuse(&format!("there are {}", row.len())))
    }
}

impl Field {
    pub(super) fn count(self) -> usize {
        match self {
            Number => 1,
            Struct(shape) => shape.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_under_their_names() {
        let rect = Shape::of(VariantType::RECT2).unwrap().json(&[0.0, 1.5, 2.0, 3.0]);
        assert_eq!(rect.to_string(), r#"{"position":{"x":0.0,"y":1.5},"size":{"x":2.0,"y":3.0}}"#);
        let whole = Shape::of(VariantType::VECTOR3I).unwrap().json(&[1.0, -2.0, 3.0]);
        assert_eq!(whole.to_string(), r#"{"x":1,"y":-2,"z":3}"#);
    }
}
