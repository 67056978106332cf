//! `testing`: checks the game from inside.

mod assert_node_state;
mod comparison;
