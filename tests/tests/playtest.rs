//! The toolset `testing`: checks of the running game, scenarios and stress.

use std::{
    fs,
    process::ExitCode,
    time::{Duration, Instant},
};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const ASSERT: &str = "testing_assert_node_state";
const SCENARIO: &str = "testing_run_test_scenario";
const STRESS: &str = "testing_run_stress_test";

fn main() -> ExitCode {
    run([asserting(), scenarios(), hanging(), stress(), refusals()].into_iter().flatten().collect())
}

fn stop(t: &mut Test<'_>) {
    assert_eq!(t.ok("runtime_stop_scene", json!({}))["playing"], false);
}

/// A scene of one node with a script. Gives its path.
fn scripted(t: &mut Test<'_>, name: &str, body: &str) -> String {
    let (script, scene) = (t.path(&format!("{name}.gd")), t.path(&format!("{name}.tscn")));
    fs::write(t.project().file(&script), format!("extends Node\n\n{body}")).unwrap();
    let text = format!(
        "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" id=\"1\"]\n\n\
         [node name=\"Root\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    fs::write(t.project().file(&scene), text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    scene
}

fn asserting() -> Vec<Case> {
    vec![
        case("every comparison, with values in every form of their type", |t| {
            t.ok("runtime_play_scene", json!({"fixed_fps": 60, "frozen": true}));
            for (node, property, op, expected, passes) in [
                ("Player", "position", "==", json!({"x": 320, "y": 208}), true),
                ("Player", "position", "==", json!([320, 208]), true),
                ("Player", "position", "==", json!("Vector2(320, 208)"), true),
                ("Player", "position", "!=", json!([320, 208]), false),
                ("Player", "position", "approx", json!([320.0004, 208]), true),
                ("Player", "position:x", ">", json!(319.5), true),
                ("Player", "health", "==", json!(3), true),
                ("Player", "health", "<", json!(3.5), true),
                ("Player", "health", "==", json!("many"), false),
                ("Player", "hurt_color", "==", json!("#ff6666"), true),
                ("Player", "name", "==", json!("Player"), true),
                ("Player", "name", "contains", json!("lay"), true),
                ("Player", "visible", "==", json!(true), true),
                ("Player", "material", "==", json!(null), true),
                ("/root/GameState", "score", "<=", json!(0), true),
            ] {
                let wanted = json!({
                    "node_path": node, "property": property, "op": op, "expected": expected,
                });
                let told = t.ok(ASSERT, wanted.clone());
                assert_eq!(told["passed"], passes, "{wanted}: {told}");
                assert_eq!(told["error"], "", "{wanted}: {told}");
            }
            for (node, property, op) in
                [("Nobody", "name", "=="), ("Player", "wings", "=="), ("Player", "position", "<")]
            {
                let wanted =
                    json!({"node_path": node, "property": property, "op": op, "expected": [1, 2]});
                let told = t.ok(ASSERT, wanted);
                assert_eq!(told["passed"], false, "{told}");
                assert_ne!(told["error"], "", "{told}");
            }
            stop(t);
        }),
        case("parts of objects, dictionaries and lists have paths, and enums are numbers", |t| {
            let class = format!("Mode{}", t.path("x").len());
            let body = format!(
                "class_name {class}\n\nenum Mode {{A, B = 5}}\nvar mode: Mode = Mode.B\n\
                 var own: {class}.Mode = Mode.B\nvar d := {{\"a\": [1, {{\"b\": 2}}], 3: \"c\"}}\n\
                 var curve := Curve2D.new()\nvar none: Resource\n"
            );
            let scene = scripted(t, "parts", &body);
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            for (property, expected) in [
                ("mode", json!(5)),
                ("own", json!(5)),
                ("d:a:0", json!(1)),
                ("d:a:1:b", json!(2)),
                ("d:3", json!("c")),
                ("curve:bake_interval", json!(5.0)),
            ] {
                let wanted = json!({"node_path": ".", "property": property, "expected": expected});
                let told = t.ok(ASSERT, wanted.clone());
                assert_eq!((&told["passed"], &told["error"]), (&json!(true), &json!("")), "{told}");
                let read = json!({"node_path": ".", "property": property});
                assert_eq!(t.ok("runtime_read_property", read)["value"], expected, "{property}");
            }
            for property in ["d:b", "d:a:2", "d:a:-1", "curve:wings", "none:x", "mode:x"] {
                let read = json!({"node_path": ".", "property": property});
                let fault = t.fault("runtime_read_property", read, "RESOURCE_NOT_FOUND");
                assert!(fault["hint"].as_str().unwrap().contains("no part"), "{fault}");
            }
            stop(t);
        }),
        case("a dictionary contains its keys, of whatever type", |t| {
            let body =
                "var d := {1: \"x\", \"a\": 2, Vector2i(1, 2): 3}\nvar texts := {\"b\": 1}\n";
            let scene = scripted(t, "keys", body);
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            for (property, expected, passes) in [
                ("d", json!("a"), true),
                ("d", json!(1), true),
                ("d", json!({"x": 1, "y": 2}), true),
                ("d", json!("x"), false),
                ("d", json!("_entries"), false),
                ("texts", json!("b"), true),
                ("texts", json!(1), false),
            ] {
                let wanted = json!({
                    "node_path": ".", "property": property, "op": "contains", "expected": expected,
                });
                let told = t.ok(ASSERT, wanted.clone());
                assert_eq!(
                    (&told["passed"], &told["error"]),
                    (&json!(passes), &json!("")),
                    "{wanted}: {told}"
                );
            }
            stop(t);
        }),
        case("a check waits for what is still to come, and no longer than it may", |t| {
            t.ok("runtime_play_scene", json!({}));
            let seconds = json!({
                "node_path": ".", "property": "seconds", "op": "<", "expected": 60,
                "within_ms": 5000, "timeout_ms": 6000,
            });
            let told = t.ok(ASSERT, seconds);
            assert_eq!(told["passed"], true, "{told}");
            let never = json!({
                "node_path": ".", "property": "seconds", "op": ">", "expected": 100,
                "within_ms": 200,
            });
            let told = t.ok(ASSERT, never);
            assert_eq!((&told["passed"], &told["error"]), (&json!(false), &json!("")), "{told}");
            stop(t);
        }),
    ]
}

/// Walks right for some frames and checks where that leads.
fn walk() -> Value {
    json!({
        "events": [
            {"type": "action", "action": "move_right"},
            {"type": "action", "action": "move_right", "pressed": false, "wait_frames": 30},
        ],
        "assertions": [
            {"node_path": "Player", "property": "position:x", "op": ">", "expected": 390},
            {"node_path": "Player", "property": "health", "expected": 3},
        ],
        "fixed_fps": 60, "setup_ms": 100, "settle_ms": 50, "seed": 7,
    })
}

fn scenarios() -> Vec<Case> {
    vec![
        case("a scenario plays, drives, checks and stops, and repeats exactly", |t| {
            let first = t.ok(SCENARIO, walk());
            assert_eq!(
                (&first["passed"], &first["played"], &first["connected"], &first["error"]),
                (&json!(true), &json!(true), &json!(true), &json!("")),
                "{first}"
            );
            assert_eq!(first["assertions"].as_array().unwrap().len(), 2, "{first}");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
            let second = t.ok(SCENARIO, walk());
            assert_eq!(second["assertions"][0]["actual"], first["assertions"][0]["actual"]);
        }),
        case("in real time, with a check that fails, and the game left running", |t| {
            let told = t.ok(
                SCENARIO,
                json!({
                    "scene": "res://scenes/main.tscn", "setup_ms": 50, "settle_ms": 50,
                    "events": [{"type": "key", "key": "D"}, {"type": "wait", "wait_frames": 3}],
                    "assertions": [
                        {"node_path": "Player", "property": "health", "expected": 99},
                        {"node_path": "Nobody", "property": "health", "expected": 1},
                        {"node_path": "Player", "property": "position:x", "op": ">", "expected": 320},
                    ],
                    "stop_after": false,
                }),
            );
            assert_eq!((&told["passed"], &told["playing_after"]), (&json!(false), &json!(true)));
            let passed: Vec<_> =
                told["assertions"].as_array().unwrap().iter().map(|it| &it["passed"]).collect();
            assert_eq!(passed, [&json!(false), &json!(false), &json!(true)], "{told}");
            assert!(told["assertions"][1]["error"].as_str().unwrap().contains("Nobody"), "{told}");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], true);
            stop(t);
        }),
        case("a game that ends itself fails the scenario, with what it printed", |t| {
            let scene = scripted(
                t,
                "quitter",
                "func _process(_delta):\n\tif Engine.get_process_frames() > 20:\n\t\t\
                 push_error(\"I leave\")\n\t\tget_tree().quit(3)\n",
            );
            let check = json!([{"node_path": ".", "property": "name", "expected": "Root"}]);
            let told =
                t.ok(SCENARIO, json!({"scene": scene, "setup_ms": 5000, "assertions": check}));
            assert_eq!((&told["passed"], &told["played"]), (&json!(false), &json!(true)), "{told}");
            assert_ne!(told["error"], "", "{told}");
            assert!(told["first_errors"][0].as_str().unwrap().contains("I leave"), "{told}");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
        }),
    ]
}

fn hanging() -> Vec<Case> {
    vec![case("a game that hangs fails the scenario, within the time that it has", |t| {
        let body = "var f := 0\n\nfunc _process(_delta):\n\tf += 1\n\tif f == 30:\n\t\t\
                    var k := 0\n\t\twhile true:\n\t\t\tk += 1\n";
        let scene = scripted(t, "hanging", body);
        let check = json!([{"node_path": ".", "property": "f", "expected": 30}]);
        let since = Instant::now();
        let told = t.ok(
            SCENARIO,
            json!({"scene": scene, "setup_ms": 2000, "assertions": check, "timeout_ms": 9000}),
        );
        assert!(since.elapsed() < Duration::from_millis(9800), "{:?}", since.elapsed());
        assert_eq!(told["passed"], false, "{told}");
        assert!(told["error"].as_str().unwrap().contains("did not finish its frame"), "{told}");
        assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
        // One that never gets to its first frame, and one that ends before it.
        for (body, why) in [
            ("func _ready():\n\tprint(\"in\")\n\twhile true: pass\n", "did not answer"),
            ("func _init():\n\tOS.kill(OS.get_process_id())\n", "did not stay"),
        ] {
            let scene = scripted(t, "never", body);
            let told = t.ok(SCENARIO, json!({"scene": scene, "timeout_ms": 6000}));
            let (passed, played) = (&told["passed"], &told["played"]);
            assert_eq!((passed, played), (&json!(false), &json!(true)), "{told}");
            let (connected, after) = (&told["connected"], &told["playing_after"]);
            assert_eq!((connected, after), (&json!(false), &json!(false)), "{told}");
            assert!(told["error"].as_str().unwrap().contains(why), "{told}");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
        }
    })]
}

fn stress() -> Vec<Case> {
    vec![
        case("a game survives random input, of which nothing stays pressed", |t| {
            t.ok("runtime_play_scene", json!({}));
            let told = t.ok(STRESS, json!({"iterations": 50, "seed": 4, "delay_ms": 0}));
            assert_eq!(
                (&told["survived"], &told["iterations"], &told["seed"], &told["playing_after"]),
                (&json!(true), &json!(50), &json!(4), &json!(true)),
                "{told}"
            );
            assert!(told["actions"].as_array().unwrap().contains(&json!("move_left")), "{told}");
            for action in ["move_left", "move_right", "move_up", "move_down"] {
                let expression = format!("Input.is_action_pressed(\"{action}\")");
                let held = t.ok("debugger_evaluate_expression", json!({"expression": expression}));
                assert_eq!(held["value"], false, "{held}");
            }
            stop(t);
        }),
        case(
            "what cannot be over in time, and a frozen game, are refused; the time may run out",
            |t| {
                t.ok("runtime_play_scene", json!({}));
                let long = json!({"iterations": 100, "delay_ms": 1000, "timeout_ms": 2500});
                let fault = t.fault(STRESS, long, "VALIDATION_ERROR");
                assert_eq!(fault["required"], "timeout_ms", "{fault}");
                // Each takes a frame at least, so many more than there is time for.
                let short = json!({"iterations": 2000, "delay_ms": 0, "timeout_ms": 1500});
                let told = t.ok(STRESS, short);
                assert_eq!(told["survived"], false, "{told}");
                let handled = told["iterations"].as_u64().unwrap();
                assert!((20..2000).contains(&handled), "{told}");
                let error = told["error"].as_str().unwrap();
                assert!(error.contains(&format!("handled {handled} of the 2000")), "{told}");
                assert!(!error.contains("endless"), "{told}");
                for action in ["move_left", "move_right", "move_up", "move_down"] {
                    let expression = format!("Input.is_action_pressed(\"{action}\")");
                    let held =
                        t.ok("debugger_evaluate_expression", json!({"expression": expression}));
                    assert_eq!(held["value"], false, "{action}: {held}");
                }
                t.ok("runtime_control_time", json!({"frozen": true}));
                let fault = t.fault(STRESS, json!({"iterations": 40}), "PRECONDITION_FAILED");
                assert!(fault["hint"].as_str().unwrap().contains("control_time"), "{fault}");
                stop(t);
            },
        ),
        case("one that falls over does not, and the fault is told", |t| {
            let scene = scripted(
                t,
                "fragile",
                "func _input(event):\n\tif event.is_action_pressed(\"restart\"):\n\t\t\
                 push_error(\"too much\")\n\t\tget_tree().quit(1)\n",
            );
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            let told = t.ok(STRESS, json!({"iterations": 500, "actions": ["restart"]}));
            assert_eq!(
                (&told["survived"], &told["playing_after"]),
                (&json!(false), &json!(false)),
                "{told}"
            );
            assert_ne!(told["error"], "", "{told}");
            assert!(told["first_errors"][0].as_str().unwrap().contains("too much"), "{told}");
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("what cannot be tested is refused, before the game starts where that can be", |t| {
        let check = json!({"node_path": ".", "property": "name", "expected": 1});
        t.refused(ASSERT, check, "play_session");
        t.refused(STRESS, json!({}), "play_session");
        let missing = json!({"scene": "res://none.tscn"});
        let fault = t.fault(SCENARIO, missing, "RESOURCE_NOT_FOUND");
        assert_eq!(fault["required"], "scene", "{fault}");
        for (wrong, part) in [
            (json!({"events": [{"type": "key", "key": "Nokey"}]}), "events[0]"),
            (
                json!({"events": [{"type": "action", "action": "a"}, {"type": "mouse"}]}),
                "events[1]",
            ),
            (json!({"events": [{"type": "dance"}]}), "type"),
            (
                json!({"assertions": [
                    {"node_path": ".", "property": "name", "expected": 1, "op": "~"},
                ]}),
                "op",
            ),
            (json!({"assertions": [{"node_path": ".", "property": "name"}]}), "expected"),
        ] {
            let fault = t.fault(SCENARIO, wrong.clone(), "VALIDATION_ERROR");
            assert!(fault.to_string().contains(part), "{wrong}: {fault}");
        }
        assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
        // Only the game knows its actions; it is stopped when it refuses.
        let unknown = json!({"events": [{"type": "action", "action": "move_lft"}], "setup_ms": 0});
        let fault = t.fault(SCENARIO, unknown, "RESOURCE_NOT_FOUND");
        assert!(fault["hint"].as_str().unwrap().contains("move_left"), "{fault}");
        assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
        t.ok("runtime_play_scene", json!({}));
        let fault = t.fault(STRESS, json!({"actions": ["jmp"]}), "RESOURCE_NOT_FOUND");
        assert!(fault["hint"].as_str().unwrap().contains("jmp"), "{fault}");
        stop(t);
    })]
}
