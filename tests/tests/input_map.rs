//! The toolset `input_map`: actions and events, in `project.godot` as the engine itself writes them.

use std::process::ExitCode;

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const PROJECT: &str = "res://project.godot";
const ADD_EVENT: &str = "input_map_add_event";

fn main() -> ExitCode {
    let cases = [actions(), events(), refusals()];
    run(cases.into_iter().flatten().collect())
}

/// An action of the case's own.
fn action(t: &mut Test<'_>, name: &str) {
    t.ok("input_map_add_action", json!({"name": name, "deadzone": 0.2}));
}

/// Adds an event, checks its undo, and gives what the action has then.
fn add(t: &mut Test<'_>, action: &str, event: Value) -> (Value, String) {
    let mut call = json!({"action": action});
    call.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
    let edit = t.edit_file(ADD_EVENT, call, PROJECT);
    assert_eq!(edit.answer["added"], true, "{}", edit.answer);
    let read = t.ok("input_map_get_action_events", json!({"action": action}));
    let index = usize::try_from(edit.answer["event_index"].as_u64().unwrap()).unwrap();
    assert_eq!(read["events"][index], edit.answer["event"], "{read}");
    (read["events"][index].clone(), edit.text)
}

fn actions() -> Vec<Case> {
    vec![
        case("an action is added, told and taken back", |t| {
            let call = json!({"name": "act_a", "deadzone": 0.25});
            let edit = t.edit_file("input_map_add_action", call.clone(), PROJECT);
            assert_eq!(edit.answer["added"], true, "{}", edit.answer);
            assert!(
                edit.text.contains("act_a={\n\"deadzone\": 0.25,\n\"events\": []\n}"),
                "{}",
                edit.text
            );
            let read = t.ok("input_map_get_action_events", json!({"action": "act_a"}));
            assert_eq!((&read["deadzone"], &read["events"]), (&json!(0.25), &json!([])), "{read}");
            t.edit_file_fault("input_map_add_action", call, "VALIDATION_ERROR", PROJECT);
        }),
        case("an action is removed only with confirm, and comes back with its events", |t| {
            action(t, "act_b");
            add(t, "act_b", json!({"event_type": "key", "keycode": "Space"}));
            t.refused("input_map_remove_action", json!({"name": "act_b"}), "confirm");
            let call = json!({"name": "act_b", "confirm": true});
            let edit = t.edit_file("input_map_remove_action", call, PROJECT);
            assert!(!edit.text.contains("act_b"), "{}", edit.text);
            assert_eq!(edit.answer["event_count"], 1, "{}", edit.answer);
            t.fault(
                "input_map_get_action_events",
                json!({"action": "act_b"}),
                "RESOURCE_NOT_FOUND",
            );
            t.undo(1);
            let read = t.ok("input_map_get_action_events", json!({"action": "act_b"}));
            assert_eq!(read["events"][0]["keycode"], "Space", "{read}");
        }),
        case("events are cleared, and the action stays", |t| {
            action(t, "act_c");
            add(t, "act_c", json!({"event_type": "key", "keycode": "A"}));
            t.refused("input_map_clear_action_events", json!({"action": "act_c"}), "confirm");
            let call = json!({"action": "act_c", "confirm": true});
            let edit = t.edit_file("input_map_clear_action_events", call, PROJECT);
            assert!(
                edit.text.contains("act_c={\n\"deadzone\": 0.2,\n\"events\": []\n}"),
                "{}",
                edit.text
            );
        }),
        case("the actions of the game are told as they are", |t| {
            let read = t.ok("input_map_get_action_events", json!({"action": "move_left"}));
            assert_eq!(read["deadzone"], 0.2, "{read}");
            assert_eq!(read["events"][0]["physical_keycode"], "A", "{read}");
            let own = t.ok("input_map_get_action_events", json!({"action": "ui_accept"}));
            assert!(!own["events"].as_array().unwrap().is_empty(), "{own}");
        }),
    ]
}

fn events() -> Vec<Case> {
    vec![
        case("every kind of event is a real object in the file", |t| {
            action(t, "act_d");
            let (key, text) = add(
                t,
                "act_d",
                json!({"event_type": "key", "keycode": "Space", "ctrl": true, "shift": true}),
            );
            assert_eq!(
                (&key["keycode"], &key["modifiers"]),
                (&json!("Space"), &json!(["shift", "ctrl"]))
            );
            assert!(
                text.contains("Object(InputEventKey,") && text.contains("\"keycode\":32"),
                "{text}"
            );
            let (physical, text) = add(
                t,
                "act_d",
                json!({"event_type": "key", "physical_keycode": "w", "device": -1}),
            );
            assert_eq!(
                (&physical["physical_keycode"], &physical["device"]),
                (&json!("W"), &json!(-1))
            );
            assert!(text.contains("\"physical_keycode\":87"), "{text}");
            let (mouse, text) =
                add(t, "act_d", json!({"event_type": "mouse_button", "button": "wheel_up"}));
            assert_eq!((&mouse["button"], &mouse["button_index"]), (&json!("wheel_up"), &json!(4)));
            assert!(text.contains("Object(InputEventMouseButton,"), "{text}");
            let (joy, text) = add(
                t,
                "act_d",
                json!({"event_type": "joy_button", "joy_button_index": 3, "device": 1}),
            );
            assert_eq!((&joy["button_index"], &joy["device"]), (&json!(3), &json!(1)));
            assert!(text.contains("Object(InputEventJoypadButton,"), "{text}");
            let (axis, text) =
                add(t, "act_d", json!({"event_type": "joy_axis", "axis": 1, "axis_value": -1}));
            assert_eq!((&axis["axis"], &axis["axis_value"]), (&json!(1), &json!(-1.0)));
            assert!(text.contains("Object(InputEventJoypadMotion,"), "{text}");
            let read = t.ok("input_map_get_action_events", json!({"action": "act_d"}));
            assert_eq!(read["events"].as_array().unwrap().len(), 5, "{read}");
        }),
        case("a number of a joypad needs no name of the engine", |t| {
            action(t, "act_h");
            for index in [22, 127] {
                let button = json!({"event_type": "joy_button", "joy_button_index": index});
                let (joy, text) = add(t, "act_h", button);
                assert_eq!(joy["button_index"], index, "{joy}");
                assert!(text.contains(&format!("\"button_index\":{index},")), "{text}");
            }
            for index in [7, 9] {
                let axis = json!({"event_type": "joy_axis", "axis": index, "axis_value": 1});
                let (joy, text) = add(t, "act_h", axis);
                assert_eq!(joy["axis"], index, "{joy}");
                assert!(text.contains(&format!("\"axis\":{index},")), "{text}");
            }
        }),
        case("an event that the action has is not added twice", |t| {
            action(t, "act_e");
            let call = json!({"action": "act_e", "event_type": "key", "keycode": "Up"});
            t.ok(ADD_EVENT, call.clone());
            let again = t.ok(ADD_EVENT, call);
            assert_eq!(
                (&again["added"], &again["already_there"], &again["event_index"]),
                (&json!(false), &json!(true), &json!(0)),
                "{again}"
            );
            let held =
                json!({"action": "act_e", "event_type": "key", "keycode": "Up", "alt": true});
            assert_eq!(t.ok(ADD_EVENT, held)["event_index"], 1);
        }),
        case("a batch of actions and events is one step of the project's history", |t| {
            let before = t.project().read(PROJECT);
            let entry =
                |command: &str, params: Value| json!({"command": command, "params": params});
            let commands = json!([
                entry("add_input_action", json!({"name": "act_f"})),
                entry(
                    "input_map_add_event",
                    json!({"action": "act_f", "event_type": "key", "keycode": "F5"})
                ),
                entry("get_input_action_events", json!({"action": "act_f"})),
            ]);
            let answer = t.ok("composite_run_commands", json!({"commands": commands}));
            assert_eq!(
                (&answer["ok_all"], &answer["undo_steps"]),
                (&json!(true), &json!(1)),
                "{answer}"
            );
            assert_eq!(answer["results"][2]["result"]["events"][0]["keycode"], "F5", "{answer}");
            assert!(t.project().read(PROJECT).contains("act_f"));
            t.undo(1);
            assert_eq!(t.project().read(PROJECT), before);
            let mut failing = commands.as_array().unwrap().clone();
            failing.push(entry(
                "add_input_event",
                json!({"action": "no_such", "event_type": "key", "keycode": "A"}),
            ));
            t.edit_file_fault(
                "composite_run_commands",
                json!({"commands": failing}),
                "RESOURCE_NOT_FOUND",
                PROJECT,
            );
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("what is no key, button or action is refused, with what was meant", |t| {
        action(t, "act_g");
        let hint = |t: &mut Test<'_>, call: Value, code: &str| {
            t.edit_file_fault(ADD_EVENT, call, code, PROJECT)["hint"].as_str().unwrap().to_owned()
        };
        let event = |extra: Value| {
            let mut call = json!({"action": "act_g", "event_type": "key"});
            call.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            call
        };
        assert!(hint(t, event(json!({"keycode": "Spce"})), "VALIDATION_ERROR").contains("Space"));
        assert!(
            hint(
                t,
                event(json!({"event_type": "mouse_button", "button": "lefft"})),
                "VALIDATION_ERROR"
            )
            .contains("left")
        );
        let typo = json!({"action": "act_gg", "event_type": "key", "keycode": "A"});
        assert!(hint(t, typo, "RESOURCE_NOT_FOUND").contains("act_g"));
        for extra in [
            json!({}),
            json!({"keycode": "Ctrl+A"}),
            json!({"keycode": "A", "button": "left"}),
            json!({"event_type": "mouse_button"}),
            json!({"event_type": "joy_button"}),
            json!({"event_type": "joy_button", "joy_button_index": 128}),
            json!({"event_type": "joy_axis"}),
            json!({"event_type": "joy_axis", "axis": 10}),
            json!({"event_type": "joy_axis", "axis": 1, "axis_value": 0}),
            json!({"event_type": "joy_axis", "axis": 1, "shift": true}),
            json!({"event_type": "gesture"}),
        ] {
            hint(t, event(extra), "VALIDATION_ERROR");
        }
        for name in ["", " x", "a/b", "a:b", "a\"b", "a=b"] {
            t.edit_file_fault(
                "input_map_add_action",
                json!({"name": name}),
                "VALIDATION_ERROR",
                PROJECT,
            );
        }
        t.fault("input_map_add_action", json!({"name": "ok", "deadzone": 2}), "VALIDATION_ERROR");
        let own = json!({"name": "ui_accept", "confirm": true});
        t.edit_file_fault("input_map_remove_action", own, "VALIDATION_ERROR", PROJECT);
    })]
}
