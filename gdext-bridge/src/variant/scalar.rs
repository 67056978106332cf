//! Booleans and numbers, which are read strictly and written without loss.

use serde_json::{Number, Value};

use super::misfit::Misfit;

const NAN: &str = "__nan__";
const INFINITY: &str = "__inf__";
const NEGATIVE_INFINITY: &str = "__-inf__";

/// The largest integer up to which every integer has its own `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number, or text that is exactly one; `1.7`, `true` and `"abc"` are refused.
pub(super) fn int(json: &Value) -> Result<i64, Misfit> {
    let whole = match json {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(whole)),
        Value::String(text) => text.parse().ok().or_else(|| decimal(text).and_then(whole)),
        _ => None,
    };
    whole.ok_or_else(|| Misfit::wrong("int", json, "a whole number of at most 64 bits, such as 4"))
}

/// A whole number between `low` and `high`, for the slots of `kind` that are narrower than `int`.
pub(super) fn int_within(json: &Value, kind: &str, low: i64, high: i64) -> Result<i64, Misfit> {
    let number = int(json)?;
    if (low..=high).contains(&number) {
        return Ok(number);
    }
    Err(Misfit::new(format!("{kind} holds whole numbers from {low} to {high}, not {number}.")))
}

/// A number, text that is exactly one, or a sentinel; `true`, `"abc"` and `"nan"` are refused.
pub(super) fn float(json: &Value) -> Result<f64, Misfit> {
    let number = match json {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => sentinel(text).or_else(|| decimal(text)),
        _ => None,
    };
    number.ok_or_else(|| {
        Misfit::wrong(
            "float",
            json,
            r#"a number such as 0.5, or one of "__nan__", "__inf__", "__-inf__""#,
        )
    })
}

/// A number that fits 32 bits without becoming infinite.
pub(super) fn single(json: &Value) -> Result<f32, Misfit> {
    narrow(float(json)?)
}

/// `number` in 32 bits, refused where it would become infinite.
#[allow(clippy::cast_possible_truncation, reason = "losing digits is what 32 bits mean")]
pub(super) fn narrow(number: f64) -> Result<f32, Misfit> {
    let narrow = number as f32;
    if narrow.is_infinite() && number.is_finite() {
        return Err(Misfit::new(format!("{number} is too large for a float of 32 bits.")));
    }
    Ok(narrow)
}

/// `true` or `false`, also as text; `1` and `0` are refused.
pub(super) fn boolean(json: &Value) -> Result<bool, Misfit> {
    match json {
        Value::Bool(value) => Ok(*value),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        _ => Err(Misfit::wrong("bool", json, "true or false")),
    }
}

/// What a sentinel stands for.
pub(super) fn sentinel(text: &str) -> Option<f64> {
    match text {
        NAN => Some(f64::NAN),
        INFINITY => Some(f64::INFINITY),
        NEGATIVE_INFINITY => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A float of 64 bits as JSON. One that holds exactly a 32-bit value is written as that.
///
/// Most float properties are 32 bits wide inside the engine, and `0.1` says more than
/// `0.10000000149011612`.
#[allow(clippy::cast_possible_truncation, reason = "the comparison tells whether anything is lost")]
pub(super) fn float_json(value: f64) -> Value {
    let narrow = value as f32;
    if f64::from(narrow).to_bits() == value.to_bits() {
        single_json(narrow)
    } else {
        double_json(value)
    }
}

/// A float of 64 bits as JSON, digit by digit.
pub(super) fn double_json(value: f64) -> Value {
    // Adding zero takes the sign off a negative zero, which is only noise to a reader.
    Number::from_f64(value + 0.0).map_or_else(|| sentinel_json(value), Value::Number)
}

/// A float of 32 bits as JSON, in its shortest form.
pub(super) fn single_json(value: f32) -> Value {
    const EVERY_INTEGER_BELOW: f32 = 16_777_216.0;
    if value.fract() == 0.0 && value.abs() < EVERY_INTEGER_BELOW {
        return double_json(f64::from(value));
    }
    double_json(format!("{value:e}").parse().unwrap_or(f64::from(value)))
}

fn sentinel_json(value: f64) -> Value {
    let text = match value {
        _ if value.is_nan() => NAN,
        _ if value > 0.0 => INFINITY,
        _ => NEGATIVE_INFINITY,
    };
    text.into()
}

/// The number that `text` is in plain decimal or scientific notation; words such as `nan` are not.
fn decimal(text: &str) -> Option<f64> {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let number = text.chars().all(plain).then(|| text.parse::<f64>().ok())??;
    number.is_finite().then_some(number)
}

#[allow(clippy::cast_possible_truncation, reason = "the value is whole and small enough")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_read_exactly_or_not_at_all() {
        for (json, expected) in [
            (json!(5), 5),
            (json!(4.0), 4),
            (json!("12"), 12),
            (json!("4.0"), 4),
            (json!("-3"), -3),
            (json!(i64::MAX), i64::MAX),
            (json!(i64::MIN), i64::MIN),
            (json!("9223372036854775807"), i64::MAX),
            (json!("9007199254740993"), 9_007_199_254_740_993),
        ] {
            assert_eq!(int(&json), Ok(expected), "{json}");
        }
        for json in [
            json!(1.7),
            json!(true),
            json!("abc"),
            json!(""),
            json!(null),
            json!("__inf__"),
            json!(u64::MAX),
            json!(1e300),
            json!("1.5"),
            json!([1]),
        ] {
            assert!(int(&json).is_err(), "{json}");
        }
    }

    #[test]
    fn floats_take_numbers_and_sentinels_only() {
        for (json, expected) in
            [(json!(1), 1.0), (json!(0.25), 0.25), (json!("4.0"), 4.0), (json!("1e-3"), 1e-3)]
        {
            assert_eq!(float(&json), Ok(expected), "{json}");
        }
        assert!(float(&json!("__nan__")).unwrap().is_nan());
        assert_eq!(float(&json!("__-inf__")), Ok(f64::NEG_INFINITY));
        for json in
            [json!(true), json!("abc"), json!("nan"), json!("inf"), json!(""), json!("1e999")]
        {
            assert!(float(&json).is_err(), "{json}");
        }
        assert!(single(&json!(1e300)).is_err());
        assert_eq!(single(&json!("__inf__")), Ok(f32::INFINITY));
    }

    #[test]
    fn booleans_are_only_themselves() {
        assert_eq!(boolean(&json!(true)), Ok(true));
        assert_eq!(boolean(&json!("false")), Ok(false));
        for json in [json!(1), json!(0), json!("yes"), json!("True"), json!(null)] {
            assert!(boolean(&json).is_err(), "{json}");
        }
    }

    #[test]
    fn floats_are_written_in_their_shortest_form() {
        assert_eq!(single_json(0.1).to_string(), "0.1");
        assert_eq!(float_json(f64::from(0.1_f32)).to_string(), "0.1");
        assert_eq!(float_json(0.1).to_string(), "0.1");
        assert_eq!(float_json(1.0 / 3.0).to_string(), (1.0_f64 / 3.0).to_string());
        assert_eq!(single_json(-0.0).to_string(), "0.0");
        assert_eq!(single_json(5.0).to_string(), "5.0");
        assert_eq!(single_json(f32::MAX).to_string(), "3.4028235e+38");
        assert_eq!(single_json(f32::NAN), json!("__nan__"));
        assert_eq!(double_json(f64::NEG_INFINITY), json!("__-inf__"));
    }

    #[test]
    fn every_single_is_written_so_that_it_reads_back() {
        for value in [0.1_f32, 1.0 / 3.0, 16_777_217.0, 1e-40, -123.456, f32::MIN, f32::EPSILON] {
            assert_eq!(single(&single_json(value)), Ok(value));
        }
    }
}
