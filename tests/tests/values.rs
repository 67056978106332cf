//! Every type of value, through the real engine: set, read back, saved, reloaded, and still equal.
//! What does not fit is refused, and nothing becomes zero.

use std::{cell::RefCell, fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

const SET: &str = "scene_edit_set_node_property";
const MAIN: &str = "res://scenes/main.tscn";

fn main() -> ExitCode {
    run([round_trips(), refusals(), random()].into_iter().flatten().collect())
}

/// A property of the test bed, the forms in which its value is given, and the one that is read.
type Row = (&'static str, Vec<Value>, Value);

fn round_trips() -> Vec<Case> {
    vec![
        case("scalars and text survive a save, in every form", |t| survive(t, scalars())),
        case("structs survive a save, in every form", |t| survive(t, structs())),
        case("enums and flags survive a save, by name and by number", |t| survive(t, choices())),
        case("arrays and dictionaries survive a save", |t| survive(t, containers())),
        case("packed arrays survive a save", |t| survive(t, packed())),
        case("resources by path survive a save", |t| survive(t, resources())),
        case("values of any type in metadata survive a save", |t| survive(t, loose())),
        case("the type of every property is told", |t| {
            open_bed(t);
            for (property, kind) in [
                ("an_int", "int"),
                ("a_string_name", "StringName"),
                ("a_transform3d", "Transform3D"),
                ("some_ints", "Array[int]"),
                ("some_textures", "Array[Texture2D]"),
                ("a_grid", "Array[Array]"),
                ("some_counts", "Dictionary[String, int]"),
                ("some_vector4s", "PackedVector4Array"),
                ("a_shape", "Shape2D"),
                ("an_item", "BedItem"),
            ] {
                assert_eq!(read(t, "All", property)["type"], kind, "{property}");
            }
            set(t, "All", "a_state", &json!(4));
            let state = read(t, "All", "a_state");
            assert!(state["value_name"].as_str().unwrap().starts_with("Run"), "{state}");
        }),
        case("a resource described inline is made, saved and nested", |t| {
            let scene = open_bed(t);
            let shape =
                json!({"_type": "CircleShape2D", "radius": 4.5, "resource_local_to_scene": true});
            let edit = t.edit(SET, given("All", "a_shape", &shape));
            let made = resource(&edit.saved, "All", "a_shape");
            assert_eq!(made.class, "CircleShape2D");
            assert_eq!(made.properties["radius"], "4.5");
            assert_eq!(made.properties["resource_local_to_scene"], "true");

            let texture = json!({
                "_type": "GradientTexture2D", "width": 32,
                "gradient": {"_type": "Gradient", "colors": ["red", "#00f"], "offsets": [0, 1]},
            });
            let edit = t.edit(SET, given("All", "a_texture", &texture));
            assert_eq!(resource(&edit.saved, "All", "a_texture").properties["width"], "32");
            let gradients: Vec<_> =
                edit.saved.resources.values().filter(|it| it.class == "Gradient").collect();
            assert_eq!(gradients.len(), 1);
            assert_eq!(
                gradients[0].properties["colors"],
                "PackedColorArray(1, 0, 0, 1, 0, 0, 1, 1)"
            );

            let item = json!({
                "_type": "BedItem", "title": "Axe", "price": "3", "tint": "red",
                "parts": [{"_type": "BedItem", "title": "Handle"}],
            });
            let edit = t.edit(SET, given("All", "an_item", &item));
            let made = resource(&edit.saved, "All", "an_item");
            assert_eq!(made.properties["title"], "\"Axe\"");
            assert!(made.properties["parts"].contains("SubResource("), "{made:?}");

            reload(t, &scene);
            let path = t.property("All", "a_shape");
            assert!(path.as_str().unwrap().starts_with(&format!("{scene}::")), "{path}");
            // What was read can be given again: it leads into the scene itself.
            set(t, "All", "a_resource", &path);
            assert_eq!(t.property("All", "a_resource"), path);
        }),
        case("null takes a resource and a node away again", |t| {
            open_bed(t);
            for (property, value) in
                [("a_texture", json!("res://art/coin.svg")), ("a_node", json!("Child"))]
            {
                set(t, "All", property, &value);
                let edit = t.edit(SET, given("All", property, &Value::Null));
                assert_eq!(edit.answer["previous"], value);
                assert_eq!(t.property("All", property), Value::Null);
                assert_eq!(edit.saved.property("All", property), "");
            }
        }),
        case("a uid leads to its resource", |t| {
            open_bed(t);
            let uid = t.project().read("res://scripts/player.gd.uid").trim().to_owned();
            set(t, "All", "a_resource", &json!(uid));
            assert_eq!(t.property("All", "a_resource"), "res://scripts/player.gd");
        }),
        case("rotation_degrees of -35 is a success", |t| {
            let scene = open_bed(t);
            for (node, value) in [("Sprite", json!(-35)), ("Mesh", json!([-35, 10, 120]))] {
                let edit = t.edit(SET, given(node, "rotation_degrees", &value));
                assert_eq!(edit.answer["set"], true, "{}", edit.answer);
                assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            }
            reload(t, &scene);
            assert!(close(&t.property("Sprite", "rotation_degrees"), &json!(-35.0)));
            let mesh = t.property("Mesh", "rotation_degrees");
            assert!(close(&mesh, &json!({"x": -35.0, "y": 10.0, "z": 120.0})), "{mesh}");
        }),
        case("parts of structs are set and read by their path", |t| {
            open_bed(t);
            for (property, value) in [
                ("a_transform3d:origin:y", json!(2.5)),
                ("a_transform3d:basis:x", json!({"x": 0.0, "y": 1.0, "z": 0.0})),
                ("a_rect2i:size:x", json!(7)),
                ("a_color:a", json!(0.25)),
                ("a_vector4i:w", json!(i32::MIN)),
                ("a_plane:normal", json!({"x": 0.0, "y": 0.0, "z": 1.0})),
            ] {
                let edit = t.edit(SET, given("All", property, &value));
                assert_eq!(edit.answer["value"], value, "{property}");
                assert_eq!(t.property("All", property), value, "{property}");
            }
            let origin = t.property("All", "a_transform3d:origin");
            assert_eq!(origin, json!({"x": 0.0, "y": 2.5, "z": 0.0}), "the rest stays");
        }),
        case("arguments that came as JSON text are read where the type wants them", |t| {
            open_bed(t);
            for (property, text, value) in [
                ("a_vector2", "{\"x\": 1, \"y\": 2}", json!({"x": 1.0, "y": 2.0})),
                ("a_vector2", "[3, 4]", json!({"x": 3.0, "y": 4.0})),
                ("some_ints", "[1, 2]", json!([1, 2])),
                ("some_counts", "{\"a\": 1}", json!({"a": 1})),
                ("a_bool", "true", json!(true)),
                ("a_float", "4.0", json!(4.0)),
                ("an_int", "4.0", json!(4)),
                ("a_string", "{\"x\": 1}", json!("{\"x\": 1}")),
                ("a_string", "null", json!("null")),
                ("a_string", "true", json!("true")),
            ] {
                set(t, "All", property, &json!(text));
                assert_eq!(t.property("All", property), value, "{property} = {text}");
            }
        }),
    ]
}

fn scalars() -> Vec<Row> {
    let texts =
        ["007", "{\"a\":1}", "[1, 2]", "true", "null", "say \"hi\"\r\n\tagain\\", "項目 é 🎮"];
    let mut rows = vec![
        ("a_bool", vec![json!(true), json!("true")], json!(true)),
        ("an_int", vec![json!(i64::MIN)], json!(i64::MIN)),
        ("an_int", vec![json!(i64::MAX), json!(i64::MAX.to_string())], json!(i64::MAX)),
        ("an_int", vec![json!(9_007_199_254_740_993_i64)], json!(9_007_199_254_740_993_i64)),
        ("an_int", vec![json!(5), json!(5.0), json!("5"), json!("5.0")], json!(5)),
        ("a_float", vec![json!("__nan__")], json!("__nan__")),
        ("a_float", vec![json!("__-inf__")], json!("__-inf__")),
        ("a_float", vec![json!("__inf__")], json!("__inf__")),
        ("a_float", vec![json!(1.0 / 3.0)], json!(1.0 / 3.0)),
        ("a_float", vec![json!(1e300)], json!(1e300)),
        ("a_float", vec![json!(3), json!("3"), json!("3.0")], json!(3.0)),
        ("a_string_name", vec![json!("jump")], json!("jump")),
        ("a_node_path", vec![json!("../Child:position:x")], json!("../Child:position:x")),
        ("a_node_path", vec![json!("%Sprite")], json!("%Sprite")),
    ];
    rows.extend(texts.map(|text| ("a_string", vec![json!(text)], json!(text))));
    rows.extend(texts.map(|text| ("a_text", vec![json!(text)], json!(text))));
    rows
}

fn structs() -> Vec<Row> {
    let (inf, nan) = ("__inf__", "__nan__");
    let v2 = |x: f64, y: f64| json!({"x": x, "y": y});
    let v3 = |x: f64, y: f64, z: f64| json!({"x": x, "y": y, "z": z});
    let v4 = |x: f64, y: f64, z: f64, w: f64| json!({"x": x, "y": y, "z": z, "w": w});
    let basis = json!({"x": v3(1., 2., 3.), "y": v3(4., 5., 6.), "z": v3(7., 8., 9.)});
    let color = |r: f64, g: f64, b: f64, a: f64| json!({"r": r, "g": g, "b": b, "a": a});
    vec![
        (
            "a_vector2",
            vec![
                json!({"x": 1, "y": 0.1}),
                json!([1, 0.1]),
                json!("Vector2(1, 0.1)"),
                json!("(1, 0.1)"),
                json!(["1", "0.1"]),
                json!({"_type": "Vector2", "x": 1, "y": 0.1}),
            ],
            v2(1., 0.1),
        ),
        (
            "a_vector2",
            vec![json!([inf, nan]), json!("Vector2(inf, nan)")],
            json!({"x": inf, "y": nan}),
        ),
        (
            "a_vector2i",
            vec![
                json!([i32::MIN, i32::MAX]),
                json!({"x": i32::MIN, "y": i32::MAX}),
                json!("Vector2i(-2147483648, 2147483647)"),
            ],
            json!({"x": i32::MIN, "y": i32::MAX}),
        ),
        (
            "a_vector3",
            vec![
                json!([1, 2, 3]),
                json!({"x": 1, "y": 2, "z": 3}),
                json!("(1,2,3)"),
                json!("Vector3(1, 2, 3)"),
            ],
            v3(1., 2., 3.),
        ),
        (
            "a_vector3i",
            vec![json!([1, -2, 3]), json!("Vector3i(1, -2, 3)")],
            json!({"x": 1, "y": -2, "z": 3}),
        ),
        ("a_vector4", vec![json!([1, 2, 3, 4]), json!("Vector4(1, 2, 3, 4)")], v4(1., 2., 3., 4.)),
        (
            "a_vector4i",
            vec![json!([1, 2, 3, 4]), json!("Vector4i(1, 2, 3, 4)")],
            json!({"x": 1, "y": 2, "z": 3, "w": 4}),
        ),
        (
            "a_rect2",
            vec![
                json!([1, 2, 3, 4]),
                json!([[1, 2], [3, 4]]),
                json!({"position": [1, 2], "size": "Vector2(3, 4)"}),
                json!("Rect2(1, 2, 3, 4)"),
                json!("Rect2(Vector2(1, 2), Vector2(3, 4))"),
            ],
            json!({"position": v2(1., 2.), "size": v2(3., 4.)}),
        ),
        (
            "a_rect2i",
            vec![json!([1, 2, 3, 4]), json!("Rect2i(1, 2, 3, 4)")],
            json!({"position": {"x": 1, "y": 2}, "size": {"x": 3, "y": 4}}),
        ),
        (
            "a_transform2d",
            vec![
                json!([1, 2, 3, 4, 5, 6]),
                json!([[1, 2], [3, 4], [5, 6]]),
                json!({"x": [1, 2], "y": [3, 4], "origin": [5, 6]}),
                json!("Transform2D(1, 2, 3, 4, 5, 6)"),
            ],
            json!({"x": v2(1., 2.), "y": v2(3., 4.), "origin": v2(5., 6.)}),
        ),
        (
            "a_plane",
            vec![
                json!([0, 1, 0, 2.5]),
                json!([[0, 1, 0], 2.5]),
                json!({"normal": [0, 1, 0], "d": 2.5}),
                json!("Plane(0, 1, 0, 2.5)"),
            ],
            json!({"normal": v3(0., 1., 0.), "d": 2.5}),
        ),
        (
            "a_quaternion",
            vec![json!([0.5, 0.5, 0.5, 0.5]), json!("Quaternion(0.5, 0.5, 0.5, 0.5)")],
            v4(0.5, 0.5, 0.5, 0.5),
        ),
        (
            "an_aabb",
            vec![json!([1, 2, 3, 4, 5, 6]), json!("AABB(1, 2, 3, 4, 5, 6)")],
            json!({"position": v3(1., 2., 3.), "size": v3(4., 5., 6.)}),
        ),
        (
            "a_basis",
            vec![
                json!([1, 2, 3, 4, 5, 6, 7, 8, 9]),
                json!([[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
                // Constructor text goes by rows, as in scene files.
                json!("Basis(1, 4, 7, 2, 5, 8, 3, 6, 9)"),
            ],
            basis.clone(),
        ),
        (
            "a_transform3d",
            vec![
                json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
                json!({"basis": [1, 2, 3, 4, 5, 6, 7, 8, 9], "origin": [10, 11, 12]}),
                json!("Transform3D(1, 4, 7, 2, 5, 8, 3, 6, 9, 10, 11, 12)"),
            ],
            json!({"basis": basis, "origin": v3(10., 11., 12.)}),
        ),
        (
            "a_projection",
            vec![
                json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
                json!([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]),
            ],
            json!({
                "x": v4(1., 2., 3., 4.), "y": v4(5., 6., 7., 8.),
                "z": v4(9., 10., 11., 12.), "w": v4(13., 14., 15., 16.),
            }),
        ),
        (
            "a_color",
            vec![
                json!("red"),
                json!("Color.RED"),
                json!("#f00"),
                json!("#ff0000ff"),
                json!([1, 0, 0]),
                json!([1, 0, 0, 1]),
                json!({"r": 1, "g": 0, "b": 0}),
                json!("Color(1, 0, 0)"),
            ],
            color(1., 0., 0., 1.),
        ),
        ("a_color", vec![json!([0.1, 0.2, 0.3, 0.4])], color(0.1, 0.2, 0.3, 0.4)),
    ]
}

fn choices() -> Vec<Row> {
    vec![
        (
            "a_state",
            vec![json!("RUN_FAST"), json!("State.RUN_FAST"), json!("run fast"), json!(4)],
            json!(4),
        ),
        ("a_choice", vec![json!("Very fast"), json!("very_fast"), json!(7)], json!(7)),
        ("a_side", vec![json!("south")], json!("south")),
        ("some_flags", vec![json!(["Fire", "Ice"]), json!("Fire|Ice"), json!(9)], json!(9)),
        ("some_layers", vec![json!(5), json!("5")], json!(5)),
    ]
}

fn containers() -> Vec<Row> {
    let v2 = |x: f64, y: f64| json!({"x": x, "y": y});
    let red = json!({"r": 1.0, "g": 0.0, "b": 0.0, "a": 1.0});
    let mixed = json!([1, "007", null, [true], {"b": 2.5}, i64::MIN, "__inf__"]);
    let bag = json!({"a": 1, "b": [1, {"c": null}], "": "x"});
    vec![
        ("an_array", vec![mixed.clone()], mixed),
        (
            "an_array",
            vec![json!([{"_type": "Vector2", "x": 1, "y": 2}, {"_type": "Color", "value": "red"}])],
            json!([v2(1., 2.), red]),
        ),
        ("some_ints", vec![json!([1, "2", 3.0, i64::MAX])], json!([1, 2, 3, i64::MAX])),
        ("some_floats", vec![json!([1, 0.1, "__-inf__"])], json!([1.0, 0.1, "__-inf__"])),
        ("some_names", vec![json!(["a", "b c"])], json!(["a", "b c"])),
        (
            "some_vectors",
            vec![json!([[1, 2, 3], "Vector3(4, 5, 6)"])],
            json!([{"x": 1.0, "y": 2.0, "z": 3.0}, {"x": 4.0, "y": 5.0, "z": 6.0}]),
        ),
        ("some_states", vec![json!(["idle", 5])], json!([0, 5])),
        ("some_paths", vec![json!(["../Child", "."])], json!(["../Child", "."])),
        ("some_nodes", vec![json!(["Child", "Sprite"])], json!(["Child", "Sprite"])),
        ("a_grid", vec![json!([[1], ["a", []]])], json!([[1], ["a", []]])),
        ("a_dictionary", vec![bag.clone()], bag),
        (
            "a_dictionary",
            vec![json!({"_entries": [[1, "a"], [{"_type": "Vector2i", "x": 1, "y": 2}, null]]})],
            json!({"_entries": [[1, "a"], [{"x": 1, "y": 2}, null]]}),
        ),
        ("some_counts", vec![json!({"a": 1, "b": "2"})], json!({"a": 1, "b": 2})),
        (
            "some_cells",
            vec![json!({"Vector2i(1, 2)": "red"}), json!({"_entries": [[[1, 2], [1, 0, 0]]]})],
            json!({"_entries": [[{"x": 1, "y": 2}, red]]}),
        ),
        (
            "some_by_state",
            vec![json!({"idle": [1, 2], "5": [3, 4]})],
            json!({"_entries": [[0, v2(1., 2.)], [5, v2(3., 4.)]]}),
        ),
    ]
}

fn packed() -> Vec<Row> {
    let v2 = |x: f64, y: f64| json!({"x": x, "y": y});
    let triple = json!({"x": 1.0, "y": 0.1, "z": -3.0});
    vec![
        (
            "some_bytes",
            vec![json!([0, 127, 255]), json!({"_base64": "AH//"})],
            json!([0, 127, 255]),
        ),
        ("some_int32s", vec![json!([i32::MIN, "0", i32::MAX])], json!([i32::MIN, 0, i32::MAX])),
        ("some_int64s", vec![json!([i64::MIN, i64::MAX])], json!([i64::MIN, i64::MAX])),
        (
            "some_float32s",
            vec![json!([0.1, "__inf__", 5, "__nan__"])],
            json!([0.1, "__inf__", 5.0, "__nan__"]),
        ),
        (
            "some_float64s",
            vec![json!([0.1, 1.0 / 3.0, 1e300, "__-inf__"])],
            json!([0.1, 1.0 / 3.0, 1e300, "__-inf__"]),
        ),
        ("some_strings", vec![json!(["a", "", "007", "é\n"])], json!(["a", "", "007", "é\n"])),
        (
            "some_vector2s",
            vec![
                json!([{"x": 0, "y": 0}, [10, 0], "Vector2(0, 10)"]),
                json!("PackedVector2Array(0, 0, 10, 0, 0, 10)"),
            ],
            json!([v2(0., 0.), v2(10., 0.), v2(0., 10.)]),
        ),
        ("some_vector3s", vec![json!([[1, 0.1, -3], triple])], json!([triple, triple])),
        (
            "some_vector4s",
            vec![json!([[1, 2, 3, 4]])],
            json!([{"x": 1.0, "y": 2.0, "z": 3.0, "w": 4.0}]),
        ),
        (
            "some_colors",
            vec![json!(["red", "#0000"])],
            json!([{"r": 1.0, "g": 0.0, "b": 0.0, "a": 1.0}, {"r": 0.0, "g": 0.0, "b": 0.0, "a": 0.0}]),
        ),
        ("some_vector2s", vec![json!([])], json!([])),
    ]
}

fn resources() -> Vec<Row> {
    let same = |property, value: &str| (property, vec![json!(value)], json!(value));
    let scene = "res://scenes/coin.tscn";
    vec![
        same("a_resource", "res://resources/theme.tres"),
        same("a_texture", "res://art/coin.svg"),
        same("a_scene", scene),
        same("a_scene_path", scene),
        same("a_node", "Child"),
        (
            "some_textures",
            vec![json!(["res://art/coin.svg", null])],
            json!(["res://art/coin.svg", null]),
        ),
        (
            "a_texture",
            vec![json!({"_type": "Texture2D", "_path": "res://art/crown.svg"})],
            json!("res://art/crown.svg"),
        ),
    ]
}

fn loose() -> Vec<Row> {
    let typed = |kind: &str, value: Value| json!({"_type": kind, "value": value});
    vec![
        ("metadata/flag", vec![json!(true)], json!(true)),
        ("metadata/number", vec![json!(i64::MIN)], json!(i64::MIN)),
        ("metadata/text", vec![json!("007")], json!("007")),
        ("metadata/float", vec![json!(0.1), json!(0.1)], json!(0.1)),
        (
            "metadata/vector",
            vec![json!({"_type": "Vector2", "x": 1, "y": 2}), typed("Vector2", json!([1, 2]))],
            json!({"x": 1.0, "y": 2.0}),
        ),
        ("metadata/name", vec![typed("StringName", json!("x"))], json!("x")),
        ("metadata/path", vec![typed("NodePath", json!("../Child"))], json!("../Child")),
        ("metadata/ints", vec![typed("PackedInt64Array", json!([1, 2]))], json!([1, 2])),
        ("metadata/list", vec![json!([1, {"a": null}])], json!([1, {"a": null}])),
    ]
}

fn refusals() -> Vec<Case> {
    vec![
        case("scalars that do not fit are refused by the name of their type", |t| {
            refuse(
                t,
                &[
                    ("a_bool", json!(1), &["bool"]),
                    ("a_bool", json!("perhaps"), &["bool"]),
                    ("a_bool", json!(null), &["bool"]),
                    ("an_int", json!("abc"), &["int", "abc"]),
                    ("an_int", json!(1.7), &["int", "1.7"]),
                    ("an_int", json!(true), &["int"]),
                    ("an_int", json!(u64::MAX), &["64"]),
                    ("an_int", json!([1]), &["int"]),
                    ("an_int", json!(""), &["int"]),
                    ("a_float", json!(true), &["float"]),
                    ("a_float", json!("abc"), &["float"]),
                    ("a_float", json!("nan"), &["float"]),
                    ("a_float", json!({"x": 1}), &["float"]),
                    ("a_float", json!(null), &["float", "null"]),
                    ("a_string", json!(7), &["String"]),
                    ("a_string", json!(["a"]), &["String"]),
                    ("a_string", json!("a\u{0}b"), &["String"]),
                    ("a_string", json!("\u{feff}a"), &["String", "byte order mark"]),
                    ("a_string_name", json!(7), &["StringName"]),
                    // The engine would not read it back from the file.
                    ("a_string_name", json!("a\u{b}"), &["StringName"]),
                    ("a_node_path", json!("a\u{7}"), &["NodePath"]),
                    ("some_strings", json!(["a", "b\u{0}c"]), &["[1]", "String"]),
                    ("some_strings", json!(["a", "\u{b}"]), &["[1]", "String"]),
                    ("a_node_path", json!(7), &["NodePath"]),
                    ("a_state", json!("Fly"), &["4"]),
                    ("a_state", json!(3), &["4"]),
                    ("a_state", json!(true), &["4"]),
                    ("a_choice", json!(3), &["Very fast = 7"]),
                    ("some_flags", json!(["Fire", "Mud"]), &["[1]", "Ice = 8"]),
                ],
            );
        }),
        case("structs that do not fit are refused by the name of the field", |t| {
            refuse(
                t,
                &[
                    ("a_vector2", json!([1]), &["Vector2"]),
                    ("a_vector2", json!([1, 2, 3]), &["Vector2"]),
                    ("a_vector2", json!("banana"), &["Vector2"]),
                    ("a_vector2", json!({"x": 1}), &["Vector2", "y"]),
                    ("a_vector2", json!({"x": 1, "y": 1, "z": 2}), &["Vector2", "z"]),
                    ("a_vector2", json!({"x": 1, "y": "q"}), &["Vector2", "y"]),
                    ("a_vector2", json!(null), &["Vector2"]),
                    ("a_vector2", json!(5), &["Vector2"]),
                    ("a_vector2", json!("Vector3(1, 2, 3)"), &["Vector2"]),
                    ("a_vector2", json!([1e39, 0]), &["Vector2"]),
                    ("a_vector2i", json!([1.5, 2]), &["Vector2i", "[0]"]),
                    ("a_vector2i", json!([3_000_000_000_i64, 2]), &["Vector2i", "[0]"]),
                    ("a_vector3", json!([1, 2]), &["Vector3"]),
                    ("a_vector3i", json!([1, 2, true]), &["Vector3i", "[2]"]),
                    ("a_vector4", json!([1, 2, 3]), &["Vector4"]),
                    ("a_vector4i", json!({"x": 1}), &["Vector4i"]),
                    ("a_rect2", json!([1, 2, 3]), &["Rect2"]),
                    ("a_rect2", json!({"position": [1], "size": [1, 2]}), &["position"]),
                    ("a_rect2i", json!([1, 2, 3, 4.5]), &["Rect2i"]),
                    ("a_transform2d", json!([1, 2, 3, 4, 5]), &["Transform2D"]),
                    ("a_plane", json!([1, 2, 3]), &["Plane"]),
                    ("a_quaternion", json!([1, 2, 3]), &["Quaternion"]),
                    ("an_aabb", json!([1, 2, 3]), &["AABB"]),
                    ("a_basis", json!([1, 2, 3]), &["Basis"]),
                    ("a_transform3d", json!([1, 2, 3]), &["Transform3D"]),
                    ("a_projection", json!([1, 2, 3]), &["Projection"]),
                    ("a_color", json!("no color"), &["Color"]),
                    ("a_color", json!([1, 2]), &["Color"]),
                    ("a_color", json!("#12345"), &["Color"]),
                ],
            );
        }),
        case("arrays and dictionaries that do not fit are refused by their element", |t| {
            refuse(
                t,
                &[
                    ("an_array", json!({"a": 1}), &["Array"]),
                    ("an_array", json!(1), &["Array"]),
                    ("an_array", json!([1, {"_type": "Nope", "value": 1}]), &["[1]", "Nope"]),
                    ("some_ints", json!([1, 2.5]), &["[1]", "int"]),
                    ("some_ints", json!([1, null]), &["[1]", "int"]),
                    ("some_vectors", json!([[1, 2, 3], [1, 2]]), &["[1]", "Vector3"]),
                    ("some_states", json!(["idle", 3]), &["[1]"]),
                    ("some_textures", json!(["res://resources/theme.tres"]), &["[0]", "Texture2D"]),
                    ("some_nodes", json!(["Child", "Timer"]), &["[1]", "Node2D"]),
                    ("a_dictionary", json!([1]), &["Dictionary"]),
                    ("a_dictionary", json!({"_entries": [[1, 2], [1, 3]]}), &["twice"]),
                    ("some_counts", json!({"a": 1.5}), &["a", "int"]),
                    ("some_counts", json!({"_entries": [[1, 1]]}), &["key"]),
                    ("some_cells", json!({"(1, 2, 3)": "red"}), &["Vector2i"]),
                    ("some_bytes", json!([0, 256]), &["[1]"]),
                    ("some_bytes", json!({"_base64": "%"}), &["base64"]),
                    ("some_int32s", json!([1, 3_000_000_000_i64]), &["[1]", "PackedInt32Array"]),
                    ("some_float32s", json!([1, "x"]), &["[1]", "PackedFloat32Array"]),
                    ("some_strings", json!(["a", 7]), &["[1]", "String"]),
                    ("some_vector2s", json!([[1, 2], {"x": 1, "y": "q"}]), &["[1]", "y"]),
                    ("some_vector2s", json!("PackedVector2Array(0, 0, 10)"), &["Vector2"]),
                    ("some_colors", json!(["red", "reddish-ish"]), &["[1]"]),
                ],
            );
        }),
        case("resources and nodes that do not fit are refused by their class", |t| {
            refuse(
                t,
                &[
                    ("a_texture", json!("res://resources/theme.tres"), &["Texture2D", "Theme"]),
                    ("a_texture", json!({"_type": "BoxMesh"}), &["Texture2D", "BoxMesh"]),
                    (
                        "a_texture",
                        json!({"_type": "GradientTexture2D", "wide_th": 3}),
                        &["wide_th"],
                    ),
                    (
                        "a_texture",
                        json!({"_type": "GradientTexture2D", "gradient":
                            {"_type": "Gradient", "colors": ["red", "blueish"]}}),
                        &["gradient", "colors[1]"],
                    ),
                    ("a_texture", json!(5), &["Texture2D"]),
                    ("a_texture", json!("res://../outside.png"), &["res://"]),
                    ("a_texture", json!("/etc/passwd"), &["res://"]),
                    ("a_shape", json!({"_type": "CircleShape2D", "radius": "big"}), &["radius"]),
                    ("a_resource", json!({"_type": "Node2D"}), &["Node2D"]),
                    ("a_resource", json!({"_type": "InputEvent"}), &["abstract"]),
                    ("a_resource", json!({"_type": "GDScript"}), &["script"]),
                    ("a_resource", json!({"size": 1}), &["_type"]),
                    ("a_scene", json!("res://art/coin.svg"), &["PackedScene"]),
                    ("an_item", json!("res://resources/theme.tres"), &["BedItem"]),
                    ("an_item", json!({"_type": "BedItem", "price": "x"}), &["price"]),
                    ("a_node", json!("Timer"), &["Node2D", "Timer"]),
                    ("a_node", json!("/root/Child"), &["absolute"]),
                    ("a_node", json!(3), &["Node2D"]),
                ],
            );
        }),
        case("files and nodes that are not there are not found", |t| {
            open_bed(t);
            for (property, value) in [
                ("a_texture", json!("res://art/none.svg")),
                ("a_texture", json!("uid://nope000")),
                ("some_textures", json!(["res://art/coin.svg", "res://art/none.svg"])),
                ("a_node", json!("Nobody")),
            ] {
                let arguments = given("All", property, &value);
                t.edit_fault(SET, arguments, "RESOURCE_NOT_FOUND");
            }
        }),
        case("objects, callables, signals and RIDs are refused with a reason", |t| {
            open_bed(t);
            for (property, kind) in [
                ("an_object", "Object"),
                ("a_callable", "Callable"),
                ("a_signal", "Signal"),
                ("an_rid", "RID"),
            ] {
                for value in [json!("x"), json!(1), json!({"_type": kind, "value": "x"})] {
                    let arguments = given("Closed", property, &value);
                    let fault = t.edit_fault(SET, arguments, "VALIDATION_ERROR");
                    let hint = fault["hint"].as_str().unwrap();
                    assert!(hint.contains(kind), "{property} = {value}: {hint}");
                }
            }
            for kind in ["Callable", "Signal", "RID", "Node", "Object"] {
                let value = json!({"_type": kind, "value": "x"});
                let arguments = given("Child", "metadata/odd", &value);
                t.edit_fault(SET, arguments, "VALIDATION_ERROR");
            }
        }),
        case("what can only be read is told apart from what was set", |t| {
            t.open(MAIN);
            // `name` and `owner` have tools of their own or none; the others have no setter.
            for (node, property, value) in [
                ("Player", "name", json!("Hero")),
                ("Player", "owner", json!("Coins")),
                ("Player", "scene_file_path", json!("res://scenes/coin.tscn")),
                ("Clock", "time_left", json!(3)),
            ] {
                let arguments = given(node, property, &value);
                t.edit_fault(SET, arguments, "VALIDATION_ERROR");
            }
        }),
    ]
}

fn random() -> Vec<Case> {
    vec![
        case("random values of every type survive the editor, and a save", |t| {
            let scene = open_bed(t);
            let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
            let test = RefCell::new(t);
            let outcome = TestRunner::new(config).run(&all_types(), |values| {
                let t = &mut **test.borrow_mut();
                for (property, value) in &values {
                    let answer = t.call(SET, given("All", property, value));
                    prop_assert!(answer.ok, "{property} = {value}: {}", answer.value);
                    let got = t.property("All", property);
                    prop_assert!(got == *value, "{property}: set {value}, got {got}");
                }
                t.saved();
                reload(t, &scene);
                for (property, value) in &values {
                    let got = t.property("All", property);
                    prop_assert!(close(&got, value), "{property}: saved {value}, got {got}");
                }
                Ok(())
            });
            assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
        }),
        case("random text survives the editor, and a save", |t| {
            let scene = open_bed(t);
            let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
            let test = RefCell::new(t);
            let outcome =
                TestRunner::new(config).run(&"[^\\x00\\x07\\x0b\\u{feff}]{0,24}", |text| {
                    let t = &mut **test.borrow_mut();
                    for property in ["a_string", "a_string_name"] {
                        let answer = t.call(SET, given("All", property, &json!(text)));
                        prop_assert!(answer.ok, "{property} = {text:?}: {}", answer.value);
                        prop_assert_eq!(t.property("All", property), json!(text));
                    }
                    t.saved();
                    reload(t, &scene);
                    for property in ["a_string", "a_string_name"] {
                        prop_assert_eq!(t.property("All", property), json!(text));
                    }
                    Ok(())
                });
            assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
        }),
    ]
}

/// One value for each property that has a type which values can be made up for.
fn all_types() -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let single = || prop::num::f32::NORMAL.prop_map(shown).boxed();
    let small = || any::<i32>().prop_map(|it| json!(it)).boxed();
    let fields = |names: &'static [&'static str], each: BoxedStrategy<Value>| {
        prop::collection::vec(each, names.len())
            .prop_map(move |values| names.iter().copied().zip(values).collect::<Value>())
            .boxed()
    };
    let v2 = || fields(&["x", "y"], single());
    let v2i = || fields(&["x", "y"], small());
    let v3 = || fields(&["x", "y", "z"], single());
    let v4 = || fields(&["x", "y", "z", "w"], single());
    let color = || fields(&["r", "g", "b", "a"], single());
    let pair = |a: &'static str, first: BoxedStrategy<Value>, b: &'static str, second| {
        (first, second).prop_map(move |(first, second)| json!({a: first, b: second})).boxed()
    };
    let list = |each: BoxedStrategy<Value>| {
        prop::collection::vec(each, 0..6).prop_map(Value::from).boxed()
    };
    let basis = || fields(&["x", "y", "z"], v3());
    // The engine reads the very smallest numbers of a file as zero, and leaves out what is as good as
    // the default.
    let double = || prop::num::f64::NORMAL.prop_map(|it| json!(it)).boxed();
    let rows: Vec<(&'static str, BoxedStrategy<Value>)> = vec![
        ("a_bool", any::<bool>().prop_map(|it| json!(it)).boxed()),
        ("an_int", any::<i64>().prop_map(|it| json!(it)).boxed()),
        ("a_float", double()),
        ("a_vector2", v2()),
        ("a_vector2i", v2i()),
        ("a_vector3", v3()),
        ("a_vector3i", fields(&["x", "y", "z"], small())),
        ("a_vector4", v4()),
        ("a_vector4i", fields(&["x", "y", "z", "w"], small())),
        ("a_rect2", pair("position", v2(), "size", v2())),
        ("a_rect2i", pair("position", v2i(), "size", v2i())),
        ("a_transform2d", fields(&["x", "y", "origin"], v2())),
        ("a_plane", pair("normal", v3(), "d", single())),
        ("a_quaternion", v4()),
        ("an_aabb", pair("position", v3(), "size", v3())),
        ("a_basis", basis()),
        ("a_transform3d", pair("basis", basis(), "origin", v3())),
        ("a_projection", fields(&["x", "y", "z", "w"], v4())),
        ("a_color", color()),
        ("some_ints", list(any::<i64>().prop_map(|it| json!(it)).boxed())),
        ("some_floats", list(double())),
        ("some_vectors", list(v3())),
        ("some_bytes", list(any::<u8>().prop_map(|it| json!(it)).boxed())),
        ("some_int32s", list(small())),
        ("some_int64s", list(any::<i64>().prop_map(|it| json!(it)).boxed())),
        ("some_float32s", list(single())),
        ("some_float64s", list(double())),
        ("some_strings", list("[^\\x00\\x07\\x0b\\u{feff}]{0,8}".prop_map(Value::from).boxed())),
        ("some_vector2s", list(v2())),
        ("some_vector3s", list(v3())),
        ("some_vector4s", list(v4())),
        ("some_colors", list(color())),
    ];
    let (names, values): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    values.prop_map(move |values| names.iter().copied().zip(values).collect())
}

/// A 32-bit number as it is written: in the shortest form that means it.
fn shown(number: f32) -> Value {
    json!(number.to_string().parse::<f64>().unwrap())
}

/// Opens a scene of this case's own with the test bed in it.
fn open_bed(t: &mut Test<'_>) -> String {
    let files = [
        ("every_type.gd", include_str!("bed/every_type.gd")),
        ("closed_types.gd", include_str!("bed/closed_types.gd")),
    ];
    for (name, text) in files {
        let path = t.path(name);
        fs::write(t.project().file(&path), text).unwrap();
    }
    // A class that the whole project knows has one file, and is known after a scan.
    let item = t.project().file("res://cases/item.gd");
    if !item.exists() {
        fs::write(item, include_str!("bed/item.gd")).unwrap();
        t.ok("scene_edit_rescan_filesystem", json!({}));
    }
    let path = t.path("values.tscn");
    let folder = path.trim_end_matches("/values.tscn");
    let text = include_str!("bed/values.tscn").replace("BED", folder);
    fs::write(t.project().file(&path), text).unwrap();
    t.ok("scene_edit_open_scene", json!({"scene_path": path}));
    t.close_at_end(&path);
    path
}

/// Sets each value in each form and reads it back; saves, reloads, and reads the last of each
/// property again.
fn survive(t: &mut Test<'_>, rows: Vec<Row>) {
    let scene = open_bed(t);
    let mut last: Vec<(&str, Value)> = Vec::new();
    for (property, forms, expected) in rows {
        for form in forms {
            let answer = set(t, "All", property, &form);
            assert_eq!(answer["value"], expected, "{property} = {form}: {answer}");
            assert_eq!(answer["persisted"], true, "{property} = {form}: {answer}");
            assert_eq!(t.property("All", property), expected, "{property} = {form}");
        }
        // Each value by itself, as the next row may be of the same property.
        t.saved();
        reload(t, &scene);
        let got = t.property("All", property);
        assert_eq!(got, expected, "{property} after a save");
        last.retain(|(known, _)| *known != property);
        last.push((property, expected));
    }
    for (property, expected) in last {
        assert_eq!(t.property("All", property), expected, "{property} at the end");
    }
}

/// Each value must be refused, also as a preview, with these words, and change nothing.
fn refuse(t: &mut Test<'_>, rows: &[(&str, Value, &[&str])]) {
    open_bed(t);
    for (property, value) in [
        ("an_int", json!(7)),
        ("a_float", json!(0.5)),
        ("a_string", json!("kept")),
        ("a_vector2", json!([7, 8])),
        ("a_color", json!("red")),
        ("some_ints", json!([7])),
        ("a_texture", json!("res://art/coin.svg")),
        ("a_node", json!("Child")),
    ] {
        set(t, "All", property, &value);
    }
    let before = t.saved();
    let steps = t.steps();
    for (property, value, words) in rows {
        let was = t.property("All", property);
        let mut arguments = given("All", property, value);
        let fault = t.fault(SET, arguments.clone(), "VALIDATION_ERROR");
        let hint = fault["hint"].as_str().unwrap();
        for word in *words {
            assert!(hint.contains(word), "{property} = {value}: no {word:?} in: {hint}");
        }
        assert_eq!(t.property("All", property), was, "{property} = {value}");
        arguments["dry_run"] = json!(true);
        t.fault(SET, arguments, "VALIDATION_ERROR");
    }
    assert_eq!(t.steps(), steps);
    assert_eq!(before.diff(&t.saved()), [""; 0]);
}

fn given(node: &str, property: &str, value: &Value) -> Value {
    json!({"node_path": node, "property": property, "value": value})
}

fn set(t: &mut Test<'_>, node: &str, property: &str, value: &Value) -> Value {
    t.ok(SET, given(node, property, value))
}

fn read(t: &mut Test<'_>, node: &str, property: &str) -> Value {
    t.ok("inspection_get_node_property", json!({"node_path": node, "property": property}))
}

fn reload(t: &mut Test<'_>, scene: &str) {
    t.ok("scene_edit_reload_scene", json!({"scene_path": scene, "confirm": true}));
}

/// The resource inside the file that a property holds.
fn resource<'a>(
    scene: &'a e2e::scene_file::SceneFile,
    node: &str,
    property: &str,
) -> &'a e2e::scene_file::SceneNode {
    let text = scene.property(node, property);
    let id = text.trim_start_matches("SubResource(\"").trim_end_matches("\")");
    scene.resources.get(id).unwrap_or_else(|| panic!("{node}:{property} = {text}"))
}

/// Whether two values are the same, as far as a file keeps the digits of a number.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        (Value::Number(x), Value::Number(y)) if x.is_f64() || y.is_f64() => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(1.0)
        }
        _ => a == b,
    }
}
