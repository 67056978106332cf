//! The tools that the gateway answers itself: `local/<toolset>/<action>.rs`, one file a tool.
//!
//! Each has one function, `run`; the registry finds it by the names in the table.

pub mod core;
pub mod inspection;
pub mod testing;
