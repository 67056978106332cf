//! What a batch would do, as far as that can be told without doing it.
//!
//! Every entry is planned on its own, in the state as it is now. Where an entry speaks of what an
//! earlier one makes, it cannot be planned yet, and the answer says so; where it speaks of what an
//! earlier one takes away, it would fail, and so the preview does.

use std::collections::HashSet;

use godot::classes::FileAccess;
use protocol::{ErrorCode, Fault, Stamp, Tool, Toolset, Verb, envelope};
use serde_json::{Value, value::RawValue};

use super::{
    entry::{Entry, read},
    scenes::Scenes,
};
use crate::{
    call::{Call, Mode},
    dispatch::{Answer, Dispatcher, Prepared},
    scene::Scene,
};

/// Plans every entry.
pub(super) fn preview(
    dispatcher: &Dispatcher,
    batch: envelope::Batch,
) -> Result<Box<RawValue>, Fault> {
    let stop_on_error = batch.stop_on_error;
    let (entries, mut report) = read(batch)?;
    let mut foreseen = Foreseen::default();
    let mut planned = Vec::new();
    for Entry { index, order } in entries {
        let outcome = match order {
            Ok(call) => plan(dispatcher, index, call, &mut foreseen),
            Err(fault) => Err(Failure::Certain(fault)),
        };
        let command = report.results.get(index).map(|it| it.command.clone()).unwrap_or_default();
        match outcome {
            Ok(Some(result)) => {
                report.take_down(index, Ok(result));
                planned.push(command);
            }
            Ok(None) => {
                if let Some(result) = report.results.get_mut(index) {
                    result.ok = true;
                    result.hint = Some("It runs something and has no preview.".to_owned());
                }
                planned.push(command);
            }
            Err(Failure::Uncertain) => {
                if let Some(result) = report.results.get_mut(index) {
                    result.ok = true;
                    result.depends_on_earlier = Some(true);
                    result.hint = Some(
                        "It depends on what an earlier command makes, and is planned when that is \
                         there."
                            .to_owned(),
                    );
                }
            }
            Err(Failure::Certain(fault)) => {
                report.take_down(index, Err(fault.clone()));
                if stop_on_error {
                    return Err(report.abortion(index, fault, None));
                }
            }
        }
    }
    let stamp = Stamp {
        dry_run: true,
        verdict: None,
        undoable: Some(foreseen.edits > 0 && foreseen.all_undoable),
        scene: None,
        discards: (!foreseen.discards.is_empty()).then(|| foreseen.discards.join("; ")),
        engine_errors: Vec::new(),
    };
    let mut run = report.run(usize::from(foreseen.any_undoable));
    run.planned = Some(planned);
    dispatcher.stamped(run, stamp)
}

/// Why an entry has no plan.
enum Failure {
    /// It would fail.
    Certain(Fault),
    /// It may work once the ones before it have run.
    Uncertain,
}

/// What the entries planned so far would make, change and take away.
struct Foreseen {
    edits: usize,
    all_undoable: bool,
    /// Whether undo takes back anything of it.
    any_undoable: bool,
    discards: Vec<String>,
    made: Vec<String>,
    /// What would not be there any more, and by which entry.
    gone: Vec<(String, usize)>,
    /// Files, nodes with another script, actions and settings that would not be as they are now.
    changed: HashSet<String>,
    /// Whether something would be made whose path cannot be told.
    makes_unknown: bool,
    /// Whether another scene would be the active one.
    is_elsewhere: bool,
    /// What would be done to open scenes, as long as the active one is known.
    scenes: Scenes,
    /// The scene that would have unsaved changes.
    changed_scene: Option<String>,
    /// Whether scripts would be others, and with them classes, properties and signals.
    has_other_scripts: bool,
}

impl Default for Foreseen {
    fn default() -> Foreseen {
        Foreseen {
            edits: 0,
            all_undoable: true,
            any_undoable: false,
            discards: Vec::new(),
            made: Vec::new(),
            gone: Vec::new(),
            changed: HashSet::new(),
            makes_unknown: false,
            is_elsewhere: false,
            scenes: Scenes::default(),
            changed_scene: None,
            has_other_scripts: false,
        }
    }
}

fn plan(
    dispatcher: &Dispatcher,
    index: usize,
    call: Call<'_>,
    foreseen: &mut Foreseen,
) -> Result<Option<Box<RawValue>>, Failure> {
    let params: Value = serde_json::from_str(call.params.get()).unwrap_or_default();
    let subjects = subjects(call.tool, &params);
    let speaks_of_made = subjects.iter().any(|path| foreseen.makes(path));
    if !speaks_of_made
        && let Some((path, by)) = subjects.iter().find_map(|path| foreseen.takes_away(path))
    {
        return Err(Failure::Certain(Fault::not_found(format!(
            "'{path}' is not there any more by then: command {by} takes it away."
        ))));
    }
    if matches!(call.tool.verb(), Verb::runs | Verb::asks | Verb::games) {
        return Ok(None);
    }
    let is_edit = call.tool.verb() != Verb::reads;
    let (tool, place) = (call.tool, place_of(&params));
    let speaks_of_changed = subjects.iter().any(|subject| foreseen.changed.contains(subject))
        || foreseen.has_other_scripts && is_edit && tool.toolset() == Toolset::Scripts
        // Its name is free by then, or taken, which is not so now.
        || place.as_ref().is_some_and(|it| foreseen.takes_away(it).is_some() || foreseen.made.contains(it));
    let call = Call { mode: Mode::Preview, ..call };
    let scene = foreseen.changed_scene.clone();
    let planned = dispatcher.context.tabs.ahead(scene, || dispatcher.prepare(&call));
    let was_elsewhere = foreseen.is_elsewhere;
    if is_edit {
        foreseen.changes(tool, &params, &subjects, index);
    }
    let is_mended = |fault: &Fault| speaks_of_made || foreseen.may_mend(fault);
    let is_uncertain = speaks_of_changed || planned.as_ref().err().is_some_and(is_mended);
    if is_uncertain {
        foreseen.makes_unknown |= is_edit
            && (place.is_none() && makes_paths(tool)
                || place.as_ref().is_some_and(|it| foreseen.made.contains(it)));
        foreseen.made.extend(place);
        foreseen.any_undoable |= is_edit;
        if is_edit {
            // What it does to them cannot be told.
            foreseen.changed.extend(subjects);
        }
        return Err(Failure::Uncertain);
    }
    match planned {
        Ok(Prepared::Answer(Answer::Done(result))) => Ok(Some(result)),
        Ok(Prepared::Preview(result, reach)) => {
            if !was_elsewhere {
                foreseen.scenes.check(&reach).map_err(Failure::Certain)?;
                foreseen.scenes.note(index, reach);
            }
            foreseen.learn(&serde_json::from_str(result.get()).unwrap_or_default());
            Ok(Some(result))
        }
        // A preview never waits, and never is an edit.
        Ok(_) => Ok(None),
        Err(fault) => Err(Failure::Certain(fault)),
    }
}

/// What a call speaks of: nodes and files by their paths, actions and settings by their names.
fn subjects(tool: Tool, params: &Value) -> Vec<String> {
    let mut subjects = Vec::new();
    paths_in(params, false, &mut subjects);
    let by_name = |name: &str| params.get(name).and_then(Value::as_str);
    let named = match (tool.toolset(), tool) {
        (Toolset::InputMap, _) => by_name("action").or_else(|| by_name("name")),
        (_, Tool::GetSetting | Tool::SetSetting) => by_name("name"),
        (_, Tool::RegisterAutoload | Tool::UnregisterAutoload) => by_name("name"),
        _ => None,
    };
    subjects.extend(named.map(|name| format!("{}:{name}", tool.toolset().name())));
    if tool == Tool::SetSetting {
        // Some settings have to name a file that is there.
        let file = by_name("value").filter(|value| value.starts_with("res://"));
        subjects.extend(file.map(str::to_owned));
    }
    subjects
}

/// Whether a tool puts nodes at paths that its parameters do not tell.
fn makes_paths(tool: Tool) -> bool {
    let moves = matches!(tool, Tool::RenameNode | Tool::MoveNode | Tool::DuplicateNode);
    moves || matches!(tool, Tool::BatchCreateNodes | Tool::InstanceScene | Tool::ExtractScene)
}

/// The texts in parameters or a result that are paths, by their names; those of a list as well.
fn paths_in(value: &Value, is_path: bool, paths: &mut Vec<String>) {
    match value {
        Value::String(text) if is_path => paths.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| paths_in(item, is_path, paths)),
        Value::Object(members) => {
            for (name, member) in members {
                let is_path = name.ends_with("path") || name.ends_with("paths");
                paths_in(member, is_path || name == "created" || name == "children", paths);
            }
        }
        _ => {}
    }
}

/// Where a new node would be, if these are the parameters of a call that makes one.
fn place_of(params: &Value) -> Option<String> {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let (parent, name) = (text("parent_path")?, text("node_name")?);
    Some(if parent == "." { name.to_owned() } else { format!("{parent}/{name}") })
}

impl Foreseen {
    /// Whether an earlier entry makes what has this path, or something above it.
    fn makes(&self, path: &str) -> bool {
        self.made.iter().any(|made| is_at_or_below(path, made))
    }

    fn takes_away(&self, path: &str) -> Option<(String, usize)> {
        self.gone.iter().find(|(gone, _)| is_at_or_below(path, gone)).cloned()
    }

    /// Whether what an earlier entry does may be what is missing.
    fn may_mend(&self, fault: &Fault) -> bool {
        match fault.code {
            ErrorCode::ResourceNotFound => self.is_elsewhere || self.makes_unknown,
            ErrorCode::PreconditionFailed => self.is_elsewhere,
            ErrorCode::ValidationError => self.is_elsewhere || self.has_other_scripts,
            _ => false,
        }
    }

    /// An edit would be made, whether or not it can be planned now.
    fn changes(&mut self, tool: Tool, params: &Value, subjects: &[String], index: usize) {
        self.edits += 1;
        let sets_script = params.to_string().contains("\"script\"");
        let files = subjects.iter().filter(|subject| !is_node(subject) || sets_script);
        self.changed.extend(files.cloned());
        if tool == Tool::AttachScript || sets_script {
            self.changed.extend(subjects.iter().cloned());
            self.has_other_scripts = true;
        }
        self.has_other_scripts |= tool.toolset() == Toolset::Scripts;
        let path = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        match tool {
            Tool::SaveScene | Tool::SaveAllScenes => self.changed_scene = None,
            Tool::OpenScene | Tool::CreateScene | Tool::CloseScene | Tool::ReloadScene => {
                self.is_elsewhere = true;
            }
            Tool::DeleteNode | Tool::RenameNode | Tool::MoveNode => {
                self.gone.extend(path("node_path").map(|path| (path, index)));
            }
            Tool::DeleteResourceFile | Tool::MoveFile => {
                self.gone.extend(path("path").map(|path| (path, index)))
            }
            _ => {}
        }
    }

    /// What an edit that can be planned would make.
    fn learn(&mut self, result: &Value) {
        let undoable = result.get("undoable").and_then(Value::as_bool).unwrap_or_default();
        self.all_undoable &= undoable;
        self.any_undoable |= undoable;
        if undoable && result.get("persisted").is_some() {
            self.changed_scene = Scene::active_path();
        }
        self.discards.extend(result.get("discards").and_then(Value::as_str).map(str::to_owned));
        let mut paths = Vec::new();
        paths_in(result, false, &mut paths);
        self.made.extend(paths.into_iter().filter(|path| !is_there(path)));
    }
}

/// Whether a subject is a node of the scene, rather than a file, a setting or an action.
fn is_node(subject: &str) -> bool {
    !subject.contains(':')
}

/// Whether a node of the active scene, or a file of the project, has this path now.
fn is_there(path: &str) -> bool {
    if path.starts_with("res://") {
        return FileAccess::file_exists(path);
    }
    Scene::active().is_ok_and(|scene| scene.root.has_node(path))
}

fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
