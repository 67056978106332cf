//! The toolset `composite`: many changes as one undo step.

use std::process::ExitCode;

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const BOSS: &str = "res://scenes/boss.tscn";
const RUN: &str = "composite_run_commands";

fn main() -> ExitCode {
    let cases = [
        batches(),
        failures(),
        previews(),
        places(),
        agreement(),
        elsewhere(),
        nodes(),
        edits(),
        large(),
    ];
    run(cases.into_iter().flatten().collect())
}

/// An entry of a batch.
fn entry(command: &str, params: Value) -> Value {
    json!({"command": command, "params": params})
}

fn create(name: &str) -> Value {
    entry("create_node", json!({"parent_path": ".", "node_type": "Node2D", "node_name": name}))
}

fn set(node: &str, property: &str, value: Value) -> Value {
    entry("set_node_property", json!({"node_path": node, "property": property, "value": value}))
}

/// Runs a batch that must fail at `index`, and checks that nothing at all has changed.
fn aborted(t: &mut Test<'_>, commands: Value, index: usize, code: &str) -> Value {
    let fault = t.edit_fault(RUN, json!({"commands": commands}), code);
    assert_eq!(fault["aborted_at"], index, "{fault}");
    let skipped = commands.as_array().unwrap().len() - index - 1;
    assert_eq!(fault["skipped_count"], skipped, "{fault}");
    assert_eq!((&fault["ok_all"], &fault["rolled_back"]), (&json!(false), &json!(true)));
    fault
}

fn batches() -> Vec<Case> {
    vec![
        case("a batch is one undo step, and its reads see its writes", |t| {
            t.open(MAIN);
            let commands = json!([
                create("New"),
                set("New", "position", json!([3, 4])),
                entry("get_node_property", json!({"node_path": "New", "property": "position"})),
                entry("rename_node", json!({"node_path": "New", "new_name": "Newer"})),
                entry("cmd_add_to_group", json!({"node_path": "Newer", "group": "made"})),
                entry("godot_scene_edit_duplicate_node", json!({"node_path": "Newer"})),
            ]);
            let edit = t.edit(RUN, json!({"commands": commands}));
            let answer = &edit.answer;
            assert_eq!(
                (&answer["ok_all"], &answer["count"]),
                (&json!(true), &json!(6)),
                "{answer}"
            );
            assert_eq!((&answer["undoable"], &answer["undo_steps"]), (&json!(true), &json!(1)));
            assert_eq!(answer["results"][2]["result"]["value"], json!({"x": 3.0, "y": 4.0}));
            assert_eq!(edit.saved.property("Newer", "position"), "Vector2(3, 4)");
            assert_eq!(edit.saved.node("Newer").groups, ["made"]);
            assert_eq!(edit.saved.property("Newer2", "position"), "Vector2(3, 4)");
        }),
        case("what a batch makes in a new folder is known to the very next entry", |t| {
            t.open(MAIN);
            let script = |folder: &str, class: &str| {
                let path = format!("res://{folder}/{}.gd", class.to_lowercase());
                let text = format!("class_name {class}\nextends Node2D\n");
                entry("scripts_write", json!({"script_path": path, "content": text}))
            };
            let node = |class: &str| {
                let params = json!({"parent_path": ".", "node_type": class, "node_name": class});
                entry("create_node", params)
            };
            let commands = json!([
                script("new_a", "NewA"),
                node("NewA"),
                script("new_b/inner", "NewB"),
                node("NewB"),
                entry(
                    "resources_edit_register_autoload",
                    json!({"name": "NewAuto", "path": "res://new_b/inner/newb.gd"})
                ),
            ]);
            let edit = t.edit(RUN, json!({"commands": commands, "confirm": true}));
            assert_eq!(edit.answer["ok_all"], true, "{}", edit.answer);
            assert_eq!(edit.answer["undo_steps"], 1, "{}", edit.answer);
            assert!(edit.saved.paths().contains(&"NewA") && edit.saved.paths().contains(&"NewB"));
            t.undo(1);
            for folder in ["res://new_a", "res://new_b"] {
                assert!(!t.project().file(folder).exists(), "{folder}");
            }
        }),
        case("a batch that deletes what it made leaves the scene as it was", |t| {
            t.open(MAIN);
            let commands = json!([
                create("Brief"),
                entry(
                    "create_node",
                    json!({"parent_path": "Brief", "node_type": "Timer", "node_name": "T"})
                ),
                set("Brief/T", "wait_time", json!(2)),
                entry("delete_node", json!({"node_path": "Brief"})),
            ]);
            let edit = t.edit(RUN, json!({"commands": commands, "confirm": true}));
            assert_eq!(edit.answer["ok_all"], true, "{}", edit.answer);
            assert_eq!(edit.before, edit.saved);
        }),
        case("the confirm of the batch or that of the entry suffices", |t| {
            t.open(MAIN);
            let delete = |params: Value| json!([create("Gone"), entry("delete_node", params)]);
            let bare = json!({"commands": delete(json!({"node_path": "Gone"}))});
            let fault = t.refused(RUN, bare.clone(), "confirm");
            assert_eq!((&fault["aborted_at"], &fault["count"]), (&json!(1), &json!(0)), "{fault}");
            assert!(!t.exists("Gone"));
            let own = json!({"commands": delete(json!({"node_path": "Gone", "confirm": true}))});
            assert_eq!(t.ok(RUN, own)["ok_all"], true);
            let mut whole = bare;
            whole["confirm"] = json!(true);
            assert_eq!(t.ok(RUN, whole)["ok_all"], true);
        }),
        case("a save in a batch is no part of its undo step, and the answer says so", |t| {
            let scene = t.open(MAIN);
            let steps = t.steps().len();
            let commands = json!([create("Kept"), entry("save_scene", json!({}))]);
            let answer = t.ok(RUN, json!({"commands": commands}));
            assert_eq!(answer["ok_all"], true, "{answer}");
            assert_eq!(
                (&answer["undoable"], &answer["outside_undo"]),
                (&json!(false), &json!([1]))
            );
            assert_eq!(answer["undo_steps"], 1, "{answer}");
            assert!(t.project().scene(&scene).paths().contains(&"Kept"));
            assert_eq!(t.steps().len(), steps + 1);
            t.undo(1);
            assert!(!t.exists("Kept"));
        }),
        case("a batch may open a scene and go on in it", |t| {
            let first = t.open(MAIN);
            let second = t.open(BOSS);
            let commands = json!([
                entry("open_scene", json!({"scene_path": first})),
                create("InFirst"),
                entry("open_scene", json!({"scene_path": second})),
                create("InSecond"),
                entry("get_active_scene", json!({})),
            ]);
            let answer = t.ok(RUN, json!({"commands": commands}));
            assert_eq!(
                (&answer["ok_all"], &answer["undo_steps"]),
                (&json!(true), &json!(2)),
                "{answer}"
            );
            assert_eq!(answer["results"][4]["result"]["path"], second.as_str(), "{answer}");
            assert!(t.exists("InSecond") && !t.exists("InFirst"));
            t.ok("scene_edit_open_scene", json!({"scene_path": first}));
            assert!(t.exists("InFirst") && !t.exists("InSecond"));
        }),
        case("commands go by their action where one toolset has it, and limits are told", |t| {
            t.open(MAIN);
            let commands = json!([entry("get_action_events", json!({"action": "move_left"}))]);
            assert_eq!(t.ok(RUN, json!({"commands": commands}))["ok_all"], true);
            let many: Vec<Value> = (0..2001).map(|_| create("N")).collect();
            let fault = t.fault(RUN, json!({"commands": many}), "VALIDATION_ERROR");
            assert!(fault["hint"].as_str().unwrap().contains("2000 are the limit"), "{fault}");
            let strange = json!({"commands": [{"command": "create_node", "args": {}}]});
            let fault = t.fault(RUN, strange, "VALIDATION_ERROR");
            assert!(fault["hint"].as_str().unwrap().contains("command, params"), "{fault}");
        }),
        case(
            "a script that extends another class, or comes with its values, is no property",
            |t| {
                t.open(MAIN);
                let other = json!({
                    "parent_path": ".", "node_type": "Node2D", "node_name": "Bad",
                    "properties": {"script": "res://scripts/player.gd"},
                });
                t.edit_fault("composite_compose_node", other, "VALIDATION_ERROR");
                let both =
                    json!({"node_path": "Player", "properties": {"script": null, "speed": 5}});
                t.edit_fault(
                    "composite_apply_node_edits",
                    json!({"edits": [both]}),
                    "VALIDATION_ERROR",
                );
            },
        ),
        case("short parameter names are understood where only one can be meant", |t| {
            t.open(MAIN);
            let made = json!({"parent_path": ".", "type": "Node2D", "name": "Short"});
            let answer = t.ok(RUN, json!({"commands": [entry("create_node", made)]}));
            assert_eq!(answer["results"][0]["result"]["node_path"], "Short", "{answer}");
        }),
    ]
}

fn failures() -> Vec<Case> {
    vec![
        case("a failing entry takes everything back", |t| {
            t.open(MAIN);
            let commands = json!([
                create("A"),
                set("Player", "position", json!([1, 1])),
                entry("delete_node", json!({"node_path": "Enemies", "confirm": true})),
                set("Nobody", "position", json!([1, 1])),
                create("B"),
            ]);
            let fault = aborted(t, commands, 3, "RESOURCE_NOT_FOUND");
            assert_eq!(fault["required"], "node_exists", "{fault}");
            assert_eq!(fault["results"][3]["error"], "RESOURCE_NOT_FOUND", "{fault}");
            assert_eq!(fault["results"][3]["required"], "node_exists", "{fault}");
            assert!(fault["hint"].as_str().unwrap().contains("Nobody"), "{fault}");
        }),
        case("a value that does not fit takes everything back", |t| {
            t.open(MAIN);
            let commands = json!([create("A"), set("Player", "position", json!("garbage"))]);
            aborted(t, commands, 1, "VALIDATION_ERROR");
        }),
        case("the human's own steps survive a batch that fails", |t| {
            t.open(MAIN);
            t.ok(
                "scene_edit_create_node",
                json!({"parent_path": ".", "node_type": "Node", "node_name": "Mine"}),
            );
            let steps = t.steps();
            let commands = json!([create("A"), set("Nobody", "x", json!(1))]);
            aborted(t, commands, 1, "RESOURCE_NOT_FOUND");
            assert_eq!(t.steps(), steps);
            assert!(t.exists("Mine"));
            t.undo(1);
            t.fault(
                RUN,
                json!({"commands": [create("A"), set("Nobody", "x", json!(1))]}),
                "RESOURCE_NOT_FOUND",
            );
            // What was undone before the batch can still be redone after it failed.
            t.redo(1);
            assert!(t.exists("Mine"));
        }),
        case("what a save before the failure kept is told", |t| {
            let scene = t.open(MAIN);
            let steps = t.steps();
            let commands = json!([
                create("A"),
                entry("save_scene", json!({})),
                create("B"),
                set("Nobody", "x", json!(1)),
            ]);
            let fault = t.fault(RUN, json!({"commands": commands}), "RESOURCE_NOT_FOUND");
            assert_eq!(
                (&fault["rolled_back"], &fault["outside_undo"]),
                (&json!(false), &json!([1])),
                "{fault}"
            );
            assert!(!t.exists("A") && !t.exists("B"), "the steps themselves are taken back");
            assert_eq!(t.steps(), steps);
            assert!(t.project().scene(&scene).paths().contains(&"A"));
        }),
        case("a batch that fails is taken back in every scene that it was in", |t| {
            let second = t.open(BOSS);
            let third = t.path("never_shown.tscn");
            std::fs::copy(t.project().file(MAIN), t.project().file(&third)).unwrap();
            t.close_at_end(&third);
            let first = t.open(MAIN);
            let files = |t: &Test<'_>| [&first, &second, &third].map(|it| t.project().read(it));
            let (before, steps) = (files(t), t.steps());
            let fresh = t.path("fresh.gd");
            let commands = json!([
                create("A"),
                entry("open_scene", json!({"scene_path": third})),
                create("B"),
                entry("write_script", json!({"script_path": fresh, "content": "extends Node\n"})),
                entry("open_scene", json!({"scene_path": second})),
                create("C"),
                set("Nobody", "x", json!(1)),
            ]);
            let fault = t.fault(RUN, json!({"commands": commands}), "RESOURCE_NOT_FOUND");
            assert_eq!(
                (&fault["rolled_back"], &fault["outside_undo"], &fault["undo_steps"]),
                (&json!(true), &json!([]), &json!(0)),
                "{fault}"
            );
            for (index, is_view) in [(0, false), (1, true), (2, false), (3, false), (4, true)] {
                let result = &fault["results"][index];
                assert_eq!(
                    (&result["ok"], &result["rolled_back"]),
                    (&json!(true), &json!(!is_view)),
                    "{fault}"
                );
                let is_told = result["hint"].to_string().contains("what the editor shows");
                assert_eq!(is_told, is_view, "{fault}");
            }
            // The scene that was active is so again, and the tab that was opened is still there.
            let open = t.ok("scene_edit_list_open_scenes", json!({}));
            let scenes = open["scenes"].as_array().unwrap();
            let active = scenes.iter().find(|it| it["active"] == json!(true)).unwrap();
            assert_eq!(active["path"], first.as_str(), "{open}");
            assert!(open.to_string().contains(&third), "{open}");
            assert!(!t.project().file(&fresh).exists());
            assert_eq!(t.steps(), steps);
            for (scene, node) in [(&third, "B"), (&second, "C"), (&first, "A")] {
                t.ok("scene_edit_open_scene", json!({"scene_path": scene}));
                assert!(!t.exists(node), "{node} is still there");
                t.saved();
            }
            let names = |text: &str, node: &str| text.contains(&format!("[node name=\"{node}\""));
            for (text, node) in files(t).iter().zip(["A", "C", "B"]) {
                assert!(!names(text, node), "{text}");
            }
            assert_eq!(before.len(), 3);
        }),
        case("no entry closes a scene that the batch changes", |t| {
            let scene = t.open(MAIN);
            let old = t.path("old.gd");
            let text = "extends Node\n";
            t.ok("scripts_write", json!({"script_path": old, "content": text}));
            let before = t.project().read(&scene);
            let at = json!({"scene_path": scene});
            let delete = entry("delete_resource_file", json!({"path": scene}));
            let create_scene =
                entry("create_scene", json!({"scene_path": scene, "root_type": "Node"}));
            for last in [
                delete.clone(),
                entry("close_scene", at.clone()),
                entry("reload_scene", at),
                create_scene,
            ] {
                let write = json!({"script_path": old, "content": "extends Node2D\n"});
                let commands = json!([create("ZZ"), entry("write_script", write), last]);
                let steps = t.steps();
                let call = json!({"commands": commands, "confirm": true});
                let mut preview = call.clone();
                preview["dry_run"] = json!(true);
                t.refused(RUN, preview, "commands");
                let fault = t.refused(RUN, call, "commands");
                assert_eq!(
                    (&fault["aborted_at"], &fault["rolled_back"], &fault["outside_undo"]),
                    (&json!(2), &json!(true), &json!([])),
                    "{fault}"
                );
                assert!(fault["hint"].as_str().unwrap().contains("save_scene"), "{fault}");
                assert!(!t.exists("ZZ"));
                assert_eq!(t.project().read(&old), text);
                assert_eq!(t.project().read(&scene), before);
                assert_eq!(t.steps(), steps);
            }
            // Nor may an entry change what an earlier one closes only at the end.
            let call = json!({"commands": [delete, create("ZZ")], "confirm": true});
            t.refused(RUN, call, "commands");
            assert_eq!(t.project().read(&scene), before);
            assert!(!t.exists("ZZ"));
            // Files that are changed along with a scene that is only closed come back.
            let write = json!({"script_path": old, "content": "extends Node2D\n"});
            let close = entry("close_scene", json!({"scene_path": scene}));
            let commands = json!([entry("write_script", write), close]);
            let answer = t.ok(RUN, json!({"commands": commands, "confirm": true}));
            assert_eq!(answer["outside_undo"], json!([1]), "{answer}");
            t.undo(1);
            assert_eq!(t.project().read(&old), text);
            t.ok("scene_edit_open_scene", json!({"scene_path": scene}));
        }),
        case("an extraction in a batch that fails is taken back, file and all", |t| {
            t.open(MAIN);
            let target = t.path("coins.tscn");
            let extract =
                json!({"node_path": "Coins", "scene_path": target, "replace_with_instance": true});
            aborted(
                t,
                json!([entry("extract_scene", extract), set("Nobody", "x", json!(1))]),
                1,
                "RESOURCE_NOT_FOUND",
            );
            assert!(!t.project().file(&target).exists());
        }),
        case("without stop_on_error only what fails is left out", |t| {
            t.open(MAIN);
            let commands = json!([
                create("A"),
                set("Nobody", "position", json!([1, 1])),
                entry("no_such_command", json!({})),
                create("B"),
            ]);
            let arguments = json!({"commands": commands, "stop_on_error": false});
            let edit = t.edit(RUN, arguments);
            let answer = &edit.answer;
            assert_eq!(
                (&answer["ok_all"], &answer["count"]),
                (&json!(false), &json!(4)),
                "{answer}"
            );
            let errors: Vec<_> = (0..4).map(|i| answer["results"][i]["error"].clone()).collect();
            assert_eq!(
                errors,
                [Value::Null, json!("RESOURCE_NOT_FOUND"), json!("VALIDATION_ERROR"), Value::Null]
            );
            assert!(edit.saved.paths().contains(&"A"));
            assert!(edit.saved.paths().contains(&"B"));
        }),
        case("entries pass the gate of their own tools", |t| {
            t.open(MAIN);
            for (bad, code) in [
                (entry("create_nod", json!({})), "VALIDATION_ERROR"),
                (entry("run_commands", json!({"commands": []})), "VALIDATION_ERROR"),
                (entry("undo", json!({})), "VALIDATION_ERROR"),
                (entry("health_check", json!({})), "VALIDATION_ERROR"),
                (entry("create_node", json!({"parent_path": "."})), "VALIDATION_ERROR"),
                (
                    entry(
                        "create_node",
                        json!({"parent_path": "../..", "node_type": "Node", "node_name": "X"}),
                    ),
                    "VALIDATION_ERROR",
                ),
                (entry("open_scene", json!({"scene_path": "res://../x.tscn"})), "VALIDATION_ERROR"),
                (entry("get_scene_tree", json!({"max_depth": 5000})), "VALIDATION_ERROR"),
            ] {
                let commands = json!([create("A"), bad]);
                let fault = t.edit_fault(RUN, json!({"commands": commands}), code);
                assert_eq!(
                    (&fault["aborted_at"], &fault["count"]),
                    (&json!(1), &json!(0)),
                    "{fault}"
                );
            }
            t.ok("disable_toolset", json!({"category": "inspection"}));
            let commands = json!([create("A"), entry("get_scene_tree", json!({}))]);
            t.refused(RUN, json!({"commands": commands}), "toolset");
            t.ok("enable_toolset", json!({"category": "inspection"}));
            assert!(!t.exists("A"));
        }),
        case("a scene that is not meant refuses the batch", |t| {
            t.open(MAIN);
            let arguments = json!({"commands": [create("A")], "scene": "res://scenes/other.tscn"});
            t.refused(RUN, arguments, "scene_match");
            let guarded = json!({"parent_path": ".", "node_type": "Node", "node_name": "X", "scene": "res://o.tscn"});
            let arguments = json!({"commands": [create("A"), entry("create_node", guarded)]});
            t.refused(RUN, arguments, "scene_match");
            assert!(!t.exists("A"));
        }),
    ]
}

fn previews() -> Vec<Case> {
    vec![
        case("a preview plans each entry as far as it can, and says where it cannot", |t| {
            t.open(MAIN);
            let commands = json!([
                create("A"),
                set("A", "position", json!([1, 2])),
                set("Player", "position", json!([1, 2])),
            ]);
            let preview = t.ok(RUN, json!({"commands": commands, "dry_run": true}));
            assert_eq!(
                preview["planned"],
                json!(["create_node", "set_node_property"]),
                "{preview}"
            );
            assert_eq!(preview["results"][0]["result"]["node_path"], "A");
            assert_eq!(preview["results"][0]["result"]["created"], false);
            assert_eq!(preview["results"][1]["depends_on_earlier"], true, "{preview}");
            assert_eq!(preview["plan"][0]["tool"], "godot_scene_edit_create_node", "{preview}");
            assert_eq!(preview["plan"][0]["safety_class"], "mutating", "{preview}");
            assert!(!t.exists("A"));
        }),
        case("a preview refuses what an earlier entry takes away", |t| {
            t.open(MAIN);
            let commands = json!([
                entry("delete_node", json!({"node_path": "Player", "confirm": true})),
                set("Player", "position", json!([1, 2])),
            ]);
            let fault = aborted(t, commands.clone(), 1, "RESOURCE_NOT_FOUND");
            let call = json!({"commands": commands, "dry_run": true});
            let preview = t.fault(RUN, call, "RESOURCE_NOT_FOUND");
            assert_eq!(preview["required"], "node_exists", "{preview}");
            assert_eq!(preview["required"], fault["required"], "{fault}");
        }),
    ]
}

fn places() -> Vec<Case> {
    vec![
        case("a folder that an earlier entry makes can be moved in the same batch", |t| {
            let (old, new) = (t.path("old"), t.path("new"));
            let gradient = json!({"type": "Gradient", "resource_path": format!("{old}/in/g.tres"), "properties": {}});
            let commands = json!([
                entry("create_resource", gradient),
                entry("move_file", json!({"path": old, "new_path": new})),
            ]);
            let call =
                |dry_run: bool| json!({"commands": commands, "confirm": true, "dry_run": dry_run});
            let preview = t.ok(RUN, call(true));
            assert_eq!(preview["results"][1]["depends_on_earlier"], true, "{preview}");
            assert!(!t.project().file(&old).exists());
            let answer = t.ok(RUN, call(false));
            assert_eq!(answer["ok_all"], true, "{answer}");
            assert!(t.project().file(&format!("{new}/in/g.tres")).exists());
            t.undo(1);
            assert!(!t.project().file(&new).exists() && !t.project().file(&old).exists());
        }),
        case("two files change places in one batch", |t| {
            let [a, b, between] = ["a.gd", "b.gd", "between.gd"].map(|name| t.path(name));
            for (path, text) in [(&a, "extends Node\n"), (&b, "extends Node2D\n")] {
                std::fs::write(t.project().file(path), text).unwrap();
            }
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let go =
                |from: &str, to: &str| entry("move_file", json!({"path": from, "new_path": to}));
            let read = |path: &str| entry("read_script", json!({"script_path": path}));
            let commands =
                json!([go(&a, &between), go(&b, &a), go(&between, &b), read(&b), read(&a)]);
            let call =
                |dry_run: bool| json!({"commands": commands, "confirm": true, "dry_run": dry_run});
            let preview = t.ok(RUN, call(true));
            assert_eq!(preview["results"][1]["depends_on_earlier"], true, "{preview}");
            let answer = t.ok(RUN, call(false));
            assert_eq!(answer["ok_all"], true, "{answer}");
            let texts = |t: &Test<'_>| [&a, &b].map(|path| t.project().read(path));
            assert_eq!(texts(t), ["extends Node2D\n", "extends Node\n"]);
            t.undo(1);
            assert_eq!(texts(t), ["extends Node\n", "extends Node2D\n"]);
            // What is gone and not put back is still missed.
            let commands = json!([go(&a, &between), go(&a, &b)]);
            let call = json!({"commands": commands, "confirm": true, "dry_run": true});
            t.fault(RUN, call, "RESOURCE_NOT_FOUND");
        }),
    ]
}

/// A script of the case's own.
fn script(t: &mut Test<'_>, text: &str) -> String {
    let path = t.path("own.gd");
    std::fs::write(t.project().file(&path), text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    path
}

fn agreement() -> Vec<Case> {
    vec![case("a preview refuses nothing that works, and promises nothing that is refused", |t| {
        t.open(MAIN);
        let own = script(t, "extends Node2D\nvar a := 60.0\n");
        let fresh = t.path("fresh.gd");
        let shader = t.path("own.gdshader");
        let patch = |from: &str, to: &str| {
            entry("patch_script", json!({"script_path": own, "find": from, "replace": to}))
        };
        let write =
            |text: &str| entry("write_script", json!({"script_path": fresh, "content": text}));
        let kept = t.path("kept.gdshader");
        let code = "shader_type canvas_item;\nuniform float amount = 1.0;\n";
        std::fs::write(t.project().file(&kept), code).unwrap();
        let folder = t.path("folder");
        std::fs::create_dir_all(t.project().file(&folder)).unwrap();
        let there = t.project().file(&format!("{folder}/there.gd"));
        std::fs::write(there, "extends Node\n").unwrap();
        t.ok("scene_edit_rescan_filesystem", json!({}));
        let moved = json!({"path": folder, "new_path": format!("{folder}_then")});
        let moved = entry("project_move_file", moved);
        let resource = |name: &str, kind: &str, properties: Value| {
            let path = t.path(&format!("{name}.tres"));
            let of = json!({"resource_path": path, "type": kind, "properties": properties, "confirm": true});
            entry("create_resource", of)
        };
        let mut refused = Vec::new();
        for (index, commands) in [
            json!([create("A"), create("A"), set("A2", "position", json!([1, 2]))]),
            json!([patch("60.0", "61.0"), patch("61.0", "62.0")]),
            json!([patch("60.0", "61.0"), patch("60.0", "62.0")]),
            json!([
                write("class_name Zed\nextends Node2D\n"),
                entry("find_nodes_by_type", json!({"node_type": "Zed"}))
            ]),
            json!([
                entry(
                    "create_shader",
                    json!({"shader_path": shader, "code": "shader_type canvas_item;\nuniform float amount = 1.0;\n"})
                ),
                entry(
                    "assign_shader_material",
                    json!({"node_path": "Player", "shader_path": shader})
                ),
                entry(
                    "set_shader_param",
                    json!({"node_path": "Player", "name": "amount", "value": 0.5})
                ),
            ]),
            json!([
                entry("add_input_action", json!({"name": "twice"})),
                entry("add_input_action", json!({"name": "twice"}))
            ]),
            json!([
                entry("delete_resource_file", json!({"path": own, "confirm": true})),
                entry("read_script", json!({"script_path": own})),
            ]),
            json!([set("Player", "script", Value::Null), set("Player", "speed", json!(5))]),
            json!([
                entry("set_setting", json!({"name": "my_game/x", "value": 1, "confirm": true})),
                entry("get_setting", json!({"name": "my_game/x"}))
            ]),
            json!([
                entry(
                    "assign_shader_material",
                    json!({"node_path": "Player", "shader_path": kept})
                ),
                entry(
                    "set_shader_param",
                    json!({"node_path": "Player", "name": "amount", "value": 0.5})
                ),
            ]),
            json!([
                resource("inner", "StandardMaterial3D", json!({})),
                resource("outer", "StandardMaterial3D", json!({"next_pass": t.path("inner.tres")})),
            ]),
            json!([
                resource("inner", "CanvasItemMaterial", json!({})),
                set("Player", "material", json!(t.path("inner.tres"))),
            ]),
            json!([
                moved,
                entry(
                    "patch_script",
                    json!({
                        "script_path": format!("{folder}/there.gd"), "find": "Node", "replace": "Node2D",
                    })
                )
            ]),
            json!([
                moved,
                entry(
                    "patch_script",
                    json!({
                        "script_path": format!("{folder}_then/there.gd"), "find": "Node", "replace": "Node2D",
                    })
                )
            ]),
            json!([
                entry("delete_resource_file", json!({"path": own, "confirm": true})),
                entry("write_script", json!({"script_path": own, "content": "extends Node\n"})),
            ]),
        ]
        .into_iter()
        .enumerate()
        {
            let preview = t.call(RUN, json!({"commands": commands, "dry_run": true}));
            let real = t.call(RUN, json!({"commands": commands}));
            let told = preview.value.to_string();
            if real.ok {
                assert!(preview.ok, "{commands} works, but its preview says {told}");
                foretold(&preview.value, &real.value);
                t.undo(u32::try_from(real.value["undo_steps"].as_u64().unwrap()).unwrap());
            } else {
                refused.push((index, real.value["hint"].clone()));
                assert!(
                    !preview.ok || told.contains("depends_on_earlier"),
                    "{commands} is refused ({}), but its preview says {told}",
                    real.value
                );
            }
        }
        let hints: Vec<_> = refused.iter().map(|(_, hint)| hint).collect();
        let refused: Vec<usize> = refused.iter().map(|(index, _)| *index).collect();
        assert_eq!(refused, [2, 5, 6, 7, 12], "{hints:?}");
    })]
}

/// What a preview says of the whole batch is what became of it.
fn foretold(preview: &Value, real: &Value) {
    for field in ["undo_steps", "undoable", "outside_undo", "ok_all", "count"] {
        assert_eq!(preview[field], real[field], "{field}: {preview}, then {real}");
    }
}

fn elsewhere() -> Vec<Case> {
    vec![
        case("a preview counts the undo steps, and tells what undo does not take back", |t| {
            let second = t.open(BOSS);
            let first = t.open(MAIN);
            let open = |scene: &str| entry("open_scene", json!({"scene_path": scene}));
            let save = entry("save_scene", json!({}));
            let fresh = t.path("counted.gd");
            let write = json!({"script_path": fresh, "content": "extends Node\n"});
            let setting = json!({"name": "my_game/counted", "value": 1, "confirm": true});
            for (commands, steps) in [
                (json!([create("A"), save, create("B")]), 2),
                (json!([create("A"), open(&first), set("A", "visible", json!(false))]), 2),
                (json!([create("A"), open(&second), create("B"), open(&first), create("C")]), 3),
                (json!([open(&second), create("A"), save, create("B")]), 2),
                (
                    json!([
                        create("A"),
                        entry("write_script", write),
                        entry("set_setting", setting)
                    ]),
                    1,
                ),
                (json!([entry("select_nodes", json!({"node_paths": ["Player"]}))]), 0),
            ] {
                t.ok("scene_edit_open_scene", json!({"scene_path": first}));
                let preview = t.ok(RUN, json!({"commands": commands, "dry_run": true}));
                assert_eq!(preview["undo_steps"], steps, "{commands}: {preview}");
                let real = t.ok(RUN, json!({"commands": commands}));
                foretold(&preview, &real);
                for scene in [&first, &second] {
                    t.ok("scene_edit_reload_scene", json!({"scene_path": scene, "confirm": true}));
                }
            }
        }),
        case("a preview does not take the scene that is active for the one that will be", |t| {
            let second = t.open(BOSS);
            t.open(MAIN);
            let open = entry("open_scene", json!({"scene_path": second}));
            // The player is in the first scene, and not in the second.
            let commands = json!([
                open,
                set("Player", "visible", json!(false)),
                entry("get_scene_tree", json!({}))
            ]);
            let preview = t.ok(RUN, json!({"commands": commands, "dry_run": true}));
            for index in [1, 2] {
                let told = &preview["results"][index];
                assert_eq!(told["depends_on_earlier"], true, "{preview}");
                assert!(told.get("result").is_none(), "{preview}");
            }
            t.fault(RUN, json!({"commands": commands}), "RESOURCE_NOT_FOUND");
        }),
        case("a scene that is changed, saved and closed is refused before it is saved", |t| {
            let second = t.open(BOSS);
            let first = t.open(MAIN);
            let save = entry("save_scene", json!({}));
            let open = entry("open_scene", json!({"scene_path": second}));
            for (commands, at, scene) in [
                (json!([create("ZZ"), save, entry("close_scene", json!({}))]), 2, &first),
                (
                    json!([
                        open,
                        create("ZZ"),
                        save,
                        entry("close_scene", json!({"scene_path": second})),
                    ]),
                    3,
                    &second,
                ),
            ] {
                let before = [&first, &second].map(|it| t.project().read(it));
                for dry_run in [true, false] {
                    let call = json!({"commands": commands, "confirm": true, "dry_run": dry_run});
                    let fault = t.refused(RUN, call, "commands");
                    assert_eq!(
                        (&fault["aborted_at"], &fault["count"], &fault["dry_run"]),
                        (&json!(at), &json!(0), &json!(dry_run)),
                        "{fault}"
                    );
                    assert_eq!(fault["scene_path"], scene.as_str(), "{fault}");
                    assert_eq!(before, [&first, &second].map(|it| t.project().read(it)));
                    assert!(!t.exists("ZZ"));
                }
            }
            // Alone it is left out, and the rest is done.
            let commands = json!([create("ZZ"), entry("close_scene", json!({}))]);
            let call = json!({"commands": commands, "confirm": true, "stop_on_error": false});
            let preview = t.ok(RUN, json!({"commands": commands, "confirm": true, "stop_on_error": false, "dry_run": true}));
            let real = t.ok(RUN, call);
            foretold(&preview, &real);
            assert_eq!(real["results"][1]["required"], "commands", "{real}");
            assert!(t.exists("ZZ"));
        }),
    ]
}

fn nodes() -> Vec<Case> {
    vec![
        case("compose_node makes a node with all its parts", |t| {
            t.open(MAIN);
            let edit = t.edit("composite_compose_node", json!({
                "parent_path": ".", "node_type": "CharacterBody2D", "node_name": "Player",
                "properties": {"position": [5, 6], "speed": 77, "position:x": 9},
                "script_path": "res://scripts/player.gd",
                "children": [
                    {"node_type": "Sprite2D", "node_name": "Look", "properties": {"visible": false}},
                    {"node_type": "Timer", "properties": {"wait_time": 3}},
                    {"node_type": "Timer"},
                ],
            }));
            let answer = &edit.answer;
            assert_eq!(answer["node_path"], "Player2", "{answer}");
            assert_eq!(
                answer["children"],
                json!(["Player2/Look", "Player2/Timer", "Player2/Timer2"])
            );
            assert_eq!(
                (&answer["created"], &answer["script_attached"]),
                (&json!(true), &json!(true))
            );
            assert_eq!(edit.saved.property("Player2", "position"), "Vector2(9, 6)");
            assert_eq!(edit.saved.property("Player2", "speed"), "77.0");
            assert_eq!(edit.saved.property("Player2/Look", "visible"), "false");
            assert_eq!(edit.saved.property("Player2/Timer", "wait_time"), "3.0");
        }),
        case("compose_node of a class of the project sets what its script exports", |t| {
            t.open(MAIN);
            let edit = t.edit("composite_compose_node", json!({
                "parent_path": ".", "node_type": "Player", "node_name": "Second", "properties": {"speed": 12.5},
            }));
            assert_eq!(edit.saved.property("Second", "speed"), "12.5");
        }),
        case("compose_node refuses as a whole what does not fit in a part", |t| {
            t.open(MAIN);
            let with = |extra: Value| {
                let mut call =
                    json!({"parent_path": ".", "node_type": "Node2D", "node_name": "Bad"});
                call.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
                call
            };
            for extra in [
                json!({"properties": {"nope": 1}}),
                json!({"properties": {"position": "garbage"}}),
                json!({"properties": {"name": "X"}}),
                json!({"script_path": "res://scripts/player.gd"}),
                json!({"children": [{"node_type": "Nope"}]}),
                json!({"children": [{"node_type": "Timer", "properties": {"wait_time": "soon"}}]}),
                json!({"node_name": "a/b"}),
            ] {
                t.edit_fault("composite_compose_node", with(extra), "VALIDATION_ERROR");
            }
            t.edit_fault(
                "composite_compose_node",
                with(json!({"script_path": "res://none.gd"})),
                "RESOURCE_NOT_FOUND",
            );
            t.edit_fault(
                "composite_compose_node",
                with(json!({"parent_path": "No"})),
                "RESOURCE_NOT_FOUND",
            );
        }),
        case("batch_create_nodes gives each its own name", |t| {
            t.open(MAIN);
            let edit = t.edit("composite_batch_create_nodes", json!({
                "parent_path": ".", "node_type": "Node2D", "names": ["Player", "N", "N", "N2", "N"],
                "properties": {"position": [1, 2]},
            }));
            let created = json!(["Player2", "N", "N2", "N3", "N4"]);
            assert_eq!(edit.answer["created"], created, "{}", edit.answer);
            assert_eq!(edit.answer["count"], 5);
            for name in created.as_array().unwrap() {
                assert_eq!(
                    edit.saved.property(name.as_str().unwrap(), "position"),
                    "Vector2(1, 2)"
                );
            }
        }),
        case("batch_create_nodes saves where it is asked to", |t| {
            let scene = t.open(MAIN);
            let call =
                json!({"parent_path": ".", "node_type": "Node", "names": ["Saved"], "save": true});
            let mut preview = call.clone();
            preview["dry_run"] = json!(true);
            assert_eq!(t.ok("composite_batch_create_nodes", preview)["saved"], false);
            let answer = t.ok("composite_batch_create_nodes", call);
            assert_eq!(answer["saved"], true, "{answer}");
            assert!(t.project().scene(&scene).paths().contains(&"Saved"));
        }),
        case("a save that was asked for does not write over what somebody else did", |t| {
            let scene = t.open(MAIN);
            t.saved();
            let file = t.project().file(&scene);
            let text = std::fs::read_to_string(&file).unwrap();
            let theirs = format!("{text}\n[node name=\"Theirs\" type=\"Node\" parent=\".\"]\n");
            std::fs::write(&file, &theirs).unwrap();
            let steps = t.steps();
            let edits = json!([{"node_path": "Player", "properties": {"visible": false}}]);
            for (tool, mut call) in [
                (
                    "composite_compose_node",
                    json!({"parent_path": ".", "node_type": "Node", "node_name": "Mine"}),
                ),
                (
                    "composite_batch_create_nodes",
                    json!({"parent_path": ".", "node_type": "Node", "names": ["Mine"]}),
                ),
                ("composite_apply_node_edits", json!({"edits": edits})),
            ] {
                call["save"] = json!(true);
                let mut preview = call.clone();
                preview["dry_run"] = json!(true);
                t.refused(tool, preview, "save");
                let fault = t.refused(tool, call, "save");
                assert!(fault["hint"].as_str().unwrap().contains("reload_scene"), "{fault}");
                assert_eq!(std::fs::read_to_string(&file).unwrap(), theirs);
                assert!(!t.exists("Mine"));
                assert_eq!(t.steps(), steps);
            }
            t.ok("scene_edit_reload_scene", json!({"scene_path": scene, "confirm": true}));
            let call =
                json!({"parent_path": ".", "node_type": "Node", "node_name": "Mine", "save": true});
            assert_eq!(t.ok("composite_compose_node", call)["saved"], true);
            let scene = t.project().scene(&scene);
            assert!(scene.paths().contains(&"Mine") && scene.paths().contains(&"Theirs"));
        }),
    ]
}

fn edits() -> Vec<Case> {
    vec![
        case("apply_node_edits sets many properties of many nodes", |t| {
            t.open(MAIN);
            let edit = t.edit("composite_apply_node_edits", json!({"edits": [
                {"node_path": "Player", "properties": {"position:x": 5, "position:y": 6, "visible": false}},
                {"node_path": "Enemies", "properties": {"rotation_degrees": 90}},
            ]}));
            assert_eq!(edit.answer["edited"], json!(["Player", "Enemies"]), "{}", edit.answer);
            assert_eq!(edit.answer["persistence"][0]["persisted"], true);
            assert_eq!(edit.saved.property("Player", "position"), "Vector2(5, 6)");
            assert_eq!(edit.saved.property("Player", "visible"), "false");
        }),
        case("apply_node_edits changes nothing where one edit does not fit", |t| {
            t.open(MAIN);
            for (bad, code) in [
                (
                    json!({"node_path": "Nobody", "properties": {"visible": true}}),
                    "RESOURCE_NOT_FOUND",
                ),
                (json!({"node_path": "Player", "properties": {"nope": true}}), "VALIDATION_ERROR"),
                (
                    json!({"node_path": "Player", "properties": {"visible": "maybe"}}),
                    "VALIDATION_ERROR",
                ),
            ] {
                let good = json!({"node_path": "Player", "properties": {"position": [1, 1]}});
                let fault =
                    t.edit_fault("composite_apply_node_edits", json!({"edits": [good, bad]}), code);
                assert!(fault["hint"].as_str().unwrap().contains("edits[1]"), "{fault}");
            }
        }),
    ]
}

fn large() -> Vec<Case> {
    vec![
        case("500 entries are one undo step and give the scene back exactly", |t| {
            t.open(MAIN);
            let commands: Vec<Value> = (0..250)
                .flat_map(|i| {
                    [create(&format!("N{i}")), set(&format!("N{i}"), "position", json!([i, 1]))]
                })
                .collect();
            let edit = t.edit(RUN, json!({"commands": commands}));
            let answer = &edit.answer;
            assert_eq!((&answer["ok_all"], &answer["count"]), (&json!(true), &json!(500)));
            assert_eq!((&answer["undo_steps"], &answer["truncated"]), (&json!(1), &json!(true)));
            assert_eq!(edit.saved.property("N249", "position"), "Vector2(249, 1)");
        }),
        case("a failure at entry 499 leaves no trace", |t| {
            t.open(MAIN);
            let mut commands: Vec<Value> = (0..499).map(|i| create(&format!("N{i}"))).collect();
            commands.push(set("Nobody", "position", json!([1, 1])));
            let fault = aborted(t, json!(commands), 499, "RESOURCE_NOT_FOUND");
            let results = fault["results"].as_array().unwrap();
            assert!(results.iter().any(|it| it["index"] == 499 && it["ok"] == false), "{fault}");
        }),
    ]
}
