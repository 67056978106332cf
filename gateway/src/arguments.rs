//! Reads the arguments of a call: lenient where no meaning is lost, then strict, and with every
//! problem told at once.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use protocol::{Fault, Required, Tool};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use crate::{
    registry::{self, JsonObject, Spec},
    safety::{self, Asked},
    schema,
};

/// How deep arguments may nest. Godot's own values nest a few levels.
const MAX_DEPTH: usize = 64;

/// How much text arguments may hold, in bytes. The link carries 32 MiB a frame.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// How many problems the hint spells out; `problems` has them all.
const PROBLEMS_IN_HINT: usize = 8;

/// How much of a name that nobody knows is told, in characters.
const NAME_IN_PROBLEM: usize = 100;

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Problem {
    /// The parameter, with `/` before what lies within it.
    at: String,
    /// What is wrong, and what would be right.
    message: String,
}

/// The tool's own parameters, and the flags.
///
/// # Errors
/// `VALIDATION_ERROR` with all problems.
pub fn read(tool: Tool, mut arguments: JsonObject) -> Result<(Box<RawValue>, Asked), Fault> {
    let spec = registry::spec(tool);
    relax(spec.checked_schema(), &mut arguments);
    let arguments = Value::Object(arguments);
    if let Err(message) = measure(&arguments, 0, &mut 0) {
        return Err(refuse(spec, vec![Problem { at: String::new(), message }]));
    }
    let problems = problems(spec, &arguments);
    if !problems.is_empty() {
        return Err(refuse(spec, problems));
    }
    let Value::Object(arguments) = arguments else { return Err(refuse(spec, problems)) };
    spec.parse(arguments).map_err(|(at, message)| refuse(spec, vec![Problem { at, message }]))
}

/// Turns what clients send by mistake into what they mean, only where the schema would refuse it.
///
/// A parameter without a type holds a Godot value, and is never touched: "007" may be a name.
fn relax(schema: &JsonObject, arguments: &mut JsonObject) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let required = |name: &str| {
        schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|r| r.iter().any(|r| r == name))
    };
    arguments.retain(|name, value| {
        let typed = properties.get(name).is_some_and(|property| property.get("type").is_some());
        let left_out = value.is_null() && typed && !required(name);
        !left_out || safety::never_guessed(name)
    });
    for (name, property) in properties {
        if let (Value::Object(property), Some(value)) = (property, arguments.get_mut(name)) {
            relax_value(property, value);
        }
    }
}

fn relax_value(schema: &JsonObject, value: &mut Value) {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    let meant = match (wanted, &*value) {
        ("integer", Value::String(text)) => integer_in(text),
        ("integer", Value::Number(number)) if number.is_f64() => {
            number.as_f64().and_then(whole).map(Value::from)
        }
        ("number", Value::String(text)) => {
            text.trim().parse().ok().filter(|n: &f64| n.is_finite()).map(Value::from)
        }
        ("boolean", Value::String(text)) => match text.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ("object", Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object),
        ("array", Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_array),
        _ => None,
    };
    if let Some(meant) = meant {
        *value = meant;
    }
    match value {
        Value::Object(members) => relax(schema, members),
        Value::Array(items) => {
            if let Some(Value::Object(schema)) = schema.get("items") {
                items.iter_mut().for_each(|item| relax_value(schema, item));
            }
        }
        _ => {}
    }
}

fn integer_in(text: &str) -> Option<Value> {
    let text = text.trim();
    text.parse::<i64>().ok().or_else(|| whole(text.parse().ok()?)).map(Value::from)
}

/// A float that is a whole number, as far as floats count without gaps.
fn whole(number: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "it is whole and within the range")]
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// Refuses what nests too deep or is too long, before anything walks it recursively.
fn measure(value: &Value, depth: usize, bytes: &mut usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("the arguments nest deeper than {MAX_DEPTH} levels"));
    }
    *bytes += match value {
        Value::String(text) => text.len(),
        Value::Object(members) => members.keys().map(String::len).sum(),
        _ => 8,
    };
    if *bytes > MAX_BYTES {
        return Err(format!("the arguments are longer than {MAX_BYTES} bytes; split the call"));
    }
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| measure(item, depth + 1, bytes)),
        Value::Object(members) => {
            members.values().try_for_each(|member| measure(member, depth + 1, bytes))
        }
        _ => Ok(()),
    }
}

fn problems(spec: &Spec, arguments: &Value) -> Vec<Problem> {
    // Without a validator the typed parse still refuses what is wrong, only less helpfully.
    let Some(validator) = spec.validator() else { return Vec::new() };
    let mut problems: Vec<Problem> = Vec::new();
    for error in validator.iter_errors(arguments) {
        problems.extend(explain(spec, &error));
    }
    problems
}

fn explain(spec: &Spec, error: &ValidationError<'_>) -> Vec<Problem> {
    let path = error.instance_path().to_string();
    let within = path.trim_start_matches('/');
    let at = |name: &str| match within {
        "" => name.to_owned(),
        within => format!("{within}/{name}"),
    };
    let one = |message: String| vec![Problem { at: within.to_owned(), message }];
    let given = || brief(error.instance());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![Problem { at: at(name), message: "is required, but missing".to_owned() }]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .map(|name| cut(name, NAME_IN_PROBLEM))
            .map(|name| Problem { at: at(&name), message: unknown(spec, within, &name) })
            .collect(),
        ValidationErrorKind::Format { format } => {
            let text = error.instance().as_str().unwrap_or_default();
            one(schema::check_format(format, text).err().unwrap_or_else(|| error.to_string()))
        }
        ValidationErrorKind::Type { kind } => {
            one(format!("must be {}, not {}", kind_name(kind), given()))
        }
        ValidationErrorKind::Minimum { limit } => {
            one(format!("must be at least {limit}, not {}", given()))
        }
        ValidationErrorKind::Maximum { limit } => {
            one(format!("must be at most {limit}, not {}", given()))
        }
        ValidationErrorKind::MaxItems { limit } => {
            let count = error.instance().as_array().map_or(0, Vec::len);
            one(format!("has {count} items; {limit} are the limit. Split the call"))
        }
        ValidationErrorKind::MinItems { limit } => one(format!("must have at least {limit} items")),
        ValidationErrorKind::Enum { options } => {
            one(format!("must be one of {options}, not {}", given()))
        }
        _ => one(cut(&error.to_string(), 300)),
    }
}

fn kind_name(kind: &jsonschema::error::TypeKind) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(kind) => kind.to_string(),
        jsonschema::error::TypeKind::Multiple(_) => "of another type".to_owned(),
    }
}

/// What is told of a name that the object at `within` does not have.
fn unknown(spec: &Spec, within: &str, name: &str) -> String {
    let mut schema = Some(spec.checked_schema());
    for step in within.split('/').filter(|step| !step.is_empty()) {
        let next = schema.and_then(|schema| match step.parse::<usize>() {
            Ok(_) => schema.get("items"),
            Err(_) => schema.get("properties")?.get(step),
        });
        schema = next.and_then(Value::as_object);
    }
    let properties = schema.and_then(|it| it.get("properties")).and_then(Value::as_object);
    let known: Vec<&str> =
        properties.into_iter().flat_map(|p| p.keys()).map(String::as_str).collect();
    match (did_you_mean(name, &known), known.as_slice()) {
        (Some(near), _) => format!("is unknown; did you mean '{near}'?"),
        (None, []) if within.is_empty() => "is unknown; this tool takes no parameters".to_owned(),
        (None, []) => "is unknown".to_owned(),
        (None, known) => format!("is unknown; the parameters are {}", known.join(", ")),
    }
}

/// The name that was probably meant.
pub fn did_you_mean<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |known: &str| {
        let (name, known) = (name.to_lowercase(), known.to_lowercase());
        let part = name.len() >= 3 && (known.contains(&name) || name.contains(&known));
        strsim::jaro_winkler(&name, &known).max(if part { 0.85 } else { 0.0 })
    };
    known
        .iter()
        .map(|known| (likeness(known), *known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

fn refuse(spec: &Spec, problems: Vec<Problem>) -> Fault {
    let mut told: Vec<String> = problems
        .iter()
        .take(PROBLEMS_IN_HINT)
        .map(|problem| match problem.at.as_str() {
            "" => problem.message.clone(),
            at => format!("{at}: {}", problem.message),
        })
        .collect();
    if problems.len() > PROBLEMS_IN_HINT {
        told.push(format!("{} more in `problems`", problems.len() - PROBLEMS_IN_HINT));
    }
    let hint = format!("{} was not run. {}", spec.tool().name(), told.join("; "));
    let fault = Fault::invalid(hint).with("problems", json!(problems));
    // A name that nobody knows is none to satisfy.
    let properties = spec.checked_schema().get("properties");
    let is_known = |name: &str| properties.is_some_and(|known| known.get(name).is_some());
    let mut names = problems.iter().map(|p| p.at.split('/').next().unwrap_or_default());
    match names.next() {
        Some(first) if is_known(first) && names.all(|name| name == first) => {
            fault.requiring(Required::parameter(first.to_owned()))
        }
        _ => fault,
    }
}

fn brief(value: &Value) -> String {
    cut(&value.to_string(), 60)
}

fn cut(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    text.chars().take(length).chain(std::iter::once('…')).collect()
}
