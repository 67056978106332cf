//! How fast it is. `cargo xtask bench` builds for release and runs this.
//!
//! Every figure of a latency stands beside its ratio to the floor of the same run: on a machine
//! that is busy with other things the times grow, but the ratios stay.
//!
//! With an X display in `E2E_DISPLAY`, an editor in a window is measured, too.
//!
//! To add a measurement, add a row to [`CALLS`], or a line to [`main`].

mod game;

use std::{
    env,
    time::{Duration, Instant},
};

use e2e::{
    client::Client,
    editor::Editor,
    floor::Floor,
    measure::{Times, load, memory, time},
    project::Project,
    world::wait_connected,
};
use serde_json::{Value, json};

/// The scene that is edited.
const SCENE: &str = "res://scenes/main.tscn";

/// How long the load of an idle editor is watched.
const WATCH: Duration = Duration::from_secs(8);

/// How many callers there are at once.
const CALLERS: usize = 16;

/// A call that is measured: its name, the tool, and the arguments of the nth call.
type Call = (&'static str, &'static str, fn(usize) -> Value);

/// The calls, in order: `undo` takes back what `create` made.
const CALLS: &[Call] = &[
    ("local tool (health_check)", "health_check", |_| json!({})),
    ("smallest read (active scene)", "inspection_get_active_scene", |_| json!({})),
    (
        "property read",
        "inspection_get_node_property",
        |_| json!({"node_path": "Player", "property": "position"}),
    ),
    (
        "property set",
        "scene_edit_set_node_property",
        |n| json!({"node_path": "Player", "property": "position", "value": [n, 1]}),
    ),
    (
        "create",
        "scene_edit_create_node",
        |n| json!({"parent_path": "Coins", "node_type": "Node2D", "node_name": format!("B{n}")}),
    ),
    ("undo", "undo", |_| json!({})),
    ("run_commands, 50 sets", "composite_run_commands", |n| json!({"commands": sets(n, 50)})),
    ("script read", "scripts_read", |_| json!({"script_path": "res://scripts/player.gd"})),
    (
        "parse check of a small script",
        "scripts_get_parse_errors",
        |_| json!({"script_path": "res://scripts/player.gd"}),
    ),
];

/// How many nodes the scene gets for the call that sets all of them.
const MARKERS: usize = 900;

/// Entries of a batch.
fn sets(n: usize, count: usize) -> Vec<Value> {
    let params = |i| json!({"node_path": "Player", "property": "position", "value": [n, i]});
    let entry = |i| json!({"command": "set_node_property", "params": params(i)});
    (0..count).map(entry).collect()
}

/// What was asked for on the command line.
struct Options {
    samples: usize,
    filter: String,
}

fn main() {
    let mut arguments = env::args().skip(1);
    let samples = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(300);
    let options = Options { samples, filter: arguments.next().unwrap_or_default() };

    println!("── latency, the editor's sleep at its default (6.9 ms)");
    latencies(&options, &Project::new(), Window::None);
    println!("\n── latency, the editor's sleep at 100 ms");
    let slow = Project::new();
    slow.set_editor_settings(
        "interface/editor/low_processor_mode_sleep_usec = 100000\n\
         interface/editor/unfocused_low_processor_mode_sleep_usec = 100000\n",
    );
    latencies(&options, &slow, Window::None);
    if let Ok(display) = env::var("E2E_DISPLAY") {
        println!("\n── latency, an editor in a window, with pictures by software");
        latencies(&options, &Project::new(), Window::On(display));
    }
    if options.wants("callers") {
        println!("\n── {CALLERS} callers at once");
        callers(&options);
    }
    if options.wants("10,000 nodes") {
        println!("\n── a scene of 10,000 nodes");
        large_scene(&options);
    }
    if options.wants("game") {
        println!("\n── the running game");
        game::game(&options);
    }
    if options.wants("gateway") {
        println!("\n── gateway");
        gateway(&options);
    }
    if options.wants("idle editor") {
        println!("\n── idle editor, percent of one core over {} s", WATCH.as_secs());
        idle_editor();
    }
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        name.contains(&self.filter)
    }
}

/// Where the editor shows itself.
enum Window {
    /// Nowhere.
    None,
    /// On this X display.
    On(String),
}

/// The floor, then every call, through one editor.
fn latencies(options: &Options, project: &Project, window: Window) {
    let mut client = Client::start(project);
    let mut editor = match &window {
        Window::None => Editor::start(project),
        Window::On(display) => Editor::start_in_window(project, display),
    };
    wait_connected(&mut client, &mut editor);
    let open = client.call("scene_edit_open_scene", json!({"scene_path": SCENE}));
    assert!(open.ok, "{}", open.value);
    settle(&mut client);

    let mut bare = Floor::connect(project);
    let floor = Times::take(options.samples, |_| bare.ping());
    drop(bare);
    println!("{:<34} {:>9} {:>9} {:>8}", "", "p50", "p95", "× floor");
    show("floor: bare link, ping", &floor, &floor);
    if options.wants("ping") {
        let ping = Times::take(options.samples, |_| {
            client.request("ping", json!({})).expect("a ping is answered");
        });
        show("MCP ping", &ping, &floor);
    }
    for (name, tool, arguments) in CALLS.iter().filter(|call| options.wants(call.0)) {
        let times = Times::take(options.samples, |n| {
            let answer = client.call(tool, arguments(n));
            assert!(answer.ok, "{tool}: {}", answer.value);
        });
        show(name, &times, &floor);
    }
    if options.wants("batch_set_property, 900 nodes") {
        let names: Vec<String> = (0..MARKERS).map(|i| format!("Marker{i}")).collect();
        let markers = json!({"parent_path": "Coins", "node_type": "Marker2D", "names": names});
        let made = client.call("composite_batch_create_nodes", markers);
        assert!(made.ok, "{}", made.value);
        settle(&mut client);
        let times = Times::take(options.samples, |n| {
            let set = json!({"node_type": "Marker2D", "property": "position", "value": [n, 1]});
            let answer = client.call("batch_set_property", set);
            assert_eq!(answer.value["count"], MARKERS, "{}", answer.value);
        });
        show("batch_set_property, 900 nodes", &times, &floor);
    }
    client.close();
    editor.quit();
}

/// How many calls a second are answered, with so many under way.
fn callers(options: &Options) {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let open = client.call("scene_edit_open_scene", json!({"scene_path": SCENE}));
    assert!(open.ok, "{}", open.value);
    settle(&mut client);
    for (name, tool, arguments) in CALLS.iter().filter(|call| call.0.starts_with("property")) {
        let count = options.samples * 10;
        let took = client.call_many(CALLERS, count, tool, arguments);
        println!("{name:<34} {:>9.0} calls/s", count as f64 / took.as_secs_f64());
    }
    client.close();
    editor.quit();
}

/// How long the first page of a large tree takes.
fn large_scene(options: &Options) {
    let project = Project::new();
    let mut text = String::from("[gd_scene format=3]\n\n[node name=\"Large\" type=\"Node2D\"]\n");
    for group in 0..500 {
        text.push_str(&format!("\n[node name=\"G{group}\" type=\"Node2D\" parent=\".\"]\n"));
        for node in 0..19 {
            let line = format!("\n[node name=\"N{node}\" type=\"Node2D\" parent=\"G{group}\"]\n");
            text.push_str(&line);
        }
    }
    std::fs::write(project.file("res://large.tscn"), text).expect("the scene can be written");
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let open = client.call("scene_edit_open_scene", json!({"scene_path": "res://large.tscn"}));
    assert!(open.ok, "{}", open.value);
    settle(&mut client);
    println!("{:<38} {:>9} {:>9}", "", "p50", "p95");
    for (name, arguments) in
        [("first page", json!({})), ("first page, lightweight", json!({"lightweight": true}))]
    {
        let times = Times::take(options.samples.min(50), |_| {
            let page = client.call("inspection_get_scene_tree", arguments.clone());
            assert_eq!(page.value["total"], 10_001, "{}", page.value["hint"]);
        });
        show_alone(name, &times);
    }
    client.close();
    editor.quit();
}

/// After a start the editor has work of its own; wait until a read is answered quickly for a while.
fn settle(client: &mut Client) {
    let (mut quick, start) = (0, Instant::now());
    // A window that is drawn by software may never be that quick.
    while quick < 50 && start.elapsed() < Duration::from_secs(10) {
        let answer = client.call("inspection_get_active_scene", json!({}));
        quick = if answer.time < Duration::from_millis(20) { quick + 1 } else { 0 };
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What the gateway costs by itself.
fn gateway(options: &Options) {
    let project = Project::new();
    let starts = (0..options.samples.clamp(5, 20)).map(|_| Client::start(&project).start_time);
    let starts = Times::new(starts.collect());
    println!("{:<38} {:>9} {:>9}", "", "p50", "p95");
    show_alone("start → initialize", &starts);

    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    settle(&mut client);
    let mut reconnects = Vec::new();
    for _ in 0..options.samples.clamp(5, 10) {
        client.kill();
        let mut fresh = None;
        reconnects.push(time(|| {
            let mut next = Client::start(&project);
            wait_connected(&mut next, &mut editor);
            fresh = Some(next);
        }));
        client = fresh.expect("it was started");
        // The next death must not meet an editor that is still busy with this birth.
        settle(&mut client);
    }
    show_alone("reconnect: kill -9 → first read", &Times::new(reconnects));
    match memory(client.pid()) {
        Some(megabytes) => println!("{:<38} {megabytes:>6.1} MB", "idle memory of the gateway"),
        None => println!("idle memory of the gateway: this system does not tell"),
    }
    client.close();
    editor.quit();
}

/// What the add-on costs an editor in which nothing happens.
fn idle_editor() {
    for (name, disabled, connected) in [
        ("with the add-on, a client connected", false, true),
        ("with the add-on, no client", false, false),
        ("without (GODOT_MCP_DISABLE=1)", true, false),
    ] {
        let project = Project::new();
        let mut client = connected.then(|| Client::start(&project));
        let mut editor = Editor::start_with(&project, |command| match disabled {
            true => command.env("GODOT_MCP_DISABLE", "1"),
            false => command,
        });
        // Its user can do something once it is up.
        editor.hands(&json!({"do": "orphans"}));
        if let Some(client) = &mut client {
            wait_connected(client, &mut editor);
        }
        // Imports and scans after the start are no idling.
        std::thread::sleep(Duration::from_secs(3));
        match load(editor.pid(), WATCH) {
            Some(percent) => println!("{name:<36} {percent:>5.2} %"),
            None => println!("{name:<36} this system does not tell"),
        }
        editor.quit();
    }
}

fn show(name: &str, times: &Times, floor: &Times) {
    let ratio = times.percentile(50).as_secs_f64() / floor.percentile(50).as_secs_f64();
    println!(
        "{name:<34} {:>6.3} ms {:>6.3} ms {ratio:>8.1}",
        milliseconds(times.percentile(50)),
        milliseconds(times.percentile(95))
    );
}

fn show_alone(name: &str, times: &Times) {
    println!(
        "{name:<38} {:>6.1} ms {:>6.1} ms",
        milliseconds(times.percentile(50)),
        milliseconds(times.percentile(95))
    );
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
