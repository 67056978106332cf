//! The toolset `profiling`: what the editor and the game cost.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const EDITOR: &str = "profiling_get_editor_performance";
const GAME: &str = "profiling_get_performance_monitors";

fn main() -> ExitCode {
    run([editor(), game(), refusals()].into_iter().flatten().collect())
}

/// A game with monitors of its own: a constant, its frames, and one that is no number.
const GAUGES: &str = r#"extends Node

var ticks := 0

func _ready():
	Performance.add_custom_monitor("game/coins", func(): return 7)
	Performance.add_custom_monitor("game/ticks", func(): return ticks)
	Performance.add_custom_monitor("game/words", func(): return "none")

func _process(_delta):
	ticks += 1
"#;

fn play(t: &mut Test<'_>) {
    let (script, scene) = (t.path("gauges.gd"), t.path("gauges.tscn"));
    fs::write(t.project().file(&script), GAUGES).unwrap();
    let text = format!(
        "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" id=\"1\"]\n\n\
         [node name=\"Root\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    fs::write(t.project().file(&scene), text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    t.ok("runtime_play_scene", json!({"scene_path": scene}));
}

fn stop(t: &mut Test<'_>) {
    assert_eq!(t.ok("runtime_stop_scene", json!({}))["playing"], false);
}

/// A spread is in order.
fn assert_spread(spread: &Value) {
    let number = |name: &str| spread[name].as_f64().unwrap();
    let order = [number("min"), number("p50"), number("p95"), number("max")];
    assert!(order.is_sorted(), "{spread}");
    assert!(number("mean") >= order[0] - 0.001 && number("mean") <= order[3] + 0.001, "{spread}");
}

fn editor() -> Vec<Case> {
    vec![case("the monitors of the editor are told, all or some", |t| {
        let all = t.ok(EDITOR, json!({}));
        let monitors = all["monitors"].as_object().unwrap();
        for name in ["time_fps", "memory_static", "object_count", "object_node_count"] {
            assert!(monitors.contains_key(name), "no {name} in {all}");
        }
        assert!(!monitors.contains_key("monitor_max"), "{all}");
        assert!(monitors["object_node_count"].as_f64() > Some(100.0), "{all}");
        let some = t.ok(EDITOR, json!({"names": ["object_count", "time_fps", "time_fps"]}));
        let names: Vec<_> = some["monitors"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["object_count", "time_fps"], "{some}");
    })]
}

fn game() -> Vec<Case> {
    vec![
        case("the monitors of the game are told, custom ones too", |t| {
            play(t);
            let all = t.ok(GAME, json!({}));
            for flag in ["playing", "connected", "ready"] {
                assert_eq!(all[flag], true, "{all}");
            }
            let monitors = &all["monitors"];
            assert_eq!(monitors["game/coins"], 7.0, "{all}");
            assert_eq!(monitors.get("game/words"), None, "{all}");
            // The root, the autoload, the scene.
            assert_eq!(monitors["object_node_count"], 3.0, "{all}");
            let custom = all["custom"].as_array().unwrap();
            assert!(custom.contains(&json!("game/coins")), "{all}");
            assert_eq!(all["window"], Value::Null, "{all}");
            let ticks = json!({"names": ["game/ticks"]});
            let first = t.ok(GAME, ticks.clone());
            t.ok(GAME, json!({"window_frames": 5}));
            let later = t.ok(GAME, ticks);
            let of = |answer: &Value| answer["monitors"]["game/ticks"].as_f64().unwrap();
            assert!(of(&later) >= of(&first) + 5.0, "{first} {later}");
            assert_eq!(later["monitors"].as_object().unwrap().len(), 1, "{later}");
            stop(t);
        }),
        case("frames are measured over a window", |t| {
            play(t);
            let asked = json!({"names": ["game/ticks", "memory_static"], "window_frames": 20});
            let answer = t.ok(GAME, asked);
            let window = &answer["window"];
            assert_eq!(
                (&window["frames"], &window["timed_out"]),
                (&json!(20), &json!(false)),
                "{answer}"
            );
            assert_spread(&window["frame_ms"]);
            assert!(window["frame_ms"]["max"].as_f64() <= window["ms"].as_f64(), "{answer}");
            // One more in every frame.
            let ticks = &window["monitors"]["game/ticks"];
            assert_spread(ticks);
            assert_eq!(
                ticks["max"].as_f64().unwrap() - ticks["min"].as_f64().unwrap(),
                19.0,
                "{answer}"
            );
            assert_spread(&window["monitors"]["memory_static"]);
            let timed = t.ok(GAME, json!({"window_ms": 200}));
            assert!(timed["window"]["ms"].as_f64() >= Some(200.0), "{timed}");
            assert_eq!(timed["window"]["timed_out"], false, "{timed}");
            assert_eq!(timed["window"]["monitors"], Value::Null, "{timed}");
            // A game without a display shows many frames a second, and never so many.
            let late = t.ok(GAME, json!({"window_frames": 100_000, "timeout_ms": 1000}));
            assert_eq!(late["window"]["timed_out"], true, "{late}");
            assert!(late["window"]["frames"].as_u64() > Some(0), "{late}");
            // One with few is told of in time, too.
            let rate = |t: &mut Test<'_>, rate: u32| {
                let expression = format!("Engine.set_max_fps({rate})");
                t.ok("debugger_evaluate_expression", json!({"expression": expression}));
            };
            rate(t, 5);
            let slow = t.ok(GAME, json!({"window_frames": 30}));
            assert_eq!(slow["window"]["timed_out"], true, "{slow}");
            assert!(slow["window"]["frames"].as_u64() > Some(3), "{slow}");
            rate(t, 0);
            t.ok("runtime_control_time", json!({"frozen": true}));
            let frozen = t.ok(GAME, json!({"window_frames": 2}));
            assert!(frozen["hint"].as_str().unwrap().contains("frozen"), "{frozen}");
            stop(t);
        }),
        case("a game that is stopped in the debugger has monitors and no frames", |t| {
            play(t);
            t.ok("debugger_force_break", json!({}));
            let read = t.ok(GAME, json!({"names": ["object_node_count"]}));
            assert_eq!(read["monitors"]["object_node_count"], 3.0, "{read}");
            t.refused(GAME, json!({"window_frames": 2}), "game_not_breaked");
            t.ok("debugger_continue_execution", json!({}));
            stop(t);
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("without a game it says so, and what cannot be measured is refused", |t| {
        let none = t.ok(GAME, json!({}));
        for flag in ["playing", "connected", "ready"] {
            assert_eq!(none[flag], false, "{none}");
        }
        assert!(none["hint"].as_str().unwrap().contains("godot_runtime_play_scene"), "{none}");
        assert_eq!(none["monitors"], Value::Null, "{none}");
        let (invalid, missing) = ("VALIDATION_ERROR", "RESOURCE_NOT_FOUND");
        let fault = t.fault(EDITOR, json!({"names": ["time_fsp"]}), missing);
        assert_eq!(fault["required"], "names", "{fault}");
        assert!(fault["hint"].as_str().unwrap().contains("time_fps"), "{fault}");
        play(t);
        for (call, code, required) in [
            (json!({"names": ["game/coin"]}), missing, "names"),
            (json!({"window_ms": 2000}), invalid, "timeout_ms"),
            (json!({"window_ms": 50, "timeout_ms": 50}), invalid, "timeout_ms"),
            (json!({"window_frames": -1}), invalid, "window_frames"),
            (json!({"window_frames": 100_001}), invalid, "window_frames"),
        ] {
            let fault = t.fault(GAME, call.clone(), code);
            assert_eq!(fault["required"], required, "{call}: {fault}");
        }
        stop(t);
    })]
}
