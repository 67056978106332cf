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

    play_at_frame_rate(&mut desk);
    reads(options, &mut desk);
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

/// A property of the game, read again and again. A frame is as long as it is meanwhile: where the game
/// is drawn by software, whoever asks takes time from it.
fn reads(options: &Options, desk: &mut Desk<'_>) {
    let read = json!({"node_path": "Player", "property": "position"});
    let begin = frames_and_usec(desk);
    let reads = Times::take(options.samples, |_| {
        desk.ok("runtime_read_property", read.clone());
    });
    let frame = frame_since(desk, begin);
    show_alone("game property read", &reads);
    println!("{:<38} {:>6.1} ms", "… a frame of the game meanwhile", milliseconds(frame));
    let frames = reads.percentile(95).as_secs_f64() / frame.as_secs_f64();
    println!("{:<38} {frames:>9.2}", "… its p95 in frames of the game");
}

/// Plays the main scene at the usual frame rate.
fn play_at_frame_rate(desk: &mut Desk<'_>) {
    desk.ok("runtime_play_scene", json!({"timeout_ms": 30000}));
    desk.evaluate(&format!("Engine.set_max_fps({FRAME_RATE})"));
}

/// How many frames the game has shown, and how long it runs, in microseconds.
fn frames_and_usec(desk: &mut Desk<'_>) -> [f64; 2] {
    let told = desk.evaluate("[Engine.get_process_frames(), Time.get_ticks_usec()]");
    [0, 1].map(|index| told[index].as_f64().expect("a counter is a number"))
}

/// How long a frame of the game was since then.
fn frame_since(desk: &mut Desk<'_>, begin: [f64; 2]) -> Duration {
    let end = frames_and_usec(desk);
    Duration::from_secs_f64((end[1] - begin[1]) / (end[0] - begin[0]) / 1e6)
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
    play_at_frame_rate(&mut desk);
    reads(options, &mut desk);

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
