//! `debugger`: looks into the stopped game, and evaluates expressions in it.

mod backtrace;
mod evaluate_expression;
mod get_frame_variables;

use godot::prelude::*;

use crate::variant;

/// What Godot calls the type of a value; of an object, its class.
fn kind_of(value: &Variant) -> String {
    match value.get_type() {
        VariantType::NIL => "null".to_owned(),
        VariantType::OBJECT => match value.try_to::<Gd<Object>>() {
            Ok(object) => variant::class_of(&object),
            Err(_) => "freed object".to_owned(),
        },
        kind => variant::name_of_kind(kind).to_owned(),
    }
}
