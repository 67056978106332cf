//! The toolset `runtime`: a real game, started from the editor.

use std::{
    fs,
    process::ExitCode,
    time::{Duration, Instant},
};

use e2e::{
    cases::{Case, Test, case, run},
    client::Client,
    played::play_script,
};
use serde_json::{Value, json};

const PLAY: &str = "runtime_play_scene";
const STOP: &str = "runtime_stop_scene";

fn main() -> ExitCode {
    run([playing(), saving(), output(), ends(), errors(), early(), refusals()]
        .into_iter()
        .flatten()
        .collect())
}

fn playing() -> Vec<Case> {
    vec![case("the main scene is played, looked into and stopped", |t| {
        let state = t.ok(PLAY, json!({}));
        assert_eq!(
            (&state["playing"], &state["connected"]),
            (&json!(true), &json!(true)),
            "{state}"
        );
        assert_eq!(
            (&state["headless"], &state["scene"]),
            (&json!(true), &json!("res://scenes/main.tscn"))
        );
        let read = json!({"node_path": "Player", "property": "speed"});
        let read = t.ok("runtime_read_property", read);
        assert_eq!(read["node_path"], "/root/Main/Player", "{read}");
        let tree = t.ok("runtime_get_game_scene_tree", json!({}));
        assert_eq!(tree["tree"]["path"], "/root", "{tree}");
        assert!(tree.to_string().contains("/root/GameState"), "{tree}");
        let state = t.ok(STOP, json!({}));
        assert_eq!(
            (&state["playing"], &state["ended"]),
            (&json!(false), &json!("asked")),
            "{state}"
        );
        t.refused(
            "runtime_read_property",
            json!({"node_path": ".", "property": "name"}),
            "play_session",
        );
        assert!(!t.project().read("res://project.godot").contains("main_run_args"));
    })]
}

/// A game that does what it is told.
const GAME: &str = r#"extends Node

func say(text: String) -> void:
	print(text)

func leave(code: int) -> void:
	get_tree().quit(code)

func crash() -> void:
	OS.kill(OS.get_process_id())

func complain() -> void:
	push_error("a complaint")

func stay() -> void:
	get_tree().auto_accept_quit = false

func _notification(what: int) -> void:
	if what == NOTIFICATION_WM_CLOSE_REQUEST:
		print("asked to close, with the mouse %d" % Input.mouse_mode)
"#;

/// Plays a scene with that game.
fn play(t: &mut Test<'_>) {
    let (_, scene) = scene_with(t, GAME);
    t.ok(PLAY, json!({"scene_path": scene}));
}

/// Writes a scene of one node with a script. Gives the paths of both.
fn scene_with(t: &mut Test<'_>, code: &str) -> (String, String) {
    let (script, scene) = (t.path("game.gd"), t.path("game.tscn"));
    fs::write(t.project().file(&script), code).unwrap();
    let text = format!(
        "[gd_scene load_steps=2 format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" \
         id=\"1\"]\n\n[node name=\"Game\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    fs::write(t.project().file(&scene), text).unwrap();
    (script, scene)
}

fn tell(t: &mut Test<'_>, expression: &str) -> Value {
    let call = json!({"expression": expression, "node_path": "."});
    let told = t.ok("debugger_evaluate_expression", call);
    assert_eq!(told["evaluated"], true, "{told}");
    told
}

/// Asks until the game has ended.
fn ended(t: &mut Test<'_>) -> Value {
    let since = Instant::now();
    loop {
        let state = t.ok("runtime_is_playing", json!({}));
        if state["playing"] == false {
            return state;
        }
        assert!(since.elapsed() < Duration::from_secs(20), "{state}");
    }
}

fn ends() -> Vec<Case> {
    vec![
        case("a game that quits tells its exit code and what it printed last", |t| {
            play(t);
            tell(t, "say('leaving')");
            let since = Instant::now();
            while !t.ok("runtime_get_game_output", json!({})).to_string().contains("leaving") {
                assert!(since.elapsed() < Duration::from_secs(10), "it is not heard");
            }
            tell(t, "leave(3)");
            let state = ended(t);
            assert_eq!(state["exit_code"], 3, "{state}");
            assert_eq!(state["last_lines"].as_array().unwrap().last().unwrap(), "leaving");
            assert!(state["reason"].as_str().unwrap().contains("exit code 3"), "{state}");
            let read = json!({"node_path": ".", "property": "name"});
            let fault = t.refused("runtime_read_property", read, "play_session");
            assert_eq!(fault["exit_code"], 3, "{fault}");
            assert_eq!(fault["last_lines"], state["last_lines"], "{fault}");
            // It is not stopped by anybody now.
            assert_eq!(t.ok(STOP, json!({}))["ended"], Value::Null);
        }),
        case("a call that kills the game fails at once, and says how it ended", |t| {
            play(t);
            let since = Instant::now();
            let crash = json!({"expression": "crash()", "node_path": ".", "timeout_ms": 60_000});
            let fault = t.refused("debugger_evaluate_expression", crash, "play_session");
            assert!(since.elapsed() < Duration::from_secs(20), "{fault}");
            assert_eq!(fault.get("exit_code"), None, "{fault}");
            #[cfg(unix)]
            assert_eq!((&fault["signal"], &ended(t)["signal"]), (&json!(9), &json!(9)), "{fault}");
        }),
        case("how a game ended is told also where it never got to its first frame", |t| {
            for (body, exit_code, signal) in [
                ("func _ready():\n\tget_tree().quit(4)\n", json!(4), Value::Null),
                ("func _init():\n\tOS.kill(OS.get_process_id())\n", Value::Null, json!(9)),
                ("func _ready():\n\tOS.crash(\"by order\")\n", Value::Null, json!(4)),
            ] {
                let (_, scene) = scene_with(t, &format!("extends Node\n\n{body}"));
                // One that quits in its first frame may have answered before.
                let played = t.call(PLAY, json!({"scene_path": scene}));
                let state = ended(t);
                assert_eq!(state.get("exit_code").unwrap_or(&Value::Null), &exit_code, "{state}");
                // Which signal a crash is depends on the machine.
                #[cfg(all(unix, target_arch = "x86_64"))]
                assert_eq!(state.get("signal").unwrap_or(&Value::Null), &signal, "{state}");
                let told = if exit_code.is_null() { "signal" } else { "exit code 4" };
                assert!(state["reason"].as_str().unwrap().contains(told), "{state}");
                if !signal.is_null() {
                    let reason = state["reason"].as_str().unwrap();
                    assert!(reason.contains("run_and_capture"), "{state}");
                }
                // Nobody had to end it.
                assert_eq!(t.ok(STOP, json!({}))["ended"], Value::Null);
                if !played.ok {
                    assert_eq!(played.value["required"], "play_session", "{}", played.value);
                    assert!(played.value["hint"].as_str().unwrap().contains(told));
                }
            }
        }),
        case(
            "while a game does not get to its first frame, others are served and can stop it",
            |t| {
                let body = "extends Node\n\nfunc _ready():\n\twhile true: pass\n";
                let (_, scene) = scene_with(t, body);
                let mut other = Client::start(t.project());
                let play = json!({"scene_path": scene, "timeout_ms": 60_000});
                let (_, played) = other.begin("runtime_play_scene", &play);
                let since = Instant::now();
                while t.ok("runtime_is_playing", json!({}))["playing"] == false {
                    assert!(since.elapsed() < Duration::from_secs(20), "it is not started");
                }
                t.ok("inspection_get_active_scene", json!({}));
                assert_eq!(t.ok(STOP, json!({}))["ended"], "killed");
                let told = played.recv_timeout(Duration::from_secs(20)).unwrap().to_string();
                assert!(told.contains("play_session"), "{told}");

                // Another game takes its place.
                let (_, played) = other.begin("runtime_play_scene", &play);
                let since = Instant::now();
                while t.ok("runtime_is_playing", json!({}))["playing"] == false {
                    assert!(since.elapsed() < Duration::from_secs(20), "it is not started");
                }
                let (_, scene) = scene_with(t, GAME);
                t.ok(PLAY, json!({"scene_path": scene}));
                let told = played.recv_timeout(Duration::from_secs(20)).unwrap().to_string();
                assert!(told.contains("another call"), "{told}");
                assert_eq!(t.ok("runtime_is_playing", json!({}))["connected"], true);
                t.ok(STOP, json!({}));
                other.close();
            },
        ),
        case(
            "a batch that plays serves others meanwhile, and says what undo does not take back",
            |t| {
                t.open("res://scenes/main.tscn");
                let run = "composite_run_commands";
                let body = "extends Node\n\nfunc _ready():\n\twhile true: pass\n";
                let (_, scene) = scene_with(t, body);
                let mut other = Client::start(t.project());
                let play = |scene: &str| {
                    let params = json!({"scene_path": scene, "timeout_ms": 60_000});
                    json!({"command": "play_scene", "params": params})
                };
                let make = |name: &str| {
                    let node = json!({"parent_path": ".", "node_type": "Node", "node_name": name});
                    json!({"command": "create_node", "params": node})
                };
                let batch = json!({"commands": [make("Before"), play(&scene), make("After")]});
                let (_, played) = other.begin(run, &batch);
                let since = Instant::now();
                while t.ok("runtime_is_playing", json!({}))["playing"] == false {
                    assert!(since.elapsed() < Duration::from_secs(20), "it is not started");
                }
                assert!(t.exists("Before"));
                assert_eq!(t.ok(STOP, json!({}))["ended"], "killed");
                let told = played.recv_timeout(Duration::from_secs(20)).unwrap();
                let told = told["result"]["content"][0]["text"].as_str().unwrap();
                let fault: Value = serde_json::from_str(told).unwrap();
                let state = (&fault["aborted_at"], &fault["rolled_back"], &fault["outside_undo"]);
                assert_eq!(state, (&json!(1), &json!(false), &json!([1])), "{fault}");
                assert!(fault["hint"].as_str().unwrap().contains("another call"), "{fault}");
                assert!(!t.exists("Before") && !t.exists("After"));
                other.close();

                let (_, scene) = scene_with(t, GAME);
                let say = json!({"expression": "say('here')", "node_path": "."});
                let say = json!({"command": "evaluate_expression", "params": say});
                let batch = json!({"commands": [play(&scene), make("A"), say, make("B")]});
                let mut preview = batch.clone();
                preview["dry_run"] = json!(true);
                let preview = t.ok(run, preview);
                let real = t.ok(run, batch);
                for field in ["undo_steps", "undoable", "outside_undo"] {
                    assert_eq!(preview[field], real[field], "{field}: {preview}, then {real}");
                }
                let told = (&real["undo_steps"], &real["outside_undo"]);
                assert_eq!(told, (&json!(1), &json!([0, 2])));
                let read = json!({"node_path": ".", "property": "none"});
                let read = json!({"command": "read_property", "params": read});
                let batch = json!({"commands": [make("C"), say, read]});
                let fault = t.fault(run, batch, "RESOURCE_NOT_FOUND");
                assert_eq!(fault["outside_undo"], json!([1]), "{fault}");
                assert_eq!((&fault["rolled_back"], t.exists("C")), (&json!(false), false));
                t.ok(STOP, json!({}));
            },
        ),
        case("a game that does not want to quit is ended after two seconds", |t| {
            play(t);
            tell(t, "stay()");
            let since = Instant::now();
            let state = t.ok(STOP, json!({}));
            assert_eq!((&state["playing"], &state["ended"]), (&json!(false), &json!("killed")));
            assert_eq!(state.get("exit_code"), None, "{state}");
            assert!(since.elapsed() >= Duration::from_secs(2), "{:?}", since.elapsed());
            let output = t.ok("runtime_get_game_output", json!({}));
            let asked = |it: &Value| it["text"] == "asked to close, with the mouse 0";
            assert!(output["entries"].as_array().unwrap().iter().any(asked), "{output}");
        }),
    ]
}

fn errors() -> Vec<Case> {
    vec![case("every answer about the game counts the errors that are new to the client", |t| {
        play(t);
        let count = |answer: &Value| answer["new_errors"].as_u64().unwrap();
        for _ in 0..2 {
            assert_eq!(count(&tell(t, "complain()")), 1, "it is told by the call that caused it");
        }
        assert_eq!(count(&t.ok("input_get_stats", json!({}))), 0, "each is told once");
        // None of them has stopped it.
        let state = t.ok("runtime_is_playing", json!({}));
        assert_eq!((&state["paused"], &state["connected"]), (&json!(false), &json!(true)));
        let mut other = Client::start(t.project());
        let first = other.call("runtime_is_playing", json!({})).value;
        assert_eq!(first["new_errors"], 2, "{first}");
        assert_eq!(other.call("runtime_is_playing", json!({})).value["new_errors"], 0);
        other.close();
        t.ok(STOP, json!({}));
    })]
}

/// The text of every scene and resource of the project.
fn files(t: &Test<'_>) -> Vec<String> {
    let folders = ["scenes", "resources"].map(|it| t.project().file(&format!("res://{it}")));
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|it| fs::read_dir(it).unwrap())
        .map(|it| it.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
}

fn saving() -> Vec<Case> {
    vec![case("playing writes what was changed, and no file that nobody touched", |t| {
        t.ok("scene_edit_open_scene", json!({"scene_path": "res://scenes/main.tscn"}));
        let before = files(t);
        let setting = json!({"name": "my_game/difficulty", "value": 3, "confirm": true});
        t.ok("project_set_setting", setting);
        let played = t.ok(PLAY, json!({"scene_path": "res://scenes/coin.tscn"}));
        assert_eq!(played.get("saved"), None, "{played}");
        t.ok(STOP, json!({}));
        assert_eq!(files(t), before);
        t.ok("undo", json!({}));

        let name = json!({"parent_path": ".", "node_type": "Node", "node_name": "Fresh"});
        t.ok("scene_edit_create_node", name);
        let played = t.ok(PLAY, json!({}));
        let saved = played["saved"].as_array().unwrap();
        assert!(saved.contains(&json!("res://scenes/main.tscn")), "{played}");
        let tree = t.ok("runtime_get_game_scene_tree", json!({}));
        assert!(tree.to_string().contains("/root/Main/Fresh"), "{tree}");
        t.ok(STOP, json!({}));
        assert!(t.project().read("res://scenes/main.tscn").contains("Fresh"));
        t.ok("undo", json!({}));
        t.ok("scene_edit_save_scene", json!({}));
    })]
}

/// The texts of the entries after one, and the whole answer.
fn printed_since(t: &mut Test<'_>, seq: u64) -> (Vec<String>, Value) {
    let told = t.ok("runtime_get_game_output", json!({"since_seq": seq}));
    let entries = told["entries"].as_array().unwrap().iter();
    let texts = entries.map(|it| it["text"].as_str().unwrap().to_owned()).collect();
    (texts, told)
}

fn output() -> Vec<Case> {
    let cursor = case("who follows the output loses nothing of the next run", |t| {
        let text =
            "extends Node\n\nfunc _ready() -> void:\n\tprint(\"first\")\n\tprint(\"second\")\n";
        // What a game prints in its first frame may come a frame after it has answered.
        let wait = |t: &mut Test<'_>| {
            let since = Instant::now();
            while !t.ok("runtime_get_game_output", json!({})).to_string().contains("second") {
                assert!(since.elapsed() < Duration::from_secs(10), "it is not heard");
            }
        };
        play_script(t, "Node", text);
        wait(t);
        t.ok(STOP, json!({}));
        let (texts, told) = printed_since(t, 0);
        assert!(texts.ends_with(&["first".to_owned(), "second".to_owned()]), "{told}");
        let (next, total) = (told["next_seq"].as_u64().unwrap(), told["total"].as_u64().unwrap());
        assert_eq!((&told["dropped"], told.get("hint")), (&json!(0), None), "{told}");

        play_script(t, "Node", text);
        wait(t);
        let (again, told) = printed_since(t, next);
        assert_eq!((&again, &told["dropped"]), (&texts, &json!(0)), "{told}");
        assert_eq!(told["entries"][0]["seq"], next + 1, "{told}");
        assert_eq!((&told["next_seq"], &told["total"]), (&json!(next + total), &json!(total)));
        // One who had not read all of the run before hears of what is gone.
        let (again, told) = printed_since(t, next - 1);
        assert_eq!((&again, &told["dropped"]), (&texts, &json!(1)), "{told}");
        // A number of another editor makes nobody deaf.
        let (again, told) = printed_since(t, next + 1_000_000);
        assert_eq!((&again, &told["next_seq"]), (&texts, &json!(next + total)), "{told}");
        assert!(told["hint"].as_str().unwrap().contains("1000"), "{told}");
        t.ok(STOP, json!({}));
    });
    let lines = vec![case(
        "what is printed in one frame is told line by line, and nothing is lost",
        |t| {
            let text = "extends Node\n\nfunc _ready() -> void:\n\tfor i in 600:\n\t\tprint(\"line \", i)\n\
             \tprint(\"x\".repeat(5000))\n\tprint(\"LAST\")\n";
            play_script(t, "Node", text);
            let (mut lines, begun) = (Vec::new(), Instant::now());
            let mut since = 0;
            // It may come a frame after the game has answered.
            while lines.last().is_none_or(|line| line != "LAST") {
                let page = t.ok("runtime_get_game_output", json!({"since_seq": since}));
                since = page["next_seq"].as_u64().unwrap();
                let entries = page["entries"].as_array().unwrap();
                lines.extend(entries.iter().map(|it| it["text"].as_str().unwrap().to_owned()));
                assert!(begun.elapsed() < Duration::from_secs(10), "{page}");
            }
            let first = lines.iter().position(|line| line == "line 0").unwrap();
            for i in 0..600 {
                assert_eq!(lines[first + i], format!("line {i}"));
            }
            assert!(
                lines[first + 600].ends_with("x… (1000 more characters)"),
                "{}",
                lines[first + 600]
            );
            assert_eq!(lines[first + 601], "LAST");
            t.ok(STOP, json!({}));
        },
    )];
    lines.into_iter().chain([cursor]).collect()
}

/// The errors that the game has told, by text and line, with how often.
fn told_errors(t: &mut Test<'_>, script: &str) -> Vec<(String, i64, u64)> {
    let output = t.ok("runtime_get_game_output", json!({}));
    let all = output["entries"].as_array().unwrap();
    let of_script = all.iter().filter(|it| it["kind"] == "error" && it["file"] == script);
    let told = |it: &Value| {
        let text = it["text"].as_str().unwrap().to_owned();
        (text, it["line"].as_i64().unwrap(), it["count"].as_u64().unwrap())
    };
    // What is repeated after it was told is an entry of its own.
    let mut errors: Vec<(String, i64, u64)> = Vec::new();
    for (text, line, count) in of_script.map(told) {
        match errors.last_mut() {
            Some(last) if (&last.0, last.1) == (&text, line) => last.2 += count,
            _ => errors.push((text, line, count)),
        }
    }
    errors
}

fn early() -> Vec<Case> {
    vec![
        case(
            "an error that stops the game before its first frame is told at once, and once",
            |t| {
                for (code, line, word) in [
                    ("extends Node\n\nfunc _ready():\n\tvar x = = 3\n", 4, "Parse Error: "),
                    ("extends Node\n\nfunc _ready():\n\tvar x = null\n\tx.foo()\n", 5, "foo"),
                ] {
                    let (script, scene) = scene_with(t, code);
                    let state = t.ok(PLAY, json!({"scene_path": scene}));
                    assert_eq!((&state["paused"], &state["errors"]), (&json!(true), &json!(1)));
                    assert_eq!((&state["file"], &state["line"]), (&json!(script), &json!(line)));
                    assert!(state["reason"].as_str().unwrap().contains(&script), "{state}");
                    let errors = told_errors(t, &script);
                    let [(text, at, 1)] = errors.as_slice() else { panic!("{errors:?}") };
                    assert_eq!(*at, line, "{text}");
                    assert!(text.contains(word), "{text}");
                    let read = json!({"node_path": ".", "property": "name"});
                    t.refused("runtime_read_property", read.clone(), "game_not_breaked");
                    t.refused("input_get_stats", json!({}), "game_not_breaked");
                    assert_eq!(t.ok("debugger_continue_execution", json!({}))["running"], true);
                    let since = Instant::now();
                    while !t.call("runtime_read_property", read.clone()).ok {
                        assert!(since.elapsed() < Duration::from_secs(10));
                    }
                    assert_eq!(
                        told_errors(t, &script),
                        errors,
                        "what the engine prints is the same"
                    );
                    t.ok(STOP, json!({}));
                }
            },
        ),
        case("one that stops the game again and again is counted every time", |t| {
            let code = "extends Node\n\nvar n := 0\nvar none = null\n\nfunc _process(_delta):\n\t\
                        n += 1\n\tif n <= 3:\n\t\tnone.foo()\n";
            let (script, scene) = scene_with(t, code);
            t.ok(PLAY, json!({"scene_path": scene}));
            let since = Instant::now();
            while t.ok("runtime_is_playing", json!({}))["connected"] == false
                || t.ok("runtime_is_playing", json!({}))["paused"] == true
            {
                t.call("debugger_continue_execution", json!({}));
                assert!(since.elapsed() < Duration::from_secs(10));
            }
            let errors = told_errors(t, &script);
            assert_eq!(errors.iter().map(|it| (it.1, it.2)).collect::<Vec<_>>(), [(9, 3)]);
            t.ok(STOP, json!({}));
        }),
        case("a main scene that does not exist is not played", |t| {
            let set = |value: &str| {
                let name = "application/run/main_scene";
                json!({"name": name, "value": value, "confirm": true})
            };
            // One that is gone since it was set.
            let gone = t.path("gone.tscn");
            let file = t.project().file(&gone);
            fs::copy(t.project().file("res://scenes/coin.tscn"), &file).unwrap();
            let main = t.ok("project_set_setting", set(&gone))["previous"].clone();
            fs::remove_file(file).unwrap();
            let fault = t.refused(PLAY, json!({}), "main_scene");
            assert!(fault["hint"].as_str().unwrap().contains(&gone), "{fault}");
            assert_eq!(t.ok("runtime_is_playing", json!({}))["playing"], false);
            t.ok("project_set_setting", set(main.as_str().unwrap()));
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("without a game its tools say what to call", |t| {
        t.refused("runtime_get_game_scene_tree", json!({}), "play_session");
        t.fault(PLAY, json!({"scene_path": "res://none.tscn"}), "RESOURCE_NOT_FOUND");
        let state = t.ok("runtime_is_playing", json!({}));
        assert_eq!(state["playing"], false, "{state}");
    })]
}
