//! `runtime`: starts the game, and stops it. What looks into it runs there: see `crate::game::tools`.

mod get_game_output;
mod is_playing;
mod play_scene;
mod stop_scene;
