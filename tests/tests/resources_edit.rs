//! The tools of `resources_edit`: what a file holds, what a loaded scene shows of it, and back.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";

const BOX: &str = "[gd_resource type=\"BoxMesh\" format=3 uid=\"uid://c8boxmesh7abc\"]\n\n\
                   [resource]\nsize = Vector3(2, 2, 2)\n";

fn main() -> ExitCode {
    let cases = [creating(), setting(), reading(), autoloads()];
    run(cases.into_iter().flatten().collect())
}

/// Writes a file of the case's own, as somebody else would.
fn file(t: &mut Test<'_>, name: &str, text: &str) -> String {
    let path = t.path(name);
    fs::write(t.project().file(&path), text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    path
}

fn set(path: &str, property: &str, value: Value) -> Value {
    json!({"resource_path": path, "property": property, "value": value})
}

fn creating() -> Vec<Case> {
    vec![
        case("create_resource writes a file with properties, in a new folder", |t| {
            let path = t.path("deep/er/green.tres");
            let properties = json!({"metallic": 0.5, "albedo_color": "#00ff00"});
            let call = json!({"type": "StandardMaterial3D", "resource_path": path, "properties": properties, "confirm": true});
            let edit = t.edit_file("resources_edit_create_resource", call, &path);
            assert_eq!(edit.answer["created"], true);
            assert_eq!(edit.answer["overwrote"], false);
            assert!(edit.text.contains("metallic = 0.5"), "{}", edit.text);
            assert!(edit.text.contains("albedo_color = Color(0, 1, 0, 1)"), "{}", edit.text);
            assert!(edit.text.contains("uid=\"uid://"), "{}", edit.text);
        }),
        case("properties that others bring may come first, and metadata is one", |t| {
            let shader = file(
                t,
                "tint.gdshader",
                "shader_type canvas_item;\nuniform float strength = 1.0;\nvoid fragment() {}\n",
            );
            let path = t.path("tint.tres");
            let properties = json!({
                "metadata/by": "me", "shader_parameter/strength": 0.5, "shader": shader,
                "metadata/none": null,
            });
            let call = json!({"type": "ShaderMaterial", "resource_path": path, "properties": properties, "confirm": true});
            let edit = t.edit_file("resources_edit_create_resource", call, &path);
            assert!(edit.text.contains("shader_parameter/strength = 0.5"), "{}", edit.text);
            assert!(edit.text.contains("metadata/by = \"me\""), "{}", edit.text);
            assert!(!edit.text.contains("metadata/none"), "{}", edit.text);
            let lost = json!({"shader_parameter/weight": 0.5, "shader": shader});
            for properties in [lost, json!({"metadata/1": 1}), json!({"metadata/": 1})] {
                let path = t.path("not.tres");
                let call = json!({"type": "ShaderMaterial", "resource_path": path, "properties": properties, "confirm": true});
                let tool = "resources_edit_create_resource";
                t.edit_file_fault(tool, call, "VALIDATION_ERROR", &path);
            }
        }),
        case("a binary resource has its properties and its UID, too", |t| {
            let path = t.path("box.res");
            let call = json!({"type": "BoxMesh", "resource_path": path, "properties": {"size": [1, 2, 3]}, "confirm": true});
            t.edit_file("resources_edit_create_resource", call, &path);
            let read = t.ok("resources_edit_read_resource_file", json!({"resource_path": path}));
            assert_eq!(read["properties"]["size"], json!({"x": 1.0, "y": 2.0, "z": 3.0}), "{read}");
            let uid = t.ok("scene_edit_rescan_filesystem", json!({}));
            assert_eq!(uid["scanned"], true);
            let edit = t.edit_file(
                "resources_edit_set_resource_property",
                set(&path, "size:x", json!(7)),
                &path,
            );
            assert_eq!(edit.answer["previous"], 1.0);
        }),
        case("a class of the project is created with what its script exports", |t| {
            let script = "class_name E2eLoot extends Resource\n@export var worth := 3\n@export var look: Gradient\n";
            file(t, "loot.gd", script);
            let path = t.path("loot.tres");
            let look = json!({"_type": "Gradient", "offsets": [0, 0.25, 1], "colors": ["red", "lime", "blue"]});
            let call = json!({"type": "E2eLoot", "resource_path": path, "properties": {"worth": 9, "look": look}, "confirm": true});
            let edit = t.edit_file("resources_edit_create_resource", call, &path);
            assert!(edit.text.contains("script_class=\"E2eLoot\""), "{}", edit.text);
            assert!(edit.text.contains("worth = 9"), "{}", edit.text);
            assert!(edit.text.contains("[sub_resource type=\"Gradient\""), "{}", edit.text);
            let read = t.ok("resources_edit_read_resource_file", json!({"resource_path": path}));
            assert_eq!(
                (&read["type"], &read["properties"]["worth"]),
                (&json!("E2eLoot"), &json!(9))
            );
            assert_eq!(read["sub_resources"][0]["type"], "Gradient", "{read}");
            assert_eq!(read["sub_resources"][0]["properties"]["offsets"], json!([0.0, 0.25, 1.0]));
            let call = json!({"type": "E2eLoot", "resource_path": t.path("x.tres"), "properties": {"wort": 9}, "confirm": true});
            let fault = t.edit_file_fault(
                "resources_edit_create_resource",
                call,
                "VALIDATION_ERROR",
                &t.path("x.tres"),
            );
            assert!(fault["hint"].as_str().unwrap().contains("worth"), "{fault}");
        }),
        case("several resources and graphs are one call and one undo step", |t| {
            t.open(MAIN);
            let (shader, material) = (t.path("graph.tres"), t.path("plain.tres"));
            let color = "VisualShaderNodeColorConstant";
            let commands = json!([
                {"command": "create_resource", "params": {"type": "StandardMaterial3D", "resource_path": material, "properties": null}},
                {"command": "set_resource_property", "params": {"resource_path": material, "property": "metallic", "value": 0.5}},
                {"command": "cmd_create_visual_shader", "params": {"name": "x", "type": "2d", "path": shader}},
                {"command": "cmd_add_shader_node", "params": {"shader_path": shader, "node_type": color, "node_id": 2}},
                {"command": "cmd_connect_shader_nodes", "params": {"shader_path": shader, "from_node": 2, "from_port": 0, "to_node": 0, "to_port": 0}},
                {"command": "cmd_assign_shader_material", "params": {"node_path": "Player/PlayerSprite", "shader_path": shader}},
            ]);
            let answer =
                t.ok("composite_run_commands", json!({"commands": commands, "confirm": true}));
            assert_eq!(
                (&answer["ok_all"], &answer["undo_steps"]),
                (&json!(true), &json!(1)),
                "{answer}"
            );
            assert!(t.project().read(&material).contains("metallic = 0.5"));
            let graph = t.ok("visual_shader_read", json!({"shader_path": shader}));
            assert_eq!(graph["connections"].as_array().unwrap().len(), 1, "{graph}");
            t.undo(1);
            assert!(!t.project().file(&material).exists() && !t.project().file(&shader).exists());
            assert_eq!(t.property("Player/PlayerSprite", "material"), Value::Null);
        }),
        case("create_resource refuses by name what cannot be", |t| {
            let tool = "resources_edit_create_resource";
            let fine = t.path("fine.tres");
            for (class, path, properties, required, names) in [
                (
                    "StandardMaterial3D",
                    fine.as_str(),
                    json!({"metalic": 1}),
                    "properties",
                    "metallic",
                ),
                (
                    "StandardMaterial3D",
                    &fine,
                    json!({"metallic": "much"}),
                    "properties",
                    "metallic",
                ),
                ("StandardMaterial3D", &fine, json!({"script": null}), "properties", "script"),
                ("StandartMaterial3D", &fine, json!({}), "type", "StandardMaterial3D"),
                ("Node2D", &fine, json!({}), "type", "no resource"),
                ("Texture2DRD2", &fine, json!({}), "type", "Texture2DRD"),
                ("GDScript", &fine, json!({}), "type", "script"),
                ("Shader", &fine, json!({}), "type", "godot_shader_create"),
                ("Resource", &t.path("evil.gd"), json!({}), "resource_path", ".tres"),
                ("BoxMesh", &t.path("evil.tscn"), json!({}), "resource_path", ".tres"),
                ("BoxMesh", "res://.godot/evil.tres", json!({}), "resource_path", "kept for"),
                ("BoxMesh", "res://scenes", json!({}), "resource_path", "folder"),
            ] {
                let call = json!({"type": class, "resource_path": path, "properties": properties, "confirm": true});
                let fault = t.edit_file_fault(tool, call, "VALIDATION_ERROR", path);
                assert_eq!(fault["required"], required, "{class} {path}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{class} {path}: {fault}");
            }
        }),
        case("a file is replaced only with confirm, keeps its UID, and comes back", |t| {
            let path = file(t, "box.tres", BOX);
            let call = json!({"type": "SphereMesh", "resource_path": path});
            t.refused("resources_edit_create_resource", call.clone(), "confirm");
            let mut preview = call.clone();
            preview["dry_run"] = json!(true);
            let preview = t.ok("resources_edit_create_resource", preview);
            assert!(preview["discards"].as_str().unwrap().contains(&path), "{preview}");
            let mut call = call;
            call["confirm"] = json!(true);
            let edit = t.edit_file("resources_edit_create_resource", call, &path);
            assert_eq!(edit.answer["overwrote"], true);
            assert!(edit.text.contains("uid=\"uid://c8boxmesh7abc\""), "{}", edit.text);
        }),
    ]
}

fn setting() -> Vec<Case> {
    vec![
        case("set_resource_property changes what it says and nothing else", |t| {
            t.open(MAIN);
            let path = file(t, "box.tres", BOX);
            let edit = t.edit_file(
                "resources_edit_set_resource_property",
                set(&path, "size", json!([1, 2, 3])),
                &path,
            );
            assert_eq!(edit.text, BOX.replace("(2, 2, 2)", "(1, 2, 3)"));
            assert_eq!(edit.answer["previous"], json!({"x": 2.0, "y": 2.0, "z": 2.0}));
            assert_eq!(edit.answer["persisted"], true);
        }),
        case("what others add to the script of a resource can be set", |t| {
            let script = t.path("kind.gd");
            let text = "extends Resource\n@export var a := 1\n";
            fs::write(t.project().file(&script), text).unwrap();
            let text = format!(
                "[gd_resource type=\"Resource\" load_steps=2 format=3]\n\n[ext_resource type=\"Script\" \
                 path=\"{script}\" id=\"1\"]\n\n[resource]\nscript = ExtResource(\"1\")\na = 2\n"
            );
            // Neither is in the editor's list of files.
            let path = t.path("kind.tres");
            fs::write(t.project().file(&path), text).unwrap();
            let tool = "resources_edit_set_resource_property";
            t.ok(tool, set(&path, "a", json!(3)));
            let text = "extends Resource\n@export var a := 1\n@export var b := 1\n";
            fs::write(t.project().file(&script), text).unwrap();
            t.ok(tool, set(&path, "b", json!(3)));
            assert!(t.project().read(&path).contains("b = 3"));
        }),
        case("a file with long line ends keeps them", |t| {
            let path = file(t, "long.tres", &BOX.replace('\n', "\r\n"));
            let call = set(&path, "size", json!([1, 2, 3]));
            let edit = t.edit_file("resources_edit_set_resource_property", call, &path);
            assert_eq!(edit.text, BOX.replace("(2, 2, 2)", "(1, 2, 3)").replace('\n', "\r\n"));
        }),
        case("a file that another file is in keeps the name of it", |t| {
            let text = "[gd_resource type=\"StandardMaterial3D\" load_steps=2 format=3]\n\n\
                        [ext_resource type=\"Texture2D\" path=\"res://art/coin.svg\" id=\"9_mine\"]\n\n\
                        [resource]\nalbedo_texture = ExtResource(\"9_mine\")\nmetallic = 0.25\n";
            let path = file(t, "coin.tres", text);
            let edit = t.edit_file(
                "resources_edit_set_resource_property",
                set(&path, "metallic", json!(0.75)),
                &path,
            );
            assert!(edit.text.contains("ExtResource(\"9_mine\")"), "{}", edit.text);
            assert!(edit.text.contains("metallic = 0.75"), "{}", edit.text);
        }),
        case("an open scene that uses the file shows the change, and its undo", |t| {
            let path = file(t, "box.tres", BOX);
            let scene = t.path("holder.tscn");
            t.ok(
                "scene_edit_create_scene",
                json!({"root_type": "MeshInstance3D", "scene_path": scene}),
            );
            t.close_at_end(&scene);
            t.ok(
                "scene_edit_set_node_property",
                json!({"node_path": ".", "property": "mesh", "value": path}),
            );
            t.ok("scene_edit_save_scene", json!({}));
            let x = |t: &mut Test<'_>| {
                t.editor().hands(&json!({"do": "evaluate", "expression": "mesh.size.x"}))
            };
            assert_eq!(x(t), 2.0);
            t.ok("resources_edit_set_resource_property", set(&path, "size:x", json!(5)));
            assert_eq!(x(t), 5.0, "the loaded mesh has the old size");
            t.ok("scene_edit_save_scene", json!({}));
            assert!(t.project().read(&path).contains("size = Vector3(5, 2, 2)"));
            let undone = t.undo(1);
            assert_eq!(undone["steps"][0]["history"], "global", "{undone}");
            assert_eq!(x(t), 2.0, "undo left the loaded mesh as it was set");
            t.redo(1);
            assert_eq!(x(t), 5.0);
            // To a default, which the file does not name at all.
            t.ok("resources_edit_set_resource_property", set(&path, "size", json!([1, 1, 1])));
            assert!(!t.project().read(&path).contains("size"));
            assert_eq!(x(t), 1.0);
            t.undo(2);
            assert_eq!(t.project().read(&path), BOX);
        }),
        case("themes and tile sets follow their files as well", |t| {
            t.open(MAIN);
            let evaluate = |t: &mut Test<'_>, expression: &str| {
                t.editor().hands(&json!({"do": "evaluate", "expression": expression}))
            };
            let theme = "res://resources/theme.tres";
            let before = evaluate(t, "get_node('HUD/Frame').theme.default_font_size");
            let edit = t.edit_file(
                "resources_edit_set_resource_property",
                set(theme, "default_font_size", json!(31)),
                theme,
            );
            assert!(edit.answer.get("engine_errors").is_none(), "{}", edit.answer);
            assert_eq!(evaluate(t, "get_node('HUD/Frame').theme.default_font_size"), 31.0);
            t.undo(1);
            assert_eq!(evaluate(t, "get_node('HUD/Frame').theme.default_font_size"), before);
            let tiles = "res://resources/tiles.tres";
            let edit = t.edit_file(
                "resources_edit_set_resource_property",
                set(tiles, "tile_size", json!([48, 48])),
                tiles,
            );
            assert!(edit.answer.get("engine_errors").is_none(), "{}", edit.answer);
            assert_eq!(evaluate(t, "get_node('Ground').tile_set.tile_size.x"), 48.0);
            assert_eq!(evaluate(t, "get_node('Ground').tile_set.get_source_count()"), 1.0);
            t.undo(1);
            assert_eq!(evaluate(t, "get_node('Ground').tile_set.get_source_count()"), 1.0);
        }),
        case("what the human has changed and not saved is not lost", |t| {
            let path = file(t, "box.tres", BOX);
            let scene = t.path("holder.tscn");
            t.ok(
                "scene_edit_create_scene",
                json!({"root_type": "MeshInstance3D", "scene_path": scene}),
            );
            t.close_at_end(&scene);
            t.ok(
                "scene_edit_set_node_property",
                json!({"node_path": ".", "property": "mesh", "value": path}),
            );
            t.editor().hands(&json!({"do": "set_in_file", "path": path, "property": "size", "value": "Vector3(9, 9, 9)"}));
            let call = set(&path, "size:x", json!(5));
            let fault = t.edit_file_fault(
                "resources_edit_set_resource_property",
                call.clone(),
                "PRECONDITION_FAILED",
                &path,
            );
            assert_eq!(fault["required"], "resource_path", "{fault}");
            t.ok("scene_edit_save_scene", json!({}));
            let answer = t.ok("resources_edit_set_resource_property", call);
            assert_eq!(answer["previous"], 9.0, "{answer}");
            assert!(t.project().read(&path).contains("size = Vector3(5, 9, 9)"));
        }),
        case("a resource inside another is written in place", |t| {
            let path = file(
                t,
                "fade.tres",
                "[gd_resource type=\"GradientTexture1D\" format=3]\n\n[resource]\n",
            );
            let gradient = json!({"_type": "Gradient", "colors": ["red", "blue"]});
            let edit = t.edit_file(
                "resources_edit_set_resource_property",
                set(&path, "gradient", gradient),
                &path,
            );
            assert!(edit.text.contains("[sub_resource type=\"Gradient\""), "{}", edit.text);
            let wrong = json!({"_type": "Gradient", "colours": []});
            let fault = t.edit_file_fault(
                "resources_edit_set_resource_property",
                set(&path, "gradient", wrong),
                "VALIDATION_ERROR",
                &path,
            );
            assert!(fault["hint"].as_str().unwrap().contains("colors"), "{fault}");
            let wrong = json!({"_type": "BoxMesh"});
            t.edit_file_fault(
                "resources_edit_set_resource_property",
                set(&path, "gradient", wrong),
                "VALIDATION_ERROR",
                &path,
            );
        }),
        case("a file that would need itself is refused, with the way round", |t| {
            let script = "class_name E2eLink extends Resource\n@export var next: Resource\n\
                          @export var all: Array[Resource] = []\n";
            file(t, "link.gd", script);
            let (tool, create) =
                ("resources_edit_set_resource_property", "resources_edit_create_resource");
            let [one, two] = ["one.tres", "two.tres"].map(|name| t.path(name));
            for path in [&one, &two] {
                t.ok(create, json!({"type": "E2eLink", "resource_path": path, "confirm": true}));
            }
            let material = t.path("self.tres");
            let call = json!({
                "type": "StandardMaterial3D", "resource_path": material, "confirm": true,
            });
            t.ok(create, call);
            t.ok(tool, set(&one, "next", json!(two)));
            let refused = |t: &mut Test<'_>, path: &str, property: &str, value: Value| {
                let call = set(path, property, value);
                let fault = t.edit_file_fault(tool, call, "VALIDATION_ERROR", path);
                assert_eq!(fault["required"], "value", "{property}: {fault}");
                fault["circle"].clone()
            };
            assert_eq!(refused(t, &one, "next", json!(one)), json!([one]));
            assert_eq!(refused(t, &one, "all", json!([one])), json!([one]));
            assert_eq!(refused(t, &material, "next_pass", json!(material)), json!([material]));
            assert_eq!(refused(t, &two, "next", json!(one)), json!([one, two]));
            let inner = json!({"_type": "E2eLink", "next": one});
            assert_eq!(refused(t, &two, "all", json!([inner])), json!([one, two]));
            let call = json!({
                "type": "E2eLink", "resource_path": two, "properties": {"next": one}, "confirm": true,
            });
            let fault = t.edit_file_fault(create, call, "VALIDATION_ERROR", &two);
            assert_eq!(fault["required"], "properties", "{fault}");
            // A script may lead back to what uses it.
            let way = format!("const TWO = \"{two}\"\n@export var way: Resource\n");
            let script = file(t, "way.gd", &format!("class_name E2eWay extends Resource\n{way}"));
            let path = t.path("way.tres");
            t.ok(create, json!({"type": "E2eWay", "resource_path": path, "confirm": true}));
            t.ok(tool, set(&path, "way", json!(script)));
            for path in [one, two, material] {
                t.ok("resources_edit_read_resource_file", json!({"resource_path": path}));
            }
        }),
        case("what is inside a file is written back as it was read", |t| {
            let script = "class_name E2eBag extends Resource\n@export var main: Gradient\n\
                          @export var all: Array[Gradient] = []\n@export var by_name := {}\n";
            file(t, "bag.gd", script);
            let [path, other] = ["bag.tres", "other.tres"].map(|name| t.path(name));
            let gradient = |offset: f64| json!({"_type": "Gradient", "offsets": [0.0, offset]});
            let properties = json!({"main": gradient(0.25), "all": [gradient(0.5)]});
            let call = |path: &str| {
                json!({
                    "type": "E2eBag", "resource_path": path, "properties": properties,
                    "confirm": true,
                })
            };
            let tool = "resources_edit_set_resource_property";
            for path in [&path, &other] {
                t.ok("resources_edit_create_resource", call(path));
            }
            let read = |t: &mut Test<'_>, path: &str| {
                let look = json!({"resource_path": path});
                t.ok("resources_edit_read_resource_file", look)["properties"].take()
            };
            let before = read(t, &path);
            let (main, first) = (before["main"].clone(), before["all"][0].clone());
            assert!(main.as_str().unwrap().contains("::"), "{before}");
            // One more, beside what is there.
            let more = json!([first, main, gradient(0.75)]);
            let edit = t.edit_file(tool, set(&path, "all", more), &path);
            let blocks = edit.text.matches("[sub_resource type=\"Gradient\"").count();
            assert_eq!(blocks, 3, "{}", edit.text);
            let after = read(t, &path);
            assert_eq!((&after["main"], &after["all"][0]), (&main, &first), "{after}");
            assert_eq!(after["all"][1], main, "it is the same resource, not a copy");
            t.edit_file(tool, set(&path, "main", first.clone()), &path);
            assert_eq!(read(t, &path)["main"], first);
            // Another file cannot have it.
            let fault =
                t.edit_file_fault(tool, set(&other, "main", first), "VALIDATION_ERROR", &other);
            assert_eq!(fault["required"], "value", "{fault}");
            assert!(fault["hint"].as_str().unwrap().contains("_type"), "{fault}");
            let nobody = json!(format!("{path}::Gradient_nope"));
            let fault =
                t.edit_file_fault(tool, set(&path, "main", nobody), "RESOURCE_NOT_FOUND", &path);
            assert!(fault["hint"].as_str().unwrap().contains("::Gradient_"), "{fault}");
        }),
        case("what is stored by way of another property is set and kept", |t| {
            let tool = "resources_edit_set_resource_property";
            for kind in ["Curve", "Curve2D"] {
                let path = t.path(&format!("{kind}.tres"));
                let properties = json!({"point_count": 2});
                let call = json!({"type": kind, "resource_path": path, "properties": properties, "confirm": true});
                t.ok("resources_edit_create_resource", call);
                let place = json!({"x": 0.25, "y": 0.5});
                let edit = t.edit_file(tool, set(&path, "point_1/position", place.clone()), &path);
                assert_eq!(edit.answer["value"], place, "{}", edit.answer);
                assert!(edit.text.contains("0.25, 0.5"), "{}", edit.text);
            }
            // The engine says of this list that it is a number.
            let path = t.path("Curve.tres");
            let shown = t.ok("resources_edit_read_resource_file", json!({"resource_path": path}));
            let mut points = shown["properties"]["_data"].clone();
            points[5]["y"] = json!(0.75);
            let mut tagged = points.clone();
            for place in [0, 5] {
                tagged[place]["_type"] = json!("Vector2");
            }
            let edit = t.edit_file(tool, set(&path, "_data", tagged.clone()), &path);
            assert_eq!(edit.answer["value"], points, "{}", edit.answer);
            let copy = t.path("copy.tres");
            let call = json!({"type": "Curve", "resource_path": copy, "properties": {"_data": tagged}, "confirm": true});
            let made = t.edit_file("resources_edit_create_resource", call, &copy);
            assert!(made.text.contains("0.75"), "{}", made.text);
            // What nothing stores is still told.
            let script = file(t, "hiding.gd", "@tool\nextends Resource\nvar hidden := 1\n");
            let text = format!(
                "[gd_resource type=\"Resource\" format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" \
                 id=\"1\"]\n\n[resource]\nscript = ExtResource(\"1\")\n"
            );
            let hiding = file(t, "hiding.tres", &text);
            let call = set(&hiding, "hidden", json!(5));
            let fault = t.edit_file_fault(tool, call, "VALIDATION_ERROR", &hiding);
            assert_eq!(fault["required"], "property", "{fault}");
            assert!(fault["hint"].as_str().unwrap().contains("not written"), "{fault}");
        }),
        case("set_resource_property refuses what it cannot keep", |t| {
            let tool = "resources_edit_set_resource_property";
            let path = file(t, "box.tres", BOX);
            for (property, value, required, names) in [
                ("sise", json!([1, 1, 1]), "property", "size"),
                ("resource_path", json!("res://x.tres"), "property", "cannot be set"),
                ("script", json!(null), "property", "cannot be set"),
                ("size", json!("garbage"), "value", "Vector3"),
                ("size", json!({"x": 1}), "value", "y"),
                ("subdivide_width", json!(-3), "value", "adjusted"),
            ] {
                let fault =
                    t.edit_file_fault(tool, set(&path, property, value), "VALIDATION_ERROR", &path);
                assert_eq!(fault["required"], required, "{property}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{property}: {fault}");
            }
            for (path, names) in [
                (MAIN, "scene"),
                ("res://scripts/player.gd", "script"),
                ("res://art/coin.svg", "imported"),
                ("res://shaders/shimmer.gdshader", "shader"),
                ("res://project.godot", "resource"),
            ] {
                let fault =
                    t.edit_file_fault(tool, set(path, "x", json!(1)), "VALIDATION_ERROR", path);
                assert_eq!(fault["required"], "resource_path", "{path}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{path}: {fault}");
            }
            let missing = t.path("missing.tres");
            t.fault(tool, set(&missing, "size", json!([1, 1, 1])), "RESOURCE_NOT_FOUND");
            let broken = file(
                t,
                "broken.tres",
                "[gd_resource type=\"BoxMesh\" format=3]\n[resource]\nsize = Vector3(\n",
            );
            let fault = t.edit_file_fault(
                tool,
                set(&broken, "size", json!([1, 1, 1])),
                "VALIDATION_ERROR",
                &broken,
            );
            assert!(fault["engine_errors"].to_string().contains("Parse"), "{fault}");
        }),
    ]
}

fn reading() -> Vec<Case> {
    vec![
        case("read_resource_file tells the class and what is stored", |t| {
            let path = file(t, "box.tres", BOX);
            let read = t.ok("resources_edit_read_resource_file", json!({"resource_path": path}));
            assert_eq!(read["type"], "BoxMesh", "{read}");
            assert_eq!(read["properties"]["size"], json!({"x": 2.0, "y": 2.0, "z": 2.0}));
            assert!(read["properties"].get("script").is_none(), "{read}");
            let theme = t.ok(
                "resources_edit_read_resource_file",
                json!({"resource_path": "res://resources/theme.tres"}),
            );
            assert_eq!(theme["type"], "Theme", "{theme}");
            let named = theme["sub_resources"][0]["path"].as_str().unwrap();
            assert!(theme["properties"].to_string().contains(named), "{theme}");
        }),
        case("read_resource_file refuses what is none", |t| {
            let tool = "resources_edit_read_resource_file";
            for path in [MAIN, "res://scripts/player.gd", "res://project.godot"] {
                t.fault(tool, json!({"resource_path": path}), "VALIDATION_ERROR");
            }
            t.fault(tool, json!({"resource_path": "res://nope.tres"}), "RESOURCE_NOT_FOUND");
            t.fault(tool, json!({"resource_path": "/etc/passwd"}), "VALIDATION_ERROR");
        }),
    ]
}

const PROJECT: &str = "res://project.godot";
const REGISTER: &str = "resources_edit_register_autoload";
const UNREGISTER: &str = "resources_edit_unregister_autoload";

fn autoloads() -> Vec<Case> {
    vec![
        case("an autoload is registered and taken out, each one step", |t| {
            let script = "res://scripts/game_state.gd";
            let call = json!({"name": "Second", "path": script, "confirm": true});
            t.refused(REGISTER, json!({"name": "Second", "path": script}), "confirm");
            let edit = t.edit_file(REGISTER, call, PROJECT);
            assert_eq!(edit.answer["registered"], true, "{}", edit.answer);
            assert!(edit.text.contains(&format!("Second=\"*{script}\"")), "{}", edit.text);
            let scene = json!({"name": "Third", "path": "res://scenes/hud.tscn", "confirm": true});
            t.edit_file(REGISTER, scene, PROJECT);
            t.refused(UNREGISTER, json!({"name": "Second"}), "confirm");
            let edit = t.edit_file(UNREGISTER, json!({"name": "Second", "confirm": true}), PROJECT);
            assert_eq!(edit.answer["path"], script, "{}", edit.answer);
            assert!(!edit.text.contains("Second="), "{}", edit.text);
            let gone = json!({"name": "Second", "confirm": true});
            t.edit_file_fault(UNREGISTER, gone, "RESOURCE_NOT_FOUND", PROJECT);
        }),
        case("an autoload says which file had its name before", |t| {
            let call =
                json!({"name": "GameState", "path": "res://scenes/hud.tscn", "confirm": true});
            let answer = t.edit_file(REGISTER, call, PROJECT).answer;
            assert_eq!(answer["previous_path"], "res://scripts/game_state.gd", "{answer}");
            t.undo(1);
        }),
        case("names and files that cannot be autoloads are refused", |t| {
            for name in [
                "Node2D",
                "Vector2",
                "Player",
                "OS",
                "class",
                "Key",
                "PI",
                "1st",
                "a b",
                "",
                "int",
                "KEY_A",
                "OK",
                "MOUSE_BUTTON_LEFT",
                "ERR_BUSY",
                "TYPE_INT",
                "print",
                "load",
                "len",
                "range",
                "sin",
                "lerp",
                "get_class",
            ] {
                let call =
                    json!({"name": name, "path": "res://scripts/game_state.gd", "confirm": true});
                t.edit_file_fault(REGISTER, call, "VALIDATION_ERROR", PROJECT);
            }
            for name in ["KeyA", "Okay", "Größe", "printer", "_x"] {
                let call =
                    json!({"name": name, "path": "res://scripts/game_state.gd", "confirm": true});
                let answer = t.ok(REGISTER, call);
                assert!(answer.get("engine_errors").is_none(), "{answer}");
                t.undo(1);
            }
            for (path, code) in [
                ("res://none.gd", "RESOURCE_NOT_FOUND"),
                ("res://art/icon.svg", "VALIDATION_ERROR"),
                ("res://../x.gd", "VALIDATION_ERROR"),
            ] {
                let call = json!({"name": "Fine", "path": path, "confirm": true});
                t.edit_file_fault(REGISTER, call, code, PROJECT);
            }
        }),
    ]
}
