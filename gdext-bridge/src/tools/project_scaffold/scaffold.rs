//! `godot_project_scaffold`.

use godot::prelude::*;
use protocol::{
    Fault, Required, ResPath,
    tools::project_scaffold::{ProjectKind, ProjectScaffolded, ScaffoldProject},
};

use crate::{
    autoload,
    file_change::FileChange,
    plan::{Context, Edit, Plan},
    resource::{check_target, file_exists},
    settings::{self, SettingsChange},
    tools::scene_edit::check_scene_file,
    undo::Step,
};

/// The autoload that every scaffold has, and its script.
const GAME_STATE: (&str, &str) = ("GameState", "res://scripts/game_state.gd");

const GAME_STATE_SCRIPT: &str = "\
extends Node
## What the game knows beyond one scene. Reached by its name from every script.

signal score_changed(score: int)

var score := 0:
\tset(value):
\t\tscore = value
\t\tscore_changed.emit(score)


func reset() -> void:
\tscore = 0
";

impl Edit for ScaffoldProject {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ProjectScaffolded>, Fault> {
        let name = scene_name(&self.main_scene)?;
        let scene = path(&format!("res://scenes/{name}.tscn"))?;
        let script = path(GAME_STATE.1)?;
        let (mut steps, mut created, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let files =
            [(&scene, scene_text(self.kind, &name)), (&script, GAME_STATE_SCRIPT.to_owned())];
        for (path, text) in files {
            if file_exists(path) {
                kept.push(path.to_string());
            } else {
                check_target(path, "type")?;
                created.push(path.to_string());
                steps.push(Step::File(FileChange::write(path, text.into_bytes())));
            }
        }
        if file_exists(&scene) {
            check_scene_file(&scene, "main_scene")?;
        }
        if file_exists(&script) {
            autoload::check_file(&script).map_err(|fault| unfit(fault, &script))?;
        }
        let mut autoloads_registered = Vec::new();
        match autoload::path_of(GAME_STATE.0) {
            Some(known) if known == GAME_STATE.1 && autoload::is_written(GAME_STATE.0) => {}
            Some(other) if other != GAME_STATE.1 => {
                return Err(Fault::invalid(format!(
                    "The project has an autoload {} already: '{other}'. A scaffold is for a new project.",
                    GAME_STATE.0
                ))
                .requiring(Required::parameter("type")));
            }
            _ => {
                autoload::check_name(GAME_STATE.0)?;
                autoloads_registered.push(GAME_STATE.0.to_owned());
                steps.push(autoload::step(GAME_STATE.0, Some(&script)));
            }
        }
        let changes: Vec<(String, Variant)> = wanted_settings(&self, &scene)
            .into_iter()
            .filter(|(name, value)| !settings::is_already(name, Some(value)))
            .collect();
        let settings_changed: Vec<String> = changes.iter().map(|(name, _)| name.clone()).collect();
        if !changes.is_empty() {
            steps.push(Step::Settings(SettingsChange::all(changes)));
        }
        let result = ProjectScaffolded {
            created: true,
            paths_created: created,
            paths_kept: kept,
            autoloads_registered,
            settings_changed,
            main_scene: scene.to_string(),
        };
        Ok(Plan::project_steps(result, "Set up the project".to_owned(), steps))
    }
}

/// The script that is there cannot be the autoload.
fn unfit(fault: Fault, script: &ResPath) -> Fault {
    let hint = format!(
        "The scaffold makes '{script}' an autoload, and the file that is there cannot be one: {} Mend it, or \
         move it elsewhere. Nothing was changed.",
        fault.hint
    );
    Fault { hint, ..fault }.requiring(Required::parameter("type"))
}

fn path(path: &str) -> Result<ResPath, Fault> {
    ResPath::try_from(path.to_owned()).map_err(Fault::invalid)
}

/// The name of the main scene: an identifier, so that it can be nothing but one file in its folder.
fn scene_name(name: &str) -> Result<String, Fault> {
    let name = name.trim_start_matches("res://scenes/").trim_end_matches(".tscn");
    if name.is_empty() {
        return Ok("main".to_owned());
    }
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_plain || name.len() > 64 || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(Fault::invalid(format!(
            "'{name}' cannot name the main scene; take letters, digits and _, such as \"main\"."
        ))
        .requiring(Required::MAIN_SCENE));
    }
    Ok(name.to_owned())
}

fn wanted_settings(call: &ScaffoldProject, scene: &ResPath) -> Vec<(String, Variant)> {
    let stretch = match call.kind {
        ProjectKind::TwoD | ProjectKind::Ui => "canvas_items",
        ProjectKind::ThreeD => "disabled",
    };
    let mut settings = vec![
        ("application/run/main_scene", scene.as_str().to_variant()),
        ("display/window/size/viewport_width", 1280.to_variant()),
        ("display/window/size/viewport_height", 720.to_variant()),
        ("display/window/stretch/mode", stretch.to_variant()),
        ("display/window/stretch/aspect", "expand".to_variant()),
    ];
    if !call.project_name.is_empty() {
        settings.push(("application/config/name", call.project_name.as_str().to_variant()));
    }
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A scene file as the engine writes it, without the ids that it adds when it saves it first.
fn scene_text(kind: ProjectKind, name: &str) -> String {
    let mut words = name.split('_').filter(|word| !word.is_empty());
    let root: String = words.by_ref().fold(String::new(), |mut root, word| {
        let mut letters = word.chars();
        root.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        root.extend(letters);
        root
    });
    let root = if root.is_empty() { "Main" } else { &root };
    match kind {
        ProjectKind::TwoD => {
            format!("[gd_scene format=3]\n\n[node name=\"{root}\" type=\"Node2D\"]\n")
        }
        ProjectKind::Ui => format!(
            "[gd_scene format=3]\n\n[node name=\"{root}\" type=\"Control\"]\nlayout_mode = 3\n\
             anchors_preset = 15\nanchor_right = 1.0\nanchor_bottom = 1.0\ngrow_horizontal = 2\n\
             grow_vertical = 2\n"
        ),
        ProjectKind::ThreeD => format!(
            "[gd_scene format=3]\n\n[node name=\"{root}\" type=\"Node3D\"]\n\n\
             [node name=\"Camera3D\" type=\"Camera3D\" parent=\".\"]\n\
             transform = Transform3D(1, 0, 0, 0, 0.9396926, 0.34202012, 0, -0.34202012, 0.9396926, 0, \
             2, 5)\n\n\
             [node name=\"DirectionalLight3D\" type=\"DirectionalLight3D\" parent=\".\"]\n\
             transform = Transform3D(0.8660254, -0.3535534, 0.3535534, 0, 0.70710677, 0.70710677, -0.5, \
             -0.61237246, 0.61237246, 0, 5, 0)\nshadow_enabled = true\n"
        ),
    }
}
