//! The toolset `editor`, and pictures and the mouse of a game with a display.
//!
//! The cases in a window run on the X display in `E2E_DISPLAY`; `cargo xtask test` starts one where
//! it finds Xvfb. Without one only the refusals are tried.

use std::{env, fs, process::ExitCode};

use e2e::{
    cases::run_alone, client::Client, editor::Editor, project::Project, world::wait_connected,
};
use serde_json::{Value, json};

const CAPTURE: &str = "editor_capture_screenshot";
const CAPTURE_GAME: &str = "runtime_capture_game_screenshot";
const COMPARE: &str = "testing_compare_screenshots";
const SCENE: &str = "res://scenes/main.tscn";

fn main() -> ExitCode {
    let mut cases: Vec<(&str, fn())> =
        vec![("without a display a picture is refused at once", headless)];
    if env::var_os("E2E_DISPLAY").is_some() {
        cases.push(("the editor and the game are captured, and compared", in_window));
        cases
            .push(("a game in a window has the events of a mouse, and the human's pointer", mouse));
        cases.push(("3D scenes are captured, and what shows nothing is said to", three_dimensions));
    }
    run_alone(&cases)
}

fn headless() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    for arguments in [json!({}), json!({"view": "2d"}), json!({"scene_path": SCENE})] {
        let answer = client.call(CAPTURE, arguments);
        assert_eq!(answer.required(), "display", "{}", answer.value);
        assert_eq!(answer.code(), "PRECONDITION_FAILED", "{}", answer.value);
    }
    let answer = client.call(CAPTURE_GAME, json!({}));
    assert_eq!(answer.required(), "play_session", "{}", answer.value);
    let played = client.call("runtime_play_scene", json!({"timeout_ms": 30000}));
    assert!(played.ok, "{}", played.value);
    let answer = client.call(CAPTURE_GAME, json!({}));
    assert_eq!(answer.required(), "display", "{}", answer.value);
    client.call("runtime_stop_scene", json!({}));
    client.close();
    editor.quit();
}

/// Takes a picture, which must come as an image with a text beside it, and no structured content.
fn capture(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments.clone());
    assert!(answer.ok, "{tool} {arguments}: {}", answer.value);
    let image = &answer.reply["content"][1];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(image["data"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{arguments}: no PNG");
    assert!(answer.reply.get("structuredContent").is_none(), "{arguments}");
    assert!(answer.value.get("png_base64").is_none(), "{arguments}");
    assert_eq!(answer.value["blank"], false, "{tool} {arguments}: {}", answer.value);
    answer.value
}

fn compare(client: &mut Client, a: &Value, b: &Value) -> Value {
    let images = json!({"image_a": a["capture_id"], "image_b": b["capture_id"]});
    let answer = client.call(COMPARE, images);
    assert!(answer.ok, "{}", answer.value);
    answer.value
}

fn in_window() {
    let display = env::var("E2E_DISPLAY").unwrap();
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start_in_window(&project, &display);
    wait_connected(&mut client, &mut editor);
    let opened = client.call("scene_edit_open_scene", json!({"scene_path": SCENE}));
    assert!(opened.ok, "{}", opened.value);

    let window = capture(&mut client, CAPTURE, json!({}));
    assert!(window["width"].as_u64().unwrap() > 500, "{window}");
    let small = capture(&mut client, CAPTURE, json!({"max_size": 300}));
    assert_eq!(small["width"], 300, "{small}");
    let region = json!({"x": 10, "y": 20, "width": 200, "height": 100});
    let part = capture(&mut client, CAPTURE, json!({"region": region}));
    assert_eq!((&part["width"], &part["height"]), (&json!(200), &json!(100)), "{part}");
    assert_eq!(part["region"], region, "{part}");
    let outside = json!({"region": {"x": 0, "y": 0, "width": 90000, "height": 10}});
    let answer = client.call(CAPTURE, outside);
    assert_eq!((answer.code(), answer.required()), ("VALIDATION_ERROR", "region"));

    let scene = capture(&mut client, CAPTURE, json!({"scene_path": SCENE}));
    assert!(scene["what"].as_str().unwrap().contains(SCENE), "{scene}");
    let missing = client.call(CAPTURE, json!({"scene_path": "res://none.tscn"}));
    assert_eq!(missing.code(), "RESOURCE_NOT_FOUND", "{}", missing.value);

    // A change shows in the view, and where; taken back, it does not.
    let before = capture(&mut client, CAPTURE, json!({"view": "2d"}));
    assert!(before["what"].as_str().unwrap().contains(SCENE), "{before}");
    let hide = json!({"node_path": "Player", "property": "visible", "value": false});
    let hidden = client.call("scene_edit_set_node_property", hide);
    assert!(hidden.ok, "{}", hidden.value);
    let after = capture(&mut client, CAPTURE, json!({"view": "2d"}));
    let compared = compare(&mut client, &before, &after);
    assert_eq!(compared["same_size"], true, "{compared}");
    assert_eq!(compared["match"], false, "{compared}");
    assert!(compared["changed_region"]["width"].as_u64().unwrap() > 0, "{compared}");
    client.call("undo", json!({}));

    let played = client.call("runtime_play_scene", json!({"timeout_ms": 60000}));
    assert!(played.ok, "{}", played.value);
    assert_eq!(played.value["headless"], false, "{}", played.value);
    let game = capture(&mut client, CAPTURE_GAME, json!({"timeout_ms": 20000}));
    assert!(game["what"].as_str().unwrap().contains(SCENE), "{game}");
    assert!(game["frame"].is_u64(), "{game}");
    let same = compare(&mut client, &game, &game);
    assert_eq!(same["match"], true, "{same}");
    client.call("runtime_stop_scene", json!({}));
    client.close();
    editor.quit();
}

/// Notes where the mouse is, by its events and by what the engine tells who asks.
const POINTED: &str = "extends Control\n\nvar at := Vector2()\nvar over := []\n\n\
    func _ready() -> void:\n\tvar button := Button.new()\n\tbutton.position = Vector2(40, 40)\n\
    \tbutton.size = Vector2(200, 100)\n\tbutton.mouse_entered.connect(over.append.bind(\"button\"))\n\
    \tbutton.name = \"Button\"\n\tadd_child(button)\n\tvar area := Area2D.new()\n\tarea.position = Vector2(400, 300)\n\
    \tvar shape := CollisionShape2D.new()\n\tshape.shape = RectangleShape2D.new()\n\
    \tshape.shape.size = Vector2(100, 100)\n\tarea.add_child(shape)\n\
    \tarea.mouse_entered.connect(over.append.bind(\"area\"))\n\tarea.name = \"Area\"\n\tadd_child(area)\n\
    \tmouse_filter = MOUSE_FILTER_IGNORE\n\nfunc _input(event: InputEvent) -> void:\n\
    \tif event is InputEventMouse:\n\t\tat = event.position\n";

fn mouse() {
    let display = env::var("E2E_DISPLAY").unwrap();
    let project = Project::new();
    fs::write(project.file("res://pointed.gd"), POINTED).unwrap();
    let scene = "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"res://pointed.gd\" id=\"1\"]\n\n\
                 [node name=\"Root\" type=\"Control\"]\nscript = ExtResource(\"1\")\n";
    fs::write(project.file("res://pointed.tscn"), scene).unwrap();
    for is_headless in [true, false] {
        let mut client = Client::start(&project);
        let mut editor = match is_headless {
            true => Editor::start(&project),
            false => Editor::start_in_window(&project, &display),
        };
        wait_connected(&mut client, &mut editor);
        let mut ok = |tool: &str, arguments: Value| {
            let answer = client.call(tool, arguments);
            assert!(answer.ok, "{tool}: {}\n{}", answer.value, editor.log());
            answer.value
        };
        let play = json!({"scene_path": "res://pointed.tscn", "timeout_ms": 60000});
        ok("runtime_play_scene", play);
        let mut asked = Vec::new();
        for node in ["Button", "Area"] {
            let moved = ok("input_simulate_mouse", json!({"node_path": node}));
            let hint = moved["hint"].as_str();
            assert_eq!(hint.is_some_and(|it| it.contains("pointer")), !is_headless, "{moved}");
            let far = "get_global_mouse_position().distance_to(at) > 2";
            let ask = json!({"expression": far, "node_path": "."});
            asked.push(ok("debugger_evaluate_expression", ask)["value"] == false);
        }
        assert_eq!(asked, [is_headless; 2], "the description and the hint say so");
        // Areas are picked once in a physics frame.
        let over = json!({
            "node_path": ".", "property": "over", "expected": ["button", "area"],
            "within_ms": 3000, "timeout_ms": 5000,
        });
        let over = ok("testing_assert_node_state", over);
        assert_eq!(over["passed"], true, "{over}");
        let events = json!([{"type": "mouse", "x": 5, "y": 5}]);
        let played = ok("input_play_sequence", json!({"events": events}));
        assert_eq!(played.get("hint").is_some(), !is_headless, "{played}");
        ok("runtime_stop_scene", json!({}));
        client.close();
        editor.quit();
    }
}

/// A white box in front of a camera.
const BOX: &str = "[gd_scene format=3]\n\n[sub_resource type=\"BoxMesh\" id=\"1\"]\n\n\
    [node name=\"World\" type=\"Node3D\"]\n\n\
    [node name=\"Box\" type=\"MeshInstance3D\" parent=\".\"]\nmesh = SubResource(\"1\")\n\n\
    [node name=\"Eye\" type=\"Camera3D\" parent=\".\"]\n\
    transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 3)\n";

fn three_dimensions() {
    let display = env::var("E2E_DISPLAY").unwrap();
    let project = Project::new();
    fs::write(project.file("res://box.tscn"), BOX).unwrap();
    let empty = "[gd_scene format=3]\n\n[node name=\"Empty\" type=\"ColorRect\"]\n\
                 anchor_right = 1.0\nanchor_bottom = 1.0\ncolor = Color(0, 0, 0, 1)\n";
    fs::write(project.file("res://empty.tscn"), empty).unwrap();
    let mut client = Client::start(&project);
    let mut editor = Editor::start_in_window(&project, &display);
    wait_connected(&mut client, &mut editor);

    // Off screen, as it was saved; a scene without the box looks otherwise.
    let with_box = capture(&mut client, CAPTURE, json!({"scene_path": "res://box.tscn"}));
    assert!(with_box["what"].as_str().unwrap().contains("res://box.tscn"), "{with_box}");
    let opened = client.call("scene_edit_open_scene", json!({"scene_path": "res://box.tscn"}));
    assert!(opened.ok, "{}", opened.value);
    let before = capture(&mut client, CAPTURE, json!({"view": "3d"}));
    assert!(before["what"].as_str().unwrap().contains("res://box.tscn"), "{before}");
    let hide = json!({"node_path": "Box", "property": "visible", "value": false});
    let hidden = client.call("scene_edit_set_node_property", hide);
    assert!(hidden.ok, "{}", hidden.value);
    let after = capture(&mut client, CAPTURE, json!({"view": "3d"}));
    let compared = compare(&mut client, &before, &after);
    assert_eq!((&compared["same_size"], &compared["match"]), (&json!(true), &json!(false)));

    let play = json!({"scene_path": "res://empty.tscn", "timeout_ms": 60000});
    let played = client.call("runtime_play_scene", play);
    assert!(played.ok, "{}", played.value);
    let black = client.call(CAPTURE_GAME, json!({"timeout_ms": 20000}));
    assert!(black.ok, "{}", black.value);
    assert_eq!(black.value["blank"], true, "{}", black.value);
    client.call("runtime_stop_scene", json!({}));
    client.close();
    editor.quit();
}
