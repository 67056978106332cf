//! Bad days with a real editor: killed, stopped, cut off, replaced.

use std::{
    process::{Command, ExitCode},
    thread,
    time::{Duration, Instant},
};

use e2e::{
    cases::run_alone, client::Client, editor::Editor, project::Project, world::wait_connected,
};
use link::{Connection, Directory, dial};
use protocol::envelope::Response;
use serde_json::{Value, json};

fn main() -> ExitCode {
    run_alone(&[
        ("a stopped editor is told apart, and does nothing late", stopped_editor),
        ("an editor killed in the middle of a call ends the call", killed_editor),
        ("a stopped gateway holds up nobody", stopped_gateway),
        ("an edit whose link is cut before the answer is done once", cut_link),
        ("the younger editor of a project is served, and the older one after it", two_editors),
        ("over TCP with the token", tcp),
    ])
}

const SCENE: &str = "res://scenes/main.tscn";

fn signal(name: &str, pid: u32) {
    let status = Command::new("kill").args([name, &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

fn open(client: &mut Client) {
    let answer = client.call("scene_edit_open_scene", json!({"scene_path": SCENE}));
    assert!(answer.ok, "{}", answer.value);
}

fn create(name: &str) -> Value {
    json!({"parent_path": ".", "node_type": "Node2D", "node_name": name})
}

fn exists(client: &mut Client, name: &str) -> bool {
    client.call("inspection_get_node_groups", json!({"node_path": name})).ok
}

fn served(client: &mut Client) -> Vec<Value> {
    let health = client.call("health_check", json!({})).value;
    health["editors"].as_array().unwrap().iter().map(|editor| editor["pid"].clone()).collect()
}

fn wait_served(client: &mut Client, pid: u32, limit: Duration) -> Duration {
    let start = Instant::now();
    while served(client) != [json!(pid)] {
        assert!(start.elapsed() < limit, "{:?}", served(client));
        thread::sleep(Duration::from_millis(5));
    }
    start.elapsed()
}

fn with_timeout<'a>(command: &'a mut Command, seconds: &str) -> &'a mut Command {
    command.args(["--timeout", seconds]).env("GODOT_MCP_DEFAULT_TOOLSETS", "all")
}

fn stopped_editor() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let mut client = Client::start(&project);
    wait_connected(&mut client, &mut editor);
    open(&mut client);
    client.close();
    let mut client = Client::start_with(&project, |command| with_timeout(command, "1"));
    wait_connected(&mut client, &mut editor);
    signal("-STOP", editor.pid());
    let answer = client.call("scene_edit_create_node", create("Late"));
    let health = client.call("health_check", json!({})).value;
    signal("-CONT", editor.pid());
    assert_eq!(answer.code(), "TIMEOUT", "{}", answer.value);
    assert_eq!(answer.value["may_have_applied"], true, "{}", answer.value);
    assert!(answer.time < Duration::from_millis(1600), "{:?}", answer.time);
    assert!(health["editors"][0]["silent_ms"].as_u64().unwrap() > 900, "{health}");
    // It was in the socket all the time, and its deadline was over when it was read.
    wait_connected(&mut client, &mut editor);
    assert!(!exists(&mut client, "Late"));
    let answer = client.call("scene_edit_create_node", create("Now"));
    assert!(answer.ok, "{}", answer.value);
    let health = client.call("health_check", json!({})).value;
    assert_eq!(health["editors"][0].get("silent_ms"), None, "{health}");
    editor.quit();
}

fn killed_editor() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let mut client = Client::start(&project);
    wait_connected(&mut client, &mut editor);
    open(&mut client);
    let pid = editor.pid();
    signal("-STOP", pid);
    thread::scope(|scope| {
        let call = scope.spawn(|| client.call("scene_edit_create_node", create("Lost")));
        // Nothing tells that the call is under way; a stopped editor does not start it anyway.
        thread::sleep(Duration::from_millis(200));
        signal("-KILL", pid);
        let answer = call.join().unwrap();
        assert_eq!(answer.code(), "BRIDGE_DISCONNECTED", "{}", answer.value);
        assert_eq!(answer.value["outcome"], "may_have_applied", "{}", answer.value);
        assert!(answer.time < Duration::from_secs(1), "{:?}", answer.time);
    });
    editor.wait();
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    editor.quit();
}

fn stopped_gateway() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let mut client = Client::start(&project);
    let mut other = Client::start(&project);
    wait_connected(&mut client, &mut editor);
    wait_connected(&mut other, &mut editor);
    open(&mut client);
    signal("-STOP", other.pid());
    let mut times = Vec::new();
    for round in 0..100 {
        let set = json!({"node_path": "Player", "property": "speed", "value": round});
        let answer = client.call("scene_edit_set_node_property", set);
        assert!(answer.ok, "{}", answer.value);
        times.push(answer.time);
    }
    times.sort();
    println!("with a stopped gateway beside it: p50 {:.2?}", times[50]);
    signal("-CONT", other.pid());
    let get = json!({"node_path": "Player", "property": "speed"});
    let answer = other.call("inspection_get_node_property", get);
    assert_eq!(answer.value["value"], 99.0, "{}", answer.value);
    editor.quit();
}

/// Between gateway and editor, which meet in different folders, stands the test. It cuts the link
/// when it has the answer to an edit in hand.
fn cut_link() {
    let (project, apart) = (Project::new(), Project::new());
    let here = Directory::at(project.rendezvous()).unwrap();
    let there = Directory::at(apart.rendezvous()).unwrap();
    here.secret().unwrap();
    std::fs::copy(here.path().join("secret"), there.path().join("secret")).unwrap();
    // To the gateway the editor's process is alive.
    let _presence = there.announce_editor(&project.folder().to_string_lossy()).unwrap();
    let mut client = Client::start_with(&project, |command| {
        command.env("GODOT_MCP_RUNTIME_DIR", there.path()).env("GODOT_MCP_DEFAULT_TOOLSETS", "all")
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    thread::spawn(move || runtime.block_on(stand_between(here, there)));
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    open(&mut client);
    for round in 0..10 {
        // Done twice, there would be a second one with another name.
        let answer = client.call("scene_edit_create_node", create(&format!("Cut{round}")));
        assert!(answer.ok, "{}", answer.value);
        assert_eq!(answer.value["node_path"], format!("Cut{round}"));
        assert!(!exists(&mut client, &format!("Cut{round}2")));
    }
    let history = client.call("list_history", json!({})).value;
    assert_eq!(history["depth"], 10, "{history}");
    editor.quit();
}

async fn stand_between(here: Directory, there: Directory) {
    let listener = here.announce_gateway().unwrap();
    let gateway = there.live_gateways().unwrap().remove(0);
    let mut cut: Option<u64> = None;
    loop {
        let editor = listener.accept().await.unwrap();
        let gateway = dial(&gateway).await.unwrap();
        carry(editor, gateway, &mut cut).await;
    }
}

/// Carries frames until the answer to an edit comes that was not cut off before.
async fn carry(mut editor: Connection, mut gateway: Connection, last_cut: &mut Option<u64>) {
    let mut edit = None;
    loop {
        tokio::select! {
            frame = gateway.recv() => {
                let Ok(Some(frame)) = frame else { return };
                let request: Value = serde_json::from_slice(&frame).unwrap_or_default();
                if request["command"] == "cmd_create_node" {
                    edit = request["id"].as_u64();
                }
                if editor.send(frame.freeze()).await.is_err() {
                    return;
                }
            }
            frame = editor.recv() => {
                let Ok(Some(frame)) = frame else { return };
                let answered = Response::from_json(&frame).ok().map(|answer| answer.id);
                if answered.is_some() && answered == edit && *last_cut != edit {
                    *last_cut = edit;
                    return;
                }
                if gateway.send(frame.freeze()).await.is_err() {
                    return;
                }
            }
        }
    }
}

fn two_editors() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut older = Editor::start(&project);
    wait_connected(&mut client, &mut older);
    let younger = Editor::start(&project);
    wait_served(&mut client, younger.pid(), Duration::from_secs(60));
    // Longer than the older one waits before it asks again.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(7) {
        assert_eq!(served(&mut client), [json!(younger.pid())]);
        thread::sleep(Duration::from_millis(20));
    }
    // Another gateway is served by the same one.
    let mut second = Client::start(&project);
    wait_served(&mut second, younger.pid(), Duration::from_secs(5));
    younger.kill();
    let time = wait_served(&mut client, older.pid(), Duration::from_secs(3));
    println!("from the end of the younger editor to the return of the older: {time:.2?}");
    wait_served(&mut second, older.pid(), Duration::from_secs(3));
    assert!(client.call("inspection_get_active_scene", json!({})).ok);
    older.quit();
}

fn tcp() {
    let (project, apart) = (Project::new(), Project::new());
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("tcp://127.0.0.1:{port}");
    let token = "a token of this test";
    // They share no folder.
    let mut client = Client::start_with(&project, |command| {
        command
            .env("GODOT_MCP_RUNTIME_DIR", apart.rendezvous())
            .env("GODOT_MCP_DEFAULT_TOOLSETS", "all")
            .env("GODOT_MCP_BRIDGE_URL", &url)
            .env("GODOT_MCP_BRIDGE_TOKEN", token)
    });
    let mut editor = Editor::start_with(&project, |command| {
        command.env("GODOT_MCP_BRIDGE_URL", &url).env("GODOT_MCP_BRIDGE_TOKEN", token)
    });
    wait_connected(&mut client, &mut editor);
    open(&mut client);
    assert!(client.call("scene_edit_create_node", create("Far")).ok);
    // A gateway that shares the folder and the address is served once, by the first way.
    let mut both = Client::start(&project);
    wait_served(&mut both, editor.pid(), Duration::from_secs(5));
    assert!(exists(&mut both, "Far"));
    assert!(!client.log().contains(token) && !editor.log().contains(token));
    editor.quit();
}
