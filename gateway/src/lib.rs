//! The gateway: it speaks MCP, owns every safety decision, and drives the editors.
//!
//! A call passes through these modules in this order, and skips none:
//!
//! * [`mcp`]: the only module that knows the protocol library.
//! * [`call`]: one call, from arguments to an honest answer; [`caller`]: who waits for it.
//! * [`registry`], with [`schema`] and [`arguments`]: from a tool's name to its types.
//! * [`safety`], with [`toolsets`], [`sources`] and [`approval`]: may it run? The whole permission model.
//!   Last of all [`downloads`] gets what it imports from the network, where the user allows that.
//! * [`link`]: to the editor; or [`local`]: the tools that the gateway answers itself.

pub mod approval;
pub mod arguments;
pub mod batches;
pub mod brief;
pub mod call;
pub mod caller;
pub mod captures;
pub mod cli;
pub mod config;
pub mod downloads;
pub mod guidance;
pub mod images;
pub mod link;
pub mod local;
pub mod mcp;
pub mod registry;
pub mod resources;
pub mod safety;
pub mod schema;
pub mod snapshots;
pub mod sources;
pub mod toolsets;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::{captures::Captures, link::Editors, safety::Gate, snapshots::Snapshots};

/// The name that clients see.
pub const SERVER_NAME: &str = "godot-mcp";

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything that lives as long as the process does.
pub struct Gateway {
    /// Decides about every call.
    pub gate: Gate,
    /// The editors that are connected.
    pub editors: std::sync::Arc<Editors>,
    /// The snapshots that agents took.
    pub snapshots: Snapshots,
    /// The screenshots that agents took.
    pub captures: Captures,
    /// Whether the user allows asking the network for a newer release.
    pub checks_updates: bool,
    /// Cancelled once the client is gone.
    pub closing: CancellationToken,
}

/// Locks a mutex. What a panic of another thread left behind is still whole: nothing here is
/// changed in steps that must not be seen.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
