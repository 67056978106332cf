//! The forms in which JSON may give a struct: an object, an array or constructor text.

use godot::builtin::VariantType;
use serde_json::{Map, Value};

use super::{
    color,
    literal::{self, Argument, Literal},
    misfit::Misfit,
    scalar,
    shape::{
        Field::{self, Number, Struct},
        Shape, VECTOR3,
    },
};

impl Shape {
    /// The numbers that `json` gives, in any of the accepted forms.
    pub(super) fn read(&self, json: &Value) -> Result<Vec<f64>, Misfit> {
        match json {
            Value::Object(fields) => self.read_object(fields),
            Value::Array(items) => self.read_array(items),
            Value::String(text) => self.read_text(text),
            _ => Err(Misfit::wrong(self.name, json, self.accepted)),
        }
    }

    /// `number` as a number of this shape.
    pub(super) fn check(&self, number: f64) -> Result<f64, Misfit> {
        if self.whole {
            let name = self.name;
            return scalar::int_within(&number.into(), name, i32::MIN.into(), i32::MAX.into())
                .map(|number| number as f64);
        }
        scalar::narrow(number).map(f64::from)
    }

    fn read_object(&self, fields: &Map<String, Value>) -> Result<Vec<f64>, Misfit> {
        if let Some(unknown) = fields.keys().find(|key| self.field(key).is_none()) {
            return Err(Misfit::new(format!(
                "{} has no field '{unknown}'; its fields are {}.",
                self.name,
                self.field_names()
            )));
        }
        let mut numbers = Vec::with_capacity(self.count());
        for (name, field) in self.fields {
            match fields.get(*name) {
                Some(json) => {
                    numbers.extend(
                        self.read_field(*field, json).map_err(|misfit| misfit.in_field(name))?,
                    );
                }
                None if self.is_opaque(name) => numbers.push(1.0),
                None => return Err(self.refuse(&format!("the field '{name}' is missing"))),
            }
        }
        Ok(numbers)
    }

    /// A color without alpha is opaque.
    fn is_opaque(&self, field: &str) -> bool {
        self.kind == VariantType::COLOR && field == "a"
    }

    fn read_field(&self, field: Field, json: &Value) -> Result<Vec<f64>, Misfit> {
        match field {
            Struct(shape) => shape.read(json),
            Number => self.read_number(json).map(|number| vec![number]),
        }
    }

    /// The number that `json` gives for one of the fields.
    pub(super) fn read_number(&self, json: &Value) -> Result<f64, Misfit> {
        if self.whole {
            let name = self.name;
            return scalar::int_within(json, name, i32::MIN.into(), i32::MAX.into())
                .map(|number| number as f64);
        }
        scalar::single(json).map(f64::from)
    }

    /// Flat numbers, or one item a field.
    fn read_array(&self, items: &[Value]) -> Result<Vec<f64>, Misfit> {
        let flat = items.iter().all(|item| !item.is_array() && !item.is_object());
        let opaque = self.kind == VariantType::COLOR && items.len() == 3;
        if items.len() == self.count() && flat || opaque {
            let mut numbers = items
                .iter()
                .enumerate()
                .map(|(i, item)| self.read_number(item).map_err(|misfit| misfit.in_element(i)))
                .collect::<Result<Vec<_>, _>>()?;
            numbers.extend(opaque.then_some(1.0));
            return Ok(numbers);
        }
        if items.len() != self.fields.len() {
            return Err(self.refuse(&format!("{} items are given", items.len())));
        }
        let mut numbers = Vec::with_capacity(self.count());
        for (i, (item, (_, field))) in items.iter().zip(self.fields).enumerate() {
            numbers.extend(self.read_field(*field, item).map_err(|misfit| misfit.in_element(i))?);
        }
        Ok(numbers)
    }

    fn read_text(&self, text: &str) -> Result<Vec<f64>, Misfit> {
        if self.kind == VariantType::COLOR && !text.contains('(') {
            return color::read(text)
                .ok_or_else(|| Misfit::wrong(self.name, &text.into(), self.accepted));
        }
        let literal = literal::parse(text)
            .ok_or_else(|| Misfit::wrong(self.name, &text.into(), self.accepted))?;
        self.read_literal(&literal)
    }

    /// The numbers of a constructor of this type.
    pub(super) fn read_literal(&self, literal: &Literal) -> Result<Vec<f64>, Misfit> {
        // The twin with whole numbers is the same text to whoever writes it.
        let twin = |name: &str| name.trim_end_matches('i') == self.name.trim_end_matches('i');
        if !literal.name.is_empty() && !twin(literal.name) {
            return Err(self.refuse(&format!("this is {}", literal.name)));
        }
        let opaque = self.kind == VariantType::COLOR && literal.arguments.len() == 3;
        let flat = literal.arguments.iter().map(|argument| match argument {
            Argument::Number(number) => Some(*number),
            Argument::Literal(_) => None,
        });
        if let Some(mut numbers) = flat.collect::<Option<Vec<_>>>()
            && (numbers.len() == self.count() || opaque)
        {
            numbers.extend(opaque.then_some(1.0));
            let numbers =
                numbers.into_iter().map(|number| self.check(number)).collect::<Result<_, _>>()?;
            return Ok(self.by_axis(numbers));
        }
        self.read_nested(literal)
    }

    /// One constructor a field, or one an axis and the origin.
    fn read_nested(&self, literal: &Literal) -> Result<Vec<f64>, Misfit> {
        let axes = [Struct(&VECTOR3); 4];
        let is_axes = self.kind == VariantType::TRANSFORM3D && literal.arguments.len() == 4;
        let fields: Vec<Field> = if is_axes {
            axes.to_vec()
        } else {
            self.fields.iter().map(|(_, field)| *field).collect()
        };
        if literal.arguments.len() != fields.len() {
            return Err(self.refuse(&format!("{} numbers are given", literal.arguments.len())));
        }
        let mut numbers = Vec::with_capacity(self.count());
        for (argument, field) in literal.arguments.iter().zip(fields) {
            match (argument, field) {
                (Argument::Number(number), Number) => numbers.push(self.check(*number)?),
                (Argument::Literal(inner), Struct(shape)) => {
                    numbers.extend(shape.read_literal(inner)?);
                }
                _ => return Err(self.refuse("its arguments are mixed up")),
            }
        }
        Ok(numbers)
    }

    /// Scene files write the nine numbers of a basis row by row; here they go axis by axis.
    fn by_axis(&self, numbers: Vec<f64>) -> Vec<f64> {
        let is_basis = matches!(self.kind, VariantType::BASIS | VariantType::TRANSFORM3D);
        match numbers[..] {
            [xx, yx, zx, xy, yy, zy, xz, yz, zz, ref origin @ ..] if is_basis => {
                [&[xx, xy, xz, yx, yy, yz, zx, zy, zz], origin].concat()
            }
            _ => numbers,
        }
    }

    pub(super) fn refuse(&self, why: &str) -> Misfit {
        Misfit::new(format!(
            "{} takes {} numbers, but {why}; give {}.",
            self.name,
            self.count(),
            self.accepted
        ))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(kind: VariantType, json: Value) -> Result<Vec<f64>, Misfit> {
        Shape::of(kind).unwrap().read(&json)
    }

    #[test]
    fn every_form_of_a_vector_is_the_same_vector() {
        for json in [
            json!({"x": 1, "y": 2.5}),
            json!({"y": "2.5", "x": "1"}),
            json!([1, 2.5]),
            json!("Vector2(1, 2.5)"),
            json!("(1, 2.5)"),
        ] {
            assert_eq!(read(VariantType::VECTOR2, json.clone()), Ok(vec![1.0, 2.5]), "{json}");
        }
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        for json in [
            json!([1]),
            json!([1, 2, 3]),
            json!([]),
            json!({"x": 1}),
            json!({"x": 1, "y": 2, "z": 3}),
            json!([true, false]),
            json!([1, null]),
            json!([[1], [2]]),
            json!("banana"),
            json!("Vector3(1, 2, 3)"),
            json!("Vector2(1)"),
            json!(1),
            json!(null),
            json!([1e300, 0]),
        ] {
            assert!(read(VariantType::VECTOR2, json.clone()).is_err(), "{json}");
        }
        let misfit = read(VariantType::VECTOR2, json!({"x": 1, "y": "abc"})).unwrap_err();
        assert_eq!(misfit.at, ".y");
        let misfit = read(VariantType::VECTOR2, json!({"x": 1})).unwrap_err();
        assert!(misfit.message.contains("'y' is missing"), "{}", misfit.message);
    }

    #[test]
    fn whole_vectors_take_whole_numbers() {
        assert_eq!(read(VariantType::VECTOR2I, json!([1.0, "2"])), Ok(vec![1.0, 2.0]));
        assert_eq!(read(VariantType::VECTOR2I, json!("Vector2(1, 2)")), Ok(vec![1.0, 2.0]));
        assert!(read(VariantType::VECTOR2I, json!([1.5, 2])).is_err());
        assert!(read(VariantType::VECTOR2I, json!("Vector2i(1.5, 2)")).is_err());
        assert!(read(VariantType::VECTOR2I, json!([3_000_000_000_i64, 2])).is_err());
    }

    #[test]
    fn nested_flat_and_text_forms_agree() {
        let expected = Ok(vec![1.0, 2.0, 3.0, 4.0]);
        for json in [
            json!({"position": {"x": 1, "y": 2}, "size": [3, 4]}),
            json!([[1, 2], {"x": 3, "y": 4}]),
            json!([1, 2, 3, 4]),
            json!("Rect2(1, 2, 3, 4)"),
            json!("Rect2(Vector2(1, 2), Vector2(3, 4))"),
        ] {
            assert_eq!(read(VariantType::RECT2, json.clone()), expected, "{json}");
        }
        let plane = json!({"normal": [1, 2, 3], "d": 4});
        assert_eq!(read(VariantType::PLANE, plane), expected);
        assert_eq!(read(VariantType::PLANE, json!([[1, 2, 3], 4])), expected);
        let misfit = read(VariantType::RECT2, json!([[1, 2], [3]])).unwrap_err();
        assert_eq!(misfit.at, "[1]");
    }

    #[test]
    fn a_basis_goes_axis_by_axis_and_its_text_row_by_row() {
        let axes = Ok(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        for json in [
            json!({"x": [1, 2, 3], "y": [4, 5, 6], "z": [7, 8, 9]}),
            json!([[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
            json!([1, 2, 3, 4, 5, 6, 7, 8, 9]),
            json!("Basis(1, 4, 7, 2, 5, 8, 3, 6, 9)"),
            json!("Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))"),
        ] {
            assert_eq!(read(VariantType::BASIS, json.clone()), axes, "{json}");
        }
        let text = json!("Transform3D(1, 4, 7, 2, 5, 8, 3, 6, 9, 10, 11, 12)");
        let numbers = read(VariantType::TRANSFORM3D, text).unwrap();
        assert_eq!(numbers, (1..=12).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn colors_have_many_spellings() {
        let red = Ok(vec![1.0, 0.0, 0.0, 1.0]);
        for json in [
            json!("#f00"),
            json!("#ff0000"),
            json!("#F00f"),
            json!({"r": 1, "g": 0, "b": 0}),
            json!([1, 0, 0]),
            json!([1, 0, 0, 1]),
            json!("Color(1, 0, 0)"),
            json!("Color(1, 0, 0, 1)"),
        ] {
            assert_eq!(read(VariantType::COLOR, json.clone()), red, "{json}");
        }
        for json in [json!("#12"), json!("beef"), json!([1, 0]), json!({"r": 1, "g": 0})] {
            assert!(read(VariantType::COLOR, json.clone()).is_err(), "{json}");
        }
    }

    #[test]
    fn every_shape_reads_what_it_writes() {
        for shape in super::super::shape::SHAPES {
            let numbers: Vec<f64> = (1..=shape.count()).map(|n| n as f64).collect();
            assert_eq!(shape.read(&shape.json(&numbers)), Ok(numbers.clone()), "{}", shape.name);
            let flat = Value::from(numbers.clone());
            assert_eq!(shape.read(&flat), Ok(numbers), "{}", shape.name);
        }
    }
}
