//! Tabs of plain text in the script editor: what the human typed there is not lost, and what a call
//! wrote is shown.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const DELETE: &str = "project_delete_resource_file";
const MOVE: &str = "project_move_file";

fn main() -> ExitCode {
    run(typed().into_iter().chain(shown()).collect())
}

/// A text of this case's own, in a tab.
fn open_text(t: &mut Test<'_>, name: &str, text: &str) -> String {
    let path = t.path(name);
    fs::write(t.project().file(&path), text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    let shown = t.editor().hands(&json!({"do": "edit_text", "path": path}));
    assert_eq!(shown, text, "{path}");
    path
}

fn type_into(t: &mut Test<'_>, path: &str, text: &str) {
    t.editor().hands(&json!({"do": "type", "path": path, "text": text}));
}

/// What the tab of a text shows that was opened at `path`.
fn tab(t: &mut Test<'_>, path: &str) -> Value {
    t.editor().hands(&json!({"do": "script_tab", "path": path}))
}

fn delete(path: &str) -> Value {
    json!({"path": path, "confirm": true})
}

/// A call that must be refused for the sake of the text that was typed in the tab of `typed`, and
/// leave the file `path` as it is.
fn refused(t: &mut Test<'_>, tool: &str, call: Value, path: &str, typed: &str) {
    let fault = t.edit_file_fault(tool, call, "PRECONDITION_FAILED", path);
    assert_eq!(fault["unsaved_in_editor"], true, "{tool}: {fault}");
    assert_eq!(fault["path"], typed, "{tool}: {fault}");
    let hint = fault["hint"].as_str().unwrap();
    assert!(!hint.contains("godot_scripts_read"), "{hint}");
}

fn typed() -> Vec<Case> {
    vec![
        case("what is typed in a tab of plain text is not written over, moved or deleted", |t| {
            t.open(MAIN);
            for (name, text) in [
                ("words.txt", "words\n"),
                ("data.json", "{\"a\": 1}\n"),
                ("options.cfg", "[a]\nb=1\n"),
                ("notes.md", "# Notes\n"),
            ] {
                let path = open_text(t, name, text);
                t.edit_file(DELETE, delete(&path), &path);
                assert_eq!(tab(t, &path), Value::Null);
                t.undo(1);
                let path = open_text(t, name, text);
                type_into(t, &path, " mine");
                refused(t, DELETE, delete(&path), &path, &path);
                let new = t.path(&format!("moved/{name}"));
                refused(t, MOVE, json!({"path": path, "new_path": new}), &path, &path);
                let folder = path.rsplit_once('/').unwrap().0;
                let call = json!({"path": folder, "new_path": format!("{folder}_elsewhere")});
                refused(t, MOVE, call, &path, &path);

                // The list beside the tabs tells the paths, but not of what is filtered away.
                t.editor().hands(&json!({"do": "filter", "words": "nothing like it"}));
                refused(t, DELETE, delete(&path), &path, &path);
                let words = t.editor().hands(&json!({"do": "filter", "words": ""}));
                assert_eq!(words, "");

                // Saved as the hint says, it can be moved, and its tab goes along.
                t.ok("scene_edit_save_scene", json!({}));
                assert_eq!(t.project().read(&path).trim_end(), format!("{text} mine"));
                t.ok(MOVE, json!({"path": path, "new_path": new}));
                assert_eq!(tab(t, &path)["unsaved"], false);
                assert_eq!(t.editor().hands(&json!({"do": "come_back"})), json!([]));
                type_into(t, &path, " more");
                refused(t, DELETE, delete(&new), &new, &new);
                let fault = t.fault("undo", json!({}), "PRECONDITION_FAILED");
                assert_eq!(fault["path"], json!(new), "{fault}");
                t.ok("scene_edit_save_scene", json!({}));
                // The editor ends the last line of what it saves.
                let lines = format!("{text} mine\n more\n");
                assert_eq!(t.project().read(&new), lines);
                assert!(!t.project().file(&path).exists(), "{path} was written");
                let answer = t.ok(DELETE, delete(&new));
                assert_eq!(answer["tab_closed"], true, "{answer}");
                assert_eq!(tab(t, &path), Value::Null);
            }
        }),
        case("an import does not replace a text that is typed in", |t| {
            let folder = t.project().folder().join(".incoming");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("new.txt"), "new\n").unwrap();
            let path = open_text(t, "old.txt", "old\n");
            let call = json!({
                "source": "res://.incoming/new.txt", "target_path": path, "confirm": true,
            });
            type_into(t, &path, "mine");
            refused(t, "asset_import_asset", call.clone(), &path, &path);
            t.open(MAIN);
            t.ok("scene_edit_save_scene", json!({}));
            t.edit_file("asset_import_asset", call, &path);
            assert_eq!(tab(t, &path), json!({"text": "new\n", "unsaved": false}));
        }),
    ]
}

fn shown() -> Vec<Case> {
    vec![case("a tab of plain text shows what a call made of its file, and its undo", |t| {
        for (name, around) in
            [("list.json", ["{\"scene\": \"", "\"}\n"]), ("list.cfg", ["s=\"", "\"\n"])]
        {
            let scene = t.path(&format!("{name}.tscn"));
            fs::copy(t.project().file(MAIN), t.project().file(&scene)).unwrap();
            let text = |scene: &str| around.join(scene);
            let list = open_text(t, name, &text(&scene));
            let new = t.path(&format!("moved_{name}.tscn"));
            let call = json!({"path": scene, "new_path": new});
            let answer = t.ok(MOVE, call.clone());
            assert!(answer["updated_refs"].to_string().contains(&list), "{answer}");
            assert_eq!(tab(t, &list), json!({"text": text(&new), "unsaved": false}));
            assert_eq!(t.editor().hands(&json!({"do": "come_back"})), json!([]));
            t.undo(1);
            assert_eq!(tab(t, &list), json!({"text": text(&scene), "unsaved": false}));
            assert_eq!(t.editor().hands(&json!({"do": "come_back"})), json!([]));

            // Neither a redo nor the same move goes over what was typed since.
            type_into(t, &list, " ");
            let fault = t.fault("redo", json!({}), "PRECONDITION_FAILED");
            assert_eq!(fault["path"], json!(list), "{fault}");
            refused(t, MOVE, call, &scene, &list);
            assert_eq!(t.project().read(&list), text(&scene));
            t.open(MAIN);
            t.ok("scene_edit_save_scene", json!({}));
        }
    })]
}
