//! The toolset `inspection`: reading the project, scenes and nodes.

use std::process::ExitCode;

use e2e::cases::{Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";

fn main() -> ExitCode {
    run(vec![
        case("get_project_info describes the project", |t| {
            let info = t.ok("inspection_get_project_info", json!({}));
            assert_eq!(info["name"], "Coin Cellar");
            assert_eq!(info["main_scene"], MAIN);
            assert!(info["godot_version"].as_str().unwrap().starts_with("4."), "{info}");
            assert_eq!(info["autoloads"]["GameState"], "res://scripts/game_state.gd", "{info}");
            let actions = info["input_actions"].as_array().unwrap();
            assert!(actions.contains(&json!("move_left")), "{info}");
            assert!(!actions.contains(&json!("ui_accept")), "the engine's own: {info}");
            let folder = t.project().folder().to_str().unwrap().to_owned();
            assert_eq!(info["project_path"].as_str().unwrap().trim_end_matches('/'), folder);
        }),
        case("list_scenes marks the main, the open and the active scene", |t| {
            let scene = t.open("res://scenes/coin.tscn");
            let list = t.ok("inspection_list_scenes", json!({}));
            let find = |path: &str| {
                let scenes = list["scenes"].as_array().unwrap();
                scenes.iter().find(|it| it["path"] == path).cloned()
            };
            let main = find(MAIN).expect("the main scene is listed");
            assert_eq!((&main["is_main"], &main["is_active"]), (&json!(true), &json!(false)));
            let trophy = find("res://scenes/trophy.tscn").unwrap();
            assert_eq!((&trophy["is_main"], &trophy["is_open"]), (&json!(false), &json!(false)));
            // A file that a test wrote a moment ago may not have been scanned yet; if it was, it
            // is the active one.
            if let Some(mine) = find(&scene) {
                assert_eq!((&mine["is_open"], &mine["is_active"]), (&json!(true), &json!(true)));
            }
            assert_eq!(list["main_scene"], MAIN);
            assert!(list["returned"].as_u64() <= list["total"].as_u64());
        }),
        case("get_active_scene follows edits and saves", |t| {
            let scene = t.open(MAIN);
            let active = t.ok("inspection_get_active_scene", json!({}));
            assert_eq!(active["is_open"], true);
            assert_eq!(active["path"], scene.as_str());
            assert_eq!(active["name"], "Main");
            assert_eq!(active["dirty"], false, "{active}");
            let set = json!({"node_path": "Player", "property": "speed", "value": 1});
            t.ok("scene_edit_set_node_property", set);
            assert_eq!(t.ok("inspection_get_active_scene", json!({}))["dirty"], true);
            t.saved();
            assert_eq!(t.ok("inspection_get_active_scene", json!({}))["dirty"], false);
        }),
        case("get_active_scene knows at once where undo and redo lead", |t| {
            t.open(MAIN);
            let dirty =
                |t: &mut Test<'_>| t.ok("inspection_get_active_scene", json!({}))["dirty"].clone();
            let set =
                |x: i32| json!({"node_path": "Player", "property": "position", "value": [x, 1]});
            t.ok("scene_edit_set_node_property", set(1));
            assert_eq!(dirty(t), true);
            t.undo(1);
            assert_eq!(dirty(t), false, "all is undone");
            t.redo(1);
            t.saved();
            assert_eq!(dirty(t), false, "it was saved");
            t.undo(1);
            assert_eq!(dirty(t), true, "undone past what was saved");
            t.ok("scene_edit_set_node_property", set(2));
            t.undo(1);
            assert_eq!(dirty(t), true, "what was saved cannot be reached any more");
        }),
        case("get_scene_tree shows classes, scripts, instances and owners", |t| {
            let scene = t.open(MAIN);
            let answer = t.ok("inspection_get_scene_tree", json!({}));
            assert_eq!(answer["scene"], scene.as_str());
            assert_eq!(answer["truncated"], false);
            let tree = &answer["tree"];
            assert_eq!((&tree["name"], &tree["type"]), (&json!("Main"), &json!("Node2D")));
            let player = child(tree, "Player");
            assert_eq!(player["script"], "res://scripts/player.gd");
            assert_eq!(player["path"], "Player");
            assert!(player.get("owner").is_none(), "{player}");
            let guard = child(child(tree, "Enemies"), "Guard");
            assert_eq!(guard["instance"], "res://scenes/enemy.tscn");
            assert_eq!(guard["editable_children"], true);
            assert_eq!(child(guard, "Sprite")["owner"], "Enemies/Guard");
            let patrol = child(child(tree, "Enemies"), "Patrol");
            assert!(patrol.get("editable_children").is_none(), "{patrol}");
        }),
        case("get_scene_tree stops at a depth, and can be plain text", |t| {
            t.open(MAIN);
            let root = t.ok("inspection_get_scene_tree", json!({"max_depth": 0}));
            assert_eq!(root["total"], 1, "{root}");
            assert_eq!(root["tree"]["children"], json!([]));
            let one = t.ok("inspection_get_scene_tree", json!({"max_depth": 1}));
            assert_eq!(child(&one["tree"], "Player")["children"], json!([]));
            let text = t.ok("inspection_get_scene_tree", json!({"lightweight": true}));
            assert!(text.get("tree").is_none_or(Value::is_null), "{text}");
            let lines = text["text"].as_str().unwrap();
            assert_eq!(lines.trim().lines().count() as u64, text["returned"].as_u64().unwrap());
            assert!(lines.contains("PlayerSprite"), "{lines}");
        }),
        case("get_scene_tree sees unsaved edits", |t| {
            t.open(MAIN);
            let new = json!({"parent_path": "Coins", "node_type": "Node2D", "node_name": "Fresh"});
            t.ok("scene_edit_create_node", new);
            let tree = t.ok("inspection_get_scene_tree", json!({}));
            assert_eq!(child(child(&tree["tree"], "Coins"), "Fresh")["path"], "Coins/Fresh");
        }),
        case("a long tree comes in pages that make up the whole", |t| {
            t.open(MAIN);
            let path = t.path("long.tscn");
            let mut text =
                "[gd_scene format=3]\n\n[node name=\"Long\" type=\"Node2D\"]\n".to_owned();
            for group in 0..30 {
                text += &format!("\n[node name=\"G{group}\" type=\"Node2D\" parent=\".\"]\n");
                for node in 0..30 {
                    text +=
                        &format!("\n[node name=\"N{node}\" type=\"Node2D\" parent=\"G{group}\"]\n");
                }
            }
            std::fs::write(t.project().file(&path), text).unwrap();
            t.ok("scene_edit_open_scene", json!({"scene_path": path}));
            t.close_at_end(&path);
            let mut cursor = Value::Null;
            let (mut seen, mut pages) = (Vec::new(), 0);
            loop {
                let mut arguments = json!({});
                if !cursor.is_null() {
                    arguments["cursor"] = cursor;
                }
                let mut page = t.ok("inspection_get_scene_tree", arguments);
                assert!(page.to_string().len() < 25_000, "{}", page.to_string().len());
                assert_eq!(page["total"], 931);
                collect(&page["tree"], &mut seen);
                pages += 1;
                cursor = page["next_cursor"].take();
                assert_eq!(page["truncated"], !cursor.is_null());
                if cursor.is_null() {
                    break;
                }
            }
            assert!(pages > 1, "931 nodes on one page");
            assert_eq!(seen.len(), 931);
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), 931, "some node came twice");
        }),
        case("select_nodes selects, and get_selected_node tells", |t| {
            let scene = t.open(MAIN);
            let paths = json!({"node_paths": ["Player", "Coins/Coin1"]});
            let answer = t.ok("scene_edit_select_nodes", paths);
            assert_eq!(answer["count"], 2, "{answer}");
            assert_eq!(answer["scene_path"], scene.as_str());
            let selected = t.ok("inspection_get_selected_node", json!({}));
            assert_eq!(selected["selected"]["node_path"], "Player", "{selected}");
            assert_eq!(selected["all"], json!(["Player", "Coins/Coin1"]), "{selected}");
            t.ok("scene_edit_select_nodes", json!({"node_paths": []}));
            let selected = t.ok("inspection_get_selected_node", json!({}));
            assert_eq!(selected["all"], json!([]), "{selected}");
            let missing = json!({"node_paths": ["Player", "Nobody"]});
            t.fault("scene_edit_select_nodes", missing, "RESOURCE_NOT_FOUND");
        }),
        case("get_node_properties reads what a script exports", |t| {
            t.open(MAIN);
            let node = t.ok("inspection_get_node_properties", json!({"node_path": "Player"}));
            assert_eq!(node["type"], "CharacterBody2D", "{node}");
            assert_eq!(node["script"], "res://scripts/player.gd");
            assert_eq!(node["properties"]["speed"], 180.0);
            assert_eq!(node["properties"]["max_health"], 3);
            assert_eq!(node["properties"]["position"], json!({"x": 320.0, "y": 208.0}));
            assert_eq!(node["children"], json!(["PlayerSprite", "Shape"]));
            let missing = json!({"node_path": "Nobody"});
            t.fault("inspection_get_node_properties", missing, "RESOURCE_NOT_FOUND");
        }),
        case("get_node_property gives values their shape", |t| {
            t.open(MAIN);
            assert_eq!(t.property("Player", "position"), json!({"x": 320.0, "y": 208.0}));
            assert_eq!(t.property("Player", "position:x"), 320.0);
            let color = t.property("Player", "hurt_color");
            assert!(close(&color["r"], 1.0) && close(&color["g"], 0.4), "{color}");
            let transform = t.property("Player", "transform");
            assert!(transform.is_object(), "{transform}");
            let texture = t.property("Player/PlayerSprite", "texture").to_string();
            assert!(texture.contains("res://art/player.svg"), "{texture}");
            assert_eq!(t.property("HUD/Frame/Title", "horizontal_alignment"), 1);
            let path = "theme_override_font_sizes/font_size";
            assert_eq!(t.property("HUD/Frame/Title", path), 26);
        }),
        case("get_node_property says when there is no such property", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Player", "property": "spede"});
            let answer = t.ok("inspection_get_node_property", arguments);
            assert_eq!(answer["exists"], false, "{answer}");
            assert_eq!(answer["value"], Value::Null);
            let suggestions = answer["suggestions"].as_array().unwrap();
            assert!(suggestions.contains(&json!("speed")), "{answer}");
        }),
        case("get_node_property_list names engine and script properties", |t| {
            t.open(MAIN);
            let list = t.ok("inspection_get_node_property_list", json!({"node_path": "Player"}));
            let names = list["properties"].as_array().unwrap();
            for name in ["position", "speed", "grace_seconds"] {
                assert!(names.contains(&json!(name)), "{name} is missing: {list}");
            }
        }),
        case("get_node_groups lists what the scene says", |t| {
            t.open(MAIN);
            let player = t.ok("inspection_get_node_groups", json!({"node_path": "Player"}));
            assert_eq!(player["groups"], json!(["player"]));
            let guard = t.ok("inspection_get_node_groups", json!({"node_path": "Enemies/Guard"}));
            assert_eq!(guard["groups"], json!(["enemies"]), "from the instanced scene");
        }),
        case("snapshots show what changed between them", |t| {
            t.open(MAIN);
            let before = t.ok("inspection_snapshot_subtree", json!({}));
            let id = before["snapshot_id"].as_str().unwrap().to_owned();
            let set = json!({"node_path": "Player", "property": "position", "value": [1, 2]});
            t.ok("scene_edit_set_node_property", set);
            let new = json!({"parent_path": "Coins", "node_type": "Node2D", "node_name": "Z"});
            t.ok("scene_edit_create_node", new);
            let delete = json!({"node_path": "Coins/Coin1", "confirm": true});
            t.ok("scene_edit_delete_node", delete);
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            assert_eq!(diff["added"], json!(["Coins/Z"]), "{diff}");
            let removed = diff["removed"].as_array().unwrap();
            assert!(removed.contains(&json!("Coins/Coin1")), "{diff}");
            let moved = diff["changed"]
                .as_array()
                .unwrap()
                .iter()
                .find(|it| it["node"] == "Player" && it["property"] == "position");
            let moved = moved.unwrap_or_else(|| panic!("no move of the player: {diff}"));
            assert_eq!(moved["after"], json!({"x": 1.0, "y": 2.0}));
            // Siblings of what came and went stand where they stood.
            assert_eq!(diff["changed"].as_array().unwrap().len(), 1, "{diff}");
            let move_up =
                json!({"node_path": "Coins/Coin3", "new_parent_path": "Coins", "index": 0});
            t.ok("scene_edit_move_node", move_up);
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            let indices = diff["changed"].as_array().unwrap().iter();
            let indices: Vec<_> = indices.filter(|it| it["property"] == "index").collect();
            assert_eq!(indices.len(), 1, "{diff}");
            assert_eq!(indices[0]["node"], "Coins/Coin3", "{diff}");
            t.undo(4);
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            assert_eq!(diff["total"], 0, "after undo: {diff}");
            let unknown = json!({"before_id": "nope"});
            t.fault("inspection_diff_snapshots", unknown, "RESOURCE_NOT_FOUND");
        }),
        case("no path leads above the edited scene", |t| {
            t.open(MAIN);
            for path in ["..", "../..", "/root", "Player/../../.."] {
                let answer = t.call("inspection_get_node_properties", json!({"node_path": path}));
                assert_eq!(answer.code(), "VALIDATION_ERROR", "{path}: {}", answer.value);
            }
        }),
    ])
}

/// The child of that name.
fn child<'a>(node: &'a Value, name: &str) -> &'a Value {
    let children = node["children"].as_array().unwrap_or_else(|| panic!("no node: {node}"));
    children.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name} in {node}"))
}

/// The paths of the nodes that are new on a page.
fn collect(node: &Value, into: &mut Vec<String>) {
    if node["continued"] != json!(true) {
        into.push(node["path"].as_str().unwrap().to_owned());
    }
    for child in node["children"].as_array().unwrap() {
        collect(child, into);
    }
}

fn close(value: &Value, to: f64) -> bool {
    (value.as_f64().unwrap_or(f64::NAN) - to).abs() < 1e-4
}
