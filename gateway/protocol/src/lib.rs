//! The contract between the gateway and the editor.
//!
//! Everything that crosses the link is a type in this crate, and nothing else is: no I/O, no
//! async, no Godot, no MCP, no safety decision. Read in this order:
//!
//! * [`table`]: the one list of every tool.
//! * [`tools`]: one module a toolset; the parameters and the result of each tool.
//! * [`fault`] and [`envelope`]: how a failure, a call and its outcome are written down.
//! * [`path`], [`bounds`] and [`value`]: arguments which cannot hold what they must not.
//! * [`stamp`]: what is said of every edit: kept by a save or not, undoable or not.

#[macro_use]
pub mod table;
pub mod bounds;
pub mod envelope;
pub mod fault;
pub mod path;
pub mod stamp;
pub mod tools;
pub mod value;

pub use crate::{
    fault::{ErrorCode, Fault, Required},
    path::{GamePath, NodePath, ResPath},
    stamp::{Stamp, Verdict},
    table::{Tool, Toolset, Verb},
    value::GodotValue,
};

/// The newest version of this contract that this build speaks.
pub const CONTRACT_VERSION: u32 = 1;

/// The oldest version of this contract that this build still understands.
pub const MIN_COMPATIBLE_CONTRACT: u32 = 1;

/// A call that the editor or the gateway can execute: the parameters of one tool.
///
/// The table implements it for every parameter type; nobody else does.
pub trait Command: serde::Serialize + serde::de::DeserializeOwned + Send + 'static {
    /// The row of the table that names this type.
    const TOOL: Tool;

    /// What the call answers.
    type Output: serde::Serialize + serde::de::DeserializeOwned + Send + 'static;
}

/// A result that says whether the effect took place.
///
/// A preview is the result that the real call would give with its effect flags down, so the two
/// cannot disagree about anything else.
pub trait Effect {
    /// Takes back every flag that claims something was done (`created`, `set`, `deleted`, …).
    fn withdraw(&mut self);
}

/// Implements [`Effect`] by the names of the flags: `effects!(NodeCreated: created);`.
#[macro_export]
macro_rules! effects {
    ($($Output:ident: $($flag:ident),*;)*) => {
        $(impl $crate::Effect for $Output {
            fn withdraw(&mut self) {
                $(self.$flag = Default::default();)*
            }
        })*
    };
}
