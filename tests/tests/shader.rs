//! The tools of `shader`: what the compiler says, what nodes get, and what files hold.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const SPRITE: &str = "Player/PlayerSprite";

const WAVE: &str = "shader_type canvas_item;\n\n\
                    uniform float amount : hint_range(0.0, 1.0) = 0.5;\n\
                    uniform vec4 tint : source_color = vec4(1.0);\n\
                    uniform int steps = 3;\n\
                    uniform sampler2D noise;\n\n\
                    void fragment() {\n\tCOLOR = tint * amount * float(steps) * texture(noise, UV);\n}\n";

fn main() -> ExitCode {
    run(files().into_iter().chain(checks()).chain(materials()).chain(parameters()).collect())
}

/// Writes a file of the case's own, as somebody else would.
fn file(t: &mut Test<'_>, name: &str, text: &str) -> String {
    let path = t.path(name);
    fs::write(t.project().file(&path), text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    path
}

fn assign(node: &str, shader: &str) -> Value {
    json!({"node_path": node, "shader_path": shader})
}

fn set(node: &str, name: &str, value: Value) -> Value {
    json!({"node_path": node, "name": name, "value": value})
}

fn get(t: &mut Test<'_>, node: &str, name: &str) -> Value {
    t.ok("shader_get_param", json!({"node_path": node, "name": name}))
}

fn files() -> Vec<Case> {
    vec![
        case("create writes a shader, and read gives it back with its uniforms", |t| {
            let path = t.path("new/wave.gdshader");
            let edit =
                t.edit_file("shader_create", json!({"shader_path": path, "code": WAVE}), &path);
            assert_eq!(edit.text, WAVE);
            assert_eq!(edit.answer["errors"], json!([]));
            let read = t.ok("shader_read", json!({"shader_path": path}));
            assert_eq!((&read["code"], &read["mode"]), (&json!(WAVE), &json!("canvas_item")));
            let uniforms = json!([
                {"name": "amount", "type": "float", "hint": read["uniforms"][0]["hint"]},
                {"name": "tint", "type": "Color"},
                {"name": "steps", "type": "int"},
                {"name": "noise", "type": "Texture2D"},
            ]);
            assert_eq!(read["uniforms"], uniforms);
            assert!(read["uniforms"][0]["hint"].as_str().unwrap().starts_with("0.0,1.0"));
        }),
        case("a shader in a new folder has its UID when the answer comes", |t| {
            let path = t.path("first/of/its.gdshader");
            fs::remove_dir_all(
                t.project()
                    .file("res://cases")
                    .join("a_shader_in_a_new_folder_has_its_uid_when_the_answer_comes"),
            )
            .unwrap();
            t.ok("shader_create", json!({"shader_path": path, "code": WAVE}));
            assert!(t.project().file(&format!("{path}.uid")).exists());
            t.undo(1);
            assert!(!t.project().file(&path).parent().unwrap().exists());
        }),
        case("a shader is replaced only with confirm", |t| {
            let path = file(t, "wave.gdshader", WAVE);
            let call = json!({"shader_path": path});
            let refused = t.refused("shader_create", call.clone(), "confirm");
            assert!(refused["discards"].as_str().unwrap().contains(&path), "{refused}");
            assert_eq!(t.project().read(&path), WAVE);
            let mut call = call;
            call["confirm"] = json!(true);
            let edit = t.edit_file("shader_create", call, &path);
            assert!(edit.text.contains("COLOR = vec4(1.0)"), "{}", edit.text);
            assert_eq!(edit.answer["overwrote"], true);
        }),
        case("a byte order mark and line ends are of the file, and the engine's business", |t| {
            let mark = "\u{feff}";
            let marked = format!("{mark}{WAVE}").replace('\n', "\r\n");
            let path = file(t, "marked.gdshader", &marked);
            let answer = t.ok("shader_validate", json!({"shader_path": path}));
            assert_eq!((&answer["ok"], &answer["errors"]), (&json!(true), &json!([])), "{answer}");
            let read = t.ok("shader_read", json!({"shader_path": path}));
            assert_eq!(read["mode"], "canvas_item", "{read}");
            assert_eq!(read["uniforms"].as_array().unwrap().len(), 4, "{read}");
            assert!(read["code"].as_str().unwrap().starts_with("shader_type"), "{read}");
            for code in ["shader_type sky;\nvoid sky() {}\n", "shader_type fog;\r\nvoid fog() {}\n"]
            {
                let call = json!({"shader_path": path, "code": code, "confirm": true});
                let edit = t.edit_file("shader_create", call, &path);
                let plain = code.replace('\r', "");
                assert_eq!(edit.text, format!("{mark}{plain}").replace('\n', "\r\n"));
                assert_eq!(edit.answer["errors"], json!([]), "{}", edit.answer);
            }
            // A new file is written as it is given.
            let path = t.path("plain.gdshader");
            let code = format!("{mark}{WAVE}");
            let call = json!({"shader_path": path, "code": code});
            let edit = t.edit_file("shader_create", call, &path);
            assert_eq!((edit.text, &edit.answer["errors"]), (code, &json!([])));
        }),
        case("text that is typed in the shader editor is not lost, nor is a write", |t| {
            let path = t.path("typed.gdshader");
            let (old, new) = ("shader_type canvas_item;\n", "shader_type canvas_item;\n// ours\n");
            let create = |code: &str| json!({"shader_path": path, "code": code, "confirm": true});
            t.ok("shader_create", create(old));
            t.editor().hands(&json!({"do": "type_shader", "path": path, "text": "// mine"}));
            let typed = format!("{old}// mine");
            let delete = json!({"path": path, "confirm": true});
            let moved = json!({"path": path, "new_path": t.path("moved.gdshader")});
            for (tool, call) in [
                ("shader_create", create(new)),
                ("project_delete_resource_file", delete),
                ("project_move_file", moved),
                ("undo", json!({})),
            ] {
                let fault = t.edit_file_fault(tool, call, "PRECONDITION_FAILED", &path);
                assert_eq!(fault["unsaved_in_editor"], true, "{tool}: {fault}");
            }
            let tab = json!({"do": "shader_tab", "path": path});
            assert_eq!(t.editor().hands(&tab), typed.as_str());
            // As the hint says.
            t.open("res://scenes/main.tscn");
            t.saved();
            assert_eq!(t.project().read(&path).trim_end(), typed);
            t.ok("shader_create", create(new));
            assert_eq!(t.editor().hands(&tab), new);
            t.saved();
            assert_eq!(t.project().read(&path), new, "the tab's old text was saved over it");
            t.undo(1);
            t.saved();
            assert_eq!(t.project().read(&path).trim_end(), typed);
        }),
        case("create says at once what is wrong with the code", |t| {
            let path = t.path("bad.gdshader");
            let code = "shader_type spatial;\n\nvoid fragment() {\n\tALBEDO = nope;\n}\n";
            let edit =
                t.edit_file("shader_create", json!({"shader_path": path, "code": code}), &path);
            assert_eq!(edit.answer["errors"][0]["line"], 4, "{}", edit.answer);
        }),
        case("create and read refuse other files", |t| {
            for path in [t.path("x.gd"), t.path("x.tres"), "res://.godot/x.gdshader".to_owned()] {
                let fault = t.edit_file_fault(
                    "shader_create",
                    json!({"shader_path": path}),
                    "VALIDATION_ERROR",
                    &path,
                );
                assert_eq!(fault["required"], "shader_path", "{fault}");
            }
            t.fault(
                "shader_read",
                json!({"shader_path": "res://scripts/player.gd"}),
                "VALIDATION_ERROR",
            );
            t.fault(
                "shader_read",
                json!({"shader_path": "res://nope.gdshader"}),
                "RESOURCE_NOT_FOUND",
            );
            t.fault(
                "shader_create",
                json!({"shader_path": "res://../x.gdshader"}),
                "VALIDATION_ERROR",
            );
        }),
        case("materials that are loaded get the new code, and the old one with undo", |t| {
            t.open(MAIN);
            let path = file(t, "wave.gdshader", WAVE);
            t.ok("shader_assign_material", assign(SPRITE, &path));
            assert_eq!(get(t, SPRITE, "amount")["exists"], true);
            let code = "shader_type canvas_item;\nuniform float other;\nvoid fragment() {\n\tCOLOR *= other;\n}\n";
            t.ok("shader_create", json!({"shader_path": path, "code": code, "confirm": true}));
            assert_eq!(get(t, SPRITE, "amount")["exists"], false);
            assert_eq!(get(t, SPRITE, "other")["exists"], true);
            t.undo(1);
            assert_eq!(get(t, SPRITE, "amount")["exists"], true);
        }),
    ]
}

fn checks() -> Vec<Case> {
    vec![
        case("validate says line and message of the first error", |t| {
            let good = file(t, "good.gdshader", WAVE);
            let answer = t.ok("shader_validate", json!({"shader_path": good}));
            assert_eq!((&answer["ok"], &answer["errors"]), (&json!(true), &json!([])), "{answer}");
            for (code, line, says) in [
                (
                    "shader_type canvas_item;\nvoid fragment() {\n\tCOLOR = nope;\n\tCOLOR = never;\n}\n",
                    3,
                    "nope",
                ),
                ("shader_type canvas_item;\nvoid fragment() {\n\tCOLOR = 1.0;\n}\n", 3, "vec4"),
                ("void fragment() {}\n", 1, "shader_type"),
                ("// a cloud\nshader_type cloud;\n", 2, "cloud"),
                ("", 1, "shader_type"),
                (
                    "shader_type sky;\n\n#include \"res://nope.gdshaderinc\"\nvoid sky() {}\n",
                    3,
                    "nope",
                ),
                ("shader_type spatial;\n#if FOO\nvoid fragment() {}\n", 2, "preprocessor"),
            ] {
                let path = file(t, "bad.gdshader", code);
                let answer = t.ok("shader_validate", json!({"shader_path": path}));
                assert_eq!((&answer["ok"], &answer["complete"]), (&json!(false), &json!(false)));
                assert_eq!(answer["errors"].as_array().unwrap().len(), 1, "{code}: {answer}");
                let error = &answer["errors"][0];
                assert_eq!(
                    (&error["line"], &error["source"]),
                    (&json!(line), &json!(path)),
                    "{answer}"
                );
                assert!(error["message"].as_str().unwrap().contains(says), "{code}: {answer}");
            }
        }),
        case("validate knows every type of shader, and includes", |t| {
            let include = file(t, "part.gdshaderinc", "uniform float shared;\n");
            let name = include.rsplit('/').next().unwrap();
            for (mode, body) in [
                ("canvas_item", "void fragment() { COLOR = vec4(shared); }"),
                ("spatial", "void fragment() { ALBEDO = vec3(shared); }"),
                ("particles", "void process() { COLOR = vec4(shared); }"),
                ("sky", "void sky() { COLOR = vec3(shared); }"),
                ("fog", "void fog() { DENSITY = shared; }"),
            ] {
                let code = format!("shader_type {mode};\n#include \"{name}\"\n{body}\n");
                let path = file(t, "typed.gdshader", &code);
                let answer = t.ok("shader_validate", json!({"shader_path": path}));
                assert_eq!(answer["ok"], true, "{mode}: {answer}");
                let read = t.ok("shader_read", json!({"shader_path": path}));
                assert_eq!(
                    (&read["mode"], &read["uniforms"][0]["name"]),
                    (&json!(mode), &json!("shared"))
                );
            }
            let read = t.ok("shader_read", json!({"shader_path": include}));
            assert_eq!(read["code"], "uniform float shared;\n", "{read}");
            t.fault("shader_validate", json!({"shader_path": include}), "VALIDATION_ERROR");
            let broken = file(t, "part.gdshaderinc", "uniform flaot shared;\n");
            let answer = t.ok("shader_validate", json!({"shader_path": t.path("typed.gdshader")}));
            assert_eq!(answer["errors"][0]["source"], json!(broken), "{answer}");
        }),
        case("validate runs nothing that a path or a shader says", |t| {
            let marker = t.project().folder().join("ran");
            let path = "res://x\");OS.execute(\"touch\",[\"ran\"]);#.gdshader";
            t.fault("shader_validate", json!({"shader_path": path}), "RESOURCE_NOT_FOUND");
            t.fault(
                "shader_validate",
                json!({"shader_path": "res://scripts/player.gd"}),
                "VALIDATION_ERROR",
            );
            assert!(!marker.exists());
        }),
    ]
}

fn materials() -> Vec<Case> {
    vec![
        case("assign_material gives what is drawn in 2D a material", |t| {
            t.open(MAIN);
            let path = file(t, "wave.gdshader", WAVE);
            let edit = t.edit("shader_assign_material", assign(SPRITE, &path));
            assert_eq!(edit.answer["material_property"], "material");
            assert_eq!(
                (&edit.answer["assigned"], &edit.answer["persisted"]),
                (&json!(true), &json!(true))
            );
            assert!(edit.saved.property(SPRITE, "material").contains("SubResource"));
            // With that shader already, it keeps its parameters.
            t.ok("shader_set_param", set(SPRITE, "amount", json!(0.25)));
            let again = t.ok("shader_assign_material", assign(SPRITE, &path));
            assert_eq!(again["undoable"], false, "{again}");
            assert_eq!(get(t, SPRITE, "amount")["value"], 0.25);
        }),
        case("what is in an instance is told to be dropped", |t| {
            t.open(MAIN);
            let path = file(t, "wave.gdshader", WAVE);
            let answer = t.ok("shader_assign_material", assign("Enemies/Patrol/Sprite", &path));
            assert_eq!(answer["persisted"], false, "{answer}");
            assert_eq!(answer["reason"], "instanced_child_not_editable");
        }),
        case("each type of shader goes where it belongs, and nowhere else", |t| {
            let scene = t.path("kinds.tscn");
            t.ok("scene_edit_create_scene", json!({"root_type": "Node3D", "scene_path": scene}));
            t.close_at_end(&scene);
            for class in [
                "MeshInstance3D",
                "GPUParticles3D",
                "FogVolume",
                "Sprite2D",
                "GPUParticles2D",
                "Node",
            ] {
                let call = json!({"parent_path": ".", "node_type": class, "node_name": class});
                t.ok("scene_edit_create_node", call);
            }
            let types = [
                ("canvas_item", vec![("Sprite2D", "material"), ("GPUParticles2D", "material")]),
                (
                    "spatial",
                    vec![
                        ("MeshInstance3D", "material_override"),
                        ("GPUParticles3D", "material_override"),
                    ],
                ),
                (
                    "particles",
                    vec![
                        ("GPUParticles3D", "process_material"),
                        ("GPUParticles2D", "process_material"),
                    ],
                ),
                ("fog", vec![("FogVolume", "material")]),
                ("sky", vec![]),
            ];
            for (mode, fits) in types {
                let path = file(t, &format!("{mode}.gdshader"), &format!("shader_type {mode};\n"));
                for node in [
                    "MeshInstance3D",
                    "GPUParticles3D",
                    "FogVolume",
                    "Sprite2D",
                    "GPUParticles2D",
                    "Node",
                    ".",
                ] {
                    match fits.iter().find(|(fit, _)| *fit == node) {
                        Some((_, property)) => {
                            let edit = t.edit("shader_assign_material", assign(node, &path));
                            assert_eq!(
                                edit.answer["material_property"], *property,
                                "{mode} {node}"
                            );
                        }
                        None => {
                            let fault = t.edit_fault(
                                "shader_assign_material",
                                assign(node, &path),
                                "VALIDATION_ERROR",
                            );
                            assert_eq!(fault["required"], "shader_path");
                            assert!(fault["hint"].as_str().unwrap().contains(mode), "{fault}");
                        }
                    }
                }
            }
        }),
        case("what others change of a shader on the disk is what a command goes by", |t| {
            t.open(MAIN);
            let path = file(t, "theirs.gdshader", "shader_type canvas_item;\n");
            t.ok("shader_assign_material", assign(SPRITE, &path));
            let text = "shader_type canvas_item;\nuniform float fresh = 1.0;\n";
            fs::write(t.project().file(&path), text).unwrap();
            t.ok("shader_set_param", set(SPRITE, "fresh", json!(0.5)));
            assert_eq!(get(t, SPRITE, "fresh")["value"], 0.5);
            fs::write(t.project().file(&path), "shader_type spatial;\n").unwrap();
            let player = "Player";
            t.edit_fault("shader_assign_material", assign(player, &path), "VALIDATION_ERROR");
            // What it includes is another file.
            let part = file(t, "part.gdshaderinc", "uniform float one = 1.0;\n");
            let text = format!("shader_type canvas_item;\n#include \"{part}\"\n");
            fs::write(t.project().file(&path), text).unwrap();
            t.ok("shader_set_param", set(SPRITE, "one", json!(0.5)));
            fs::write(t.project().file(&part), "uniform float two = 1.0;\n").unwrap();
            t.ok("shader_set_param", set(SPRITE, "two", json!(0.5)));
        }),
        case("assign_material refuses what is no shader or no node", |t| {
            t.open(MAIN);
            let tool = "shader_assign_material";
            t.edit_fault(tool, assign(SPRITE, "res://nope.gdshader"), "RESOURCE_NOT_FOUND");
            t.edit_fault(tool, assign(SPRITE, "res://resources/theme.tres"), "VALIDATION_ERROR");
            let path = file(t, "wave.gdshader", WAVE);
            t.edit_fault(tool, assign("Nobody", &path), "RESOURCE_NOT_FOUND");
            let mut call = assign(SPRITE, &path);
            call["scene"] = json!("res://scenes/hud.tscn");
            t.refused(tool, call, "scene_match");
        }),
    ]
}

fn parameters() -> Vec<Case> {
    vec![
        case("set_param and get_param go by the uniforms of the shader", |t| {
            t.open(MAIN);
            let path = file(t, "wave.gdshader", WAVE);
            t.ok("shader_assign_material", assign(SPRITE, &path));
            let amount = get(t, SPRITE, "amount");
            assert_eq!(
                (&amount["overridden"], &amount["type"]),
                (&json!(false), &json!("float")),
                "{amount}"
            );
            for (name, value, saved) in [
                ("amount", json!(0.25), "0.25"),
                ("tint", json!("red"), "Color(1, 0, 0, 1)"),
                ("steps", json!(7), "7"),
            ] {
                let edit = t.edit("shader_set_param", set(SPRITE, name, value));
                assert_eq!(
                    (&edit.answer["set"], &edit.answer["persisted"]),
                    (&json!(true), &json!(true))
                );
                let text = t.project().read(edit.answer["scene"].as_str().unwrap());
                assert!(text.contains(&format!("shader_parameter/{name} = {saved}")), "{text}");
            }
            let edit =
                t.edit("shader_set_param", set(SPRITE, "noise", json!("res://art/coin.svg")));
            assert_eq!(edit.answer["value"], "res://art/coin.svg");
            let amount = get(t, SPRITE, "amount");
            assert_eq!((&amount["value"], &amount["overridden"]), (&json!(0.25), &json!(true)));
            t.edit("shader_set_param", set(SPRITE, "amount", json!(null)));
            assert_eq!(get(t, SPRITE, "amount")["overridden"], false);
        }),
        case("set_param refuses what the shader does not take", |t| {
            t.open(MAIN);
            let path = file(t, "wave.gdshader", WAVE);
            t.ok("shader_assign_material", assign(SPRITE, &path));
            for (name, value, kind, required, names) in [
                ("amout", json!(0.5), "", "name", "amount"),
                ("zzz", json!(0.5), "", "name", "steps"),
                ("amount", json!("much"), "", "value", "float"),
                ("amount", json!(1.5), "", "value", "hint_range"),
                ("tint", json!([1]), "", "value", "Color"),
                ("steps", json!(1.5), "", "value", "int"),
                ("noise", json!("res://scripts/player.gd"), "", "value", "Texture2D"),
                ("amount", json!(0.5), "color", "param_type", "float"),
                ("amount", json!(0.5), "mat9", "param_type", "mat9"),
            ] {
                let mut call = set(SPRITE, name, value);
                call["param_type"] = json!(kind);
                let fault = t.edit_fault("shader_set_param", call, "VALIDATION_ERROR");
                assert_eq!(fault["required"], required, "{name}: {fault}");
                assert!(fault["hint"].as_str().unwrap().contains(names), "{name}: {fault}");
            }
            let answer = get(t, SPRITE, "amout");
            assert_eq!(
                (&answer["exists"], &answer["suggestions"]),
                (&json!(false), &json!(["amount"]))
            );
            t.refused("shader_set_param", set("Coins", "amount", json!(1)), "node_path");
            t.refused(
                "shader_get_param",
                json!({"node_path": "Coins", "name": "amount"}),
                "node_path",
            );
        }),
        case("an array has its number of items, and a number without a sign has none", |t| {
            t.open(MAIN);
            let code = "shader_type canvas_item;\nconst int MANY = 2;\nuniform float fa[3];\n\
                        uniform ivec2[MANY] grid; /* uniform uint u[9]; */\nuniform uint u;\n\
                        uniform uvec2 uv;\nuniform vec2 points[2];\nuniform mat2 turns[2];\n\
                        uniform uint many[2];\n";
            let path = file(t, "arrays.gdshader", code);
            t.ok("shader_assign_material", assign(SPRITE, &path));
            let point = json!({"x": 1.0, "y": 2.0});
            for (name, wrong, right) in [
                ("fa", vec![json!([1, 2]), json!([1, 2, 3, 4]), json!([])], json!([1.0, 2.0, 3.0])),
                ("grid", vec![json!([1, 2]), json!([1, 2, 3, 4, 5])], json!([1, 2, 3, 4])),
                ("u", vec![json!(-5), json!(4_294_967_296_i64)], json!(4_294_967_295_i64)),
                ("uv", vec![json!([1, -1])], json!({"x": 1, "y": 2})),
                ("points", vec![json!([point])], json!([point, point])),
                ("turns", vec![json!([1, 2, 3])], json!([1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0])),
                ("many", vec![json!([1, -1]), json!([1])], json!([1, 2])),
            ] {
                for wrong in wrong {
                    let call = set(SPRITE, name, wrong);
                    let fault = t.edit_fault("shader_set_param", call, "VALIDATION_ERROR");
                    assert_eq!(fault["required"], "value", "{name}: {fault}");
                }
                let edit = t.edit("shader_set_param", set(SPRITE, name, right.clone()));
                assert_eq!(edit.answer["value"], right, "{name}: {}", edit.answer);
            }
        }),
        case("a material that is a file is changed in the file", |t| {
            let shader = file(t, "wave.gdshader", WAVE);
            let text = format!(
                "[gd_resource type=\"ShaderMaterial\" load_steps=2 format=3]\n\n\
                 [ext_resource type=\"Shader\" path=\"{shader}\" id=\"1_w\"]\n\n\
                 [resource]\nshader = ExtResource(\"1_w\")\nshader_parameter/amount = 0.5\n"
            );
            let material = file(t, "wave.tres", &text);
            t.open(MAIN);
            t.ok(
                "scene_edit_set_node_property",
                json!({"node_path": SPRITE, "property": "material", "value": material}),
            );
            t.ok("scene_edit_save_scene", json!({}));
            let edit =
                t.edit_file("shader_set_param", set(SPRITE, "amount", json!(0.125)), &material);
            assert!(edit.text.contains("shader_parameter/amount = 0.125"), "{}", edit.text);
            assert_eq!(edit.answer["persisted"], true);
            assert_eq!(get(t, SPRITE, "amount")["value"], 0.125);
            t.undo(1);
            assert_eq!(get(t, SPRITE, "amount")["value"], 0.5);
        }),
        case("a material that is embedded in a file is changed in that file", |t| {
            let shader = file(t, "wave.gdshader", WAVE);
            for name in ["holder.tres", "holder.res"] {
                let text = format!(
                    "[gd_resource type=\"GradientTexture1D\" load_steps=3 format=3]\n\n\
                     [ext_resource type=\"Shader\" path=\"{shader}\" id=\"1_w\"]\n\n\
                     [sub_resource type=\"ShaderMaterial\" id=\"Wave_1\"]\nshader = \
                     ExtResource(\"1_w\")\nshader_parameter/amount = 0.5\n\n\
                     [resource]\nmetadata/wave = SubResource(\"Wave_1\")\nwidth = 8\n"
                );
                let source = file(t, "source.tres", &text);
                let holder = t.path(name);
                t.editor().hands(&json!({"do": "copy_resource", "from": source, "to": holder}));
                t.open(MAIN);
                let call = set(SPRITE, "amount", json!(0.125));
                for is_held in [true, false] {
                    t.editor().hands(&json!({
                        "do": "give_kept", "path": holder, "node": SPRITE, "hold": is_held,
                    }));
                    let edit = t.edit_file("shader_set_param", call.clone(), &holder);
                    assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
                    assert_eq!(edit.answer["undoable"], true, "{}", edit.answer);
                    assert_eq!(edit.answer["previous"], 0.5, "{}", edit.answer);
                    assert_eq!(get(t, SPRITE, "amount")["value"], 0.125, "{name} {is_held}");
                    let look = json!({"resource_path": holder});
                    let read = t.ok("resources_edit_read_resource_file", look);
                    assert_eq!(read["properties"]["width"], 8, "{read}");
                    t.undo(1);
                    assert_eq!(get(t, SPRITE, "amount")["value"], 0.5, "{name} {is_held}");
                }
                let text = t.project().read(&source);
                assert!(text.contains("shader_parameter/amount = 0.5"), "{text}");
            }
        }),
        case("a material that another scene keeps is refused, with the scene to open", |t| {
            let shader = file(t, "wave.gdshader", WAVE);
            let text = format!(
                "[gd_scene load_steps=3 format=3]\n\n\
                 [ext_resource type=\"Shader\" path=\"{shader}\" id=\"1_w\"]\n\n\
                 [sub_resource type=\"ShaderMaterial\" id=\"Wave_1\"]\nshader = ExtResource(\"1_w\")\n\
                 shader_parameter/amount = 0.5\n\n\
                 [node name=\"Flag\" type=\"Sprite2D\"]\nmaterial = SubResource(\"Wave_1\")\n"
            );
            let flag = file(t, "flag.tscn", &text);
            t.open(MAIN);
            t.ok("scene_edit_instance_scene", json!({"parent_path": ".", "scene_path": flag}));
            let call = set("Flag", "amount", json!(0.125));
            let fault = t.edit_fault("shader_set_param", call, "PRECONDITION_FAILED");
            assert_eq!(
                (&fault["kept_in"], &fault["required"]),
                (&json!(flag), &json!("node_path"))
            );
            assert!(fault["hint"].as_str().unwrap().contains("open_scene"), "{fault}");
            assert_eq!(get(t, "Flag", "amount")["value"], 0.5);
            assert_eq!(t.project().read(&flag), text);
            // The other way that it says: the node gets one of its own, as that one is.
            let edit = t.edit("shader_assign_material", assign("Flag", &shader));
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            assert_eq!(get(t, "Flag", "amount")["value"], 0.5);
            t.edit("shader_set_param", set("Flag", "amount", json!(0.25)));
            assert_eq!(t.project().read(&flag), text);
            let again = t.ok("shader_assign_material", assign("Flag", &shader));
            assert_eq!((&again["assigned"], &again["undoable"]), (&json!(true), &json!(false)));
            assert_eq!(get(t, "Flag", "amount")["value"], 0.25);
            // Where it says.
            t.ok("scene_edit_open_scene", json!({"scene_path": flag}));
            t.close_at_end(&flag);
            let edit = t.edit("shader_set_param", set(".", "amount", json!(0.125)));
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
        }),
    ]
}
