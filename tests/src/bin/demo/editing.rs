//! The first half of the session: the main scene is changed, and saved.

use serde_json::json;

use crate::{
    SCENE,
    step::{End, Step, step},
};

/// Looks, edits, takes back, saves.
pub(crate) fn session() -> Vec<Step> {
    let new_coin = json!({
        "parent_path": "Coins", "scene_path": "res://scenes/coin.tscn", "name": "HiddenCoin",
    });
    let mut preview = new_coin.clone();
    preview["dry_run"] = json!(true);
    vec![
        step(
            "Which project is open?",
            "inspection_get_project_info",
            json!({}),
            End::Shows(&["name", "godot_version", "main_scene"]),
        ),
        step(
            "Open its main scene.",
            "scene_edit_open_scene",
            json!({"scene_path": SCENE}),
            End::Shows(&["opened"]),
        ),
        step(
            "Look at the nodes, as the editor has them now.",
            "inspection_get_scene_tree",
            json!({"lightweight": true, "max_depth": 2}),
            End::Shows(&["text"]),
        ),
        step(
            "How fast is the player?",
            "inspection_get_node_property",
            json!({"node_path": "Player", "property": "speed"}),
            End::Shows(&["value", "type"]),
        ),
        step(
            "Preview an edit: an instance of the coin. Nothing is changed by asking.",
            "scene_edit_instance_scene",
            preview,
            End::Shows(&["dry_run", "instanced", "node_path", "persisted"]),
        ),
        step(
            "Do it. One call is one step in the editor's own undo history.",
            "scene_edit_instance_scene",
            new_coin,
            End::Shows(&["instanced", "node_path", "persisted", "undoable"]),
        ),
        step(
            "Put it somewhere. The value is read by the property's type, and read back.",
            "scene_edit_set_node_property",
            json!({
                "node_path": "Coins/HiddenCoin", "property": "position", "value": {"x": 48, "y": 336},
            }),
            End::Shows(&["value", "previous", "persisted"]),
        ),
        step(
            "What does not fit is refused: nothing ever becomes zero.",
            "scene_edit_set_node_property",
            json!({"node_path": "Player", "property": "position", "value": "over there"}),
            End::Asks("value"),
        ),
        step(
            "Honest about what a save would drop: this node belongs to another scene.",
            "scene_edit_set_node_property",
            json!({
                "node_path": "Enemies/Patrol/Sprite", "property": "modulate", "value": "red",
                "dry_run": true,
            }),
            End::Shows(&["persisted", "reason", "hint"]),
        ),
        step(
            "Delete a node. That needs a clear yes, and there is none.",
            "scene_edit_delete_node",
            json!({"node_path": "Enemies/Guard"}),
            End::Asks("confirm"),
        ),
        step(
            "The same, with confirm.",
            "scene_edit_delete_node",
            json!({"node_path": "Enemies/Guard", "confirm": true}),
            End::Shows(&["deleted", "node_count", "undoable"]),
        ),
        step(
            "A mistake, after all. Undo, exactly as Ctrl+Z in the editor.",
            "undo",
            json!({}),
            End::Shows(&["undone", "last_action"]),
        ),
        step(
            "A faster player.",
            "scene_edit_set_node_property",
            json!({"node_path": "Player", "property": "speed", "value": 220}),
            End::Shows(&["value", "previous"]),
        ),
        step("What was done?", "list_history", json!({}), End::Shows(&["recent"])),
        step("Save.", "scene_edit_save_scene", json!({}), End::Shows(&["saved", "path"])),
    ]
}
