//! The toolset `runtime`: a real game, started from the editor.

use std::process::ExitCode;

use e2e::cases::{Case, case, run};
use serde_json::json;

const PLAY: &str = "runtime_play_scene";
const STOP: &str = "runtime_stop_scene";

fn main() -> ExitCode {
    run([playing(), refusals()].into_iter().flatten().collect())
}

fn playing() -> Vec<Case> {
    vec![case("the main scene is played, looked into and stopped", |t| {
        let state = t.ok(PLAY, json!({}));
        assert_eq!(
            (&state["playing"], &state["connected"]),
            (&json!(true), &json!(true)),
            "{state}"
        );
        assert_eq!(
            (&state["headless"], &state["scene"]),
            (&json!(true), &json!("res://scenes/main.tscn"))
        );
        let read = json!({"node_path": "Player", "property": "speed"});
        let read = t.ok("runtime_read_property", read);
        assert_eq!(read["node_path"], "/root/Main/Player", "{read}");
        let tree = t.ok("runtime_get_game_scene_tree", json!({}));
        assert_eq!(tree["tree"]["path"], "/root", "{tree}");
        assert!(tree.to_string().contains("/root/GameState"), "{tree}");
        let state = t.ok(STOP, json!({}));
        assert_eq!(state["playing"], false, "{state}");
        t.refused(
            "runtime_read_property",
            json!({"node_path": ".", "property": "name"}),
            "play_session",
        );
        assert!(!t.project().read("res://project.godot").contains("main_run_args"));
    })]
}

fn refusals() -> Vec<Case> {
    vec![case("without a game its tools say what to call", |t| {
        t.refused("runtime_get_game_scene_tree", json!({}), "play_session");
        t.fault(PLAY, json!({"scene_path": "res://none.tscn"}), "RESOURCE_NOT_FOUND");
        let state = t.ok("runtime_is_playing", json!({}));
        assert_eq!(state["playing"], false, "{state}");
    })]
}
