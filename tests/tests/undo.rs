//! Undo and redo of steps on files, when somebody else has written to them between.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run(cases())
}

fn write(t: &mut Test<'_>, path: &str, content: &str) {
    t.ok("scripts_write", json!({"script_path": path, "content": content}));
}

fn put(t: &Test<'_>, path: &str, content: &str) {
    fs::write(t.project().file(path), content).unwrap();
}

fn read(t: &Test<'_>, path: &str) -> Option<String> {
    fs::read_to_string(t.project().file(path)).ok()
}

/// A call that is refused for a changed file, and as a preview too, with the same words.
fn refused(t: &mut Test<'_>, tool: &str, mut call: Value, path: &str) -> Value {
    let fault = t.fault(tool, call.clone(), "PRECONDITION_FAILED");
    call["dry_run"] = json!(true);
    assert_eq!(t.fault(tool, call, "PRECONDITION_FAILED"), fault, "the preview says otherwise");
    assert_eq!(fault["required"], "skip_changed_files", "{fault}");
    assert_eq!(fault["path"], path, "{fault}");
    assert!(fault["hint"].as_str().unwrap().contains("skip_changed_files=true"), "{fault}");
    fault
}

/// Steps that leave changed files as they are, with a preview that names the same and does nothing.
fn skip(t: &mut Test<'_>, tool: &str, count: u32, left: &[&str]) -> Value {
    let call = json!({"count": count, "skip_changed_files": true});
    let mut preview = call.clone();
    preview["dry_run"] = json!(true);
    let before: Vec<_> = left.iter().map(|path| read(t, path)).collect();
    let preview = t.ok(tool, preview);
    assert_eq!(preview["skipped_files"], json!(left), "{preview}");
    let answer = t.ok(tool, call);
    assert_eq!(answer["skipped_files"], json!(left), "{answer}");
    assert_eq!(answer["steps"].as_array().unwrap().len(), count as usize, "{answer}");
    assert_eq!(answer["hint"], preview["hint"]);
    for path in left {
        assert!(answer["hint"].as_str().unwrap().contains(path), "{answer}");
    }
    assert_eq!(left.iter().map(|path| read(t, path)).collect::<Vec<_>>(), before);
    answer
}

fn cases() -> Vec<Case> {
    vec![
        case("a preview foresees what undo refuses, and the steps before stay in reach", |t| {
            let paths = ["a.gd", "b.gd", "c.gd"].map(|name| t.path(name));
            let [a, b, c] = &paths;
            for path in &paths {
                put(t, path, "extends Node\n");
                write(t, path, "extends Node2D\n");
            }
            put(t, b, "extends Control # theirs\n");
            let all = |t: &Test<'_>| paths.each_ref().map(|path| read(t, path).unwrap());
            let before = all(t);
            let fault = refused(t, "undo", json!({"count": 3}), b);
            assert_eq!(fault["steps_before"], 1, "{fault}");
            assert_eq!(fault["action"], format!("MCP: Write {b}"), "{fault}");
            assert_eq!(all(t), before, "a refused undo changed something");
            t.undo(1);
            assert_eq!(read(t, c).unwrap(), "extends Node\n");
            refused(t, "undo", json!({}), b);

            skip(t, "undo", 2, &[b]);
            let undone = ["extends Node\n", "extends Control # theirs\n", "extends Node\n"];
            assert_eq!(all(t), undone);
            t.redo(1);
            assert_eq!(read(t, a).unwrap(), "extends Node2D\n");
            refused(t, "redo", json!({}), b);
            skip(t, "redo", 2, &[b]);
            let redone = ["extends Node2D\n", "extends Control # theirs\n", "extends Node2D\n"];
            assert_eq!(all(t), redone);
            // What they put back themselves is taken back as ever.
            put(t, b, "extends Node2D\n");
            t.undo(3);
            assert_eq!(all(t), ["extends Node\n"; 3]);
        }),
        case("what a step does to a file counts for the steps before it", |t| {
            let path = t.path("often.gd");
            for content in ["extends Node\n", "extends Node2D\n", "extends Control\n"] {
                write(t, &path, content);
            }
            let preview = t.ok("undo", json!({"count": 3, "dry_run": true}));
            assert!(preview.get("skipped_files").is_none(), "{preview}");
            // As it was between: only the newest step finds it changed.
            put(t, &path, "extends Node\n");
            assert_eq!(refused(t, "undo", json!({"count": 3}), &path)["steps_before"], 0);
            skip(t, "undo", 2, &[&path]);
            t.undo(1);
            assert_eq!(read(t, &path), None);
            put(t, &path, "extends Node\n# theirs\n");
            refused(t, "redo", json!({}), &path);
            assert_eq!(read(t, &path).unwrap(), "extends Node\n# theirs\n");
        }),
        case("a file that was deleted since is missed by undo, and comes back to nobody", |t| {
            let path = t.path("deleted.gd");
            put(t, &path, "extends Node\n");
            write(t, &path, "extends Node2D\n");
            fs::remove_file(t.project().file(&path)).unwrap();
            refused(t, "undo", json!({}), &path);
            skip(t, "undo", 1, &[&path]);
            assert_eq!(read(t, &path), None);
        }),
        case("a move that cannot go back is left as a whole, with those who name the file", |t| {
            let (first, user) = (t.path("first.gd"), t.path("user.gd"));
            let (old, new) = (t.path("old.gd"), t.path("new.gd"));
            write(t, &first, "extends Node\n");
            put(t, &old, "extends Node\n");
            put(t, &user, &format!("extends Node\nconst A = preload(\"{old}\")\n"));
            t.ok("scene_edit_rescan_filesystem", json!({}));
            t.ok("project_move_file", json!({"path": old, "new_path": new}));
            put(t, &old, "extends Node # theirs\n");
            refused(t, "undo", json!({}), &old);
            let moved = format!("extends Node\nconst A = preload(\"{new}\")\n");
            assert_eq!(read(t, &user).unwrap(), moved, "a part of the step was undone");
            let answer = skip(t, "undo", 1, &[&new, &user]);
            assert_eq!(answer["undone"], 1, "{answer}");
            assert_eq!(read(t, &user).unwrap(), moved);
            assert_eq!(read(t, &old).unwrap(), "extends Node # theirs\n");
            t.undo(1);
            assert_eq!(read(t, &first), None);
        }),
        case("of a step on many files only the changed one is left", |t| {
            let paths: Vec<String> = (0..4).map(|n| t.path(&format!("{n}.gd"))).collect();
            let write = |path: &String| json!({"command": "write_script", "params": {"script_path": path, "content": "extends Node\n"}});
            let commands: Vec<Value> = paths.iter().map(write).collect();
            t.ok("composite_run_commands", json!({"commands": commands}));
            put(t, &paths[2], "extends Node3D # theirs\n");
            refused(t, "undo", json!({}), &paths[2]);
            assert_eq!(read(t, &paths[3]).unwrap(), "extends Node\n", "half of it was undone");
            skip(t, "undo", 1, &[&paths[2]]);
            let there: Vec<bool> = paths.iter().map(|path| read(t, path).is_some()).collect();
            assert_eq!(there, [false, false, true, false]);
        }),
        case("text that is typed and not saved is foreseen as well", |t| {
            let path = t.path("typed.gd");
            write(t, &path, "extends Node\n");
            t.editor().hands(&json!({"do": "edit_script", "path": path}));
            t.editor().hands(&json!({"do": "type", "path": path, "text": "# mine"}));
            let fault = refused(t, "undo", json!({}), &path);
            assert_eq!(fault["unsaved_in_editor"], true, "{fault}");
            skip(t, "undo", 1, &[&path]);
            let tab = t.editor().hands(&json!({"do": "script_tab", "path": path}));
            assert_eq!(tab["text"], "extends Node\n# mine");
        }),
        case("a step of the human in the place of ours has no files", |t| {
            t.open("res://scenes/main.tscn");
            let path = t.path("gone.gd");
            write(t, &path, "extends Node\n");
            t.undo(1);
            let set = json!({"do": "set", "node": "Player", "property": "speed", "value": "222.0"});
            t.editor().hands(&set);
            put(t, &path, "extends Node # theirs\n");
            assert_eq!(t.undo(1)["steps"][0]["by"], "user");
            assert_eq!(read(t, &path).unwrap(), "extends Node # theirs\n");
        }),
    ]
}
