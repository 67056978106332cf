//! Many cases on one editor: `main` of a test binary is [`run`] with a list of cases.
//!
//! Each case gets its own copy of a scene, and its scenes are closed after it, so the order does
//! not matter and one failure does not bring down the next case.

use std::{
    fs,
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    editor::Editor,
    project::Project,
    scene_file::SceneFile,
    world::wait_connected,
};

/// A named case.
pub struct Case {
    name: &'static str,
    body: fn(&mut Test<'_>),
}

/// Names a case. The name says what holds, in words.
pub const fn case(name: &'static str, body: fn(&mut Test<'_>)) -> Case {
    Case { name, body }
}

/// The editor and the client that all cases of a binary share.
struct Shared {
    project: &'static Project,
    editor: Editor<'static>,
    client: Client,
}

/// One case while it runs.
pub struct Test<'a> {
    name: &'static str,
    shared: &'a mut Shared,
    scenes: Vec<String>,
}

/// What an edit did; see [`Test::edit`].
pub struct Edit {
    /// The answer.
    pub answer: Value,
    /// The scene, saved after the edit.
    pub saved: SceneFile,
    /// The scene, saved before it.
    pub before: SceneFile,
}

/// What an edit of a file did; see [`Test::edit_file`].
pub struct FileEdit {
    /// The answer.
    pub answer: Value,
    /// The file after the edit.
    pub text: String,
}

impl Test<'_> {
    /// Copies a scene to a file of this case's own and opens it. Gives back its path.
    pub fn open(&mut self, scene: &str) -> String {
        let path = self.path(&format!("{}.tscn", self.scenes.len()));
        fs::copy(self.shared.project.file(scene), self.shared.project.file(&path)).unwrap();
        self.ok("scene_edit_open_scene", json!({"scene_path": path}));
        self.scenes.push(path.clone());
        path
    }

    /// A `res://` path of this case's own.
    pub fn path(&self, file: &str) -> String {
        let words = self.name.split(|c: char| !c.is_ascii_alphanumeric());
        let folder = words.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("_").to_lowercase();
        let path = format!("res://cases/{folder}/{file}");
        fs::create_dir_all(self.shared.project.file(&path).parent().unwrap()).unwrap();
        path
    }

    /// Opened scenes are closed at the end; a scene that a tool made is closed with this.
    pub fn close_at_end(&mut self, path: &str) {
        self.scenes.push(path.to_owned());
    }

    /// The project that the editor has open.
    pub fn project(&self) -> &Project {
        self.shared.project
    }

    /// The editor.
    pub fn editor(&mut self) -> &mut Editor<'static> {
        &mut self.shared.editor
    }

    /// The client.
    pub fn client(&mut self) -> &mut Client {
        &mut self.shared.client
    }

    /// Calls a tool, by its name without `godot_`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        self.shared.client.call(tool, arguments)
    }

    /// Calls a tool, which must succeed.
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments.clone());
        assert!(answer.ok, "{tool} {arguments} failed: {}", answer.value);
        answer.value
    }

    /// Calls a tool, which must fail with that code.
    pub fn fault(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let answer = self.call(tool, arguments.clone());
        assert!(!answer.ok, "{tool} {arguments} must fail, but answered {}", answer.value);
        assert_eq!(answer.code(), code, "{tool} {arguments}: {}", answer.value);
        let hint = answer.value["hint"].as_str().unwrap_or_default();
        assert!(!hint.is_empty(), "{tool}: a fault without a hint: {}", answer.value);
        answer.value
    }

    /// Calls a tool, which must refuse until `required` is seen to.
    pub fn refused(&mut self, tool: &str, arguments: Value, required: &str) -> Value {
        let fault = self.fault(tool, arguments, "PRECONDITION_FAILED");
        assert_eq!(fault["required"], required, "{tool}: {fault}");
        fault
    }

    /// An edit that must fail with that code, and as a preview too, and change nothing.
    pub fn edit_fault(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        let before = self.saved();
        let steps = self.steps();
        self.fault(tool, with(&arguments, "dry_run", json!(true)), code);
        let fault = self.fault(tool, arguments, code);
        assert_eq!(self.steps(), steps, "{tool}: a refused edit left a step to undo");
        let after = self.saved();
        assert_eq!(before, after, "{tool}: a refused edit changed {:?}", before.diff(&after));
        fault
    }

    /// An edit of the active scene, with all that must hold for any edit:
    ///
    /// 1. its preview says the same and changes nothing;
    /// 2. it is one step to undo, labelled as ours, and the saved file has it;
    /// 3. undo gives back the file as it was;
    /// 4. redo gives the edit back.
    pub fn edit(&mut self, tool: &str, arguments: Value) -> Edit {
        let before = self.saved();
        let steps = self.steps();

        let preview = self.ok(tool, with(&arguments, "dry_run", json!(true)));
        assert_eq!(preview["dry_run"], true, "{tool}: {preview}");
        assert_eq!(self.steps(), steps, "{tool}: a preview left a step to undo");
        let untouched = self.saved();
        let changes = before.diff(&untouched);
        assert!(changes.is_empty(), "{tool}: a preview changed {changes:?}");

        let answer = self.ok(tool, arguments);
        assert_eq!(answer["dry_run"], false, "{tool}: {answer}");
        for key in ["node_path", "persisted", "reason"] {
            assert_eq!(preview[key], answer[key], "{tool}: preview and edit differ in {key}");
        }
        let now = self.steps();
        assert_eq!(now.len(), steps.len() + 1, "{tool}: not one step to undo: {now:?}");
        let label = now.first().cloned().unwrap_or_default();
        assert!(label.starts_with("MCP: "), "{tool}: its step is labelled {label:?}");

        let saved = self.saved();
        self.undo(1);
        let undone = self.saved();
        let changes = before.diff(&undone);
        assert!(changes.is_empty() && before == undone, "{tool}: after undo: {changes:?}");
        self.redo(1);
        let redone = self.saved();
        let changes = saved.diff(&redone);
        assert!(changes.is_empty() && saved == redone, "{tool}: after redo: {changes:?}");
        Edit { answer, saved, before }
    }

    /// An edit of a file that is in no scene, with all that must hold for any such edit:
    ///
    /// 1. its preview says the same and leaves the file as it is;
    /// 2. the file is written, and it is one step to undo, labelled as ours;
    /// 3. undo gives back the file to the byte, or takes it away if there was none;
    /// 4. redo gives the edit back.
    pub fn edit_file(&mut self, tool: &str, arguments: Value, path: &str) -> FileEdit {
        let file = self.shared.project.file(path);
        let read = || fs::read(&file).ok();
        let before = read();

        let mut preview = self.ok(tool, with(&arguments, "dry_run", json!(true)));
        assert_eq!(preview["dry_run"], true, "{tool}: {preview}");
        assert_eq!(read(), before, "{tool}: a preview changed {path}");

        let answer = self.ok(tool, arguments);
        assert_eq!((&answer["dry_run"], &answer["undoable"]), (&json!(false), &json!(true)));
        for (key, value) in preview.as_object_mut().unwrap() {
            let is_flag = [json!(true), json!(false)].contains(value) || key == "engine_errors";
            assert!(is_flag || answer[key] == *value, "{tool}: preview and edit differ in {key}");
        }
        let after = read();
        assert_ne!(after, before, "{tool}: {path} is as it was: {answer}");

        let undone = self.undo(1);
        assert_eq!(undone["steps"][0]["by"], "agent", "{tool}: {undone}");
        assert_eq!(read(), before, "{tool}: {path} after undo");
        self.redo(1);
        assert_eq!(read(), after, "{tool}: {path} after redo");
        let text = after.unwrap_or_default();
        FileEdit { answer, text: String::from_utf8_lossy(&text).into_owned() }
    }

    /// An edit of a file that must fail with that code, and as a preview too, and leave the file as
    /// it is.
    pub fn edit_file_fault(
        &mut self,
        tool: &str,
        arguments: Value,
        code: &str,
        path: &str,
    ) -> Value {
        let file = self.shared.project.file(path);
        let before = fs::read(&file).ok();
        self.fault(tool, with(&arguments, "dry_run", json!(true)), code);
        let fault = self.fault(tool, arguments, code);
        assert_eq!(fs::read(&file).ok(), before, "{tool}: a refused edit changed {path}");
        fault
    }

    /// Saves the active scene and reads the file.
    pub fn saved(&mut self) -> SceneFile {
        let answer = self.ok("scene_edit_save_scene", json!({}));
        assert_eq!(answer["saved"], true, "{answer}");
        let path = answer["path"].as_str().expect("the answer has the path").to_owned();
        self.shared.project.scene(&path)
    }

    /// The labels of the steps that can be undone, the newest first.
    pub fn steps(&mut self) -> Vec<String> {
        let history = self.ok("list_history", json!({}));
        let steps = history["recent"].as_array().cloned().unwrap_or_default();
        let done = steps.iter().filter(|it| it["undone"] != json!(true));
        done.filter_map(|it| Some(it["name"].as_str()?.to_owned())).collect()
    }

    /// Undoes exactly so many steps.
    pub fn undo(&mut self, count: u32) -> Value {
        let answer = self.ok("undo", json!({"count": count}));
        assert_eq!(answer["undone"], count, "{answer}");
        answer
    }

    /// Redoes exactly so many steps.
    pub fn redo(&mut self, count: u32) -> Value {
        let answer = self.ok("redo", json!({"count": count}));
        assert_eq!(answer["redone"], count, "{answer}");
        answer
    }

    /// The value of a property of a node of the active scene.
    pub fn property(&mut self, node: &str, property: &str) -> Value {
        let arguments = json!({"node_path": node, "property": property});
        let mut answer = self.ok("inspection_get_node_property", arguments);
        assert_eq!(answer["exists"], true, "{answer}");
        answer["value"].take()
    }

    /// Whether the active scene has a node, saved or not.
    pub fn exists(&mut self, node: &str) -> bool {
        self.call("inspection_get_node_groups", json!({"node_path": node})).ok
    }

    fn tidy_up(&mut self) {
        for path in std::mem::take(&mut self.scenes) {
            // The case may have closed it itself.
            self.call("scene_edit_close_scene", json!({"scene_path": path, "confirm": true}));
        }
    }
}

/// The arguments with one more.
fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = value;
    arguments
}

/// Runs the cases that the command line asks for, one after the other, on one editor that starts
/// when the first needs it. The editor must quit cleanly after the last.
pub fn run(cases: Vec<Case>) -> ExitCode {
    run_and_end(cases, |editor| drop(editor.quit()))
}

/// As [`run`], for cases that remove breakpoints: the engine does not free what its list of them showed
/// (`ScriptEditorDebugger` takes the items out of their tree, and no more), and says so at its end.
pub fn run_with_breakpoints(cases: Vec<Case>) -> ExitCode {
    run_and_end(cases, |editor| drop(editor.quit_in_any_state()))
}

fn run_and_end(cases: Vec<Case>, end: fn(Editor<'static>)) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let shared: Arc<OnceLock<Mutex<Option<Shared>>>> = Arc::default();
    let trials = cases.into_iter().map(|case| {
        let shared = Arc::clone(&shared);
        Trial::test(case.name, move || {
            let cell = shared.get_or_init(|| Mutex::new(Some(start())));
            let mut guard = cell.lock().unwrap_or_else(PoisonError::into_inner);
            let shared = guard.as_mut().ok_or("the editor is gone")?;
            let mut test = Test { name: case.name, shared, scenes: Vec::new() };
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| (case.body)(&mut test)));
            let tidied = panic::catch_unwind(AssertUnwindSafe(|| test.tidy_up()));
            test.shared.client.assert_clean();
            test.shared.editor.assert_alive();
            outcome.and(tidied).map_err(|cause| Failed::from(message(&*cause)))
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let last =
        shared.get().and_then(|cell| cell.lock().unwrap_or_else(PoisonError::into_inner).take());
    if let Some(shared) = last {
        shared.client.close();
        end(shared.editor);
    }
    conclusion.exit_code()
}

fn start() -> Shared {
    // Until the process ends, as its cases are.
    let project: &'static Project = Box::leak(Box::new(Project::new()));
    let mut client = Client::start(project);
    let mut editor = Editor::start(project);
    wait_connected(&mut client, &mut editor);
    Shared { project, editor, client }
}

/// Runs cases that each bring their own editor, one after the other.
pub fn run_alone(cases: &[(&'static str, fn())]) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = cases.iter().map(|&(name, body)| {
        Trial::test(name, move || {
            panic::catch_unwind(body).map_err(|cause| Failed::from(message(&*cause)))
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn message(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().cloned();
    text.or_else(|| cause.downcast_ref::<&str>().map(|it| (*it).to_owned()))
        .unwrap_or_else(|| "the case panicked".to_owned())
}
