//! The tools of `visual_shader`: the graph read back is the graph that was built.

use std::process::ExitCode;

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const COLOR: &str = "VisualShaderNodeColorConstant";

fn main() -> ExitCode {
    run(building().into_iter().chain(refusing()).collect())
}

fn create(t: &mut Test<'_>, kind: &str) -> String {
    let path = t.path(&format!("{kind}.tres"));
    t.ok(
        "visual_shader_create",
        json!({"name": "Mine", "type": kind, "path": path, "confirm": true}),
    );
    path
}

fn node(path: &str, class: &str, id: i32) -> Value {
    json!({"shader_path": path, "node_type": class, "node_id": id, "position": [id * 100, 50]})
}

fn connect(path: &str, ends: [i32; 4]) -> Value {
    let [from_node, from_port, to_node, to_port] = ends;
    json!({"shader_path": path, "from_node": from_node, "from_port": from_port, "to_node": to_node, "to_port": to_port})
}

fn param(path: &str, id: i32, property: &str, value: Value) -> Value {
    json!({"shader_path": path, "node_id": id, "property": property, "value": value})
}

fn read(t: &mut Test<'_>, path: &str) -> Value {
    t.ok("visual_shader_read", json!({"shader_path": path}))
}

fn building() -> Vec<Case> {
    vec![
        case("a graph is built step by step, and read back as built", |t| {
            let path = t.path("glow.tres");
            let call = json!({"name": "Glow", "path": path});
            let edit = t.edit_file("visual_shader_create", call, &path);
            assert_eq!(
                (&edit.answer["mode"], &edit.answer["path"]),
                (&json!("spatial"), &json!(path))
            );

            let edit = t.edit_file("visual_shader_add_node", node(&path, COLOR, 2), &path);
            assert_eq!(
                (&edit.answer["added"], &edit.answer["stage"]),
                (&json!(true), &json!("fragment"))
            );
            t.edit_file(
                "visual_shader_add_node",
                node(&path, "VisualShaderNodeVectorOp", 3),
                &path,
            );
            t.edit_file("visual_shader_connect_nodes", connect(&path, [2, 0, 3, 0]), &path);
            let edit =
                t.edit_file("visual_shader_connect_nodes", connect(&path, [3, 0, 0, 0]), &path);
            assert_eq!(
                (&edit.answer["connected"], &edit.answer["errors"]),
                (&json!(true), &json!([]))
            );
            let edit = t.edit_file(
                "visual_shader_set_node_param",
                param(&path, 2, "constant", json!("red")),
                &path,
            );
            assert_eq!(edit.answer["value"], json!({"r": 1.0, "g": 0.0, "b": 0.0, "a": 1.0}));
            t.edit_file(
                "visual_shader_set_node_param",
                param(&path, 3, "position", json!([7, 8])),
                &path,
            );

            let graph = read(t, &path);
            assert_eq!(graph["mode"], "spatial");
            let nodes: Vec<(i64, &str)> = graph["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| (it["id"].as_i64().unwrap(), it["type"].as_str().unwrap()))
                .collect();
            assert_eq!(
                nodes,
                [(0, "VisualShaderNodeOutput"), (2, COLOR), (3, "VisualShaderNodeVectorOp")]
            );
            assert_eq!(graph["nodes"][1]["parameters"]["constant"]["r"], 1.0, "{graph}");
            assert_eq!(graph["nodes"][1]["position"], json!({"x": 200.0, "y": 50.0}));
            assert_eq!(graph["nodes"][2]["position"], json!({"x": 7.0, "y": 8.0}));
            assert_eq!(
                graph["connections"],
                json!([
                    {"stage": "fragment", "from_node": 2, "from_port": 0, "to_node": 3, "to_port": 0},
                    {"stage": "fragment", "from_node": 3, "from_port": 0, "to_node": 0, "to_port": 0},
                ])
            );
            let code = t.ok("shader_read", json!({"shader_path": path}));
            assert!(code["code"].as_str().unwrap().contains("ALBEDO"), "{code}");
            assert_eq!(t.ok("shader_validate", json!({"shader_path": path}))["ok"], true);
        }),
        case("an input has one source: a second takes the place of the first", |t| {
            let path = create(t, "2d");
            for id in [2, 3] {
                t.ok("visual_shader_add_node", node(&path, COLOR, id));
            }
            t.ok("visual_shader_connect_nodes", connect(&path, [2, 0, 0, 0]));
            let edit =
                t.edit_file("visual_shader_connect_nodes", connect(&path, [3, 0, 0, 0]), &path);
            assert_eq!(edit.answer["replaced"]["from_node"], 2, "{}", edit.answer);
            let graph = read(t, &path);
            assert_eq!(graph["connections"].as_array().unwrap().len(), 1, "{graph}");
            let again = t.ok("visual_shader_connect_nodes", connect(&path, [3, 0, 0, 0]));
            assert_eq!((&again["connected"], &again["undoable"]), (&json!(true), &json!(false)));
        }),
        case("connections whose ports are gone go with what took them, and are told", |t| {
            let path = create(t, "3d");
            let add = |t: &mut Test<'_>, class: &str, id: i32| {
                let class = format!("VisualShaderNode{class}");
                t.ok("visual_shader_add_node", node(&path, &class, id));
            };
            let join = |t: &mut Test<'_>, ends: [i32; 4]| {
                t.ok("visual_shader_connect_nodes", connect(&path, ends));
            };
            let told = |[from_node, from_port, to_node, to_port]: [i32; 4]| {
                json!({
                    "stage": "fragment", "from_node": from_node, "from_port": from_port,
                    "to_node": to_node, "to_port": to_port,
                })
            };
            add(t, "VectorDecompose", 3);
            add(t, "Switch", 4);
            add(t, "FloatConstant", 5);
            for ends in [[3, 0, 0, 2], [3, 2, 0, 1], [5, 0, 4, 1], [5, 0, 4, 0], [4, 0, 0, 3]] {
                join(t, ends);
            }
            let edit = t.edit_file(
                "visual_shader_set_node_param",
                param(&path, 3, "op_type", json!("Vector2")),
                &path,
            );
            assert_eq!(edit.answer["removed_connections"], json!([told([3, 2, 0, 1])]));
            let edit = t.edit_file(
                "visual_shader_set_node_param",
                param(&path, 4, "op_type", json!("Transform")),
                &path,
            );
            let removed = edit.answer["removed_connections"].as_array().unwrap();
            assert_eq!(removed.len(), 2, "{}", edit.answer);
            for ends in [[5, 0, 4, 1], [4, 0, 0, 3]] {
                assert!(removed.contains(&told(ends)), "{}", edit.answer);
            }
            let left = read(t, &path)["connections"].clone();
            assert_eq!(left.as_array().unwrap().len(), 2, "{left}");
            t.undo(2);
            assert_eq!(read(t, &path)["connections"].as_array().unwrap().len(), 5);
            // What changes no port takes nothing.
            let call = param(&path, 5, "constant", json!(0.5));
            let edit = t.edit_file("visual_shader_set_node_param", call, &path);
            assert_eq!(edit.answer.get("removed_connections"), None, "{}", edit.answer);
        }),
        case(
            "inputs and parameters are those that there are, and values of inputs have their type",
            |t| {
                let path = create(t, "3d");
                let tool = "visual_shader_set_node_param";
                for (class, id) in
                    [("Input", 2), ("ParameterRef", 3), ("FloatParameter", 4), ("VectorOp", 5)]
                {
                    let class = format!("VisualShaderNode{class}");
                    t.ok("visual_shader_add_node", node(&path, &class, id));
                }
                t.edit_file(tool, param(&path, 4, "parameter_name", json!("speed")), &path);
                for (id, property, right, wrong) in
                    [(2, "input_name", "vertex", "vertexx"), (3, "parameter_name", "speed", "sped")]
                {
                    let call = param(&path, id, property, json!(wrong));
                    let fault = t.edit_file_fault(tool, call, "VALIDATION_ERROR", &path);
                    assert_eq!(fault["required"], "value", "{fault}");
                    let hint = fault["hint"].as_str().unwrap();
                    assert!(hint.contains(&format!("Did you mean '{right}'?")), "{fault}");
                    t.edit_file(tool, param(&path, id, property, json!(right)), &path);
                    t.edit_file(tool, param(&path, id, property, json!("[None]")), &path);
                }
                // Of another stage, and of another type of shader.
                for wrong in ["light_vec", "point_coord_of_sky"] {
                    let call = param(&path, 2, "input_name", json!(wrong));
                    t.edit_file_fault(tool, call, "VALIDATION_ERROR", &path);
                }
                let values = json!([0, [0.25, 0.5, 0.75], 1, {"x": 1, "y": 2, "z": 3}]);
                let edit =
                    t.edit_file(tool, param(&path, 5, "default_input_values", values), &path);
                assert!(
                    edit.text.contains("0, Vector3(0.25, 0.5, 0.75), 1, Vector3(1, 2, 3)"),
                    "{}",
                    edit.text
                );
                assert_eq!(edit.answer["errors"], json!([]), "{}", edit.answer);
                for wrong in [
                    json!([0, [1, 2], 1, [1, 2, 3]]),
                    json!([0, null, 1, [1, 2, 3]]),
                    json!([0, {"_type": "Vector2", "value": [1, 2]}]),
                    json!("[0, [1, 2]]"),
                    json!([0]),
                    json!(["a", 1]),
                    json!([63, [1, 2]]),
                ] {
                    let call = param(&path, 5, "default_input_values", wrong);
                    let fault = t.edit_file_fault(tool, call, "VALIDATION_ERROR", &path);
                    assert_eq!(fault["required"], "value", "{fault}");
                }
            },
        ),
        case("every type of shader has its own stages", |t| {
            for (kind, mode, stage) in [
                ("2d", "canvas_item", "fragment"),
                ("canvas_item", "canvas_item", "fragment"),
                ("3d", "spatial", "fragment"),
                ("particles", "particles", "process"),
                ("sky", "sky", "sky"),
                ("fog", "fog", "fog"),
            ] {
                let path = create(t, kind);
                let added = t.ok("visual_shader_add_node", node(&path, COLOR, 2));
                assert_eq!(added["stage"], stage, "{added}");
                assert_eq!(read(t, &path)["mode"], mode);
            }
            let path = create(t, "3d");
            let mut call = node(&path, "VisualShaderNodeVectorFunc", 2);
            call["stage"] = json!("vertex");
            t.edit_file("visual_shader_add_node", call, &path);
            let graph = read(t, &path);
            assert!(
                graph["nodes"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|it| it["stage"] == "vertex" && it["id"] == 2),
                "{graph}"
            );
            let mut call = node(&path, COLOR, 2);
            call["stage"] = json!("sky");
            let fault =
                t.edit_file_fault("visual_shader_add_node", call, "VALIDATION_ERROR", &path);
            assert_eq!(fault["required"], "stage", "{fault}");
        }),
        case("a loaded visual shader follows the file, back and forth", |t| {
            let path = create(t, "2d");
            t.ok("visual_shader_add_node", node(&path, COLOR, 2));
            let scene = t.path("holder.tscn");
            t.ok("scene_edit_create_scene", json!({"root_type": "Sprite2D", "scene_path": scene}));
            t.close_at_end(&scene);
            t.ok("shader_assign_material", json!({"node_path": ".", "shader_path": path}));
            t.ok("scene_edit_save_scene", json!({}));
            let nodes = |t: &mut Test<'_>| {
                let expression = "material.shader.get_node_list(1).size()";
                t.editor().hands(&json!({"do": "evaluate", "expression": expression}))
            };
            assert_eq!(nodes(t), 2.0);
            t.ok("visual_shader_add_node", node(&path, "VisualShaderNodeColorParameter", 3));
            t.ok("visual_shader_set_node_param", param(&path, 3, "parameter_name", json!("glow")));
            t.ok("visual_shader_connect_nodes", connect(&path, [3, 0, 0, 0]));
            assert_eq!(nodes(t), 3.0);
            let set = json!({"node_path": ".", "name": "glow", "value": "blue"});
            t.ok("shader_set_param", set);
            t.undo(4);
            assert_eq!(nodes(t), 2.0, "undo left a node in the loaded shader");
            t.redo(3);
            assert_eq!(nodes(t), 3.0);
        }),
        case("list_node_types lists what add_node takes", |t| {
            let types = t.ok("visual_shader_list_node_types", json!({}));
            let types = types["types"].as_array().unwrap();
            assert!(types.contains(&json!(COLOR)) && types.len() > 60, "{types:?}");
            for base in ["VisualShaderNode", "VisualShaderNodeOutput", "VisualShaderNodeCustom"] {
                assert!(!types.contains(&json!(base)), "{base}");
            }
            let path = create(t, "3d");
            for (index, class) in types.iter().enumerate() {
                let id = 2 + i32::try_from(index).unwrap();
                t.ok("visual_shader_add_node", node(&path, class.as_str().unwrap(), id));
            }
            let graph = read(t, &path);
            assert_eq!(graph["total"], types.len() + 1, "{graph}");
        }),
        case("a visual shader is replaced only with confirm", |t| {
            let path = create(t, "3d");
            t.ok("visual_shader_add_node", node(&path, COLOR, 2));
            let call = json!({"name": "Mine", "path": path});
            t.refused("visual_shader_create", call.clone(), "confirm");
            let mut call = call;
            call["confirm"] = json!(true);
            let edit = t.edit_file("visual_shader_create", call, &path);
            assert_eq!(edit.answer["overwrote"], true);
        }),
    ]
}

fn refusing() -> Vec<Case> {
    vec![
        case("create refuses types, names and files that there cannot be", |t| {
            let tool = "visual_shader_create";
            for (name, kind, path, required) in [
                ("Mine", "4d", t.path("x.tres"), "type"),
                ("Mine", "3d", t.path("x.gdshader"), "path"),
                ("Mine", "3d", t.path("x.tscn"), "path"),
                ("../../Mine", "3d", String::new(), "name"),
                ("", "3d", String::new(), "name"),
            ] {
                let call = json!({"name": name, "type": kind, "path": path});
                let fault = t.fault(tool, call, "VALIDATION_ERROR");
                assert_eq!(fault["required"], required, "{fault}");
            }
            let named = json!({"name": "e2e_named", "type": "fog"});
            let edit = t.edit_file(tool, named, "res://e2e_named.tres");
            assert_eq!(edit.answer["path"], "res://e2e_named.tres");
        }),
        case("add_node refuses classes and ids that there cannot be", |t| {
            let path = create(t, "3d");
            t.ok("visual_shader_add_node", node(&path, COLOR, 2));
            for (class, id, required, names) in [
                ("VisualShaderNodeColourConstant", 3, "node_type", COLOR),
                ("VisualShaderNodeOutput", 3, "node_type", "VisualShaderNode"),
                ("Node2D", 3, "node_type", "list_node_types"),
                (COLOR, 2, "node_id", "3 is free"),
                (COLOR, 0, "node_id", "begin"),
                (COLOR, 1, "node_id", "begin"),
                (COLOR, -4, "node_id", "begin"),
            ] {
                let fault = t.edit_file_fault(
                    "visual_shader_add_node",
                    node(&path, class, id),
                    "VALIDATION_ERROR",
                    &path,
                );
                assert_eq!(fault["required"], required, "{class} {id}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{class} {id}: {fault}");
            }
            let mut call = node(&path, COLOR, 3);
            call["position"] = json!([1, 2, 3]);
            let fault =
                t.edit_file_fault("visual_shader_add_node", call, "VALIDATION_ERROR", &path);
            assert_eq!(fault["required"], "position", "{fault}");
            let other = "res://resources/theme.tres";
            t.edit_file_fault(
                "visual_shader_add_node",
                node(other, COLOR, 2),
                "VALIDATION_ERROR",
                other,
            );
            t.fault(
                "visual_shader_add_node",
                node("res://nope.tres", COLOR, 2),
                "RESOURCE_NOT_FOUND",
            );
        }),
        case("connect_nodes says what there is in place of what there is not", |t| {
            let path = create(t, "3d");
            for (class, id) in [
                (COLOR, 2),
                ("VisualShaderNodeVectorOp", 3),
                ("VisualShaderNodeVectorOp", 4),
                ("VisualShaderNodeTransformConstant", 5),
                ("VisualShaderNodeTexture2DParameter", 6),
                ("VisualShaderNodeTexture", 7),
            ] {
                t.ok("visual_shader_add_node", node(&path, class, id));
            }
            t.ok("visual_shader_connect_nodes", connect(&path, [3, 0, 4, 0]));
            t.ok("visual_shader_connect_nodes", connect(&path, [6, 0, 7, 2]));
            for (ends, code, required, names) in [
                ([9, 0, 0, 0], "RESOURCE_NOT_FOUND", "from_node", "2"),
                ([2, 0, 9, 0], "RESOURCE_NOT_FOUND", "to_node", "3"),
                ([2, 5, 0, 0], "VALIDATION_ERROR", "from_port", "ports 0 to 0: value"),
                ([2, -1, 0, 0], "VALIDATION_ERROR", "from_port", "ports 0 to 0"),
                ([2, 0, 3, 2], "VALIDATION_ERROR", "to_port", "ports 0 to 1: value, value"),
                ([2, 0, 2, 0], "VALIDATION_ERROR", "to_node", "itself"),
                ([0, 0, 2, 0], "VALIDATION_ERROR", "from_port", "no output ports"),
                ([5, 0, 0, 0], "VALIDATION_ERROR", "to_port", "is a transform"),
                ([6, 0, 0, 0], "VALIDATION_ERROR", "to_port", "is a sampler"),
                ([4, 0, 3, 0], "VALIDATION_ERROR", "to_node", "circle"),
            ] {
                let fault = t.edit_file_fault(
                    "visual_shader_connect_nodes",
                    connect(&path, ends),
                    code,
                    &path,
                );
                assert_eq!(fault["required"], required, "{ends:?}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{ends:?}: {fault}");
            }
        }),
        case("set_node_param refuses by name and by type", |t| {
            let path = create(t, "3d");
            t.ok("visual_shader_add_node", node(&path, COLOR, 2));
            t.ok("visual_shader_add_node", node(&path, "VisualShaderNodeTexture", 3));
            for (id, property, value, code, required, names) in [
                (2, "constamt", json!("red"), "VALIDATION_ERROR", "property", "constant"),
                (2, "constant", json!("reddish"), "VALIDATION_ERROR", "value", "Color"),
                (2, "script", json!(null), "VALIDATION_ERROR", "property", "cannot be set"),
                (
                    3,
                    "texture",
                    json!("res://scripts/player.gd"),
                    "VALIDATION_ERROR",
                    "value",
                    "Texture2D",
                ),
                (3, "texture", json!("res://nope.png"), "RESOURCE_NOT_FOUND", "value", "nope.png"),
                (2, "position", json!("left"), "VALIDATION_ERROR", "value", "Vector2"),
                (9, "constant", json!("red"), "RESOURCE_NOT_FOUND", "node_id", "2"),
            ] {
                let fault = t.edit_file_fault(
                    "visual_shader_set_node_param",
                    param(&path, id, property, value),
                    code,
                    &path,
                );
                assert_eq!(fault["required"], required, "{property}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{property}: {fault}");
            }
            let edit = t.edit_file(
                "visual_shader_set_node_param",
                param(&path, 3, "texture", json!("res://art/coin.svg")),
                &path,
            );
            assert!(edit.text.contains("path=\"res://art/coin.svg\""), "{}", edit.text);
        }),
    ]
}
