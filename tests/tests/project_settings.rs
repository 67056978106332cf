//! The settings of the toolset `project`: typed as the engine has them, written to `project.godot`.

#[cfg(target_os = "linux")]
use std::os::unix::fs::{MetadataExt, symlink};
use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const PROJECT: &str = "res://project.godot";
const SET: &str = "project_set_setting";

fn main() -> ExitCode {
    let mut cases: Vec<Case> =
        [values(), secrets(), limits(), refusals()].into_iter().flatten().collect();
    #[cfg(target_os = "linux")]
    cases.extend(unwritable());
    run(cases)
}

fn call(name: &str, value: Value) -> Value {
    json!({"name": name, "value": value, "confirm": true})
}

fn get(t: &mut Test<'_>, name: &str) -> Value {
    t.ok("project_get_setting", json!({"name": name}))
}

fn get_value(t: &mut Test<'_>, name: &str) -> Value {
    get(t, name)["value"].clone()
}

fn values() -> Vec<Case> {
    vec![
        case("a setting is told with its type, also where it has its default", |t| {
            let name = get(t, "application/config/name");
            assert_eq!((&name["value"], &name["exists"]), (&json!("Coin Cellar"), &json!(true)));
            assert_eq!(name["type"], "String", "{name}");
            let gravity = get(t, "physics/2d/default_gravity");
            assert_eq!((&gravity["value"], &gravity["type"]), (&json!(980.0), &json!("float")));
            let none = get(t, "application/config/nmae");
            assert_eq!(
                (&none["exists"], &none["suggestion"]),
                (&json!(false), &json!("application/config/name"))
            );
        }),
        case("settings of every kind are written, read back and taken back", |t| {
            for (name, value, line) in [
                ("application/config/version", json!("1.2.3"), "config/version=\"1.2.3\""),
                (
                    "display/window/size/viewport_width",
                    json!(1280),
                    "window/size/viewport_width=1280",
                ),
                ("display/window/size/resizable", json!(false), "window/size/resizable=false"),
                ("physics/2d/default_gravity", json!(12.5), "2d/default_gravity=12.5"),
                (
                    "physics/2d/default_gravity_vector",
                    json!([1, 0]),
                    "2d/default_gravity_vector=Vector2(1, 0)",
                ),
                (
                    "rendering/environment/defaults/default_clear_color",
                    json!("#ff0000"),
                    "environment/defaults/default_clear_color=Color(1, 0, 0, 1)",
                ),
                ("layer_names/2d_physics/layer_1", json!("walls"), "2d_physics/layer_1=\"walls\""),
                (
                    "display/window/size/viewport_width.web",
                    json!(800),
                    "window/size/viewport_width.web=800",
                ),
                ("my_game/difficulty", json!("hard"), "difficulty=\"hard\""),
                ("my_game/table", json!({"a": [1, 2.5, true]}), "\"a\": [1, 2.5, true]"),
            ] {
                let edit = t.edit_file(SET, call(name, value.clone()), PROJECT);
                assert_eq!(
                    (&edit.answer["set"], &edit.answer["name"]),
                    (&json!(true), &json!(name))
                );
                assert!(edit.text.contains(line), "{name}: {}", edit.text);
                assert_eq!(get(t, name)["value"], edit.answer["value"], "{name}");
            }
        }),
        case("null removes a setting of one's own, and none of the engine's", |t| {
            t.ok(SET, call("my_game/brief", json!(1)));
            let edit = t.edit_file(SET, call("my_game/brief", Value::Null), PROJECT);
            assert!(!edit.text.contains("brief"), "{}", edit.text);
            assert_eq!(edit.answer["previous"], json!(1), "{}", edit.answer);
            assert_eq!(get(t, "my_game/brief")["exists"], false);
            t.edit_file_fault(
                SET,
                call("physics/2d/default_gravity", Value::Null),
                "VALIDATION_ERROR",
                PROJECT,
            );
        }),
        case(
            "what somebody else wrote to the file meanwhile is kept, by a set and by its undo",
            |t| {
                t.ok(SET, call("my_game/mine", json!(1)));
                let path = t.project().file(PROJECT);
                let text = fs::read_to_string(&path).unwrap();
                fs::write(&path, format!("{text}\n[theirs]\n\nnumber=7\n")).unwrap();
                t.ok(SET, call("my_game/mine", json!(2)));
                assert!(t.project().read(PROJECT).contains("[theirs]\n\nnumber=7"));
                assert_eq!(get(t, "theirs/number")["value"], 7);
                let text = t.project().read(PROJECT);
                fs::write(&path, text.replace("number=7", "number=8")).unwrap();
                t.undo(1);
                let text = t.project().read(PROJECT);
                assert!(text.contains("number=8") && text.contains("mine=1"), "{text}");
            },
        ),
        case("what somebody else took out of the file stays out, and undo is exact", |t| {
            let before = t.project().read(PROJECT);
            let autoload =
                json!({"name": "Theirs", "path": "res://scripts/game_state.gd", "confirm": true});
            let use_it = |t: &mut Test<'_>| {
                let text = "extends Node\n\nfunc _f():\n\tprint(Theirs)\n";
                let call = json!({"script_path": "res://scripts/uses_theirs.gd", "content": text});
                t.ok("scripts_get_parse_errors", call)["ok"].clone()
            };
            t.ok(SET, call("my_game/theirs", json!(1)));
            t.ok(SET, call("physics/2d/default_gravity", json!(12.5)));
            t.ok("resources_edit_register_autoload", autoload);
            assert_eq!(use_it(t), true);
            let path = t.project().file(PROJECT);
            let text = t.project().read(PROJECT);
            let lines = text.lines().filter(|line| {
                let names = ["theirs=", "2d/default_gravity=", "Theirs="];
                !names.iter().any(|name| line.starts_with(name))
            });
            let cut: String = lines.map(|line| format!("{line}\n")).collect();
            fs::write(&path, &cut).unwrap();
            let are_gone = |t: &mut Test<'_>, when: &str| {
                let text = t.project().read(PROJECT);
                for gone in ["theirs=", "default_gravity=", "Theirs="] {
                    assert!(!text.contains(gone), "{gone}: {text}");
                }
                assert_eq!(get(t, "my_game/theirs")["exists"], false);
                assert_eq!(get(t, "autoload/Theirs")["exists"], false);
                assert_eq!(get_value(t, "physics/2d/default_gravity"), 980.0);
                assert_eq!(use_it(t), false, "{when}");
            };
            t.ok(SET, call("my_game/ours", json!(1)));
            are_gone(t, "after a set");
            t.undo(1);
            assert_eq!(t.project().read(PROJECT), cut);
            are_gone(t, "after undo");
            t.redo(1);
            are_gone(t, "after redo");
            t.undo(1);

            // What a step sets itself is set, whoever has taken it out meanwhile; undo takes it back.
            t.ok(SET, call("my_game/ours", json!(1)));
            fs::write(&path, &cut).unwrap();
            t.ok(SET, call("my_game/ours", json!(2)));
            assert!(t.project().read(PROJECT).contains("ours=2"));
            t.undo(1);
            assert_eq!(t.project().read(PROJECT), cut);
            assert_eq!(get(t, "my_game/ours")["exists"], false);
            fs::write(&path, before).unwrap();
        }),
        case("what the engine writes itself is not set", |t| {
            let fault = t.edit_file_fault(
                SET,
                call("application/config/features", json!(["4.6", "X"])),
                "VALIDATION_ERROR",
                PROJECT,
            );
            assert!(fault["hint"].as_str().unwrap().contains("version"), "{fault}");
        }),
        case("a file with long line ends keeps them", |t| {
            let path = t.project().file(PROJECT);
            let text = t.project().read(PROJECT);
            let long = text.replace('\n', "\r\n");
            fs::write(&path, &long).unwrap();
            let lines = json!("one\ntwo \"x\"\n");
            let edit = t.edit_file(SET, call("my_game/lines", lines.clone()), PROJECT);
            let value = "lines=\"one\ntwo \\\"x\\\"\n\"\r\n";
            assert!(edit.text.contains(value), "{}", edit.text);
            assert_eq!(edit.text.matches('\n').count(), edit.text.matches("\r\n").count() + 2);
            assert_eq!(get_value(t, "my_game/lines"), lines);
            assert_eq!(t.ok(SET, call("my_game/lines", lines))["undoable"], false);
            t.undo(1);
            assert_eq!(t.project().read(PROJECT), long);
            fs::write(&path, text).unwrap();
        }),
        case("many settings of one batch are one step, and the file is written once", |t| {
            let before = t.project().read(PROJECT);
            let set = |name: &str, value: Value| json!({"command": "set_setting", "params": {"name": name, "value": value}});
            let find = json!({"content": "value_0=70", "name_glob": "project.godot"});
            // Entries see what the ones before set, also one that looks in the file.
            let mut commands = vec![
                set("my_batch/value_0", json!(0)),
                set("my_batch/value_0", json!(70)),
                set("application/config/name", json!("Batch")),
                json!({"command": "add_action", "params": {"name": "batch_jump"}}),
                json!({"command": "get_setting", "params": {"name": "my_batch/value_0"}}),
                json!({"command": "search_files", "params": find}),
            ];
            commands.extend((1..300).map(|n| set(&format!("my_batch/value_{n}"), json!(n))));
            let call = json!({"commands": commands, "confirm": true});
            let batch = t.ok("composite_run_commands", call.clone());
            assert_eq!((&batch["ok_all"], &batch["undo_steps"]), (&json!(true), &json!(1)));
            assert_eq!(batch["results"][4]["result"]["value"], 70);
            assert_eq!(batch["results"][5]["result"]["matches"], json!([PROJECT]));
            let after = t.project().read(PROJECT);
            for line in ["value_299=299", "value_0=70", "config/name=\"Batch\"", "batch_jump={"] {
                assert!(after.contains(line), "{line}: {after}");
            }
            t.undo(1);
            assert!(t.project().read(PROJECT) == before, "after undo");
            assert_eq!(get_value(t, "my_batch/value_0"), Value::Null);
            assert_eq!(get_value(t, "application/config/name"), "Coin Cellar");
            t.redo(1);
            assert!(t.project().read(PROJECT) == after, "after redo");
            assert_eq!(get_value(t, "my_batch/value_0"), 70);
            t.undo(1);
            assert!(t.project().read(PROJECT) == before, "after undo of a redo");

            // One that fails takes all of them back, and one that may fail only itself.
            let mut bad = call;
            let wrong = json!({"name": "display/window/size/viewport_width", "value": "wide"});
            let wrong = json!({"command": "set_setting", "params": wrong});
            bad["commands"].as_array_mut().unwrap().push(wrong.clone());
            let failed = t.call("composite_run_commands", bad);
            assert!(!failed.ok && failed.value["rolled_back"] == true, "{}", failed.value["hint"]);
            assert!(t.project().read(PROJECT) == before, "after a batch that failed");
            assert_eq!(get_value(t, "my_batch/value_0"), Value::Null);
            let commands = json!([set("my_batch/a", json!(1)), wrong, set("my_batch/b", json!(1))]);
            let call = json!({"commands": commands, "confirm": true, "stop_on_error": false});
            let batch = t.ok("composite_run_commands", call);
            assert_eq!(batch["ok_all"], false, "{batch}");
            let text = t.project().read(PROJECT);
            assert!(text.contains("[my_batch]\n\na=1\nb=1"), "{text}");
            t.undo(1);
            assert!(t.project().read(PROJECT) == before, "after undo of the rest");
        }),
        case("a value that is there already is no step", |t| {
            let answer = t.ok(SET, call("application/config/name", json!("Coin Cellar")));
            assert_eq!(
                (&answer["set"], &answer["undoable"]),
                (&json!(true), &json!(false)),
                "{answer}"
            );
        }),
        case("what the editor has and the file has lost is written again", |t| {
            t.ok(SET, call("my_game/gone", json!(5)));
            let event = json!({"action": "lost", "event_type": "key", "keycode": "K"});
            t.ok("input_map_add_action", json!({"name": "lost"}));
            t.ok("input_map_add_event", event.clone());
            let autoload =
                json!({"name": "Lost", "path": "res://scripts/game_state.gd", "confirm": true});
            t.ok("resources_edit_register_autoload", autoload.clone());
            let path = t.project().file(PROJECT);
            let text = t.project().read(PROJECT);
            let whole = |text: &str| text.contains("gone=5") && text.contains("\"keycode\":75");
            assert!(whole(&text) && text.contains("Lost=\"*"), "{text}");
            let cut = |text: &str, name: &str| {
                let (before, rest) = text.split_once(&format!("\n{name}=")).unwrap();
                let (_, after) = rest.split_once('\n').unwrap();
                format!("{before}\n{after}")
            };
            for (name, tool, call) in [
                ("gone", SET, call("my_game/gone", json!(5))),
                ("Lost", "resources_edit_register_autoload", autoload),
            ] {
                let lost = cut(&text, name);
                assert_ne!(lost, text);
                fs::write(&path, &lost).unwrap();
                let answer = t.ok(tool, call.clone());
                assert_eq!(answer["undoable"], true, "{answer}");
                assert_eq!(t.project().read(PROJECT), text);
                t.undo(1);
                assert_eq!(t.project().read(PROJECT), lost);
                t.redo(1);
                assert_eq!(t.project().read(PROJECT), text);
                // Now it is there.
                assert_eq!(t.ok(tool, call)["undoable"], false);
            }
            let (before, rest) = text.split_once("\nlost={").unwrap();
            let lost = format!("{before}{}", rest.split_once("\n}").unwrap().1);
            fs::write(&path, &lost).unwrap();
            let answer = t.ok("input_map_add_event", event);
            assert_eq!(
                (&answer["already_there"], &answer["undoable"]),
                (&json!(true), &json!(true))
            );
            assert_eq!(t.project().read(PROJECT), text);
        }),
    ]
}

/// The mask that is told in place of a secret.
const MASK: &str = "********";

fn secrets() -> Vec<Case> {
    vec![
        case("secrets are masked by their names, and the mask is not written", |t| {
            let nested = json!({"user": "me", "auth": {"password": "xyzzy"}, "tries": 3});
            for (name, value, told) in [
                ("my_game/api_key", json!("xyzzy"), json!(MASK)),
                ("my_game/steam/clientSecret", json!("xyzzy"), json!(MASK)),
                (
                    "my_game/login",
                    nested,
                    json!({"user": "me", "auth": {"password": MASK}, "tries": 3}),
                ),
            ] {
                let set = t.ok(SET, call(name, value.clone()));
                assert_eq!(set["value"], told, "{set}");
                let read = get(t, name);
                assert_eq!((&read["value"], &read["exists"]), (&told, &json!(true)), "{read}");
                for answer in [&set, &read] {
                    assert!(answer["hint"].as_str().unwrap().contains("secret"), "{answer}");
                }
                let fault =
                    t.edit_file_fault(SET, call(name, told.clone()), "VALIDATION_ERROR", PROJECT);
                assert_eq!(fault["required"], "value", "{fault}");
                let other = if value.is_object() { json!({"user": "you"}) } else { json!("plugh") };
                let again = t.ok(SET, call(name, other));
                assert_eq!(again["previous"], told, "{again}");
                // Undo gives back what nobody was told.
                t.undo(1);
                assert!(t.project().read(PROJECT).contains("xyzzy"), "{name}");
                t.undo(1);
                assert!(!t.project().read(PROJECT).contains("xyzzy"), "{name}");
            }
            let plain = "my_game/token_color";
            let set = t.ok(SET, call(plain, json!("red")));
            assert_eq!((&set["value"], set.get("hint")), (&json!("red"), None), "{set}");
            t.undo(1);
        }),
        case("a search tells and finds no secrets in files of settings", |t| {
            let presets = "res://export_presets.cfg";
            let text =
                "[preset.0.options]\n\nkeystore/release_password=\"xyzzy\"\nkeystore/user=\"me\"\n";
            fs::write(t.project().file(presets), text).unwrap();
            let credentials = t.project().file("res://.godot/export_credentials.cfg");
            fs::write(&credentials, "[preset.0.options]\n\nkeystore/release_user=\"xyzzy\"\n")
                .unwrap();
            for directory in ["res://", "res://.godot"] {
                let find = |content: &str| json!({"directory": directory, "content": content});
                let answer = t.call("project_search_files", find("xyzzy")).value.to_string();
                assert!(!answer.contains(".cfg"), "{answer}");
                let answer = t.call("project_search_files", find("release_")).value.to_string();
                assert!(!answer.contains("xyzzy"), "{answer}");
            }
            let found = t.ok("project_search_files", json!({"content": "release_password"}));
            let line = &found["lines"][0];
            assert_eq!(line["text"], format!("keystore/release_password=\"{MASK}\""), "{found}");
            assert_eq!(line["line"], 3, "{found}");
            for tool in ["scripts_read", "resources_edit_read_resource_file"] {
                for path in [presets, "res://.godot/export_credentials.cfg"] {
                    let call = json!({"script_path": path, "resource_path": path});
                    let answer = t.call(tool, call).value.to_string();
                    assert!(!answer.contains("xyzzy"), "{tool}: {answer}");
                }
            }
            fs::remove_file(t.project().file(presets)).unwrap();
            fs::remove_file(credentials).unwrap();
        }),
    ]
}

/// The engine writes a file beside the one that there is, which is to take its place in the end. From
/// one file system it cannot go to another, and nobody is told.
#[cfg(target_os = "linux")]
fn unwritable() -> Vec<Case> {
    vec![case("settings that could not be written do not read as done", |t| {
        let file = t.project().file(PROJECT);
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let elsewhere = folder.path().join("project.godot");
        if fs::metadata(folder.path()).unwrap().dev() == fs::metadata(&file).unwrap().dev() {
            return;
        }
        t.open("res://scenes/main.tscn");
        fs::copy(&file, &elsewhere).unwrap();
        let before = fs::read(&file).unwrap();
        let kept = t.project().work().join("project.godot");
        fs::rename(&file, &kept).unwrap();
        symlink(&elsewhere, &file).unwrap();

        let set =
            |name: &str| json!({"command": "set_setting", "params": {"name": name, "value": 1}});
        let create = json!({"parent_path": ".", "node_type": "Node", "node_name": "Late"});
        let create = json!({"command": "create_node", "params": create});
        let commands = json!([set("late/a"), create, set("late/b"), set("late/c")]);
        let run = |t: &mut Test<'_>, commands: &Value, stop: bool| {
            let call = json!({"commands": commands, "confirm": true, "stop_on_error": stop});
            t.call("composite_run_commands", call)
        };
        let batch = run(t, &commands, false);
        assert!(batch.ok, "{}", batch.value);
        let batch = batch.value;
        assert_eq!((&batch["ok_all"], &batch["undo_steps"]), (&json!(false), &json!(1)), "{batch}");
        for entry in [0, 2, 3] {
            let result = &batch["results"][entry];
            assert_eq!(
                (&result["ok"], &result["rolled_back"]),
                (&json!(false), &json!(true)),
                "{batch}"
            );
            assert_eq!(result["error"], "PRECONDITION_FAILED", "{batch}");
            assert!(result.get("result").is_none(), "{batch}");
        }
        assert_eq!(batch["results"][1]["ok"], true, "{batch}");
        assert!(t.exists("Late"));
        assert_eq!(t.steps().first().unwrap(), "MCP: Create Late (batch of 4)");
        t.undo(1);
        assert!(!t.exists("Late"));

        let steps = t.steps();
        let batch = run(t, &json!([set("late/a"), set("late/b")]), false).value;
        assert_eq!((&batch["ok_all"], &batch["undo_steps"]), (&json!(false), &json!(0)), "{batch}");
        assert!(batch["results"].as_array().unwrap().iter().all(|it| it["ok"] == false), "{batch}");
        let fault = run(t, &commands, true);
        assert_eq!(
            (fault.ok, &fault.value["rolled_back"]),
            (false, &json!(true)),
            "{}",
            fault.value
        );
        t.fault(SET, call("late/a", json!(1)), "PRECONDITION_FAILED");
        assert_eq!(t.steps(), steps);
        for name in ["late/a", "late/b", "late/c"] {
            assert_eq!(get(t, name)["exists"], false, "{name}");
        }
        assert_eq!(fs::read(&elsewhere).unwrap(), before);

        fs::remove_file(&file).unwrap();
        fs::rename(&kept, &file).unwrap();
        for entry in fs::read_dir(t.project().folder()).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().contains("project.godot-") {
                fs::remove_file(path).unwrap();
            }
        }
        t.editor().hands(&json!({"do": "dismiss"}));
        t.ok(SET, call("late/a", json!(1)));
        t.undo(1);
    })]
}

/// Values that have the right type, and that the engine does not know.
fn limits() -> Vec<Case> {
    vec![
        case("values that the engine does not know are refused", |t| {
            for (name, value) in [
                ("display/window/stretch/mode", json!("bogus")),
                ("rendering/renderer/rendering_method", json!("vulkan")),
                ("display/window/size/viewport_width", json!(-5)),
            ] {
                let fault = t.edit_file_fault(SET, call(name, value), "VALIDATION_ERROR", PROJECT);
                assert_eq!(fault["required"], "value", "{fault}");
            }
            for (name, value) in [
                ("display/window/stretch/mode", json!("viewport")),
                ("rendering/renderer/rendering_method", json!("mobile")),
                ("display/window/size/viewport_width", json!(9000)),
            ] {
                t.edit_file(SET, call(name, value), PROJECT);
                t.undo(1);
            }
        }),
        case("the main scene has to be there, or to be made before in the same batch", |t| {
            let name = "application/run/main_scene";
            for none in ["res://none.tscn", "uid://none", "scenes"] {
                t.edit_file_fault(SET, call(name, json!(none)), "RESOURCE_NOT_FOUND", PROJECT);
            }
            let script = call(name, json!("res://scripts/coin.gd"));
            t.edit_file_fault(SET, script, "VALIDATION_ERROR", PROJECT);
            t.edit_file(SET, call(name, json!("res://scenes/coin.tscn")), PROJECT);
            t.undo(1);
            let path = t.path("begin.tscn");
            let make = json!({"command": "create_scene", "params": {"scene_path": path, "root_type": "Node"}});
            let set = json!({"command": "set_setting", "params": {"name": name, "value": path}});
            let mut batch = json!({"commands": [make, set], "confirm": true, "dry_run": true});
            t.ok("composite_run_commands", batch.clone());
            batch["dry_run"] = json!(false);
            t.ok("composite_run_commands", batch);
            assert_eq!(get_value(t, name), path);
            t.undo(1);
            t.close_at_end(&path);
        }),
        case("a project file that cannot be read is not written over", |t| {
            let file = t.project().file(PROJECT);
            let good = fs::read_to_string(&file).unwrap();
            let line = "config/name=\"Coin Cellar\"\n";
            let marks =
                format!("<<<<<<< ours\n{line}=======\nconfig/name=\"Other\"\n>>>>>>> theirs\n");
            fs::write(&file, good.replace(line, &marks)).unwrap();
            for name in ["my_game/x", "application/config/version"] {
                let call = call(name, json!("1"));
                let fault = t.edit_file_fault(SET, call, "PRECONDITION_FAILED", PROJECT);
                assert!(fault["hint"].as_str().unwrap().contains("merge"), "{fault}");
                assert!(!fault["engine_errors"].as_array().unwrap().is_empty(), "{fault}");
            }
            // The engine itself overlooks this one.
            fs::write(&file, format!("{good}\n<<<<<<< HEAD\n")).unwrap();
            t.edit_file_fault(SET, call("my_game/x", json!(1)), "PRECONDITION_FAILED", PROJECT);
            assert_eq!(get(t, "my_game/x")["exists"], false);
            fs::write(&file, good).unwrap();
            t.edit_file(SET, call("my_game/x", json!(1)), PROJECT);
            let again = t.ok(SET, call("my_game/x", json!(1)));
            assert!(again["hint"].as_str().unwrap().contains("nothing was written"), "{again}");
            t.undo(1);
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("wrong types, unknown keys of the engine and settings with tools are refused", |t| {
        t.refused(SET, json!({"name": "application/config/name", "value": "x"}), "confirm");
        let hint = |t: &mut Test<'_>, name: &str, value: Value| {
            let fault = t.edit_file_fault(SET, call(name, value), "VALIDATION_ERROR", PROJECT);
            fault["hint"].as_str().unwrap().to_owned()
        };
        hint(t, "display/window/size/viewport_width", json!("wide"));
        hint(t, "display/window/size/resizable", json!("perhaps"));
        hint(t, "application/config/name", json!({"a": 1}));
        let near = hint(t, "display/window/size/viewport_widht", json!(5));
        assert!(near.contains("display/window/size/viewport_width"), "{near}");
        hint(t, "physics/2d/no_such", json!(5));
        t.edit_file_fault(SET, call("my_game/never", Value::Null), "RESOURCE_NOT_FOUND", PROJECT);
        assert!(hint(t, "input/jump", json!({})).contains("input_map"));
        assert!(hint(t, "autoload/X", json!("*res://x.gd")).contains("register_autoload"));
        for name in ["", "name", "a//b", "/a", "a/", "a/b=c", "a/b\n[x]", "a/\tb", "a/b\u{7}"] {
            hint(t, name, json!(1));
        }
        for name in [" x/y", "x /y", "x/ y", "x/y ", "x/\u{a0}y"] {
            assert!(hint(t, name, json!(1)).contains("space"), "{name:?}");
        }
    })]
}
