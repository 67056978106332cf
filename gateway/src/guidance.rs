//! What agents are told about working with this server as a whole.

use std::collections::BTreeMap;

use protocol::{Tool, Toolset};

/// Sent once, when a client connects.
pub const INSTRUCTIONS: &str = "\
Godot MCP drives a live Godot 4.4+ editor: it reads and changes the scene that is open, unsaved \
edits included.

First steps: godot_health_check tells whether an editor is connected, \
godot_inspection_get_scene_tree shows the open scene. To edit, first call godot_enable_toolset \
{\"category\": \"scene_edit\"}; its answer has the tools with their schemas, and they can be called \
at once.

Toolsets: core is always on, inspection by default, others after godot_enable_toolset. A call to a \
tool that is off says which call enables it. godot_list_toolsets lists them all.

Paths: node paths are relative to the root of the edited scene, \".\" being the root; file paths \
start with res://.

Safety: _meta.safety_class tells what a tool does. Mutating and destructive tools take dry_run: \
the preview runs the same checks and gives the same answer, and changes nothing. Destructive tools, \
and calls that replace a file, need confirm: true. Only set confirm when the loss is intended. \
Tools that act on the active scene take scene: the call is refused unless that res:// scene is the \
active one; pass it when a human may switch tabs. Each editing call is one step in the editor's own \
undo history; godot_undo takes it back. Scenes are not saved until you call \
godot_scene_edit_save_scene.

Answers: an edit says whether a save keeps it (persisted, with reason and hint if not), whether it \
is undoable, and what the engine printed as errors.

Errors are JSON: error is the code, hint the way out, required what is missing (a token or a \
parameter). VALIDATION_ERROR lists all problems at once. After TIMEOUT or BRIDGE_DISCONNECTED, \
outcome tells whether the call may have been applied: read the state before you repeat it.";

const COMMON_ERRORS: [[&str; 3]; 8] = [
    [
        "BRIDGE_DISCONNECTED, required: bridge_connected",
        "No editor with the add-on is connected to this server.",
        "Open the project in Godot with the add-on enabled. It connects by itself, in any order.",
    ],
    [
        "PRECONDITION_FAILED, required: toolset",
        "The tool's toolset is off.",
        "Make the call in `call`, then repeat yours.",
    ],
    [
        "PRECONDITION_FAILED, required: confirm",
        "The call discards data.",
        "Preview it with dry_run: true; if the loss is intended, repeat it with confirm: true.",
    ],
    [
        "PRECONDITION_FAILED, required: active_scene",
        "No scene is open.",
        "Open one with godot_scene_edit_open_scene.",
    ],
    [
        "PRECONDITION_FAILED, required: editor_selection",
        "Several editors are connected.",
        "Start the server with --project DIR, or close the other editors.",
    ],
    [
        "RESOURCE_NOT_FOUND, required: node_exists",
        "The node path is not relative to the root of the active scene, or has changed.",
        "Read the tree again with godot_inspection_get_scene_tree.",
    ],
    [
        "TIMEOUT",
        "The editor is busy: a dialog, an import, a long load.",
        "See `outcome`, read the state, then repeat the call; raise --timeout if it recurs.",
    ],
    [
        "persisted: false in an answer",
        "The change is in memory, but a save of this scene drops it.",
        "Follow `reason` and `hint`; usually edit the scene that owns the node.",
    ],
];

/// Errors that agents run into: `symptom`, `cause`, `fix`.
pub fn common_errors() -> Vec<BTreeMap<String, String>> {
    let row = |[symptom, cause, fix]: &[&str; 3]| {
        [("symptom", symptom), ("cause", cause), ("fix", fix)]
            .map(|(name, text)| (name.to_owned(), (*text).to_owned()))
            .into()
    };
    COMMON_ERRORS.iter().map(row).collect()
}

/// What to do now, by what is there.
pub fn next_steps(
    connected: bool,
    active_scene: Option<&str>,
    is_enabled: impl Fn(Toolset) -> bool,
) -> Vec<String> {
    let mut steps = Vec::new();
    if !connected {
        steps.push(
            "Open the project in Godot with the add-on enabled, then call godot_health_check."
                .to_owned(),
        );
    }
    if !is_enabled(Toolset::SceneEdit) {
        steps.push(format!(
            "To edit scenes, call {} {{\"category\": \"scene_edit\"}}.",
            Tool::EnableToolset.name()
        ));
    }
    if connected {
        steps.push(match active_scene {
            Some(_) => format!("Look at the scene with {}.", Tool::GetSceneTree.name()),
            None => format!("Open a scene with {}.", Tool::OpenScene.name()),
        });
    }
    steps
}
