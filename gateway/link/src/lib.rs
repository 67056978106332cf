//! How an editor and a gateway of one user find, know and hear each other.
//!
//! Both sides use this crate, and so do an editor and its games; only it and its callers
//! (`gateway/src/link.rs`, `gdext-bridge/src/connection.rs`, `gdext-bridge/src/game/line.rs`) know
//! sockets. Read in this order:
//!
//! * [`directory`]: the rendezvous directory, where each side shows that it is alive.
//! * [`watch`]: hearing at once when somebody comes or goes.
//! * [`stream`]: local sockets of this user, in frames of JSON.
//! * [`handshake`]: proving knowledge of the user's secret, and agreeing on a contract.
//! * [`remote`]: the same over TCP with a token, for those who ask for it.

pub mod directory;
pub mod handshake;
mod platform;
pub mod remote;
pub mod stream;
pub mod watch;

pub use crate::{
    directory::{Directory, EditorPresence, Presence, Secret},
    handshake::{ContractRange, HandshakeError, Identity, ProjectIdentity, Role, handshake},
    remote::Remote,
    stream::{Connection, Endpoint, Listener, Reader, Writer, dial},
    watch::Watch,
};
