//! The settings of the toolset `project`: typed as the engine has them, written to `project.godot`.

use std::process::ExitCode;

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const PROJECT: &str = "res://project.godot";
const SET: &str = "project_set_setting";

fn main() -> ExitCode {
    run([values(), refusals()].into_iter().flatten().collect())
}

fn call(name: &str, value: Value) -> Value {
    json!({"name": name, "value": value, "confirm": true})
}

fn get(t: &mut Test<'_>, name: &str) -> Value {
    t.ok("project_get_setting", json!({"name": name}))
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
                let text = std::fs::read_to_string(&path).unwrap();
                std::fs::write(&path, format!("{text}\n[theirs]\n\nnumber=7\n")).unwrap();
                t.ok(SET, call("my_game/mine", json!(2)));
                assert!(t.project().read(PROJECT).contains("[theirs]\n\nnumber=7"));
                assert_eq!(get(t, "theirs/number")["value"], 7);
                let text = t.project().read(PROJECT);
                std::fs::write(&path, text.replace("number=7", "number=8")).unwrap();
                t.undo(1);
                let text = t.project().read(PROJECT);
                assert!(text.contains("number=8") && text.contains("mine=1"), "{text}");
            },
        ),
        case("a value that is there already is no step", |t| {
            let answer = t.ok(SET, call("application/config/name", json!("Coin Cellar")));
            assert_eq!(
                (&answer["set"], &answer["undoable"]),
                (&json!(true), &json!(false)),
                "{answer}"
            );
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
        for name in ["", "name", "a//b", "/a", "a/", "a/b=c", "a/b\n[x]"] {
            hint(t, name, json!(1));
        }
    })]
}
