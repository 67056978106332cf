//! The toolset `runtime`: the game's interface, found and clicked, and properties watched from frame to
//! frame.

use std::process::ExitCode;

use e2e::{
    cases::{Case, Test, case, run},
    played::{play_script, read, step, stop},
};
use serde_json::{Value, json};

const FIND: &str = "runtime_find_ui_elements";
const WATCH: &str = "runtime_monitor_property";
const SAMPLES: &str = "runtime_get_property_samples";
const MOUSE: &str = "input_simulate_mouse";

fn main() -> ExitCode {
    run([finding(), clicking(), watching(), ends(), refusals()].into_iter().flatten().collect())
}

/// A menu on a layer that is moved, with what can be clicked and what cannot.
const MENU: &str = r#"extends CanvasLayer

var clicks := 0

func _ready():
	offset = Vector2(10, 20)
	var play := add("Play", Button.new(), Vector2(100, 50), Vector2(200, 40))
	play.text = "Start the game"
	play.pressed.connect(func(): clicks += 1)
	add("Hidden", Button.new(), Vector2(0, 0), Vector2(50, 20)).visible = false
	add("Locked", Button.new(), Vector2(0, 100), Vector2(50, 20)).disabled = true
	add("Sound", CheckBox.new(), Vector2(0, 150), Vector2(50, 20)).button_pressed = true
	add("Name", LineEdit.new(), Vector2(0, 200), Vector2(100, 30)).text = "Ada"
	add("Rich", RichTextLabel.new(), Vector2(200, 200), Vector2(100, 30)).parse_bbcode("[b]Bold[/b] words")
	add("Volume", HSlider.new(), Vector2(200, 250), Vector2(100, 20)).value = 40
	add("Empty", Control.new(), Vector2(400, 50), Vector2(0, 0))
	add("Far", Button.new(), Vector2(5000, 50), Vector2(50, 20))
	var list := add("List", ScrollContainer.new(), Vector2(300, 100), Vector2(100, 50))
	var inner := Control.new()
	inner.custom_minimum_size = Vector2(80, 500)
	list.add_child(inner)
	var below := Button.new()
	below.name = "Below"
	below.position = Vector2(0, 400)
	below.size = Vector2(50, 20)
	inner.add_child(below)
	var long := add("Long", Label.new(), Vector2(0, 300), Vector2(50, 20))
	long.clip_text = true
	long.text = "x".repeat(3000)
	var marker := Node2D.new()
	marker.name = "Marker"
	marker.position = Vector2(30, 40)
	add_child(marker)
	var plain := Node.new()
	plain.name = "Plain"
	add_child(plain)

func add(called: String, control: Control, at: Vector2, size: Vector2) -> Control:
	control.name = called
	control.position = at
	control.size = size
	add_child(control)
	return control
"#;

/// Counts its frames, and changes some of its variables by them.
const COUNTER: &str = r#"extends Node

var ticks := 0
var phase := "early"
var list := [0]
var drift := 0.0
var place := Vector2.ZERO

func _ready():
	var doomed := Node.new()
	doomed.name = "Doomed"
	add_child(doomed)

func _process(_delta):
	ticks += 1
	drift += 0.04
	list[0] = ticks / 2
	place.x = ticks
	if ticks == 3:
		phase = "late"
	if ticks == 8:
		$Doomed.queue_free()
"#;

/// A game that fails where it is looked at.
const FAILING: &str = r#"extends Node

var armed := false
var nothing = null
var calls := 0
var fragile: int:
	get:
		return nothing.size() if armed else 1

func is_late() -> bool:
	calls += 1
	return nothing.size() if calls > 4 else false
"#;

fn names(found: &Value) -> Vec<&str> {
    let elements = found["elements"].as_array().unwrap();
    elements.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

/// The only element that is found.
fn the_one(t: &mut Test<'_>, asked: Value) -> Value {
    let found = t.ok(FIND, asked.clone());
    assert_eq!(found["total"], 1, "{asked}: {found}");
    found["elements"][0].clone()
}

fn finding() -> Vec<Case> {
    vec![
        case("the interface of the sample game is found by name, text and class", |t| {
            t.ok("runtime_play_scene", json!({}));
            let all = t.ok(FIND, json!({}));
            assert_eq!((&all["ready"], &all["truncated"]), (&json!(true), &json!(false)), "{all}");
            assert_eq!(all["total"], all["returned"], "{all}");
            for name in ["Frame", "Score", "Health", "Time", "Title", "Message"] {
                assert!(names(&all).contains(&name), "no {name} in {all}");
            }
            let title = the_one(t, json!({"name_contains": "coin CELLAR"}));
            assert_eq!(title["path"], "/root/Main/HUD/Frame/Title", "{title}");
            assert_eq!(
                (&title["text"], &title["node_class"], &title["visible"]),
                (&json!("Coin Cellar"), &json!("Label"), &json!(true)),
                "{title}"
            );
            assert_eq!(read(t, title["path"].as_str().unwrap(), "text"), "Coin Cellar");
            let health = the_one(t, json!({"class_filter": "Range"}));
            assert_eq!(
                (&health["name"], &health["value"]),
                (&json!("Health"), &json!(3.0)),
                "{health}"
            );
            let labels = t.ok(FIND, json!({"class_filter": "Label", "visible_only": true}));
            assert_eq!(names(&labels), ["Score", "Time", "Title"], "{labels}");
            // The window is as large as the project wants it, without a display, too.
            let time = the_one(t, json!({"name_contains": "Time"}));
            assert!(time["rect"]["x"].as_f64() > Some(500.0), "{time}");
            assert_eq!(time["in_window"], true, "{time}");
            let hidden = the_one(t, json!({"name_contains": "Message"}));
            assert_eq!(hidden["visible"], false, "{hidden}");

            let mut paged = Vec::new();
            let mut offset = json!(0);
            while !offset.is_null() {
                let page = t.ok(FIND, json!({"offset": offset, "limit": 2}));
                assert!(page["returned"].as_u64() <= Some(2), "{page}");
                paged.extend(page["elements"].as_array().unwrap().clone());
                offset = page["next_offset"].clone();
            }
            let paged = json!({ "elements": paged });
            assert_eq!(names(&paged), names(&all));
            stop(t);
        }),
        case("elements are told with their place in the window and what they show", |t| {
            play_script(t, "CanvasLayer", MENU);
            let play = the_one(t, json!({"name_contains": "start the"}));
            assert_eq!(
                play["rect"],
                json!({"x": 110.0, "y": 70.0, "w": 200.0, "h": 40.0}),
                "{play}"
            );
            assert_eq!(
                (&play["in_window"], &play["disabled"]),
                (&json!(true), &json!(false)),
                "{play}"
            );
            for (name, field, expected) in [
                ("Locked", "disabled", json!(true)),
                ("Hidden", "visible", json!(false)),
                ("Sound", "pressed", json!(true)),
                ("Name", "text", json!("Ada")),
                ("Rich", "text", json!("Bold words")),
                ("Volume", "value", json!(40.0)),
                ("Far", "in_window", json!(false)),
                ("Below", "in_window", json!(false)),
                ("Long", "text_cut", json!(true)),
                ("Long", "text", json!("x".repeat(1000))),
                ("Play", "pressed", Value::Null),
            ] {
                let element = the_one(t, json!({"name_contains": name}));
                assert_eq!(element[field], expected, "{element}");
            }
            stop(t);
        }),
    ]
}

fn clicking() -> Vec<Case> {
    vec![
        case("a button is clicked by its path", |t| {
            play_script(t, "CanvasLayer", MENU);
            let path = the_one(t, json!({"name_contains": "start the"}))["path"].clone();
            let press = t.ok(MOUSE, json!({"node_path": path, "button": "left"}));
            assert_eq!((&press["x"], &press["y"]), (&json!(210.0), &json!(90.0)), "{press}");
            let release = json!({"node_path": path, "button": "left", "pressed": false});
            t.ok(MOUSE, release);
            assert_eq!(read(t, ".", "clicks"), 0, "a game that is frozen takes no input");
            step(t, 1);
            assert_eq!(read(t, ".", "clicks"), 1, "it does in its next frame");
            t.ok("runtime_control_time", json!({"frozen": false}));
            for pressed in [true, false] {
                let at = json!({"node_path": "Play", "x": 3, "button": "left", "pressed": pressed});
                assert_eq!(t.ok(MOUSE, at)["x"], 213.0);
            }
            assert_eq!(read(t, ".", "clicks"), 2);
            let events = json!([
                {"type": "mouse", "node_path": "Play", "button": "left"},
                {"type": "mouse", "node_path": "Play", "button": "left", "pressed": false},
            ]);
            t.ok("input_play_sequence", json!({"events": events}));
            assert_eq!(read(t, ".", "clicks"), 3);
            let marker = t.ok(MOUSE, json!({"node_path": "Marker"}));
            assert_eq!((&marker["x"], &marker["y"]), (&json!(40.0), &json!(60.0)), "{marker}");
            stop(t);
        }),
        case("what cannot be pointed at is refused, and nothing is sent", |t| {
            play_script(t, "CanvasLayer", MENU);
            let (invalid, missing) = ("VALIDATION_ERROR", "RESOURCE_NOT_FOUND");
            for (call, code, required, says) in [
                (json!({"node_path": "Hidden"}), invalid, "node_path", "hidden"),
                (json!({"node_path": "Empty"}), invalid, "node_path", "no size"),
                (json!({"node_path": "Far"}), invalid, "node_path", "out of the window"),
                (json!({"node_path": "List/@Control@2/Below"}), missing, "node_exists", "Below"),
                (json!({"node_path": "Plain"}), invalid, "node_path", "no place"),
                (json!({"node_path": "Nobody"}), missing, "node_exists", "no node"),
                (json!({"y": 1}), invalid, "x", "node_path"),
                (json!({"x": 1}), invalid, "y", "node_path"),
            ] {
                let fault = t.fault(MOUSE, call.clone(), code);
                assert_eq!(fault["required"], required, "{call}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(says), "{call}: {fault}");
            }
            let below = the_one(t, json!({"name_contains": "Below"}))["path"].clone();
            t.fault(MOUSE, json!({"node_path": below}), invalid);
            assert_eq!(t.ok("input_get_stats", json!({}))["injected"], 0);
            stop(t);
        }),
    ]
}

fn watch(t: &mut Test<'_>, node: &str, property: &str, more: Value) -> Value {
    let mut call = json!({"node_path": node, "property": property});
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let begun = t.ok(WATCH, call);
    assert_eq!(
        (&begun["monitoring"], &begun["property"]),
        (&json!(true), &json!(property)),
        "{begun}"
    );
    begun
}

fn values(series: &Value) -> Vec<Value> {
    series["samples"].as_array().unwrap().iter().map(|it| it["value"].clone()).collect()
}

fn watching() -> Vec<Case> {
    vec![
        case("a property is taken in every frame that the game runs", |t| {
            play_script(t, "Node", COUNTER);
            let begun = watch(t, ".", "ticks", json!({"samples": 20, "on_change_only": false}));
            assert_eq!(begun["node_path"], "/root/Root", "{begun}");
            let first = begun["value"].as_u64().unwrap();
            step(t, 5);
            let series = t.ok(SAMPLES, json!({}));
            let expected: Vec<Value> = (first..=first + 5).map(Value::from).collect();
            assert_eq!(values(&series), expected, "{series}");
            assert_eq!(series["samples"][0]["frame"], begun["frame"], "{series}");
            let frames: Vec<u64> = series["samples"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["frame"].as_u64().unwrap())
                .collect();
            assert!(frames[1..].windows(2).all(|two| two[1] == two[0] + 1), "{series}");
            assert_eq!(
                (&series["monitoring"], &series["frames"], &series["ended"]),
                (&json!(true), &json!(6), &Value::Null),
                "{series}"
            );
            let stats = &series["stats"];
            assert_eq!(
                (stats["min"].as_f64(), stats["max"].as_f64(), stats["mean"].as_f64()),
                (Some(first as f64), Some(first as f64 + 5.0), Some(first as f64 + 2.5)),
                "{series}"
            );
            let next = json!({"since_frame": series["next_frame"]});
            assert_eq!(values(&t.ok(SAMPLES, next.clone())), [json!(null); 0]);
            step(t, 1);
            assert_eq!(values(&t.ok(SAMPLES, next)), [json!(first + 6)]);
            assert_eq!(read(t, ".", "ticks"), first + 6);
            stop(t);
        }),
        case("changes alone are kept, of several properties at once", |t| {
            play_script(t, "Node", COUNTER);
            watch(t, ".", "phase", json!({}));
            watch(t, ".", "list", json!({}));
            watch(t, ".", "place:x", json!({}));
            watch(t, ".", "place", json!({"epsilon": 2.5}));
            watch(t, ".", "drift", json!({"epsilon": 0.1}));
            assert_eq!(read(t, ".", "ticks"), 0);
            step(t, 6);
            let all = t.ok(SAMPLES, json!({}));
            assert_eq!(all["property"], "drift", "{all}");
            let drift = values(&all);
            assert_eq!(drift.len(), 3, "{all}");
            let others = all["others"].as_array().unwrap();
            let of = |name: &str| others.iter().find(|it| it["property"] == name).unwrap();
            assert_eq!(values(of("phase")), [json!("early"), json!("late")], "{all}");
            // The list is one and the same, and is changed in place.
            assert_eq!(
                values(of("list")),
                [json!([0]), json!([1]), json!([2]), json!([3])],
                "{all}"
            );
            assert_eq!(values(of("place:x")).len(), 7, "{all}");
            assert_eq!(
                values(of("place")),
                [0.0, 3.0, 6.0].map(|x| json!({"x": x, "y": 0.0})),
                "{all}"
            );
            assert_eq!(of("phase")["stats"], Value::Null, "{all}");
            assert_eq!(of("phase")["frames"], 7, "{all}");
            let one = t.ok(SAMPLES, json!({"node_path": ".", "property": "phase"}));
            assert_eq!(
                (&one["property"], &one["others"]),
                (&json!("phase"), &Value::Null),
                "{one}"
            );
            assert_eq!(t.ok(SAMPLES, json!({"node_path": "/root/Root"})), all);
            stop(t);
        }),
        case("samples are read while the game is stopped in the debugger", |t| {
            play_script(t, "Node", COUNTER);
            watch(t, ".", "ticks", json!({}));
            t.ok("runtime_control_time", json!({"frozen": false}));
            t.ok("runtime_step_frames", json!({"frames": 3}));
            t.ok("debugger_force_break", json!({}));
            let series = t.ok(SAMPLES, json!({}));
            assert!(values(&series).len() >= 4, "{series}");
            let broken = "game_not_breaked";
            t.refused(WATCH, json!({"node_path": ".", "property": "ticks"}), broken);
            t.refused(FIND, json!({}), broken);
            t.refused(MOUSE, json!({"node_path": "."}), broken);
            t.ok("debugger_continue_execution", json!({}));
            assert_eq!(t.ok(SAMPLES, json!({}))["ready"], true);
            stop(t);
        }),
    ]
}

fn ends() -> Vec<Case> {
    vec![
        case("a monitor ends with its last sample or with its node, and is read after that", |t| {
            play_script(t, "Node", COUNTER);
            watch(t, ".", "ticks", json!({"samples": 3}));
            watch(t, "Doomed", "process_priority", json!({"on_change_only": false}));
            step(t, 12);
            let complete = t.ok(SAMPLES, json!({"property": "ticks"}));
            assert_eq!(values(&complete), [0, 1, 2].map(Value::from), "{complete}");
            assert_eq!(
                (&complete["ended"], &complete["monitoring"], &complete["error"]),
                (&json!("complete"), &json!(false), &Value::Null),
                "{complete}"
            );
            let freed = t.ok(SAMPLES, json!({"node_path": "Doomed"}));
            assert_eq!(freed["ended"], "node_freed", "{freed}");
            assert_eq!(values(&freed).len(), 8, "{freed}");
            let last = freed["samples"][7]["frame"].as_u64().unwrap();
            assert_eq!(freed["ended_frame"], last + 1, "{freed}");
            assert!(freed["error"].as_str().unwrap().contains("freed"), "{freed}");
            let again = json!({"node_path": "Doomed", "property": "process_priority"});
            t.fault(WATCH, again, "RESOURCE_NOT_FOUND");
            // Begun anew, it forgets what it had.
            let begun = watch(t, ".", "ticks", json!({"samples": 5}));
            assert_eq!(begun["monitors"], 2, "{begun}");
            assert_eq!(values(&t.ok(SAMPLES, json!({"property": "ticks"}))), [json!(12)]);
            stop(t);
        }),
        case(
            "what stops the game with an error when it is looked at is not looked at again",
            |t| {
                play_script(t, "Node", FAILING);
                watch(t, ".", "fragile", json!({}));
                let arm = json!({"expression": "set(\"armed\", true)", "node_path": "."});
                let is_running = |t: &mut Test<'_>| {
                    let on = t.ok("debugger_continue_execution", json!({}));
                    assert_eq!(on["running"], true, "{on}");
                };
                t.ok("debugger_evaluate_expression", arm);
                let one = json!({"frames": 1});
                let fault = t.refused("runtime_step_frames", one, "game_not_breaked");
                assert_eq!(fault["outcome"], "may_have_applied", "{fault}");
                is_running(t);
                step(t, 3);
                let series = t.ok(SAMPLES, json!({}));
                assert_eq!(
                    (&series["ended"], &series["monitoring"]),
                    (&json!("error"), &json!(false)),
                    "{series}"
                );
                let watch_again = json!({"node_path": ".", "property": "fragile"});
                t.refused(WATCH, watch_again, "game_not_breaked");
                is_running(t);
                step(t, 3);
                let until = json!({"node_path": ".", "expression": "is_late()"});
                let fault = json!({"frames": 100, "until": until});
                t.refused("runtime_step_frames", fault, "game_not_breaked");
                is_running(t);
                step(t, 3);
                stop(t);
            },
        ),
        case("there are sixteen monitors, and the one that gives way is named", |t| {
            play_script(t, "Node", COUNTER);
            let properties = [
                "ticks",
                "phase",
                "list",
                "drift",
                "place",
                "place:x",
                "place:y",
                "name",
                "process_mode",
                "process_priority",
                "process_physics_priority",
                "process_thread_group",
                "physics_interpolation_mode",
                "auto_translate_mode",
                "unique_name_in_owner",
                "scene_file_path",
            ];
            for (index, property) in properties.into_iter().enumerate() {
                let begun = watch(t, ".", property, json!({}));
                assert_eq!(
                    (&begun["monitors"], &begun["dropped"]),
                    (&json!(index + 1), &Value::Null),
                    "{begun}"
                );
            }
            let begun = watch(t, "Doomed", "name", json!({}));
            assert_eq!(
                (&begun["monitors"], &begun["dropped"]),
                (&json!(16), &json!("/root/Root:ticks")),
                "{begun}"
            );
            let all = t.ok(SAMPLES, json!({}));
            assert_eq!(all["others"].as_array().unwrap().len(), 15, "{all}");
            stop(t);
        }),
        case("many samples come in pages", |t| {
            play_script(t, "Node", COUNTER);
            watch(t, ".", "place", json!({"samples": 1000}));
            step(t, 999);
            let mut taken = Vec::new();
            let mut since = json!(0);
            loop {
                let page = t.ok(SAMPLES, json!({"since_frame": since}));
                assert_eq!(page["total"], 1000, "{}", page["total"]);
                taken.extend(values(&page));
                since = page["next_frame"].clone();
                if page["truncated"] == false {
                    break;
                }
            }
            let expected: Vec<Value> =
                (0..1000).map(|x| json!({"x": f64::from(x), "y": 0.0})).collect();
            assert_eq!(taken, expected);
            stop(t);
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("what cannot be watched or found is refused", |t| {
        let property = |name: &str| json!({"node_path": ".", "property": name});
        t.refused(FIND, json!({}), "play_session");
        t.refused(WATCH, property("ticks"), "play_session");
        let none = t.ok(SAMPLES, json!({}));
        assert_eq!((&none["ready"], &none["connected"]), (&json!(false), &json!(false)), "{none}");
        assert!(none["reason"].as_str().unwrap().contains("play_scene"), "{none}");
        play_script(t, "Node", COUNTER);
        let none = t.ok(SAMPLES, json!({}));
        assert_eq!((&none["ready"], &none["connected"]), (&json!(false), &json!(true)), "{none}");
        assert!(none["reason"].as_str().unwrap().contains(WATCH), "{none}");
        let (invalid, missing) = ("VALIDATION_ERROR", "RESOURCE_NOT_FOUND");
        for (tool, call, code, required) in [
            (WATCH, property("tick"), missing, "property"),
            (WATCH, json!({"node_path": "Nobody", "property": "x"}), missing, "node_exists"),
            (
                WATCH,
                json!({"node_path": ".", "property": "ticks", "samples": 0}),
                invalid,
                "samples",
            ),
            (
                WATCH,
                json!({"node_path": ".", "property": "ticks", "samples": 1001}),
                invalid,
                "samples",
            ),
            (
                WATCH,
                json!({"node_path": ".", "property": "ticks", "epsilon": -1}),
                invalid,
                "epsilon",
            ),
            (FIND, json!({"class_filter": "NoSuchElement"}), invalid, "class_filter"),
            (FIND, json!({"class_filter": "Node2D"}), invalid, "class_filter"),
            (FIND, json!({"limit": 0}), invalid, "limit"),
        ] {
            let fault = t.fault(tool, call.clone(), code);
            assert_eq!(fault["required"], required, "{call}: {fault}");
        }
        assert_eq!(t.ok(SAMPLES, json!({}))["ready"], false);
        watch(t, ".", "ticks", json!({}));
        let fault = t.fault(SAMPLES, json!({"property": "phase"}), missing);
        assert_eq!(fault["watched"], json!(["/root/Root:ticks"]), "{fault}");
        stop(t);
    })]
}
