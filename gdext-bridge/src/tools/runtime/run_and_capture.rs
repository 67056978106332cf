//! `godot_runtime_run_and_capture`.

use protocol::{
    Fault, Required, ResPath,
    tools::runtime::{RunAndCapture, RunCaptured},
};

use crate::{
    child,
    files::located,
    plan::{Context, Progress, Run},
    resource::{file_exists, main_scene},
    tools::page::PAGE_CHARACTERS,
};

/// How an editor names the files of scenes.
const SCENES: [&str; 2] = ["tscn", "scn"];

impl Run for RunAndCapture {
    fn run(self, context: &Context) -> Result<Progress<RunCaptured>, Fault> {
        let scene = scene_to_run(self.scene.as_ref())?;
        let hint = unsaved(context);
        let run = child::Run::start(vec![scene], self.timeout_seconds.duration())?;
        Ok(Progress::Aside(Box::new(move |context| {
            let ended = run.poll(context)?;
            Some(ended.map(|ended| RunCaptured {
                hint: hint.clone(),
                ..child::told(ended, PAGE_CHARACTERS)
            }))
        })))
    }
}

/// The scene that is asked for, or the main one. It must be there; whether it works, the run tells.
pub(in crate::tools) fn scene_to_run(scene: Option<&ResPath>) -> Result<String, Fault> {
    let Some(path) = scene else { return main_scene_to_run("scene") };
    let named = |fault: Fault| fault.requiring(Required::parameter("scene"));
    located(path, "scene")?;
    if !file_exists(path) {
        return Err(named(Fault::not_found(format!(
            "There is no file '{path}'. Nothing was run. See godot_inspection_list_scenes."
        ))));
    }
    if !SCENES.contains(&path.extension().as_str()) {
        return Err(named(Fault::invalid(format!(
            "'{path}' is no scene: its name must end in '.tscn' or '.scn'. Nothing was run."
        ))));
    }
    Ok(path.to_string())
}

/// The main scene, which must be there. `parameter` is that which could name another.
pub(super) fn main_scene_to_run(parameter: &str) -> Result<String, Fault> {
    let missing = |why: String| {
        let hint = format!(
            "{why} Nothing was run. Name a '{parameter}', or set application/run/main_scene with \
             godot_project_set_setting."
        );
        Err(Fault::precondition(Required::MAIN_SCENE, hint))
    };
    let Some(path) = main_scene() else {
        return missing("The project has no main scene.".to_owned());
    };
    match ResPath::try_from(path.clone()) {
        Ok(scene) if file_exists(&scene) => Ok(path),
        _ => missing(format!("The main scene of the project, '{path}', is not there.")),
    }
}

/// What to say where open scenes have changes that no file has.
pub(in crate::tools) fn unsaved(context: &Context) -> Option<String> {
    let tabs = context.tabs.all();
    let dirty = tabs.iter().filter(|tab| tab.dirty == Some(true)).map(|tab| tab.path.as_str());
    let named = dirty.map(|path| match path {
        "" => "one that was never saved",
        path => path,
    });
    let dirty: Vec<&str> = named.collect();
    (!dirty.is_empty()).then(|| {
        format!(
            "The run used the files as they are saved; open scenes have unsaved changes: {}. Save them \
             with godot_scene_edit_save_all_scenes and run again to see these.",
            dirty.join(", ")
        )
    })
}
