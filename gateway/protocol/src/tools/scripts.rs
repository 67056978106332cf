//! `scripts`: read, write, patch and check the project's scripts. Every write is one undo step.

use serde::{Deserialize, Serialize};

use crate::{
    NodePath, ResPath,
    bounds::Bounded,
    effects,
    path::{empty_is_none, project_folder},
};

/// How many lines of a script one answer holds at most.
pub type LineCount = Bounded<1, 100_000>;

/// How many files one answer lists at most.
pub type FileCount = Bounded<1, 1000>;

/// A script's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScriptLanguage {
    /// GDScript, in files that end in ".gd".
    #[default]
    Gd,
    /// C#, in files that end in ".cs".
    Cs,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ScriptLanguage {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ScriptLanguage".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "enum": ["gd", "cs"] })
    }
}

/// List the scripts of the project, by path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListScripts {
    /// The folder to look in and below.
    #[serde(default = "project_folder")]
    pub directory: ResPath,
    /// How many to skip: the `next_offset` of the answer before.
    #[serde(default)]
    pub offset: u32,
    /// How many to list at most.
    #[serde(default = "two_hundred")]
    pub limit: FileCount,
    /// "gd" for GDScript, "cs" for C#.
    #[serde(default)]
    pub language: ScriptLanguage,
}

/// The result of [`ListScripts`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScriptList {
    /// The folder.
    pub directory: String,
    /// The scripts, by path.
    pub scripts: Vec<String>,
    /// How many there are.
    pub total: usize,
    /// How many are listed here.
    pub returned: usize,
    /// Whether more follow.
    pub truncated: bool,
    /// The `offset` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// What stands in the way of C# here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Read a script (.gd or .cs) as it is on disk. A long one comes in pages of whole lines: follow
/// `next_offset`. Line ends are given as "\n" whatever the file has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReadScript {
    /// The script file, such as "res://scripts/player.gd".
    pub script_path: ResPath,
    /// How many lines to skip.
    #[serde(default)]
    pub offset: u32,
    /// How many lines to give at most; an answer ends earlier, at a whole line, where it would be
    /// too long.
    #[serde(default = "all_lines")]
    pub limit: LineCount,
}

/// The result of [`ReadScript`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScriptText {
    /// The script.
    pub script_path: String,
    /// The lines asked for.
    pub content: String,
    /// The SHA-256 of the file's bytes; give it as `if_hash` when you write.
    pub hash: String,
    /// How many lines the script has.
    pub total_lines: usize,
    /// How many are given here.
    pub returned: usize,
    /// Whether more follow.
    pub truncated: bool,
    /// The `offset` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// How the file ends its lines: "lf", "crlf" or "mixed". Writes keep it.
    pub line_ends: String,
    /// Whether the file begins with a byte order mark. Writes keep it.
    pub bom: bool,
    /// Whether the human has text in the script editor that is not in the file yet.
    pub unsaved_in_editor: bool,
}

/// Create a script (.gd or .cs), or replace the whole text of one. A file that is there keeps its
/// line ends and byte order mark. One `godot_undo` gives back the exact bytes, or removes the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WriteScript {
    /// The script file, ending in ".gd" or ".cs". Missing folders are made.
    pub script_path: ResPath,
    /// The whole text.
    pub content: String,
    /// Refuse unless the file still has this `hash`, as `godot_scripts_read` gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_hash: Option<String>,
}

/// The result of [`WriteScript`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScriptWritten {
    /// The script.
    pub script_path: String,
    /// Whether the file was made.
    pub created: bool,
    /// Whether the text of a file was replaced.
    pub overwrote: bool,
    /// Whether there was a file before.
    pub previous_existed: bool,
    /// Whether the call replaces the text of a file.
    pub would_overwrite: bool,
    /// The SHA-256 of the file's bytes with this text.
    pub hash: String,
    /// The `class_name` in the text, if the editor knows the class by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_registered: Option<String>,
    /// Whether the editor has not yet taken in the file.
    pub rescan_pending: bool,
    /// The parse errors of the new text, as `godot_scripts_get_parse_errors` tells them; absent
    /// where they were not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Diagnostic>>,
    /// What to do next, where something is left to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Replace text in a script (.gd or .cs): every occurrence of `find`. One `godot_undo` gives back
/// the exact bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PatchScript {
    /// The script file.
    pub script_path: ResPath,
    /// The text to replace, wherever it occurs. A line end in it matches both "\n" and "\r\n".
    /// Give enough lines around a place to name it alone; `replacements` tells how many there were.
    pub find: String,
    /// The text to put there; empty to remove. Its line ends become those of the file.
    pub replace: String,
    /// Refuse unless the file still has this `hash`, as `godot_scripts_read` gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_hash: Option<String>,
}

/// The result of [`PatchScript`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScriptPatched {
    /// The script.
    pub script_path: String,
    /// How many occurrences are replaced.
    pub replacements: usize,
    /// Whether the file was written.
    pub patched: bool,
    /// The lines that change, counted from 1: those of the first hundred occurrences.
    pub lines: Vec<usize>,
    /// The SHA-256 of the file's bytes with this text.
    pub hash: String,
    /// The `class_name` in the text, if the editor knows the class by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_registered: Option<String>,
    /// Whether the editor has not yet taken in the file.
    pub rescan_pending: bool,
    /// The parse errors of the new text, as `godot_scripts_get_parse_errors` tells them; absent
    /// where they were not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Diagnostic>>,
    /// What is to be known of these, or why they were not looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Find the script of a node of the active scene, with its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetScriptForNode {
    /// The node, relative to the root of the scene; "." is the root. Leave out for the node that is
    /// selected in the editor.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_node_path")
    )]
    pub node_path: Option<NodePath>,
}

/// The result of [`GetScriptForNode`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeScript {
    /// The node.
    pub node_path: String,
    /// Its script; one that is built into a scene has the path of the scene in it. Absent without a
    /// script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_path: Option<String>,
    /// Its text; the first page of it where it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether more of the text follows; `godot_scripts_read` gives it.
    pub truncated: bool,
}

/// Check a script without running any of it: every parse error and warning, with line and column.
/// GDScript is checked by the editor's own language server, C# by `dotnet build`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetParseErrors {
    /// The script file, ending in ".gd" or ".cs".
    pub script_path: ResPath,
    /// Check this text as if it were the file's. The file may not exist yet; it is not written.
    /// GDScript only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The result of [`GetParseErrors`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParseErrors {
    /// The script.
    pub script_path: String,
    /// Whether there are no errors. Warnings do not count.
    pub ok: bool,
    /// The errors.
    pub errors: Vec<Diagnostic>,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
    /// Who checked: "language_server" (all errors and warnings), "compiler" (where the server cannot
    /// be asked: of errors in the syntax the first, no columns, no warnings) or "dotnet_build".
    pub method: String,
    /// Whether the editor is still looking at the files of the project, so that errors about other
    /// scripts may go away.
    pub rescan_pending: bool,
    /// Whether some were left out, for length.
    pub truncated: bool,
    /// Why the check is less than it could be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One error or warning of [`ParseErrors`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// The file that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The name of a warning, such as "UNUSED_VARIABLE", or the code of a C# error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

fn two_hundred() -> FileCount {
    FileCount::of::<200>()
}

fn all_lines() -> LineCount {
    LineCount::of::<100_000>()
}

effects! {
    ScriptWritten: created, overwrote, class_registered;
    ScriptPatched: patched, class_registered;
}
