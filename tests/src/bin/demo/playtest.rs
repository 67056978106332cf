//! The second half of the session: the game is played, driven, looked at and stopped in a function.

use serde_json::{Value, json};

use crate::step::{End, Step, step};

/// The line of `res://scripts/coin.gd` where a coin is picked up.
const PICKED_UP: u32 = 12;

/// Plays the game; with pictures where there is a display.
pub(crate) fn session(has_display: bool) -> Vec<Step> {
    let where_is_it = || json!({"node_path": "Player", "property": "position"});
    let picture = match has_display {
        true => step(
            "What does the player see?",
            "runtime_capture_game_screenshot",
            json!({"timeout_ms": 20000}),
            End::Pictures(&["what", "width", "height", "blank"]),
        ),
        false => step(
            "What does the player see? Without a display there is no picture, and no black one.",
            "runtime_capture_game_screenshot",
            json!({}),
            End::Asks("display"),
        ),
    };
    vec![
        step(
            "Play the main scene, at a fixed frame rate and frozen in its first frame.",
            "runtime_play_scene",
            json!({"fixed_fps": 60, "frozen": true, "timeout_ms": 60000}),
            End::Shows(&["playing", "connected", "scene", "headless"]),
        ),
        step(
            "Where is the player?",
            "runtime_read_property",
            where_is_it(),
            End::Shows(&["node_path", "value"]),
        ),
        step(
            "Walk down. The answer tells in which frame the game took that in.",
            "input_simulate_action",
            json!({"action": "move_down"}),
            End::Shows(&["sent", "frame"]),
        ),
        step(
            "Twenty frames, and not one more: this playtest repeats exactly.",
            "runtime_step_frames",
            json!({"frames": 20}),
            End::Shows(&["frames", "frame"]),
        ),
        step("And now?", "runtime_read_property", where_is_it(), End::Shows(&["value"])),
        picture,
        step(
            "Stop where a coin is picked up.",
            "debugger_set_breakpoint",
            json!({"path": "res://scripts/coin.gd", "line": PICKED_UP}),
            End::Shows(&["breakpoint_set", "text"]),
        ),
        step(
            "Let the game go on.",
            "runtime_control_time",
            json!({"frozen": false}),
            End::Shows(&["frozen"]),
        ),
        step(
            "The player walks into a coin: who called?",
            "debugger_get_stack_frames",
            json!({}),
            End::Shows(&["frames", "reason"]),
        )
        .until(|answer| answer["frames"][0]["function"] == "_on_body_entered"),
        step(
            "What are the variables of that call?",
            "debugger_get_frame_variables",
            json!({}),
            End::Shows(&["locals"]),
        ),
        step(
            "Who was it, and what is the coin worth?",
            "debugger_evaluate_expression",
            json!({"expression": "[body.name, value]", "frame": 0}),
            End::Shows(&["evaluated", "value"]),
        ),
        step("Go on.", "debugger_continue_execution", json!({}), End::Shows(&["running"])),
        step(
            "The score has grown.",
            "runtime_read_property",
            json!({"node_path": "/root/GameState", "property": "score"}),
            End::Shows(&["value"]),
        )
        .until(|answer: &Value| answer["value"].as_i64() == Some(10)),
        step("Stop it.", "runtime_stop_scene", json!({}), End::Shows(&["playing"])),
    ]
}
