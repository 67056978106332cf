//! The toolset `scene_edit`: opening, changing and saving scenes.
//!
//! `t.edit` checks of each edit that its preview changes nothing, that it is one step, that undo
//! gives back the file as it was, and redo the edit.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const BOSS: &str = "res://scenes/boss.tscn";

fn main() -> ExitCode {
    let cases = [scenes(), create(), set(), rename(), moves(), duplicate(), delete(), instance()];
    run(cases.into_iter().flatten().collect())
}

fn scenes() -> Vec<Case> {
    vec![
        case("a scene that was not open has no steps to lose", |t| {
            t.open(MAIN);
            for name in ["one.gd", "two.gd"] {
                let write = json!({"script_path": t.path(name), "content": "extends Node\n"});
                t.ok("scripts_write", write);
            }
            t.close_at_end("res://scenes/coin.tscn");
            let open = json!({"scene_path": "res://scenes/coin.tscn"});
            let answer = t.ok("scene_edit_open_scene", open);
            assert_eq!(answer["already_open"], false, "{answer}");
            assert!(answer["lost_steps"].as_array().is_none_or(Vec::is_empty), "{answer}");
        }),
        case("a class whose script others have removed or changed is no class any more", |t| {
            t.open(MAIN);
            let path = t.path("lost_class.gd");
            let write = |t: &mut Test<'_>, text: &str| {
                t.ok("scripts_write", json!({"script_path": path, "content": text}));
            };
            let node = json!({"parent_path": ".", "node_type": "LostClass", "node_name": "Lost"});
            let find = json!({"node_type": "LostClass"});
            for text in [None, Some("class_name OtherClass\nextends Node2D\n")] {
                write(t, "class_name LostClass\nextends Node2D\n");
                t.ok("batch_find_nodes_by_type", find.clone());
                let file = t.project().file(&path);
                match text {
                    Some(text) => fs::write(file, text).unwrap(),
                    None => fs::remove_file(file).unwrap(),
                }
                for tool in ["scene_edit_create_node", "composite_compose_node"] {
                    let fault = t.edit_fault(tool, node.clone(), "VALIDATION_ERROR");
                    let hint = fault["hint"].as_str().unwrap();
                    assert!(hint.contains("no class 'LostClass'"), "{fault}");
                }
                t.fault("batch_find_nodes_by_type", find.clone(), "VALIDATION_ERROR");
            }
            write(t, "class_name LostClass\nextends Resource\n");
            let resource =
                json!({"resource_path": t.path("lost.tres"), "type": "LostClass", "confirm": true});
            fs::write(t.project().file(&path), "class_name LostClass\nextends Node\n").unwrap();
            t.fault("resources_edit_create_resource", resource.clone(), "VALIDATION_ERROR");
            t.edit("scene_edit_create_node", node);
            fs::remove_file(t.project().file(&path)).unwrap();
            t.fault("resources_edit_create_resource", resource, "VALIDATION_ERROR");
        }),
        case("open_scene activates, and says if it was open", |t| {
            let first = t.open(MAIN);
            let second = t.open(MAIN);
            let answer = t.ok("scene_edit_open_scene", json!({"scene_path": first}));
            assert_eq!((&answer["opened"], &answer["already_open"]), (&json!(true), &json!(true)));
            let tabs = t.ok("scene_edit_list_open_scenes", json!({}));
            let active: Vec<_> = tabs["scenes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| (it["path"].as_str().unwrap().to_owned(), it["active"] == json!(true)))
                .collect();
            assert!(active.contains(&(first, true)), "{tabs}");
            assert!(active.contains(&(second, false)), "{tabs}");
        }),
        case("open_scene refuses what is no scene of the project", |t| {
            let open = "scene_edit_open_scene";
            let missing = json!({"scene_path": "res://scenes/none.tscn"});
            t.fault(open, missing, "RESOURCE_NOT_FOUND");
            let outside = json!({"scene_path": "res://../outside.tscn"});
            t.fault(open, outside, "VALIDATION_ERROR");
            t.fault(open, json!({"scene_path": "/etc/passwd"}), "VALIDATION_ERROR");
            let script = t.call(open, json!({"scene_path": "res://scripts/player.gd"}));
            assert!(!script.ok, "{}", script.value);
        }),
        case("open_scene as a preview opens nothing", |t| {
            let active = t.open(MAIN);
            let other = json!({"scene_path": BOSS, "dry_run": true});
            let preview = t.ok("scene_edit_open_scene", other);
            assert_eq!(preview["opened"], false, "{preview}");
            let now = t.ok("inspection_get_active_scene", json!({}));
            assert_eq!(now["path"], active.as_str());
        }),
        case("several scenes opened in a row are all open", |t| {
            let opened: Vec<_> = (0..4).map(|_| t.open(BOSS)).collect();
            let tabs = t.ok("scene_edit_list_open_scenes", json!({})).to_string();
            for path in &opened {
                assert!(tabs.contains(path.as_str()), "{path} is not in {tabs}");
            }
        }),
        case("create_scene makes folders, the file and the tab", |t| {
            let path = t.path("deep/down/made.tscn");
            fs::remove_dir_all(t.project().file(&path).parent().unwrap()).unwrap();
            let arguments = json!({"root_type": "Control", "scene_path": path});
            let answer = t.ok("scene_edit_create_scene", arguments);
            t.close_at_end(&path);
            assert_eq!(answer["created"], true, "{answer}");
            assert_eq!(answer["file_kept_on_undo"], true, "{answer}");
            assert_eq!(t.project().scene(&path).node(".").class, "Control");
            let active = t.ok("inspection_get_active_scene", json!({}));
            assert_eq!(active["path"], path.as_str());
        }),
        case("create_scene takes a class of the project, and refuses others", |t| {
            let path = t.path("player.tscn");
            let answer =
                t.ok("scene_edit_create_scene", json!({"root_type": "Player", "scene_path": path}));
            t.close_at_end(&path);
            assert_eq!(answer["created"], true, "{answer}");
            let root = t.project().scene(&path).node(".").clone();
            assert_eq!(root.class, "CharacterBody2D");
            assert_eq!(root.properties["script"], "ExtResource(\"res://scripts/player.gd\")");
            let resource = json!({"root_type": "Texture2D", "scene_path": t.path("no.tscn")});
            t.fault("scene_edit_create_scene", resource, "VALIDATION_ERROR");
        }),
        case("create_scene replaces a file only with confirm", |t| {
            let path = t.path("taken.tscn");
            fs::copy(t.project().file(BOSS), t.project().file(&path)).unwrap();
            let text = t.project().read(&path);
            let arguments = json!({"root_type": "Node3D", "scene_path": path});
            t.refused("scene_edit_create_scene", arguments.clone(), "confirm");
            assert_eq!(t.project().read(&path), text);
            let mut arguments = arguments;
            arguments["confirm"] = json!(true);
            let answer = t.ok("scene_edit_create_scene", arguments);
            t.close_at_end(&path);
            assert_eq!(answer["overwrote"], true, "{answer}");
            assert_eq!(t.project().scene(&path).node(".").class, "Node3D");
        }),
        case("save_scene writes, and a preview does not", |t| {
            let scene = t.open(MAIN);
            let text = t.project().read(&scene);
            let set = json!({"node_path": "Player", "property": "speed", "value": 33});
            t.ok("scene_edit_set_node_property", set);
            let preview = t.ok("scene_edit_save_scene", json!({"dry_run": true}));
            assert_eq!(preview["saved"], false, "{preview}");
            assert_eq!(t.project().read(&scene), text);
            let answer = t.ok("scene_edit_save_scene", json!({}));
            assert_eq!(answer["path"], scene.as_str());
            assert_eq!(t.project().scene(&scene).property("Player", "speed"), "33.0");
        }),
        case("saving an untouched scene changes nothing in it", |t| {
            for scene in [MAIN, BOSS, "res://scenes/hud.tscn", "res://scenes/trophy.tscn"] {
                let mine = t.open(scene);
                let before = t.project().scene(&mine);
                let after = t.saved();
                // The engine may write a property with its default; nothing may be lost.
                assert_eq!(before.paths(), after.paths(), "{scene}");
                assert_eq!(before.connections, after.connections, "{scene}");
                assert_eq!(before.editable, after.editable, "{scene}");
            }
        }),
        case("close_scene with unsaved changes needs confirm and says what is lost", |t| {
            let scene = t.open(MAIN);
            let text = t.project().read(&scene);
            let set = json!({"node_path": "Player", "property": "speed", "value": 33});
            t.ok("scene_edit_set_node_property", set);
            t.refused("scene_edit_close_scene", json!({"scene_path": scene}), "confirm");
            let preview =
                t.ok("scene_edit_close_scene", json!({"scene_path": scene, "dry_run": true}));
            assert_eq!(preview["had_unsaved_changes"], true, "{preview}");
            assert_eq!(preview["lost_steps"].as_array().unwrap().len(), 1, "{preview}");
            let answer =
                t.ok("scene_edit_close_scene", json!({"scene_path": scene, "confirm": true}));
            assert_eq!(answer["closed"], true, "{answer}");
            assert_eq!(t.project().read(&scene), text);
            let tabs = t.ok("scene_edit_list_open_scenes", json!({})).to_string();
            assert!(!tabs.contains(&scene), "{tabs}");
        }),
        case("scenes are read again one after the other, whichever is active", |t| {
            let first = t.open("res://scenes/main.tscn");
            let second = t.open("res://scenes/boss.tscn");
            for turn in 0..12 {
                let scenes = if turn % 3 == 0 { [&first, &second] } else { [&second, &first] };
                for scene in scenes {
                    let call = json!({"scene_path": scene, "confirm": true});
                    t.ok("scene_edit_reload_scene", call);
                }
                let active = t.ok("inspection_get_active_scene", json!({}));
                assert_eq!(active["path"], second.as_str(), "{active}");
            }
        }),
        case("reload_scene needs confirm, and reads the file again", |t| {
            let scene = t.open(MAIN);
            let set = json!({"node_path": "Player", "property": "speed", "value": 33});
            t.ok("scene_edit_set_node_property", set);
            t.refused("scene_edit_reload_scene", json!({"scene_path": scene}), "confirm");
            assert_eq!(t.property("Player", "speed"), 33.0);
            let confirmed = json!({"scene_path": scene, "confirm": true});
            let answer = t.ok("scene_edit_reload_scene", confirmed);
            assert_eq!(answer["reloaded"], true, "{answer}");
            assert_eq!(answer["had_unsaved_changes"], true, "{answer}");
            assert_eq!(t.property("Player", "speed"), 180.0);
        }),
        case("the scene guard refuses to edit another scene", |t| {
            let guarded = t.open(MAIN);
            t.open(MAIN);
            let mut set = json!({"node_path": "Player", "property": "speed", "value": 1});
            set["scene"] = json!(guarded);
            t.refused("scene_edit_set_node_property", set.clone(), "scene_match");
            assert_eq!(t.property("Player", "speed"), 180.0);
            t.ok("scene_edit_open_scene", json!({"scene_path": guarded}));
            let answer = t.ok("scene_edit_set_node_property", set);
            assert_eq!(answer["scene"], guarded.as_str(), "{answer}");
        }),
        case("dry_run and confirm are never guessed", |t| {
            t.open(MAIN);
            let delete = json!({"node_path": "Coins", "confirm": "yes please"});
            t.fault("scene_edit_delete_node", delete, "VALIDATION_ERROR");
            let delete = json!({"node_path": "Coins", "dry_run": "off", "confirm": true});
            t.fault("scene_edit_delete_node", delete, "VALIDATION_ERROR");
            assert!(t.exists("Coins"));
        }),
    ]
}

fn create() -> Vec<Case> {
    vec![
        case("create_node under the root", |t| {
            t.open(MAIN);
            let arguments =
                json!({"parent_path": ".", "node_type": "Marker2D", "node_name": "Start"});
            let edit = t.edit("scene_edit_create_node", arguments);
            assert_eq!(edit.answer["created"], true);
            assert_eq!(edit.answer["node_path"], "Start");
            assert_eq!(edit.answer["persisted"], true);
            assert_eq!(edit.answer["undoable"], true);
            assert_eq!(edit.saved.node("Start").class, "Marker2D");
        }),
        case("create_node of a class of the project", |t| {
            t.open(MAIN);
            let arguments =
                json!({"parent_path": "Enemies", "node_type": "Enemy", "node_name": "Third"});
            let edit = t.edit("scene_edit_create_node", arguments);
            let node = edit.saved.node("Enemies/Third");
            assert_eq!(node.class, "CharacterBody2D");
            assert_eq!(node.properties["script"], "ExtResource(\"res://scripts/enemy.gd\")");
        }),
        case("create_node under the root of an instance is kept", |t| {
            t.open(MAIN);
            let arguments = json!({
                "parent_path": "Enemies/Patrol", "node_type": "Node2D", "node_name": "Kept",
            });
            let edit = t.edit("scene_edit_create_node", arguments);
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            assert_eq!(edit.saved.node("Enemies/Patrol/Kept").class, "Node2D");
        }),
        case("create_node under an editable child is kept", |t| {
            t.open(MAIN);
            let arguments = json!({
                "parent_path": "Enemies/Guard/Hitbox", "node_type": "Node2D", "node_name": "Kept",
            });
            let edit = t.edit("scene_edit_create_node", arguments);
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            assert_eq!(edit.saved.node("Enemies/Guard/Hitbox/Kept").class, "Node2D");
        }),
        case("create_node with a taken name gets a number", |t| {
            t.open(MAIN);
            let arguments =
                json!({"parent_path": "Coins", "node_type": "Node2D", "node_name": "Coin1"});
            let edit = t.edit("scene_edit_create_node", arguments);
            let path = edit.answer["node_path"].as_str().unwrap();
            assert!(path.starts_with("Coins/Coin") && path != "Coins/Coin1", "{path}");
            assert_eq!(edit.saved.node(path).class, "Node2D");
        }),
        case("create_node refuses what is no node", |t| {
            t.open(MAIN);
            let tool = "scene_edit_create_node";
            for class in ["Resource", "Node2DD", "CanvasItem"] {
                let arguments = json!({"parent_path": ".", "node_type": class, "node_name": "X"});
                let answer = t.call(tool, arguments);
                assert!(!answer.ok, "{class}: {}", answer.value);
            }
            let arguments = json!({"parent_path": "No", "node_type": "Node", "node_name": "X"});
            t.edit_fault(tool, arguments, "RESOURCE_NOT_FOUND");
            for parent in ["..", "/root", "Player/../.."] {
                let arguments =
                    json!({"parent_path": parent, "node_type": "Node", "node_name": "X"});
                t.edit_fault(tool, arguments, "VALIDATION_ERROR");
            }
            for name in ["", "a/b", "a:b"] {
                let arguments = json!({"parent_path": ".", "node_type": "Node", "node_name": name});
                t.edit_fault(tool, arguments, "VALIDATION_ERROR");
            }
        }),
        case("names that are not ASCII survive", |t| {
            t.open(MAIN);
            let arguments = json!({
                "parent_path": "Coins", "node_type": "Node2D", "node_name": "Größe 项目 🎮",
            });
            let edit = t.edit("scene_edit_create_node", arguments);
            assert_eq!(edit.saved.node("Coins/Größe 项目 🎮").class, "Node2D");
        }),
    ]
}

fn set() -> Vec<Case> {
    vec![
        case("set_node_property of a vector, in every accepted form", |t| {
            t.open(MAIN);
            for value in [json!({"x": 5, "y": 6.5}), json!([5, 6.5]), json!("Vector2(5, 6.5)")] {
                let arguments =
                    json!({"node_path": "Player", "property": "position", "value": value});
                let edit = t.edit("scene_edit_set_node_property", arguments);
                assert_eq!(edit.answer["set"], true, "{}", edit.answer);
                assert_eq!(edit.answer["value"], json!({"x": 5.0, "y": 6.5}));
                assert_eq!(edit.answer["previous"], json!({"x": 320.0, "y": 208.0}));
                assert_eq!(edit.saved.property("Player", "position"), "Vector2(5, 6.5)");
                t.undo(1);
            }
        }),
        case("set_node_property of one component", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Player", "property": "position:x", "value": 55});
            let edit = t.edit("scene_edit_set_node_property", arguments);
            assert_eq!(edit.saved.property("Player", "position"), "Vector2(55, 208)");
        }),
        case("set_node_property of scalars and exports", |t| {
            t.open(MAIN);
            let values = [
                ("Player", "speed", json!(77), "77.0"),
                ("Player", "max_health", json!(9), "9"),
                ("Player", "visible", json!(false), "false"),
                ("Player", "z_index", json!(3), "3"),
                ("Clock", "wait_time", json!(2.5), "2.5"),
                ("Player", "metadata/note", json!("hello"), "\"hello\""),
            ];
            for (node, property, value, text) in values {
                let arguments = json!({"node_path": node, "property": property, "value": value});
                let edit = t.edit("scene_edit_set_node_property", arguments);
                assert_eq!(edit.saved.property(node, property), text, "{property}");
            }
        }),
        case("set_node_property of colors", |t| {
            t.open(MAIN);
            for value in [json!("#ff0000"), json!("red"), json!({"r": 1, "g": 0, "b": 0})] {
                let arguments =
                    json!({"node_path": "Player", "property": "hurt_color", "value": value});
                let edit = t.edit("scene_edit_set_node_property", arguments);
                assert_eq!(edit.saved.property("Player", "hurt_color"), "Color(1, 0, 0, 1)");
                t.undo(1);
            }
        }),
        case("set_node_property keeps text as it is", |t| {
            t.open("res://scenes/hud.tscn");
            for text in
                ["007", "{\"a\":1}", "true", "null", "say \"hi\"\nagain", "Größe 项目 🎮", ""]
            {
                let arguments =
                    json!({"node_path": "Frame/Title", "property": "text", "value": text});
                let edit = t.edit("scene_edit_set_node_property", arguments);
                assert_eq!(edit.answer["value"], text, "{}", edit.answer);
                assert_eq!(t.property("Frame/Title", "text"), text);
            }
        }),
        case("set_node_property of an enum, by name or number", |t| {
            t.open("res://scenes/hud.tscn");
            let node = "Frame/Bar/Score";
            for value in [json!("HORIZONTAL_ALIGNMENT_RIGHT"), json!("Right"), json!(2)] {
                let arguments =
                    json!({"node_path": node, "property": "horizontal_alignment", "value": value});
                let edit = t.edit("scene_edit_set_node_property", arguments);
                assert_eq!(edit.saved.property(node, "horizontal_alignment"), "2");
                t.undo(1);
            }
        }),
        case("set_node_property of a resource, by path or inline", |t| {
            t.open(MAIN);
            let tool = "scene_edit_set_node_property";
            let node = "Player/PlayerSprite";
            let arguments =
                json!({"node_path": node, "property": "texture", "value": "res://art/coin.svg"});
            let edit = t.edit(tool, arguments);
            let text = edit.saved.property(node, "texture");
            assert_eq!(text, "ExtResource(\"res://art/coin.svg\")");

            let arguments = json!({"node_path": node, "property": "texture", "value": null});
            let edit = t.edit(tool, arguments);
            assert_eq!(edit.saved.property(node, "texture"), "");

            let shape = json!({"_type": "RectangleShape2D", "size": [8, 4]});
            let arguments =
                json!({"node_path": "Player/Shape", "property": "shape", "value": shape});
            let edit = t.edit(tool, arguments);
            let text = edit.saved.property("Player/Shape", "shape").to_owned();
            let id = text.trim_start_matches("SubResource(\"").trim_end_matches("\")");
            let made = &edit.saved.resources[id];
            assert_eq!(made.class, "RectangleShape2D");
            assert_eq!(made.properties["size"], "Vector2(8, 4)");
        }),
        case("set_node_property of arrays and dictionaries", |t| {
            t.open(MAIN);
            let value = json!({"a": 1, "b": [1, 2, "c"]});
            let arguments = json!({"node_path": ".", "property": "metadata/bag", "value": value});
            t.edit("scene_edit_set_node_property", arguments);
            let bag = t.property(".", "metadata/bag");
            assert_eq!(bag["b"][2], "c", "{bag}");
            let arguments =
                json!({"parent_path": ".", "node_type": "Polygon2D", "node_name": "Poly"});
            t.ok("scene_edit_create_node", arguments);
            let value = json!([{"x": 0, "y": 0}, [10, 0], {"x": 0, "y": 10}]);
            let arguments = json!({"node_path": "Poly", "property": "polygon", "value": value});
            let edit = t.edit("scene_edit_set_node_property", arguments);
            let text = "PackedVector2Array(0, 0, 10, 0, 0, 10)";
            assert_eq!(edit.saved.property("Poly", "polygon"), text);
        }),
        case("set_node_property of a 3D node", |t| {
            t.open("res://scenes/trophy.tscn");
            for value in [json!([1, 2, 3]), json!({"x": 1, "y": 2, "z": 3}), json!("(1, 2, 3)")] {
                let arguments =
                    json!({"node_path": "Base", "property": "position", "value": value});
                let edit = t.edit("scene_edit_set_node_property", arguments);
                assert_eq!(edit.answer["value"], json!({"x": 1.0, "y": 2.0, "z": 3.0}));
                t.undo(1);
            }
        }),
        case("set_node_property refuses what does not fit, and nothing becomes zero", |t| {
            t.open(MAIN);
            let values = [
                ("Player", "position", json!([1])),
                ("Player", "position", json!("banana")),
                ("Player", "position", json!({"x": 1, "z": 2})),
                ("Player", "rotation", json!(true)),
                ("Player", "rotation", json!("nan")),
                ("Player", "max_health", json!("many")),
                ("Player", "hurt_color", json!("no color")),
                ("Player", "visible", json!("perhaps")),
                ("Player/PlayerSprite", "texture", json!("res://resources/tiles.tres")),
                ("Player/Shape", "shape", json!({"_type": "BoxMesh"})),
            ];
            for (node, property, value) in values {
                let arguments = json!({"node_path": node, "property": property, "value": value});
                t.edit_fault("scene_edit_set_node_property", arguments, "VALIDATION_ERROR");
            }
            assert_eq!(t.property("Player", "position"), json!({"x": 320.0, "y": 208.0}));
        }),
        case("set_node_property refuses what is not there", |t| {
            t.open(MAIN);
            let tool = "scene_edit_set_node_property";
            let arguments = json!({"node_path": "Nobody", "property": "speed", "value": 1});
            t.edit_fault(tool, arguments, "RESOURCE_NOT_FOUND");
            let arguments = json!({
                "node_path": "Player/PlayerSprite", "property": "texture",
                "value": "res://art/none.svg",
            });
            t.edit_fault(tool, arguments, "RESOURCE_NOT_FOUND");
            let answer =
                t.call(tool, json!({"node_path": "Player", "property": "spede", "value": 1}));
            assert!(!answer.ok, "{}", answer.value);
            assert!(answer.value.to_string().contains("speed"), "{}", answer.value);
        }),
        case("what the engine would not take is refused and rolled back", |t| {
            t.open(MAIN);
            let tool = "scene_edit_set_node_property";
            for (node, property, value) in
                [("Clock", "wait_time", json!(0)), ("Player", "z_index", json!(99_999))]
            {
                let arguments = json!({"node_path": node, "property": property, "value": value});
                let before = (t.property(node, property), t.steps());
                let answer = t.call(tool, arguments);
                assert!(!answer.ok, "{property} = {value}: {}", answer.value);
                assert_eq!((t.property(node, property), t.steps()), before, "{property}");
            }
        }),
        case("the root of an instance keeps its overrides", |t| {
            t.open(MAIN);
            let arguments =
                json!({"node_path": "Enemies/Patrol", "property": "speed", "value": 99});
            let edit = t.edit("scene_edit_set_node_property", arguments);
            assert_eq!(edit.answer["persisted"], true);
            assert_eq!(edit.saved.property("Enemies/Patrol", "speed"), "99.0");
        }),
        case("an editable child keeps its overrides", |t| {
            t.open(MAIN);
            let arguments = json!({
                "node_path": "Enemies/Guard/Hitbox", "property": "position", "value": [9, 9],
            });
            let edit = t.edit("scene_edit_set_node_property", arguments);
            assert_eq!(edit.answer["persisted"], true);
            assert_eq!(edit.saved.property("Enemies/Guard/Hitbox", "position"), "Vector2(9, 9)");
        }),
        case("a child of a closed instance is set in memory, and the answer says so", |t| {
            t.open(MAIN);
            let arguments = json!({
                "node_path": "Enemies/Patrol/Hitbox", "property": "position", "value": [9, 9],
            });
            let edit = t.edit("scene_edit_set_node_property", arguments);
            assert_eq!(edit.answer["set"], true, "{}", edit.answer);
            assert_eq!(edit.answer["persisted"], false, "{}", edit.answer);
            assert_eq!(edit.answer["reason"], "instanced_child_not_editable");
            assert!(edit.saved.find("Enemies/Patrol/Hitbox").is_none());
        }),
        case("three sets are three steps", |t| {
            t.open(MAIN);
            for speed in [1, 2, 3] {
                let set = json!({"node_path": "Player", "property": "speed", "value": speed});
                t.ok("scene_edit_set_node_property", set);
            }
            t.undo(1);
            assert_eq!(t.property("Player", "speed"), 2.0);
            t.undo(2);
            assert_eq!(t.property("Player", "speed"), 180.0);
        }),
        case("an override of an inherited scene", |t| {
            t.open(BOSS);
            let arguments = json!({"node_path": "Hitbox", "property": "position", "value": [3, 4]});
            let edit = t.edit("scene_edit_set_node_property", arguments);
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            assert_eq!(edit.saved.property("Hitbox", "position"), "Vector2(3, 4)");
        }),
    ]
}

fn rename() -> Vec<Case> {
    vec![
        case("rename_node, and connections follow", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Clock", "new_name": "Countdown"});
            let edit = t.edit("scene_edit_rename_node", arguments);
            assert_eq!(edit.answer["node_path"], "Countdown");
            assert_eq!(edit.answer["old_name"], "Clock");
            assert_eq!(edit.saved.node("Countdown").class, "Timer");
            assert!(edit.saved.connects("timeout Countdown -> .::_on_clock_timeout"));
        }),
        case("rename_node, and animation tracks follow", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Player", "new_name": "Hero"});
            let edit = t.edit("scene_edit_rename_node", arguments);
            let track = &edit.saved.resources["Animation_appear"].properties["tracks/0/path"];
            assert_eq!(track, "NodePath(\"Hero/PlayerSprite:scale\")");
            assert!(edit.saved.connects("died Hero -> .::_on_player_died"));
            assert!(!edit.answer["updated_paths"].as_array().unwrap().is_empty());
        }),
        case("rename_node of the root", |t| {
            t.open(MAIN);
            let edit =
                t.edit("scene_edit_rename_node", json!({"node_path": ".", "new_name": "Top"}));
            assert_eq!(edit.saved.node(".").name, "Top");
        }),
        case("rename_node to a taken name gets a number", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Coins/Coin2", "new_name": "Coin1"});
            let edit = t.edit("scene_edit_rename_node", arguments);
            let path = edit.answer["node_path"].as_str().unwrap();
            assert_ne!(path, "Coins/Coin1");
            assert!(edit.saved.find(path).is_some(), "{path}");
            assert!(edit.saved.find("Coins/Coin1").is_some());
        }),
        case("rename_node refuses names that no node can have", |t| {
            t.open(MAIN);
            for name in ["", "a/b", "a.b", "a:b", "a@b", "a%b"] {
                let arguments = json!({"node_path": "Clock", "new_name": name});
                t.edit_fault("scene_edit_rename_node", arguments, "VALIDATION_ERROR");
            }
        }),
    ]
}

fn moves() -> Vec<Case> {
    vec![
        case("move_node among its siblings", |t| {
            t.open(MAIN);
            let arguments =
                json!({"node_path": "Coins/Coin6", "new_parent_path": "Coins", "index": 0});
            let edit = t.edit("scene_edit_move_node", arguments);
            assert_eq!(edit.answer["index"], 0, "{}", edit.answer);
            let coins: Vec<_> =
                edit.saved.paths().into_iter().filter(|it| it.starts_with("Coins/")).collect();
            assert_eq!(coins[..2], ["Coins/Coin6", "Coins/Coin1"]);
        }),
        case("move_node to another parent, with all below it", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Player", "new_parent_path": "Enemies"});
            let edit = t.edit("scene_edit_move_node", arguments);
            assert_eq!(edit.answer["node_path"], "Enemies/Player");
            assert!(edit.saved.find("Enemies/Player/Shape").is_some());
            assert!(edit.saved.connects("died Enemies/Player -> .::_on_player_died"));
            let track = &edit.saved.resources["Animation_appear"].properties["tracks/0/path"];
            assert_eq!(track, "NodePath(\"Enemies/Player/PlayerSprite:scale\")");
        }),
        case("move_node keeps the global place, or not", |t| {
            t.open(MAIN);
            let place = json!({"node_path": "Enemies", "property": "position", "value": [100, 0]});
            t.ok("scene_edit_set_node_property", place);
            let mut arguments = json!({"node_path": "Player", "new_parent_path": "Enemies"});
            let edit = t.edit("scene_edit_move_node", arguments.clone());
            assert_eq!(edit.saved.property("Enemies/Player", "position"), "Vector2(220, 208)");
            t.undo(1);
            arguments["keep_global_transform"] = json!(false);
            let edit = t.edit("scene_edit_move_node", arguments);
            assert_eq!(edit.saved.property("Enemies/Player", "position"), "Vector2(320, 208)");
        }),
        case("move_node refuses to move a node into itself, and the root", |t| {
            t.open(MAIN);
            let tool = "scene_edit_move_node";
            for (node, parent) in [("Player", "Player/Shape"), ("Player", "Player"), (".", "Coins")]
            {
                let arguments = json!({"node_path": node, "new_parent_path": parent});
                t.edit_fault(tool, arguments, "VALIDATION_ERROR");
            }
            let arguments = json!({"node_path": "Player", "new_parent_path": "Nowhere"});
            t.edit_fault(tool, arguments, "RESOURCE_NOT_FOUND");
        }),
    ]
}

fn duplicate() -> Vec<Case> {
    vec![
        case("duplicate_node with all below it, groups and script", |t| {
            t.open(MAIN);
            let edit = t.edit("scene_edit_duplicate_node", json!({"node_path": "Player"}));
            let path = edit.answer["node_path"].as_str().unwrap().to_owned();
            assert_eq!(path, "Player2");
            assert_eq!(edit.saved.node("Player2").groups, ["player"]);
            assert_eq!(edit.saved.property("Player2", "speed"), "180.0");
            assert!(edit.saved.find("Player2/Shape").is_some());
        }),
        case("duplicate_node of an instance is an instance", |t| {
            t.open(MAIN);
            let edit = t.edit("scene_edit_duplicate_node", json!({"node_path": "Enemies/Patrol"}));
            let path = edit.answer["node_path"].as_str().unwrap();
            assert_eq!(edit.saved.node(path).instance, "res://scenes/enemy.tscn");
            assert!(edit.saved.find(&format!("{path}/Hitbox")).is_none());
            assert_eq!(edit.saved.property(path, "patrol"), "Vector2(160, 0)");
        }),
        case("duplicate_node refuses the root", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "."});
            t.edit_fault("scene_edit_duplicate_node", arguments, "VALIDATION_ERROR");
        }),
    ]
}

fn delete() -> Vec<Case> {
    vec![
        case("delete_node needs confirm", |t| {
            t.open(MAIN);
            let fault =
                t.refused("scene_edit_delete_node", json!({"node_path": "Coins"}), "confirm");
            assert!(fault["hint"].as_str().unwrap().contains("confirm"), "{fault}");
            assert!(t.exists("Coins/Coin1"));
        }),
        case("delete_node with all below it, and undo brings everything back", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Coins", "confirm": true});
            let edit = t.edit("scene_edit_delete_node", arguments);
            assert_eq!(edit.answer["deleted"], true);
            assert!(!edit.saved.paths().iter().any(|it| it.starts_with("Coins")));
        }),
        case("delete_node of what connections, tracks and unique names lead to", |t| {
            t.open(MAIN);
            let arguments = json!({"node_path": "Player", "confirm": true});
            let edit = t.edit("scene_edit_delete_node", arguments);
            assert!(edit.before.connects("died Player -> .::_on_player_died"));
            assert!(!edit.saved.connections.iter().any(|it| it.contains("Player")));
        }),
        case("delete_node of a deep interface", |t| {
            t.open("res://scenes/hud.tscn");
            let arguments = json!({"node_path": "Frame", "confirm": true});
            let edit = t.edit("scene_edit_delete_node", arguments);
            assert_eq!(edit.saved.paths(), ["."]);
        }),
        case("delete_node of a child of an instance cannot be kept", |t| {
            let scene = t.open(MAIN);
            let arguments = json!({"node_path": "Enemies/Guard/Hitbox", "confirm": true});
            let answer = t.call("scene_edit_delete_node", arguments);
            assert!(!answer.ok || answer.value["persisted"] == false, "{}", answer.value);
            t.saved();
            let reload = json!({"scene_path": scene, "confirm": true});
            t.ok("scene_edit_reload_scene", reload);
            assert!(t.exists("Enemies/Guard/Hitbox"));
        }),
        case("delete_node refuses the root and what is not there", |t| {
            t.open(MAIN);
            let tool = "scene_edit_delete_node";
            let root = json!({"node_path": ".", "confirm": true});
            t.edit_fault(tool, root, "VALIDATION_ERROR");
            let missing = json!({"node_path": "Nobody", "confirm": true});
            t.edit_fault(tool, missing, "RESOURCE_NOT_FOUND");
            let above = json!({"node_path": "..", "confirm": true});
            t.edit_fault(tool, above, "VALIDATION_ERROR");
        }),
    ]
}

fn instance() -> Vec<Case> {
    vec![
        case("instance_scene with a name, and without", |t| {
            t.open(MAIN);
            let tool = "scene_edit_instance_scene";
            let coin = "res://scenes/coin.tscn";
            let arguments = json!({"parent_path": "Coins", "scene_path": coin, "name": "Seventh"});
            let edit = t.edit(tool, arguments);
            assert_eq!(edit.answer["node_path"], "Coins/Seventh");
            assert_eq!(edit.answer["instanced"], true);
            assert_eq!(edit.saved.node("Coins/Seventh").instance, coin);
            assert!(edit.saved.find("Coins/Seventh/Sprite").is_none());
            let edit = t.edit(tool, json!({"parent_path": "Coins", "scene_path": coin}));
            assert_eq!(edit.answer["node_path"], "Coins/Coin");
        }),
        case("instance_scene refuses what is no scene, and a scene in itself", |t| {
            let scene = t.open(MAIN);
            let tool = "scene_edit_instance_scene";
            let theme = json!({"parent_path": ".", "scene_path": "res://resources/theme.tres"});
            t.edit_fault(tool, theme, "VALIDATION_ERROR");
            let missing = json!({"parent_path": ".", "scene_path": "res://scenes/none.tscn"});
            t.edit_fault(tool, missing, "RESOURCE_NOT_FOUND");
            let cycle = json!({"parent_path": ".", "scene_path": scene});
            t.edit_fault(tool, cycle, "VALIDATION_ERROR");
        }),
        case("an edit without an open scene says what is missing", |t| {
            // The cases before have closed their scenes.
            let tabs = t.ok("scene_edit_list_open_scenes", json!({}));
            for tab in tabs["scenes"].as_array().cloned().unwrap_or_default() {
                if let Some(path) = tab["path"].as_str().filter(|path| !path.is_empty()) {
                    let close = json!({"scene_path": path, "confirm": true});
                    t.ok("scene_edit_close_scene", close);
                }
            }
            let active = t.ok("inspection_get_active_scene", json!({}));
            if active["is_open"] == Value::Bool(false) {
                let arguments = json!({"parent_path": ".", "node_type": "Node", "node_name": "X"});
                t.refused("scene_edit_create_node", arguments, "active_scene");
            }
        }),
    ]
}
