//! Whether a save keeps an edit: what the answer says of it is held against the file, read again.
//!
//! Each edit is made on a node of each kind: of the scene itself, of an instance, below one, nested,
//! inherited, and without an owner.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run(vec![
        family("a node of the scene", |t| all(t, FAMILIES, "Own", true)),
        family("the root of the scene", |t| all(t, FAMILIES, ".", true)),
        family("the root of an instance", |t| all(t, FAMILIES, "Closed", true)),
        family("the root of an instance with editable children", |t| {
            all(t, FAMILIES, "Open", true)
        }),
        family("a child of a closed instance", |t| all(t, FAMILIES, "Closed/Part", false)),
        family("an editable child", |t| all(t, FAMILIES, "Open/Part", true)),
        family("a node added below an editable child", |t| {
            all(t, FAMILIES, "Open/Part/Added", true);
        }),
        family("an instance in a closed instance", |t| {
            all(t, FAMILIES, "OuterClosed/Nested", false)
        }),
        family("a child of an instance in a closed instance", |t| {
            all(t, FAMILIES, "OuterClosed/Nested/Part", false);
        }),
        family("an instance in an editable instance", |t| all(t, FAMILIES, "OuterOpen/Shut", true)),
        family("a child of a closed instance in an editable one", |t| {
            all(t, FAMILIES, "OuterOpen/Shut/Part", false);
        }),
        family("a child that the instanced scene made editable", |t| {
            all(t, FAMILIES, "OuterOpen/Nested/Part", true);
        }),
        family("an editable child in an editable instance", |t| {
            all(t, FAMILIES, "Twice/Shut/Part", true);
        }),
        family("a node without an owner", |t| all(t, FAMILIES, "Maker/Loose", false)),
        family("the root of an inherited scene", |t| all(t, DERIVED, ".", true)),
        family("a node of the scene that is inherited", |t| all(t, DERIVED, "Nested", true)),
        family("a child of a closed instance of the scene that is inherited", |t| {
            all(t, DERIVED, "Shut/Part", false);
        }),
        family("a child that the inherited scene made editable", |t| {
            all(t, DERIVED, "Nested/Part", true);
        }),
        family("a node added to an inherited scene", |t| all(t, DERIVED, "Nested/Added", true)),
        case("a resource inside the file is kept where its node is", |t| {
            for (node, persisted) in [
                ("Own/Shape", true),
                ("Open/Part/Shape", true),
                ("Closed/Part/Shape", false),
                ("Twice/Shut/Part/Shape", true),
                ("OuterOpen/Shut/Part/Shape", false),
            ] {
                for local in [false, true] {
                    let scene = open(t, FAMILIES);
                    let shape = json!({
                        "_type": "CircleShape2D", "radius": 77, "resource_local_to_scene": local,
                    });
                    let call = json!({"node_path": node, "property": "shape", "value": shape});
                    let answer = t.ok("scene_edit_set_node_property", call);
                    assert_eq!(answer["persisted"], persisted, "{node}: {answer}");
                    save_and_reload(t, &scene);
                    let kept = t.project().read(&scene).contains("radius = 77.0");
                    assert_eq!(kept, persisted, "{node}");
                    // A local one is a copy without a path, where the engine knows it is in an instance.
                    if !local {
                        let path = t.property(node, "shape");
                        let is_ours = path.as_str().is_some_and(|it| it.starts_with(&scene));
                        assert_eq!(is_ours, persisted, "{node} has {path}");
                    }
                }
            }
        }),
        case("a property that is never written is told apart", |t| {
            let scene = open(t, FAMILIES);
            let call = json!({"node_path": "Own", "property": "global_position", "value": [5, 6]});
            let answer = t.ok("scene_edit_set_node_property", call);
            assert_eq!(answer["persisted"], true, "{answer}");
            save_and_reload(t, &scene);
            assert_eq!(t.property("Own", "position"), json!({"x": 5.0, "y": 6.0}));

            let scene = t.open("res://scenes/main.tscn");
            let call =
                json!({"node_path": "Intro", "property": "assigned_animation", "value": "appear"});
            let answer = t.ok("scene_edit_set_node_property", call);
            assert_eq!(answer["persisted"], false, "{answer}");
            assert_eq!(answer["reason"], "property_not_stored", "{answer}");
            save_and_reload(t, &scene);
            assert_eq!(t.property("Intro", "assigned_animation"), "");
        }),
        case("a node that a variable holds is kept only where it is there again", |t| {
            let holder =
                "extends Node2D\n@export var one: Node2D\n@export var many: Array[Node2D]\n";
            let script = write(t, "holder.gd", holder);
            let scene = open(t, FAMILIES);
            let attach = json!({"node_path": "Own", "script_path": script});
            t.ok("scene_edit_attach_script", attach);
            for (node, persisted) in [
                ("Other", true),
                ("Closed/Part", true),
                ("Twice/Shut", true),
                ("Maker/Loose", false),
            ] {
                for (property, value) in [("one", json!(node)), ("many", json!(["Other", node]))] {
                    let call = json!({"node_path": "Own", "property": property, "value": value});
                    let answer = t.ok("scene_edit_set_node_property", call);
                    assert_eq!(answer["persisted"], persisted, "{node}: {answer}");
                    assert_eq!(t.property("Own", property), value, "{node}");
                }
                save_and_reload(t, &scene);
                for (property, value) in [("one", json!(node)), ("many", json!(["Other", node]))] {
                    let kept = t.property("Own", property) == value;
                    assert_eq!(kept, persisted, "{property} of {node}");
                }
            }
        }),
        case("set_editable_children is what the hint of a closed child asks for", |t| {
            let scene = open(t, FAMILIES);
            let set = json!({"node_path": "Closed/Part", "property": "position", "value": [8, 9]});
            let answer = t.ok("scene_edit_set_node_property", set.clone());
            assert_eq!(answer["reason"], "instanced_child_not_editable", "{answer}");
            assert!(answer["hint"].as_str().unwrap().contains("'Closed'"), "{answer}");
            t.ok("scene_edit_set_editable_children", json!({"node_path": "Closed"}));
            let answer = t.ok("scene_edit_set_node_property", set);
            assert_eq!(answer["persisted"], true, "{answer}");
            save_and_reload(t, &scene);
            assert_eq!(t.property("Closed/Part", "position"), json!({"x": 8.0, "y": 9.0}));
        }),
    ])
}

const FAMILIES: &str = include_str!("bed/families.tscn");
const DERIVED: &str = include_str!("bed/derived.tscn");

fn family(name: &'static str, body: fn(&mut Test<'_>)) -> Case {
    case(name, body)
}

/// One edit of a node, and how to see whether it is there.
struct Try {
    tool: &'static str,
    call: Value,
    is_there: Box<dyn Fn(&mut Test<'_>) -> bool>,
}

/// Makes every edit of `node`; `plain` is whether a save keeps a new value of a property.
fn all(t: &mut Test<'_>, scene_text: &str, node: &str, plain: bool) {
    let scene = open(t, scene_text);
    let text = t.project().read(&scene);
    let mut verdicts = Vec::new();
    for Try { tool, call, is_there } in tries(t, node) {
        fs::write(t.project().file(&scene), &text).unwrap();
        t.ok("scene_edit_reload_scene", json!({"scene_path": scene, "confirm": true}));
        let mut preview_call = call.clone();
        preview_call["dry_run"] = json!(true);
        let preview = t.call(tool, preview_call);
        assert!(!is_there(t), "{tool} {call}: there before it is made");
        let answer = t.call(tool, call.clone());
        if !answer.ok {
            let what = format!("{tool} {call}: {}", answer.value);
            assert_eq!(answer.code(), "VALIDATION_ERROR", "{what}");
            assert_eq!(preview.code(), "VALIDATION_ERROR", "{what}");
            assert!(!is_there(t), "{what}");
            assert_eq!(t.steps(), [""; 0], "{what}");
            continue;
        }
        assert!(is_there(t), "{tool} {call}: not made, {}", answer.value);
        for key in ["persisted", "reason", "hint"] {
            assert_eq!(preview.value[key], answer.value[key], "{tool} {call}");
        }
        let persisted = answer.value["persisted"].as_bool().unwrap();
        save_and_reload(t, &scene);
        let kept = is_there(t);
        assert_eq!(kept, persisted, "{tool} {call}: kept is {kept}, told {}", answer.value);
        verdicts.push((tool, persisted));
    }
    let set = verdicts.iter().find(|(tool, _)| *tool == "scene_edit_set_node_property");
    assert_eq!(set.map(|(_, persisted)| *persisted), Some(plain), "{verdicts:?}");
}

fn tries(t: &mut Test<'_>, node: &str) -> Vec<Try> {
    let script = t.path("plain.gd");
    fs::write(t.project().file(&script), "extends Node2D\n").unwrap();
    let owned = node.to_owned();
    let child = |name: &str| if node == "." { name.to_owned() } else { format!("{node}/{name}") };
    let sibling = |name: &str| match node.rsplit_once('/') {
        Some((parent, _)) => format!("{parent}/{name}"),
        None => name.to_owned(),
    };
    let exists = |path: String| move |t: &mut Test<'_>| t.exists(&path);
    let mut tries = vec![
        Try {
            tool: "scene_edit_set_node_property",
            call: json!({"node_path": node, "property": "position", "value": [77, 78]}),
            is_there: {
                let node = owned.clone();
                Box::new(move |t| t.property(&node, "position") == json!({"x": 77.0, "y": 78.0}))
            },
        },
        Try {
            tool: "scene_edit_set_node_property",
            call: json!({"node_path": node, "property": "metadata/note", "value": "kept"}),
            is_there: {
                let node = owned.clone();
                Box::new(move |t| {
                    let call = json!({"node_path": node, "property": "metadata/note"});
                    t.ok("inspection_get_node_property", call)["value"] == "kept"
                })
            },
        },
        Try {
            tool: "scene_edit_create_node",
            call: json!({"parent_path": node, "node_type": "Node2D", "node_name": "New"}),
            is_there: Box::new(exists(child("New"))),
        },
        Try {
            tool: "scene_edit_instance_scene",
            call: json!({
                "parent_path": node, "scene_path": "res://scenes/coin.tscn", "name": "NewCoin",
            }),
            is_there: Box::new(exists(child("NewCoin"))),
        },
        Try {
            tool: "scene_edit_add_to_group",
            call: json!({"node_path": node, "group": "fresh"}),
            is_there: {
                let node = owned.clone();
                Box::new(move |t| groups(t, &node).contains(&"fresh".to_owned()))
            },
        },
        Try {
            tool: "scene_edit_attach_script",
            call: json!({"node_path": node, "script_path": script}),
            is_there: {
                let (node, script) = (owned.clone(), script.clone());
                Box::new(move |t| {
                    let facts = t.ok("inspection_get_node_properties", json!({"node_path": node}));
                    facts["script"] == script.as_str()
                })
            },
        },
        connecting(node, "draw", ".", "hide"),
        connecting("Other", "draw", node, "hide"),
    ];
    if node != "." {
        for group in ["part", "here"] {
            if groups(t, node).contains(&group.to_owned()) {
                let (node, group) = (owned.clone(), group.to_owned());
                tries.push(Try {
                    tool: "scene_edit_remove_from_group",
                    call: json!({"node_path": node, "group": group}),
                    is_there: Box::new(move |t| !groups(t, &node).contains(&group)),
                });
            }
        }
        let gone = |path: String| move |t: &mut Test<'_>| !t.exists(&path);
        tries.push(Try {
            tool: "scene_edit_delete_node",
            call: json!({"node_path": node, "confirm": true}),
            is_there: Box::new(gone(owned.clone())),
        });
        tries.push(Try {
            tool: "scene_edit_rename_node",
            call: json!({"node_path": node, "new_name": "Renamed"}),
            is_there: Box::new(exists(sibling("Renamed"))),
        });
        tries.push(Try {
            tool: "scene_edit_move_node",
            call: json!({"node_path": node, "new_parent_path": "Other"}),
            is_there: Box::new(exists(format!("Other/{}", node.rsplit('/').next().unwrap()))),
        });
        tries.push(Try {
            tool: "scene_edit_move_node",
            call: json!({"node_path": "Other", "new_parent_path": node}),
            is_there: Box::new(exists(child("Other"))),
        });
        tries.push(Try {
            tool: "scene_edit_duplicate_node",
            call: json!({"node_path": node}),
            is_there: Box::new(exists(format!("{node}2"))),
        });
    }
    for method in ["queue_redraw"] {
        let target = std::collections::BTreeSet::from([".".to_owned(), parent(node)]);
        let list = t.ok("scene_edit_list_signal_connections", json!({"node_path": node}));
        for target in target {
            let is_it =
                |it: &&Value| it["target_path"] == target.as_str() && it["method"] == method;
            if let Some(found) = list["connections"].as_array().unwrap().iter().find(is_it) {
                let signal = found["signal"].as_str().unwrap().to_owned();
                let connected = connected(node, &signal, &target, method);
                tries.push(Try {
                    tool: "scene_edit_disconnect_signal",
                    call: json!({
                        "source_path": node, "signal_name": signal, "target_path": target,
                        "method_name": method, "confirm": true,
                    }),
                    is_there: Box::new(move |t| !connected(t)),
                });
            }
        }
    }
    tries
}

fn parent(node: &str) -> String {
    node.rsplit_once('/').map_or(".", |(parent, _)| parent).to_owned()
}

fn connecting(source: &str, signal: &str, target: &str, method: &str) -> Try {
    Try {
        tool: "scene_edit_connect_signal",
        call: json!({
            "source_path": source, "signal_name": signal, "target_path": target,
            "method_name": method,
        }),
        is_there: Box::new(connected(source, signal, target, method)),
    }
}

fn connected(
    source: &str,
    signal: &str,
    target: &str,
    method: &str,
) -> impl Fn(&mut Test<'_>) -> bool + use<> {
    let source = source.to_owned();
    let wanted = [signal, target, method].map(str::to_owned);
    move |t| {
        let list = t.ok("scene_edit_list_signal_connections", json!({"node_path": source}));
        let list = list["connections"].as_array().unwrap();
        list.iter().any(|it| {
            let facts = ["signal", "target_path", "method"].map(|key| it[key].as_str().unwrap());
            it["persistent"] == true && facts.map(str::to_owned) == wanted
        })
    }
}

fn groups(t: &mut Test<'_>, node: &str) -> Vec<String> {
    let answer = t.ok("inspection_get_node_groups", json!({"node_path": node}));
    let groups = answer["groups"].as_array().unwrap();
    groups.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

fn save_and_reload(t: &mut Test<'_>, scene: &str) {
    t.ok("scene_edit_save_scene", json!({}));
    t.ok("scene_edit_reload_scene", json!({"scene_path": scene, "confirm": true}));
}

/// Opens a scene of this case's own, with the scenes that it is made of.
fn open(t: &mut Test<'_>, text: &str) -> String {
    for (name, text) in [
        ("inner.tscn", include_str!("bed/inner.tscn")),
        ("outer.tscn", include_str!("bed/outer.tscn")),
        ("maker.gd", include_str!("bed/maker.gd")),
    ] {
        write(t, name, text);
    }
    let number = (0..).find(|n| !t.project().file(&t.path(&format!("{n}.tscn"))).exists()).unwrap();
    let path = write(t, &format!("{number}.tscn"), text);
    t.ok("scene_edit_open_scene", json!({"scene_path": path}));
    t.close_at_end(&path);
    path
}

fn write(t: &mut Test<'_>, name: &str, text: &str) -> String {
    let path = t.path(name);
    let folder = path.rsplit_once('/').unwrap().0.to_owned();
    fs::write(t.project().file(&path), text.replace("BED", &folder)).unwrap();
    path
}
