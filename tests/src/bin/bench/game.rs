//! What the running game costs: to start it, to ask it, to take its picture.

use std::{env, fs, process::Stdio, time::Duration};

use e2e::{
    client::Client,
    editor::Editor,
    measure::{Times, time},
    project::Project,
    world::wait_connected,
};
use serde_json::{Value, json};

use super::{Options, milliseconds, settle, show_alone};

/// How many frames a second the game shows while it is asked, as most games do.
const FRAME_RATE: u32 = 60;

/// A start takes a second or so.
const STARTS: usize = 5;

/// The game of a headless editor, and, where there is a display, pictures of one in a window.
pub(super) fn game(options: &Options) {
    let project = Project::new();
    let mut desk = Desk::new(&project, Editor::start(&project));
    println!("{:<38} {:>9} {:>9}", "", "p50", "p95");
    starts(&project, &mut desk);

    let frame = play_at_frame_rate(&mut desk);
    reads(options, &mut desk, frame);
    desk.close();
    if let Ok(display) = env::var("E2E_DISPLAY") {
        pictures(options, &display);
    }
}

/// From the call that plays to the first tree, beside what the engine needs for itself.
fn starts(project: &Project, desk: &mut Desk<'_>) {
    let alone = Times::take(STARTS, |_| {
        let mut engine = project.godot();
        engine.args(["--quit-after", "1"]).stdout(Stdio::null()).stderr(Stdio::null());
        let status = engine.status().expect("Godot can be started");
        assert!(status.success(), "the engine ended with {status}");
    });
    let mut until_tree = Vec::new();
    for _ in 0..STARTS {
        until_tree.push(time(|| {
            desk.ok("runtime_play_scene", json!({"timeout_ms": 30000}));
            desk.ok("runtime_get_game_scene_tree", json!({"max_depth": 2}));
        }));
        desk.ok("runtime_stop_scene", json!({}));
    }
    let until_tree = Times::new(until_tree);
    show_alone("the engine alone: start, frame, end", &alone);
    show_alone("play → first tree", &until_tree);
    let ratio = until_tree.percentile(50).as_secs_f64() / alone.percentile(50).as_secs_f64();
    println!("{:<38} {ratio:>9.2}", "… × the engine alone");
}

/// A property of the game, read again and again.
fn reads(options: &Options, desk: &mut Desk<'_>, frame: Duration) {
    let read = json!({"node_path": "Player", "property": "position"});
    let reads = Times::take(options.samples, |_| {
        desk.ok("runtime_read_property", read.clone());
    });
    show_alone("game property read", &reads);
    let frames = reads.percentile(95).as_secs_f64() / frame.as_secs_f64();
    println!("{:<38} {frames:>9.2}", "… its p95 in frames of the game");
}

/// Plays the main scene at the usual frame rate, and measures how long one of its frames takes.
fn play_at_frame_rate(desk: &mut Desk<'_>) -> Duration {
    desk.ok("runtime_play_scene", json!({"timeout_ms": 30000}));
    desk.evaluate(&format!("Engine.set_max_fps({FRAME_RATE})"));
    let frames_and_usec = "[Engine.get_process_frames(), Time.get_ticks_usec()]";
    let begin = desk.evaluate(frames_and_usec);
    std::thread::sleep(Duration::from_secs(2));
    let end = desk.evaluate(frames_and_usec);
    let passed = |index: usize| {
        let number = |of: &Value| of[index].as_f64().expect("a counter is a number");
        number(&end) - number(&begin)
    };
    Duration::from_secs_f64(passed(1) / passed(0) / 1e6)
}

/// Pictures of 1280×720, drawn by software, and two of them compared.
fn pictures(options: &Options, display: &str) {
    let project = Project::new();
    let settings = project.file("res://project.godot");
    let text = fs::read_to_string(&settings).expect("the project has settings");
    let text = text
        .replace("viewport_width=640", "viewport_width=1280")
        .replace("viewport_height=384", "viewport_height=720");
    fs::write(&settings, text).expect("the settings can be written");
    // In a window of its own the game keeps that size.
    project.set_editor_settings("run/window_placement/game_embed_mode = -1\n");
    let mut desk = Desk::new(&project, Editor::start_in_window(&project, display));
    // What is measured is the game. The editor would draw the animated shader of the main scene in
    // every frame, by software on the same cores; this scene stands still.
    desk.ok("scene_edit_open_scene", json!({"scene_path": "res://scenes/hud.tscn"}));
    desk.ok(
        "scene_edit_close_scene",
        json!({"scene_path": "res://scenes/main.tscn", "confirm": true}),
    );
    let frame = play_at_frame_rate(&mut desk);
    println!("{:<38} {:>6.1} ms", "a frame of the game in a window", milliseconds(frame));

    reads(options, &mut desk, frame);

    let samples = options.samples.min(50);
    let mut captures = Vec::new();
    let times = Times::take(samples, |_| {
        let picture = desk.ok("runtime_capture_game_screenshot", json!({}));
        assert_eq!((&picture["width"], &picture["height"]), (&json!(1280), &json!(720)));
        captures.push(picture["capture_id"].clone());
    });
    show_alone("picture of the game, 1280×720", &times);
    let [.., a, b] = captures.as_slice() else { unreachable!("several were taken") };
    let times = Times::take(samples, |_| {
        desk.ok("testing_compare_screenshots", json!({"image_a": a, "image_b": b}));
    });
    show_alone("compare two of them", &times);
    desk.close();
}

/// An editor and its client.
struct Desk<'a> {
    client: Client,
    editor: Editor<'a>,
}

impl<'a> Desk<'a> {
    fn new(project: &Project, mut editor: Editor<'a>) -> Desk<'a> {
        let mut client = Client::start(project);
        wait_connected(&mut client, &mut editor);
        settle(&mut client);
        Desk { client, editor }
    }

    fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.client.call(tool, arguments);
        if !answer.ok {
            self.editor.assert_alive();
            panic!("{tool}: {}", answer.value);
        }
        answer.value
    }

    fn evaluate(&mut self, expression: &str) -> Value {
        let arguments = json!({"expression": expression});
        let answer = self.ok("debugger_evaluate_expression", arguments);
        assert_eq!(answer["evaluated"], true, "{expression}: {answer}");
        answer["value"].clone()
    }

    fn close(self) {
        self.client.close();
        self.editor.quit();
    }
}
