//! Toolsets: which tools an agent sees and may call.
//!
//! One set for the whole process, shared by all sessions. It is settled before any editor is there.

use std::{collections::BTreeSet, sync::Mutex};

use protocol::{Fault, Required, Tool, Toolset};
use serde_json::json;
use tokio::sync::watch;

use crate::{arguments::did_you_mean, lock};

/// What agents read about a toolset.
pub const fn description(toolset: Toolset) -> &'static str {
    match toolset {
        Toolset::Core => "Diagnostics, toolsets, class reference, undo and redo. Always on.",
        Toolset::Inspection => "Read the project, its scenes, nodes and properties.",
        Toolset::SceneEdit => {
            "Open, create and save scenes; create, change, move and delete nodes, each call one undo step."
        }
        Toolset::InputMap => "Input actions of the project: keys, mouse and joypad.",
        Toolset::ProjectScaffold => "What a new project begins with.",
        Toolset::Runtime => {
            "Run the game from the editor, look into it while it runs, and stop it."
        }
        Toolset::Input => {
            "Give the running game input: keys, mouse, actions, joypad, touch, sequences."
        }
        Toolset::Editor => "What the editor shows, as a picture.",
        Toolset::Testing => {
            "Whether the game does as it should: run its tests, check nodes, play scenarios, stress it, \
             compare pictures."
        }
        Toolset::Debugger => {
            "Stop the running game: breakpoints, steps, calls, variables; evaluate expressions in it."
        }
        Toolset::Profiling => {
            "What the editor and the running game cost: frame times, memory, performance monitors."
        }
        Toolset::Batch => "Find nodes by class; change many nodes at once; what a file needs.",
        Toolset::Composite => {
            "Many commands as one call and one undo step: run_commands; nodes with all their parts."
        }
        Toolset::ResourcesEdit => "Read, create and change resource files (.tres, .res).",
        Toolset::Shader => {
            "Create, read and check shaders; shader materials of nodes and their parameters."
        }
        Toolset::VisualShader => "Build the node graphs of visual shaders.",
        Toolset::Scripts => "Read, write, patch and check scripts, each write one undo step.",
        Toolset::Project => {
            "The files of the project: list, find, move and delete them, look up UIDs; its settings."
        }
        Toolset::AssetImport => "Bring files into the project as assets; materials from textures.",
    }
}

/// The oldest Godot that a toolset works with, where it needs more than the add-on does.
pub const fn min_godot(toolset: Toolset) -> Option<&'static str> {
    match toolset {
        Toolset::Core
        | Toolset::Inspection
        | Toolset::Scripts
        | Toolset::Project
        | Toolset::ResourcesEdit
        | Toolset::Shader
        | Toolset::VisualShader
        | Toolset::AssetImport => None,
        Toolset::SceneEdit
        | Toolset::Runtime
        | Toolset::Input
        | Toolset::Editor
        | Toolset::Testing
        | Toolset::Debugger
        | Toolset::Profiling
        | Toolset::InputMap
        | Toolset::ProjectScaffold
        | Toolset::Batch
        | Toolset::Composite => Some("4.4"),
    }
}

/// Names for several toolsets at once. Those that this build lacks are passed over.
const BUNDLES: [(&str, &[&str]); 3] = [
    (
        "author",
        &[
            "scene_edit",
            "scripts",
            "resources_edit",
            "project",
            "shader",
            "visual_shader",
            "theme_ui",
            "tilemap",
            "scene_3d",
            "particles",
            "physics",
            "animation",
            "navigation",
            "audio",
        ],
    ),
    ("playtest", &["runtime", "input", "input_map", "testing", "debugger", "profiling"]),
    ("ship", &["export", "project_scaffold"]),
];

/// More tools than this, and some clients refuse the whole list or show a part of it.
const MANY: usize = 100;

/// The name for all toolsets.
const ALL: &str = "all";

/// Which toolsets are on.
pub struct Toolsets {
    enabled: Mutex<BTreeSet<Toolset>>,
    changes: watch::Sender<u64>,
}

impl Toolsets {
    /// `core`, and what the user asked for: a list of toolsets and bundles. Unknown names are
    /// logged and dropped; where nothing is left, the default is `inspection`.
    pub fn new(list: Option<&str>) -> Toolsets {
        let mut enabled = BTreeSet::new();
        for name in names(list.unwrap_or_default()) {
            match expand(name) {
                Ok(toolsets) => enabled.extend(toolsets),
                Err(_) => tracing::warn!(name, "the list of toolsets names an unknown one"),
            }
        }
        if enabled.is_empty() {
            enabled.insert(Toolset::Inspection);
        }
        enabled.insert(Toolset::Core);
        Toolsets { enabled: Mutex::new(enabled), changes: watch::Sender::new(0) }
    }

    /// Whether the tools of a toolset can be called.
    pub fn is_enabled(&self, toolset: Toolset) -> bool {
        toolset == Toolset::Core || lock(&self.enabled).contains(&toolset)
    }

    /// The tools that can be called.
    pub fn tools(&self) -> impl Iterator<Item = Tool> {
        let enabled = lock(&self.enabled).clone();
        Tool::ALL.iter().copied().filter(move |tool| enabled.contains(&tool.toolset()))
    }

    /// What the user should know who turned on more tools than some clients can take.
    pub fn warning(&self) -> Option<String> {
        warning(self.tools().count())
    }

    /// Turns toolsets on or off. Whoever watches the list of tools hears of it.
    pub fn set(&self, toolsets: &[Toolset], on: bool) {
        let mut enabled = lock(&self.enabled);
        let before = enabled.len();
        for &toolset in toolsets {
            if on {
                enabled.insert(toolset);
            } else if toolset != Toolset::Core {
                enabled.remove(&toolset);
            }
        }
        let changed = enabled.len() != before;
        drop(enabled);
        if changed {
            self.changes.send_modify(|count| *count += 1);
        }
    }

    /// Hears of every change of the list of tools.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Refuses a tool whose toolset is off, with the exact call to make first.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED`, `required: toolset`.
    pub fn require(&self, tool: Tool) -> Result<(), Fault> {
        let toolset = tool.toolset();
        if self.is_enabled(toolset) {
            return Ok(());
        }
        let arguments = json!({ "category": toolset.name() });
        let enable = Tool::EnableToolset.name();
        Err(Fault::precondition(
            Required::TOOLSET,
            format!(
                "{} belongs to the toolset {}, which is off. Call {enable} {arguments} first.",
                tool.name(),
                toolset.name()
            ),
        )
        .with("call", json!({ "name": enable, "arguments": arguments })))
    }

    /// Refuses an editor that is too old for a toolset.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED`, `required: godot_version`.
    pub fn require_godot(toolset: Toolset, version: &str) -> Result<(), Fault> {
        let Some(oldest) = min_godot(toolset) else { return Ok(()) };
        match (numbers(version), numbers(oldest)) {
            (Some(given), Some(needed)) if given < needed => Err(Fault::precondition(
                Required::GODOT_VERSION,
                format!(
                    "The toolset {} needs Godot {oldest} or newer; the editor is {version}.",
                    toolset.name()
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// The toolsets that a category names: one, a bundle, or several separated by commas.
///
/// # Errors
/// `VALIDATION_ERROR`, with the names that exist.
pub fn resolve(category: &str) -> Result<Vec<Toolset>, Fault> {
    let mut toolsets = Vec::new();
    for name in names(category) {
        for toolset in expand(name)? {
            if !toolsets.contains(&toolset) {
                toolsets.push(toolset);
            }
        }
    }
    if toolsets.is_empty() {
        return Err(refuse(format!("'{category}' names no toolset. {}", known())));
    }
    Ok(toolsets)
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty())
}

fn expand(name: &str) -> Result<Vec<Toolset>, Fault> {
    if name == ALL {
        return Ok(Toolset::ALL.to_vec());
    }
    if let Some(toolset) = Toolset::from_name(name) {
        return Ok(vec![toolset]);
    }
    let Some((_, members)) = BUNDLES.iter().find(|(bundle, _)| *bundle == name) else {
        let known_names: Vec<&str> = Toolset::ALL
            .iter()
            .map(|toolset| toolset.name())
            .chain(BUNDLES.iter().map(|(bundle, _)| *bundle))
            .chain([ALL])
            .collect();
        let near = did_you_mean(name, &known_names)
            .map(|near| format!("; did you mean '{near}'?"))
            .unwrap_or_default();
        return Err(refuse(format!("There is no toolset '{name}'{near}. {}", known())));
    };
    let members: Vec<Toolset> =
        members.iter().filter_map(|member| Toolset::from_name(member)).collect();
    if members.is_empty() {
        return Err(refuse(format!(
            "This build has no toolset of the bundle '{name}'. {}",
            known()
        )));
    }
    Ok(members)
}

fn known() -> String {
    let toolsets: Vec<&str> = Toolset::ALL.iter().map(|toolset| toolset.name()).collect();
    let bundles: Vec<&str> = BUNDLES.iter().map(|(bundle, _)| *bundle).collect();
    format!("Toolsets: {}. Bundles: {}, {ALL}.", toolsets.join(", "), bundles.join(", "))
}

fn refuse(hint: String) -> Fault {
    Fault::invalid(hint).requiring(Required::parameter("category"))
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn warning(tools: usize) -> Option<String> {
    (tools > MANY).then(|| {
        format!(
            "{tools} tools are on; some clients take no more than {MANY}. Name fewer toolsets: agents \
             turn on more with godot_enable_toolset."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_gate_only_what_names_one() {
        assert!(Toolsets::require_godot(Toolset::SceneEdit, "4.3.1.stable").is_err());
        assert!(Toolsets::require_godot(Toolset::SceneEdit, "4.4.stable").is_ok());
        assert!(Toolsets::require_godot(Toolset::SceneEdit, "4.10.stable").is_ok());
        assert!(Toolsets::require_godot(Toolset::Inspection, "4.3.stable").is_ok());
    }

    #[test]
    fn the_user_list_is_read_leniently() {
        let on = |list| Toolsets::new(list).tools().map(|t| t.toolset()).collect::<BTreeSet<_>>();
        let default = BTreeSet::from([Toolset::Core, Toolset::Inspection]);
        let editing = BTreeSet::from([Toolset::Core, Toolset::SceneEdit]);
        assert_eq!(on(None), default);
        assert_eq!(on(Some("")), default);
        assert_eq!(on(Some("nonsense, more")), default);
        assert_eq!(on(Some("nonsense, scene_edit")), editing);
        let author = on(Some("author"));
        assert!(author.is_superset(&editing) && !author.contains(&Toolset::Inspection));
        assert_eq!(on(Some("all")).len(), Toolset::ALL.len());
    }

    #[test]
    fn too_many_tools_are_warned_of() {
        assert_eq!(warning(MANY), None);
        assert!(warning(MANY + 1).unwrap().contains("101 tools"));
        assert_eq!(Toolsets::new(None).warning(), None);
    }
}
