//! The toolset `scripts`: reading, writing, patching and checking scripts.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const PLAYER: &str = "res://scripts/player.gd";

fn main() -> ExitCode {
    let cases = [reading(), writing(), patching(), refusals(), editor(), checking()];
    run(cases.into_iter().flatten().collect())
}

/// A write of one file, with all that must hold for any:
///
/// 1. its preview says the same and changes nothing;
/// 2. it is one step of the project's history, labelled as ours;
/// 3. undo gives back the exact bytes, or no file and nothing beside it;
/// 4. redo gives back the write.
fn edit(t: &mut Test<'_>, tool: &str, arguments: Value) -> Value {
    let path = arguments["script_path"].as_str().unwrap().to_owned();
    let before = bytes(t, &path);
    let mut preview = arguments.clone();
    preview["dry_run"] = json!(true);
    let preview = t.ok(tool, preview);
    assert_eq!(preview["dry_run"], true, "{preview}");
    assert_eq!(bytes(t, &path), before, "a preview wrote");

    let answer = t.ok(tool, arguments);
    assert_eq!(answer["undoable"], true, "{answer}");
    assert_eq!(answer["hash"], preview["hash"], "{preview} {answer}");
    assert_eq!(answer["rescan_pending"], false, "{answer}");
    let after = bytes(t, &path);
    assert_ne!(after, before, "nothing was written");
    let step = t.undo(1)["steps"][0].clone();
    assert_eq!((&step["by"], &step["history"]), (&json!("agent"), &json!("global")), "{step}");
    assert_eq!(bytes(t, &path), before, "after undo");
    if before.is_none() {
        assert_eq!(bytes(t, &format!("{path}.uid")), None, "undo left a UID");
    }
    t.redo(1);
    assert_eq!(bytes(t, &path), after, "after redo");
    answer
}

fn bytes(t: &Test<'_>, path: &str) -> Option<Vec<u8>> {
    fs::read(t.project().file(path)).ok()
}

fn put(t: &Test<'_>, path: &str, content: impl AsRef<[u8]>) {
    fs::write(t.project().file(path), content).unwrap();
}

fn read(t: &mut Test<'_>, path: &str) -> Value {
    t.ok("scripts_read", json!({"script_path": path}))
}

/// A call that must be refused for one of its parameters, as a preview too.
fn invalid(t: &mut Test<'_>, tool: &str, arguments: Value, parameter: &str) -> Value {
    let fault = t.fault(tool, arguments, "VALIDATION_ERROR");
    assert_eq!(fault["required"], parameter, "{tool}: {fault}");
    fault
}

fn reading() -> Vec<Case> {
    vec![
        case("list finds scripts by language, in pages", |t| {
            let all = t.ok("scripts_list", json!({"directory": "res://scripts"}));
            let scripts = all["scripts"].as_array().unwrap().clone();
            assert!(scripts.contains(&json!(PLAYER)), "{all}");
            assert_eq!((&all["total"], &all["truncated"]), (&json!(scripts.len()), &json!(false)));
            let (mut paged, mut offset) = (Vec::new(), json!(0));
            while !offset.is_null() {
                let call = json!({"directory": "res://scripts", "offset": offset, "limit": 2});
                let page = t.ok("scripts_list", call);
                assert!(page["returned"].as_u64().unwrap() <= 2, "{page}");
                assert_eq!(page["total"], all["total"]);
                paged.extend(page["scripts"].as_array().unwrap().clone());
                offset = page.get("next_offset").cloned().unwrap_or_default();
            }
            assert_eq!(paged, scripts);
            let cs = t.path("Thing.cs");
            put(t, &cs, "public partial class Thing {}\n");
            let list = t.ok("scripts_list", json!({"language": "cs"}));
            assert_eq!(list["scripts"], json!([cs]));
            assert!(list["hint"].as_str().is_some(), "this Godot has no C#: {list}");
            assert_eq!(read(t, &cs)["content"], "public partial class Thing {}\n");
        }),
        case("list refuses folders that are not there", |t| {
            let call = json!({"directory": "res://nowhere"});
            let fault = t.fault("scripts_list", call, "RESOURCE_NOT_FOUND");
            assert_eq!(fault["required"], "directory");
            invalid(t, "scripts_list", json!({"directory": PLAYER}), "directory");
            t.fault("scripts_list", json!({"language": "lua"}), "VALIDATION_ERROR");
        }),
        case("read tells text, hash, line ends and mark", |t| {
            let path = t.path("odd.gd");
            put(t, &path, "\u{feff}extends Node\r\nvar ä := \"ö\"\r\n");
            let text = read(t, &path);
            assert_eq!(text["content"], "extends Node\nvar ä := \"ö\"\n");
            assert_eq!((&text["line_ends"], &text["bom"]), (&json!("crlf"), &json!(true)));
            assert_eq!((&text["total_lines"], &text["truncated"]), (&json!(2), &json!(false)));
            assert_eq!(text["hash"].as_str().unwrap().len(), 64);
            assert_eq!(text["unsaved_in_editor"], false);
        }),
        case("a script of five megabytes comes in pages", |t| {
            let path = t.path("large.gd");
            let lines: Vec<String> =
                (0..200_000).map(|n| format!("# line {n:>10} {n}\n")).collect();
            put(t, &path, lines.concat());
            let page = read(t, &path);
            assert_eq!((&page["total_lines"], &page["truncated"]), (&json!(200_000), &json!(true)));
            assert!(page.to_string().len() <= 25_000, "{}", page.to_string().len());
            let next = page["next_offset"].as_u64().unwrap();
            let call = json!({"script_path": path, "offset": next, "limit": 3});
            let page = t.ok("scripts_read", call);
            let start = usize::try_from(next).unwrap();
            assert_eq!(page["content"], lines[start..start + 3].concat());
            assert_eq!(page["next_offset"], next + 3);
            put(t, &path, "x".repeat(100_000));
            t.fault("scripts_read", json!({"script_path": path}), "RESPONSE_TOO_LARGE");
        }),
        case("read refuses what is no script of the project", |t| {
            let near = json!({"script_path": "res://scripts/playr.gd"});
            let fault = t.fault("scripts_read", near, "RESOURCE_NOT_FOUND");
            assert!(fault["hint"].as_str().unwrap().contains(PLAYER), "{fault}");
            invalid(t, "scripts_read", json!({"script_path": MAIN}), "script_path");
            let folder = t.path("folder.gd");
            fs::create_dir(t.project().file(&folder)).unwrap();
            invalid(t, "scripts_read", json!({"script_path": folder}), "script_path");
            let binary = t.path("binary.gd");
            put(t, &binary, b"extends Node\n\xff\xfe");
            invalid(t, "scripts_read", json!({"script_path": binary}), "script_path");
            for path in ["res://../x.gd", "/etc/x.gd", "user://x.gd", "uid://abc", "res://c:/x.gd"]
            {
                t.fault("scripts_read", json!({"script_path": path}), "VALIDATION_ERROR");
            }
        }),
        case("get_for_node finds the script of a node, and of the selected one", |t| {
            t.fault("scripts_get_for_node", json!({}), "PRECONDITION_FAILED");
            t.open(MAIN);
            let found = t.ok("scripts_get_for_node", json!({"node_path": "Player"}));
            assert_eq!(found["script_path"], PLAYER);
            assert_eq!(found["content"], t.project().read(PLAYER));
            let none = t.ok("scripts_get_for_node", json!({"node_path": "Coins"}));
            assert!(none.get("script_path").is_none_or(Value::is_null), "{none}");
            t.ok("scene_edit_select_nodes", json!({"node_paths": ["Player"]}));
            let selected = t.ok("scripts_get_for_node", json!({}));
            assert_eq!(
                (&selected["node_path"], &selected["script_path"]),
                (&json!("Player"), &json!(PLAYER))
            );
            t.ok("scene_edit_select_nodes", json!({"node_paths": []}));
            t.refused("scripts_get_for_node", json!({}), "node_path");
            let nobody = json!({"node_path": "Nobody"});
            let fault = t.fault("scripts_get_for_node", nobody, "RESOURCE_NOT_FOUND");
            assert_eq!(fault["required"], "node_exists");
        }),
    ]
}

fn writing() -> Vec<Case> {
    vec![
        case("a new class can be used in the very next call", |t| {
            let path = t.path("made/deep/in.gd");
            let folder = t.project().file(&path).parent().unwrap().to_owned();
            fs::remove_dir(&folder).unwrap();
            fs::remove_dir(folder.parent().unwrap()).unwrap();
            let text = "class_name FreshlyMade\nextends Node2D\n\n@export var power := 3\n";
            let answer = edit(t, "scripts_write", json!({"script_path": path, "content": text}));
            assert_eq!((&answer["created"], &answer["overwrote"]), (&json!(true), &json!(false)));
            assert_eq!(answer["class_registered"], "FreshlyMade", "{answer}");
            assert_eq!(t.project().read(&path), text);
            assert!(bytes(t, &format!("{path}.uid")).is_some(), "the editor gave it no UID");
            t.open(MAIN);
            let create =
                json!({"parent_path": ".", "node_type": "FreshlyMade", "node_name": "Fresh"});
            let created = t.edit("scene_edit_create_node", create).answer;
            assert_eq!(created["node_path"], "Fresh", "{created}");
            assert_eq!(t.property("Fresh", "power"), 3);
        }),
        case("undo of a new script takes away its class and its folder", |t| {
            let path = t.path("gone/passing.gd");
            fs::remove_dir(t.project().file(&path).parent().unwrap()).unwrap();
            let text = "class_name Passing extends Node\n";
            t.ok("scripts_write", json!({"script_path": path, "content": text}));
            let uid = bytes(t, &format!("{path}.uid"));
            t.undo(1);
            assert!(!t.project().file(&path).parent().unwrap().exists());
            t.fault("describe_class", json!({"class_name": "Passing"}), "VALIDATION_ERROR");
            t.redo(1);
            assert_eq!(t.ok("describe_class", json!({"class_name": "Passing"}))["script"], path);
            assert_eq!(bytes(t, &format!("{path}.uid")), uid, "it has another UID");
        }),
        case("an overwrite keeps line ends and mark, and undo every byte", |t| {
            let path = t.path("windows.gd");
            put(t, &path, "\u{feff}extends Node\r\nvar a := 1\r\n");
            let call = json!({"script_path": path, "content": "extends Node\nvar b := 2\n"});
            let answer = edit(t, "scripts_write", call);
            assert_eq!((&answer["created"], &answer["overwrote"]), (&json!(false), &json!(true)));
            assert_eq!(
                (&answer["previous_existed"], &answer["would_overwrite"]),
                (&json!(true), &json!(true))
            );
            assert_eq!(t.project().read(&path), "\u{feff}extends Node\r\nvar b := 2\r\n");
            let uid = "uid://c5x8yfake1234";
            put(t, &format!("{path}.uid"), format!("{uid}\n"));
            let call = json!({"script_path": path, "content": "extends Node\n"});
            edit(t, "scripts_write", call);
            assert_eq!(t.project().read(&format!("{path}.uid")), format!("{uid}\n"));
        }),
        case("a UID that was there before its script stays when the script is taken back", |t| {
            let path = t.path("left.gd");
            let (beside, uid) = (format!("{path}.uid"), "uid://c5x8yfake9876\n");
            put(t, &beside, uid);
            t.ok("scripts_write", json!({"script_path": path, "content": "extends Node\n"}));
            t.undo(1);
            assert_eq!((bytes(t, &path), t.project().read(&beside)), (None, uid.to_owned()));
        }),
        case("a write of what is there already is no step", |t| {
            let text = t.project().read(PLAYER);
            let call = json!({"script_path": PLAYER, "content": text});
            let answer = t.ok("scripts_write", call);
            assert_eq!((&answer["overwrote"], &answer["undoable"]), (&json!(false), &json!(false)));
        }),
        case("two hundred scripts, one after the other", |t| {
            for n in 0..200 {
                let path = t.path(&format!("many_{n}.gd"));
                let text = format!("class_name Many{n} extends Node\nvar n := {n}\n");
                let call = json!({"script_path": path, "content": text});
                let answer = t.ok("scripts_write", call);
                assert_eq!(answer["class_registered"], format!("Many{n}"), "{answer}");
            }
            let folder = t.path("");
            let list = t.ok("scripts_list", json!({"directory": folder.trim_end_matches('/')}));
            assert_eq!(list["total"], 200);
            t.undo(200);
            let list = t.ok("scripts_list", json!({"directory": folder.trim_end_matches('/')}));
            assert_eq!(list["total"], 0);
            t.redo(200);
            let class = t.ok("describe_class", json!({"class_name": "Many199"}));
            assert_eq!(class["script"], t.path("many_199.gd"));
        }),
        case("a class name that is taken stays where it is", |t| {
            // What means something else to scripts is no class, whatever the editor lists.
            let mine = t.path("misnamed.gd");
            for name in ["Sprite2D", "Vector2", "GameState"] {
                let text = format!("class_name {name}\nextends Node\n");
                let answer = t.ok("scripts_write", json!({"script_path": mine, "content": text}));
                assert!(answer.get("class_registered").is_none(), "{answer}");
                assert!(!answer["errors"].as_array().unwrap().is_empty(), "{answer}");
                t.undo(1);
                assert!(bytes(t, &mine).is_none());
            }
            // One that does not begin its line is one.
            let text = "extends Node; class_name Semi\n";
            let answer = t.ok("scripts_write", json!({"script_path": mine, "content": text}));
            assert_eq!(answer["class_registered"], "Semi", "{answer}");
            t.undo(1);
            let path = t.path("second_boss.gd");
            let call = json!({"script_path": path, "content": "class_name Boss\nextends Node\n"});
            let fault = invalid(t, "scripts_write", call, "content");
            assert!(fault["hint"].as_str().unwrap().contains("res://scripts/boss.gd"), "{fault}");
            let call = json!({"script_path": "res://scripts/coin.gd", "find": "class_name Coin", "replace": "class_name Boss"});
            invalid(t, "scripts_patch", call, "replace");
            assert!(bytes(t, &path).is_none());
        }),
    ]
}

fn patching() -> Vec<Case> {
    vec![
        case("patch replaces every occurrence and no other byte", |t| {
            let path = t.path("patched.gd");
            put(t, &path, "\u{feff}extends Node\r\nvar a := 1\r\nvar b := 1\r\n\r\n");
            let call = json!({"script_path": path, "find": ":= 1", "replace": ":= 2"});
            let answer = edit(t, "scripts_patch", call);
            assert_eq!((&answer["replacements"], &answer["patched"]), (&json!(2), &json!(true)));
            assert_eq!(answer["lines"], json!([2, 3]));
            let text = "\u{feff}extends Node\r\nvar a := 2\r\nvar b := 2\r\n\r\n";
            assert_eq!(t.project().read(&path), text);
            let find = "a := 2\nvar b";
            let call =
                json!({"script_path": path, "find": find, "replace": "a := 3\nvar c := 4\nvar b"});
            edit(t, "scripts_patch", call);
            let text = "\u{feff}extends Node\r\nvar a := 3\r\nvar c := 4\r\nvar b := 2\r\n\r\n";
            assert_eq!(t.project().read(&path), text);
        }),
        case("patch refuses what it cannot find", |t| {
            let call = |find: &str| json!({"script_path": PLAYER, "find": find, "replace": "x"});
            invalid(t, "scripts_patch", call(""), "find");
            invalid(t, "scripts_patch", call("zzzz"), "find");
            let path = t.path("tabs.gd");
            put(t, &path, "func f():\n\tpass\n");
            let spaces = json!({"script_path": path, "find": "f():\n    pass", "replace": "x"});
            let fault = invalid(t, "scripts_patch", spaces, "find");
            assert!(fault["hint"].as_str().unwrap().contains("white space"), "{fault}");
            let none = json!({"script_path": "res://none.gd", "find": "a", "replace": "b"});
            t.fault("scripts_patch", none, "RESOURCE_NOT_FOUND");
            assert_eq!(t.project().read(&path), "func f():\n\tpass\n");
        }),
        case("a patch that changes nothing is no step", |t| {
            let call = json!({"script_path": PLAYER, "find": "extends", "replace": "extends"});
            let answer = t.ok("scripts_patch", call);
            assert_eq!((&answer["patched"], &answer["undoable"]), (&json!(false), &json!(false)));
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![
        case("a newer file is not written over", |t| {
            let path = t.path("guarded.gd");
            put(t, &path, "extends Node\n");
            let hash = read(t, &path)["hash"].clone();
            put(t, &path, "extends Node2D\n");
            for (tool, mut call) in [
                ("scripts_write", json!({"content": "extends Node3D\n"})),
                ("scripts_patch", json!({"find": "Node", "replace": "Object"})),
            ] {
                call["script_path"] = json!(path);
                call["if_hash"] = hash.clone();
                let fault = t.refused(tool, call.clone(), "if_hash");
                assert_eq!(fault["hash"], read(t, &path)["hash"]);
                assert_eq!(t.project().read(&path), "extends Node2D\n");
                call["if_hash"] = read(t, &path)["hash"].clone();
                t.ok(tool, call);
                t.undo(1);
            }
            let gone = json!({"script_path": t.path("no.gd"), "content": "x", "if_hash": hash});
            t.refused("scripts_write", gone, "if_hash");
        }),
        #[cfg(unix)]
        case("links do not lead out of the project", |t| {
            use std::os::unix::fs::symlink;
            let outside = t.project().work().join("outside");
            fs::create_dir_all(&outside).unwrap();
            fs::write(outside.join("secret.gd"), "extends Node\n").unwrap();
            for name in ["out", "dangling"] {
                t.path("x");
                let link = t.project().file(&t.path(name));
                let target = if name == "out" { outside.clone() } else { outside.join("none") };
                symlink(target, link).unwrap();
            }
            symlink(outside.join("secret.gd"), t.project().file(&t.path("file.gd"))).unwrap();
            let out = format!("{}/new/x.gd", t.path("out"));
            let folder = t.path("").trim_end_matches('/').to_owned();
            for path in [out, format!("{folder}/dangling/x.gd"), format!("{folder}/file.gd")] {
                let write = json!({"script_path": path, "content": "extends Node\n"});
                invalid(t, "scripts_write", write, "script_path");
                invalid(t, "scripts_read", json!({"script_path": path}), "script_path");
                let patch = json!({"script_path": path, "find": "Node", "replace": "x"});
                invalid(t, "scripts_patch", patch, "script_path");
            }
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
            let list = t.ok("scripts_list", json!({"directory": folder}));
            assert!(!list.to_string().contains("secret"), "{list}");
            // A link within the project stays one, and what it leads to is written.
            let real = t.path("real.gd");
            put(t, &real, "extends Node\n");
            symlink(t.project().file(&real), t.project().file(&t.path("link.gd"))).unwrap();
            let link = t.path("link.gd");
            edit(t, "scripts_write", json!({"script_path": link, "content": "extends Node2D\n"}));
            assert!(t.project().file(&link).is_symlink());
            assert_eq!(t.project().read(&real), "extends Node2D\n");
            // What lies beside the target stays there, whatever becomes of the link.
            let uid = format!("{real}.uid");
            put(t, &uid, "uid://b0c1d2e3f4g5h\n");
            edit(t, "scripts_write", json!({"script_path": link, "content": "extends Node3D\n"}));
            t.undo(1);
            assert_eq!(t.project().read(&real), "extends Node2D\n");
            assert_eq!(t.project().read(&uid), "uid://b0c1d2e3f4g5h\n");
            let delete = json!({"path": link, "confirm": true});
            let fault = invalid(t, "project_delete_resource_file", delete, "path");
            assert!(fault["hint"].as_str().unwrap().contains(&real), "{fault}");
            assert!(t.project().file(&link).is_symlink());
        }),
        case("a file that is no text is replaced by a write, and comes back", |t| {
            let path = t.path("latin.gd");
            let old = b"extends Node # \xe4\n";
            put(t, &path, old);
            let patch = json!({"script_path": path, "find": "Node", "replace": "Node2D"});
            let fault = invalid(t, "scripts_patch", patch, "script_path");
            assert!(fault["hint"].as_str().unwrap().contains("scripts_write"), "{fault}");
            edit(t, "scripts_write", json!({"script_path": path, "content": "extends Node\n"}));
            t.undo(1);
            assert_eq!(bytes(t, &path).unwrap(), old);
        }),
        case("a script that a batch writes twice is waited for once", |t| {
            let path = t.path("twice.gd");
            let write = |name: &str| {
                let content = format!("class_name {name}\nextends Node\n");
                json!({"command": "write_script", "params": {"script_path": path, "content": content}})
            };
            let commands = json!([write("TwiceA"), write("TwiceB"), write("TwiceC")]);
            let start = std::time::Instant::now();
            let answer = t.ok("composite_run_commands", json!({"commands": commands}));
            assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
            let of = |at: usize| answer["results"][at]["result"]["class_registered"].clone();
            assert_eq!(
                [of(0), of(1), of(2)],
                [json!(null), json!(null), json!("TwiceC")],
                "{answer}"
            );
            t.undo(1);
        }),
        case("a name that leaves no room is refused, or is not there", |t| {
            let path = t.path(&format!("{}.gd", "x".repeat(300)));
            invalid(t, "scripts_write", json!({"script_path": path, "content": ""}), "script_path");
            let fault = t.fault("scripts_read", json!({"script_path": path}), "RESOURCE_NOT_FOUND");
            assert_eq!(fault["required"], "script_path", "{fault}");
        }),
        case("a path that the system does not take is refused, and leaves no folders", |t| {
            let deep = |top: &str, count: usize| {
                format!("{top}{}", format!("/{}", "a".repeat(100)).repeat(count))
            };
            let far = deep("res://far", 45);
            let call = |dry_run: bool| json!({"script_path": format!("{far}/x.gd"), "content": "extends Node\n", "dry_run": dry_run});
            for dry_run in [true, false] {
                invalid(t, "scripts_write", call(dry_run), "script_path");
            }
            assert!(!t.project().file("res://far").exists());
            // A folder has room where what is in it has none.
            let inner = deep(&t.path("folder"), 20);
            fs::create_dir_all(t.project().file(&inner)).unwrap();
            fs::write(t.project().file(&format!("{inner}/x.txt")), "x").unwrap();
            let folder = json!({"path": t.path("folder"), "new_path": deep("res://far", 25)});
            invalid(t, "project_move_file", folder, "new_path");
            assert!(!t.project().file("res://far").exists());
        }),
        case("a script is written only where one can be", |t| {
            let long = format!("res://{}.gd", "n".repeat(300));
            let below = format!("{PLAYER}/x.gd");
            for path in [".godot/x.gd", "x.txt", "x.tscn", "x", "project.godot"] {
                let call = json!({"script_path": format!("res://{path}"), "content": "x"});
                invalid(t, "scripts_write", call, "script_path");
            }
            for path in [long.as_str(), below.as_str(), "res://"] {
                let call = json!({"script_path": path, "content": "x"});
                invalid(t, "scripts_write", call, "script_path");
            }
        }),
        case("undo refuses to go over what somebody else wrote, and says so", |t| {
            let path = t.path("theirs.gd");
            put(t, &path, "extends Node\n");
            t.ok("scripts_write", json!({"script_path": path, "content": "extends Node2D\n"}));
            put(t, &path, "extends Node3D # theirs\n");
            let fault = t.fault("undo", json!({}), "PRECONDITION_FAILED");
            assert!(fault["hint"].as_str().unwrap().contains(&path), "{fault}");
            assert_eq!(t.project().read(&path), "extends Node3D # theirs\n");
            put(t, &path, "extends Node2D\n");
            t.undo(1);
            assert_eq!(t.project().read(&path), "extends Node\n");
        }),
    ]
}

fn editor() -> Vec<Case> {
    vec![
        case("values come back with the script that exports them", |t| {
            let path = t.path("hero.gd");
            put(
                t,
                &path,
                "extends Node2D\n\n@export var speed: float = 160.0\n@export var n := 1\n",
            );
            let scene = |name: &str| {
                format!(
                    "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{path}\" id=\"1\"]\n\n\
                     [node name=\"{name}\" type=\"Node2D\"]\nscript = ExtResource(\"1\")\nspeed = 180.0\n"
                )
            };
            let scenes = [t.path("a.tscn"), t.path("b.tscn")];
            for scene_path in &scenes {
                put(t, scene_path, scene("Hero"));
            }
            t.ok("scene_edit_rescan_filesystem", json!({}));
            for scene_path in &scenes {
                t.ok("scene_edit_open_scene", json!({"scene_path": scene_path}));
                t.close_at_end(scene_path);
            }
            let check = |t: &mut Test<'_>, what: &str| {
                // Both the active scene and the one in the other tab.
                for scene_path in &scenes {
                    t.ok("scene_edit_open_scene", json!({"scene_path": scene_path}));
                    assert_eq!(t.property(".", "speed"), json!(180.0), "{what}: {scene_path}");
                    assert_eq!(t.property(".", "n"), json!(1), "{what}: {scene_path}");
                }
            };
            check(t, "first");
            let bare = json!({"script_path": path, "content": "extends Node2D\n"});
            let bad = json!({"command": "set_node_property", "params": {
                "node_path": "Nope", "property": "position", "value": [1, 2],
            }});
            let commands = json!([{"command": "write_script", "params": bare}, bad]);
            let batch = t.call("composite_run_commands", json!({"commands": commands}));
            assert!(!batch.ok, "{}", batch.value);
            check(t, "rolled back");
            edit(t, "scripts_write", bare);
            let call = json!({"node_path": ".", "property": "speed"});
            assert_eq!(t.ok("inspection_get_node_property", call)["exists"], false);
            t.undo(1);
            check(t, "undone twice");
            let patch = json!({
                "script_path": path, "find": "speed: float = 160.0", "replace": "speed: String = \"x\"",
            });
            t.ok("scripts_patch", patch);
            assert_ne!(t.property(".", "speed"), json!(180.0));
            t.undo(1);
            check(t, "of another type meanwhile");
            // What is set meanwhile is not gone over: the default changes, and then the value.
            t.ok(
                "scripts_patch",
                json!({"script_path": path, "find": "n := 1", "replace": "n := 2"}),
            );
            let set = json!({"node_path": ".", "property": "n", "value": 7});
            t.ok("scene_edit_set_node_property", set);
            t.ok(
                "scripts_patch",
                json!({"script_path": path, "find": "n := 2", "replace": "n := 3"}),
            );
            t.undo(1);
            assert_eq!(t.property(".", "n"), json!(7));
        }),
        case("a loaded script and its tab follow every write, undo and redo", |t| {
            let path = t.path("followed.gd");
            let (old, new) = ("extends Node2D\n", "extends Node2D\n\n@export var fresh := 7\n");
            t.ok("scripts_write", json!({"script_path": path, "content": old}));
            t.open(MAIN);
            t.ok("scene_edit_attach_script", json!({"node_path": "Coins", "script_path": path}));
            t.editor().hands(&json!({"do": "edit_script", "path": path}));
            t.ok("scripts_patch", json!({"script_path": path, "find": old, "replace": new}));
            assert_eq!(tab(t, &path), json!({"text": new, "unsaved": false}));
            assert_eq!(t.property("Coins", "fresh"), 7);
            // The editor saves all its tabs with a scene, and before it runs the game.
            t.saved();
            assert_eq!(t.project().read(&path), new);
            assert_eq!(come_back(t), json!([]), "the editor asks which version to keep");
            t.undo(1);
            assert_eq!(tab(t, &path), json!({"text": old, "unsaved": false}));
            t.saved();
            assert_eq!(t.project().read(&path), old);
            t.redo(1);
            assert_eq!(tab(t, &path), json!({"text": new, "unsaved": false}));
            assert_eq!(come_back(t), json!([]));
        }),
        case("what others change on the disk is what a command goes by", |t| {
            t.open(MAIN);
            let path = t.path("theirs.gd");
            let compose = |properties: Value| json!({"parent_path": ".", "node_type": "Node2D", "node_name": "T", "script_path": path, "properties": properties});
            let autoload = json!({"name": "TheirScript", "path": path, "confirm": true});
            // Known to the editor's list of files, and not.
            for rescan in [false, true] {
                put(t, &path, "extends Node2D\n@export var a := 1\n");
                if rescan {
                    t.ok("scene_edit_rescan_filesystem", json!({}));
                }
                let call = compose(json!({"a": 2}));
                let node = t.ok("composite_compose_node", call)["node_path"].clone();
                put(t, &path, "extends Node2D\n@export var a := 1\n@export var b := 1\n");
                let set = json!({"node_path": node, "property": "b", "value": 3});
                if rescan {
                    t.ok("scene_edit_set_node_property", set.clone());
                }
                t.ok("composite_compose_node", compose(json!({"b": 3})));
                t.ok("scene_edit_set_node_property", set);
                assert_eq!(t.property(node.as_str().unwrap(), "a"), 2);
                t.ok("resources_edit_register_autoload", autoload.clone());
                t.undo(1);
                for wrong in ["extends Resource\n", "extends Node2D\nfunc (\n"] {
                    put(t, &path, wrong);
                    let tool = "resources_edit_register_autoload";
                    t.edit_file_fault(tool, autoload.clone(), "VALIDATION_ERROR", &path);
                    t.fault("composite_compose_node", compose(json!({})), "VALIDATION_ERROR");
                }
                put(t, &path, "extends Node2D\n");
                t.ok("composite_compose_node", compose(json!({})));
            }
            // What extends it goes by it as well.
            let heir = t.path("heir.gd");
            put(t, &heir, format!("extends \"{path}\"\n"));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let call = json!({"parent_path": ".", "node_type": "Node2D", "node_name": "T", "script_path": heir, "properties": {}});
            let node = t.ok("composite_compose_node", call)["node_path"].clone();
            put(t, &path, "extends Node2D\n@export var late := 1\n");
            put(t, &heir, format!("extends \"{path}\"\n@export var later := late\n"));
            for property in ["late", "later"] {
                let set = json!({"node_path": node, "property": property, "value": 3});
                t.ok("scene_edit_set_node_property", set);
            }
        }),
        case("what the human typed and did not save is not lost, nor is a write", |t| {
            let path = t.path("typed.gd");
            t.ok("scripts_write", json!({"script_path": path, "content": "extends Node\n"}));
            t.editor().hands(&json!({"do": "edit_script", "path": path}));
            t.editor().hands(&json!({"do": "type", "path": path, "text": "# mine"}));
            assert_eq!(read(t, &path)["unsaved_in_editor"], true);
            let write = json!({"script_path": path, "content": "extends Node2D\n"});
            let patch = json!({"script_path": path, "find": "Node", "replace": "Node3D"});
            for (tool, call) in [("scripts_write", &write), ("scripts_patch", &patch)] {
                let fault = t.fault(tool, call.clone(), "PRECONDITION_FAILED");
                assert_eq!(fault["unsaved_in_editor"], true, "{fault}");
            }
            t.fault("undo", json!({}), "PRECONDITION_FAILED");
            assert_eq!(t.project().read(&path), "extends Node\n");
            assert_eq!(tab(t, &path)["text"], "extends Node\n# mine");
            // As the hint says.
            t.open(MAIN);
            t.saved();
            assert_eq!(t.project().read(&path).trim_end(), "extends Node\n# mine");
            edit(t, "scripts_write", write);
            assert_eq!(tab(t, &path), json!({"text": "extends Node2D\n", "unsaved": false}));
        }),
        case("a tab that is out of date without the human's doing does not count as theirs", |t| {
            let path = t.path("pulled.gd");
            t.ok("scripts_write", json!({"script_path": path, "content": "extends Node\n"}));
            t.editor().hands(&json!({"do": "edit_script", "path": path}));
            put(t, &path, "extends Node2D\n");
            let write = json!({"script_path": path, "content": "extends Node3D\n"});
            edit(t, "scripts_write", write);
            assert_eq!(tab(t, &path)["text"], "extends Node3D\n");
        }),
    ]
}

/// A script that leaves a file behind as soon as anything of it is run.
const TREACHEROUS: &str = "@tool
extends Node

static var ran := run()


static func run() -> bool:
	FileAccess.open(\"res://ran.txt\", FileAccess.WRITE).store_string(\"yes\")
	return true
";

fn checking() -> Vec<Case> {
    vec![
        case("a sound script has no errors", |t| {
            let check = t.ok("scripts_get_parse_errors", json!({"script_path": PLAYER}));
            assert_eq!((&check["ok"], &check["errors"]), (&json!(true), &json!([])), "{check}");
            assert_eq!(check["method"], "language_server", "{check}");
            let log = t.editor().log();
            assert!(!log.contains("Bug: "), "the server complains of how it was asked:\n{log}");
        }),
        case("a write and a patch tell what is wrong with the text", |t| {
            let path = t.path("wrong.gd");
            let text = "class_name WrittenWrong extends Node\nfunc f():\n\tnope()\n";
            let answer = t.ok("scripts_write", json!({"script_path": path, "content": text}));
            let error = &answer["errors"][0];
            assert_eq!((&error["source"], &error["line"]), (&json!(path), &json!(3)), "{answer}");
            let patch = json!({"script_path": path, "find": "nope()", "replace": "pass"});
            assert_eq!(t.ok("scripts_patch", patch)["errors"], json!([]));
        }),
        case("a byte order mark is no error", |t| {
            let path = t.path("marked.gd");
            let call =
                json!({"script_path": path, "content": "\u{feff}class_name Marked extends Node\n"});
            let check = t.ok("scripts_get_parse_errors", call.clone());
            assert_eq!((&check["ok"], &check["errors"]), (&json!(true), &json!([])), "{check}");
            let answer = edit(t, "scripts_write", call);
            assert_eq!(answer["errors"], json!([]), "{answer}");
            assert_eq!(answer["class_registered"], "Marked", "{answer}");
            let check = t.ok("scripts_get_parse_errors", json!({"script_path": path}));
            assert_eq!(check["errors"], json!([]), "{check}");
            let patch = json!({"script_path": path, "find": "Node", "replace": "Node2D"});
            assert_eq!(t.ok("scripts_patch", patch)["errors"], json!([]));
        }),
        case("all errors and warnings are told with their places, also of unsaved text", |t| {
            let path = t.path("not_there.gd");
            let text = "extends Node\n\nfunc f() -> int:\n\tvar unused := 1\n\tnope()\n\tvar b: int = \"x\"\n\treturn b\n";
            let call = json!({"script_path": path, "content": text});
            let check = t.ok("scripts_get_parse_errors", call);
            assert_eq!(check["ok"], false, "{check}");
            let places: Vec<_> = check["errors"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| (it["line"].as_u64().unwrap(), it["column"].as_u64().unwrap()))
                .collect();
            assert_eq!(places, [(5, 2), (6, 2), (6, 2)], "{check}");
            assert_eq!(check["errors"][0]["source"], path, "{check}");
            let warning = &check["warnings"][0];
            assert_eq!(
                (&warning["code"], &warning["line"]),
                (&json!("UNUSED_VARIABLE"), &json!(4)),
                "{check}"
            );
            assert!(bytes(t, &path).is_none(), "the text was written");
            let syntax = "extends Node\nfunc (:\n\tpass\nvar x := \n";
            let call = json!({"script_path": PLAYER, "content": syntax});
            let check = t.ok("scripts_get_parse_errors", call);
            assert!(check["errors"].as_array().unwrap().len() > 1, "{check}");
            let check = t.ok("scripts_get_parse_errors", json!({"script_path": PLAYER}));
            assert_eq!(check["ok"], true, "the text for the one check was kept: {check}");
        }),
        case("a class is known to the check directly after it was written", |t| {
            let (a, b) = (t.path("first.gd"), t.path("second.gd"));
            let text =
                "class_name CheckedFirst extends Node\nvar n := 1\nvar me: CheckedFirst = self\n";
            t.ok("scripts_write", json!({"script_path": a, "content": text}));
            let text = "extends CheckedFirst\nfunc f() -> int:\n\treturn n\n";
            t.ok("scripts_write", json!({"script_path": b, "content": text}));
            for path in [&a, &b] {
                let check = t.ok("scripts_get_parse_errors", json!({"script_path": path}));
                assert_eq!(check["ok"], true, "{check}");
            }
            let patch = json!({"script_path": a, "find": "var n", "replace": "var m"});
            t.ok("scripts_patch", patch);
            let check = t.ok("scripts_get_parse_errors", json!({"script_path": b}));
            assert_eq!(check["ok"], false, "n is gone: {check}");
        }),
        case("C# is checked where .NET is, and only there", |t| {
            let path = t.path("Checked.cs");
            put(t, &path, "public partial class Checked {}\n");
            let call = json!({"script_path": path});
            let fault = t.fault("scripts_get_parse_errors", call, "UNSUPPORTED");
            assert_eq!(fault["required"], "dotnet", "{fault}");
            let call = json!({"script_path": path, "content": "x"});
            invalid(t, "scripts_get_parse_errors", call, "content");
        }),
        case("a check refuses what is no script of the project", |t| {
            invalid(t, "scripts_get_parse_errors", json!({"script_path": MAIN}), "script_path");
            let none = json!({"script_path": "res://none.gd"});
            t.fault("scripts_get_parse_errors", none, "RESOURCE_NOT_FOUND");
        }),
        // The last one, as the editor does not start its server again after that.
        case("nothing is run by a check, whoever makes it", |t| {
            let path = t.path("treacherous.gd");
            let setting = "network/language_server/remote_port";
            let call = json!({"script_path": path, "content": TREACHEROUS});
            let check = t.ok("scripts_get_parse_errors", call.clone());
            assert_eq!((&check["method"], &check["ok"]), (&json!("language_server"), &json!(true)));
            // Somebody else has the port, and hangs up on everybody.
            let other = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let port = other.local_addr().unwrap().port();
            std::thread::spawn(move || other.incoming().for_each(drop));
            let mut order = json!({"do": "setting", "name": setting, "value": port});
            let was = t.editor().hands(&order);
            let check = t.ok("scripts_get_parse_errors", call);
            assert_eq!(
                (&check["method"], &check["ok"]),
                (&json!("compiler"), &json!(true)),
                "{check}"
            );
            assert!(check["hint"].as_str().unwrap().contains("language server"), "{check}");
            let text = "class_name Boss\nextends Node\n\nfunc f():\n\tnope()\n";
            let call = json!({"script_path": "res://scripts/boss.gd", "content": text});
            let check = t.ok("scripts_get_parse_errors", call);
            assert_eq!(
                (&check["ok"], &check["errors"][0]["line"]),
                (&json!(false), &json!(5)),
                "{check}"
            );
            assert_eq!(check["errors"].as_array().unwrap().len(), 1, "{check}");
            // All scripts are checked so as well.
            let wrong = t.path("wrong.gd");
            let seconds = json!({"timeout_seconds": 1});
            let before = t.ok("debug_workflow", seconds.clone())["parse"].take();
            put(t, &wrong, "extends Node\n\nvar x = = 3\n");
            let report = t.ok("debug_workflow", seconds);
            let parse = &report["parse"];
            assert_eq!(parse["ok"], false, "{report}");
            let count = |parse: &Value| parse["error_count"].as_u64().unwrap();
            assert_eq!(count(parse), count(&before) + 1, "{before} {report}");
            assert!(parse["skipped_reason"].as_str().unwrap().contains("compiler"), "{report}");
            fs::remove_file(t.project().file(&wrong)).unwrap();
            // A write and a patch say the same.
            let own = t.path("own.gd");
            let call =
                json!({"script_path": own, "content": "extends Node\n\nfunc f():\n\tnope()\n"});
            let answer = t.ok("scripts_write", call);
            assert_eq!(answer["errors"][0]["line"], 4, "{answer}");
            assert!(answer["hint"].as_str().unwrap().contains("compiler"), "{answer}");
            let call = json!({"script_path": own, "find": "nope()", "replace": "nopes("});
            let answer = t.ok("scripts_patch", call);
            assert!(!answer["errors"].as_array().unwrap().is_empty(), "{answer}");
            assert!(answer["hint"].as_str().unwrap().contains("compiler"), "{answer}");
            t.undo(2);
            assert!(bytes(t, &own).is_none());
            // What it would load beside the script is not run either.
            let tool = t.path("unloaded.gd");
            put(t, &tool, TREACHEROUS);
            let text = format!("extends Node\nconst TOOL = preload(\"{tool}\")\n");
            let call = json!({"script_path": path, "content": text});
            let fault = t.fault("scripts_get_parse_errors", call, "UNSUPPORTED");
            assert_eq!(fault["would_run"], tool, "{fault}");
            let text = format!("extends Node\nconst TOOL = preload(\"{tool}\")\n");
            let answer = t.ok("scripts_write", json!({"script_path": own, "content": text}));
            assert!(answer.get("errors").is_none(), "{answer}");
            assert!(answer["hint"].as_str().unwrap().contains("get_parse_errors"), "{answer}");
            t.undo(1);
            order["value"] = was;
            t.editor().hands(&order);
            assert!(bytes(t, "res://ran.txt").is_none(), "the check ran the script");
        }),
    ]
}

fn tab(t: &mut Test<'_>, path: &str) -> Value {
    t.editor().hands(&json!({"do": "script_tab", "path": path}))
}

fn come_back(t: &mut Test<'_>) -> Value {
    t.editor().hands(&json!({"do": "come_back"}))
}
