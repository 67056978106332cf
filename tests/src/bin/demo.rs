//! What an agent does with it, told call by call. `cargo xtask demo` runs this.
//!
//! The demo is a test as well: it fails if a step does not end as told.

use std::process::ExitCode;

use e2e::{client::Client, editor::Editor, project::Project, world::wait_connected};
use serde_json::{Value, json};

/// The scene that the session works on.
const SCENE: &str = "res://scenes/main.tscn";

/// One call of the session: the reason, the tool, its arguments, and how it must end.
struct Step {
    why: &'static str,
    tool: &'static str,
    arguments: Value,
    end: End,
}

/// How a call must end.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// With a result; these members of it are shown.
    Shows(&'static [&'static str]),
    /// With a refusal that asks for this token or parameter.
    Asks(&'static str),
}

fn main() -> ExitCode {
    let project = Project::named("coin-cellar");
    println!("   project: a copy of godot-project in {}", project.folder().display());

    let mut client = Client::start(&project);
    println!("   gateway: answered `initialize` {:.0?} after its start", client.start_time);
    let mut editor = Editor::start(&project);
    let time = wait_connected(&mut client, &mut editor);
    println!("   editor:  started, imported the game and connected in {time:.1?}\n");

    // Written once as it is by this version of Godot, so that the difference at the end is all ours.
    client.call("scene_edit_open_scene", json!({"scene_path": SCENE}));
    client.call("scene_edit_save_scene", json!({}));
    client.call("scene_edit_close_scene", json!({"scene_path": SCENE}));
    let before = project.scene(SCENE);

    for step in session() {
        if let Err(problem) = perform(&mut client, &step) {
            eprintln!("\nThat is not what must happen: {problem}");
            eprintln!("── what the editor printed\n{}", editor.log());
            return ExitCode::FAILURE;
        }
    }

    println!("What changed in the saved scene ({SCENE}), node by node:\n");
    for line in before.diff(&project.scene(SCENE)) {
        println!("   {line}");
    }
    let (status, time) = client.close();
    println!("\nThe gateway ended with its client, after {time:.0?} ({status}).");
    editor.quit();
    println!("The editor quit cleanly: exit code 0, nothing leaked.");
    ExitCode::SUCCESS
}

fn session() -> Vec<Step> {
    let step = |why, tool, arguments, end| Step { why, tool, arguments, end };
    let new_coin = json!({
        "parent_path": "Coins", "scene_path": "res://scenes/coin.tscn", "name": "HiddenCoin",
    });
    let mut preview = new_coin.clone();
    preview["dry_run"] = json!(true);
    vec![
        step(
            "Which project is open?",
            "inspection_get_project_info",
            json!({}),
            End::Shows(&["name", "godot_version", "main_scene"]),
        ),
        step(
            "Open its main scene.",
            "scene_edit_open_scene",
            json!({"scene_path": SCENE}),
            End::Shows(&["opened"]),
        ),
        step(
            "Look at the nodes, as the editor has them now.",
            "inspection_get_scene_tree",
            json!({"lightweight": true, "max_depth": 2}),
            End::Shows(&["text"]),
        ),
        step(
            "How fast is the player?",
            "inspection_get_node_property",
            json!({"node_path": "Player", "property": "speed"}),
            End::Shows(&["value", "type"]),
        ),
        step(
            "Preview an edit: an instance of the coin. Nothing is changed by asking.",
            "scene_edit_instance_scene",
            preview,
            End::Shows(&["dry_run", "instanced", "node_path", "persisted"]),
        ),
        step(
            "Do it. One call is one step in the editor's own undo history.",
            "scene_edit_instance_scene",
            new_coin,
            End::Shows(&["instanced", "node_path", "persisted", "undoable"]),
        ),
        step(
            "Put it somewhere. The value is read by the property's type, and read back.",
            "scene_edit_set_node_property",
            json!({
                "node_path": "Coins/HiddenCoin", "property": "position", "value": {"x": 48, "y": 336},
            }),
            End::Shows(&["value", "previous", "persisted"]),
        ),
        step(
            "What does not fit is refused: nothing ever becomes zero.",
            "scene_edit_set_node_property",
            json!({"node_path": "Player", "property": "position", "value": "over there"}),
            End::Asks("value"),
        ),
        step(
            "Honest about what a save would drop: this node belongs to another scene.",
            "scene_edit_set_node_property",
            json!({
                "node_path": "Enemies/Patrol/Sprite", "property": "modulate", "value": "red",
                "dry_run": true,
            }),
            End::Shows(&["persisted", "reason", "hint"]),
        ),
        step(
            "Delete a node. That needs a clear yes, and there is none.",
            "scene_edit_delete_node",
            json!({"node_path": "Enemies/Guard"}),
            End::Asks("confirm"),
        ),
        step(
            "The same, with confirm.",
            "scene_edit_delete_node",
            json!({"node_path": "Enemies/Guard", "confirm": true}),
            End::Shows(&["deleted", "node_count", "undoable"]),
        ),
        step(
            "A mistake, after all. Undo, exactly as Ctrl+Z in the editor.",
            "undo",
            json!({}),
            End::Shows(&["undone", "last_action"]),
        ),
        step(
            "A faster player.",
            "scene_edit_set_node_property",
            json!({"node_path": "Player", "property": "speed", "value": 220}),
            End::Shows(&["value", "previous"]),
        ),
        step("What was done?", "list_history", json!({}), End::Shows(&["recent"])),
        step("Save.", "scene_edit_save_scene", json!({}), End::Shows(&["saved", "path"])),
    ]
}

fn perform(client: &mut Client, step: &Step) -> Result<(), String> {
    println!("{}", step.why);
    let arguments =
        if step.arguments == json!({}) { String::new() } else { step.arguments.to_string() };
    println!("   → godot_{} {arguments}", step.tool);
    let answer = client.call(step.tool, step.arguments.clone());
    let time = answer.time.as_secs_f64() * 1000.0;
    match step.end {
        End::Shows(members) if answer.ok => {
            println!("   ← {time:.1} ms");
            for member in members {
                show(member, &answer.value[*member]);
            }
        }
        End::Asks(required) if !answer.ok && answer.required() == required => {
            println!("   ← {time:.1} ms, refused: {}", answer.code());
            show("hint", &answer.value["hint"]);
            show("required", &answer.value["required"]);
        }
        _ => return Err(answer.value.to_string()),
    }
    println!();
    Ok(())
}

/// Prints a member of an answer; text of several lines as it is.
fn show(name: &str, value: &Value) {
    match value {
        Value::String(text) if text.contains('\n') => {
            println!("     {name}:");
            for line in text.trim_end().lines() {
                println!("       {line}");
            }
        }
        Value::Array(items) if name == "recent" => {
            println!("     {name}:");
            for item in items {
                let undone = if item["undone"] == json!(true) { ", undone" } else { "" };
                let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
                println!("       {} (by the {}{undone})", text("name"), text("by"));
            }
        }
        Value::String(text) => println!("     {name}: {text}"),
        other => println!("     {name}: {other}"),
    }
}
