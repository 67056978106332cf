//! Whether the engine kept what it was given.

use godot::prelude::*;

use super::numbers;

/// The engine computes with 32 bits and converts angles, so the last digits of a number differ.
const TOLERANCE: f64 = 1e-5;

/// Arrays and dictionaries that nest deeper are not compared, as one may contain itself.
const DEEPEST: u32 = 32;

/// Whether `got` is what `asked` wanted, as far as the engine can keep it.
///
/// Numbers may differ in their last digits, wherever they are; texts are equal by their
/// characters, objects only when they are the same one.
pub(crate) fn same(asked: &Variant, got: &Variant) -> bool {
    same_within(asked, got, DEEPEST)
}

fn same_within(asked: &Variant, got: &Variant, deepest: u32) -> bool {
    // Mostly it is just that, which the engine can tell by itself.
    if asked == got {
        return true;
    }
    let (kind, other) = (asked.get_type(), got.get_type());
    if is_text(kind) && is_text(other) {
        return asked.stringify() == got.stringify();
    }
    if let (Some(a), Some(b)) = (number(asked), number(got)) {
        return if kind == other && kind == VariantType::INT { asked == got } else { close(a, b) };
    }
    if kind != other {
        return false;
    }
    match kind {
        VariantType::NIL => true,
        VariantType::OBJECT => asked.object_id_unchecked() == got.object_id_unchecked(),
        VariantType::ARRAY => same_array(asked, got, deepest),
        VariantType::DICTIONARY => same_dictionary(asked, got, deepest),
        _ => match (rows(asked), rows(got)) {
            (Some(a), Some(b)) => same_rows(&a, &b),
            _ => asked == got,
        },
    }
}

fn is_text(kind: VariantType) -> bool {
    matches!(kind, VariantType::STRING | VariantType::STRING_NAME | VariantType::NODE_PATH)
}

fn number(value: &Variant) -> Option<f64> {
    match value.get_type() {
        VariantType::INT => value.try_to::<i64>().ok().map(|number| number as f64),
        VariantType::FLOAT => value.try_to().ok(),
        _ => None,
    }
}

fn same_array(asked: &Variant, got: &Variant, deepest: u32) -> bool {
    let (Ok(asked), Ok(got)) = (asked.try_to::<AnyArray>(), got.try_to::<AnyArray>()) else {
        return false;
    };
    deepest > 0
        && asked.len() == got.len()
        && asked
            .iter_shared()
            .zip(got.iter_shared())
            .all(|(asked, got)| same_within(&asked, &got, deepest - 1))
}

fn same_dictionary(asked: &Variant, got: &Variant, deepest: u32) -> bool {
    let (Ok(asked), Ok(got)) = (asked.try_to::<AnyDictionary>(), got.try_to::<AnyDictionary>())
    else {
        return false;
    };
    deepest > 0
        && asked.len() == got.len()
        && asked.iter_shared().all(|(key, value)| {
            got.get(&key).is_some_and(|got| same_within(&value, &got, deepest - 1))
        })
}

/// The numbers of a struct, or of the structs or floats of a packed array, one row each.
fn rows(value: &Variant) -> Option<Vec<Vec<f64>>> {
    fn each<T: Copy, const N: usize>(items: &[T], row: impl Fn(T) -> [f64; N]) -> Vec<Vec<f64>> {
        items.iter().map(|item| row(*item).to_vec()).collect()
    }
    Some(match value.get_type() {
        VariantType::PACKED_FLOAT32_ARRAY => {
            each(value.try_to::<PackedFloat32Array>().ok()?.as_slice(), |n| [f64::from(n)])
        }
        VariantType::PACKED_FLOAT64_ARRAY => {
            each(value.try_to::<PackedFloat64Array>().ok()?.as_slice(), |n| [n])
        }
        VariantType::PACKED_VECTOR2_ARRAY => {
            each(value.try_to::<PackedVector2Array>().ok()?.as_slice(), numbers::vector2)
        }
        VariantType::PACKED_VECTOR3_ARRAY => {
            each(value.try_to::<PackedVector3Array>().ok()?.as_slice(), numbers::vector3)
        }
        VariantType::PACKED_VECTOR4_ARRAY => {
            each(value.try_to::<PackedVector4Array>().ok()?.as_slice(), numbers::vector4)
        }
        VariantType::PACKED_COLOR_ARRAY => {
            each(value.try_to::<PackedColorArray>().ok()?.as_slice(), numbers::color)
        }
        _ => vec![numbers::numbers(value)?],
    })
}

fn same_rows(asked: &[Vec<f64>], got: &[Vec<f64>]) -> bool {
    asked.len() == got.len() && asked.iter().zip(got).all(|(asked, got)| same_row(asked, got))
}

/// The largest number of a struct sets the scale: a rotation spreads its error over all of them.
fn same_row(asked: &[f64], got: &[f64]) -> bool {
    let finite = asked.iter().chain(got).copied().filter(|n| n.is_finite());
    let scale = finite.fold(1.0, |scale: f64, n| scale.max(n.abs()));
    asked.len() == got.len() && asked.iter().zip(got).all(|(a, b)| close_at(*a, *b, scale))
}

fn close(a: f64, b: f64) -> bool {
    close_at(a, b, a.abs().max(b.abs()).max(1.0))
}

fn close_at(a: f64, b: f64, scale: f64) -> bool {
    // Infinities are equal only to themselves; their difference is no number.
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= TOLERANCE * scale && scale.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_close_in_their_last_digits() {
        assert!(close(-35.0, -35.000_003));
        assert!(close(1e6, 1_000_000.5));
        assert!(close(f64::NAN, f64::NAN));
        assert!(close(f64::INFINITY, f64::INFINITY));
        assert!(!close(f64::INFINITY, f64::NEG_INFINITY));
        assert!(!close(f64::INFINITY, 1.0));
        assert!(!close(f64::NAN, 0.0));
        assert!(!close(1.0, 1.001));
        assert!(!close(0.0, 0.001));
    }

    #[test]
    fn a_struct_is_close_at_the_scale_of_its_largest_number() {
        assert!(same_row(&[1000.0, 0.0], &[1000.0, 0.001]));
        assert!(!same_row(&[1.0, 0.0], &[1.0, 0.001]));
        assert!(same_row(&[f64::INFINITY, 0.0], &[f64::INFINITY, 0.0]));
        assert!(!same_row(&[f64::INFINITY, 0.0], &[f64::INFINITY, 1.0]));
    }
}
