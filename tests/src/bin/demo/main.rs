//! What an agent does with it, told call by call. `cargo xtask demo` runs this.
//!
//! The demo is a test as well: it fails if a step does not end as told.

mod editing;
mod playtest;
mod step;

use std::{env, process::ExitCode};

use e2e::{client::Client, editor::Editor, project::Project, world::wait_connected};
use serde_json::json;

use step::{Step, perform};

/// The scene that the session works on.
const SCENE: &str = "res://scenes/main.tscn";

fn main() -> ExitCode {
    let project = Project::named("coin-cellar");
    println!("   project: a copy of godot-project in {}", project.folder().display());
    // Pictures need a display; without one the session says so.
    let display = env::var("E2E_DISPLAY").ok();

    let mut client = Client::start(&project);
    println!("   gateway: answered `initialize` {:.0?} after its start", client.start_time);
    let mut editor = match &display {
        Some(display) => Editor::start_in_window(&project, display),
        None => Editor::start(&project),
    };
    let time = wait_connected(&mut client, &mut editor);
    println!("   editor:  started, imported the game and connected in {time:.1?}\n");

    // Written once as it is by this version of Godot, so that the difference at the end is all ours.
    client.call("scene_edit_open_scene", json!({"scene_path": SCENE}));
    client.call("scene_edit_save_scene", json!({}));
    client.call("scene_edit_close_scene", json!({"scene_path": SCENE}));
    let before = project.scene(SCENE);

    if let Err(problem) = tell(&mut client, editing::session()) {
        return give_up(&problem, &editor);
    }
    println!("What changed in the saved scene ({SCENE}), node by node:\n");
    for line in before.diff(&project.scene(SCENE)) {
        println!("   {line}");
    }
    println!("\nNow the game.\n");
    if let Err(problem) = tell(&mut client, playtest::session(display.is_some())) {
        return give_up(&problem, &editor);
    }
    let (status, time) = client.close();
    println!("The gateway ended with its client, after {time:.0?} ({status}).");
    editor.quit();
    println!("The editor quit cleanly: exit code 0, nothing leaked.");
    ExitCode::SUCCESS
}

fn tell(client: &mut Client, session: Vec<Step>) -> Result<(), String> {
    session.iter().try_for_each(|step| perform(client, step))
}

fn give_up(problem: &str, editor: &Editor<'_>) -> ExitCode {
    eprintln!("\nThat is not what must happen: {problem}");
    eprintln!("── what the editor printed\n{}", editor.log());
    ExitCode::FAILURE
}
