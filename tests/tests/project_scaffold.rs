//! The toolset `project_scaffold`: all of it or nothing.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, case, run};
use serde_json::json;

const PROJECT: &str = "res://project.godot";
const TOOL: &str = "project_scaffold";

fn main() -> ExitCode {
    run(cases())
}

fn cases() -> Vec<Case> {
    vec![
        case(
            "a scaffold writes its files and settings as one step, and keeps what is there",
            |t| {
                let script = t.project().read("res://scripts/game_state.gd");
                let scene = "res://scenes/cave_entry.tscn";
                let call = json!({"type": "2d", "project_name": "Caves", "main_scene": "cave_entry", "confirm": true});
                let mut bare = call.clone();
                bare.as_object_mut().unwrap().remove("confirm");
                t.refused(TOOL, bare, "confirm");
                let edit = t.edit_file(TOOL, call.clone(), PROJECT);
                assert_eq!(edit.answer["created"], true, "{}", edit.answer);
                assert_eq!(edit.answer["paths_created"], json!([scene]), "{}", edit.answer);
                assert_eq!(edit.answer["paths_kept"], json!(["res://scripts/game_state.gd"]));
                assert!(edit.text.contains("config/name=\"Caves\""), "{}", edit.text);
                assert!(edit.text.contains("window/size/viewport_width=1280"), "{}", edit.text);
                assert!(
                    edit.text.contains("run/main_scene=\"res://scenes/cave_entry.tscn\""),
                    "{}",
                    edit.text
                );
                assert_eq!(t.project().scene(scene).node(".").class, "Node2D");
                assert_eq!(t.project().read("res://scripts/game_state.gd"), script);
                t.undo(1);
                assert!(!t.project().file(scene).exists());
            },
        ),
        case("every kind of project has a main scene that opens", |t| {
            for (kind, class) in [("2d", "Node2D"), ("3d", "Node3D"), ("ui", "Control")] {
                let call =
                    json!({"type": kind, "main_scene": format!("start_{kind}"), "confirm": true});
                let answer = t.ok(TOOL, call);
                let scene = answer["main_scene"].as_str().unwrap().to_owned();
                t.ok("scene_edit_open_scene", json!({"scene_path": scene}));
                t.close_at_end(&scene);
                assert_eq!(t.saved().node(".").class, class);
                let root = t.ok(
                    "inspection_get_node_property",
                    json!({"node_path": ".", "property": "name"}),
                );
                assert_eq!(root["value"], format!("Start{kind}").replace("ui", "Ui"), "{root}");
            }
        }),
        case("a script that is there and cannot be the autoload is refused", |t| {
            let script = t.project().file("res://scripts/game_state.gd");
            let before = fs::read(&script).unwrap();
            let call = json!({"type": "2d", "main_scene": "other", "confirm": true});
            for text in ["extends Resource\n", "extends Node\n\nfunc broken(:\n"] {
                let write = json!({
                    "script_path": "res://scripts/game_state.gd", "content": text,
                });
                t.ok("scripts_write", write);
                let fault = t.edit_file_fault(TOOL, call.clone(), "VALIDATION_ERROR", PROJECT);
                assert!(fault["hint"].as_str().unwrap().contains("game_state.gd"), "{fault}");
            }
            fs::remove_file(&script).unwrap();
            fs::create_dir(&script).unwrap();
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let fault = t.edit_file_fault(TOOL, call, "VALIDATION_ERROR", PROJECT);
            assert!(fault["hint"].as_str().unwrap().contains("is a folder"), "{fault}");
            assert!(!t.project().file("res://scenes/other.tscn").exists());
            fs::remove_dir(&script).unwrap();
            fs::write(&script, before).unwrap();
            t.ok("scene_edit_rescan_filesystem", json!({}));
        }),
        case("a file that is there and no scene cannot be the main scene", |t| {
            let scene = t.project().file("res://scenes/garbage.tscn");
            fs::create_dir_all(scene.parent().unwrap()).unwrap();
            fs::write(&scene, "garbage").unwrap();
            let call = json!({"type": "2d", "main_scene": "garbage", "confirm": true});
            let fault = t.edit_file_fault(TOOL, call, "VALIDATION_ERROR", PROJECT);
            assert_eq!(fault["required"], "main_scene", "{fault}");
            fs::remove_file(&scene).unwrap();
        }),
        case("what cannot be a scaffold changes nothing", |t| {
            for call in [
                json!({"type": "4d", "confirm": true}),
                json!({"type": "2d", "main_scene": "../x", "confirm": true}),
                json!({"type": "2d", "main_scene": "a b", "confirm": true}),
                json!({"type": "2d", "main_scene": "1st", "confirm": true}),
            ] {
                t.edit_file_fault(TOOL, call, "VALIDATION_ERROR", PROJECT);
            }
        }),
    ]
}
