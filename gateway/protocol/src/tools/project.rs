//! `project`: the files of the project, and its settings.

use serde::{Deserialize, Serialize};

use crate::{
    GodotValue, ResPath,
    bounds::{Bounded, Depth},
    effects,
    path::project_folder,
};

/// How many files a search finds at most.
pub type MatchCount = Bounded<1, 10_000>;

/// List the folders and files of the project as a tree, as they are on disk. Hidden ones are left
/// out, and the `.uid` and `.import` files that the editor keeps beside others. A long answer comes
/// in pages: follow `next_cursor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetFilesystemTree {
    /// The folder to begin with.
    #[serde(default = "project_folder")]
    pub directory: ResPath,
    /// How deep to look: -1 for all the way down, 0 for the folder alone.
    #[serde(default = "Depth::unlimited")]
    pub max_depth: Depth,
    /// The `next_cursor` of the answer before; empty for the first page.
    #[serde(default)]
    pub cursor: String,
}

/// The result of [`GetFilesystemTree`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesystemTree {
    /// The folder, with what of it is on this page.
    pub tree: FsEntry,
    /// How many files and folders there are.
    pub total: usize,
    /// How many are listed here.
    pub returned: usize,
    /// Whether more follow.
    pub truncated: bool,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A file or folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FsEntry {
    /// Its name; "res://" for the project's folder.
    pub name: String,
    /// Its `res://` path.
    pub path: String,
    /// "file" or "directory".
    #[serde(rename = "type")]
    pub kind: String,
    /// What a folder holds: folders first, then files, each by name. Absent for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<FsEntry>>,
}

/// Find files of the project by name, by text in them, or both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// The folder to look in and below.
    #[serde(default = "project_folder")]
    pub directory: ResPath,
    /// The file's name, such as "*.tscn" or "player*"; capitals and small letters are the same. With
    /// a "/" it is compared with the path below `directory`. Empty for every name.
    #[serde(default)]
    pub name_glob: String,
    /// Text that the file has in it, exactly as written here. Empty for any. Files of more than
    /// 2,000,000 bytes and files that are not text are passed over.
    #[serde(default)]
    pub content: String,
    /// How many files to find at most.
    #[serde(default = "two_hundred")]
    pub max_results: MatchCount,
    /// How many found files to skip: the `next_offset` of the answer before.
    #[serde(default)]
    pub offset: u32,
}

/// The result of [`SearchFiles`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FilesFound {
    /// The files, by path.
    pub matches: Vec<String>,
    /// Where `content` stands first in each of them; empty where it was not asked for.
    pub lines: Vec<LineFound>,
    /// Whether there are more than are listed.
    pub truncated: bool,
    /// The `offset` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// Where a text was found, in [`FilesFound`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LineFound {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Its text; of a long line the beginning.
    pub text: String,
}

/// Find the file with a `uid://`, or the `uid://` of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResolveUid {
    /// A "uid://…" or a "res://…" path.
    pub value: String,
}

/// The result of [`ResolveUid`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UidResolved {
    /// The UID; absent for a file without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// The file; absent for a UID that no file has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Delete a file of the project, with the `.uid` and `.import` beside it, and close its tab in the
/// editor. Look with `dry_run` first at what depends on it. One `godot_undo` gives back the exact
/// bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeleteResourceFile {
    /// The file; folders and `project.godot` are refused.
    pub path: ResPath,
}

/// The result of [`DeleteResourceFile`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileDeleted {
    /// The file.
    pub path: String,
    /// Whether it was deleted.
    pub deleted: bool,
    /// Whether there was a `.uid` file beside it.
    pub had_uid: bool,
    /// Whether its tab was closed: that of a scene, or that of a script.
    pub tab_closed: bool,
    /// The files that name it by its path or UID, and break without it.
    pub dependents: Vec<FileReference>,
    /// What to do about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A file that names another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileReference {
    /// The file.
    pub file: String,
    /// How often it names the other.
    pub count: usize,
}

/// Move or rename a file or folder of the project, with the `.uid` and `.import` beside it, and
/// rewrite every reference to its path: in scenes, scripts, resources and `project.godot`. Look
/// with `dry_run` first at what is rewritten. One `godot_undo` takes it all back. To replace an
/// existing file, or where open scenes that name it lose their undo history, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MoveFile {
    /// The file or folder.
    pub path: ResPath,
    /// Its new path, with the name. Missing folders are made.
    pub new_path: ResPath,
}

/// The result of [`MoveFile`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileMoved {
    /// Where it was.
    pub old_path: String,
    /// Where it is.
    pub new_path: String,
    /// The files in which references are rewritten.
    pub updated_refs: Vec<FileReference>,
    /// How many files move; one, except for a folder.
    pub files: usize,
    /// Whether it was moved.
    pub moved: bool,
    /// The undo steps of open scenes that name it, newest first: these are read again, and the
    /// steps are lost.
    pub lost_steps: Vec<String>,
    /// What is left to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

fn two_hundred() -> MatchCount {
    MatchCount::of::<200>()
}

/// Read a project setting, as the editor has it now. What is a secret by its name, such as a
/// password or a token, is masked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetSetting {
    /// The setting, such as "application/config/name".
    pub name: String,
}

/// The result of [`GetSetting`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingValue {
    /// The setting.
    pub name: String,
    /// Its value, or that which the engine has by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<GodotValue>,
    /// Whether there is such a setting.
    pub exists: bool,
    /// The type of its values.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The setting with the most similar name, if there is none of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// That the value is a secret, such as a password, and is masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Set a project setting and write project.godot, as one undo step. A setting that the engine knows
/// keeps its type; a section of your own may hold anything, and null removes what is in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetSetting {
    /// The setting, such as "display/window/size/viewport_width" or "my_game/difficulty".
    pub name: String,
    /// Its new value, in the same forms as those of properties: 1280, true, "text", [1, 2],
    /// {"x": 1, "y": 2} for a vector, "#ff0000" for a color.
    pub value: GodotValue,
}

/// The result of [`SetSetting`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingSet {
    /// The setting.
    pub name: String,
    /// Its new value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<GodotValue>,
    /// Its value before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<GodotValue>,
    /// Whether it was set.
    pub set: bool,
    /// That nothing had to be written, or that the value is a secret, such as a password, and is masked
    /// here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

effects! {
    FileDeleted: deleted, tab_closed;
    SettingSet: set;
    FileMoved: moved;
}
