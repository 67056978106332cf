//! The toolset `input`, and the control of time: a playtest of the sample game that repeats exactly.

use std::{process::ExitCode, time::Duration};

use e2e::{
    cases::{Case, Test, case, run},
    played::{play_script, read, step, stop},
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run([inputs(), time(), frozen(), refusals()].into_iter().flatten().collect())
}

/// Plays the main scene at a fixed frame rate, frozen.
fn play(t: &mut Test<'_>) {
    t.ok("runtime_play_scene", json!({"fixed_fps": 60, "frozen": true}));
    let state = t.ok("runtime_control_time", json!({"seed": 1}));
    assert_eq!(state["frozen"], true, "{state}");
}

/// A field for text that takes what is typed.
const FIELD: &str = "extends Control\n\nvar field := LineEdit.new()\n\nfunc _ready() -> void:\n\
    \tadd_child(field)\n\tfield.grab_focus()\n\tif field.has_method(\"edit\"):\n\
    \t\tfield.call(\"edit\")\n\nfunc text() -> String:\n\treturn field.text\n";

/// What a field for text takes in of these keys.
fn typed(t: &mut Test<'_>, keys: &[Value]) -> String {
    for key in keys {
        for pressed in [true, false] {
            let mut key = key.clone();
            key["pressed"] = json!(pressed);
            t.ok("input_simulate_key", key);
        }
    }
    step(t, 1);
    let call = json!({"expression": "[text(), field.set_text(\"\")][0]", "node_path": "."});
    let text = t.ok("debugger_evaluate_expression", call);
    text["value"].as_str().unwrap().to_owned()
}

fn inputs() -> Vec<Case> {
    vec![
        case("keys type what they stand for", |t| {
            play_script(t, "Control", FIELD);
            let keys = |names: &[&str], shift: bool| -> Vec<Value> {
                names.iter().map(|it| json!({"key": it, "shift": shift})).collect()
            };
            let named = ["A", "Space", "KEY_B", "Minus", "Slash", "5", "Kp 1", "Period", "c"];
            assert_eq!(typed(t, &keys(&named, false)), "a b-/51.c");
            assert_eq!(typed(t, &keys(&["A", "1", "Slash", "2", "minus"], true)), "A!?@_");
            let signs = ["/", "+", "-", "!", " ", "é", "ß", "\"", "_", "€", "1", "x"];
            assert_eq!(typed(t, &keys(&signs, false)), "/+-! éß\"_€1x");
            // Shortcuts type nothing.
            let held = [json!({"key": "B", "alt": true}), json!({"key": "B", "meta": true})];
            assert_eq!(typed(t, &held), "");
            for key in ["Unknown", "unknown", "\n", "", "éa"] {
                t.fault("input_simulate_key", json!({"key": key}), "VALIDATION_ERROR");
            }
            stop(t);
        }),
        case("a key moves the player until it is released", |t| {
            play(t);
            let start = read(t, "Player", "position:x").as_f64().unwrap();
            let sent = t.ok("input_simulate_key", json!({"key": "D"}));
            assert_eq!((&sent["sent"], &sent["kind"]), (&json!(true), &json!("key")), "{sent}");
            step(t, 10);
            let moved = read(t, "Player", "position:x").as_f64().unwrap();
            assert!(moved > start, "from {start} to {moved}");
            t.ok("input_simulate_key", json!({"key": "D", "pressed": false}));
            step(t, 2);
            let there = read(t, "Player", "position:x");
            step(t, 10);
            assert_eq!(read(t, "Player", "position:x"), there);
            stop(t);
        }),
        case("actions, joypads and sequences are handled in the frame that is told", |t| {
            play(t);
            let start = read(t, "Player", "position:x").as_f64().unwrap();
            let action = t.ok("input_simulate_action", json!({"action": "move_left"}));
            assert!(action["frame"].as_u64().unwrap() > 0, "{action}");
            step(t, 5);
            assert!(read(t, "Player", "position:x").as_f64().unwrap() < start);
            let events = json!([
                {"type": "action", "action": "move_left", "pressed": false},
                {"type": "key", "key": "W", "wait_frames": 3},
                {"type": "wait", "wait_frames": 5},
                {"type": "key", "key": "W", "pressed": false},
                {"type": "mouse", "x": 10, "y": 20, "button": "left"},
                {"type": "joypad", "button": 0},
                {"type": "touch", "phase": "down", "x": 5, "y": 5},
            ]);
            let sent = t.ok("input_play_sequence", json!({"events": events}));
            assert_eq!((&sent["count"], &sent["kind"]), (&json!(6), &json!("sequence")), "{sent}");
            let frames = sent["frame"].as_u64().unwrap() - sent["first_frame"].as_u64().unwrap();
            assert!(frames >= 12, "{sent}");
            let stats = t.ok("input_get_stats", json!({}));
            assert_eq!(stats["injected"], 7, "{stats}");
            stop(t);
        }),
        case("what is recorded can be played again", |t| {
            play(t);
            t.ok("input_record", json!({}));
            t.ok("input_simulate_key", json!({"key": "D", "shift": true}));
            t.ok("input_simulate_mouse", json!({"x": 3, "y": 4}));
            t.ok("input_simulate_action", json!({"action": "move_up"}));
            step(t, 10);
            t.ok("input_simulate_key", json!({"key": "D", "pressed": false}));
            step(t, 1);
            let tape = t.ok("input_stop_recording", json!({}));
            assert_eq!(tape["ready"], true, "{tape}");
            let events = tape["events"].as_array().unwrap().clone();
            let kinds: Vec<_> = events.iter().map(|event| event["type"].clone()).collect();
            assert_eq!(kinds, ["key", "action", "key"], "{tape}");
            assert_eq!((&events[0]["key"], &events[0]["shift"]), (&json!("D"), &json!(true)));
            assert_eq!(events[2]["wait_frames"], 10, "frozen frames count: {tape}");
            let again = t.ok("input_play_sequence", json!({"events": events}));
            assert_eq!(again["count"], 3, "{again}");
            assert_eq!(t.ok("input_stop_recording", json!({}))["ready"], false);
            stop(t);
        }),
    ]
}

/// Where the player is after the same input, from the start of the game.
fn playtest(t: &mut Test<'_>) -> Value {
    play(t);
    t.ok("input_simulate_action", json!({"action": "move_right"}));
    let stepped = t.ok(
        "runtime_step_frames",
        json!({
            "frames": 600,
            "until": {"node_path": "Player", "expression": "position.x > 150"},
        }),
    );
    let place = read(t, "Player", "position");
    let enemies = read(t, "Enemies/Patrol", "position");
    stop(t);
    json!({"frames": stepped["frames"], "reached": stepped["reached"], "at": place, "enemy": enemies})
}

fn time() -> Vec<Case> {
    vec![
        case("a playtest of the game repeats exactly", |t| {
            let first = playtest(t);
            assert_eq!(first["reached"], true, "{first}");
            assert_eq!(playtest(t), first);
        }),
        case("a frozen game stands still, and goes on as it was", |t| {
            t.ok("runtime_play_scene", json!({}));
            t.ok("runtime_control_time", json!({"frozen": true}));
            let still = read(t, "Enemies/Patrol", "position");
            assert_eq!(read(t, "Enemies/Patrol", "position"), still);
            let stepped = step(t, 7);
            assert_eq!(
                (&stepped["frames"], &stepped["timed_out"]),
                (&json!(7), &json!(false)),
                "{stepped}"
            );
            let fast = t.ok("runtime_control_time", json!({"frozen": false, "time_scale": 2.0}));
            assert_eq!(
                (&fast["frozen"], &fast["time_scale"]),
                (&json!(false), &json!(2.0)),
                "{fast}"
            );
            let wait = json!({"frames": 100_000, "timeout_ms": 500, "until": {"node_path": ".", "expression": "false"}});
            let late = t.ok("runtime_step_frames", wait);
            assert_eq!(
                (&late["timed_out"], &late["reached"]),
                (&json!(true), &json!(false)),
                "{late}"
            );
            stop(t);
        }),
    ]
}

/// What a timer of the tree does that nodes know nothing of.
const TIMER: &str = "extends Node\n\nvar frames := 0\nvar fired := -1\n\n\
    func _ready() -> void:\n\tawait get_tree().create_timer(0.5).timeout\n\tfired = frames\n\n\
    func _process(_delta: float) -> void:\n\tframes += 1\n";

/// Writes down the keys that it hears of, with the frame.
const EARS: &str = "extends Node\n\nvar frames := 0\nvar heard := []\nvar just := [0, 0]\n\n\
    signal never\n\nvar slow := 0\n\nfunc wait() -> void:\n\tawait never\n\n\
    func _process(_delta: float) -> void:\n\tOS.delay_msec(slow)\n\tframes += 1\n\
    \tjust[0] += int(Input.is_action_just_pressed(\"move_up\"))\n\
    \tjust[1] += int(Input.is_action_just_released(\"move_up\"))\n\n\
    func _input(event: InputEvent) -> void:\n\
    \tif event is InputEventKey and not event.echo:\n\
    \t\theard.append([event.as_text_keycode(), event.pressed])\n\
    \telif event is InputEventMouseButton or event is InputEventScreenTouch:\n\
    \t\theard.append([event.get_class(), event.device, event.pressed])\n";

/// Counts what is just pressed and released, in the ticks of physics and in the frames.
const JUST: &str = "extends Node\n\nvar just := [0, 0, 0, 0]\n\n\
    func _physics_process(_delta: float) -> void:\n\
    \tjust[0] += int(Input.is_action_just_pressed(\"move_up\"))\n\
    \tjust[1] += int(Input.is_action_just_released(\"move_up\"))\n\n\
    func _process(_delta: float) -> void:\n\
    \tjust[2] += int(Input.is_action_just_pressed(\"move_up\"))\n\
    \tjust[3] += int(Input.is_action_just_released(\"move_up\"))\n";

/// Events of every kind, each out of the bounds that its own tool has, or not of its form.
fn impossible_events() -> Value {
    json!([
        {"type": "joypad", "button": 200}, {"type": "joypad", "button": 128},
        {"type": "joypad", "button": -1}, {"type": "joypad", "axis": 11},
        {"type": "joypad", "axis": 10}, {"type": "joypad", "axis": -1},
        {"type": "joypad", "axis": 0, "axis_value": 3}, {"type": "joypad", "button": 0, "device": -4},
        {"type": "joypad", "button": 0, "device": 9999},
        {"type": "touch", "phase": "down", "x": 0, "y": 0, "index": -1},
        {"type": "touch", "phase": "down", "x": 0, "y": 0, "index": 10},
        {"type": "touch", "phase": "drag", "x": 0, "y": 0, "relative_x": 1e308},
        {"type": "touch", "phase": "hover", "x": 0, "y": 0}, {"type": "touch", "phase": "down", "y": 0},
        {"type": "action", "action": "move_up", "strength": 7},
        {"type": "action", "action": "move_up", "strength": -3},
        {"type": "mouse", "x": 1e308, "y": 0}, {"type": "mouse", "x": 0, "y": -1_000_001},
        {"type": "mouse", "x": "left", "y": 0}, {"type": "mouse", "x": 0},
        {"type": "key", "key": "A", "held": true}, {"type": "key"}, {"type": "wait", "key": "A"},
    ])
}

fn frozen() -> Vec<Case> {
    vec![
        case("timers of the tree stand still in a frozen game, and count its frames", |t| {
            let mut fired = Vec::new();
            for steps in [&[40][..], &[7; 6]] {
                play_script(t, "Node", TIMER);
                // Time that goes by outside is none of the game's.
                t.ok("runtime_get_game_output", json!({}));
                assert_eq!((read(t, ".", "frames"), read(t, ".", "fired")), (json!(0), json!(-1)));
                for frames in steps {
                    step(t, *frames);
                }
                fired.push(read(t, ".", "fired").as_i64().unwrap());
                let control = t.ok("runtime_control_time", json!({}));
                assert_eq!(
                    (&control["frozen"], &control["time_scale"]),
                    (&json!(true), &json!(1.0))
                );
                stop(t);
            }
            assert_eq!(fired[0], fired[1]);
            assert!((29..=31).contains(&fired[0]), "half a second is not {} frames", fired[0]);
        }),
        case("input for a frozen game comes with its next frame, and is no error", |t| {
            play_script(t, "Node", EARS);
            for pressed in [true, false] {
                t.ok("input_simulate_key", json!({"key": "W", "pressed": pressed}));
                assert_eq!(read(t, ".", "heard").as_array().unwrap().len(), usize::from(!pressed));
                step(t, 1);
            }
            assert_eq!(read(t, ".", "heard"), json!([["W", true], ["W", false]]));
            assert_eq!(read(t, ".", "just"), json!([1, 1]), "it was not just pressed and released");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["errors"], 0);
            stop(t);
        }),
        case("a step of one frame shows what is just pressed to physics and to nodes", |t| {
            play_script(t, "Node", JUST);
            for round in 1..=4 {
                for pressed in [true, false] {
                    let action = json!({"action": "move_up", "pressed": pressed});
                    t.ok("input_simulate_action", action);
                    step(t, 1);
                    // Time that goes by outside is none of the game's.
                    t.ok("runtime_get_game_output", json!({}));
                }
                let just = json!([round, round, round, round]);
                assert_eq!(read(t, ".", "just"), just, "pressed and released, in both");
            }
            stop(t);
        }),
        case("a frozen game stays so whatever its code does, which holds when it goes on", |t| {
            play_script(t, "Node", TIMER);
            let run = |t: &mut Test<'_>, expression: &str| {
                let call = json!({"expression": expression, "node_path": "."});
                assert_eq!(t.ok("debugger_evaluate_expression", call)["evaluated"], true);
            };
            run(t, "Engine.set_time_scale(2.0)");
            run(t, "get_tree().set_pause(false)");
            t.ok("runtime_control_time", json!({}));
            assert_eq!((read(t, ".", "frames"), read(t, ".", "fired")), (json!(0), json!(-1)));
            let control = t.ok("runtime_control_time", json!({}));
            assert_eq!((&control["frozen"], &control["time_scale"]), (&json!(true), &json!(2.0)));
            step(t, 20);
            assert_eq!(read(t, ".", "frames"), 20);
            let fired = read(t, ".", "fired").as_i64().unwrap();
            assert!(
                (13..=16).contains(&fired),
                "half a second is not {fired} frames at twice the speed"
            );
            stop(t);
        }),
        case("who freezes a game that somebody steps ends the steps, and they say so", |t| {
            play_script(t, "Node", EARS);
            let steps = json!({"frames": 100_000, "timeout_ms": 60000});
            let (_, answer) = t.client().begin("runtime_step_frames", &steps);
            while read(t, ".", "frames").as_i64().unwrap() < 5 {}
            t.ok("runtime_control_time", json!({"frozen": true}));
            let answer = answer.recv_timeout(Duration::from_secs(30)).unwrap();
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            let told: Value = serde_json::from_str(text).unwrap();
            assert_eq!(told["error"], "PRECONDITION_FAILED", "{told}");
            assert_eq!(told["frames"], read(t, ".", "frames"), "{told}");
            stop(t);
        }),
        case("steps of two callers come one after the other", |t| {
            play_script(t, "Node", TIMER);
            let client = t.client();
            let calls = [10, 100].map(|frames| {
                client.begin("runtime_step_frames", &json!({"frames": frames, "timeout_ms": 20000}))
            });
            for ((_, answer), frames) in calls.iter().zip([10, 100]) {
                let answer = answer.recv_timeout(Duration::from_secs(30)).unwrap();
                let told = &answer["result"]["structuredContent"];
                assert_eq!(told["frames"], frames, "{answer}");
            }
            assert_eq!(read(t, ".", "frames"), 110);
            stop(t);
        }),
        case("what is cancelled or late ends in the game, too", |t| {
            play_script(t, "Node", EARS);
            let (id, answer) = t
                .client()
                .begin("runtime_step_frames", &json!({"frames": 100_000, "timeout_ms": 60000}));
            while read(t, ".", "frames").as_i64().unwrap() < 5 {}
            t.client().cancel(id);
            let _ = answer.recv_timeout(Duration::from_millis(1));
            // The next steps can only begin when the others have ended.
            step(t, 1);
            let frames = read(t, ".", "frames");
            assert_eq!(read(t, ".", "frames"), frames, "it goes on");

            let slow = json!({"events": [{"type": "key", "key": "Q", "delay_ms": 1500}], "timeout_ms": 500});
            let slow = t.fault("input_play_sequence", slow, "VALIDATION_ERROR");
            assert_eq!(slow["required"], "timeout_ms", "{slow}");
            t.ok("runtime_control_time", json!({"frozen": false}));
            let events = json!([
                {"type": "key", "key": "W"},
                {"type": "key", "key": "Q", "wait_frames": 100_000},
            ]);
            let late = json!({"events": events, "timeout_ms": 1000});
            let late = t.fault("input_play_sequence", late, "TIMEOUT");
            assert_eq!(late["sent_events"], 1, "{late}");
            let heard = read(t, ".", "heard");
            assert_eq!(heard, json!([["W", true], ["W", false]]), "W is not let go");
            stop(t);
        }),
        case("what waits in a game with few frames a second ends in time", |t| {
            play_script(t, "Node", EARS);
            t.ok("runtime_control_time", json!({"frozen": false}));
            t.ok(
                "debugger_evaluate_expression",
                json!({"expression": "set('slow', 250)", "node_path": "."}),
            );
            // Whatever part of a frame is over when the game is asked.
            for _ in 0..2 {
                let until = json!({"node_path": ".", "expression": "false"});
                let step = json!({"frames": 1000, "until": until, "timeout_ms": 1000});
                let stepped = t.ok("runtime_step_frames", step);
                assert_eq!(stepped["timed_out"], true, "{stepped}");
                t.ok("runtime_control_time", json!({"frozen": false}));
                let state = json!({
                    "node_path": ".", "property": "frames", "op": "<", "expected": 0,
                    "within_ms": 1000, "timeout_ms": 1000,
                });
                let state = t.ok("testing_assert_node_state", state);
                assert_eq!(state["passed"], false, "{state}");
                let awaiting = json!({
                    "expression": "wait()", "node_path": ".", "timeout_ms": 1000,
                });
                let waits = t.fault("debugger_evaluate_expression", awaiting, "TIMEOUT");
                assert!(waits["hint"].as_str().unwrap().contains("still awaits"), "{waits}");
                let events = json!([{"type": "key", "key": "Q", "wait_frames": 1000}]);
                let late = json!({"events": events, "timeout_ms": 1000});
                let late = t.fault("input_play_sequence", late, "TIMEOUT");
                assert_eq!(late["sent_events"], 0, "{late}");
            }
            stop(t);
        }),
        case("a touch that is recorded is played back as it was", |t| {
            play_script(t, "Node", EARS);
            t.ok("runtime_control_time", json!({"frozen": false}));
            t.ok("input_record", json!({"include_motion": true}));
            let events = json!([
                {"type": "touch", "phase": "down", "x": 10, "y": 10},
                {"type": "key", "key": "W", "wait_frames": 0},
                {"type": "touch", "phase": "up", "x": 10, "y": 10},
            ]);
            t.ok("input_play_sequence", json!({"events": events}));
            let tape = t.ok("input_stop_recording", json!({}));
            let kinds: Vec<&Value> =
                tape["events"].as_array().unwrap().iter().map(|it| &it["type"]).collect();
            assert_eq!(kinds, ["touch", "key", "touch"], "{tape}");
            assert_eq!(tape["events"][1]["wait_frames"], 0, "{tape}");
            let heard = read(t, ".", "heard");
            t.ok("input_play_sequence", json!({"events": tape["events"]}));
            let twice = [heard.as_array().unwrap().as_slice(); 2].concat();
            assert_eq!(read(t, ".", "heard"), json!(twice));
            stop(t);
        }),
        case("a key that there is not is no error of the game", |t| {
            play(t);
            t.fault("input_simulate_key", json!({"key": "Nope"}), "VALIDATION_ERROR");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["errors"], 0);
            stop(t);
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![
        case("events of a sequence have the bounds of the tools for them", |t| {
            play(t);
            let scenario = "testing_run_test_scenario";
            for event in impossible_events().as_array().unwrap() {
                let events = json!({"events": [{"type": "key", "key": "A"}, event]});
                for tool in ["input_play_sequence", scenario] {
                    let fault = t.fault(tool, events.clone(), "VALIDATION_ERROR");
                    assert_eq!(fault["required"], "events", "{event}: {fault}");
                    let hint = fault["hint"].as_str().unwrap();
                    assert!(hint.starts_with("events[1]"), "{event}: {fault}");
                }
                let mut single = event.clone();
                let kind = single.as_object_mut().unwrap().remove("type").unwrap();
                if kind != "wait" {
                    let tool = format!("input_simulate_{}", kind.as_str().unwrap());
                    t.fault(&tool, single, "VALIDATION_ERROR");
                }
            }
            assert_eq!(t.ok("input_get_stats", json!({}))["injected"], 0);
            // All that is within them is taken, also what has no name of its own.
            for (button, axis) in [(21, 6), (22, 7), (127, 9)] {
                t.ok("input_simulate_joypad", json!({"button": button, "device": 63}));
                t.ok("input_simulate_joypad", json!({"axis": axis, "axis_value": -1}));
            }
            step(t, 1);
            assert_eq!(t.ok("runtime_is_playing", json!({}))["errors"], 0);
            stop(t);
        }),
        case("input that cannot be is refused, and nothing of it is sent", |t| {
            t.refused("input_simulate_key", json!({"key": "A"}), "play_session");
            play(t);
            let hint = |t: &mut Test<'_>, tool: &str, call: Value, code: &str| {
                t.fault(tool, call, code)["hint"].as_str().unwrap().to_owned()
            };
            let invalid = "VALIDATION_ERROR";
            assert!(
                hint(t, "input_simulate_key", json!({"key": "Spce"}), invalid).contains("Space")
            );
            assert!(
                hint(
                    t,
                    "input_simulate_action",
                    json!({"action": "move_lft"}),
                    "RESOURCE_NOT_FOUND"
                )
                .contains("move_left")
            );
            hint(t, "input_simulate_mouse", json!({"x": 0, "y": 0, "button": "lft"}), invalid);
            hint(t, "input_simulate_joypad", json!({"button": 1, "axis": 1}), invalid);
            hint(t, "input_simulate_touch", json!({"phase": "hover", "x": 0, "y": 0}), invalid);
            let events = json!([{"type": "key", "key": "A"}, {"type": "key", "key": "Nope"}]);
            assert!(
                hint(t, "input_play_sequence", json!({"events": events}), invalid)
                    .contains("events[1]")
            );
            let until = json!({"until": {"node_path": "Player", "expression": "nope >"}});
            hint(t, "runtime_step_frames", until, invalid);
            let until = json!({"until": {"node_path": "Nobody", "expression": "true"}});
            hint(t, "runtime_step_frames", until, "RESOURCE_NOT_FOUND");
            assert_eq!(t.ok("input_get_stats", json!({}))["injected"], 0);
            stop(t);
        }),
    ]
}
