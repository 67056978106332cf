//! The toolset `batch`: one question or one change for many nodes.

use std::process::ExitCode;

use e2e::cases::{Case, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const SET: &str = "batch_set_property";

fn main() -> ExitCode {
    let cases = [questions(), changes()];
    run(cases.into_iter().flatten().collect())
}

fn paths(answer: &Value) -> Vec<String> {
    let nodes = answer["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["path"].as_str().unwrap().to_owned()).collect()
}

fn questions() -> Vec<Case> {
    vec![
        case("find_nodes_by_type knows engine classes and those of the project", |t| {
            t.open(MAIN);
            let find = |class: &str| json!({"node_type": class});
            let players = t.ok("batch_find_nodes_by_type", find("Player"));
            assert_eq!(paths(&players), ["Player"], "{players}");
            assert_eq!(players["nodes"][0]["type"], "Player", "{players}");
            let bodies = t.ok("batch_find_nodes_by_type", find("CharacterBody2D"));
            assert!(paths(&bodies).contains(&"Player".to_owned()), "{bodies}");
            let all = t.ok("batch_find_nodes_by_type", find("Node"));
            assert_eq!(paths(&all)[0], ".", "the parent itself counts");
            let total = all["total"].as_u64().unwrap();
            let near = json!({"node_type": "Node", "recursive": false});
            let near = t.ok("batch_find_nodes_by_type", near);
            assert!(near["total"].as_u64().unwrap() < total, "{near}");
            let fault = t.fault("batch_find_nodes_by_type", find("Sprit2D"), "VALIDATION_ERROR");
            assert!(fault["hint"].as_str().unwrap().contains("Sprite2D"), "{fault}");
            t.fault("batch_find_nodes_by_type", find("Texture2D"), "VALIDATION_ERROR");
        }),
        case("find_nodes_by_type gives every node once, page by page", |t| {
            t.open(MAIN);
            let whole = t.ok("batch_find_nodes_by_type", json!({"node_type": "Node"}));
            let (mut seen, mut offset) = (Vec::new(), json!(0));
            while !offset.is_null() {
                let page = json!({"node_type": "Node", "limit": 3, "offset": offset});
                let page = t.ok("batch_find_nodes_by_type", page);
                assert_eq!(page["total"], whole["total"]);
                seen.extend(paths(&page));
                offset = page["next_offset"].clone();
            }
            assert_eq!(seen, paths(&whole));
        }),
        case("get_dependencies names files, and which are missing", |t| {
            let answer = t.ok("batch_get_dependencies", json!({"path": MAIN}));
            let named: Vec<_> = answer["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["path"].clone())
                .collect();
            assert!(named.contains(&json!("res://scripts/level.gd")), "{answer}");
            assert_eq!(answer["count"], named.len());
            let broken = t.path("broken.tscn");
            let text = "[gd_scene load_steps=2 format=3]\n\n[ext_resource type=\"Script\" path=\"res://gone.gd\" \
                        id=\"1\"]\n\n[node name=\"A\" type=\"Node\"]\nscript = ExtResource(\"1\")\n";
            std::fs::write(t.project().file(&broken), text).unwrap();
            let answer = t.ok("batch_get_dependencies", json!({"path": broken}));
            assert_eq!(answer["dependencies"][0]["exists"], false, "{answer}");
            assert_eq!(answer["dependencies"][0]["path"], "res://gone.gd", "{answer}");
            t.fault(
                "batch_get_dependencies",
                json!({"path": "res://none.tscn"}),
                "RESOURCE_NOT_FOUND",
            );
        }),
    ]
}

fn changes() -> Vec<Case> {
    vec![
        case("set_property sets one value on many nodes", |t| {
            t.open(MAIN);
            let nodes = json!(["Player", "Enemies", "Player"]);
            let edit =
                t.edit(SET, json!({"property": "position", "value": [8, 9], "node_paths": nodes}));
            assert_eq!(edit.answer["applied"], json!(["Player", "Enemies"]), "{}", edit.answer);
            assert_eq!(
                (&edit.answer["count"], &edit.answer["undoable"]),
                (&json!(2), &json!(true))
            );
            assert_eq!(edit.saved.property("Player", "position"), "Vector2(8, 9)");
            assert_eq!(edit.saved.property("Enemies", "position"), "Vector2(8, 9)");
        }),
        case("set_property by class skips only nodes that lack the property", |t| {
            t.open(MAIN);
            let answer = t
                .edit(SET, json!({"property": "speed", "value": 5, "node_type": "CharacterBody2D"}))
                .answer;
            assert!(answer["applied"].as_array().unwrap().contains(&json!("Player")), "{answer}");
            let none = json!({"property": "nope", "value": 5, "node_type": "Node2D"});
            t.edit_fault(SET, none, "VALIDATION_ERROR");
        }),
        case("set_property refuses as a whole what does not fit one node", |t| {
            t.open(MAIN);
            let call = |nodes: Value, property: &str, value: Value| json!({"property": property, "value": value, "node_paths": nodes});
            t.edit_fault(
                SET,
                call(json!(["Player", "Nope"]), "position", json!([1, 1])),
                "RESOURCE_NOT_FOUND",
            );
            t.edit_fault(
                SET,
                call(json!(["Player", "Enemies"]), "speed", json!(1)),
                "VALIDATION_ERROR",
            );
            t.edit_fault(
                SET,
                call(json!(["Player"]), "position", json!("garbage")),
                "VALIDATION_ERROR",
            );
            t.edit_fault(SET, json!({"property": "position", "value": [1, 1]}), "VALIDATION_ERROR");
            let both = json!({"property": "position", "value": [1, 1], "node_paths": ["Player"], "node_type": "Node2D"});
            t.edit_fault(SET, both, "VALIDATION_ERROR");
        }),
        case("set_property says of each node whether a save keeps it", |t| {
            t.open(MAIN);
            let all = t.ok("batch_find_nodes_by_type", json!({"node_type": "Node2D"}));
            let inside = paths(&all)
                .into_iter()
                .find(|path| path.starts_with("Coins/") && path.matches('/').count() > 1);
            let inside = inside.expect("a node within an instance");
            let call =
                json!({"property": "visible", "value": false, "node_paths": ["Player", inside]});
            let edit = t.edit(SET, call);
            assert_eq!(edit.answer["persistence"][0]["persisted"], true, "{}", edit.answer);
            assert_eq!(edit.answer["persistence"][1]["persisted"], false, "{}", edit.answer);
            assert_eq!(edit.answer["persistence"][1]["reason"], "instanced_child_not_editable");
            assert_eq!(edit.answer["persisted"], false, "{}", edit.answer);
        }),
    ]
}
