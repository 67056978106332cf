//! What the entries of a batch would have done when the turn of the next one comes.

use std::collections::HashSet;

use godot::classes::FileAccess;
use protocol::{ErrorCode, Fault, Required, ResPath, Tool, Toolset};
use serde_json::Value;

use super::{
    active::{Active, home_of, is_about_scene, writes_scenes},
    scenes::Scenes,
    undo_steps::UndoSteps,
};
use crate::{
    plan::{Reach, StepHome},
    resource::folder_exists,
    scene::Scene,
};

/// What the entries so far would make, change and take away.
pub(super) struct Foreseen {
    /// The undo steps that they would be.
    pub(super) undo_steps: UndoSteps,
    /// Those of which undo would not take back all.
    pub(super) outside_undo: Vec<usize>,
    /// What would be lost for good, in words.
    pub(super) discards: Vec<String>,
    /// Paths of nodes and files that would be there.
    pub(super) made: Vec<String>,
    /// The folders that would be made for files among them.
    folders: HashSet<String>,
    /// What would not be there any more, and by which entry.
    gone: Vec<(String, usize)>,
    /// Files, nodes with another script, actions and settings that would not be as they are now.
    pub(super) changed: HashSet<String>,
    /// All that an edit would have done something to, nodes included.
    touched: HashSet<String>,
    /// Whether something would be made whose path cannot be told.
    pub(super) makes_unknown: bool,
    /// The scene that would be the active one.
    active: Active,
    /// What would be done to open scenes.
    pub(super) scenes: Scenes,
    /// The scene that would have unsaved changes.
    pub(super) changed_scene: Option<String>,
    /// Whether scripts would be others, and with them classes, properties and signals.
    pub(super) has_other_scripts: bool,
}

impl Default for Foreseen {
    fn default() -> Foreseen {
        Foreseen {
            undo_steps: UndoSteps::default(),
            outside_undo: Vec::new(),
            discards: Vec::new(),
            made: Vec::new(),
            folders: HashSet::new(),
            gone: Vec::new(),
            changed: HashSet::new(),
            touched: HashSet::new(),
            makes_unknown: false,
            active: Active::now(),
            scenes: Scenes::default(),
            changed_scene: None,
            has_other_scripts: false,
        }
    }
}

/// What a call speaks of: nodes and files by their paths, actions and settings by their names.
pub(super) fn subjects(tool: Tool, params: &Value) -> Vec<String> {
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
pub(super) fn makes_paths(tool: Tool) -> bool {
    let moves = matches!(tool, Tool::RenameNode | Tool::MoveNode | Tool::DuplicateNode);
    moves || matches!(tool, Tool::BatchCreateNodes | Tool::InstanceScene | Tool::ExtractScene)
}

/// The file or folder that a call puts somewhere, whether or not something is there.
pub(super) fn target_of(tool: Tool, params: &Value) -> Option<&str> {
    let parameter = match tool {
        Tool::WriteScript => "script_path",
        Tool::CreateResource => "resource_path",
        Tool::CreateShader | Tool::CreateVisualShader => "shader_path",
        Tool::CreateScene | Tool::ExtractScene => "scene_path",
        Tool::ImportAsset => "target_path",
        Tool::MoveFile => "new_path",
        _ => return None,
    };
    params.get(parameter)?.as_str()
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
pub(super) fn place_of(params: &Value) -> Option<String> {
    let text = |name: &str| params.get(name).and_then(Value::as_str);
    let (parent, name) = (text("parent_path")?, text("node_name")?);
    Some(if parent == "." { name.to_owned() } else { format!("{parent}/{name}") })
}

impl Foreseen {
    /// Whether an earlier entry makes what has this path, or something above it.
    pub(super) fn makes(&self, path: &str) -> bool {
        self.made.iter().any(|made| is_at_or_below(path, made))
            || self.folders.contains(path.trim_end_matches('/'))
    }

    /// An entry would make what has this path, and the folders that it lies in.
    fn make(&mut self, path: String) {
        let mut folder = path.as_str();
        while let Some((above, _)) = folder.rsplit_once('/').filter(|_| !is_node(&path))
            && !is_there(above)
        {
            self.folders.insert(above.to_owned());
            folder = above;
        }
        self.made.push(path);
    }

    /// The entry that takes this away, or something above it.
    pub(super) fn takes_away(&self, path: &str) -> Option<usize> {
        self.gone.iter().find(|(gone, _)| is_at_or_below(path, gone)).map(|(_, by)| *by)
    }

    /// Whether a call is about a scene that is not the active one yet.
    pub(super) fn cannot_see(&self, tool: Tool, params: &Value) -> bool {
        !self.active.is_shown() && is_about_scene(tool, params)
    }

    /// Whether the parameters of a call name a file that an earlier entry makes or changes, also inside a
    /// value.
    fn is_named_in(&self, params: &Value) -> bool {
        let text = params.to_string();
        let all = self.made.iter().chain(&self.touched);
        all.filter(|it| it.starts_with("res://")).any(|it| text.contains(&**it))
    }

    /// Whether a call speaks of what an earlier entry makes or does something to, so that it may not fail
    /// by then as it would now.
    pub(super) fn may_change(&self, params: &Value, subjects: &[String]) -> bool {
        subjects.iter().any(|it| self.makes(it) || self.touched.contains(it))
            || self.is_named_in(params)
    }

    /// Whether what an earlier entry does may be what is missing.
    pub(super) fn may_mend(&self, fault: &Fault) -> bool {
        let is_elsewhere = !self.active.is_shown();
        match fault.code {
            ErrorCode::ResourceNotFound => is_elsewhere || self.makes_unknown,
            ErrorCode::PreconditionFailed => is_elsewhere,
            ErrorCode::ValidationError => is_elsewhere || self.has_other_scripts,
            _ => false,
        }
    }

    /// An edit would be made, whether or not it can be planned now.
    pub(super) fn changes(
        &mut self,
        tool: Tool,
        params: &Value,
        subjects: &[String],
        index: usize,
    ) {
        let sets_script = params.to_string().contains("\"script\"");
        let files = subjects.iter().filter(|subject| !is_node(subject) || sets_script);
        self.changed.extend(files.cloned());
        // A new child makes the node above it no other.
        let above = params.get("parent_path").and_then(Value::as_str);
        let touched = subjects.iter().filter(|subject| Some(subject.as_str()) != above);
        self.touched.extend(touched.cloned());
        if tool == Tool::AttachScript || sets_script {
            self.changed.extend(subjects.iter().cloned());
            self.has_other_scripts = true;
        }
        self.has_other_scripts |= tool.toolset() == Toolset::Scripts;
        let path = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        match tool {
            Tool::SaveScene | Tool::SaveAllScenes => self.changed_scene = None,
            Tool::DeleteNode | Tool::RenameNode | Tool::MoveNode => {
                self.gone.extend(path("node_path").map(|path| (path, index)));
            }
            Tool::DeleteResourceFile | Tool::MoveFile => {
                let path = path("path").and_then(|path| ResPath::try_from(path).ok());
                self.gone.extend(path.map(|path| (path.to_string(), index)));
            }
            _ => {}
        }
        self.active.pass(tool, params);
    }

    /// An edit would be made that cannot be planned now, so what it does can only be told by its tool.
    pub(super) fn changes_unplanned(
        &mut self,
        tool: Tool,
        params: &Value,
        subjects: Vec<String>,
        place: Option<String>,
        index: usize,
    ) {
        let home = home_of(tool, &self.active);
        self.undo_steps.take_unplanned(home.as_ref());
        if writes_scenes(tool) || tool == Tool::ExtractScene {
            self.outside_undo.push(index);
        }
        if let Some(StepHome::Scene(path)) = home {
            self.changed_scene = Some(path);
        }
        self.changes(tool, params, &subjects, index);
        self.made.extend(place);
        if let Some(target) = target_of(tool, params) {
            let target = target.to_owned();
            self.make(ResPath::try_from(target.clone()).map_or(target, String::from));
        }
        self.changed.extend(subjects);
    }

    /// An edit that can be planned would be made, with this result.
    pub(super) fn takes(&mut self, index: usize, reach: Reach, result: &Value) {
        self.undo_steps.take(&reach);
        if reach.writes_outside_undo {
            self.outside_undo.push(index);
        }
        let undoable = result.get("undoable").and_then(Value::as_bool).unwrap_or_default();
        if undoable && result.get("persisted").is_some() {
            self.changed_scene = Scene::active_path();
        }
        self.scenes.note(index, reach);
        self.discards.extend(result.get("discards").and_then(Value::as_str).map(str::to_owned));
        let mut paths = Vec::new();
        paths_in(result, false, &mut paths);
        paths.into_iter().filter(|path| !is_there(path)).for_each(|path| self.make(path));
    }
}

/// The refusal of a call that names what command `by` takes away, as the call itself would put it.
pub(super) fn gone(path: &str, by: usize, params: &Value) -> Fault {
    let required = if is_node(path) {
        Some(Required::NODE_EXISTS)
    } else {
        let members = params.as_object().into_iter().flatten();
        let mut named = members.filter(|(_, value)| value.as_str() == Some(path));
        named.next().map(|(name, _)| Required::parameter(name.clone()))
    };
    let fault = Fault::not_found(format!(
        "'{path}' is not there any more by then: command {by} takes it away."
    ));
    match required {
        Some(required) => fault.requiring(required),
        None => fault,
    }
}

/// Whether a subject is a node of the scene, rather than a file, a setting or an action.
fn is_node(subject: &str) -> bool {
    !subject.contains(':')
}

/// Whether a node of the active scene, or a file of the project, has this path now.
fn is_there(path: &str) -> bool {
    if path.starts_with("res://") {
        return FileAccess::file_exists(path) || folder_exists(path);
    }
    Scene::active().is_ok_and(|scene| scene.root.has_node(path))
}

fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
