//! Which scene is the active one when the turn of an entry comes, as far as its batch tells.

use protocol::{ResPath, Tool, Toolset};
use serde_json::Value;

use crate::{plan::StepHome, scene::Scene};

/// The scene that is the active one by then.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Active {
    /// The one that is so now; with its path, if it was ever saved.
    Now(Option<String>),
    /// Another one, or that as its file has it.
    Other(String),
    /// That depends on what the editor does.
    Unknown,
}

impl Active {
    /// Before anything is done.
    pub(super) fn now() -> Active {
        Active::Now(Scene::active_path().filter(|path| !path.is_empty()))
    }

    /// Its path, where that is known.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Active::Now(path) => path.as_deref(),
            Active::Other(path) => Some(path),
            Active::Unknown => None,
        }
    }

    /// Whether it can be looked at now.
    pub(super) fn is_shown(&self) -> bool {
        matches!(self, Active::Now(_))
    }

    /// Goes on to what it is after a call.
    pub(super) fn pass(&mut self, tool: Tool, params: &Value) {
        let named = scene_in(params);
        match tool {
            Tool::OpenScene if named.as_deref() == self.path() => {}
            Tool::OpenScene => {
                let now = Active::now();
                *self = match named {
                    // What was done to it meanwhile is foreseen as if it had been shown all the time.
                    Some(path) if now.path() == Some(&path) => now,
                    Some(path) => Active::Other(path),
                    None => Active::Unknown,
                };
            }
            Tool::CreateScene | Tool::ReloadScene => {
                let is_active = named.as_deref() == self.path();
                if tool == Tool::CreateScene || is_active {
                    *self = named.map_or(Active::Unknown, Active::Other);
                }
            }
            Tool::CloseScene if closes(tool, params, self).as_deref() == self.path() => {
                *self = Active::Unknown;
            }
            _ => {}
        }
    }
}

/// The scene that a call takes from its tab, or puts another one in the place of.
pub(super) fn closes(tool: Tool, params: &Value, active: &Active) -> Option<String> {
    match tool {
        Tool::CloseScene => scene_in(params).or_else(|| active.path().map(str::to_owned)),
        Tool::CreateScene | Tool::ReloadScene => scene_in(params),
        Tool::DeleteResourceFile => path_in(params, "path"),
        _ => None,
    }
}

/// Whether a tool may take a scene from its tab, or show another one.
pub(super) fn is_about_tabs(tool: Tool) -> bool {
    tool == Tool::OpenScene
        || matches!(tool, Tool::CloseScene | Tool::CreateScene | Tool::ReloadScene)
        || tool == Tool::DeleteResourceFile
}

/// Whether a tool does something to the editor that is no step.
pub(super) fn is_action(tool: Tool) -> bool {
    matches!(tool, Tool::OpenScene | Tool::SelectNodes) || writes_scenes(tool)
}

/// Whether a tool writes or discards scenes, which undo does not take back.
pub(super) fn writes_scenes(tool: Tool) -> bool {
    let saves = matches!(tool, Tool::SaveScene | Tool::SaveAllScenes | Tool::CreateScene);
    saves || matches!(tool, Tool::CloseScene | Tool::ReloadScene)
}

/// Where the step of an edit belongs that cannot be planned yet; `None` where that cannot be told.
pub(super) fn home_of(tool: Tool, active: &Active) -> Option<StepHome> {
    if is_action(tool) {
        return Some(StepHome::Outside);
    }
    if !changes_scene(tool) && !matches!(tool, Tool::ExtractScene | Tool::SetShaderParam) {
        return Some(StepHome::Project);
    }
    match active {
        Active::Now(path) => Some(StepHome::Scene(path.clone().unwrap_or_default())),
        Active::Other(path) => Some(StepHome::Scene(path.clone())),
        Active::Unknown => None,
    }
}

/// Whether a tool does something to the game or to the debugger, which undo does not take back.
pub(super) fn acts(tool: Tool) -> bool {
    match tool.toolset() {
        Toolset::Runtime => {
            matches!(tool, Tool::PlayScene | Tool::StopScene | Tool::ControlTime | Tool::StepGame)
        }
        Toolset::Input => tool != Tool::GetInputStats,
        Toolset::Testing => matches!(tool, Tool::RunStressTest | Tool::RunTestScenario),
        Toolset::Debugger => {
            !matches!(tool, Tool::ListBreakpoints | Tool::GetStackFrames | Tool::GetFrameVariables)
        }
        _ => false,
    }
}

/// Whether the steps of a tool are on the active scene, as long as there is anything to do.
pub(super) fn changes_scene(tool: Tool) -> bool {
    match tool.toolset() {
        Toolset::SceneEdit => {
            !is_action(tool)
                && !matches!(
                    tool,
                    Tool::ExtractScene
                        | Tool::ListOpenScenes
                        | Tool::ListSignalConnections
                        | Tool::RescanFilesystem
                )
        }
        Toolset::Composite => true,
        _ => matches!(tool, Tool::BatchSetProperty | Tool::AssignShaderMaterial),
    }
}

/// Whether a call is about what is in the active scene.
pub(super) fn is_about_scene(tool: Tool, params: &Value) -> bool {
    match tool {
        Tool::OpenScene | Tool::CreateScene | Tool::ReloadScene | Tool::ListOpenScenes => false,
        Tool::CloseScene => scene_in(params).is_none(),
        Tool::GetProjectInfo | Tool::ListScenes => false,
        Tool::FindNodesByType | Tool::BatchSetProperty | Tool::GetScriptForNode => true,
        Tool::SetShaderParam | Tool::GetShaderParam | Tool::AssignShaderMaterial => true,
        _ => {
            matches!(tool.toolset(), Toolset::Inspection | Toolset::SceneEdit | Toolset::Composite)
        }
    }
}

fn scene_in(params: &Value) -> Option<String> {
    path_in(params, "scene_path")
}

/// A path among the parameters, in the form that the editor has it in.
fn path_in(params: &Value, name: &str) -> Option<String> {
    let path = params.get(name)?.as_str().filter(|path| !path.is_empty())?;
    Some(ResPath::try_from(path.to_owned()).map_or_else(|_| path.to_owned(), |it| it.to_string()))
}
