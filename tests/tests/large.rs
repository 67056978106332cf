//! Large answers: complete page by page, never above the limit, and small where a small form exists.

use std::{collections::BTreeMap, fmt::Write, fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";

/// What no answer may be longer than, in characters.
const LIMIT: usize = 25_000;

/// 1 root, 99 groups, and 100 nodes in each.
const NODES: usize = 10_000;

fn main() -> ExitCode {
    run([trees(), lists(), snapshots()].into_iter().flatten().collect())
}

fn trees() -> Vec<Case> {
    vec![
        case("a tree of 10,000 nodes is complete page by page, and in order", |t| {
            open_large(t);
            let expected = large_paths();
            let pages = pages(t, "inspection_get_scene_tree", &json!({}));
            assert!(pages.len() > 1);
            let mut seen = Vec::new();
            for page in &pages {
                assert_eq!(page["total"], NODES);
                let before = seen.len();
                collect(&page["tree"], &mut seen);
                assert_eq!(page["returned"], seen.len() - before);
            }
            assert_eq!(seen, expected);
        }),
        case("the lightweight tree is complete, one line a node", |t| {
            open_large(t);
            let pages = pages(t, "inspection_get_scene_tree", &json!({"lightweight": true}));
            let mut names = Vec::new();
            for page in &pages {
                assert_eq!(page["total"], NODES);
                assert!(page.get("tree").is_none(), "no null in place of data");
                let lines = page["text"].as_str().unwrap().lines();
                let lines: Vec<_> = lines.filter(|line| !line.starts_with('#')).collect();
                assert_eq!(page["returned"], lines.len());
                names.extend(lines.iter().map(|line| {
                    line.trim_start().split(' ').next().unwrap_or_default().to_owned()
                }));
            }
            let last = |path: &String| path.rsplit('/').next().unwrap().to_owned();
            let expected: Vec<_> = large_paths().iter().map(last).collect();
            assert_eq!(names[1..], expected[1..]);
        }),
        case("the lightweight tree is at least five times smaller for the same nodes", |t| {
            let text = |it: &Value| it["text"].as_str().unwrap().len();
            open_large(t);
            // One page of the lightweight form, and as many nodes of the full one.
            let light = t.ok("inspection_get_scene_tree", json!({"lightweight": true}));
            let wanted = light["returned"].as_u64().unwrap();
            let (mut full, mut returned, mut cursor) = (0, 0, String::new());
            while returned < wanted {
                let page = t.ok("inspection_get_scene_tree", json!({"cursor": cursor}));
                full += page["tree"].to_string().len();
                returned += page["returned"].as_u64().unwrap();
                cursor = page["next_cursor"].as_str().unwrap_or_default().to_owned();
            }
            let (full, light) =
                (full as f64 / returned as f64, text(&light) as f64 / wanted as f64);
            assert!(full >= 5.0 * light, "{full} characters a node against {light}");
            // Nearly so where every other node is an instance, whose scene both forms must name.
            t.open(MAIN);
            let full = t.ok("inspection_get_scene_tree", json!({}));
            let light = t.ok("inspection_get_scene_tree", json!({"lightweight": true}));
            assert_eq!(full["returned"], light["returned"]);
            let (full, light) = (full["tree"].to_string().len(), text(&light));
            assert!(full >= 4 * light, "{full} characters against {light}");
        }),
        case("the lightweight tree marks instances with their scene and editable state", |t| {
            t.open(MAIN);
            let tree = t.ok("inspection_get_scene_tree", json!({"lightweight": true}));
            let text = tree["text"].as_str().unwrap();
            let line = |name: &str| {
                let mut lines = text.lines().filter(|it| it.trim_start().starts_with(name));
                lines.next().unwrap_or_else(|| panic!("no {name} in\n{text}")).to_owned()
            };
            let enemy = "instance=res://scenes/enemy.tscn";
            assert!(line("Guard ").contains(enemy) && line("Guard ").contains("editable"));
            assert!(line("Patrol ").contains(enemy) && !line("Patrol ").contains("editable"));
            assert!(!line("Clock ").contains("instance"));
            assert!(line("Player ").contains("script=res://scripts/player.gd"));
            // The instanced scene says so; a script of the instance's own would be told.
            assert!(!line("Coin1 ").contains("script="));
            let script = t.path("own.gd");
            fs::write(t.project().file(&script), "extends Area2D\n").unwrap();
            let attach = json!({"node_path": "Coins/Coin1", "script_path": script});
            t.ok("scene_edit_attach_script", attach);
            let tree = t.ok("inspection_get_scene_tree", json!({"lightweight": true}));
            assert!(tree["text"].as_str().unwrap().contains(&format!("script={script}")), "{tree}");
        }),
        case("a depth limits a large tree, and counts what it shows", |t| {
            open_large(t);
            let page = t.ok("inspection_get_scene_tree", json!({"max_depth": 1}));
            assert_eq!(page["total"], 100, "{}", page["total"]);
            assert_eq!(page["truncated"], false);
        }),
    ]
}

fn lists() -> Vec<Case> {
    vec![
        case("the properties of a node with 10,000 children fit", |t| {
            let path = t.path("wide.tscn");
            let mut text =
                "[gd_scene format=3]\n\n[node name=\"Wide\" type=\"Node2D\"]\n".to_owned();
            for child in 0..NODES {
                write!(text, "\n[node name=\"C{child}\" type=\"Node\" parent=\".\"]\n").unwrap();
            }
            open_text(t, &path, &text);
            let pages = pages(t, "inspection_get_node_properties", &json!({"node_path": "."}));
            assert!(pages[0]["properties"].get("position").is_some());
            let all = pages.iter().flat_map(|page| page["children"].as_array().unwrap().clone());
            let expected = (0..NODES).map(|child| json!(format!("C{child}")));
            assert!(all.eq(expected), "some child is missing, or out of order");
        }),
        case("the properties of a node come in pages that make up the whole", |t| {
            t.open(MAIN);
            for part in 0..4 {
                let list: Vec<_> = (0..2_000).map(|it| it + 100_000 + part).collect();
                let set = json!({
                    "node_path": "Player", "property": format!("metadata/list_{part}"),
                    "value": list,
                });
                t.ok("scene_edit_set_node_property", set);
            }
            let pages = pages(t, "inspection_get_node_properties", &json!({"node_path": "Player"}));
            assert!(pages.len() > 1);
            let mut seen = BTreeMap::new();
            for page in &pages {
                for (name, value) in page["properties"].as_object().unwrap() {
                    assert!(seen.insert(name.clone(), value.clone()).is_none(), "{name} twice");
                }
                assert_eq!(page["total"], pages[0]["total"]);
            }
            assert_eq!(pages[0]["total"], seen.len());
            assert_eq!(seen["metadata/list_3"][1_999], 102_002);
            assert_eq!(seen["speed"], 180.0);
        }),
        case("a value that is longer than an answer is told, not cut", |t| {
            t.open(MAIN);
            let list: Vec<_> = (0..10_000).collect();
            let set = json!({"node_path": "Player", "property": "metadata/long", "value": list});
            let answer = t.call("scene_edit_set_node_property", set);
            assert!(answer.reply.to_string().len() < 4 * LIMIT, "{}", answer.value);
            let get = json!({"node_path": "Player", "property": "metadata/long"});
            let answer = t.call("inspection_get_node_property", get);
            if answer.ok {
                assert_eq!(answer.value["value"].as_array().unwrap().len(), 10_000);
            } else {
                assert!(!answer.value["hint"].as_str().unwrap().is_empty());
            }
        }),
        case("describe_class of a large class comes in pages that make up the whole", |t| {
            let call = json!({"class_name": "Control", "include_inherited": true});
            let pages = pages(t, "describe_class", &call);
            let mut seen = Vec::new();
            for page in &pages {
                assert_eq!(page["total"], pages[0]["total"]);
                for kind in ["properties", "methods", "signals", "enums"] {
                    let list = page[kind].as_array().cloned().unwrap_or_default();
                    seen.extend(list.iter().map(|it| format!("{kind} {}", it["name"])));
                }
            }
            for name in ["properties \"position\"", "methods \"add_child\"", "signals \"resized\""]
            {
                assert!(seen.contains(&name.to_owned()), "{name} is on none of {}", pages.len());
            }
            let count = seen.len();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), count, "something came twice");
        }),
        case("list_scenes comes in pages that make up the whole", |t| {
            t.open(MAIN);
            let text = t.project().read("res://scenes/coin.tscn");
            let first = t.path("many/scene_with_a_long_name_to_fill_pages_000.tscn");
            for number in 0..400 {
                let path = first.replace("000", &format!("{number:03}"));
                fs::write(t.project().file(&path), &text).unwrap();
            }
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let (mut seen, mut offset) = (Vec::new(), 0);
            loop {
                let page = t.ok("inspection_list_scenes", json!({"offset": offset}));
                assert!(page.to_string().len() <= LIMIT, "{}", page.to_string().len());
                let scenes = page["scenes"].as_array().unwrap();
                assert_eq!(page["returned"], scenes.len());
                seen.extend(scenes.iter().map(|it| it["path"].as_str().unwrap().to_owned()));
                match page["next_offset"].as_u64() {
                    Some(next) => offset = next,
                    None => {
                        assert_eq!(page["total"], seen.len());
                        break;
                    }
                }
            }
            assert!(offset > 0, "all on one page");
            let ours = seen.iter().filter(|it| it.contains("fill_pages")).count();
            assert_eq!(ours, 400);
            let mut sorted = seen.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted, seen, "in order, and each once");
            fs::remove_dir_all(t.project().file(&first).parent().unwrap()).unwrap();
            t.ok("scene_edit_rescan_filesystem", json!({}));
        }),
    ]
}

fn snapshots() -> Vec<Case> {
    vec![
        case("snapshots see what was added, removed and moved", |t| {
            t.open(MAIN);
            let id = snapshot(t, json!({}));
            create(t, "Coins", "Node2D", "New");
            t.ok("scene_edit_delete_node", json!({"node_path": "Clock", "confirm": true}));
            let call = json!({"node_path": "Coins/Coin1", "new_parent_path": "Enemies"});
            t.ok("scene_edit_move_node", call);
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            let list = |key: &str| diff[key].to_string();
            assert!(list("added").contains("\"Coins/New\""), "{diff}");
            assert!(list("removed").contains("\"Clock\""), "{diff}");
            let moved = json!({"from": "Coins/Coin1", "to": "Enemies/Coin1"});
            assert!(diff["moved"].as_array().unwrap().contains(&moved), "{diff}");
            assert!(
                !list("added").contains("Coin1") && !list("removed").contains("Coin1"),
                "{diff}"
            );
        }),
        case("snapshots see a node of another type in the same place", |t| {
            t.open(MAIN);
            create(t, "Coins", "Node2D", "Shift");
            let id = snapshot(t, json!({}));
            let delete = json!({"node_path": "Coins/Shift", "confirm": true});
            t.ok("scene_edit_delete_node", delete);
            create(t, "Coins", "Sprite2D", "Shift");
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            let text = diff.to_string();
            assert!(text.contains("Coins/Shift") && text.contains("Sprite2D"), "{diff}");
        }),
        case("snapshots see scripts, groups, order and properties change", |t| {
            t.open(MAIN);
            let id = snapshot(t, json!({"properties": ["z_index"]}));
            let script = json!({"node_path": "Coins", "script_path": "res://scripts/level.gd"});
            t.ok("scene_edit_attach_script", script);
            let set = json!({"node_path": "Player", "property": "max_health", "value": 9});
            t.ok("scene_edit_set_node_property", set);
            let set = json!({"node_path": "Player", "property": "z_index", "value": 4});
            t.ok("scene_edit_set_node_property", set);
            t.ok("scene_edit_add_to_group", json!({"node_path": "Player", "group": "fresh"}));
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            for (node, property) in [
                ("Coins", "script"),
                ("Player", "max_health"),
                ("Player", "z_index"),
                ("Player", "groups"),
            ] {
                let is_it = |it: &Value| it["node"] == node && it["property"] == property;
                assert!(
                    diff["changed"].as_array().unwrap().iter().any(is_it),
                    "{property}: {diff}"
                );
            }
        }),
        case("snapshots of a subtree see only what is in it", |t| {
            t.open(MAIN);
            let id = snapshot(t, json!({"node_path": "Coins"}));
            let set = json!({"node_path": "Player", "property": "max_health", "value": 9});
            t.ok("scene_edit_set_node_property", set);
            create(t, "Enemies", "Node2D", "Outside");
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            assert_eq!(diff["total"], 0, "{diff}");
            create(t, "Coins", "Node2D", "Inside");
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            assert_eq!(diff["added"], json!(["Coins/Inside"]), "{diff}");
        }),
        case("two snapshots are compared, whatever came after", |t| {
            t.open(MAIN);
            let before = snapshot(t, json!({}));
            create(t, "Coins", "Node2D", "One");
            let after = snapshot(t, json!({}));
            create(t, "Coins", "Node2D", "Two");
            let call = json!({"before_id": before, "after_id": after});
            let diff = t.ok("inspection_diff_snapshots", call);
            assert_eq!(diff["added"], json!(["Coins/One"]), "{diff}");
        }),
        case("a snapshot of 10,000 nodes and its difference fit", |t| {
            open_large(t);
            let answer = t.ok("inspection_snapshot_subtree", json!({}));
            assert!(answer.to_string().len() <= LIMIT, "{}", answer.to_string().len());
            assert_eq!(answer["node_count"], NODES);
            let id = answer["snapshot_id"].clone();
            let delete = json!({"node_path": "G1", "confirm": true});
            t.ok("scene_edit_delete_node", delete);
            let diff = t.ok("inspection_diff_snapshots", json!({"before_id": id}));
            assert!(diff.to_string().len() <= LIMIT, "{}", diff.to_string().len());
            assert!(diff["removed"].to_string().contains("\"G1\""), "{diff}");
        }),
    ]
}

fn snapshot(t: &mut Test<'_>, call: Value) -> Value {
    t.ok("inspection_snapshot_subtree", call)["snapshot_id"].take()
}

fn create(t: &mut Test<'_>, parent: &str, class: &str, name: &str) {
    let call = json!({"parent_path": parent, "node_type": class, "node_name": name});
    t.ok("scene_edit_create_node", call);
}

/// All pages of an answer, each within the limit.
fn pages(t: &mut Test<'_>, tool: &str, call: &Value) -> Vec<Value> {
    let (mut pages, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut call = call.clone();
        if !cursor.is_null() {
            call["cursor"] = cursor.clone();
        }
        let page = t.ok(tool, call);
        let length = page.to_string().chars().count();
        assert!(length <= LIMIT, "a page of {length} characters");
        let next = page.get("next_cursor").cloned().unwrap_or_default();
        pages.push(page);
        assert!(next.is_null() || next != cursor, "{tool} does not get on from {cursor}");
        cursor = next;
        if cursor.is_null() {
            return pages;
        }
    }
}

/// The paths of the nodes that are new on a page.
fn collect(node: &Value, into: &mut Vec<String>) {
    if node["continued"] != json!(true) {
        into.push(node["path"].as_str().unwrap().to_owned());
    }
    for child in node["children"].as_array().into_iter().flatten() {
        collect(child, into);
    }
}

fn large_paths() -> Vec<String> {
    let mut paths = vec![".".to_owned()];
    for group in 0..99 {
        paths.push(format!("G{group}"));
        paths.extend((0..100).map(|node| format!("G{group}/Node{node}")));
    }
    assert_eq!(paths.len(), NODES);
    paths
}

fn open_large(t: &mut Test<'_>) {
    let path = t.path("large.tscn");
    let mut text = "[gd_scene format=3]\n\n[node name=\"Large\" type=\"Node2D\"]\n".to_owned();
    for node in &large_paths()[1..] {
        let (parent, name) = node.rsplit_once('/').unwrap_or((".", node));
        write!(text, "\n[node name=\"{name}\" type=\"Node2D\" parent=\"{parent}\"]\n").unwrap();
    }
    open_text(t, &path, &text);
}

fn open_text(t: &mut Test<'_>, path: &str, text: &str) {
    fs::write(t.project().file(path), text).unwrap();
    t.ok("scene_edit_open_scene", json!({"scene_path": path}));
    t.close_at_end(path);
}
