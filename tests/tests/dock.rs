//! The dock in the bottom panel: what it shows, and the two switches.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use e2e::{
    cases::run_alone, client::Client, editor::Editor, project::Project, world::wait_connected,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run_alone(&[
        ("the dock shows who is connected, the scene and the last commands", shown),
        ("a pause refuses what changes something, and only that", paused),
        ("off ends the links and on brings them back, with one dock all the while", switched),
        ("an editor whose setting is off waits for the switch", off_at_start),
        ("a new theme is followed at once", theme),
        ("in a scaled editor the dock is scaled", scale),
    ])
}

fn shown() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    open(&mut client);
    client.call("scene_edit_set_node_property", speed(7));
    client.call("inspection_get_node_groups", json!({"node_path": "Nobody"}));

    let dock = look(&mut editor);
    assert_eq!(dock["count"], 1);
    assert_eq!(dock["Enabled"], true);
    assert_eq!(dock["Pause"], false);
    assert_eq!(dock["Status"], "● Connected to 1 client");
    assert_eq!(dock["Project"], "Coin Cellar: scenes/main.tscn (*)");
    let gateway = format!("{}, process {}", env!("CARGO_PKG_VERSION"), client.pid());
    assert_eq!(dock["Gateways"], json!([["e2e 1", gateway, "connected"]]));
    let told = |row: usize| (dock["Commands"][row][1].clone(), dock["Commands"][row][2].clone());
    assert_eq!(told(0), (json!("inspection_get_node_groups"), json!("RESOURCE_NOT_FOUND")));
    assert_eq!(told(1), (json!("scene_edit_set_node_property"), json!("ok")));

    client.close();
    let dock = look(&mut editor);
    assert_eq!(dock["Status"], "● Waiting for a client");
    assert_eq!(dock["Gateways"], json!([]));
    let log = editor.quit();
    assert!(!log.contains("WARNING: godot-rust"), "connections were left behind:\n{log}");
}

fn paused() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    open(&mut client);
    assert!(client.call("scene_edit_set_node_property", speed(7)).ok);
    flip(&mut editor, "Pause", true);

    let calls = [
        ("scene_edit_set_node_property", speed(8)),
        ("undo", json!({})),
        ("scene_edit_save_scene", json!({})),
        ("scene_edit_rescan_filesystem", json!({})),
    ];
    for (tool, arguments) in calls {
        let answer = client.call(tool, arguments);
        assert_eq!(answer.code(), "PRECONDITION_FAILED", "{tool}: {}", answer.value);
        assert_eq!(answer.required(), "human_approval", "{tool}: {}", answer.value);
        assert!(answer.value["hint"].as_str().unwrap().contains("dock"), "{}", answer.value);
    }
    let mut preview = speed(8);
    preview["dry_run"] = json!(true);
    let answer = client.call("scene_edit_set_node_property", preview);
    assert!(answer.ok, "{}", answer.value);
    let get = json!({"node_path": "Player", "property": "speed"});
    let answer = client.call("inspection_get_node_property", get);
    assert_eq!(answer.value["value"], 7.0, "{}", answer.value);
    assert_eq!(look(&mut editor)["Status"], "● Connected to 1 client, edits paused");

    flip(&mut editor, "Pause", false);
    assert!(client.call("scene_edit_set_node_property", speed(8)).ok);
    client.close();
    editor.quit();
}

fn switched() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let orphans = editor.hands(&json!({"do": "orphans"}));
    for _ in 0..50 {
        flip(&mut editor, "Enabled", false);
        wait_health(&mut client, false);
        flip(&mut editor, "Enabled", true);
        wait_health(&mut client, true);
    }
    flip(&mut editor, "Enabled", false);
    wait_health(&mut client, false);
    let dock = look(&mut editor);
    assert_eq!((&dock["Status"], &dock["Gateways"]), (&json!("● Off"), &json!([])));
    let left = std::fs::read_dir(project.rendezvous()).unwrap();
    let mut left = left.map(|it| it.unwrap().file_name().to_string_lossy().into_owned());
    assert!(left.all(|name| !name.starts_with("ed-")), "the editor still shows that it is there");

    flip(&mut editor, "Enabled", true);
    wait_connected(&mut client, &mut editor);
    assert_eq!(look(&mut editor)["count"], 1);
    assert_eq!(editor.hands(&json!({"do": "orphans"})), orphans);
    editor.quit();
}

fn off_at_start() {
    let project = Project::new();
    project.set_editor_settings("godot_mcp/enabled = false\n");
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    let dock = look(&mut editor);
    assert_eq!((&dock["count"], &dock["Enabled"]), (&json!(1), &json!(false)), "{dock}");
    assert_eq!(dock["Status"], "● Off");
    assert_eq!(client.call("health_check", json!({})).value["bridge_connected"], false);
    flip(&mut editor, "Enabled", true);
    wait_connected(&mut client, &mut editor);
    editor.quit();
}

fn theme() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    look(&mut editor);
    for color in ["112233ff", "445566ff"] {
        assert_eq!(editor.hands(&json!({"do": "theme", "color": color})), color);
    }
    editor.quit();
}

fn scale() {
    let size = |settings: &str| {
        let project = Project::new();
        project.set_editor_settings(settings);
        let mut editor = Editor::start(&project);
        let size = editor.hands(&json!({"do": "size"}));
        editor.quit();
        (size["height"].as_f64().unwrap(), size["scale"].as_f64().unwrap())
    };
    // The numbers of the items in the list of scales: 100 % and 200 %.
    let (height, one) = size("interface/editor/display_scale = 2\n");
    let (twice, two) = size("interface/editor/display_scale = 6\n");
    assert_eq!((one, two), (1.0, 2.0));
    assert_eq!(twice, 2.0 * height);
}

fn look(editor: &mut Editor<'_>) -> Value {
    editor.hands(&json!({"do": "dock"}))
}

fn flip(editor: &mut Editor<'_>, switch: &str, on: bool) {
    editor.hands(&json!({"do": "switch", "switch": switch, "on": on}));
}

fn open(client: &mut Client) {
    let scene = json!({"scene_path": "res://scenes/main.tscn"});
    let answer = client.call("scene_edit_open_scene", scene);
    assert!(answer.ok, "{}", answer.value);
}

fn speed(value: u32) -> Value {
    json!({"node_path": "Player", "property": "speed", "value": value})
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
