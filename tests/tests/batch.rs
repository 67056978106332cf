//! The toolset `batch`: one question or one change for many nodes.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const SET: &str = "batch_set_property";

fn main() -> ExitCode {
    let cases = [questions(), changes(), scenes()];
    run(cases.into_iter().flatten().collect())
}

fn paths(answer: &Value) -> Vec<String> {
    let nodes = answer["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["path"].as_str().unwrap().to_owned()).collect()
}

fn questions() -> Vec<Case> {
    vec![
        case("find_nodes_by_type knows engine classes and those of the project", |t| {
            t.open(MAIN);
            let find = |class: &str| json!({"node_type": class});
            let players = t.ok("batch_find_nodes_by_type", find("Player"));
            assert_eq!(paths(&players), ["Player"], "{players}");
            assert_eq!(players["nodes"][0]["type"], "Player", "{players}");
            let bodies = t.ok("batch_find_nodes_by_type", find("CharacterBody2D"));
            assert!(paths(&bodies).contains(&"Player".to_owned()), "{bodies}");
            let all = t.ok("batch_find_nodes_by_type", find("Node"));
            assert_eq!(paths(&all)[0], ".", "the parent itself counts");
            let total = all["total"].as_u64().unwrap();
            let near = json!({"node_type": "Node", "recursive": false});
            let near = t.ok("batch_find_nodes_by_type", near);
            assert!(near["total"].as_u64().unwrap() < total, "{near}");
            let fault = t.fault("batch_find_nodes_by_type", find("Sprit2D"), "VALIDATION_ERROR");
            assert!(fault["hint"].as_str().unwrap().contains("Sprite2D"), "{fault}");
            t.fault("batch_find_nodes_by_type", find("Texture2D"), "VALIDATION_ERROR");
        }),
        case("find_nodes_by_type gives every node once, page by page", |t| {
            t.open(MAIN);
            let whole = t.ok("batch_find_nodes_by_type", json!({"node_type": "Node"}));
            let (mut seen, mut offset) = (Vec::new(), json!(0));
            while !offset.is_null() {
                let page = json!({"node_type": "Node", "limit": 3, "offset": offset});
                let page = t.ok("batch_find_nodes_by_type", page);
                assert_eq!(page["total"], whole["total"]);
                seen.extend(paths(&page));
                offset = page["next_offset"].clone();
            }
            assert_eq!(seen, paths(&whole));
        }),
        case("get_dependencies names files, and which are missing", |t| {
            let answer = t.ok("batch_get_dependencies", json!({"path": MAIN}));
            let named: Vec<_> = answer["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["path"].clone())
                .collect();
            assert!(named.contains(&json!("res://scripts/level.gd")), "{answer}");
            assert_eq!(answer["count"], named.len());
            let broken = t.path("broken.tscn");
            let text = "[gd_scene load_steps=2 format=3]\n\n[ext_resource type=\"Script\" path=\"res://gone.gd\" \
                        id=\"1\"]\n\n[node name=\"A\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
            fs::write(t.project().file(&broken), text).unwrap();
            let answer = t.ok("batch_get_dependencies", json!({"path": broken}));
            assert_eq!(answer["dependencies"][0]["exists"], false, "{answer}");
            assert_eq!(answer["dependencies"][0]["path"], "res://gone.gd", "{answer}");
            let (heir, base, part) =
                (t.path("heir.gd"), t.path("base.gd"), t.path("part.gdshaderinc"));
            let shader = t.path("user.gdshader");
            for (path, text) in [
                (&base, "extends Node\n".to_owned()),
                (&part, "uniform float a;\n".to_owned()),
                (&shader, "shader_type canvas_item;\n// #include \"no.gdshaderinc\"\n#include \"part.gdshaderinc\"\n".to_owned()),
                (&heir, format!("extends \"{base}\"\nconst A = preload(\"none.gd\") # load(\"no.gd\")\nvar c: Coin\nvar s = load(\"{MAIN}\")\nvar again = load(\"{base}\")\n")),
            ] {
                fs::write(t.project().file(path), text).unwrap();
            }
            let mut needs = |path: &str| {
                let answer = t.ok("batch_get_dependencies", json!({"path": path}));
                let needs = answer["dependencies"].as_array().unwrap().iter();
                needs
                    .map(|it| (it["raw"].clone(), it["path"].clone(), it["exists"] == true))
                    .collect::<Vec<_>>()
            };
            let none = heir.replace("heir", "none");
            assert_eq!(
                needs(&heir),
                [
                    (json!(base), json!(base), true),
                    (json!("none.gd"), json!(none), false),
                    (json!(MAIN), json!(MAIN), true),
                    (json!("Coin"), json!("res://scripts/coin.gd"), true),
                ]
            );
            assert_eq!(needs(&shader), [(json!("part.gdshaderinc"), json!(part), true)]);
            t.fault(
                "batch_get_dependencies",
                json!({"path": "res://none.tscn"}),
                "RESOURCE_NOT_FOUND",
            );
        }),
    ]
}

fn changes() -> Vec<Case> {
    vec![
        case("set_property sets one value on many nodes", |t| {
            t.open(MAIN);
            let nodes = json!(["Player", "Enemies", "Player"]);
            let edit =
                t.edit(SET, json!({"property": "position", "value": [8, 9], "node_paths": nodes}));
            assert_eq!(edit.answer["applied"], json!(["Player", "Enemies"]), "{}", edit.answer);
            assert_eq!(
                (&edit.answer["count"], &edit.answer["undoable"]),
                (&json!(2), &json!(true))
            );
            assert_eq!(edit.saved.property("Player", "position"), "Vector2(8, 9)");
            assert_eq!(edit.saved.property("Enemies", "position"), "Vector2(8, 9)");
        }),
        case("set_property by class skips only nodes that lack the property", |t| {
            t.open(MAIN);
            let answer = t
                .edit(SET, json!({"property": "speed", "value": 5, "node_type": "CharacterBody2D"}))
                .answer;
            assert!(answer["applied"].as_array().unwrap().contains(&json!("Player")), "{answer}");
            let none = json!({"property": "nope", "value": 5, "node_type": "Node2D"});
            t.edit_fault(SET, none, "VALIDATION_ERROR");
        }),
        case("set_property refuses as a whole what does not fit one node", |t| {
            t.open(MAIN);
            let call = |nodes: Value, property: &str, value: Value| json!({"property": property, "value": value, "node_paths": nodes});
            t.edit_fault(
                SET,
                call(json!(["Player", "Nope"]), "position", json!([1, 1])),
                "RESOURCE_NOT_FOUND",
            );
            t.edit_fault(
                SET,
                call(json!(["Player", "Enemies"]), "speed", json!(1)),
                "VALIDATION_ERROR",
            );
            t.edit_fault(
                SET,
                call(json!(["Player"]), "position", json!("garbage")),
                "VALIDATION_ERROR",
            );
            t.edit_fault(SET, json!({"property": "position", "value": [1, 1]}), "VALIDATION_ERROR");
            let both = json!({"property": "position", "value": [1, 1], "node_paths": ["Player"], "node_type": "Node2D"});
            t.edit_fault(SET, both, "VALIDATION_ERROR");
        }),
        case("set_property says of each node whether a save keeps it", |t| {
            t.open(MAIN);
            let all = t.ok("batch_find_nodes_by_type", json!({"node_type": "Node2D"}));
            let inside = paths(&all)
                .into_iter()
                .find(|path| path.starts_with("Coins/") && path.matches('/').count() > 1);
            let inside = inside.expect("a node within an instance");
            let call =
                json!({"property": "visible", "value": false, "node_paths": ["Player", inside]});
            let edit = t.edit(SET, call);
            assert_eq!(edit.answer["persistence"][0]["persisted"], true, "{}", edit.answer);
            assert_eq!(edit.answer["persistence"][1]["persisted"], false, "{}", edit.answer);
            assert_eq!(edit.answer["persistence"][1]["reason"], "instanced_child_not_editable");
            assert_eq!(edit.answer["persisted"], false, "{}", edit.answer);
        }),
    ]
}

const ACROSS: &str = "batch_cross_scene_set_property";

/// A scene of the case's own that is not open.
fn closed(t: &mut Test<'_>, name: &str, of: &str) -> String {
    let path = t.path(name);
    fs::copy(t.project().file(of), t.project().file(&path)).unwrap();
    path
}

fn scenes() -> Vec<Case> {
    vec![
        case("cross_scene_set_property writes scene files, and undo gives them back", |t| {
            let (a, b) = (closed(t, "a.tscn", MAIN), closed(t, "b.tscn", "res://scenes/boss.tscn"));
            let call = json!({"scenes": [a, b], "node_type": "Timer", "property": "wait_time", "value": 7, "confirm": true});
            let mut bare = call.clone();
            bare.as_object_mut().unwrap().remove("confirm");
            t.refused(ACROSS, bare, "confirm");
            let before = t.project().scene(&a);
            let edit = t.edit_file(ACROSS, call, &a);
            assert_eq!(
                (&edit.answer["scenes"], &edit.answer["written"]),
                (&json!(2), &json!(true)),
                "{}",
                edit.answer
            );
            assert_eq!(edit.answer["results"][0]["modified"], 1, "{}", edit.answer);
            let after = t.project().scene(&a);
            assert_eq!(after.property("Clock", "wait_time"), "7.0");
            assert_eq!(before.paths(), after.paths());
            assert_eq!(before.connections, after.connections);
        }),
        case(
            "cross_scene_set_property changes the active scene as it is open, and saves it",
            |t| {
                let other = closed(t, "other.tscn", MAIN);
                let scene = t.open(MAIN);
                let before = (t.project().read(&scene), t.project().read(&other));
                let call = json!({"scenes": [scene, other], "node_type": "Timer", "property": "wait_time", "value": 8, "confirm": true});
                let answer = t.ok(ACROSS, call.clone());
                assert_eq!(
                    (&answer["total_modified"], &answer["written"]),
                    (&json!(2), &json!(true)),
                    "{answer}"
                );
                assert_eq!(t.property("Clock", "wait_time"), json!(8.0));
                assert_eq!(t.project().scene(&scene).property("Clock", "wait_time"), "8.0");
                assert_eq!(t.project().scene(&other).property("Clock", "wait_time"), "8.0");
                let after = (t.project().read(&scene), t.project().read(&other));
                let files = |t: &Test<'_>| (t.project().read(&scene), t.project().read(&other));
                let is_clean = |t: &mut Test<'_>| {
                    for _ in 0..3 {
                        let active = t.ok("inspection_get_active_scene", json!({}));
                        assert_eq!(active["dirty"], false, "{active}");
                        t.editor().hands(&json!({"do": "orphans"}));
                    }
                    assert_eq!(t.editor().hands(&json!({"do": "come_back"})), json!([]));
                };
                t.undo(1);
                assert_ne!(t.property("Clock", "wait_time"), json!(8.0));
                assert!(files(t) == before, "after undo");
                is_clean(t);
                t.redo(1);
                assert_eq!(t.property("Clock", "wait_time"), json!(8.0));
                assert!(files(t) == after, "after redo");
                is_clean(t);
                t.undo(1);
                assert!(files(t) == before, "after undo of a redo");
                t.redo(1);
                // What is saved since stays, and the scene has unsaved changes then.
                let set = json!({"node_path": "Player", "property": "speed", "value": 7});
                t.ok("scene_edit_set_node_property", set);
                t.saved();
                let saved = t.project().read(&scene);
                let undone = t.undo(2);
                assert!(
                    undone["hint"].as_str().is_some_and(|hint| hint.contains(&scene)),
                    "{undone}"
                );
                assert!(files(t) == (saved, before.1));
                t.refused(ACROSS, call, "scene_saved");
            },
        ),
        case("cross_scene_set_property shows in open scenes that have instances", |t| {
            let coin = closed(t, "coin.tscn", "res://scenes/coin.tscn");
            let scene = |t: &mut Test<'_>, name: &str, base: &str, child: &str| {
                let (path, node) = (t.path(name), format!("[node name=\"{base}\" {child}"));
                let text = format!(
                    "[gd_scene format=3]\n\n[ext_resource type=\"PackedScene\" path=\"{coin}\" \
                     id=\"1\"]\n\n{node}instance=ExtResource(\"1\")]\n"
                );
                fs::write(t.project().file(&path), text).unwrap();
                path
            };
            let heir = scene(t, "heir.tscn", "Heir", "");
            let user = scene(
                t,
                "user.tscn",
                "Root\" type=\"Node2D\"]\n\n[node name=\"Coin",
                "parent=\".\" ",
            );
            let call = |scenes: Value, value: i32| json!({"scenes": scenes, "node_type": "Coin", "property": "value", "value": value, "confirm": true});
            for path in [&heir, &user] {
                t.ok("scene_edit_open_scene", json!({"scene_path": path}));
                t.close_at_end(path);
            }
            let step = json!({"node_path": "Coin", "property": "position", "value": [3, 4]});
            t.ok("scene_edit_set_node_property", step);
            // What is not saved would be lost.
            let refused = t.refused(ACROSS, call(json!([coin]), 99), "scene_saved");
            assert_eq!(refused["scenes"], json!([user]), "{refused}");
            t.saved();
            let answer = t.ok(ACROSS, call(json!([coin]), 99));
            assert!(answer["discards"].as_str().is_some_and(|it| it.contains(&user)), "{answer}");
            assert_eq!(t.property("Coin", "value"), 99);
            assert_eq!(t.property("Coin", "position"), json!({"x": 3.0, "y": 4.0}));
            let active = t.ok("inspection_get_active_scene", json!({}));
            assert_eq!((&active["path"], &active["dirty"]), (&json!(user), &json!(false)));
            let show = |t: &mut Test<'_>, path: &str| {
                t.ok("scene_edit_open_scene", json!({"scene_path": path}));
            };
            show(t, &heir);
            assert_eq!(t.property(".", "value"), 99);
            show(t, &user);
            t.undo(1);
            assert_eq!(t.property("Coin", "value"), 10);
            t.redo(1);
            assert_eq!(t.property("Coin", "value"), 99);
            // Both the scene and what it shows.
            let answer = t.ok(ACROSS, call(json!([user, coin]), 7));
            assert_eq!(answer["total_modified"], 2, "{answer}");
            assert_eq!(t.property("Coin", "value"), 7);
            assert!(t.project().read(&user).contains("value = 7"));
            t.undo(1);
            assert_eq!(t.property("Coin", "value"), 99);
        }),
        case("cross_scene_set_property refuses what would lose something, or does not fit", |t| {
            let hidden = t.open(MAIN);
            t.open(MAIN);
            let other = closed(t, "other.tscn", MAIN);
            let call = |scenes: Value, property: &str, value: Value| json!({"scenes": scenes, "node_type": "Timer", "property": property, "value": value, "confirm": true});
            t.refused(ACROSS, call(json!([hidden]), "wait_time", json!(3)), "scenes");
            let twice = call(json!([other, "res://none.tscn"]), "wait_time", json!(3));
            t.edit_file_fault(ACROSS, twice, "RESOURCE_NOT_FOUND", &other);
            for (property, value) in
                [("nope", json!(1)), ("wait_time", json!("soon")), ("wait_time", json!(-1))]
            {
                t.edit_file_fault(
                    ACROSS,
                    call(json!([other]), property, value),
                    "VALIDATION_ERROR",
                    &other,
                );
            }
            let script = call(json!(["res://scripts/player.gd"]), "wait_time", json!(3));
            t.fault(ACROSS, script, "VALIDATION_ERROR");
        }),
    ]
}
