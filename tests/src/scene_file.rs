//! What is in a saved scene: enough of the format of `.tscn` to compare two of them.
//!
//! Ids that the engine makes up anew are left out or replaced by what they stand for, so two files
//! that say the same are equal.

use std::collections::BTreeMap;

/// A scene as it was saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneFile {
    /// The nodes, in order: path and facts. The root is `.`.
    pub nodes: Vec<(String, SceneNode)>,
    /// The connections, as `signal from -> to::method`, with the rest of their attributes.
    pub connections: Vec<String>,
    /// The instances whose children are editable.
    pub editable: Vec<String>,
    /// The resources inside the file: id to type and properties.
    pub resources: BTreeMap<String, SceneNode>,
}

/// A node (or a resource inside the file).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SceneNode {
    /// Its name.
    pub name: String,
    /// Its class; empty where an instance or a base scene says it.
    pub class: String,
    /// The scene that it is an instance of, as a `res://` path; empty for none.
    pub instance: String,
    /// Its groups.
    pub groups: Vec<String>,
    /// Its properties: name to the text of the value, with paths in place of `ExtResource` ids.
    pub properties: BTreeMap<String, String>,
}

impl SceneFile {
    /// Reads the text of a `.tscn` file.
    pub fn parse(text: &str) -> SceneFile {
        let mut scene = SceneFile::default();
        let mut external = BTreeMap::new();
        // Where the next property belongs.
        let mut current: Option<SceneNode> = None;
        let mut key = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.trim().is_empty() {
                continue;
            }
            let mut entry = line.to_owned();
            while !is_balanced(&entry) {
                let Some(line) = lines.next() else { break };
                entry.push('\n');
                entry.push_str(line);
            }
            if let Some(header) = entry.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                scene.keep(&key, current.take());
                let (kind, attributes) = read_header(header);
                let get = |name: &str| attributes.get(name).cloned().unwrap_or_default();
                key.clear();
                match kind {
                    "ext_resource" => {
                        external.insert(get("id"), get("path"));
                    }
                    "sub_resource" => {
                        key = format!("sub {}", get("id"));
                        current = Some(SceneNode { class: get("type"), ..SceneNode::default() });
                    }
                    "node" => {
                        key = match attributes.get("parent").map(String::as_str) {
                            None => ".".to_owned(),
                            Some(".") => get("name"),
                            Some(parent) => format!("{parent}/{}", get("name")),
                        };
                        current = Some(SceneNode {
                            name: get("name"),
                            class: get("type"),
                            instance: quoted(&resolve(&get("instance"), &external)),
                            groups: all_quoted(&get("groups")),
                            properties: BTreeMap::new(),
                        });
                    }
                    "connection" => {
                        let mut text = format!(
                            "{} {} -> {}::{}",
                            get("signal"),
                            get("from"),
                            get("to"),
                            get("method")
                        );
                        for (name, value) in &attributes {
                            if !["signal", "from", "to", "method"].contains(&name.as_str())
                                && !name.ends_with("_uid_path")
                                && !name.ends_with("_uid")
                            {
                                text.push_str(&format!(" {name}={value}"));
                            }
                        }
                        scene.connections.push(text);
                    }
                    "editable" => scene.editable.push(get("path")),
                    _ => {}
                }
            } else if let (Some(node), Some((name, value))) = (&mut current, entry.split_once('='))
            {
                let value = resolve(value.trim(), &external);
                node.properties.insert(name.trim().to_owned(), value);
            }
        }
        scene.keep(&key, current);
        scene
    }

    fn keep(&mut self, key: &str, node: Option<SceneNode>) {
        let Some(node) = node else { return };
        match key.strip_prefix("sub ") {
            Some(id) => {
                self.resources.insert(id.to_owned(), node);
            }
            None => self.nodes.push((key.to_owned(), node)),
        }
    }

    /// The node at `path`, if the file has it.
    pub fn find(&self, path: &str) -> Option<&SceneNode> {
        self.nodes.iter().find(|(at, _)| at == path).map(|(_, node)| node)
    }

    /// The node at `path`, which must be there.
    pub fn node(&self, path: &str) -> &SceneNode {
        self.find(path).unwrap_or_else(|| panic!("no node {path} in {:?}", self.paths()))
    }

    /// The text of a property; empty where it has its default.
    pub fn property(&self, path: &str, name: &str) -> &str {
        self.node(path).properties.get(name).map_or("", String::as_str)
    }

    /// The paths of all nodes, in order.
    pub fn paths(&self) -> Vec<&str> {
        self.nodes.iter().map(|(path, _)| path.as_str()).collect()
    }

    /// Whether a connection is there, written as `signal from -> to::method`.
    pub fn connects(&self, connection: &str) -> bool {
        self.connections.iter().any(|it| {
            it.strip_prefix(connection).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    }

    /// What differs in `other`, one line each: `+` for what only the other one has.
    pub fn diff(&self, other: &SceneFile) -> Vec<String> {
        let mut lines = Vec::new();
        for (path, node) in &self.nodes {
            match other.find(path) {
                None => lines.push(format!("- {path} ({})", node.kind())),
                Some(now) => lines.extend(node.diff(now).iter().map(|it| format!("~ {path} {it}"))),
            }
        }
        for (path, node) in &other.nodes {
            if self.find(path).is_none() {
                lines.push(format!("+ {path} ({})", node.kind()));
                let set = SceneNode { properties: BTreeMap::new(), ..node.clone() }.diff(node);
                lines.extend(set.iter().map(|it| format!("+ {path} {it}")));
            }
        }
        let both = |mine: &[String], theirs: &[String], what: &str, lines: &mut Vec<String>| {
            let gone = mine.iter().filter(|it| !theirs.contains(it));
            lines.extend(gone.map(|it| format!("- {what} {it}")));
            let new = theirs.iter().filter(|it| !mine.contains(it));
            lines.extend(new.map(|it| format!("+ {what} {it}")));
        };
        both(&self.connections, &other.connections, "connection", &mut lines);
        both(&self.editable, &other.editable, "editable children of", &mut lines);
        for (id, resource) in &self.resources {
            match other.resources.get(id) {
                None => lines.push(format!("- resource {id}")),
                Some(now) => {
                    lines.extend(
                        resource.diff(now).iter().map(|it| format!("~ resource {id} {it}")),
                    );
                }
            }
        }
        let new = other.resources.keys().filter(|id| !self.resources.contains_key(*id));
        lines.extend(new.map(|id| format!("+ resource {id}")));
        if lines.is_empty() && self.paths() != other.paths() {
            lines.push(format!("~ order {:?} is now {:?}", self.paths(), other.paths()));
        }
        lines
    }
}

impl SceneNode {
    fn kind(&self) -> &str {
        if self.instance.is_empty() { &self.class } else { &self.instance }
    }

    fn diff(&self, now: &SceneNode) -> Vec<String> {
        let mut lines = Vec::new();
        let facts = |node: &SceneNode| (node.class.clone(), node.instance.clone());
        if facts(self) != facts(now) {
            lines.push(format!("{} is now {}", self.kind(), now.kind()));
        }
        if self.groups != now.groups {
            lines.push(format!("groups {:?} are now {:?}", self.groups, now.groups));
        }
        for (name, value) in &self.properties {
            match now.properties.get(name) {
                None => lines.push(format!("{name} = {value} is now the default")),
                Some(other) if other != value => lines.push(format!("{name} = {value} → {other}")),
                Some(_) => {}
            }
        }
        for (name, value) in &now.properties {
            if !self.properties.contains_key(name) {
                lines.push(format!("{name} = {value}"));
            }
        }
        lines
    }
}

/// Whether every bracket and quote is closed.
fn is_balanced(text: &str) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            '(' | '[' | '{' if !in_text => depth += 1,
            ')' | ']' | '}' if !in_text => depth -= 1,
            _ => {}
        }
    }
    depth <= 0 && !in_text
}

/// `node name="A" groups=["b"]`, without its brackets.
fn read_header(header: &str) -> (&str, BTreeMap<String, String>) {
    let (kind, mut rest) = header.split_once(' ').unwrap_or((header, ""));
    let mut attributes = BTreeMap::new();
    while let Some((name, tail)) = rest.split_once('=') {
        let mut end = tail.len();
        for (at, c) in tail.char_indices() {
            if c == ' ' && is_balanced(&tail[..at]) {
                end = at;
                break;
            }
        }
        let value = &tail[..end];
        let plain = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(value);
        let name = name.trim().to_owned();
        // Made up by the engine, and different at each save.
        if !["unique_id", "uid"].contains(&name.as_str()) {
            attributes.insert(name, plain.to_owned());
        }
        rest = &tail[end..];
    }
    (kind, attributes)
}

/// Puts paths in place of the ids of external resources.
fn resolve(value: &str, external: &BTreeMap<String, String>) -> String {
    let mut text = value.to_owned();
    for (id, path) in external {
        let (from, to) = (format!("ExtResource(\"{id}\")"), format!("ExtResource(\"{path}\")"));
        text = text.replace(&from, &to);
    }
    text
}

/// The first text in quotes.
fn quoted(value: &str) -> String {
    all_quoted(value).into_iter().next().unwrap_or_default()
}

fn all_quoted(value: &str) -> Vec<String> {
    value.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = r#"[gd_scene load_steps=3 format=3 uid="uid://x"]

[ext_resource type="PackedScene" path="res://enemy.tscn" id="1_a"]

[sub_resource type="CircleShape2D" id="Circle_1"]
radius = 2.0

[node name="Main" type="Node2D" unique_id=7]
metadata/text = "a [b] = \"c\"
second line"

[node name="Foe" parent="." groups=["a", "b"] instance=ExtResource("1_a")]

[node name="Shape" type="CollisionShape2D" parent="Foe"]
keys = {
"times": [1, 2]
}

[connection signal="died" from="Foe" to="." method="_on_died" flags=3]

[editable path="Foe"]
"#;

    #[test]
    fn a_scene_is_read() {
        let scene = SceneFile::parse(SCENE);
        assert_eq!(scene.paths(), [".", "Foe", "Foe/Shape"]);
        assert_eq!(scene.node("Foe").instance, "res://enemy.tscn");
        assert_eq!(scene.node("Foe").groups, ["a", "b"]);
        assert!(scene.property(".", "metadata/text").ends_with("second line\""));
        assert!(scene.property("Foe/Shape", "keys").contains("times"));
        assert!(scene.connects("died Foe -> .::_on_died"));
        assert!(!scene.connects("died Foe -> .::_on"));
        assert_eq!(scene.editable, ["Foe"]);
        assert_eq!(scene.resources["Circle_1"].properties["radius"], "2.0");
    }

    #[test]
    fn ids_do_not_count_and_changes_are_told() {
        let scene = SceneFile::parse(SCENE);
        let other = SCENE.replace("1_a", "9_z").replace("unique_id=7", "unique_id=8");
        assert_eq!(scene, SceneFile::parse(&other));
        assert_eq!(scene.diff(&SceneFile::parse(&other)), [""; 0]);
        let other = SceneFile::parse(&SCENE.replace("radius = 2.0", "radius = 3.0"));
        assert_eq!(scene.diff(&other), ["~ resource Circle_1 radius = 2.0 → 3.0"]);
    }
}
