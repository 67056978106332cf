//! Paths that cannot exist in an escaping form: parsed once, trusted after.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// A file or folder of the project: `res://…`, contained in the project, in its plain form.
///
/// Refused: other schemes (`uid://`, `user://`), `..` out of the project, backslashes, drive
/// letters, NUL and line breaks. `res://a/./b` is read as `res://a/b`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResPath(String);

impl ResPath {
    /// What lies at `relative`, in its plain form, in the project's folder.
    pub(crate) fn in_project(relative: &'static str) -> ResPath {
        ResPath(format!("res://{relative}"))
    }

    /// The whole path, with its scheme.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path below the project's folder.
    pub fn relative(&self) -> &str {
        self.0.strip_prefix("res://").unwrap_or(&self.0)
    }

    /// The folder that holds it; `res://` for a path at the top.
    pub fn folder(&self) -> &str {
        match self.0.rfind('/') {
            Some(at) if at > "res:/".len() => self.0.get(..at).unwrap_or("res://"),
            _ => "res://",
        }
    }

    /// What follows the last dot of the file name, in small letters; empty without a dot.
    pub fn extension(&self) -> String {
        let name = self.0.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map(|(_, end)| end.to_lowercase()).unwrap_or_default()
    }
}

impl TryFrom<String> for ResPath {
    type Error = String;

    fn try_from(path: String) -> Result<ResPath, String> {
        let Some(rest) = path.strip_prefix("res://") else {
            return Err(format!(
                "'{path}' must start with 'res://', such as 'res://scenes/main.tscn'"
            ));
        };
        if rest.contains('\\') {
            return Err(format!("'{path}' has a backslash; separate folders with '/'"));
        }
        if rest.chars().any(|c| c.is_control()) {
            return Err("the path has a control character".to_owned());
        }
        if rest.contains(':') {
            return Err(format!("'{path}' has a ':' after its scheme"));
        }
        let parts = normalize(rest).ok_or_else(|| format!("'{path}' leaves the project"))?;
        Ok(ResPath(format!("res://{}", parts.join("/"))))
    }
}

impl From<ResPath> for String {
    fn from(path: ResPath) -> String {
        path.0
    }
}

impl fmt::Display for ResPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A node of the edited scene, relative to its root: `Player/Gun`, or `.` for the root itself.
///
/// Refused: absolute paths and whatever climbs above the root. `./A`, `A/` and `B/../A` are read
/// as `A`; an empty path as `.`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodePath(String);

impl NodePath {
    /// The root of the scene.
    pub fn root() -> NodePath {
        NodePath(".".to_owned())
    }

    /// The path as Godot takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the root of the scene.
    pub fn is_root(&self) -> bool {
        self.0 == "."
    }

    /// The path of a child called `name`.
    #[must_use]
    pub fn child(&self, name: &str) -> NodePath {
        if self.is_root() { NodePath(name.to_owned()) } else { NodePath(format!("{self}/{name}")) }
    }
}

impl TryFrom<String> for NodePath {
    type Error = String;

    fn try_from(path: String) -> Result<NodePath, String> {
        if path.starts_with('/') {
            return Err(format!(
                "'{path}' is absolute; name nodes relative to the root of the scene, '.' being the root"
            ));
        }
        if path.chars().any(|c| c.is_control()) {
            return Err("the path has a control character".to_owned());
        }
        if path.contains(':') {
            return Err(format!("'{path}' has a ':'; name the property in its own parameter"));
        }
        let parts = normalize(&path)
            .ok_or_else(|| format!("'{path}' climbs above the root of the edited scene"))?;
        Ok(if parts.is_empty() { NodePath::root() } else { NodePath(parts.join("/")) })
    }
}

impl From<NodePath> for String {
    fn from(path: NodePath) -> String {
        path.0
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A node of the running game: from its root, as `/root/Main/Player`, or relative to its current
/// scene, `.` being that scene.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GamePath(String);

impl GamePath {
    /// The root of the game.
    pub fn root() -> GamePath {
        GamePath("/root".to_owned())
    }

    /// The path as Godot takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for GamePath {
    type Error = String;

    fn try_from(path: String) -> Result<GamePath, String> {
        if path.chars().any(char::is_control) {
            return Err("the path has a control character".to_owned());
        }
        if path.contains(':') {
            return Err(format!("'{path}' has a ':'; name the property in its own parameter"));
        }
        let climbs = || format!("'{path}' climbs above the root of the game");
        let parts = normalize(&path).ok_or_else(climbs)?;
        if !path.starts_with('/') {
            let relative = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
            return Ok(GamePath(relative));
        }
        match parts.first() {
            Some(&"root") => Ok(GamePath(format!("/{}", parts.join("/")))),
            _ => Err(format!("'{path}' is absolute, and so must begin with '/root'")),
        }
    }
}

impl From<GamePath> for String {
    fn from(path: GamePath) -> String {
        path.0
    }
}

impl fmt::Display for GamePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The parts of a path without `.`, `..` and empty ones; `None` where it climbs above its start.
fn normalize(path: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts)
}

/// For `#[serde(deserialize_with)]`: an optional path whose empty text means none.
///
/// # Errors
/// As the path itself.
pub fn empty_is_none<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: TryFrom<String, Error = String>,
    D: Deserializer<'de>,
{
    match Option::<String>::deserialize(deserializer)? {
        Some(text) if !text.is_empty() => {
            T::try_from(text).map(Some).map_err(serde::de::Error::custom)
        }
        _ => Ok(None),
    }
}

/// `res://`, for `#[serde(default)]`.
pub(crate) fn project_folder() -> ResPath {
    ResPath::in_project("")
}

/// The `format` keywords of the two kinds of path. The gateway checks arguments by them and takes
/// them out of what it advertises.
pub mod format {
    /// A [`ResPath`](super::ResPath).
    pub const RES_PATH: &str = "res-path";
    /// A [`ResPath`](super::ResPath), or empty text for none.
    pub const OPTIONAL_RES_PATH: &str = "optional-res-path";
    /// A [`NodePath`](super::NodePath).
    pub const NODE_PATH: &str = "node-path";
    /// A [`GamePath`](super::GamePath).
    pub const GAME_PATH: &str = "game-path";
}

#[cfg(feature = "schema")]
pub(crate) mod schema {
    //! How the paths look in a JSON schema.

    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::format;

    macro_rules! path_schema {
        ($Path:ty, $format:expr) => {
            impl JsonSchema for $Path {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($Path).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ "type": "string", "format": $format })
                }
            }
        };
    }

    path_schema!(super::ResPath, format::RES_PATH);
    path_schema!(super::NodePath, format::NODE_PATH);
    path_schema!(super::GamePath, format::GAME_PATH);

    /// For `#[schemars(schema_with)]` beside [`super::empty_is_none`].
    pub(crate) fn optional_res_path(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": format::OPTIONAL_RES_PATH, "default": "" })
    }

    /// For `#[schemars(schema_with)]` beside [`super::empty_is_none`].
    pub(crate) fn optional_node_path(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": format::NODE_PATH, "default": "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: TryFrom<String, Error = String> + fmt::Display>(
        given: &str,
        expected: Option<&str>,
    ) {
        let parsed = T::try_from(given.to_owned()).ok().map(|path| path.to_string());
        assert_eq!(parsed.as_deref(), expected, "{given:?}");
    }

    #[test]
    fn res_paths() {
        check::<ResPath>("res://a/b.tscn", Some("res://a/b.tscn"));
        check::<ResPath>("res://", Some("res://"));
        check::<ResPath>("res://a/./b//c", Some("res://a/b/c"));
        check::<ResPath>("res://a/../b", Some("res://b"));
        check::<ResPath>("res://项目 é/🎮.tscn", Some("res://项目 é/🎮.tscn"));
        check::<ResPath>("", None);
        check::<ResPath>("/etc/passwd", None);
        check::<ResPath>("user://x", None);
        check::<ResPath>("uid://b1", None);
        check::<ResPath>("res://../x", None);
        check::<ResPath>("res://a/../../x", None);
        check::<ResPath>("res://a\\..\\x", None);
        check::<ResPath>("res://c:/x", None);
        check::<ResPath>("res://a\0b", None);
        check::<ResPath>("res://a\nb", None);
    }

    #[test]
    fn node_paths() {
        check::<NodePath>("A/B", Some("A/B"));
        check::<NodePath>("", Some("."));
        check::<NodePath>(".", Some("."));
        check::<NodePath>("./A/", Some("A"));
        check::<NodePath>("A/../B", Some("B"));
        check::<NodePath>("%Unique/X", Some("%Unique/X"));
        check::<NodePath>("..", None);
        check::<NodePath>("A/../..", None);
        check::<NodePath>("/root/A", None);
        check::<NodePath>("A:position", None);
    }

    #[test]
    fn parts_of_a_res_path() {
        let path = ResPath::try_from("res://a/b.TSCN".to_owned()).unwrap();
        assert_eq!((path.folder(), path.extension().as_str()), ("res://a", "tscn"));
        let top = ResPath::try_from("res://b".to_owned()).unwrap();
        assert_eq!((top.folder(), top.extension().as_str(), top.relative()), ("res://", "", "b"));
    }
}
