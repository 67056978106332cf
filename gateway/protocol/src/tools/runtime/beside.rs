//! A run of the project beside the editor, from its begin to its end.

use serde::{Deserialize, Serialize};

use crate::{ResPath, bounds::Seconds, path::empty_is_none};

/// Run the project without a display, in a process of its own beside the editor, until it quits or the
/// time is over, and tell all that it printed, with its errors, warnings and exit code. Whatever the run
/// starts ends with it. It runs what is saved to files. To look into a game while it runs, use
/// godot_runtime_play_scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunAndCapture {
    /// The scene to run; "" for the main scene of the project.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub scene: Option<ResPath>,
    /// After how many seconds it is ended; the answer then has all that was printed until then.
    /// Default 10.
    #[serde(default = "ten_whole_seconds")]
    pub timeout_seconds: Seconds,
}

fn ten_whole_seconds() -> Seconds {
    Seconds::of::<10>()
}

/// The result of [`RunAndCapture`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCaptured {
    /// Whether it was run. It was.
    pub ran: bool,
    /// Its exit code; absent where it was ended by a signal or by the timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, where the system tells of one: a crash, such as 11. Absent where the
    /// timeout ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether it was ended because the time was over.
    pub timed_out: bool,
    /// How long it ran.
    pub duration_seconds: f64,
    /// The errors that the engine printed, each once, in the order in which they came.
    pub errors: Vec<RunProblem>,
    /// How many errors there were in all, repeated ones and those left out of `errors` included.
    pub error_count: u64,
    /// The warnings that the engine printed, likewise.
    pub warnings: Vec<RunProblem>,
    /// How many warnings there were in all.
    pub warning_count: u64,
    /// All that was printed, line by line; of a long output the last lines.
    pub output: Vec<String>,
    /// How many lines were printed in all.
    pub output_lines: u64,
    /// Whether `output` lacks the first of them, or the end of one that is longer than 8 KiB and ends
    /// in "…".
    pub output_truncated: bool,
    /// Where all of it is, up to 64 MiB, if `output` lacks some: a text file outside of the project, on
    /// the editor's machine. It goes away with the editor, or after eight more such runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_file: Option<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What to know about the answer, such as that unsaved changes were not in the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One error or warning of [`RunCaptured`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunProblem {
    /// As the engine calls it: "SCRIPT ERROR", "Parse Error", "ERROR", "WARNING" and the like.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The file of the project where it happened, as far as the engine tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The function of the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The calls that led there, innermost first: "function (file:line)".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
    /// How often it came.
    pub count: u64,
}
