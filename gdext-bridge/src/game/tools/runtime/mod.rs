//! `runtime`: looks into the game.

mod get_game_scene_tree;
mod read_property;
