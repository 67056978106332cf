//! Runs of the project beside the editor: heard to their end, and ended with all that they started.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::{Duration, Instant},
};

use e2e::cases::{Case, Test, case, run};
#[cfg(target_os = "linux")]
use e2e::client::Client;
use serde_json::{Value, json};

const RUN: &str = "runtime_run_and_capture";

/// How long a run may take that is to end by itself.
const LONG: u32 = 50;

/// Between two looks at a process or a file, where the system tells of no event.
const GLANCE: Duration = Duration::from_millis(10);

/// What no answer may be longer than, in characters.
const LIMIT: usize = 25_000;

fn main() -> ExitCode {
    run([ending(), lasting(), families(), callers(), refusals()].into_iter().flatten().collect())
}

/// A scene with one node, which has a script with this text. Gives the paths of both.
fn scripted(t: &Test<'_>, name: &str, text: &str) -> (String, String) {
    let (script, scene) = (t.path(&format!("{name}.gd")), t.path(&format!("{name}.tscn")));
    fs::write(t.project().file(&script), text).unwrap();
    let scene_text = format!(
        "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" id=\"1\"]\n\n\
         [node name=\"Root\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
    );
    fs::write(t.project().file(&scene), scene_text).unwrap();
    (script, scene)
}

fn lines(answer: &Value) -> Vec<&str> {
    answer["output"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

/// The files of a folder and what is in them, without those that the editor keeps for itself.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with(".godot") && !path.ends_with("addons") {
                found.extend(contents(&path));
            }
        } else {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    found
}

const TALKS: &str = "extends Node\n\
    \n\
    func _ready():\n\
    \tprint(\"first\")\n\
    \tprinterr(\"second\")\n\
    \tpush_warning(\"watch out\")\n\
    \tfor i in 3: push_error(\"again\")\n\
    \tfails()\n\
    \tprint_rich(\"[color=red]red[/color]\")\n\
    \tprint(OS.get_environment(\"GODOT_MCP_DISABLE\"), OS.get_environment(\"GODOT_MCP_EDITOR_PID\"))\n\
    \tget_tree().quit(3)\n\
    \n\
    func fails():\n\
    \tvar nothing = null\n\
    \tnothing.call_it()\n";

fn ending() -> Vec<Case> {
    vec![
        case("a run is heard to its end, and changes nothing", |t| {
            let (script, scene) = scripted(t, "talks", TALKS);
            let before = contents(t.project().folder());
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": LONG}));
            assert_eq!(
                (&answer["ran"], &answer["exit_code"], &answer["timed_out"]),
                (&json!(true), &json!(3), &json!(false)),
                "{answer}"
            );
            let printed = lines(&answer);
            let at = |text: &str| printed.iter().position(|line| *line == text);
            assert!(at("first").is_some() && at("first") < at("second"), "{answer}");
            assert!(at("second") < at("WARNING: watch out") && at("red").is_some(), "{answer}");
            assert!(at("1").is_some(), "the add-on is on in it: {answer}");
            assert_eq!(answer["output_lines"], printed.len(), "{answer}");
            assert_eq!(answer["output_truncated"], false, "{answer}");

            let errors = answer["errors"].as_array().unwrap();
            let pushed = errors.iter().find(|it| it["message"] == "again").unwrap();
            assert_eq!((&pushed["type"], &pushed["count"]), (&json!("ERROR"), &json!(3)));
            let failed = errors.iter().find(|it| it["type"] == "SCRIPT ERROR").unwrap();
            assert_eq!(
                (&failed["source"], &failed["line"], &failed["function"]),
                (&json!(script), &json!(15), &json!("fails")),
                "{failed}"
            );
            assert!(failed["message"].as_str().unwrap().contains("call_it"), "{failed}");
            assert_eq!(answer["error_count"], 4, "{answer}");
            assert_eq!(answer["warnings"][0]["message"], "watch out", "{answer}");
            assert_eq!(answer["warning_count"], 1, "{answer}");
            let command = answer["command"].as_array().unwrap();
            assert_eq!(command.last().unwrap(), &json!(scene), "{answer}");
            assert!(command.contains(&json!("--headless")), "{answer}");
            assert!(before == contents(t.project().folder()), "the project has changed");
        }),
        case("what does not parse is told with its line", |t| {
            let (script, scene) = scripted(t, "broken", "extends Node\n\nfunc _ready(:\n\tpass\n");
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": 4}));
            let errors = answer["errors"].as_array().unwrap();
            let parse = errors.iter().find(|it| it["type"] == "Parse Error");
            let parse = parse.unwrap_or_else(|| panic!("{answer}"));
            assert_eq!((&parse["source"], &parse["line"]), (&json!(script), &json!(3)), "{parse}");
        }),
        case("a crash is told, and is no success of the game", |t| {
            let text =
                "extends Node\n\nfunc _ready():\n\tprint(\"alive\")\n\tOS.crash(\"by order\")\n";
            let (script, scene) = scripted(t, "crashes", text);
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": LONG}));
            assert_eq!(answer["timed_out"], false, "{answer}");
            assert!(lines(&answer).contains(&"alive"), "{answer}");
            let errors = answer["errors"].as_array().unwrap();
            assert!(errors.iter().any(|it| it["type"] == "CRASH"), "{answer}");
            let ordered = errors.iter().find(|it| it["message"] == "by order").unwrap();
            assert_eq!((&ordered["source"], &ordered["line"]), (&json!(script), &json!(5)));
            #[cfg(unix)]
            assert!(answer["signal"].is_i64() && answer.get("exit_code").is_none(), "{answer}");
        }),
        case("of megabytes of output the last lines are told, and all is counted", |t| {
            let text = "extends Node\n\nfunc _ready():\n\tfor n in 20000:\n\t\tprint(\"line %d \" % n, \
                        \"x\".repeat(100))\n\t\tif n == 10000: push_error(\"half-way\")\n\t\
                        print(\"that was all\")\n\tget_tree().quit()\n";
            let (_, scene) = scripted(t, "floods", text);
            let answer = t.call(RUN, json!({"scene": scene, "timeout_seconds": LONG}));
            assert!(answer.ok, "{}", answer.value);
            let text = answer.reply["content"][0]["text"].as_str().unwrap();
            assert!(text.chars().count() <= LIMIT, "{} characters", text.chars().count());
            let answer = answer.value;
            assert_eq!(answer["exit_code"], 0, "{answer}");
            assert!(answer["output_lines"].as_u64().unwrap() > 20_000, "{answer}");
            assert_eq!(answer["output_truncated"], true, "{answer}");
            let printed = lines(&answer);
            assert!(printed.contains(&"that was all") && printed.len() > 100, "{answer}");
            assert_eq!(answer["errors"][0]["message"], "half-way", "{answer}");
            // The rest is in a file.
            let whole = std::fs::read_to_string(answer["output_file"].as_str().unwrap()).unwrap();
            assert_eq!(whole.lines().count() as u64, answer["output_lines"].as_u64().unwrap());
            assert!(whole.contains("line 0 ") && whole.contains("that was all"));
        }),
        case("a long line is told as cut, and is whole in a file", |t| {
            let text = "extends Node\n\nfunc _ready():\n\tprint(\"x\".repeat(7000), \"end\")\n\t\
                        print(\"y\".repeat(20000), \"end\")\n\tget_tree().quit()\n";
            let (_, scene) = scripted(t, "long_lines", text);
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": LONG}));
            assert_eq!(answer["output_truncated"], true, "{answer}");
            let printed = lines(&answer);
            assert!(printed.iter().any(|line| line.ends_with("xend") && line.len() == 7003));
            assert!(printed.iter().any(|line| line.ends_with("y…")), "{answer}");
            let file = answer["output_file"].as_str().unwrap();
            let whole = std::fs::read_to_string(file).unwrap();
            assert!(whole.contains(&format!("{}end", "y".repeat(20000))));
            assert!(!std::path::Path::new(file).starts_with(t.project().folder()), "{file}");
        }),
    ]
}

fn lasting() -> Vec<Case> {
    vec![
        case("a game that does not end is ended, and told as far as it got", |t| {
            let answer = t.call(RUN, json!({"timeout_seconds": 3.5}));
            assert!(answer.ok, "{}", answer.value);
            assert!(answer.time < Duration::from_secs(12), "{:?}", answer.time);
            let answer = answer.value;
            assert_eq!((&answer["ran"], &answer["timed_out"]), (&json!(true), &json!(true)));
            assert!(
                answer.get("exit_code").is_none() && answer.get("signal").is_none(),
                "{answer}"
            );
            let seconds = answer["duration_seconds"].as_f64().unwrap();
            assert!((3.5..8.0).contains(&seconds), "{answer}");
            // What it printed is the game's, without a header of the engine.
            assert_eq!(lines(&answer), Vec::<&str>::new(), "{answer}");
        }),
        case("an endless loop is ended as well", |t| {
            let text = "extends Node\n\nfunc _ready():\n\tprint(\"before the loop\")\n\t\
                        while true:\n\t\tpass\n";
            let (_, scene) = scripted(t, "loops", text);
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": 4}));
            assert_eq!(answer["timed_out"], true, "{answer}");
            assert!(lines(&answer).contains(&"before the loop"), "{answer}");
        }),
        case("what is not saved is not in the run, which says so", |t| {
            let scene = t.open("res://scenes/main.tscn");
            let set = json!({"node_path": "Player", "property": "speed", "value": 77});
            t.ok("scene_edit_set_node_property", set);
            let (_, quits) =
                scripted(t, "quits", "extends Node\n\nfunc _ready():\n\tget_tree().quit()\n");
            let arguments = json!({"scene": quits, "timeout_seconds": LONG});
            let answer = t.ok(RUN, arguments.clone());
            assert!(answer["hint"].as_str().unwrap().contains(&scene), "{answer}");
            t.ok("scene_edit_save_all_scenes", json!({}));
            let answer = t.ok(RUN, arguments);
            assert!(answer.get("hint").is_none(), "{answer}");
        }),
    ]
}

/// The number in a file, once it is there.
fn number_in(file: &Path) -> u32 {
    let since = Instant::now();
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if let Ok(number) = text.trim().parse() {
            return number;
        }
        assert!(since.elapsed() < Duration::from_secs(40), "{} does not come", file.display());
        thread::sleep(GLANCE);
    }
}

/// Waits until a process is gone. It is no child of ours, so its end cannot be awaited.
fn assert_gone(pid: u32) {
    let since = Instant::now();
    while Path::new(&format!("/proc/{pid}")).exists() {
        assert!(since.elapsed() < Duration::from_secs(10), "process {pid} goes on");
        thread::sleep(GLANCE);
    }
}

/// A script that writes down the number of its process, and then goes on and on.
fn goes_on(file: &Path) -> String {
    let file = file.display();
    format!(
        "extends Node\n\nfunc _ready():\n\tvar file = FileAccess.open(\"{file}\", FileAccess.WRITE)\n\t\
         file.store_string(str(OS.get_process_id()))\n\tfile.close()\n\tprint(\"it goes on\")\n"
    )
}

#[cfg(target_os = "linux")]
fn families() -> Vec<Case> {
    /// Starts another Godot with the scene that goes on, and does this once that is there.
    fn parent(t: &Test<'_>, name: &str, then: &str) -> (PathBuf, String) {
        let file = t.project().work().join(format!("{name}.pid"));
        let (_, child) = scripted(t, &format!("{name}_child"), &goes_on(&file));
        let text = format!(
            "extends Node\n\nfunc _ready():\n\tOS.create_process(OS.get_executable_path(), [\"--headless\", \
             \"--path\", ProjectSettings.globalize_path(\"res://\"), \"{child}\"])\n\n\
             func _process(_delta):\n\tif FileAccess.file_exists(\"{}\"):\n\t\t{then}\n",
            file.display()
        );
        (file, scripted(t, name, &text).1)
    }
    vec![
        case("what a run has started is ended with it at the timeout", |t| {
            let (file, scene) = parent(t, "stays", "pass");
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": 8}));
            assert_eq!(answer["timed_out"], true, "{answer}");
            assert_gone(number_in(&file));
        }),
        case("what a run has left behind is ended when it quits", |t| {
            let (file, scene) = parent(t, "leaves", "get_tree().quit(5)");
            let answer = t.ok(RUN, json!({"scene": scene, "timeout_seconds": LONG}));
            assert_eq!(answer["exit_code"], 5, "{answer}");
            assert_gone(number_in(&file));
        }),
        case("a run that is cancelled is ended at once", |t| {
            let file = t.project().work().join("cancelled.pid");
            let (_, scene) = scripted(t, "cancelled", &goes_on(&file));
            let (id, _reply) =
                t.client().begin(RUN, &json!({"scene": scene, "timeout_seconds": 600}));
            let pid = number_in(&file);
            t.client().cancel(id);
            assert_gone(pid);
        }),
        case("a run whose client is gone is ended", |t| {
            let file = t.project().work().join("deserted.pid");
            let (_, scene) = scripted(t, "deserted", &goes_on(&file));
            let mut client = Client::start(t.project());
            client.begin(RUN, &json!({"scene": scene, "timeout_seconds": 600}));
            let pid = number_in(&file);
            client.kill();
            assert_gone(pid);
        }),
    ]
}

#[cfg(not(target_os = "linux"))]
fn families() -> Vec<Case> {
    Vec::new()
}

fn callers() -> Vec<Case> {
    vec![
        case("two run at once, a third is refused, and the editor answers meanwhile", |t| {
            let work = t.project().work();
            let files = [work.join("one.pid"), work.join("two.pid")];
            let mut begun = Vec::new();
            for (name, file) in ["one", "two"].iter().zip(&files) {
                let (_, scene) = scripted(t, name, &goes_on(file));
                begun.push(t.client().begin(RUN, &json!({"scene": scene, "timeout_seconds": 600})));
            }
            for file in &files {
                assert!(number_in(file) > 0);
            }
            let fault = t.fault(RUN, json!({}), "PRECONDITION_FAILED");
            assert!(fault["hint"].as_str().unwrap().contains("Wait for the answer"), "{fault}");
            let read = t.call("inspection_get_project_info", json!({}));
            assert!(read.ok && read.time < Duration::from_secs(2), "{:?}", read.time);
            for (id, _) in begun {
                t.client().cancel(id);
            }
            files.iter().for_each(|file| assert_gone(number_in(file)));
            // Their places are free again.
            let (_, scene) =
                scripted(t, "quits", "extends Node\n\nfunc _ready():\n\tget_tree().quit()\n");
            t.ok(RUN, json!({"scene": scene, "timeout_seconds": LONG}));
        }),
        case("a client that asks for it hears what is printed while it runs", |t| {
            let before = t.client().notices().len();
            let file = t.project().work().join("told.pid");
            let (_, scene) = scripted(t, "told", &goes_on(&file));
            let params = json!({
                "name": "godot_runtime_run_and_capture",
                "arguments": {"scene": scene, "timeout_seconds": 5},
                "_meta": {"progressToken": "run"},
            });
            let reply = t.client().request("tools/call", params).unwrap();
            assert_ne!(reply["isError"], json!(true), "{reply}");
            let notices = t.client().notices();
            assert!(
                notices[before..].contains(&"notifications/progress".to_owned()),
                "{notices:?}"
            );
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![
        case("a scene that cannot be run is refused", |t| {
            for (scene, code) in [
                ("res://none.tscn", "RESOURCE_NOT_FOUND"),
                ("res://scripts/player.gd", "VALIDATION_ERROR"),
                ("res://scenes", "RESOURCE_NOT_FOUND"),
                ("res://../other.tscn", "VALIDATION_ERROR"),
                ("--version", "VALIDATION_ERROR"),
                ("/etc/passwd", "VALIDATION_ERROR"),
            ] {
                let fault = t.fault(RUN, json!({"scene": scene}), code);
                assert_eq!(fault["required"], "scene", "{fault}");
            }
            for seconds in [json!(0), json!(-1), json!(3601), json!("long")] {
                let fault = t.fault(RUN, json!({"timeout_seconds": seconds}), "VALIDATION_ERROR");
                assert_eq!(fault["required"], "timeout_seconds", "{fault}");
            }
        }),
        case("a project without a main scene says what to do", |t| {
            let set = |value: &str| json!({"name": "application/run/main_scene", "value": value, "confirm": true});
            // One that is gone since it was set.
            let gone = t.path("gone.tscn");
            fs::copy(t.project().file("res://scenes/coin.tscn"), t.project().file(&gone)).unwrap();
            for value in ["", &gone] {
                t.ok("project_set_setting", set(value));
                if !value.is_empty() {
                    fs::remove_file(t.project().file(value)).unwrap();
                }
                let fault = t.refused(RUN, json!({}), "main_scene");
                assert!(fault["hint"].as_str().unwrap().contains("godot_project_set_setting"));
                t.undo(1);
            }
        }),
        case("a run is no part of a batch", |t| {
            let batch = json!({"commands": [{"command": "run_and_capture", "params": {}}]});
            let answer = t.call("composite_run_commands", batch);
            assert!(
                !answer.ok && answer.value.to_string().contains("on its own"),
                "{}",
                answer.value
            );
        }),
    ]
}
