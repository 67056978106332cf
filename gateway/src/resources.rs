//! What clients can read as resources: the project, the scene and the selection, as JSON.

use protocol::{
    Fault,
    bounds::Depth,
    tools::inspection::{GetActiveScene, GetProjectInfo, GetSceneTree, GetSelectedNode},
};
use serde_json::json;

use crate::{
    Gateway,
    brief::{MAX_ANSWER, is_too_long},
    call::ask,
    caller::Caller,
};

/// The type of every resource.
pub const MIME_TYPE: &str = "application/json";

/// A resource as it is listed.
#[derive(Debug, Clone, Copy)]
pub struct Resource {
    /// Its URI, or the template of one.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its name in words.
    pub title: &'static str,
    /// What it holds.
    pub description: &'static str,
}

/// Every resource.
pub const RESOURCES: &[Resource] = &[
    Resource {
        uri: "godot://project/info",
        name: "project_info",
        title: "Project Info",
        description: "Name, Godot version, main scene, autoloads and input actions.",
    },
    Resource {
        uri: "godot://scene/current",
        name: "current_scene",
        title: "Current Scene",
        description: "Which scene is open and active, and whether it has unsaved changes.",
    },
    Resource {
        uri: "godot://scene/tree",
        name: "scene_tree",
        title: "Scene Tree",
        description: "The node tree of the active scene, unsaved edits included.",
    },
    Resource {
        uri: "godot://node/selected",
        name: "selected_node",
        title: "Selected Node",
        description: "The node that is selected in the editor, with its properties.",
    },
];

/// Every template of resources.
pub const TEMPLATES: &[Resource] = &[Resource {
    uri: "godot://scene/tree/{max_depth}",
    name: "scene_tree_to_depth",
    title: "Scene Tree to a Depth",
    description: "The node tree down to a depth: 0 for the root alone, -1 for all.",
}];

/// A resource that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// `godot://project/info`.
    Project,
    /// `godot://scene/current`.
    Scene,
    /// `godot://scene/tree`, to any depth.
    Tree(Depth),
    /// `godot://node/selected`.
    Selection,
}

/// Which resource a URI names.
///
/// # Errors
/// `RESOURCE_NOT_FOUND`, with those that exist.
pub fn parse(uri: &str) -> Result<Wanted, Fault> {
    match uri {
        "godot://project/info" => return Ok(Wanted::Project),
        "godot://scene/current" => return Ok(Wanted::Scene),
        "godot://scene/tree" => return Ok(Wanted::Tree(Depth::unlimited())),
        "godot://node/selected" => return Ok(Wanted::Selection),
        _ => {}
    }
    let depth = uri.strip_prefix("godot://scene/tree/").and_then(|depth| depth.parse().ok());
    match depth.map(|depth: i64| Depth::try_from(depth)) {
        Some(Ok(depth)) => Ok(Wanted::Tree(depth)),
        Some(Err(problem)) => Err(Fault::not_found(format!("{uri}: the depth {problem}."))),
        None => {
            let known: Vec<&str> = RESOURCES.iter().chain(TEMPLATES).map(|r| r.uri).collect();
            Err(Fault::not_found(format!(
                "There is no resource '{uri}'. There are: {}.",
                known.join(", ")
            )))
        }
    }
}

/// Reads a resource. What is too long for an answer is replaced by a note that says so.
///
/// # Errors
/// Whatever the link or the editor has against it.
pub async fn read(gateway: &Gateway, wanted: Wanted, caller: &Caller) -> Result<String, Fault> {
    let text = match wanted {
        Wanted::Project => ask(gateway, &GetProjectInfo {}, caller).await?,
        Wanted::Scene => ask(gateway, &GetActiveScene {}, caller).await?,
        Wanted::Selection => ask(gateway, &GetSelectedNode {}, caller).await?,
        Wanted::Tree(max_depth) => {
            let question = GetSceneTree { max_depth, lightweight: false, cursor: String::new() };
            ask(gateway, &question, caller).await?
        }
    };
    Ok(bounded(Box::<str>::from(text).into()))
}

/// The text, or a note in its place.
fn bounded(text: String) -> String {
    if is_too_long(&text) { note(&text) } else { text }
}

/// The same for a text that becomes a string within an answer, where its quotes need more room.
pub fn bounded_as_string(text: String) -> String {
    if is_too_long(&json!({ "result": text }).to_string()) { note(&text) } else { text }
}

fn note(text: &str) -> String {
    json!({
        "truncated": true,
        "character_limit": MAX_ANSWER,
        "actual_length": text.chars().count(),
        "hint": "Read a part: godot://scene/tree/{max_depth} with a low depth, or page with the tools of inspection.",
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_parsed_to_what_they_name() {
        let depth = |n| Some(Wanted::Tree(Depth::try_from(n).unwrap()));
        for (uri, expected) in [
            ("godot://project/info", Some(Wanted::Project)),
            ("godot://scene/tree", depth(-1)),
            ("godot://scene/tree/2", depth(2)),
            ("godot://scene/tree/-2", None),
            ("godot://scene/tree/two", None),
            ("godot://nothing", None),
        ] {
            assert_eq!(parse(uri).ok(), expected, "{uri}");
        }
    }
}
