//! Which editor a call goes to: the one that the user named, else the one of the project that the
//! gateway was started in, else the only one there is. Never a guess.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use link::EditorPresence;
use protocol::{ErrorCode, Fault, Required};
use serde_json::json;

use super::editor::Editor;

/// What the gateway was told, or can tell, about the project to work on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The user named it: no other will do.
    Named(PathBuf),
    /// The working directory lies in it: preferred.
    Nearby(PathBuf),
    /// Nothing is known.
    Any,
}

/// The outcome of a look at the editors.
#[derive(Debug)]
pub enum Choice {
    /// Take this one.
    Editor(Arc<Editor>),
    /// No call can go out.
    Refuse(Fault),
    /// One is on its way: wait a little, then do this.
    Wait(Result<Arc<Editor>, Fault>),
}

impl Wanted {
    /// The project to work on: the folder that the user named, else the nearest above `cwd`.
    pub fn new(named: Option<&Path>, cwd: Option<&Path>) -> Wanted {
        if let Some(named) = named {
            let named = if named.ends_with("project.godot") { named.parent() } else { Some(named) };
            return Wanted::Named(canonical(named.unwrap_or(Path::new("."))));
        }
        let nearest = cwd.into_iter().flat_map(Path::ancestors);
        match nearest.into_iter().find(|folder| folder.join("project.godot").is_file()) {
            Some(folder) => Wanted::Nearby(canonical(folder)),
            None => Wanted::Any,
        }
    }

    /// The editor among `connected` to take. `settling` is the first moment after the start, when
    /// editors that are alive are still dialing; `alive` tells which those are.
    pub fn choose(
        &self,
        connected: &[Arc<Editor>],
        settling: bool,
        alive: impl Fn() -> Option<Vec<EditorPresence>>,
    ) -> Choice {
        if let Wanted::Named(project) | Wanted::Nearby(project) = self {
            if let Some(editor) = connected.iter().find(|e| e.project_dir() == project) {
                return Choice::Editor(editor.clone());
            }
            // It may not have existed yet when its name was resolved.
            let project = canonical(project);
            if let Some(editor) = connected.iter().find(|e| e.project_dir() == project) {
                return Choice::Editor(editor.clone());
            }
            let dialing = opened(&project, alive().unwrap_or_default());
            match self {
                _ if dialing => return Choice::Wait(Err(silent(&project))),
                Wanted::Named(_) => return Choice::Refuse(absent(&project, connected)),
                _ => {}
            }
        }
        let dialing = || {
            let alive = alive().unwrap_or_default();
            alive.iter().any(|presence| {
                let project = canonical(Path::new(&presence.project));
                connected.iter().all(|editor| editor.project_dir() != project)
            })
        };
        match connected {
            [] if dialing() => Choice::Wait(Err(silent(Path::new("")))),
            [] => Choice::Refuse(nobody()),
            [only] if settling && dialing() => Choice::Wait(Ok(only.clone())),
            [only] => Choice::Editor(only.clone()),
            several => Choice::Refuse(ambiguous(several)),
        }
    }
}

/// A path without links, `.` and `..`; absolute at least, where it does not exist.
pub fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_path_buf())
}

fn opened(project: &Path, alive: Vec<EditorPresence>) -> bool {
    alive.iter().any(|presence| canonical(Path::new(&presence.project)) == project)
}

fn nobody() -> Fault {
    disconnected(
        "No Godot editor is connected. Open the project in Godot 4.4 or newer with the add-on \
         installed and enabled; it connects by itself, then try again."
            .to_owned(),
    )
}

fn silent(project: &Path) -> Fault {
    let which = match project.to_str() {
        None | Some("") => "An editor".to_owned(),
        Some(project) => format!("The editor of {project}"),
    };
    disconnected(format!(
        "{which} is running but has not connected yet. It may be starting or busy: try again in a \
         moment. If this stays, see whether the add-on is enabled and of this server's version."
    ))
}

fn absent(project: &Path, connected: &[Arc<Editor>]) -> Fault {
    let project = project.display();
    let others: Vec<&str> = connected.iter().map(|editor| editor.project_path()).collect();
    let others = match others.as_slice() {
        [] => "No other editor is connected".to_owned(),
        others => format!("Connected instead: {}", others.join(", ")),
    };
    disconnected(format!(
        "No editor of {project}, which this server was started for, is connected. {others}. Open \
         {project} in Godot with the add-on, or start the server for another project."
    ))
    .with("project", project.to_string())
    .with("candidates", candidates(connected))
}

fn ambiguous(connected: &[Arc<Editor>]) -> Fault {
    Fault::precondition(
        Required::EDITOR_SELECTION,
        "Several editors are connected, and none is chosen. Start the server with --project DIR, \
         or in the folder of the project, or close the other editors.",
    )
    .with("candidates", candidates(connected))
}

fn candidates(connected: &[Arc<Editor>]) -> serde_json::Value {
    let candidate = |editor: &Arc<Editor>| {
        json!({
            "project_name": editor.project_name(),
            "project_path": editor.project_path(),
            "godot_version": editor.godot_version(),
            "pid": editor.identity().pid,
        })
    };
    connected.iter().map(candidate).collect()
}

fn disconnected(hint: String) -> Fault {
    Fault::new(ErrorCode::BridgeDisconnected, hint).requiring(Required::BRIDGE_CONNECTED)
}
