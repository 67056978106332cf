//! Nothing is lost by a call that reads as if it were harmless, and a refusal leaves no trace.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const BOSS: &str = "res://scenes/boss.tscn";
const HUD: &str = "res://scenes/hud.tscn";

fn main() -> ExitCode {
    run(nodes().into_iter().chain(files()).chain(values()).collect())
}

/// A call that must be refused for one of its parameters.
fn invalid(t: &mut Test<'_>, tool: &str, arguments: Value, parameter: &str) {
    let fault = t.fault(tool, arguments, "VALIDATION_ERROR");
    assert_eq!(fault["required"], parameter, "{tool}: {fault}");
}

fn nodes() -> Vec<Case> {
    vec![
        case("what another scene defines is not deleted here", |t| {
            t.open(MAIN);
            let delete = |path: &str| json!({"node_path": path, "confirm": true});
            for path in ["Enemies/Guard/Sprite", "Enemies/Patrol/Sprite"] {
                invalid(t, "scene_edit_delete_node", delete(path), "node_path");
                assert!(t.exists(path));
            }
            t.open(BOSS);
            invalid(t, "scene_edit_delete_node", delete("Hitbox"), "node_path");
            t.edit("scene_edit_delete_node", delete("Crown"));
        }),
        case("nothing is moved to where a save would lose it", |t| {
            t.open(MAIN);
            let call = json!({"node_path": "Coins", "new_parent_path": "Enemies/Patrol/Sprite"});
            invalid(t, "scene_edit_move_node", call, "new_parent_path");
            assert!(t.exists("Coins/Coin1"));
        }),
        case("children that are not editable any more are told to be dropped", |t| {
            t.open(MAIN);
            let create = json!({"parent_path": "Enemies/Guard/Sprite", "node_type": "Node2D", "node_name": "Mine"});
            t.ok("scene_edit_create_node", create);
            let call = json!({"node_path": "Enemies/Guard", "editable": false, "dry_run": true});
            let preview = t.ok("scene_edit_set_editable_children", call);
            assert_eq!(preview["dropped_on_save"], json!(["Enemies/Guard/Sprite/Mine"]));
            assert!(preview["hint"].as_str().unwrap().contains("drops"), "{preview}");
        }),
        case("a name that is far too long is refused, and quickly", |t| {
            t.open(MAIN);
            let long = "A".repeat(100_000);
            let create = json!({"parent_path": ".", "node_type": "Node2D", "node_name": long});
            invalid(t, "scene_edit_create_node", create, "node_name");
            let class = json!({"parent_path": ".", "node_type": long, "node_name": "X"});
            invalid(t, "scene_edit_create_node", class, "node_type");
            invalid(t, "describe_class", json!({"class_name": long}), "class_name");
        }),
    ]
}

fn files() -> Vec<Case> {
    vec![
        case("a scene whose file is broken stays open as it is", |t| {
            let path = t.open(MAIN);
            let set = json!({"node_path": "Player", "property": "position", "value": [7, 7]});
            t.ok("scene_edit_set_node_property", set);
            let whole = t.project().read(&path);
            fs::write(t.project().file(&path), format!("<<<<<<< ours\n{whole}")).unwrap();
            for dry_run in [true, false] {
                let call = json!({"scene_path": path, "confirm": true, "dry_run": dry_run});
                invalid(t, "scene_edit_reload_scene", call, "scene_path");
            }
            assert_eq!(t.property("Player", "position"), json!({"x": 7.0, "y": 7.0}));
            fs::write(t.project().file(&path), whole).unwrap();
        }),
        case("what is no scene is not opened, and asks nobody", |t| {
            t.open(MAIN);
            let script = json!({"scene_path": "res://scripts/player.gd"});
            invalid(t, "scene_edit_open_scene", script, "scene_path");
            let broken = "res://scenes/broken_on_purpose.tscn";
            fs::write(t.project().file(broken), "[gd_scene format=3]\n[node name=").unwrap();
            invalid(t, "scene_edit_open_scene", json!({"scene_path": broken}), "scene_path");
            fs::remove_file(t.project().file(broken)).unwrap();
            let health = t.ok("health_check", json!({}));
            assert!(health.get("dialog").is_none(), "{health}");
        }),
        case("a scene is made only where a file can be", |t| {
            t.open(MAIN);
            let long = format!("res://{}.tscn", "n".repeat(300));
            for path in ["res://scripts/player.gd/x.tscn", "res://.godot/x.tscn", long.as_str()] {
                let call = json!({"root_type": "Node2D", "scene_path": path});
                invalid(t, "scene_edit_create_scene", call, "scene_path");
            }
        }),
    ]
}

fn values() -> Vec<Case> {
    vec![
        case("a value that the engine adjusts leaves no trace in the file", |t| {
            t.open(HUD);
            let before = t.saved();
            let set = json!({"node_path": "Frame/Title", "property": "size", "value": [1, 1]});
            invalid(t, "scene_edit_set_node_property", set, "value");
            assert!(before == t.saved(), "{:?}", before.diff(&t.saved()));
        }),
        case("undo of a size or a layout gives back the file as it was", |t| {
            t.open(HUD);
            for (property, value) in [("size", json!([400, 300])), ("position", json!([5, 6]))] {
                let set = json!({"node_path": "Frame/Title", "property": property, "value": value});
                t.edit("scene_edit_set_node_property", set);
            }
        }),
        case("an override of the theme is kept, also the first one", |t| {
            t.open(HUD);
            let property = "theme_override_font_sizes/font_size";
            let set =
                json!({"node_path": "Frame/End/Lines/Again", "property": property, "value": 31});
            let edit = t.edit("scene_edit_set_node_property", set);
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            assert_eq!(edit.saved.property("Frame/End/Lines/Again", property), "31");
        }),
    ]
}
