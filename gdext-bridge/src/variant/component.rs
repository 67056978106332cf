//! Parts of structs, as in `position:x` or `transform:origin:y`.

use godot::prelude::*;
use serde_json::Value;

use super::{
    misfit::Misfit,
    numbers,
    shape::{Field, Shape},
    types::name_of_kind,
};

/// A copy of `base` with the part that `component` names read from `json`.
pub(crate) fn with_component(
    base: &Variant,
    component: &[&str],
    json: &Value,
) -> Result<Variant, Misfit> {
    let part = find(base, component)?;
    let own = match part.field {
        Field::Number => part.holder.read_number(json).map(|number| vec![number]),
        Field::Struct(shape) => shape.read(json),
    };
    let own = own.map_err(|misfit| {
        let misfit = component.iter().rev().fold(misfit, |misfit, name| misfit.in_field(name));
        misfit.in_value(part.whole.name.to_owned())
    })?;
    let mut row = part.row;
    row.splice(part.start..part.start + part.field.count(), own);
    part.whole.variant(&row)
}

/// The part of `base` that `component` names.
pub(crate) fn component(base: &Variant, component: &[&str]) -> Option<Variant> {
    let part = find(base, component).ok()?;
    let own = part.row.get(part.start..part.start + part.field.count())?;
    match part.field {
        Field::Number => part.holder.number(*own.first()?),
        Field::Struct(shape) => shape.variant(own).ok(),
    }
}

/// A part of a struct: where it is among the numbers.
struct Part {
    row: Vec<f64>,
    whole: &'static Shape,
    /// The struct that has the part as its own field.
    holder: &'static Shape,
    field: Field,
    start: usize,
}

fn find(base: &Variant, component: &[&str]) -> Result<Part, Misfit> {
    let kind = name_of_kind(base.get_type());
    let parts = Shape::of(base.get_type()).zip(numbers::numbers(base));
    let (whole, row) = parts
        .ok_or_else(|| Misfit::new(format!("{kind} has no components; set it as a whole.")))?;
    let (mut holder, mut field, mut start) = (whole, Field::Struct(whole), 0);
    for name in component {
        let Field::Struct(shape) = field else {
            return Err(Misfit::new(format!("A number has no component '{name}'.")));
        };
        let (offset, found) = shape.field(name).ok_or_else(|| {
            let known = shape.field_names();
            Misfit::new(format!("{} has no component '{name}'; it has {known}.", shape.name))
        })?;
        (holder, field, start) = (shape, found, start + offset);
    }
    Ok(Part { row, whole, holder, field, start })
}
