//! `runtime`: looks into the game.

mod capture_game_screenshot;
mod control_time;
mod get_game_scene_tree;
pub(super) mod read_property;
mod step_frames;
