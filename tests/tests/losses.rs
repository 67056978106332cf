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
            let mine = "Enemies/Guard/Sprite/Mine";
            let tint = "Enemies/Guard/Sprite:modulate";
            assert_eq!(preview["dropped_on_save"], json!([mine, tint]), "{preview}");
            assert!(preview["hint"].as_str().unwrap().contains("drops"), "{preview}");
        }),
        case("all that is dropped with editable children is listed, and nothing else", |t| {
            t.open(MAIN);
            let hitbox = "Enemies/Guard/Hitbox";
            let sprite = "Enemies/Guard/Sprite";
            let group = json!({"node_path": hitbox, "group": "tough"});
            t.ok("scene_edit_add_to_group", group);
            for (node, property) in [(hitbox, "position"), ("Enemies/Guard", "scale")] {
                let set = json!({"node_path": node, "property": property, "value": [3, 4]});
                t.ok("scene_edit_set_node_property", set);
            }
            let connection = json!({
                "source_path": sprite, "signal_name": "visibility_changed",
                "target_path": ".", "method_name": "_on_player_died",
            });
            t.ok("scene_edit_connect_signal", connection);
            let edit = t.edit(
                "scene_edit_set_editable_children",
                json!({"node_path": "Enemies/Guard", "editable": false}),
            );
            let mut told: Vec<String> =
                serde_json::from_value(edit.answer["dropped_on_save"].clone()).unwrap();
            assert_eq!(edit.answer["dropped_total"], told.len(), "{}", edit.answer);
            told.sort();
            let expected = [
                format!("{hitbox} in tough"),
                format!("{hitbox}:position"),
                format!("{sprite}:modulate"),
                format!("{sprite}:visibility_changed -> .:_on_player_died"),
            ];
            assert_eq!(told, expected);
            // What is left of the instance in the file is its own.
            let lost =
                edit.before.paths().into_iter().filter(|path| edit.saved.find(path).is_none());
            assert_eq!(lost.collect::<Vec<_>>(), [sprite, hitbox]);
            assert_eq!(edit.saved.property("Enemies/Guard", "scale"), "Vector2(3, 4)");
        }),
        case("what a script put into a group is saved once it is put there by a call", |t| {
            let script = t.path("joins.gd");
            let text = "@tool\nextends Node2D\n\nfunc _enter_tree() -> void:\n\tadd_to_group(\"by_script\")\n";
            fs::write(t.project().file(&script), text).unwrap();
            let scene = t.path("joins.tscn");
            let text = format!(
                "[gd_scene load_steps=2 format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" \
                 id=\"1\"]\n\n[node name=\"Joins\" type=\"Node2D\"]\nscript = ExtResource(\"1\")\n"
            );
            fs::write(t.project().file(&scene), text).unwrap();
            t.ok("scene_edit_rescan_filesystem", json!({}));
            t.open(&scene);
            let groups = t.ok("inspection_get_node_groups", json!({"node_path": "."}));
            assert_eq!(groups["groups"], json!(["by_script"]), "the script did not run");
            let add = json!({"node_path": ".", "group": "by_script"});
            let edit = t.edit("scene_edit_remove_from_group", add.clone());
            assert_eq!(edit.answer["persisted"], false, "{}", edit.answer);
            assert_eq!(edit.answer["reason"], "group_from_script", "{}", edit.answer);
            t.undo(1);
            let edit = t.edit("scene_edit_add_to_group", add.clone());
            let told = (&edit.answer["changed"], &edit.answer["persisted"]);
            assert_eq!(told, (&json!(true), &json!(true)), "{}", edit.answer);
            assert_eq!(edit.before.node(".").groups, [""; 0]);
            assert_eq!(edit.saved.node(".").groups, ["by_script"]);
            let again = t.ok("scene_edit_add_to_group", add);
            assert_eq!(again["changed"], false, "{again}");
        }),
        case("the selection comes back with the nodes", |t| {
            fn selected(t: &mut Test<'_>) -> Vec<String> {
                let told = t.ok("inspection_get_selected_node", json!({}));
                let mut all: Vec<String> = serde_json::from_value(told["all"].clone()).unwrap();
                all.sort();
                all
            }
            t.open(MAIN);
            let (coin, sprite) = ("Coins/Coin1", "Player/PlayerSprite");
            t.ok("scene_edit_select_nodes", json!({"node_paths": [coin, "Player", sprite]}));
            let delete = json!({"node_path": coin, "confirm": true});
            t.ok("scene_edit_delete_node", delete);
            assert_eq!(selected(t), ["Player", sprite]);
            t.undo(1);
            assert_eq!(selected(t), [coin, "Player", sprite]);
            // Nor does the scene dock, which follows a frame later, take it back.
            t.editor().hands(&json!({"do": "orphans"}));
            assert_eq!(selected(t), [coin, "Player", sprite]);
            for (tool, call, moved) in [
                (
                    "scene_edit_rename_node",
                    json!({"node_path": "Player", "new_name": "Hero"}),
                    "Hero",
                ),
                (
                    "scene_edit_move_node",
                    json!({"node_path": "Player", "new_parent_path": "Coins"}),
                    "Coins/Player",
                ),
                ("scene_edit_duplicate_node", json!({"node_path": "Player"}), "Player"),
                (
                    "scene_edit_create_node",
                    json!({"parent_path": "Player", "node_type": "Node2D", "node_name": "A"}),
                    "Player",
                ),
            ] {
                let is_selected = |t: &mut Test<'_>, player: &str, when: &str| {
                    t.editor().hands(&json!({"do": "orphans"}));
                    let mut expected =
                        [coin.to_owned(), player.to_owned(), format!("{player}/PlayerSprite")];
                    expected.sort();
                    assert_eq!(selected(t), expected, "{tool}, {when}");
                };
                t.ok(tool, call);
                is_selected(t, moved, "done");
                t.undo(1);
                is_selected(t, "Player", "undone");
                t.redo(1);
                is_selected(t, moved, "redone");
                t.undo(1);
            }
        }),
        case("a selection of many nodes is told as far as it fits", |t| {
            let scene = t.path("many.tscn");
            let names: Vec<String> =
                (0..600).map(|n| format!("A{}{n}", "long".repeat(10))).collect();
            let nodes = names
                .iter()
                .map(|name| format!("[node name=\"{name}\" type=\"Node2D\" parent=\".\"]\n\n"));
            let head = "[gd_scene format=3]\n\n[node name=\"Many\" type=\"Node2D\"]\n\n";
            let text = head.to_owned() + &nodes.collect::<String>();
            fs::write(t.project().file(&scene), text).unwrap();
            t.ok("scene_edit_rescan_filesystem", json!({}));
            t.open(&scene);
            t.editor().hands(&json!({"do": "select_all"}));
            let selected = t.ok("inspection_get_selected_node", json!({}));
            assert_eq!(selected["total"], 600, "{selected}");
            assert_eq!(selected["truncated"], true, "{selected}");
            let all = selected["all"].as_array().unwrap();
            assert!(all.len() > 50 && all.len() < 600, "{}", all.len());
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
        case(
            "a scene whose file is written, deleted or put back stays an instance in others",
            |t| {
                let enemy = t.path("enemy.tscn");
                fs::copy(t.project().file("res://scenes/enemy.tscn"), t.project().file(&enemy))
                    .unwrap();
                let text = t.project().read(MAIN).replace("res://scenes/enemy.tscn", &enemy);
                let level = t.path("level.tscn");
                fs::write(t.project().file(&level), text).unwrap();
                t.ok("scene_edit_rescan_filesystem", json!({}));
                t.ok("scene_edit_open_scene", json!({"scene_path": level}));
                t.close_at_end(&level);
                let before = t.saved();
                let instance = before.node("Enemies/Patrol").clone();
                assert_eq!((&*instance.class, &*instance.instance), ("", &*enemy));

                let write = json!({
                    "scenes": [enemy], "node_type": "Sprite2D", "property": "modulate", "value": "red",
                });
                let delete = json!({"path": enemy});
                let bad = json!({"command": "set_node_property", "params": {
                    "node_path": "Nope", "property": "position", "value": [1, 2],
                }});
                let check = |t: &mut Test<'_>, what: &str| {
                    let create =
                        json!({"parent_path": ".", "node_type": "Node", "node_name": "Mark"});
                    t.ok("scene_edit_create_node", create);
                    let saved = t.saved();
                    t.undo(1);
                    assert_eq!(t.saved(), before, "{what}");
                    assert_eq!(*saved.node("Enemies/Patrol"), instance, "{what}");
                };
                for (command, params) in
                    [("cross_scene_set_property", &write), ("delete_resource_file", &delete)]
                {
                    let commands = json!([{"command": command, "params": params}, bad]);
                    let batch = t.call(
                        "composite_run_commands",
                        json!({"commands": commands, "confirm": true}),
                    );
                    assert!(!batch.ok, "{}", batch.value);
                    check(t, command);
                }
                let with_leave = |mut call: Value| {
                    call["confirm"] = json!(true);
                    call
                };
                t.ok("project_delete_resource_file", with_leave(delete));
                t.undo(1);
                check(t, "delete and undo");
                t.ok("batch_cross_scene_set_property", with_leave(write));
                assert!(t.project().read(&enemy).contains("modulate = Color(1, 0, 0, 1)"));
                check(t, "write");
                t.undo(1);
                check(t, "write and undo");
            },
        ),
        case("a file that names missing files is not written without them", |t| {
            let scene = t.path("broken.tscn");
            let text = "[gd_scene format=3]\n\n[ext_resource type=\"Texture2D\" \
                        path=\"res://gone.png\" id=\"1\"]\n\n[node name=\"R\" \
                        type=\"Sprite2D\"]\ntexture = ExtResource(\"1\")\n";
            fs::write(t.project().file(&scene), text).unwrap();
            let call = json!({
                "scenes": [scene], "node_type": "Sprite2D", "property": "modulate",
                "value": "red", "confirm": true,
            });
            let tool = "batch_cross_scene_set_property";
            let fault = t.edit_file_fault(tool, call, "PRECONDITION_FAILED", &scene);
            assert_eq!(fault["missing"], json!(["res://gone.png"]), "{fault}");
            assert_eq!(fault["required"], "scenes", "{fault}");
            let theme = t.path("theme.tres");
            let text = "[gd_resource type=\"Theme\" format=3]\n\n[ext_resource type=\"FontFile\" \
                        path=\"res://gone.ttf\" id=\"1\"]\n\n[resource]\ndefault_font = \
                        ExtResource(\"1\")\n";
            fs::write(t.project().file(&theme), text).unwrap();
            let call =
                json!({"resource_path": theme, "property": "default_font_size", "value": 11});
            let tool = "resources_edit_set_resource_property";
            let fault = t.edit_file_fault(tool, call, "PRECONDITION_FAILED", &theme);
            assert_eq!(fault["missing"], json!(["res://gone.ttf"]), "{fault}");
        }),
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
            for path in [
                "res://scripts/player.gd/x.tscn",
                "res://.godot/x.tscn",
                "res://addons/godot_mcp/x.tscn",
                "res://Addons/Godot_MCP/bin/x.tscn",
                long.as_str(),
            ] {
                let call = json!({"root_type": "Node2D", "scene_path": path});
                invalid(t, "scene_edit_create_scene", call, "scene_path");
                let call = json!({"node_path": "Player", "scene_path": path});
                invalid(t, "scene_edit_extract_scene", call, "scene_path");
            }
        }),
        case("a scene that is replaced says which instances here show it", |t| {
            t.open(MAIN);
            let coin = "res://scenes/coin.tscn";
            let before = t.project().read(coin);
            let extract = json!({"node_path": "Player", "scene_path": coin});
            let create = json!({"root_type": "Node2D", "scene_path": coin});
            for (tool, call) in
                [("scene_edit_extract_scene", extract), ("scene_edit_create_scene", create)]
            {
                let fault = t.refused(tool, call, "confirm");
                let told = fault["discards"].as_str().unwrap();
                assert!(told.contains("'Coins/Coin1' and 5 more"), "{fault}");
            }
            // An instance of itself in itself has no end.
            for path in [coin, "res://scenes/enemy.tscn"] {
                let node = if path == coin { "Coins" } else { "Enemies" };
                let call = json!({"node_path": node, "scene_path": path, "confirm": true});
                invalid(t, "scene_edit_extract_scene", call, "scene_path");
            }
            assert_eq!(t.project().read(coin), before);
        }),
        case("extracting a node that is connected to the rest prints nothing", |t| {
            t.open(MAIN);
            for (replace, file) in [(false, "a.tscn"), (true, "b.tscn")] {
                let call = json!({
                    "node_path": "Player", "scene_path": t.path(file),
                    "replace_with_instance": replace,
                });
                let answer = t.ok("scene_edit_extract_scene", call);
                assert!(answer.get("engine_errors").is_none(), "{answer}");
                let saved = t.ok("scene_edit_save_scene", json!({}));
                assert!(saved.get("engine_errors").is_none(), "{saved}");
            }
            let file = t.project().scene(&t.path("a.tscn"));
            assert!(
                !t.project().read(&t.path("a.tscn")).contains("[connection"),
                "{:?}",
                file.paths()
            );
        }),
        case("a scene whose save was undone says what a close loses", |t| {
            let path = t.open(MAIN);
            let set = json!({"node_path": "Player", "property": "position", "value": [7, 7]});
            t.ok("scene_edit_set_node_property", set);
            t.saved();
            t.undo(1);
            for active in [true, false] {
                if !active {
                    t.open(HUD);
                }
                let call = json!({"scene_path": path, "dry_run": true});
                let preview = t.ok("scene_edit_close_scene", call);
                assert_eq!(preview["had_unsaved_changes"], true, "{preview}");
                assert_eq!(preview["lost_steps"], json!(["MCP: Set Player:position"]), "{preview}");
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
        case("a value that the engine would adjust is refused in the preview, too", |t| {
            t.open(MAIN);
            let rename = json!({"node_path": "Player/Shape", "new_name": "PlayerSprite"});
            let node = t.ok("scene_edit_rename_node", rename)["node_path"].clone();
            assert_eq!(node, "Player/PlayerSprite2");
            for (node, property, value) in [
                ("Clock", "wait_time", json!(0)),
                ("Clock", "wait_time", json!(-1)),
                ("Player", "z_index", json!(99_999)),
                ("HUD/Frame/Title", "size", json!([1, 1])),
                ("HUD/Frame/Title", "size:x", json!(1)),
                ("Intro", "current_animation", json!("appear")),
            ] {
                let set = json!({"node_path": node, "property": property, "value": value});
                t.edit_fault("scene_edit_set_node_property", set, "VALIDATION_ERROR");
            }
            // Beyond what the inspector offers, but not beyond what the engine takes.
            let set = json!({"node_path": "Clock", "property": "wait_time", "value": 5000});
            t.edit("scene_edit_set_node_property", set);
        }),
        case("a unique name that is taken is refused in the preview, too", |t| {
            t.open(MAIN);
            let create =
                json!({"parent_path": ".", "node_type": "Node2D", "node_name": "PlayerSprite"});
            t.ok("scene_edit_create_node", create);
            let set = json!({"node_path": "PlayerSprite", "property": "unique_name_in_owner", "value": true});
            let fault = t.edit_fault("scene_edit_set_node_property", set, "VALIDATION_ERROR");
            assert!(fault["hint"].as_str().unwrap().contains("Player/PlayerSprite"), "{fault}");
            // Within an instance the name is free, whoever has it around the instance.
            let rename = json!({"node_path": "PlayerSprite", "new_name": "Sprite"});
            t.ok("scene_edit_rename_node", rename);
            for node in ["Sprite", "Enemies/Guard/Sprite"] {
                let set =
                    json!({"node_path": node, "property": "unique_name_in_owner", "value": true});
                t.ok("scene_edit_set_node_property", set);
            }
            // The one that has it may be told so again.
            let set = json!({
                "node_path": "Player/PlayerSprite", "property": "unique_name_in_owner", "value": true,
            });
            t.edit("scene_edit_set_node_property", set);
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
