//! The toolset `input`, and the control of time: a playtest of the sample game that repeats exactly.

use std::process::ExitCode;

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run([inputs(), time(), refusals()].into_iter().flatten().collect())
}

/// Plays the main scene at a fixed frame rate, frozen.
fn play(t: &mut Test<'_>) {
    t.ok("runtime_play_scene", json!({"fixed_fps": 60, "frozen": true}));
    let state = t.ok("runtime_control_time", json!({"seed": 1}));
    assert_eq!(state["frozen"], true, "{state}");
}

fn stop(t: &mut Test<'_>) {
    assert_eq!(t.ok("runtime_stop_scene", json!({}))["playing"], false);
}

fn read(t: &mut Test<'_>, node: &str, property: &str) -> Value {
    t.ok("runtime_read_property", json!({"node_path": node, "property": property}))["value"].take()
}

fn step(t: &mut Test<'_>, frames: u64) -> Value {
    t.ok("runtime_step_frames", json!({"frames": frames}))
}

fn inputs() -> Vec<Case> {
    vec![
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
            t.ok("input_simulate_key", json!({"key": "D", "pressed": false}));
            let tape = t.ok("input_stop_recording", json!({}));
            assert_eq!(tape["ready"], true, "{tape}");
            let events = tape["events"].as_array().unwrap().clone();
            let kinds: Vec<_> = events.iter().map(|event| event["type"].clone()).collect();
            assert_eq!(kinds, ["key", "action", "key"], "{tape}");
            assert_eq!((&events[0]["key"], &events[0]["shift"]), (&json!("D"), &json!(true)));
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

fn refusals() -> Vec<Case> {
    vec![case("input that cannot be is refused, and nothing of it is sent", |t| {
        t.refused("input_simulate_key", json!({"key": "A"}), "play_session");
        play(t);
        let hint = |t: &mut Test<'_>, tool: &str, call: Value, code: &str| {
            t.fault(tool, call, code)["hint"].as_str().unwrap().to_owned()
        };
        let invalid = "VALIDATION_ERROR";
        assert!(hint(t, "input_simulate_key", json!({"key": "Spce"}), invalid).contains("Space"));
        assert!(
            hint(t, "input_simulate_action", json!({"action": "move_lft"}), "RESOURCE_NOT_FOUND")
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
    })]
}
