//! Starting, meeting, parting: in any order, any number of times, without a trace.

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use e2e::{
    cases::run_alone,
    client::Client,
    editor::{Editor, assert_no_leaks},
    project::Project,
    setup::Setup,
    world::wait_connected,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run_alone(&[
        ("without an editor every tool is listed and a call fails at once", no_editor),
        ("the gateway ends when its input does, and nothing but JSON-RPC is printed", hygiene),
        ("gateway first, editor second: they meet, and part cleanly", gateway_first),
        ("editor first, gateway second; a gateway that was killed is replaced", reconnect),
        ("a second client does not disturb the first", second_client),
        ("the link outlives the game and what scripts do", play),
        ("an editor that was killed is replaced by the next", next_editor),
        ("a game ends with the editor that started it, also where that was killed", orphan),
        ("a run beside the editor ends with it, also where it was killed", orphaned_run),
        ("a game that cannot call its editor answers over the debugger", no_line),
        ("of several games that run each can be spoken to, and none by chance", several),
        ("switched off and on again, it leaves one connection", toggle),
        ("GODOT_MCP_DISABLE keeps an editor to itself", disabled),
        ("a project folder that is not ASCII", unicode),
        (
            "an editor that speaks Japanese is edited, undone, saved and played as any other",
            japanese,
        ),
        ("imports, scripts and games are left alone", inert),
    ])
}

fn no_line() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    for entry in fs::read_dir(project.rendezvous()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("ed-") && name.ends_with(".sock") {
            fs::remove_file(&path).unwrap();
        }
    }
    let game = client.call("runtime_play_scene", json!({}));
    assert!(game.ok, "{}", game.value);
    for _ in 0..3 {
        let read = json!({"node_path": "Player", "property": "name"});
        let read = client.call("runtime_read_property", read);
        assert_eq!(read.value["value"], "Player", "{}", read.value);
    }
    client.close();
    editor.quit();
}

fn orphan() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let game = client.call("runtime_play_scene", json!({}));
    assert!(game.ok, "{}", game.value);
    let process = format!("/proc/{}", game.value["pid"]);
    assert!(Path::new(&process).exists());
    editor.kill();
    let since = Instant::now();
    // It is no child of ours, so its end cannot be awaited.
    while Path::new(&process).exists() {
        assert!(since.elapsed() < Duration::from_secs(20), "the game goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    client.close();
}

fn orphaned_run() {
    for is_killed in [false, true] {
        let project = Project::new();
        let mut client = Client::start(&project);
        let mut editor = Editor::start(&project);
        wait_connected(&mut client, &mut editor);
        let file = project.work().join("run.pid");
        let text = format!(
            "extends Node\n\nfunc _ready():\n\tvar file = FileAccess.open(\"{}\", FileAccess.WRITE)\n\t\
             file.store_string(str(OS.get_process_id()))\n\tfile.close()\n\twhile true: pass\n",
            file.display()
        );
        fs::write(project.file("res://goes_on.gd"), text).unwrap();
        let scene = "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"res://goes_on.gd\" id=\"1\"]\n\n\
                     [node name=\"Root\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
        fs::write(project.file("res://goes_on.tscn"), scene).unwrap();
        let arguments = json!({"scene": "res://goes_on.tscn", "timeout_seconds": 600});
        client.begin("runtime_run_and_capture", &arguments);
        let since = Instant::now();
        let waits = |what: &str| {
            assert!(since.elapsed() < Duration::from_secs(40), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        };
        let pid = loop {
            match fs::read_to_string(&file).unwrap_or_default().parse::<u32>() {
                Ok(pid) => break pid,
                Err(_) => waits("the run does not begin"),
            }
        };
        if is_killed {
            editor.kill();
        } else {
            editor.quit_in_any_state();
        }
        while Path::new(&format!("/proc/{pid}")).exists() {
            waits("the run goes on");
        }
        client.close();
    }
}

/// As the human has it with "Run Multiple Instances".
fn several() {
    let project = Project::new();
    let metadata = project.file("res://.godot/editor/project_metadata.cfg");
    fs::create_dir_all(metadata.parent().unwrap()).unwrap();
    let one =
        r#"{"arguments": "", "features": "", "override_args": false, "override_features": false}"#;
    let text = format!(
        "[debug_options]\n\nmultiple_instances_enabled=true\nrun_instance_count=2\n\
         run_instances_config=Array[Dictionary]([{one}, {one}])\n"
    );
    fs::write(metadata, text).unwrap();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let game = client.call("runtime_play_scene", json!({}));
    assert!(game.ok, "{}", game.value);
    let since = Instant::now();
    let instances = loop {
        let state = client.call("runtime_is_playing", json!({})).value;
        let instances = state["instances"].as_array().unwrap().clone();
        if instances.len() == 2 && instances.iter().all(|it| it["ready"] == true) {
            break instances;
        }
        assert!(since.elapsed() < Duration::from_secs(30), "{state}");
    };
    assert_eq!((&instances[0]["id"], &instances[1]["id"]), (&json!(1), &json!(2)));
    assert_eq!(instances[1]["scene"], "res://scenes/main.tscn");

    let read = json!({"node_path": "Player", "property": "speed"});
    let fault = client.call("runtime_read_property", read);
    assert_eq!(
        (fault.code(), fault.required()),
        ("PRECONDITION_FAILED", "instance"),
        "{}",
        fault.value
    );
    assert_eq!(fault.value["instances"].as_array().unwrap().len(), 2, "{}", fault.value);
    let pid = json!({"expression": "OS.get_process_id()", "instance": 3});
    let fault = client.call("debugger_evaluate_expression", pid);
    assert_eq!(
        (fault.code(), fault.required()),
        ("RESOURCE_NOT_FOUND", "instance"),
        "{}",
        fault.value
    );
    for instance in &instances {
        let pid = json!({"expression": "OS.get_process_id()", "instance": instance["id"]});
        let told = client.call("debugger_evaluate_expression", pid).value;
        assert_eq!(told["value"], instance["pid"], "{told}");
    }

    let stopped = client.call("debugger_force_break", json!({"instance": 2})).value;
    assert_eq!(stopped["breaked"], true, "{stopped}");
    let state = client.call("runtime_is_playing", json!({})).value;
    let broken = |index: usize| state["instances"][index]["broken"].clone();
    assert_eq!((broken(0), broken(1)), (json!(false), json!(true)), "{state}");
    let read =
        |instance: u32| json!({"node_path": "Player", "property": "speed", "instance": instance});
    assert!(client.call("runtime_read_property", read(1)).ok);
    assert_eq!(client.call("runtime_read_property", read(2)).required(), "game_not_breaked");
    let on = client.call("debugger_continue_execution", json!({"instance": 2}));
    assert!(on.ok, "{}", on.value);
    assert!(client.call("runtime_read_property", read(2)).ok);

    let state = client.call("runtime_stop_scene", json!({})).value;
    assert_eq!((&state["playing"], &state["ended"]), (&json!(false), &json!("asked")), "{state}");
    assert_eq!(state["instances"], json!([]));
    client.close();
    editor.quit();
}

/// What the add-on must not change by being there.
fn settings(project: &Project) -> Vec<u8> {
    fs::read(project.file("res://project.godot")).unwrap()
}

/// The files of that kind in the rendezvous directory.
fn traces(project: &Project, prefix: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(project.rendezvous()) else { return Vec::new() };
    let names = entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(prefix)).collect()
}

fn no_editor() {
    let project = Project::new();
    let mut client = Client::start(&project);
    assert!(client.tools().len() >= 37);
    let health = client.call("health_check", json!({}));
    assert!(health.time < Duration::from_millis(100), "{:?}", health.time);
    assert_eq!(health.value["bridge_connected"], false);
    assert!(health.value["hint"].is_string(), "{}", health.value);
    let answer = client.call("inspection_get_scene_tree", json!({}));
    assert_eq!(answer.code(), "BRIDGE_DISCONNECTED", "{}", answer.value);
    assert_eq!(answer.required(), "bridge_connected", "{}", answer.value);
    assert!(answer.time < Duration::from_millis(100), "{:?}", answer.time);
    let hint = answer.value["hint"].as_str().unwrap();
    let place = project.rendezvous();
    assert!(hint.contains(&*place.to_string_lossy()), "it does not say where it looked: {hint}");
}

fn hygiene() {
    let project = Project::new();
    let mut client = Client::start(&project);
    for round in 0..200 {
        client.call("health_check", json!({}));
        client.call("describe_class", json!({"class_name": round}));
        client.call("inspection_get_node_property", json!({"node_path": "../.."}));
        client.request("tools/call", json!({"name": "nope"})).unwrap_err();
        client.request("no/such/method", json!({})).unwrap_err();
    }
    client.send_line("this is no JSON");
    client.call("health_check", json!({}));
    let (status, time) = client.close();
    assert!(status.success(), "{status}");
    assert!(time < Duration::from_secs(1), "{time:?}");
    assert_eq!(traces(&project, "gw-"), [""; 0], "left in the rendezvous directory");

    let begin = Instant::now();
    let output = Command::new(&Setup::get().gateway)
        .arg("serve")
        .env("GODOT_MCP_RUNTIME_DIR", project.rendezvous())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(begin.elapsed() < Duration::from_secs(1));
    assert_eq!(output.stdout, b"");
}

fn gateway_first() {
    let project = Project::new();
    let before = settings(&project);
    let mut client = Client::start(&project);
    assert_eq!(client.call("health_check", json!({})).value["bridge_connected"], false);
    let mut editor = Editor::start(&project);
    let time = wait_connected(&mut client, &mut editor);
    println!("from the editor's start to the first answer: {time:.1?}");
    assert_eq!(client.call("health_check", json!({})).value["bridge_connected"], true);

    let log = editor.quit();
    assert!(!log.contains("ERROR"), "{log}");
    assert_eq!(traces(&project, "ed-"), [""; 0], "left in the rendezvous directory");
    let answer = client.call("inspection_get_scene_tree", json!({}));
    assert_eq!(answer.code(), "BRIDGE_DISCONNECTED", "{}", answer.value);
    assert!(answer.time < Duration::from_millis(500), "{:?}", answer.time);
    assert_eq!(settings(&project), before, "project.godot was changed");
}

fn reconnect() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let mut client = Client::start(&project);
    wait_connected(&mut client, &mut editor);
    let mut times = Vec::new();
    for _ in 0..5 {
        client.kill();
        let begin = Instant::now();
        client = Client::start(&project);
        wait_connected(&mut client, &mut editor);
        times.push(begin.elapsed());
    }
    times.sort();
    println!("from a new gateway's start to its first answer: {times:.1?}");
    assert!(times[2] < Duration::from_millis(600), "{times:?}");
    client.close();
    editor.quit();
}

fn second_client() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let mut first = Client::start(&project);
    wait_connected(&mut first, &mut editor);
    let mut second = Client::start(&project);
    wait_connected(&mut second, &mut editor);
    open(&mut first, "res://scenes/main.tscn");
    for round in 0..100 {
        let set = json!({"node_path": "Player", "property": "speed", "value": round});
        let answer = first.call("scene_edit_set_node_property", set);
        assert!(answer.ok, "{}", answer.value);
        let get = json!({"node_path": "Player", "property": "speed"});
        let answer = second.call("inspection_get_node_property", get);
        assert_eq!(answer.value["value"], f64::from(round), "{}", answer.value);
    }
    // As a client that only probes: it comes and goes at once.
    let (status, _) = Client::start(&project).close();
    assert!(status.success());
    second.kill();
    assert!(first.call("inspection_get_active_scene", json!({})).ok);
    first.close();
    editor.quit();
}

/// The link and the tools stay as they are while the game runs and scripts are loaded anew.
fn play() {
    let project = Project::new();
    let before = settings(&project);
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    open(&mut client, "res://scenes/main.tscn");
    let tools = client.tools();
    let notices = client.notices();
    let check = |client: &mut Client, when: &str| {
        let set = json!({"node_path": "Player", "property": "speed", "value": 7});
        let answer = client.call("scene_edit_set_node_property", set);
        assert!(answer.ok, "{when}: {}", answer.value);
        let health = client.call("health_check", json!({})).value;
        assert_eq!(health["editors"].as_array().unwrap().len(), 1, "{when}: {health}");
        assert!(client.tools() == tools, "{when}: the tools are others");
    };
    for _ in 0..2 {
        assert_eq!(editor.hands(&json!({"do": "play"})), true);
        check(&mut client, "while the game runs");
        assert_eq!(editor.hands(&json!({"do": "stop"})), false);
        check(&mut client, "after the game");
    }
    let script = json!({"do": "reload_script", "path": "res://scripts/player.gd"});
    assert_eq!(editor.hands(&script), 0, "the script was not loaded anew");
    check(&mut client, "after a script was loaded anew");
    assert_eq!(client.notices(), notices, "the client was told of other tools");
    assert_eq!(settings(&project), before, "project.godot was changed");
    client.close();
    editor.quit();
}

fn next_editor() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    editor.kill();
    let answer = client.call("inspection_get_active_scene", json!({}));
    assert_eq!(answer.code(), "BRIDGE_DISCONNECTED", "{}", answer.value);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let health = client.call("health_check", json!({})).value;
    assert_eq!(health["editors"].as_array().unwrap().len(), 1, "{health}");
    assert_eq!(health["editors"][0]["pid"], editor.pid());
    editor.quit();
}

fn toggle() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let count = |kind: &str, pid: u32| {
        fs::read_dir(format!("/proc/{pid}/{kind}")).map(Iterator::count).unwrap_or_default()
    };
    let mut seen = Vec::new();
    for _ in 0..20 {
        editor.hands(&json!({"do": "enable", "on": false}));
        wait_health(&mut client, false);
        editor.hands(&json!({"do": "enable", "on": true}));
        wait_health(&mut client, true);
        wait_connected(&mut client, &mut editor);
        let health = client.call("health_check", json!({})).value;
        assert_eq!(health["editors"].as_array().unwrap().len(), 1, "{health}");
        seen.push((count("fd", editor.pid()), count("task", editor.pid())));
    }
    let (first, last) = (seen[0], seen[seen.len() - 1]);
    assert!(last.0 <= first.0 + 2 && last.1 <= first.1 + 1, "files and threads grow: {seen:?}");
    // It hears what games say as before.
    let played = client.call("runtime_play_scene", json!({}));
    assert!(played.ok, "{}", played.value);
    client.call("debugger_evaluate_expression", json!({"expression": "print(\"heard again\")"}));
    let since = Instant::now();
    loop {
        let output = client.call("runtime_get_game_output", json!({})).value;
        if output.to_string().contains("heard again") {
            break;
        }
        assert!(since.elapsed() < Duration::from_secs(10), "{output}");
    }
    client.call("runtime_stop_scene", json!({}));
    editor.quit();
}

fn disabled() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start_with(&project, |command| command.env("GODOT_MCP_DISABLE", "1"));
    // It is up once its user can do something in it.
    editor.hands(&json!({"do": "orphans"}));
    let answer = client.call("inspection_get_active_scene", json!({}));
    assert_eq!(answer.code(), "BRIDGE_DISCONNECTED", "{}", answer.value);
    assert_eq!(traces(&project, "ed-"), [""; 0]);
    editor.quit();
}

fn unicode() {
    let project = Project::named("项目 é 🎮");
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let info = client.call("inspection_get_project_info", json!({})).value;
    let path = info["project_path"].as_str().unwrap();
    assert_eq!(Path::new(path.trim_end_matches('/')), project.folder());
    let scene = "res://scenes/größe 场景.tscn";
    let create = json!({"root_type": "Node2D", "scene_path": scene});
    let answer = client.call("scene_edit_create_scene", create);
    assert!(answer.ok, "{}", answer.value);
    assert_eq!(project.scene(scene).paths(), ["."]);
    client.close();
    editor.quit();
}

/// Runs of Godot that are no editing session must not notice the add-on at all.
fn inert() {
    let project = Project::new();
    let before = settings(&project);
    let script = "extends SceneTree\n\nfunc _init() -> void:\n\tquit()\n";
    fs::write(project.file("res://quit.gd"), script).unwrap();
    let runs: [(&str, &[&str]); 5] = [
        ("import", &["--import"]),
        ("script", &["--script", "res://quit.gd"]),
        ("editor that quits", &["--editor", "--quit"]),
        ("game", &["--quit-after", "30"]),
        ("version", &["--version"]),
    ];
    // A place where nothing is yet, so that whatever is made there shows.
    let place = project.work().join("nobody");
    for (name, arguments) in runs {
        let output = project
            .godot()
            .args(arguments)
            .env("GODOT_MCP_RUNTIME_DIR", &place)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {}\n{log}", output.status);
        assert_no_leaks(&log);
        assert!(!log.contains("ERROR"), "{name}: {log}");
        assert!(!log.to_lowercase().contains("mcp"), "{name} printed something of ours: {log}");
        assert!(!place.exists(), "{name} made {}", place.display());
    }
    assert_eq!(settings(&project), before, "project.godot was changed");
}

fn open(client: &mut Client, scene: &str) {
    let answer = client.call("scene_edit_open_scene", json!({"scene_path": scene}));
    assert!(answer.ok, "{}", answer.value);
}

/// Waits until the gateway sees an editor, or none.
fn wait_health(client: &mut Client, connected: bool) {
    let begin = Instant::now();
    loop {
        let health = client.call("health_check", json!({})).value;
        if health["bridge_connected"] == Value::Bool(connected) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(5), "{health}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Nothing of what is known of the editor is read from words that it shows in its human's language.
fn japanese() {
    const SCENE: &str = "res://scenes/main.tscn";
    let project = Project::new();
    project.set_editor_settings("interface/editor/editor_language = \"ja\"\n");
    let mut client = Client::start(&project);
    let mut editor = Editor::start_with(&project, |command| command.args(["--language", "ja"]));
    wait_connected(&mut client, &mut editor);
    let mut ok = |tool: &str, arguments: Value| {
        let answer = client.call(tool, arguments);
        assert!(answer.ok, "{tool}: {}", answer.value);
        answer.value
    };
    ok("scene_edit_open_scene", json!({"scene_path": SCENE}));
    ok("scene_edit_save_scene", json!({}));
    let is_dirty = |listed: &Value| listed["scenes"][0]["dirty"].clone();
    let before = project.scene(SCENE);
    let create = json!({"parent_path": ".", "node_type": "Node2D", "node_name": "Kodama"});
    ok("scene_edit_create_node", create);
    let undone = ok("undo", json!({}));
    assert_eq!(undone["last_action"], "MCP: Create Kodama", "{undone}");
    let redone = ok("redo", json!({}));
    assert_eq!(redone["redone"], 1, "{redone}");
    let listed = ok("scene_edit_list_open_scenes", json!({}));
    assert_eq!(is_dirty(&listed), true, "{listed}");
    ok("undo", json!({}));
    ok("scene_edit_save_scene", json!({}));
    let changes = before.diff(&project.scene(SCENE));
    assert!(changes.is_empty(), "{changes:?}");
    assert_eq!(is_dirty(&ok("scene_edit_list_open_scenes", json!({}))), false);

    let played = ok("runtime_play_scene", json!({"timeout_ms": 30000}));
    assert_eq!((&played["playing"], &played["connected"]), (&json!(true), &json!(true)));
    ok("runtime_read_property", json!({"node_path": "Player", "property": "health"}));
    ok("debugger_force_break", json!({}));
    assert_eq!(ok("runtime_is_playing", json!({}))["paused"], true);
    ok("debugger_continue_execution", json!({}));
    assert_eq!(ok("runtime_stop_scene", json!({}))["playing"], false);
    client.close();
    editor.quit();
}
