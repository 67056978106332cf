//! What can be undone and redone, and that it is.

use serde::{Deserialize, Serialize};

use crate::{bounds::StepCount, effects};

/// Show the undo history of the active scene, or the global one if no scene is open: newest
/// steps first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListHistory {}

/// The result of [`ListHistory`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct History {
    /// Counts every change of this history.
    pub version: i64,
    /// Whether there is a step to undo.
    pub has_undo: bool,
    /// Whether there is a step to redo.
    pub has_redo: bool,
    /// The same as `has_redo`.
    pub can_redo: bool,
    /// The step that undo would take back; empty for none.
    pub current_action: String,
    /// How many steps the history holds, undone ones included.
    pub depth: i64,
    /// The newest 20 steps, the newest first.
    pub recent: Vec<HistoryStep>,
    /// Which history this is: `scene` or `global`.
    pub history: String,
}

/// One step of [`History`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryStep {
    /// Its label.
    pub name: String,
    /// Who made it: `agent` or `user`.
    pub by: String,
    /// Whether it was undone, and so can be redone.
    pub undone: bool,
}

/// Undo the newest steps, exactly as Ctrl+Z in the editor. Each editing call is one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// How many steps; fewer are undone where the history ends.
    #[serde(default = "StepCount::one")]
    pub count: StepCount,
    /// Whether to refuse where a step is the human's own and not an agent's.
    #[serde(default)]
    pub only_agent: bool,
    /// Whether to undo a step also where somebody else has changed files of it since. These stay as
    /// they are on the disk and are told in `skipped_files`; without this, the call is refused.
    #[serde(default)]
    pub skip_changed_files: bool,
}

/// The result of [`Undo`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Undone {
    /// How many steps were asked for.
    pub requested: i64,
    /// How many were undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<i64>,
    /// The label of the last step undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_action: Option<String>,
    /// Whether there was nothing to undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing_to_undo: Option<bool>,
    /// Whether there is more to undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_undo: Option<bool>,
    /// The step that the next undo takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_undo_next: Option<String>,
    /// The steps, in the order in which they were undone.
    pub steps: Vec<HistoryMove>,
    /// The files that were left as they are, as somebody else changed them since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// The undo steps of open scenes whose files are written by it, as after a move: these scenes are
    /// read again, and their steps are lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_steps: Vec<String>,
    /// What is not as it was asked for, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One step that was undone or redone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryMove {
    /// Its label.
    pub action: String,
    /// Who made it: `agent` or `user`.
    pub by: String,
    /// The history it is in: `scene` or `global`.
    pub history: String,
}

/// Redo the steps that were undone last, exactly as the editor's own redo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Redo {
    /// How many steps; fewer are redone where the history ends.
    #[serde(default = "StepCount::one")]
    pub count: StepCount,
    /// Whether to refuse where a step is the human's own and not an agent's.
    #[serde(default)]
    pub only_agent: bool,
    /// Whether to redo a step also where somebody else has changed files of it since. These stay as
    /// they are on the disk and are told in `skipped_files`; without this, the call is refused.
    #[serde(default)]
    pub skip_changed_files: bool,
}

/// The result of [`Redo`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Redone {
    /// How many steps were asked for.
    pub requested: i64,
    /// How many were redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redone: Option<i64>,
    /// The label of the last step redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_action: Option<String>,
    /// Whether there was nothing to redo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nothing_to_redo: Option<bool>,
    /// Whether there is more to redo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_redo: Option<bool>,
    /// The step that the next redo brings back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would_redo_next: Option<String>,
    /// The steps, in the order in which they were redone.
    pub steps: Vec<HistoryMove>,
    /// The files that were left as they are, as somebody else changed them since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// The undo steps of open scenes whose files are written by it, as after a move: these scenes are
    /// read again, and their steps are lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_steps: Vec<String>,
    /// What is not as it was asked for, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

effects! {
    Undone: undone, last_action, steps;
    Redone: redone, last_action, steps;
}
