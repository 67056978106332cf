//! The handlers that run in the game: one folder a toolset, one file a tool, as in `crate::tools`.

mod debugger;
pub(super) mod input;
mod profiling;
pub(super) mod runtime;
mod testing;
