//! What is said of every edit, and of the game, whichever tool was called.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Whether a scene save will keep a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Whether saving the scene (or the file that the change is in) keeps the change.
    pub persisted: bool,
    /// Why it is not kept: `node_not_owned`, `instanced_child_not_editable`,
    /// `embedded_in_other_resource`, `group_from_base_scene`, `group_from_script`,
    /// `defined_in_base_scene` or `property_not_stored`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do so that it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Verdict {
    /// A save keeps the change.
    pub fn kept() -> Verdict {
        Verdict { persisted: true, reason: None, hint: None }
    }

    /// A save drops the change.
    pub fn dropped(reason: &str, hint: impl Into<String>) -> Verdict {
        Verdict { persisted: false, reason: Some(reason.to_owned()), hint: Some(hint.into()) }
    }
}

/// The members that the dispatcher adds to the result of every edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stamp {
    /// Whether this is a preview: nothing was changed.
    pub dry_run: bool,
    /// Whether a save keeps the change; absent where the question does not arise.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether one `godot_undo` takes the call back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoable: Option<bool>,
    /// The scene that was active when the call ended, as a `res://` path; empty if never saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// Existing data that the call discards for good; the real call needs `confirm: true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discards: Option<String>,
    /// What the engine printed as errors while the call ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engine_errors: Vec<String>,
}

/// A result with its stamp, as it is sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stamped<T> {
    /// The tool's own result.
    #[serde(flatten)]
    pub result: T,
    /// What is said of every edit.
    #[serde(flatten)]
    pub stamp: Stamp,
}

/// The member of every answer about the game: how many errors it has printed since the last answer about it
/// to the same client.
pub const NEW_ERRORS: &str = "new_errors";

/// The same result, an object, with [`NEW_ERRORS`].
pub fn with_new_errors(result: &RawValue, count: u64) -> Box<RawValue> {
    let text = result.get().trim_end();
    let Some(members) = text.strip_suffix('}') else { return result.to_owned() };
    let comma = if members.trim_end() == "{" { "" } else { "," };
    RawValue::from_string(format!("{members}{comma}\"{NEW_ERRORS}\":{count}}}"))
        .unwrap_or_else(|_| result.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_beside_any_result() {
        let told = |text: &str| {
            let result = RawValue::from_string(text.to_owned()).unwrap();
            with_new_errors(&result, 2).get().to_owned()
        };
        assert_eq!(told("{}"), r#"{"new_errors":2}"#);
        assert_eq!(told(r#"{"a":{"b":1}}"#), r#"{"a":{"b":1},"new_errors":2}"#);
        assert_eq!(told("[1]"), "[1]");
    }
}
