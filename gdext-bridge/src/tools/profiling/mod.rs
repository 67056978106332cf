//! `profiling`: what the editor's own process costs. What looks into the game runs there: see
//! `crate::game::tools`.

mod get_editor_performance;
