//! Schemas as language models and their clients take them.
//!
//! Clients differ in what they refuse; what is written here passes them all: no references, one
//! type a property, optional means omitted. `tests/contract.rs` holds every tool to it.

use jsonschema::Validator;
use protocol::{GamePath, NodePath, ResPath, path::format, stamp::NEW_ERRORS};
use schemars::{
    JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform,
};
use serde_json::{Value, json};

use crate::{registry::JsonObject, safety::Flags};

/// A parameter type: what it does, and what it takes.
pub struct Described {
    /// Its doc comment.
    pub description: String,
    /// Its schema.
    pub schema: JsonObject,
}

/// What `T` accepts.
pub fn input<T: JsonSchema>() -> Described {
    let mut schema = root::<T>(SchemaSettings::draft2020_12().for_deserialize());
    let description = match schema.remove("description") {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    schema.insert("additionalProperties".to_owned(), json!(false));
    nowhere_null(&mut schema);
    Described { description, schema }
}

/// What a result looks like. Agents see results; only programs read their schemas, so these carry
/// no prose.
pub fn output<T: JsonSchema>() -> JsonObject {
    let mut schema = root::<T>(SchemaSettings::draft2020_12().for_serialize());
    without(&mut schema, &["description", "format", "default"]);
    let mut schema = Value::Object(schema);
    omitted_is_never_null(&mut schema);
    cut_recursion(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// Adds the parameters of the permission model.
pub fn add_flags(schema: &mut JsonObject, flags: Flags) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    if flags.scene {
        properties.insert(
            "scene".to_owned(),
            json!({
                "type": "string",
                "format": format::OPTIONAL_RES_PATH,
                "description": "Guard: refuse unless this scene is the active one; \"\" is one that was never saved.",
            }),
        );
    }
    if flags.instance {
        properties.insert(
            "instance".to_owned(),
            json!({
                "type": "integer",
                "minimum": 1,
                "maximum": u32::MAX,
                "description": "Which game, where several run: an id of godot_runtime_is_playing.",
            }),
        );
    }
    if flags.dry_run {
        properties.insert(
            "dry_run".to_owned(),
            json!({
                "type": "boolean",
                "default": false,
                "description": "Preview: say what would happen, change nothing.",
            }),
        );
    }
    if flags.confirm {
        properties.insert(
            "confirm".to_owned(),
            json!({
                "type": "boolean",
                "default": false,
                "description": "Must be true to discard existing data.",
            }),
        );
    }
}

/// Adds what every answer about the game tells.
pub fn add_new_errors(schema: &mut JsonObject) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(NEW_ERRORS.to_owned(), json!({ "type": "integer", "minimum": 0 }));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.push(json!(NEW_ERRORS));
    }
}

/// The schema without the keywords that only this program understands.
pub fn advertised(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    without(&mut schema, &["format"]);
    schema
}

/// Compiles a schema, path formats included.
///
/// # Errors
/// If it is no schema.
pub fn validator(schema: &JsonObject) -> Result<Validator, String> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .with_format(format::RES_PATH, |path| check_format(format::RES_PATH, path).is_ok())
        .with_format(format::OPTIONAL_RES_PATH, |path| {
            check_format(format::OPTIONAL_RES_PATH, path).is_ok()
        })
        .with_format(format::NODE_PATH, |path| check_format(format::NODE_PATH, path).is_ok())
        .with_format(format::GAME_PATH, |path| check_format(format::GAME_PATH, path).is_ok())
        .build(&Value::Object(schema.clone()))
        .map_err(|error| error.to_string())
}

/// What is wrong with a path, by its own words.
///
/// # Errors
/// If something is.
pub fn check_format(format: &str, path: &str) -> Result<(), String> {
    match format {
        format::RES_PATH => ResPath::try_from(path.to_owned()).map(drop),
        format::OPTIONAL_RES_PATH if path.is_empty() => Ok(()),
        format::OPTIONAL_RES_PATH => ResPath::try_from(path.to_owned()).map(drop),
        format::NODE_PATH => NodePath::try_from(path.to_owned()).map(drop),
        format::GAME_PATH => GamePath::try_from(path.to_owned()).map(drop),
        _ => Ok(()),
    }
}

fn root<T: JsonSchema>(mut settings: SchemaSettings) -> JsonObject {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings.transforms.push(Box::new(RecursiveTransform(tidy as fn(&mut Schema))));
    let generator: SchemaGenerator = settings.into_generator();
    let mut schema = match generator.into_root_schema_for::<T>().to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    schema.entry("type").or_insert_with(|| json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.entry("required").or_insert_with(|| json!([]));
    schema
}

/// Drops what only Rust means, and joins the lines of doc comments.
fn tidy(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("title");
    let rusty = |format: &str| format.starts_with("int") || format.starts_with("uint");
    if schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|f| rusty(f) || f == "double" || f == "float")
    {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    // An enum whose variants have doc comments comes as one schema a variant, which clients refuse.
    let names = schema.get("oneOf").and_then(Value::as_array).and_then(|variants| {
        variants.iter().map(|it| it.get("const").filter(|name| name.is_string()).cloned()).collect()
    });
    if let Some(names) = names {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("enum".to_owned(), Value::Array(names));
    }
}

/// Removes keywords from a schema and all below it. Properties of the same name stay.
fn without(schema: &mut JsonObject, keywords: &[&str]) {
    schema.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(schemas)) => {
                for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
                    without(schema, keywords);
                }
            }
            ("items" | "additionalProperties", Value::Object(schema)) => without(schema, keywords),
            ("anyOf" | "allOf" | "oneOf", Value::Array(schemas)) => {
                for schema in schemas.iter_mut().filter_map(Value::as_object_mut) {
                    without(schema, keywords);
                }
            }
            _ => {}
        }
    }
}

/// Takes `null` out of the types of the properties that `which` names.
fn never_null(schema: &mut JsonObject, which: impl Fn(&str) -> bool) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut() {
        let Value::Object(property) = property else { continue };
        if !which(name) {
            continue;
        }
        if property.get("default") == Some(&Value::Null) {
            property.remove("default");
        }
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                property.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(shapes)) = property.get("anyOf") {
            let shapes: Vec<&Value> =
                shapes.iter().filter(|shape| *shape != &json!({ "type": "null" })).collect();
            if let [Value::Object(only)] = shapes.as_slice() {
                let only = only.clone();
                property.remove("anyOf");
                property.extend(only);
            }
        }
    }
}

/// What is not given is left out, at every depth.
fn nowhere_null(schema: &mut JsonObject) {
    never_null(schema, |_| true);
    for value in schema.values_mut() {
        match value {
            Value::Object(inner) => nowhere_null(inner),
            Value::Array(list) => {
                list.iter_mut().filter_map(Value::as_object_mut).for_each(nowhere_null);
            }
            _ => {}
        }
    }
}

/// A member that may be left out is left out instead of being null.
fn omitted_is_never_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let required: Vec<String> = object
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect();
            never_null(object, |name| !required.iter().any(|required| required == name));
            object.values_mut().for_each(omitted_is_never_null);
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(omitted_is_never_null),
        _ => {}
    }
}

/// A type that holds itself is described once; below that it is just an object.
fn cut_recursion(schema: &mut Value) {
    let definitions = match schema {
        Value::Object(object) => object.remove("$defs"),
        _ => None,
    };
    resolve(schema, definitions.as_ref(), 0);
}

fn resolve(schema: &mut Value, definitions: Option<&Value>, depth: u8) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get("$ref") {
                let name = reference.rsplit('/').next().unwrap_or_default();
                let definition = definitions.and_then(|all| all.get(name)).filter(|_| depth == 0);
                *schema = definition.cloned().unwrap_or_else(|| json!({ "type": "object" }));
                resolve_within(schema, definitions, depth + 1);
            } else {
                resolve_within(schema, definitions, depth);
            }
        }
        Value::Array(schemas) => {
            schemas.iter_mut().for_each(|schema| resolve(schema, definitions, depth));
        }
        _ => {}
    }
}

fn resolve_within(schema: &mut Value, definitions: Option<&Value>, depth: u8) {
    if let Value::Object(object) = schema {
        object.values_mut().for_each(|value| resolve(value, definitions, depth));
    }
}
