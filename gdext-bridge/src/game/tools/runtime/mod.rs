//! `runtime`: looks into the game.

mod capture_game_screenshot;
mod control_time;
mod find_ui_elements;
mod get_game_scene_tree;
mod get_property_samples;
mod monitor_property;
pub(super) mod read_property;
mod step_frames;

pub(in crate::game) use read_property::value_of;
