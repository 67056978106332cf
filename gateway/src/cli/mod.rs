//! The subcommands besides `serve`.

pub mod tools;
