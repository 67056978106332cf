//! How a value of the game is compared with what a test expects, both as JSON.

use std::cmp::Ordering;

use protocol::tools::testing::Comparison;
use serde_json::{Map, Value};

use crate::variant::ENTRIES;

/// Whether the comparison holds; an error where the two cannot be compared that way.
pub(super) fn compare(
    op: Comparison,
    actual: &Value,
    expected: &Value,
    tolerance: f64,
) -> Result<bool, String> {
    let order = || order(actual, expected);
    Ok(match op {
        Comparison::Equal => same(actual, expected, 0.0),
        Comparison::NotEqual => !same(actual, expected, 0.0),
        Comparison::Less => order()?.is_lt(),
        Comparison::LessOrEqual => order()?.is_le(),
        Comparison::Greater => order()?.is_gt(),
        Comparison::GreaterOrEqual => order()?.is_ge(),
        Comparison::Approx => same(actual, expected, tolerance),
        Comparison::Contains => contains(actual, expected)?,
    })
}

/// Whether both are the same, where numbers may differ by `tolerance`.
fn same(a: &Value, b: &Value, tolerance: f64) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => same_number(a, b, tolerance),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, tolerance))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b, tolerance)))
        }
        _ => a == b,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "most floats of the engine have 32 bits")]
fn same_number(a: &Value, b: &Value, tolerance: f64) -> bool {
    if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64())
        && tolerance == 0.0
    {
        return a == b;
    }
    let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
    (a - b).abs() <= tolerance || a as f32 == b as f32
}

fn order(a: &Value, b: &Value) -> Result<Ordering, String> {
    let found = match (a, b) {
        (Value::Number(_), Value::Number(_)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ if same_number(a, b, 0.0) => Some(Ordering::Equal),
            _ => a.as_f64().zip(b.as_f64()).and_then(|(a, b)| a.partial_cmp(&b)),
        },
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    };
    found.ok_or_else(|| {
        format!(
            "{} and {} have no order; only two numbers or two texts have one. Name a component, such as \
             \"position:x\".",
            kind(a),
            kind(b)
        )
    })
}

fn contains(whole: &Value, part: &Value) -> Result<bool, String> {
    match (whole, part) {
        (Value::String(whole), Value::String(part)) => Ok(whole.contains(part.as_str())),
        (Value::Array(items), part) => Ok(items.iter().any(|item| same(item, part, 0.0))),
        (Value::Object(fields), key) => match (entries(fields), key) {
            (Some(mut entries), key) => Ok(entries.any(|entry| same(entry, key, 0.0))),
            (None, Value::String(key)) => Ok(fields.contains_key(key)),
            // All its keys are texts.
            (None, _) => Ok(false),
        },
        _ => Err(format!(
            "{} cannot contain {}; an array contains elements, a dictionary keys, a text texts.",
            kind(whole),
            kind(part)
        )),
    }
}

/// The keys of a dictionary that is written as pairs, since they are not all texts.
fn entries(fields: &Map<String, Value>) -> Option<impl Iterator<Item = &Value>> {
    let pairs = fields.get(ENTRIES)?.as_array()?;
    Some(pairs.iter().filter_map(|pair| pair.get(0)))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "Null",
        Value::Bool(_) => "A boolean",
        Value::Number(_) => "A number",
        Value::String(_) => "A text",
        Value::Array(_) => "An array",
        Value::Object(_) => "A structured value",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_holds_and_what_does_not() {
        use Comparison::*;
        for (actual, op, expected, holds) in [
            (json!(1), Equal, json!(1), true),
            (json!(1), Equal, json!(1.0), true),
            (json!(1), Equal, json!("1"), false),
            (json!(0.1), Equal, json!(0.1_f32), true),
            (json!(0.1), Equal, json!(0.100_001), false),
            (json!(9_007_199_254_740_993_i64), Equal, json!(9_007_199_254_740_992_i64), false),
            (json!({"x": 1, "y": 2}), Equal, json!({"x": 1.0, "y": 2}), true),
            (json!({"x": 1, "y": 2}), NotEqual, json!({"x": 1, "y": 3}), true),
            (json!({"x": 1}), Equal, json!({"x": 1, "y": 2}), false),
            (json!([1, 2]), Equal, json!([1]), false),
            (json!(null), Equal, json!(null), true),
            (json!(null), NotEqual, json!(0), true),
            (json!(3), Less, json!(3.5), true),
            (json!(3), GreaterOrEqual, json!(3.0), true),
            (json!(0.1), LessOrEqual, json!(0.1_f32), true),
            (json!(4), Greater, json!(4), false),
            (json!("b"), Greater, json!("a"), true),
            (json!({"x": 1.0004, "y": 2}), Approx, json!({"x": 1, "y": 2}), true),
            (json!({"x": 1.1, "y": 2}), Approx, json!({"x": 1, "y": 2}), false),
            (json!(true), Approx, json!(1), false),
            (json!("All coins found!"), Contains, json!("coins"), true),
            (json!([1, {"x": 2}]), Contains, json!({"x": 2.0}), true),
            (json!({"gold": 3}), Contains, json!("gold"), true),
            (json!({"gold": 3}), Contains, json!("iron"), false),
            (json!({"gold": 3}), Contains, json!(3), false),
            (json!({"_entries": [[1, "x"], ["a", 2]]}), Contains, json!("a"), true),
            (json!({"_entries": [[1, "x"], ["a", 2]]}), Contains, json!("x"), false),
            (json!({"_entries": [[1, "x"], ["a", 2]]}), Contains, json!(1.0), true),
            (json!({"_entries": [[{"x": 1, "y": 2}, 0]]}), Contains, json!({"x": 1, "y": 2}), true),
        ] {
            let told = compare(op, &actual, &expected, 0.001);
            assert_eq!(told, Ok(holds), "{actual} {op:?} {expected}");
        }
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        for (actual, op, expected) in [
            (json!({"x": 1}), Comparison::Less, json!({"x": 2})),
            (json!(null), Comparison::Greater, json!(1)),
            (json!(1), Comparison::Contains, json!(1)),
            (json!("text"), Comparison::Contains, json!(1)),
        ] {
            assert!(compare(op, &actual, &expected, 0.001).is_err(), "{actual} {op:?} {expected}");
        }
    }
}
