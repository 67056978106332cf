//! `godot_debug_workflow`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    ErrorCode, Fault,
    tools::{
        core::{BridgeState, DebugReport, DebugWorkflow, ParseReport},
        inspection::{GetSceneTree, SceneTree},
        runtime::RunCaptured,
    },
};

use super::findings::{Seen, findings, suggestions};
use crate::{
    child,
    plan::{Context, Progress, Run},
    resource::{godot_version, main_scene, on_disk, setting_text},
    scene::Scene,
    tools::{
        inspection::scene_tree,
        runtime::run_and_capture::{scene_to_run, unsaved},
        scripts::CheckAll,
    },
};

/// How much of the answer the run may take, in characters.
const RUN: usize = 8_000;

/// How much of it the nodes of the scene may take, in characters.
const TREE: usize = 5_000;

impl Run for DebugWorkflow {
    fn run(self, context: &Context) -> Result<Progress<DebugReport>, Fault> {
        let scene = match scene_to_run(self.scene.as_ref()) {
            // Without a main scene there is still much to tell; a scene that was named must be there.
            Err(fault) if self.scene.is_none() && fault.code == ErrorCode::PreconditionFailed => {
                Err(fault.hint)
            }
            scene => Ok(scene?),
        };
        let unsaved = unsaved(context);
        let bridge = bridge(context);
        let mut check = CheckAll::begin(context)?;
        // Beside each other, as either takes a while.
        let mut run = match scene {
            Ok(scene) => Ok(child::Run::start(vec![scene], self.timeout_seconds.duration())?),
            Err(why) => Err(why),
        };
        let (mut parse, mut ended) = (None::<ParseReport>, None::<RunCaptured>);
        Ok(Progress::Aside(Box::new(move |context| {
            if let Ok(running) = &run
                && ended.is_none()
            {
                match running.poll(context) {
                    Some(Ok(over)) => ended = Some(child::told(over, RUN)),
                    Some(Err(fault)) => return Some(Err(fault)),
                    None => {}
                }
            }
            if parse.is_none() {
                // It is answered from frame to frame.
                context.is_patient.set(false);
                parse = check.look(context);
            }
            if parse.is_none() || run.is_ok() && ended.is_none() {
                return None;
            }
            let parse = parse.take()?;
            let run = std::mem::replace(&mut run, Err(String::new()));
            let seen = Seen {
                parse: &parse,
                run: ended.as_ref(),
                no_run: run.as_ref().err().map(String::as_str),
                expected_timeout: self.expected_timeout,
                limit: self.timeout_seconds.duration(),
                unsaved: unsaved.as_deref(),
            };
            let (findings, suggestions) = (findings(&seen), suggestions(&seen));
            let bridge = bridge.clone();
            let tree = tree();
            Some(tree.map(|scene_tree| DebugReport {
                bridge,
                scene_tree,
                run: ended.take(),
                parse,
                findings,
                suggestions,
            }))
        })))
    }
}

/// The editor and the project that the call has reached.
fn bridge(context: &Context) -> BridgeState {
    BridgeState {
        connected: true,
        godot_version: godot_version(),
        addon_version: env!("CARGO_PKG_VERSION").to_owned(),
        project_name: setting_text("application/config/name"),
        project_path: on_disk("res://").to_string_lossy().trim_end_matches('/').to_owned(),
        main_scene: main_scene(),
        active_scene: Scene::active_path(),
        open_scenes: context.tabs.all().len(),
        playing: EditorInterface::singleton().is_playing_scene(),
    }
}

/// The first nodes of the active scene; none if no scene is open.
fn tree() -> Result<Option<SceneTree>, Fault> {
    if Scene::active().is_err() {
        return Ok(None);
    }
    let all = GetSceneTree {
        max_depth: protocol::bounds::Depth::unlimited(),
        lightweight: true,
        cursor: String::new(),
    };
    scene_tree(&all, TREE).map(Some)
}
