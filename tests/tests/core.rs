//! The toolset `core`: diagnostics, toolsets, class reference, undo.

use std::{fs, process::ExitCode};

use e2e::cases::{case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const DEBUG: &str = "debug_workflow";

fn main() -> ExitCode {
    run(vec![
        case("health_check names the editor that calls go to", |t| {
            let health = t.ok("health_check", json!({}));
            assert_eq!(health["bridge_connected"], true, "{health}");
            let editors = health["editors"].as_array().unwrap();
            assert_eq!(editors.len(), 1, "{health}");
            assert_eq!(editors[0]["project_name"], "Coin Cellar");
            assert_eq!(editors[0]["selected"], true);
            assert_eq!(editors[0]["pid"], t.editor().pid());
            assert!(health.get("hint").is_none_or(Value::is_null), "{health}");
        }),
        case("get_server_info tells versions, toolsets and the active scene", |t| {
            let scene = t.open(MAIN);
            let info = t.ok("get_server_info", json!({}));
            assert_eq!(info["bridge"]["connected"], true, "{info}");
            assert_eq!(info["active_scene"], scene.as_str(), "{info}");
            let toolsets: Vec<_> = names(&info["toolsets"], "name");
            let all = protocol::Toolset::ALL.iter().map(|toolset| toolset.name());
            assert_eq!(toolsets, all.collect::<Vec<_>>());
            assert!(!info["common_errors"].as_array().unwrap().is_empty());
        }),
        case("every tool of the list has a safety class", |t| {
            let mut listed: Vec<_> = t
                .client()
                .tools()
                .iter()
                .map(|tool| tool["name"].as_str().unwrap().to_owned())
                .collect();
            let classes = t.ok("list_tools_by_safety_class", json!({}));
            let classes = classes["tools_by_safety_class"].as_object().unwrap();
            let mut classed: Vec<_> = classes
                .values()
                .flat_map(|names| names.as_array().unwrap())
                .map(|name| name.as_str().unwrap().to_owned())
                .collect();
            listed.sort();
            classed.sort();
            assert_eq!(listed, classed);
            let destructive = classes["destructive"].to_string();
            assert!(destructive.contains("godot_scene_edit_delete_node"), "{destructive}");
        }),
        case("a disabled toolset says which call enables it", |t| {
            t.ok("disable_toolset", json!({"category": "scene_edit"}));
            let fault = t.refused("scene_edit_list_open_scenes", json!({}), "toolset");
            let enabled = t.ok("enable_toolset", json!({"category": "scene_edit"}));
            assert!(fault["hint"].as_str().unwrap().contains("godot_enable_toolset"), "{fault}");
            assert!(!enabled["tools"].as_array().unwrap().is_empty(), "{enabled}");
            t.ok("scene_edit_list_open_scenes", json!({}));
        }),
        case("core cannot be disabled, and an unknown toolset is named", |t| {
            let fault = t.call("disable_toolset", json!({"category": "core"}));
            assert!(t.call("health_check", json!({})).ok, "{:?}", fault.value);
            t.fault("enable_toolset", json!({"category": "nope"}), "VALIDATION_ERROR");
        }),
        case("an unknown argument is refused, with the one that was meant", |t| {
            let arguments = json!({"class": "Node2D", "include_inherited": 3});
            let fault = t.fault("describe_class", arguments, "VALIDATION_ERROR").to_string();
            assert!(fault.contains("class"), "{fault}");
            assert!(fault.contains("include_inherited"), "all problems at once: {fault}");
        }),
        case("an unknown tool is an error of the protocol", |t| {
            let params = json!({"name": "godot_nope", "arguments": {}});
            let error = t.client().request("tools/call", params).unwrap_err();
            assert_eq!(error["code"], -32602, "{error}");
        }),
        case("read_resource gives the scene tree as text", |t| {
            t.open(MAIN);
            let text = t.ok("read_resource", json!({"uri": "godot://scene/tree"}));
            let tree: Value = serde_json::from_str(text["result"].as_str().unwrap()).unwrap();
            assert!(tree.to_string().contains("Enemies/Guard"), "{tree}");
        }),
        case("check_for_updates asks no network unless enabled", |t| {
            let status = t.ok("check_for_updates", json!({}));
            assert_eq!(status["enabled"], false, "{status}");
            assert_eq!(status["update_available"], false, "{status}");
        }),
        case("describe_class knows the engine's classes", |t| {
            let class = t.ok("describe_class", json!({"class_name": "Timer"}));
            assert_eq!(class["inherits"], "Node", "{class}");
            assert_eq!(class["can_instantiate"], true);
            assert!(names(&class["properties"], "name").contains(&"wait_time".to_owned()));
            assert!(names(&class["signals"], "name").contains(&"timeout".to_owned()));
            assert!(!names(&class["methods"], "name").contains(&"add_child".to_owned()));
            let arguments = json!({"class_name": "Timer", "include_inherited": true});
            let whole = t.ok("describe_class", arguments);
            assert!(whole["total"].as_u64() > class["total"].as_u64(), "{}", whole["total"]);
        }),
        case("describe_class knows the project's own classes", |t| {
            let class = t.ok("describe_class", json!({"class_name": "Boss"}));
            assert_eq!(class["script"], "res://scripts/boss.gd", "{class}");
            assert_eq!(class["inherits"], "Enemy", "{class}");
            assert!(names(&class["properties"], "name").contains(&"sight".to_owned()), "{class}");
            t.fault("describe_class", json!({"class_name": "Boos"}), "VALIDATION_ERROR");
        }),
        case("a look at all finds nothing where nothing is wrong", |t| {
            let scene = t.open(MAIN);
            let arguments = json!({"timeout_seconds": 4, "expected_timeout": true});
            let report = t.ok(DEBUG, arguments);
            let bridge = &report["bridge"];
            assert_eq!(
                (&bridge["connected"], &bridge["active_scene"], &bridge["project_name"]),
                (&json!(true), &json!(scene), &json!("Coin Cellar")),
                "{report}"
            );
            let tree = report["scene_tree"]["text"].as_str().unwrap();
            assert!(tree.contains("Player"), "{report}");
            let parse = &report["parse"];
            assert_eq!(
                (&parse["ok"], &parse["checked"]),
                (&json!(true), &parse["total"]),
                "{report}"
            );
            assert!(parse["checked"].as_u64() > Some(5), "{report}");
            assert_eq!(
                (&report["run"]["ran"], &report["run"]["timed_out"]),
                (&json!(true), &json!(true)),
                "{report}"
            );
            assert_eq!(report["findings"], json!([]), "{report}");
            assert_eq!(report["suggestions"].as_array().unwrap().len(), 1, "{report}");

            let report = t.ok(DEBUG, json!({"timeout_seconds": 2}));
            let findings = report["findings"].as_array().unwrap();
            assert!(findings.len() == 1 && findings[0].as_str().unwrap().contains("still running"));
        }),
        case("a look at all finds what is wrong, and says how to mend it", |t| {
            let (broken, fails) = (t.path("broken.gd"), t.path("fails.gd"));
            fs::write(t.project().file(&broken), "extends Node\n\nfunc _ready(:\n\tpass\n")
                .unwrap();
            let text = "extends Node\n\nfunc _ready():\n\tvar nothing = null\n\tget_tree().quit(3)\n\t\
                        nothing.call_it()\n";
            fs::write(t.project().file(&fails), text).unwrap();
            let scene = t.path("fails.tscn");
            let text = format!(
                "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{fails}\" id=\"1\"]\n\n\
                 [node name=\"Root\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
            );
            fs::write(t.project().file(&scene), text).unwrap();
            let report = t.ok(DEBUG, json!({"scene": scene, "timeout_seconds": 50}));
            fs::remove_file(t.project().file(&broken)).unwrap();
            let parse = &report["parse"];
            assert_eq!(parse["ok"], false, "{report}");
            let error = &parse["errors"][0];
            assert_eq!((&error["source"], &error["line"]), (&json!(broken), &json!(3)), "{report}");
            let run = &report["run"];
            assert_eq!(run["exit_code"], 3, "{report}");
            let error = &run["errors"][0];
            assert_eq!((&error["source"], &error["line"]), (&json!(fails), &json!(6)), "{report}");
            let (findings, next) =
                (report["findings"].to_string(), report["suggestions"].to_string());
            for words in [&format!("{broken}:3"), "exit code 3", &format!("{fails}:6")] {
                assert!(findings.contains(words), "{words}: {report}");
            }
            for words in [&broken, &fails, "godot_scripts_patch", "godot_debug_workflow again"] {
                assert!(next.contains(words), "{words}: {report}");
            }
        }),
        case(
            "a look at all goes on without a main scene, and not without one that was named",
            |t| {
                t.fault(DEBUG, json!({"scene": "res://none.tscn"}), "RESOURCE_NOT_FOUND");
                t.fault(DEBUG, json!({"scene": "res://../a.tscn"}), "VALIDATION_ERROR");
                let name = "application/run/main_scene";
                t.ok("project_set_setting", json!({"name": name, "value": "", "confirm": true}));
                let report = t.ok(DEBUG, json!({}));
                t.undo(1);
                assert_eq!(report["run"], Value::Null, "{report}");
                assert!(
                    report["findings"][0].as_str().unwrap().contains("no main scene"),
                    "{report}"
                );
                assert_eq!(report["parse"]["ok"], true, "{report}");
            },
        ),
        case("undo and redo say whose step it was", |t| {
            t.open(MAIN);
            let set = json!({"node_path": "Player", "property": "speed", "value": 111});
            t.ok("scene_edit_set_node_property", set);
            let user =
                json!({"do": "set", "node": "Player", "property": "speed", "value": "222.0"});
            t.editor().hands(&user);
            let history = t.ok("list_history", json!({}));
            assert_eq!(names(&history["recent"], "by")[..2], ["user", "agent"], "{history}");

            let refused = t.call("undo", json!({"only_agent": true}));
            assert!(!refused.ok, "the user's own step was undone: {}", refused.value);
            assert_eq!(t.property("Player", "speed"), 222.0);
            let undone = t.undo(1);
            assert_eq!(undone["steps"][0]["by"], "user", "{undone}");
            assert_eq!(t.property("Player", "speed"), 111.0);
            let undone = t.undo(1);
            assert_eq!(undone["steps"][0]["by"], "agent", "{undone}");
            assert_eq!(t.property("Player", "speed"), 180.0);
            t.redo(2);
            assert_eq!(t.property("Player", "speed"), 222.0);
        }),
        case("undo stops where the history ends, and a preview undoes nothing", |t| {
            t.open(MAIN);
            let set = json!({"node_path": "Player", "property": "speed", "value": 50});
            t.ok("scene_edit_set_node_property", set);
            let preview = t.ok("undo", json!({"dry_run": true}));
            assert_eq!(preview["dry_run"], true, "{preview}");
            assert_eq!(t.property("Player", "speed"), 50.0);
            let undone = t.ok("undo", json!({"count": 10}));
            assert_eq!(undone["requested"], 10, "{undone}");
            assert_eq!(undone["undone"], 1, "{undone}");
            assert_eq!(undone["has_undo"], false, "{undone}");
            let nothing = t.ok("undo", json!({}));
            assert_eq!(nothing["undone"], 0, "{nothing}");
            assert_eq!(nothing["nothing_to_undo"], true, "{nothing}");
        }),
        case("a new edit after an undo forgets what could be redone", |t| {
            t.open(MAIN);
            for speed in [1, 2] {
                let set = json!({"node_path": "Player", "property": "speed", "value": speed});
                t.ok("scene_edit_set_node_property", set);
                if speed == 1 {
                    t.undo(1);
                }
            }
            let redone = t.ok("redo", json!({}));
            assert_eq!(redone["redone"], 0, "{redone}");
            assert_eq!(t.property("Player", "speed"), 2.0);
        }),
    ])
}

/// One member of each object of a list.
fn names(list: &Value, key: &str) -> Vec<String> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|it| it[key].as_str().unwrap_or_default().to_owned()).collect()
}
