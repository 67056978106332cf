//! `runtime`: starts the game, and stops it. What looks into it runs there: see `crate::game::tools`.

mod autosave;
mod get_game_output;
mod is_playing;
pub(in crate::tools) mod play_scene;
pub(in crate::tools) mod run_and_capture;
mod stop_scene;
