//! The toolset `project`: the files of the project.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const PLAYER: &str = "res://scripts/player.gd";
const ICON: &str = "res://art/icon.svg";

fn main() -> ExitCode {
    run([reading(), deleting()].into_iter().flatten().collect())
}

fn put(t: &Test<'_>, path: &str, content: impl AsRef<[u8]>) {
    fs::write(t.project().file(path), content).unwrap();
}

/// A call that must be refused for one of its parameters.
fn invalid(t: &mut Test<'_>, tool: &str, arguments: Value, parameter: &str) -> Value {
    let fault = t.fault(tool, arguments, "VALIDATION_ERROR");
    assert_eq!(fault["required"], parameter, "{tool}: {fault}");
    fault
}

fn names(entry: &Value) -> Vec<&str> {
    let children = entry["children"].as_array().unwrap();
    children.iter().map(|it| it["name"].as_str().unwrap()).collect()
}

fn reading() -> Vec<Case> {
    vec![
        case("get_filesystem_tree shows folders, then files, without what the editor keeps", |t| {
            let top = t.ok("project_get_filesystem_tree", json!({"max_depth": 1}))["tree"].take();
            assert_eq!((&top["name"], &top["type"]), (&json!("res://"), &json!("directory")));
            let names = names(&top);
            assert!(names.contains(&"scripts") && names.contains(&"project.godot"), "{names:?}");
            assert!(!names.iter().any(|name| name.starts_with('.')), "{names:?}");
            let art = t.ok("project_get_filesystem_tree", json!({"directory": "res://art"}));
            assert_eq!(art["tree"]["path"], "res://art", "{art}");
            let icon = &art["tree"]["children"].as_array().unwrap();
            let icon = icon.iter().find(|it| it["path"] == ICON).unwrap();
            assert_eq!((&icon["type"], icon.get("children")), (&json!("file"), None), "{icon}");
            assert!(!art.to_string().contains(".import"), "{art}");
            let alone = json!({"directory": "res://art", "max_depth": 0});
            let alone = t.ok("project_get_filesystem_tree", alone);
            assert_eq!((&alone["total"], &alone["tree"]["children"]), (&json!(1), &json!([])));
        }),
        case("a large tree comes in pages that hold everything once", |t| {
            for n in 0..600 {
                let folder = n % 7;
                put(t, &t.path(&format!("f{folder}/a file with a long name {n:04}.txt")), "x");
            }
            let folder = t.path("").trim_end_matches('/').to_owned();
            let (mut paths, mut cursor) = (Vec::new(), json!(""));
            loop {
                let call = json!({"directory": folder, "cursor": cursor});
                let page = t.ok("project_get_filesystem_tree", call);
                assert!(page.to_string().len() <= 25_000, "{}", page.to_string().len());
                assert_eq!(page["total"], 608);
                collect(&page["tree"], &mut paths);
                match page.get("next_cursor").filter(|it| !it.is_null()) {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            let count = paths.len();
            paths.sort();
            paths.dedup();
            assert_eq!((paths.len(), count), (600, 600));
        }),
        case("search_files finds by name, by path and by text", |t| {
            let find = |t: &mut Test<'_>, call: Value| t.ok("project_search_files", call);
            let by_name = find(t, json!({"name_glob": "PLAYER*.gd"}));
            assert_eq!(by_name["matches"], json!([PLAYER]), "{by_name}");
            assert_eq!((&by_name["truncated"], &by_name["lines"]), (&json!(false), &json!([])));
            let by_path = find(t, json!({"name_glob": "scripts/pl*"}));
            assert!(by_path["matches"].as_array().unwrap().contains(&json!(PLAYER)), "{by_path}");
            let by_text = find(t, json!({"content": "class_name Player", "name_glob": "*.gd"}));
            assert_eq!(by_text["matches"], json!([PLAYER]), "{by_text}");
            assert_eq!(by_text["lines"][0]["line"], 1, "{by_text}");
            let none = find(t, json!({"content": "nobody wrote this"}));
            assert_eq!((&none["matches"], &none["truncated"]), (&json!([]), &json!(false)));
            let call =
                |offset: u64| json!({"name_glob": "*.svg", "max_results": 2, "offset": offset});
            let (mut found, mut next) = (Vec::new(), Some(0));
            while let Some(offset) = next {
                let page = find(t, call(offset));
                found.extend(page["matches"].as_array().unwrap().clone());
                assert_eq!(
                    page["truncated"],
                    page.get("next_offset").is_some_and(Value::is_number)
                );
                next = page["next_offset"].as_u64();
            }
            assert_eq!(json!(found), find(t, json!({"name_glob": "*.svg"}))["matches"]);
        }),
        #[cfg(unix)]
        case("links out of the project and back up are not followed", |t| {
            use std::os::unix::fs::symlink;
            let outside = t.project().work().join("outside");
            fs::create_dir_all(&outside).unwrap();
            fs::write(outside.join("secret.txt"), "hidden treasure").unwrap();
            symlink(&outside, t.project().file(&t.path("out"))).unwrap();
            symlink(outside.join("secret.txt"), t.project().file(&t.path("file.txt"))).unwrap();
            symlink(t.project().folder(), t.project().file(&t.path("up"))).unwrap();
            let found = t.ok("project_search_files", json!({"content": "hidden treasure"}));
            assert_eq!(found["matches"], json!([]));
            let folder = t.path("").trim_end_matches('/').to_owned();
            let tree = t.ok("project_get_filesystem_tree", json!({"directory": folder}));
            assert_eq!(tree["tree"]["children"], json!([]), "{tree}");
            for tool in ["project_search_files", "project_get_filesystem_tree"] {
                invalid(t, tool, json!({"directory": format!("{folder}/out")}), "directory");
                let none = json!({"directory": "res://nowhere"});
                t.fault(tool, none, "RESOURCE_NOT_FOUND");
                invalid(t, tool, json!({"directory": PLAYER}), "directory");
                t.fault(tool, json!({"directory": "res://../"}), "VALIDATION_ERROR");
            }
        }),
        case("resolve_uid goes both ways", |t| {
            let uid = t.project().read(&format!("{PLAYER}.uid")).trim().to_owned();
            let file = t.ok("project_resolve_uid", json!({"value": uid}));
            assert_eq!((&file["uid"], &file["path"]), (&json!(uid), &json!(PLAYER)));
            let back = t.ok("project_resolve_uid", json!({"value": PLAYER}));
            assert_eq!((&back["uid"], &back["path"]), (&json!(uid), &json!(PLAYER)));
            let unknown = t.ok("project_resolve_uid", json!({"value": "uid://bxxxxxxxxxxxx"}));
            assert!(unknown.get("path").is_none_or(Value::is_null), "{unknown}");
            let none = t.ok("project_resolve_uid", json!({"value": "res://project.godot"}));
            assert!(none.get("uid").is_none_or(Value::is_null), "{none}");
            for value in ["uid://<invalid>", "nonsense", "user://x", "res://../x"] {
                invalid(t, "project_resolve_uid", json!({"value": value}), "value");
            }
            let none = json!({"value": "res://none.gd"});
            t.fault("project_resolve_uid", none, "RESOURCE_NOT_FOUND");
        }),
    ]
}

fn bytes(t: &Test<'_>, path: &str) -> Option<Vec<u8>> {
    fs::read(t.project().file(path)).ok()
}

/// Deletes a file, and demands that undo gives back every byte of it and of what lies beside it.
fn delete(t: &mut Test<'_>, path: &str) -> Value {
    let files = ["", ".uid", ".import"].map(|end| format!("{path}{end}"));
    let all = |t: &Test<'_>| files.clone().map(|file| bytes(t, &file));
    let before = all(t);
    let preview = t.ok("project_delete_resource_file", json!({"path": path, "dry_run": true}));
    assert_eq!((&preview["deleted"], &preview["dry_run"]), (&json!(false), &json!(true)));
    assert!(all(t) == before, "a preview deleted");
    t.refused("project_delete_resource_file", json!({"path": path}), "confirm");
    let answer = t.ok("project_delete_resource_file", json!({"path": path, "confirm": true}));
    assert_eq!((&answer["deleted"], &answer["undoable"]), (&json!(true), &json!(true)), "{answer}");
    assert_eq!(answer["dependents"], preview["dependents"]);
    assert!(all(t).iter().all(Option::is_none), "something is left");
    t.undo(1);
    assert!(all(t) == before, "after undo");
    t.redo(1);
    assert!(all(t).iter().all(Option::is_none), "after redo");
    t.undo(1);
    assert!(all(t) == before, "after undo of a redo");
    answer
}

fn deleting() -> Vec<Case> {
    vec![
        case("a script is deleted with its UID, and comes back with it and its class", |t| {
            let path = t.path("passing.gd");
            let text = "class_name DeletedOnce extends Node\n";
            t.ok("scripts_write", json!({"script_path": path, "content": text}));
            let uid = t.ok("project_resolve_uid", json!({"value": path}))["uid"].clone();
            let user = t.path("user.gd");
            put(
                t,
                &user,
                format!("const A = preload(\"{path}\")\nconst B = preload(\"passing.gd\")\n"),
            );
            let data = t.path("data.json");
            put(t, &data, json!({"script": uid}).to_string());
            let answer = delete(t, &path);
            assert_eq!(answer["had_uid"], true, "{answer}");
            let expected = json!([{"file": data, "count": 1}, {"file": user, "count": 2}]);
            assert_eq!(answer["dependents"], expected, "{answer}");
            assert!(answer["hint"].as_str().unwrap().contains("move_file"), "{answer}");
            assert_eq!(t.ok("project_resolve_uid", json!({"value": uid}))["path"], path);
            let class = t.ok("describe_class", json!({"class_name": "DeletedOnce"}));
            assert_eq!(class["script"], path);
        }),
        case("an imported picture comes back imported", |t| {
            let path = "res://art/crown.svg";
            let import = t.project().read(&format!("{path}.import"));
            let imported = import.lines().find_map(|it| it.strip_prefix("path=")).unwrap();
            let imported = imported.trim_matches('"').to_owned();
            assert!(bytes(t, &imported).is_some(), "{import}");
            delete(t, path);
            assert!(bytes(t, &imported).is_some(), "it is not imported again");
        }),
        case("an open scene is closed, and a script's tab too", |t| {
            let scene = t.open("res://scenes/coin.tscn");
            let call = json!({"path": scene, "confirm": true});
            let answer = t.ok("project_delete_resource_file", call);
            assert_eq!(answer["tab_closed"], true, "{answer}");
            let open = t.ok("scene_edit_list_open_scenes", json!({}));
            assert!(!open.to_string().contains(&scene), "{open}");
            assert!(bytes(t, &scene).is_none());
            let script = t.path("shown.gd");
            put(t, &script, "extends Node\n");
            t.editor().hands(&json!({"do": "edit_script", "path": script}));
            let call = json!({"path": script, "confirm": true});
            assert_eq!(t.ok("project_delete_resource_file", call)["tab_closed"], true);
            assert!(t.editor().hands(&json!({"do": "script_tab", "path": script})).is_null());
            t.undo(2);
            assert!(bytes(t, &scene).is_some() && bytes(t, &script).is_some());
        }),
        case("the main scene is known to be needed by the project", |t| {
            let call = json!({"path": "res://scenes/enemy.tscn", "dry_run": true});
            let answer = t.ok("project_delete_resource_file", call);
            assert!(
                answer["dependents"].to_string().contains("res://scenes/main.tscn"),
                "{answer}"
            );
            let call = json!({"path": "res://scripts/game_state.gd", "dry_run": true});
            let answer = t.ok("project_delete_resource_file", call);
            assert!(answer["dependents"].to_string().contains("res://project.godot"), "{answer}");
        }),
        case("what must not go is not deleted", |t| {
            let call = |path: &str| json!({"path": path, "confirm": true});
            let tool = "project_delete_resource_file";
            for path in [
                "project.godot",
                "PROJECT.godot",
                "scenes",
                ".godot/uid_cache.bin",
                "scripts/player.gd.uid",
                "",
            ] {
                invalid(t, tool, call(&format!("res://{path}")), "path");
            }
            let fault = t.fault(tool, call("res://none.gd"), "RESOURCE_NOT_FOUND");
            assert_eq!(fault["required"], "path");
            for path in ["res://../x", "user://x", "uid://x"] {
                t.fault(tool, call(path), "VALIDATION_ERROR");
            }
            let typed = t.path("typed.gd");
            put(t, &typed, "extends Node\n");
            t.editor().hands(&json!({"do": "edit_script", "path": typed}));
            t.editor().hands(&json!({"do": "type", "path": typed, "text": "# mine"}));
            t.fault(tool, call(&typed), "PRECONDITION_FAILED");
            assert!(bytes(t, &typed).is_some());
        }),
    ]
}

/// The paths of the files in a tree.
fn collect(entry: &Value, paths: &mut Vec<String>) {
    match entry["children"].as_array() {
        Some(children) => children.iter().for_each(|child| collect(child, paths)),
        None => paths.push(entry["path"].as_str().unwrap().to_owned()),
    }
}
