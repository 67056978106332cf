//! The toolset `debugger`: a real game, stopped and let go on.

use std::{
    fs,
    process::ExitCode,
    time::{Duration, Instant},
};

use e2e::cases::{Case, Test, case, run_with_breakpoints};
use serde_json::{Value, json};

const PLAYER: &str = "res://scripts/player.gd";

fn main() -> ExitCode {
    let cases = [
        breakpoints(),
        stopping(),
        threads(),
        looking(),
        evaluating(),
        errors(),
        nesting(),
        refusals(),
    ];
    run_with_breakpoints(cases.into_iter().flatten().collect())
}

/// Begins anew, whatever the case before left behind.
fn fresh(t: &mut Test<'_>) {
    t.ok("debugger_clear_breakpoints", json!({}));
    t.call("debugger_continue_execution", json!({}));
    t.ok("runtime_stop_scene", json!({}));
}

fn play(t: &mut Test<'_>) -> Value {
    fresh(t);
    t.ok("runtime_play_scene", json!({}))
}

/// The line of the player's script that has this text.
fn line(t: &mut Test<'_>, text: &str) -> usize {
    let script = fs::read_to_string(t.project().file(PLAYER)).unwrap();
    script.lines().position(|line| line.contains(text)).unwrap() + 1
}

fn break_at(t: &mut Test<'_>, text: &str) -> usize {
    let line = line(t, text);
    let set = t.ok("debugger_set_breakpoint", json!({"path": PLAYER, "line": line}));
    assert_eq!((&set["breakpoint_set"], &set["text"]), (&json!(true), &json!(text)), "{set}");
    line
}

/// The call at the top of the stack, once the game is stopped there.
fn stopped_at(t: &mut Test<'_>, function: &str) -> Value {
    let top = wait_for(t, "debugger_get_stack_frames", json!({}), |answer| {
        answer["frames"][0]["function"] == function
    });
    top["frames"][0].clone()
}

/// Asks until the answer is as it is to be.
fn wait_for(
    t: &mut Test<'_>,
    tool: &str,
    arguments: Value,
    is_there: impl Fn(&Value) -> bool,
) -> Value {
    let since = Instant::now();
    loop {
        let answer = t.call(tool, arguments.clone());
        if answer.ok && is_there(&answer.value) {
            return answer.value;
        }
        assert!(since.elapsed() < Duration::from_secs(10), "{tool} answers {}", answer.value);
    }
}

/// Two functions, one of which calls the other in every frame.
const CHASE: &str = "extends Node\n\nvar speed := 60.0\nvar tags := [\"a\", 2]\n\n\
                     func _process(_delta):\n\tvar goal := next_goal()\n\tspeed = goal\n\tspeed = 60.0\n\n\
                     func next_goal() -> float:\n\treturn speed * 2.0\n";

/// Writes a file of the project, which the editor takes in.
fn write(t: &mut Test<'_>, path: &str, text: &str) {
    fs::write(t.project().file(path), text).unwrap();
}

/// A scene with one node, which has that script. Gives the paths of both.
fn scripted(t: &mut Test<'_>, name: &str, text: &str) -> (String, String) {
    let (script, scene) = (t.path(&format!("{name}.gd")), t.path(&format!("{name}.tscn")));
    write(t, &script, text);
    let scene_text = format!(
        "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" id=\"1\"]\n\n\
         [node name=\"Root\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    write(t, &scene, &scene_text);
    t.ok("scene_edit_rescan_filesystem", json!({}));
    (script, scene)
}

fn breakpoints() -> Vec<Case> {
    vec![
        case("a breakpoint that was set before the game holds in _ready", |t| {
            fresh(t);
            let line = break_at(t, "health = max_health");
            let listed = t.ok("debugger_list_breakpoints", json!({}));
            let text = "health = max_health";
            let expected = json!([{"path": PLAYER, "line": line, "source": "agent", "text": text}]);
            assert_eq!(listed["breakpoints"], expected, "{listed}");
            let state = t.ok("runtime_play_scene", json!({}));
            assert_eq!(
                (&state["playing"], &state["paused"]),
                (&json!(true), &json!(true)),
                "{state}"
            );
            let top = stopped_at(t, "_ready");
            assert_eq!((&top["file"], &top["line"]), (&json!(PLAYER), &json!(line)), "{top}");
            let on = t.ok("debugger_continue_execution", json!({}));
            assert_eq!(on["running"], true, "{on}");
            let state = wait_for(t, "runtime_is_playing", json!({}), |it| it["connected"] == true);
            assert_eq!(state["paused"], false, "{state}");
            fresh(t);
        }),
        case("a breakpoint holds after a lambda that ends with its last line", |t| {
            fresh(t);
            let text = "extends Node\n\nvar n := 0\n\nfunc _ready():\n\t\
                        get_tree().process_frame.connect(func():\n\t\tn += 1)\n\tprint(\"after\")\n";
            let (script, scene) = scripted(t, "lambda", text);
            for line in [7, 8] {
                t.ok("debugger_set_breakpoint", json!({"path": script, "line": line}));
            }
            let state = t.ok("runtime_play_scene", json!({"scene_path": scene}));
            assert_eq!((&state["file"], &state["line"]), (&json!(script), &json!(8)), "{state}");
            t.ok("debugger_continue_execution", json!({}));
            let top = stopped_at(t, "<anonymous lambda>");
            assert_eq!(top["line"], 7, "{top}");
            fresh(t);
        }),
        case("a breakpoint set while the game runs stops it until it is removed", |t| {
            play(t);
            let line = break_at(t, "move_and_slide()");
            stopped_at(t, "_physics_process");
            // It is there in every frame, so the game stops again.
            t.ok("debugger_continue_execution", json!({}));
            stopped_at(t, "_physics_process");
            let at = json!({"path": PLAYER, "line": line});
            let removed = t.ok("debugger_remove_breakpoint", at.clone());
            assert_eq!(
                (&removed["breakpoint_removed"], &removed["in_game"]),
                (&json!(true), &json!(true)),
                "{removed}"
            );
            let on = t.ok("debugger_continue_execution", json!({}));
            assert_eq!(on["running"], true, "{on}");
            // It answers, frame after frame.
            let first = frame(t);
            wait_for(t, "runtime_read_property", player("speed"), |it| {
                it["frame"].as_u64() > Some(first + 10)
            });
            t.fault("debugger_remove_breakpoint", at, "RESOURCE_NOT_FOUND");
            break_at(t, "move_and_slide()");
            break_at(t, "health = max_health");
            let cleared = t.ok("debugger_clear_breakpoints", json!({}));
            assert_eq!(
                (&cleared["breakpoints_cleared"], &cleared["count"]),
                (&json!(true), &json!(2)),
                "{cleared}"
            );
            assert_eq!(t.ok("debugger_list_breakpoints", json!({}))["total"], 0);
            fresh(t);
        }),
    ]
}

fn player(property: &str) -> Value {
    json!({"node_path": "Player", "property": property})
}

fn frame(t: &mut Test<'_>) -> u64 {
    t.ok("runtime_read_property", player("speed"))["frame"].as_u64().unwrap()
}

fn stopping() -> Vec<Case> {
    vec![
        case("a running game is stopped by force, and goes on", |t| {
            play(t);
            let stop = t.ok("debugger_force_break", json!({}));
            assert_eq!(
                (&stop["force_break_sent"], &stop["breaked"]),
                (&json!(true), &json!(true)),
                "{stop}"
            );
            assert!(stop["file"].as_str().unwrap().starts_with("res://scripts/"), "{stop}");
            let again = t.ok("debugger_force_break", json!({}));
            assert_eq!(
                (&again["force_break_sent"], &again["line"]),
                (&json!(false), &stop["line"]),
                "{again}"
            );
            let state = t.ok("runtime_is_playing", json!({}));
            assert_eq!(state["paused"], true, "{state}");
            assert!(state["reason"].as_str().unwrap().contains("res://scripts/"), "{state}");
            t.refused("runtime_read_property", player("speed"), "game_not_breaked");
            let on = t.ok("debugger_continue_execution", json!({}));
            assert_eq!(on["running"], true, "{on}");
            frame(t);
            fresh(t);
        }),
        case("an endless loop is stopped where it is", |t| {
            fresh(t);
            let text =
                "extends Node\n\nfunc _process(_delta):\n\tvar n = 0\n\twhile true:\n\t\tn += 1\n";
            let (script, scene) = scripted(t, "endless", text);
            t.call("runtime_play_scene", json!({"scene_path": scene, "timeout_ms": 3000}));
            let stop = t.ok("debugger_force_break", json!({}));
            assert_eq!(
                (&stop["file"], &stop["function"]),
                (&json!(script), &json!("_process")),
                "{stop}"
            );
            let read =
                t.ok("debugger_evaluate_expression", json!({"expression": "n > 0", "frame": 0}));
            assert_eq!(read["value"], true, "{read}");
            fresh(t);
        }),
        case("a game without scripts is stopped between two frames", |t| {
            fresh(t);
            let scene = t.path("still.tscn");
            let text = "[gd_scene format=3]\n\n[node name=\"Still\" type=\"Node\"]\n";
            write(t, &scene, text);
            t.ok("scene_edit_rescan_filesystem", json!({}));
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            let stop = t.ok("debugger_force_break", json!({}));
            assert_eq!((&stop["breaked"], &stop["line"]), (&json!(true), &Value::Null), "{stop}");
            let frames = t.ok("debugger_get_stack_frames", json!({}));
            assert_eq!(frames["total"], 0, "{frames}");
            assert!(frames["hint"].as_str().unwrap().contains("between two frames"), "{frames}");
            t.fault("debugger_get_frame_variables", json!({}), "RESOURCE_NOT_FOUND");
            t.ok("debugger_continue_execution", json!({}));
            fresh(t);
        }),
        case("steps go into, over and out of functions", |t| {
            fresh(t);
            let (script, scene) = scripted(t, "chase", CHASE);
            let set = t.ok("debugger_set_breakpoint", json!({"path": script, "line": 7}));
            assert_eq!(set["text"], "var goal := next_goal()", "{set}");
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            stopped_at(t, "_process");
            t.ok("debugger_clear_breakpoints", json!({}));
            let place =
                |it: &Value| (it["function"].clone(), it["line"].clone(), it["breaked"].clone());
            let into = t.ok("debugger_step_into", json!({}));
            assert_eq!(place(&into), (json!("next_goal"), json!(12), json!(true)), "{into}");
            let frames = t.ok("debugger_get_stack_frames", json!({}));
            assert_eq!(frames["frames"][1]["function"], "_process", "{frames}");
            let out = t.ok("debugger_step_out", json!({}));
            assert_eq!(place(&out), (json!("_process"), json!(8), json!(true)), "{out}");
            let over = t.ok("debugger_step_over", json!({}));
            assert_eq!(place(&over), (json!("_process"), json!(9), json!(true)), "{over}");
            fresh(t);
        }),
    ]
}

/// A thread that counts, and one that fails.
const THREADS: &str = "extends Node\n\nvar n := 0\nvar thread: Thread\n\n\
    func _process(_delta):\n\tn += 1\n\n\
    func go(work: Callable):\n\tthread = Thread.new()\n\tthread.start(work)\n\n\
    func count():\n\tvar all := 0\n\tall += 1\n\tall += 2\n\tset.call_deferred(\"n\", -1000000)\n\n\
    func fail():\n\tvar none = null\n\tnone.foo()\n\n\
    func brk():\n\tvar a := 1\n\treturn a\n\nfunc two():\n\tvar q := 5\n\treturn q\n";

/// What is evaluated in the node of the scene.
fn evaluate(text: &str) -> Value {
    json!({"expression": text, "node_path": "."})
}

fn threads() -> Vec<Case> {
    vec![
        case("a thread that stops is let go on, and the game runs meanwhile", |t| {
            fresh(t);
            let (script, scene) = scripted(t, "threads", THREADS);
            let line = THREADS.lines().position(|line| line == "\tall += 1").unwrap() + 1;
            t.ok("debugger_set_breakpoint", json!({"path": script, "line": line}));
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            t.ok("debugger_evaluate_expression", evaluate("go(count)"));
            let top = stopped_at(t, "count");
            assert_eq!(top["line"], line, "{top}");
            let state = t.ok("runtime_is_playing", json!({}));
            assert_eq!(state["paused"], true, "{state}");
            assert!(state["reason"].as_str().unwrap().contains("thread"), "{state}");
            // The main loop answers as ever.
            let n = json!({"node_path": ".", "property": "n"});
            let first = t.ok("runtime_read_property", n.clone())["value"].as_i64().unwrap();
            wait_for(t, "runtime_read_property", n, |answer| {
                answer["value"].as_i64() > Some(first)
            });
            let variables = t.fault("debugger_get_frame_variables", json!({}), "UNSUPPORTED");
            assert!(variables["hint"].as_str().unwrap().contains("thread"), "{variables}");
            let stepped = t.ok("debugger_step_over", json!({}));
            assert_eq!((&stepped["breaked"], &stepped["line"]), (&json!(true), &json!(line + 1)));
            let on = t.ok("debugger_continue_execution", json!({}));
            assert_eq!(on["running"], true, "{on}");
            wait_for(
                t,
                "runtime_read_property",
                json!({"node_path": ".", "property": "n"}),
                |answer| answer["value"].as_i64() < Some(0),
            );
            // An error in one stops it, too.
            t.ok("debugger_evaluate_expression", evaluate("thread.wait_to_finish()"));
            t.ok("debugger_evaluate_expression", evaluate("go(fail)"));
            stopped_at(t, "fail");
            t.ok("debugger_continue_execution", json!({}));
            let state = t.ok("runtime_is_playing", json!({}));
            assert_eq!(state["paused"], false, "{state}");
            t.ok("debugger_evaluate_expression", evaluate("thread.wait_to_finish()"));
            fresh(t);
        }),
        case("a step that comes to no line stops nothing later", |t| {
            fresh(t);
            let (script, scene) = scripted(t, "steps", &THREADS.replace("_process", "unused"));
            let line = THREADS.lines().position(|line| line == "\treturn a").unwrap() + 1;
            t.ok("debugger_set_breakpoint", json!({"path": script, "line": line}));
            t.ok("runtime_play_scene", json!({"scene_path": scene}));
            for step in ["debugger_step_over", "debugger_step_into"] {
                t.fault("debugger_evaluate_expression", evaluate("brk()"), "PRECONDITION_FAILED");
                stopped_at(t, "brk");
                let stepped = t.ok(step, json!({"timeout_ms": 500}));
                assert_eq!(stepped["breaked"], false, "{stepped}");
                let value = t.ok("debugger_evaluate_expression", evaluate("two()"));
                assert_eq!(value["value"], 5, "{value}");
            }
            fresh(t);
        }),
        case("a breakpoint whose line has no code any more is said to be stale", |t| {
            fresh(t);
            let (script, _) = scripted(t, "stale", THREADS);
            let line = THREADS.lines().position(|line| line == "\tall += 2").unwrap() + 1;
            t.ok("debugger_set_breakpoint", json!({"path": script, "line": line}));
            let listed = t.ok("debugger_list_breakpoints", json!({}));
            assert_eq!(listed["breakpoints"][0]["text"], "all += 2", "{listed}");
            assert_eq!(listed["breakpoints"][0]["stale"], Value::Null, "{listed}");
            let lines: Vec<&str> = THREADS.lines().collect();
            let text = lines[..line - 1].join("\n") + "\n# " + &lines[line - 1..].join("\n");
            t.ok("scripts_write", json!({"script_path": script, "content": text}));
            let listed = t.ok("debugger_list_breakpoints", json!({}));
            assert_eq!(listed["breakpoints"][0]["stale"], true, "{listed}");
            fresh(t);
        }),
    ]
}

fn named<'a>(variables: &'a Value, name: &str) -> &'a Value {
    let all = variables.as_array().unwrap();
    all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name} in {variables}"))
}

fn looking() -> Vec<Case> {
    vec![case("the variables of a call are told, and expressions in it", |t| {
        fresh(t);
        let (script, scene) = scripted(t, "chase", CHASE);
        t.ok("debugger_set_breakpoint", json!({"path": script, "line": 12}));
        t.ok("runtime_play_scene", json!({"scene_path": scene}));
        stopped_at(t, "next_goal");
        let read = t.ok("debugger_get_frame_variables", json!({"frame": 1}));
        assert!(named(&read["locals"], "_delta")["value"].is_f64(), "{read}");
        let tags = named(&read["members"], "tags");
        assert_eq!((&tags["type"], &tags["value"]), (&json!("Array"), &json!(["a", 2])), "{read}");
        let owner = named(&read["members"], "self");
        assert_eq!((&owner["type"], &owner["value"]), (&json!("Node"), &json!(".")), "{read}");
        let inner = t.ok("debugger_get_frame_variables", json!({}));
        assert_eq!(inner["locals"], json!([]), "{inner}");
        named(&inner["globals"], "GameState");

        let mut value = |expression: &str, frame: i64| {
            let asked = json!({"expression": expression, "frame": frame});
            t.ok("debugger_evaluate_expression", asked)["value"].clone()
        };
        assert_eq!(value("speed * 2", 0), json!(120.0));
        assert_eq!(value("tags[1] + get_child_count()", 0), json!(2));
        assert_eq!(value("_delta > 0", 1), json!(true));
        assert_eq!(value("self", 1), json!("."));
        assert_eq!(value("get_parent().get_path()", 0), json!("/root"));
        let far = json!({"frame": 9});
        let fault = t.fault("debugger_get_frame_variables", far.clone(), "RESOURCE_NOT_FOUND");
        assert_eq!(fault["required"], "frame", "{fault}");
        t.fault(
            "debugger_evaluate_expression",
            json!({"expression": "1", "frame": 9}),
            "RESOURCE_NOT_FOUND",
        );
        // Nothing of that let it go on.
        assert_eq!(t.ok("runtime_is_playing", json!({}))["paused"], true);
        fresh(t);
        assert!(!t.project().read("res://project.godot").contains("breakpoint"));
    })]
}

/// What is no single expression, though it begins with one.
const NO_EXPRESSIONS: &[&str] = &[
    "10 if false else 2",
    "self is Node",
    "hp as float",
    "1 2 3 garbage",
    "hp hp hp",
    "hp ) + 1",
    "hp ] + 1",
    "hp } + 1",
    "hp ) (",
    "hp ], [hp",
    "hp), (hp",
    "1, 2",
    "1,",
    "hp\nhp",
    "hp\n\nreturn hp",
    "\"a\" \"b\"",
    "\"\"\"a\"\"\"",
    "func(): return 1",
    "await hp",
    "hp = 2",
    "hp += 2",
    "hp; hp",
    "hp # text",
    "hp not in [1]",
    "hp:",
    "{}: 1",
    "(hp",
    "[hp",
    "hp.",
    "hp +",
    "\"a",
    "$Node",
    "&\"a\"",
    "",
];

/// What is one, and what it is.
fn expressions() -> Vec<(&'static str, Value)> {
    vec![
        ("hp", json!(7)),
        (" hp\t\r\n ", json!(7)),
        ("(hp)", json!(7)),
        ("((hp) + (1))", json!(8)),
        ("[hp, 2]", json!([7, 2])),
        ("[hp, 2,][1]", json!(2)),
        ("[]", json!([])),
        ("{\"a\": hp}", json!({"a": 7})),
        ("{\"a\": {\"b\": [1]}}[\"a\"].b[0]", json!(1)),
        ("-hp", json!(-7)),
        ("-1", json!(-1)),
        ("hp - -1", json!(8)),
        ("0x1F", json!(31)),
        ("0b101", json!(5)),
        ("1.5", json!(1.5)),
        (".5", json!(0.5)),
        ("1e3", json!(1000.0)),
        ("\"a\\\"]) b\"", json!("a\"]) b")),
        ("'a\\')'", json!("a')")),
        ("\"é\"", json!("é")),
        ("\"# a\"", json!("# a")),
        ("not true or hp > 1 and hp in [7]", json!(true)),
        ("!true || hp > 1 && true", json!(true)),
        ("hp == 7 and hp != 8", json!(true)),
        ("1 << 3 | 1 ^ 2 & 3", json!(11)),
        ("7 % 4 * 2 / 3", json!(2)),
        ("2 ** 3", json!(8)),
        ("true", json!(true)),
        ("null", Value::Null),
        ("PI > 3", json!(true)),
        ("self.hp", json!(7)),
        ("get_parent().get_child(0) != null", json!(true)),
        ("max(1, hp)", json!(7)),
        ("str(hp, \"a\")", json!("7a")),
        ("Vector2(1, 2).x", json!(1.0)),
        ("later(hp)", json!(7)),
    ]
}

/// What a fault says of what was asked for.
fn outcome(fault: &Value) -> &str {
    let outcome = fault["outcome"].as_str().unwrap_or("none");
    assert_eq!(fault["may_have_applied"] == true, outcome == "may_have_applied", "{fault}");
    outcome
}

fn read(property: &str) -> Value {
    json!({"node_path": ".", "property": property})
}

fn evaluating() -> Vec<Case> {
    let whole = case("only a text that is one expression as a whole is evaluated", |t| {
        fresh(t);
        let text = "extends Node\n\nvar hp := 7\n\nfunc later(value):\n\treturn value\n";
        let (_, scene) = scripted(t, "whole", text);
        t.ok("runtime_play_scene", json!({"scene_path": scene, "frozen": true}));
        let tool = "debugger_evaluate_expression";
        for (expression, value) in expressions() {
            let told = t.ok(tool, json!({"expression": expression, "node_path": "."}));
            let is_told = (&told["evaluated"], told.get("value").unwrap_or(&Value::Null));
            assert_eq!(is_told, (&json!(true), &value), "{expression}: {told}");
        }
        for expression in NO_EXPRESSIONS {
            let told = t.ok(tool, json!({"expression": expression, "node_path": "."}));
            let is_told = (&told["evaluated"], &told["error_kind"], told.get("value"));
            assert_eq!(is_told, (&json!(false), &json!("parse"), None), "{expression}: {told}");
            assert!(told["hint"].as_str().unwrap().contains("if b else c"), "{told}");
            let until = json!({"node_path": ".", "expression": expression});
            let step = json!({"until": until});
            let fault = t.fault("runtime_step_frames", step, "VALIDATION_ERROR");
            let hint = fault["hint"].as_str().unwrap();
            assert!(hint.contains("if b else c") && !hint.contains(".."), "{fault}");
            assert_eq!(fault["required"], "until", "{fault}");
        }
        fresh(t);
    });
    let running = vec![case("expressions are evaluated in the running game", |t| {
        fresh(t);
        let text = "extends Node\n\nfunc later(value):\n\tawait get_tree().create_timer(0.2).timeout\n\t\
                    return value\n\nfunc forever():\n\tawait get_tree().create_timer(1000.0).timeout\n\n\
                    func broken():\n\tvar nothing = null\n\treturn nothing.name\n";
        let (_, scene) = scripted(t, "slow", text);
        t.ok("runtime_play_scene", json!({"scene_path": scene}));
        let evaluate = |expression: &str| json!({"expression": expression, "node_path": "."});
        let tool = "debugger_evaluate_expression";
        let sum = t.ok(tool, evaluate("1 + 2"));
        assert_eq!(
            (&sum["evaluated"], &sum["value"], &sum["type"]),
            (&json!(true), &json!(3), &json!("int")),
            "{sum}"
        );
        assert_eq!(t.ok(tool, evaluate("GameState.score"))["value"], 0);
        assert_eq!(t.ok(tool, evaluate("Engine.get_version_info().major"))["value"], 4);
        assert_eq!(t.ok(tool, json!({"expression": "get_child_count() > 1"}))["value"], true);
        assert_eq!(t.ok(tool, evaluate("later(7)"))["value"], 7);
        let parse = t.ok(tool, evaluate("1 +"));
        assert_eq!(
            (&parse["evaluated"], &parse["error_kind"]),
            (&json!(false), &json!("parse")),
            "{parse}"
        );
        assert!(parse["hint"].as_str().unwrap().contains("if b else c"), "{parse}");
        let failed = t.ok(tool, evaluate("no_such_function()"));
        assert_eq!(failed["error_kind"], "runtime", "{failed}");
        let since = Instant::now();
        let fault = t.fault(tool, evaluate("forever()"), "TIMEOUT");
        assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
        assert_eq!(outcome(&fault), "may_have_applied", "{fault}");
        let hint = fault["hint"].as_str().unwrap();
        assert!(hint.contains("still awaits") && !hint.contains("loop"), "{fault}");
        t.fault(tool, evaluate("\"a\".repeat(100000)"), "RESPONSE_TOO_LARGE");
        t.refused(tool, json!({"expression": "1", "frame": 0}), "play_session");
        // An error in what it calls stops the game, as the human's debugger would have it.
        let fault = t.refused(tool, evaluate("broken()"), "game_not_breaked");
        assert!(fault["hint"].as_str().unwrap().contains("slow.gd:12"), "{fault}");
        // What awaits while it is stopped is told at once, with a frame or without.
        for frame in [-1, 0] {
            let mut call = evaluate("forever()");
            call["frame"] = json!(frame);
            let since = Instant::now();
            let fault = t.fault(tool, call, "UNSUPPORTED");
            assert!(since.elapsed() < Duration::from_secs(1), "{:?}", since.elapsed());
            assert_eq!(outcome(&fault), "may_have_applied", "{fault}");
            assert!(fault["hint"].as_str().unwrap().contains("awaits"), "{fault}");
        }
        t.ok("debugger_continue_execution", json!({}));
        assert_eq!(t.ok(tool, evaluate("2 * 2"))["value"], 4);
        t.ok("runtime_control_time", json!({"frozen": true}));
        let late = json!({"expression": "forever()", "node_path": ".", "timeout_ms": 300});
        let fault = t.fault(tool, late, "TIMEOUT");
        assert!(fault["hint"].as_str().unwrap().contains("frozen"), "{fault}");
        fresh(t);
    })];
    let loops = case("what loops says what ends it, and whether it changed anything", |t| {
        fresh(t);
        let text = "extends Node\n\nfunc spin():\n\twhile true:\n\t\tpass\n";
        let (_, scene) = scripted(t, "spin", text);
        t.ok("runtime_play_scene", json!({"scene_path": scene}));
        t.ok("debugger_force_break", json!({}));
        let tool = "debugger_evaluate_expression";
        let spin = json!({"expression": "spin()", "node_path": ".", "timeout_ms": 600});
        let stopped = t.refused("runtime_read_property", read("name"), "game_not_breaked");
        let hint = stopped["hint"].as_str().unwrap();
        assert!(hint.contains("debugger between two frames. Look"), "{stopped}");
        let fault = t.fault(tool, spin.clone(), "TIMEOUT");
        assert_eq!(outcome(&fault), "may_have_applied", "{fault}");
        let hint = fault["hint"].as_str().unwrap();
        assert!(hint.contains("stop_scene") && !hint.contains("force_break"), "{fault}");
        let state = t.ok("runtime_stop_scene", json!({}));
        assert_eq!((&state["playing"], &state["ended"]), (&json!(false), &json!("killed")));

        // A game that runs can be stopped where it is; what only looks has done nothing meanwhile.
        t.ok("runtime_play_scene", json!({"scene_path": scene}));
        let fault = t.fault(tool, spin, "TIMEOUT");
        assert!(fault["hint"].as_str().unwrap().contains("force_break"), "{fault}");
        for (tool, call) in [
            ("runtime_read_property", read("name")),
            ("profiling_get_performance_monitors", json!({"window_ms": 100})),
            ("input_get_stats", json!({})),
            ("runtime_get_game_scene_tree", json!({})),
            (
                "testing_assert_node_state",
                json!({"node_path": ".", "property": "name", "expected": "x"}),
            ),
        ] {
            let mut call = call;
            call["timeout_ms"] = json!(300);
            let fault = t.fault(tool, call, "TIMEOUT");
            assert_eq!(outcome(&fault), "not_applied", "{tool}: {fault}");
        }
        let steps = json!({"frames": 1, "timeout_ms": 300});
        for (tool, call) in [
            ("runtime_step_frames", steps),
            ("runtime_control_time", json!({"frozen": true, "timeout_ms": 300})),
            ("input_simulate_key", json!({"key": "A"})),
        ] {
            let fault = t.fault(tool, call, "TIMEOUT");
            assert_eq!(outcome(&fault), "may_have_applied", "{tool}: {fault}");
        }
        fresh(t);
    });
    running.into_iter().chain([whole, loops]).collect()
}

/// Prints errors when it is told to, for each key and, if it is to, in every frame.
const LOUD: &str = "extends Node\n\nvar n := 0\nvar loud := false\n\nfunc _process(_delta):\n\
                    \tn += 1\n\tif loud:\n\t\tpush_error(\"frame\", n)\n\n\
                    func _input(event):\n\tif event is InputEventKey:\n\t\tpush_error(\"key\")\n\n\
                    func complain(what):\n\tpush_error(what)\n\treturn 5\n\n\
                    func later():\n\tawait get_tree().process_frame\n\treturn complain(\"late\")\n";

fn errors() -> Vec<Case> {
    vec![case("errors are told in the answer to the call that caused them", |t| {
        fresh(t);
        let (script, scene) = scripted(t, "loud", LOUD);
        t.ok("runtime_play_scene", json!({"scene_path": scene}));
        let texts = |told: &Value| -> Vec<String> {
            let errors = told["errors"].as_array().cloned().unwrap_or_default();
            errors.iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect()
        };
        let evaluate = |t: &mut Test<'_>, expression: &str, frame: i64| {
            let call = json!({"expression": expression, "node_path": ".", "frame": frame});
            t.ok("debugger_evaluate_expression", call)
        };
        let ask = |t: &mut Test<'_>, expression: &str, expected: &[&str], frame: i64| {
            let told = evaluate(t, expression, frame);
            assert_eq!(
                (told["evaluated"] == true, texts(&told)),
                (true, expected.iter().map(ToString::to_string).collect()),
                "{told}"
            );
            assert_eq!(told["new_errors"], expected.len(), "{told}");
            assert_eq!(told.get("hint").is_some(), !expected.is_empty(), "{told}");
            told
        };
        let told = ask(t, "complain(\"a\")", &["a"], -1);
        let place = json!({"text": "a", "file": script, "line": 16, "function": "complain"});
        assert_eq!((&told["value"], &told["errors"][0]), (&json!(5), &place), "{told}");
        ask(t, "complain(\"a\") + complain(\"a\")", &["a", "a"], -1);
        ask(t, "later()", &["late"], -1);
        let told = evaluate(t, "get_node(\"Nope\")", -1);
        assert!(texts(&told)[0].contains("Node not found"), "{told}");
        assert_eq!(told["new_errors"], 1, "{told}");
        // One that fails after it has printed.
        let told = evaluate(t, "complain(\"b\") + nope", -1);
        assert_eq!(
            (&told["error_kind"], texts(&told)),
            (&json!("runtime"), vec!["b".to_owned()]),
            "{told}"
        );
        ask(t, "1", &[], -1);
        // Whatever else is called.
        let key = t.ok("input_simulate_key", json!({"key": "A"}));
        assert_eq!(key["new_errors"], 1, "{key}");
        t.ok("runtime_control_time", json!({"frozen": true}));
        evaluate(t, "set(\"loud\", true)", -1);
        for frames in [1, 3] {
            let step = t.ok("runtime_step_frames", json!({"frames": frames}));
            assert_eq!(step["new_errors"], frames, "{step}");
        }
        // What others print meanwhile is not of the call.
        t.ok("runtime_control_time", json!({"frozen": false}));
        for _ in 0..20 {
            let told = evaluate(t, "complain(\"mine\")", -1);
            assert_eq!(texts(&told), ["mine"], "{told}");
            assert_eq!(texts(&evaluate(t, "1", -1)), Vec::<String>::new());
        }
        let line = json!({"path": script, "line": 7});
        t.ok("debugger_set_breakpoint", line);
        stopped_at(t, "_process");
        for frame in [-1, 0] {
            t.ok("runtime_is_playing", json!({}));
            ask(t, "complain(\"stopped\")", &["stopped"], frame);
            ask(t, "n", &[], frame);
        }
        fresh(t);
    })]
}

/// A function that is called in every frame, and one that fails.
const TICKS: &str = "extends Node\n\nvar n := 0\n\nfunc _process(_delta):\n\ttick(1)\n\tn += 1\n\n\
                     func tick(x):\n\tvar r = x + 1\n\treturn r\n\n\
                     func fail():\n\tvar nothing = null\n\treturn nothing.name\n";

fn nesting() -> Vec<Case> {
    vec![case("a stop within a stop leads back to that one, which goes on in its turn", |t| {
        fresh(t);
        let (script, scene) = scripted(t, "ticks", TICKS);
        t.ok("debugger_set_breakpoint", json!({"path": script, "line": 11}));
        t.ok("runtime_play_scene", json!({"scene_path": scene}));
        stopped_at(t, "tick");
        let evaluate = |t: &mut Test<'_>, expression: &str| {
            let call = json!({"expression": expression, "frame": 0});
            let fault = t.refused("debugger_evaluate_expression", call, "game_not_breaked");
            assert_eq!(fault["outcome"], "may_have_applied", "{fault}");
        };
        let argument = |t: &mut Test<'_>| {
            let told = t.ok("debugger_get_frame_variables", json!({}));
            named(&told["locals"], "x")["value"].clone()
        };
        let read = json!({"node_path": ".", "property": "n"});
        for (expression, order) in
            [("tick(5)", "continue_execution"), ("tick(6)", "step_over"), ("fail()", "step_out")]
        {
            evaluate(t, expression);
            let on = t.ok(&format!("debugger_{order}"), json!({}));
            assert_ne!(on["running"], true, "{on}");
            assert_eq!((&on["function"], &on["line"]), (&json!("tick"), &json!(11)), "{on}");
            assert_eq!(argument(t), 1, "after {expression}");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["paused"], true);
            t.refused("runtime_read_property", read.clone(), "game_not_breaked");
        }
        // Two deep.
        evaluate(t, "tick(7)");
        assert_eq!(argument(t), 7);
        evaluate(t, "tick(8)");
        assert_eq!(argument(t), 8);
        t.ok("debugger_clear_breakpoints", json!({}));
        for outer in [7, 1] {
            let on = t.ok("debugger_continue_execution", json!({}));
            assert_eq!((&on["running"], &on["line"]), (&json!(false), &json!(11)), "{on}");
            assert_eq!(argument(t), outer);
        }
        let out = t.ok("debugger_step_out", json!({}));
        assert_eq!((&out["function"], &out["line"]), (&json!("_process"), &json!(7)), "{out}");
        let on = t.ok("debugger_continue_execution", json!({}));
        assert_eq!((&on["running"], on.get("line")), (&json!(true), None), "{on}");
        wait_for(t, "runtime_read_property", read, |it| it["value"].is_i64());
        fresh(t);
    })]
}

fn refusals() -> Vec<Case> {
    vec![
        case("without a stopped game the tools say what to call", |t| {
            fresh(t);
            for tool in ["force_break", "continue_execution", "step_into", "step_over", "step_out"]
            {
                t.refused(&format!("debugger_{tool}"), json!({}), "play_session");
            }
            for tool in ["get_stack_frames", "get_frame_variables"] {
                t.refused(&format!("debugger_{tool}"), json!({}), "play_session");
            }
            t.refused("debugger_evaluate_expression", json!({"expression": "1"}), "play_session");
            play(t);
            for tool in
                ["continue_execution", "step_into", "get_stack_frames", "get_frame_variables"]
            {
                let fault = t.refused(&format!("debugger_{tool}"), json!({}), "play_session");
                assert!(fault["hint"].as_str().unwrap().contains("force_break"), "{fault}");
            }
            fresh(t);
        }),
        case("a breakpoint where the game cannot stop is refused", |t| {
            fresh(t);
            let set = "debugger_set_breakpoint";
            let fault = t.fault(set, json!({"path": PLAYER, "line": 1}), "VALIDATION_ERROR");
            let near = line(t, "@export_range");
            assert_eq!(
                (&fault["required"], &fault["nearest_line"]),
                (&json!("line"), &json!(near)),
                "{fault}"
            );
            let fault = t.fault(set, json!({"path": PLAYER, "line": 99999}), "VALIDATION_ERROR");
            assert_eq!(fault["nearest_line"], line(t, "died.emit()"), "{fault}");
            t.fault(set, json!({"path": PLAYER, "line": 0}), "VALIDATION_ERROR");
            t.fault(set, json!({"path": "res://none.gd", "line": 1}), "RESOURCE_NOT_FOUND");
            t.fault(set, json!({"path": "res://Main.cs", "line": 1}), "UNSUPPORTED");
            t.fault(set, json!({"path": "res://scenes/main.tscn", "line": 1}), "VALIDATION_ERROR");
            assert_eq!(t.ok("debugger_list_breakpoints", json!({}))["total"], 0);
        }),
    ]
}
