//! A Godot value written as JSON.

use serde::{Deserialize, Serialize};

/// Any value that a property can hold, in the JSON forms that `docs/value-shapes.md` lists.
///
/// The contract only carries it: the editor knows the type that the property wants and reads the
/// JSON by it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GodotValue(pub serde_json::Value);

impl From<serde_json::Value> for GodotValue {
    fn from(value: serde_json::Value) -> GodotValue {
        GodotValue(value)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for GodotValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "GodotValue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        // No `type`: several clients refuse a list of types, and every JSON type can occur.
        schemars::json_schema!({})
    }
}
