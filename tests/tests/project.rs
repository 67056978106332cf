//! The toolset `project`: the files of the project.

use std::{collections::BTreeMap, fs, path::Path, process::ExitCode};

use e2e::{
    cases::{Case, Test, case, run},
    model,
};
use serde_json::{Value, json};

const PLAYER: &str = "res://scripts/player.gd";
const ICON: &str = "res://art/icon.svg";

fn main() -> ExitCode {
    let cases = [reading(), deleting(), moving(), moving_beside_an_open_scene()];
    run(cases.into_iter().flatten().collect())
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
        case("a pipe is not read, as that would never end", |t| {
            let pipe = t.path("pipe.gd");
            let made = std::process::Command::new("mkfifo").arg(t.project().file(&pipe)).status();
            assert!(made.unwrap().success());
            let folder = t.path("").trim_end_matches('/').to_owned();
            let search = json!({"directory": folder, "content": "zork"});
            assert_eq!(t.ok("project_search_files", search)["matches"], json!([]));
            for tool in ["scripts_read", "scripts_get_parse_errors"] {
                let fault = t.fault(tool, json!({"script_path": pipe}), "PRECONDITION_FAILED");
                assert_eq!(fault["required"], "script_path", "{tool}: {fault}");
            }
            let write = json!({"script_path": pipe, "content": "extends Node\n"});
            t.fault("scripts_write", write, "PRECONDITION_FAILED");
            fs::remove_file(t.project().file(&pipe)).unwrap();
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
        #[cfg(unix)]
        case("what a link leads to is kept for the add-on as well", |t| {
            // Hidden, so that the editor does not look into it.
            let links = t.project().file(".links");
            fs::create_dir(&links).unwrap();
            std::os::unix::fs::symlink(t.project().folder(), links.join("top")).unwrap();
            let new = "res://elsewhere";
            for path in ["res://.links/top/addons", "res://.links/top/.godot"] {
                let fault =
                    invalid(t, "project_move_file", json!({"path": path, "new_path": new}), "path");
                assert!(fault["hint"].as_str().unwrap().contains("is kept for"), "{fault}");
            }
            fs::remove_dir_all(links).unwrap();
            assert!(!t.project().file(new).exists() && t.project().file("res://addons").exists());
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
        case("scripts that use a class by its name are known to need its script", |t| {
            let path = t.path("base_thing.gd");
            let text = "class_name BaseThing extends Node\n";
            t.ok("scripts_write", json!({"script_path": path, "content": text}));
            let [child, user, other] = ["child.gd", "user.gd", "other.gd"].map(|it| t.path(it));
            put(t, &child, "extends BaseThing\n");
            put(t, &user, "extends Node\nvar x: BaseThing = BaseThing.new() # a BaseThing\n");
            put(
                t,
                &other,
                "# No BaseThing\nextends Node\nvar x := \"BaseThing\"\nvar BaseThings := 1\n",
            );
            let answer = delete(t, &path);
            let expected = json!([{"file": child, "count": 1}, {"file": user, "count": 2}]);
            assert_eq!(answer["dependents"], expected, "{answer}");
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
            assert!(answer["discards"].as_str().unwrap().contains("undo history"), "{answer}");
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

/// Every file of the project with its content, but for what the editor keeps for itself.
fn everything(t: &Test<'_>) -> BTreeMap<String, Vec<u8>> {
    fn collect(folder: &Path, top: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            if [".godot", "addons", "cases"].contains(&&*name) || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                into.insert(format!("{name}/"), Vec::new());
                collect(&path, top, into);
            } else {
                into.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    collect(t.project().folder(), t.project().folder(), &mut all);
    all
}

/// What differs between two states of the project.
fn diff(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    names.filter(|name| a.get(*name) != b.get(*name)).cloned().collect()
}

/// Moves something, and demands that the preview changes nothing, that undo gives back every byte of
/// the whole project, and that redo leads where the move led. At the end it is undone.
fn move_file(t: &mut Test<'_>, path: &str, new_path: &str, look: fn(&mut Test<'_>)) -> Value {
    let before = everything(t);
    let call = json!({"path": path, "new_path": new_path});
    let mut preview = call.clone();
    preview["dry_run"] = json!(true);
    let preview = t.ok("project_move_file", preview);
    assert_eq!((&preview["moved"], &preview["dry_run"]), (&json!(false), &json!(true)));
    assert_eq!(diff(&before, &everything(t)), [""; 0], "a preview wrote");
    let answer = t.ok("project_move_file", call);
    assert_eq!((&answer["moved"], &answer["undoable"]), (&json!(true), &json!(true)), "{answer}");
    for key in ["updated_refs", "files", "old_path", "new_path"] {
        assert_eq!(answer[key], preview[key], "{key}");
    }
    assert!(!t.project().file(path).exists() && t.project().file(new_path).exists());
    let after = everything(t);
    look(t);
    assert_eq!(come_back(t), json!([]), "the editor asks which version to keep");
    t.undo(1);
    assert_eq!(diff(&before, &everything(t)), [""; 0], "after undo");
    t.redo(1);
    assert_eq!(diff(&after, &everything(t)), [""; 0], "after redo");
    t.undo(1);
    assert_eq!(diff(&before, &everything(t)), [""; 0], "after undo of a redo");
    assert_eq!(come_back(t), json!([]), "the editor asks which version to keep");
    answer
}

fn come_back(t: &mut Test<'_>) -> Value {
    t.editor().hands(&json!({"do": "come_back"}))
}

/// The files in which references changed.
fn changed(answer: &Value) -> Vec<&str> {
    let references = answer["updated_refs"].as_array().unwrap();
    references.iter().map(|it| it["file"].as_str().unwrap()).collect()
}

fn moving() -> Vec<Case> {
    vec![
        case("an autoload takes its name in the project along", |t| {
            let (old, new) = ("res://scripts/game_state.gd", "res://global/deep/state.gd");
            let uid = t.ok("project_resolve_uid", json!({"value": old}))["uid"].clone();
            let answer = move_file(t, old, new, |t| {
                let info = t.ok("inspection_get_project_info", json!({}));
                assert_eq!(info["autoloads"]["GameState"], "res://global/deep/state.gd", "{info}");
                assert!(t.project().read("project.godot").contains("*res://global/deep/state.gd"));
                let check = json!({"script_path": "res://scripts/level.gd"});
                assert_eq!(t.ok("scripts_get_parse_errors", check)["ok"], true);
            });
            assert!(changed(&answer).contains(&"res://project.godot"), "{answer}");
            assert_eq!(t.ok("project_resolve_uid", json!({"value": uid}))["path"], old);
        }),
        case("a script keeps its class, its UID and those who use it", |t| {
            let answer = move_file(t, "res://scripts/coin.gd", "res://items/coin.gd", |t| {
                let class = t.ok("describe_class", json!({"class_name": "Coin"}));
                assert_eq!(class["script"], "res://items/coin.gd");
                assert!(t.project().read("res://scenes/coin.tscn").contains("res://items/coin.gd"));
                assert!(t.project().file("res://items/coin.gd.uid").exists());
                t.open("res://scenes/coin.tscn");
                let script = t.ok("scripts_get_for_node", json!({"node_path": "."}));
                assert_eq!(script["script_path"], "res://items/coin.gd");
            });
            assert!(changed(&answer).contains(&"res://scenes/coin.tscn"), "{answer}");
            let class = t.ok("describe_class", json!({"class_name": "Coin"}));
            assert_eq!(class["script"], "res://scripts/coin.gd");
        }),
        case("undo of a move tells which steps go, and its own writing is nobody else's", |t| {
            let scene = t.open("res://scenes/main.tscn");
            let (old, new) = ("res://scenes/coin.tscn", "res://items/coin.tscn");
            let node =
                |name: &str| json!({"parent_path": ".", "node_type": "Node2D", "names": [name]});
            let make = "composite_batch_create_nodes";
            t.ok("project_move_file", json!({"path": old, "new_path": new}));
            t.ok(make, node("First"));
            t.saved();
            // The step of the scene is undone, and so it has unsaved changes; then the move is.
            t.undo(1);
            t.undo(1);
            assert!(t.project().read(&scene).contains(old));
            assert!(!t.exists("First"));
            assert_eq!(t.ok("inspection_get_active_scene", json!({}))["dirty"], true);
            let mut saving = node("Second");
            saving["save"] = json!(true);
            assert_eq!(t.ok(make, saving)["saved"], true);
            let text = t.project().read(&scene);
            assert!(text.contains(old) && !text.contains(new), "{text}");
            assert!(text.contains("Second") && !text.contains("First"), "{text}");

            // One without unsaved changes is read again, and its steps are lost.
            let confirmed = json!({"path": old, "new_path": new, "confirm": true});
            t.ok("project_move_file", confirmed);
            t.ok(make, node("Third"));
            t.undo(1);
            for dry_run in [true, false] {
                let undone = t.ok("undo", json!({"dry_run": dry_run}));
                let lost = undone["lost_steps"].as_array().unwrap();
                assert!(lost[0].as_str().unwrap().contains("Create"), "{undone}");
            }
            assert_eq!(t.steps(), [""; 0]);
        }),
        case("an open scene that names it is read again, and saves the new name", |t| {
            let scene = t.open("res://scenes/main.tscn");
            let call =
                json!({"path": "res://scenes/coin.tscn", "new_path": "res://items/coin.tscn"});
            let answer = t.ok("project_move_file", call);
            assert!(changed(&answer).contains(&scene.as_str()), "{answer}");
            let active = t.ok("inspection_get_active_scene", json!({}));
            assert_eq!((&active["path"], &active["dirty"]), (&json!(scene), &json!(false)));
            let set = json!({"node_path": "Player", "property": "speed", "value": 7});
            t.ok("scene_edit_set_node_property", set);
            t.saved();
            let text = t.project().read(&scene);
            assert!(
                text.contains("res://items/coin.tscn") && !text.contains("res://scenes/coin.tscn")
            );
            // The step of the scene, then that of the move, although the scene was saved since.
            t.undo(1);
            t.saved();
            t.undo(1);
            assert!(t.project().file("res://scenes/coin.tscn").exists());
            assert_eq!(come_back(t), json!([]), "the editor asks which version to keep");
            t.saved();
            let text = t.project().read(&scene);
            assert!(
                text.contains("res://scenes/coin.tscn") && !text.contains("res://items/coin.tscn")
            );
        }),
        case("an open scene that moves stays open, and is saved where it is", |t| {
            let scene = t.open("res://scenes/coin.tscn");
            let new = t.path("moved.tscn");
            t.ok("project_move_file", json!({"path": scene, "new_path": new}));
            let active = t.ok("inspection_get_active_scene", json!({}));
            assert_eq!(active["path"], new.as_str(), "{active}");
            let set = json!({"node_path": ".", "property": "position", "value": [3, 4]});
            t.ok("scene_edit_set_node_property", set);
            t.saved();
            assert!(t.project().read(&new).contains("Vector2(3, 4)"));
            assert!(!t.project().file(&scene).exists());
            t.close_at_end(&new);
        }),
        case("unsaved changes of a scene that names it come first", |t| {
            t.open("res://scenes/main.tscn");
            let set = json!({"node_path": "Player", "property": "speed", "value": 7});
            t.ok("scene_edit_set_node_property", set);
            let before = everything(t);
            let call =
                json!({"path": "res://scenes/coin.tscn", "new_path": "res://items/coin.tscn"});
            let mut preview = call.clone();
            preview["dry_run"] = json!(true);
            for call in [preview, call] {
                t.refused("project_move_file", call, "scene_saved");
            }
            assert_eq!(diff(&before, &everything(t)), [""; 0]);
        }),
        case("a folder takes along all that is in it", |t| {
            let answer = move_file(t, "res://scripts", "res://code/all", |t| {
                let class = t.ok("describe_class", json!({"class_name": "Boss"}));
                assert_eq!(class["script"], "res://code/all/boss.gd");
                let project = t.project().read("project.godot");
                assert!(project.contains("*res://code/all/game_state.gd"), "{project}");
                let found = t.ok("project_search_files", json!({"content": "res://scripts/"}));
                assert_eq!(found["matches"], json!([]), "{found}");
            });
            assert!(answer["files"].as_u64().unwrap() >= 7, "{answer}");
            let class = t.ok("describe_class", json!({"class_name": "Boss"}));
            assert_eq!(class["script"], "res://scripts/boss.gd");
        }),
        case("a picture is imported where it comes to lie", |t| {
            move_file(t, "res://art/coin.svg", "res://pictures/coin.svg", |t| {
                let import = t.project().read("res://pictures/coin.svg.import");
                assert!(import.contains("source_file=\"res://pictures/coin.svg\""), "{import}");
                t.open("res://scenes/coin.tscn");
                let value = t.property("Sprite", "texture");
                assert_eq!(value, "res://pictures/coin.svg");
            });
        }),
        case("a table of translations takes along what was made of it, and its names", |t| {
            fs::create_dir(t.project().file("res://tables")).unwrap();
            put(t, "res://tables/f.csv", "keys,en,de\nHELLO,Hello,Hallo\n");
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let tables = json!(["res://tables/f.en.translation", "res://tables/f.de.translation"]);
            let name = "internationalization/locale/translations";
            let set = json!({"name": name, "value": tables, "confirm": true});
            t.ok("project_set_setting", set);
            let answer = move_file(t, "res://tables/f.csv", "res://words/deep/g.csv", |t| {
                let made =
                    ["res://words/deep/g.en.translation", "res://words/deep/g.de.translation"];
                let name = "internationalization/locale/translations";
                let setting = t.ok("project_get_setting", json!({"name": name}));
                assert_eq!(setting["value"], json!(made));
                assert!(made.iter().all(|made| t.project().file(made).exists()));
                let left = fs::read_dir(t.project().file("res://tables")).unwrap();
                assert_eq!(left.count(), 0);
            });
            assert_eq!(answer["files"], 3, "{answer}");
            assert_eq!(changed(&answer), ["res://project.godot"], "{answer}");
            t.undo(1);
            fs::remove_dir_all(t.project().file("res://tables")).unwrap();
        }),
        case(
            "undo of the move of a model takes away the pictures that were taken out of it",
            |t| {
                fs::create_dir(t.project().file("res://models")).unwrap();
                let model = t.project().file("res://models/hero.glb");
                fs::write(model, model::glb("skin", model::PIXEL)).unwrap();
                t.ok("scene_edit_rescan_filesystem", json!({}));
                let names = |t: &Test<'_>, folder: &str| {
                    let entries = fs::read_dir(t.project().file(folder)).unwrap();
                    let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
                    names.sort();
                    names
                };
                let before = names(t, "res://models");
                assert!(
                    t.project().file("res://models/hero_skin.png.import").exists(),
                    "{before:?}"
                );
                let call =
                    json!({"path": "res://models/hero.glb", "new_path": "res://m/other.glb"});
                t.ok("project_move_file", call);
                assert!(t.project().file("res://m/other_skin.png").exists());
                for _ in 0..2 {
                    let undone = t.undo(1);
                    assert_eq!(undone.get("engine_errors"), None, "{undone}");
                    assert_eq!(names(t, "res://models"), before);
                    assert!(!t.project().file("res://m").exists(), "{:?}", names(t, "res://m"));
                    t.redo(1);
                    assert!(t.project().file("res://m/other_skin.png").exists());
                }
                t.undo(1);
                fs::remove_dir_all(t.project().file("res://models")).unwrap();
            },
        ),
        case("scenes and plugins that name files beside them find them where they lie then", |t| {
            let (script, scene, plugin) =
                (t.path("b.gd"), t.path("user.tscn"), t.path("plugin.cfg"));
            put(t, &script, "@tool\nextends EditorPlugin\n");
            let text = |path: &str| {
                format!(
                    "[gd_scene load_steps=2 format=3]\n\n[ext_resource type=\"Script\" path=\"{path}\" \
                     id=\"1\"]\n\n[node name=\"A\" type=\"Node\"]\nscript = ExtResource(\"1\")\n"
                )
            };
            put(t, &scene, text("b.gd"));
            let config = |path: &str| {
                format!(
                    "[plugin]\n\nname=\"P\"\ndescription=\"\"\nauthor=\"\"\nversion=\"1\"\nscript=\"{path}\"\n"
                )
            };
            put(t, &plugin, config("b.gd"));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let delete = json!({"path": script, "confirm": true, "dry_run": true});
            let preview = t.ok("project_delete_resource_file", delete);
            let dependents = preview["dependents"].as_array().unwrap().iter();
            let dependents: Vec<_> = dependents.map(|it| it["file"].as_str().unwrap()).collect();
            assert_eq!(dependents, [&plugin, &scene], "{preview}");
            let new = t.path("parts/c.gd");
            t.ok("project_move_file", json!({"path": script, "new_path": new}));
            assert_eq!(t.project().read(&scene), text(&new));
            // A plugin looks for its script in its own folder, whatever the path is.
            assert_eq!(t.project().read(&plugin), config("parts/c.gd"));
            t.undo(1);
            assert_eq!(t.project().read(&scene), text("b.gd"));
            assert_eq!(t.project().read(&plugin), config("b.gd"));
            let new = t.path("scenes/user.tscn");
            t.ok("project_move_file", json!({"path": scene, "new_path": new}));
            assert_eq!(t.project().read(&new), text(&script));
            t.undo(1);
            let new = t.path("other/plugin.cfg");
            t.ok("project_move_file", json!({"path": plugin, "new_path": new}));
            assert_eq!(t.project().read(&new), config("../b.gd"));
            t.undo(1);
            assert_eq!(t.project().read(&plugin), config("b.gd"));
        }),
        case("names that are relative to a script are right afterwards", |t| {
            let (base, user, own) = (t.path("base.gd"), t.path("sub/user.gd"), t.path("own.gd"));
            put(t, &base, "extends Node\n");
            put(t, &own, "extends Node\nconst B = preload(\"base.gd\")\n");
            put(t, &user, "extends \"../base.gd\"\nconst A = preload('../own.gd')\n");
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let new = t.path("else/where.gd");
            fs::remove_dir(t.project().file(&new).parent().unwrap()).unwrap();
            t.ok("project_move_file", json!({"path": own, "new_path": new}));
            assert!(t.project().read(&new).contains(&format!("preload(\"{base}\")")));
            let text = t.project().read(&user);
            assert_eq!(text, format!("extends \"../base.gd\"\nconst A = preload('{new}')\n"));
            t.undo(1);
            assert_eq!(t.project().read(&own), "extends Node\nconst B = preload(\"base.gd\")\n");
        }),
        case("what is loaded by less than a whole path is found where it lies then", |t| {
            let (item, user) = (t.path("item.gd"), t.path("deep/user.gd"));
            let top = item.strip_prefix("res://").unwrap().to_owned();
            put(t, &item, "extends Node\n");
            let text = |name: &str| {
                format!("extends Node\nvar a = load(\"{name}\")\nvar b = load(\"none.gd\")\n")
            };
            put(t, &user, text(&top));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let (new, elsewhere) = (t.path("goods/item.gd"), t.path("shallow.gd"));
            fs::remove_dir(t.project().file(&new).parent().unwrap()).unwrap();
            let call = json!({"path": item, "new_path": new});
            let mut preview = call.clone();
            preview["dry_run"] = json!(true);
            let preview = t.ok("project_move_file", preview);
            assert_eq!(changed(&preview), [&user], "{preview}");
            assert_eq!(t.ok("project_move_file", call)["updated_refs"], preview["updated_refs"]);
            assert_eq!(t.project().read(&user), text(&new));
            t.undo(1);
            assert_eq!(t.project().read(&user), text(&top));
            // It starts from the top of the project, wherever the script lies that loads it.
            t.ok("project_move_file", json!({"path": user, "new_path": elsewhere}));
            assert_eq!(t.project().read(&elsewhere), text(&top));
            t.undo(1);
        }),
        case("what a shader includes is found where it lies then", |t| {
            let (lib, user) = (t.path("lib.gdshaderinc"), t.path("sub/user.gdshader"));
            put(t, &lib, "float half(float x) { return x / 2.0; }\n");
            let text = |name: &str| format!("shader_type canvas_item;\n#include \"{name}\"\n");
            put(t, &user, text("../lib.gdshaderinc"));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let new = t.path("inc.gdshaderinc");
            t.ok("project_move_file", json!({"path": lib, "new_path": new}));
            assert_eq!(t.project().read(&user), text(&new));
            t.undo(1);
            let new = t.path("user.gdshader");
            t.ok("project_move_file", json!({"path": user, "new_path": new}));
            assert_eq!(t.project().read(&new), text(&lib));
            t.undo(1);
            assert_eq!(t.project().read(&user), text("../lib.gdshaderinc"));
        }),
        case("a file that is no text names it where it lies then, and keeps its UID", |t| {
            let (data, part, part_then) =
                (t.path("data.res"), t.path("part.tres"), t.path("there.tres"));
            let gradient = json!({"type": "Gradient", "resource_path": part, "confirm": true});
            t.ok("resources_edit_create_resource", gradient);
            let texture = json!({
                "type": "GradientTexture1D", "resource_path": data,
                "properties": {"gradient": part}, "confirm": true,
            });
            t.ok("resources_edit_create_resource", texture);
            let named = |t: &mut Test<'_>| {
                let named = t.ok("batch_get_dependencies", json!({"path": data}));
                named["dependencies"][0]["path"].as_str().unwrap().to_owned()
            };
            let before = (bytes(t, &data), bytes(t, &part));
            assert_eq!(named(t), part);
            let call = json!({"path": part, "new_path": part_then});
            let mut preview = call.clone();
            preview["dry_run"] = json!(true);
            let preview = t.ok("project_move_file", preview);
            assert_eq!(preview["updated_refs"], json!([{"file": data, "count": 1}]), "{preview}");
            assert!((bytes(t, &data), bytes(t, &part)) == before, "a preview wrote");
            let uid = t.ok("project_resolve_uid", json!({"value": data}))["uid"].clone();
            let answer = t.ok("project_move_file", call);
            assert_eq!(answer["updated_refs"], preview["updated_refs"], "{answer}");
            assert!(answer.get("hint").is_none(), "{answer}");
            let text = String::from_utf8_lossy(&bytes(t, &data).unwrap()).into_owned();
            assert!(text.contains(&part_then) && !text.contains(&part), "it names the old path");
            assert_eq!(named(t), part_then);
            assert_eq!(t.ok("project_resolve_uid", json!({"value": data}))["uid"], uid);
            t.undo(1);
            assert!((bytes(t, &data), bytes(t, &part)) == before, "after undo");
            t.redo(1);
            assert_eq!(named(t), part_then);
            t.undo(1);
            assert!((bytes(t, &data), bytes(t, &part)) == before, "after undo of a redo");
        }),
        case("no other file takes the place of a scene that is open", |t| {
            let open = t.open("res://scenes/coin.tscn");
            let move_there =
                json!({"path": "res://scenes/enemy.tscn", "new_path": open, "confirm": true});
            let fault = t.refused("project_move_file", move_there.clone(), "new_path");
            assert!(fault["hint"].as_str().unwrap().contains("close_scene"), "{fault}");
            let import =
                json!({"source": "res://scenes/enemy.tscn", "target_path": open, "confirm": true});
            t.refused("asset_import_asset", import, "target_path");
            let batch = json!([{"command": "cmd_move_file", "params": move_there}]);
            let batch =
                t.call("composite_run_commands", json!({"commands": batch, "confirm": true}));
            assert!(!batch.ok, "{}", batch.value);
        }),
        case("a file is replaced only with leave, and comes back", |t| {
            let (a, b) = (t.path("a.txt"), t.path("b.txt"));
            put(t, &a, "a");
            put(t, &b, "b");
            let mut call = json!({"path": a, "new_path": b});
            t.refused("project_move_file", call.clone(), "confirm");
            call["confirm"] = json!(true);
            t.ok("project_move_file", call);
            assert_eq!((bytes(t, &a), bytes(t, &b)), (None, Some(b"a".to_vec())));
            t.undo(1);
            assert_eq!((bytes(t, &a), bytes(t, &b)), (Some(b"a".to_vec()), Some(b"b".to_vec())));
        }),
        case("what must stay where it is is not moved", |t| {
            let before = everything(t);
            let tool = "project_move_file";
            let ours = ["addons/godot_mcp", "addons", "Addons"];
            for path in
                ["project.godot", "", ".godot", "scripts/player.gd.uid"].into_iter().chain(ours)
            {
                let call = json!({"path": format!("res://{path}"), "new_path": "res://x.gd"});
                invalid(t, tool, call, "path");
            }
            for (path, new) in [
                ("scripts/player.gd", "scripts/player.gd"),
                ("scripts/player.gd", "scripts/player.txt"),
                ("scripts/player.gd", "scripts"),
                ("scripts/player.gd", ".godot/player.gd"),
                ("scripts", "addons/godot_mcp/scripts"),
                ("scripts", "addons/godot_mcp"),
                ("scripts", "addons"),
                ("scripts", "scripts/inner"),
                ("scripts", "scenes"),
                ("scripts", "icon/../project.godot"),
            ] {
                let call =
                    json!({"path": format!("res://{path}"), "new_path": format!("res://{new}")});
                invalid(t, tool, call, "new_path");
            }
            let none = json!({"path": "res://none.gd", "new_path": "res://x.gd"});
            t.fault(tool, none, "RESOURCE_NOT_FOUND");
            for new in ["res://../x.gd", "user://x.gd", "/x.gd"] {
                let call = json!({"path": PLAYER, "new_path": new});
                t.fault(tool, call, "VALIDATION_ERROR");
            }
            assert_eq!(diff(&before, &everything(t)), [""; 0]);
        }),
    ]
}

/// Demands that the engine had nothing to say.
fn quiet(answer: &Value) {
    assert!(answer.get("engine_errors").is_none(), "{answer}");
}

/// Changes a script that uses the autoload, which must compile, and takes that back.
fn patch_user(t: &mut Test<'_>, folder: &str) {
    let path = format!("{folder}/hud.gd");
    let patch = json!({"script_path": path, "find": "= str(score)", "replace": "= \"%d\" % score"});
    let answer = t.ok("scripts_patch", patch);
    assert_eq!(answer["errors"], json!([]), "{answer}");
    quiet(&answer);
    quiet(&t.undo(1));
}

fn moving_beside_an_open_scene() -> Vec<Case> {
    vec![
        case("after undo and rollback of a move the editor holds what is in the files", |t| {
            let tiles = "res://resources/tiles.tres";
            let before = bytes(t, tiles);
            t.open("res://scenes/main.tscn");
            let picture =
                json!({"path": "res://art/tiles.svg", "new_path": "res://art2/tiles.svg"});
            let save = |t: &mut Test<'_>, x: u8| {
                let set = json!({"node_path": "Coins", "property": "position", "value": [x, 2]});
                t.ok("scene_edit_set_node_property", set);
                t.saved();
                assert!(bytes(t, tiles) == before, "{}", t.project().read(tiles));
            };
            quiet(&t.ok("project_move_file", picture.clone()));
            quiet(&t.undo(1));
            save(t, 1);
            let fails = json!({"node_path": "Nobody", "confirm": true});
            let commands = json!([
                {"command": "move_file", "params": picture},
                {"command": "delete_node", "params": fails},
            ]);
            let batch = json!({"commands": commands});
            let fault = t.fault("composite_run_commands", batch, "RESOURCE_NOT_FOUND");
            assert_eq!(fault["rolled_back"], true, "{fault}");
            quiet(&fault);
            save(t, 2);
        }),
        case("after undo of a move a material has its shader", |t| {
            t.open("res://scenes/coin.tscn");
            let strength = json!({"node_path": "Sprite", "name": "strength"});
            let before = t.ok("shader_get_param", strength.clone());
            let shader = "res://shaders/shimmer.gdshader";
            let moved = json!({"path": shader, "new_path": "res://shaders/moved.gdshader"});
            quiet(&t.ok("project_move_file", moved));
            assert_eq!(t.ok("shader_get_param", strength.clone()), before);
            quiet(&t.undo(1));
            assert_eq!(t.ok("shader_get_param", strength.clone()), before);
            quiet(&t.redo(1));
            quiet(&t.undo(1));
            assert_eq!(t.ok("shader_get_param", strength), before);
        }),
        case("the editor keeps an autoload that moves, and those who use it compile", |t| {
            t.open("res://scenes/main.tscn");
            let ways = [
                ("res://scripts/game_state.gd", "res://gs/game_state.gd", "res://scripts"),
                ("res://scripts", "res://all", "res://all"),
            ];
            for (old, new, users) in ways {
                let before = everything(t);
                quiet(&t.ok("project_move_file", json!({"path": old, "new_path": new})));
                patch_user(t, users);
                quiet(&t.undo(1));
                patch_user(t, "res://scripts");
                assert_eq!(diff(&before, &everything(t)), [""; 0], "after undo");
                quiet(&t.ok("project_move_file", json!({"path": old, "new_path": new})));
                quiet(&t.undo(1));
                quiet(&t.redo(1));
                patch_user(t, users);
                quiet(&t.undo(1));
            }
        }),
        case("a move in a batch counts what changed before, and what follows sees it", |t| {
            let scene = t.open("res://scenes/main.tscn");
            let node = json!({"parent_path": ".", "node_type": "Node2D", "node_name": "Added"});
            let node = json!({"command": "create_node", "params": node});
            let (old, new) = ("res://scenes/coin.tscn", "res://items/coin.tscn");
            let moved = json!({"command": "move_file", "params": {"path": old, "new_path": new}});
            let before = everything(t);
            for dry_run in [true, false] {
                let batch = json!({"commands": [node, moved], "dry_run": dry_run});
                let fault = t.refused("composite_run_commands", batch, "scene_saved");
                assert_eq!(fault["aborted_at"], 1, "{fault}");
                assert!(!t.exists("Added"));
            }
            assert_eq!(diff(&before, &everything(t)), [""; 0]);
            // The other way round the scene is read again before it gets the node.
            let batch = json!({"commands": [moved, node]});
            let mut preview = batch.clone();
            preview["dry_run"] = json!(true);
            let preview = t.ok("composite_run_commands", preview);
            assert_eq!(preview["undo_steps"], 2, "{preview}");
            let answer = t.ok("composite_run_commands", batch);
            assert_eq!(answer["undo_steps"], 2, "{answer}");
            t.saved();
            let text = t.project().read(&scene);
            assert!(text.contains(new) && !text.contains(old) && text.contains("Added"), "{text}");
            t.undo(1);
            t.saved();
            t.undo(1);
            t.saved();
            let text = t.project().read(&scene);
            assert!(text.contains(old) && !text.contains(new) && !text.contains("Added"), "{text}");
            t.redo(1);
            t.saved();
            assert!(t.project().read(&scene).contains(new) && t.project().file(new).exists());
            t.undo(1);
            assert!(t.project().read(&scene).contains(old) && t.project().file(old).exists());
        }),
        case("an autoload that is named by its UID is found where it lies then", |t| {
            t.open("res://scenes/main.tscn");
            let (old, new) = ("res://scripts/game_state.gd", "res://gs/game_state.gd");
            let uid = t.project().read(&format!("{old}.uid"));
            let by_path = t.project().read("project.godot");
            let by_uid = by_path.replace(&format!("*{old}"), &format!("*{}", uid.trim()));
            assert_ne!(by_path, by_uid);
            // What was written by others is taken over before the next change of a setting.
            let name = "application/config/description";
            let set = json!({"name": name, "value": "Coins", "confirm": true});
            put(t, "project.godot", by_uid);
            t.ok("project_set_setting", set.clone());
            quiet(&t.ok("project_move_file", json!({"path": old, "new_path": new})));
            patch_user(t, "res://scripts");
            quiet(&t.undo(1));
            patch_user(t, "res://scripts");
            quiet(&t.ok("project_move_file", json!({"path": old, "new_path": new})));
            quiet(&t.undo(1));
            quiet(&t.redo(1));
            patch_user(t, "res://scripts");
            quiet(&t.undo(1));
            t.undo(1);
            put(t, "project.godot", by_path);
            t.ok("project_set_setting", set);
            t.undo(1);
        }),
        case("a file is found by a UID that it had before and that somebody still names", |t| {
            let (tiles, new) = ("res://resources/tiles.tres", "res://deep/tiles.tres");
            let before = t.project().read(tiles);
            let with =
                |uid: &str| before.replacen("format=3", &format!("format=3 uid=\"{uid}\""), 1);
            let (first, second) = ("uid://baaaaaaaaaaaa", "uid://bbbbbbbbbbbbb");
            put(t, tiles, with(first));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let scene = t.path("older_uid.tscn");
            let main = t.project().read("res://scenes/main.tscn");
            let named = format!("uid=\"{first}\" path=\"{tiles}\"");
            put(t, &scene, main.replace(&format!("path=\"{tiles}\""), &named));
            put(t, tiles, with(second));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            t.close_at_end(&scene);
            t.ok("scene_edit_open_scene", json!({"scene_path": scene}));
            let is_set = |t: &mut Test<'_>, path: &str| {
                let told = t.property("Ground", "tile_set").to_string();
                assert!(told.contains(path), "{told}");
            };
            is_set(t, tiles);
            t.ok("project_move_file", json!({"path": tiles, "new_path": new}));
            is_set(t, new);
            t.undo(1);
            is_set(t, tiles);
            t.redo(1);
            is_set(t, new);
            t.undo(1);
            put(t, tiles, before);
            t.ok("scene_edit_rescan_filesystem", json!({}));
        }),
        case("a move foretells that the active scene is made anew for an instance in it", |t| {
            t.close_at_end("res://scenes/coin.tscn");
            t.ok("scene_edit_open_scene", json!({"scene_path": "res://scenes/coin.tscn"}));
            t.open("res://scenes/main.tscn");
            let node = json!({"parent_path": ".", "node_type": "Node2D", "node_name": "Added"});
            t.ok("scene_edit_create_node", node);
            t.saved();
            let mut call = json!({"path": "res://art/coin.svg", "new_path": "res://art/gold.svg"});
            let fault = t.refused("project_move_file", call.clone(), "confirm");
            call["dry_run"] = json!(true);
            let preview = t.ok("project_move_file", call.clone());
            let lost = json!(["MCP: Create Added"]);
            assert_eq!(preview["lost_steps"], lost, "{preview}");
            assert_eq!(preview["discards"], fault["discards"], "{preview}");
            call["dry_run"] = json!(false);
            call["confirm"] = json!(true);
            let answer = t.ok("project_move_file", call);
            assert_eq!(answer["lost_steps"], lost, "{answer}");
            assert!(t.exists("Added"));
            t.undo(1);
            assert!(t.project().file("res://art/coin.svg").exists());
        }),
        case("a move says that open scenes lose their undo history, and needs leave for it", |t| {
            t.open("res://scenes/main.tscn");
            let node = json!({"parent_path": ".", "node_type": "Node2D", "node_name": "Added"});
            t.ok("scene_edit_create_node", node);
            t.saved();
            let lost = json!(["MCP: Create Added"]);
            let mut call =
                json!({"path": "res://scenes/coin.tscn", "new_path": "res://items/coin.tscn"});
            let before = everything(t);
            let fault = t.refused("project_move_file", call.clone(), "confirm");
            assert_eq!(diff(&before, &everything(t)), [""; 0], "{fault}");
            call["dry_run"] = json!(true);
            let preview = t.ok("project_move_file", call.clone());
            assert_eq!(preview["lost_steps"], lost, "{preview}");
            assert_eq!(preview["discards"], fault["discards"], "{preview}");
            assert_eq!(t.steps().len(), 1);
            call["dry_run"] = json!(false);
            call["confirm"] = json!(true);
            let answer = t.ok("project_move_file", call);
            assert_eq!(answer["lost_steps"], lost, "{answer}");
            assert!(t.exists("Added") && t.steps().is_empty());
            t.undo(1);
            assert!(t.exists("Added") && t.project().file("res://scenes/coin.tscn").exists());
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
