//! What nodes have to do with one another: groups and signals.

use serde::{Deserialize, Serialize};

use crate::{NodePath, effects};

/// Put a node into a group, saved with the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AddToGroup {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The group.
    pub group: String,
}

/// Take a node out of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveFromGroup {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// The group.
    pub group: String,
}

/// The result of [`AddToGroup`] and [`RemoveFromGroup`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupChanged {
    /// The node.
    pub node_path: String,
    /// The group.
    pub group: String,
    /// Whether the node is in the group after the call.
    pub in_group: bool,
    /// Whether the call changed that.
    pub changed: bool,
}

/// List the connections of a node's signals to nodes of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListSignalConnections {
    /// The node, relative to the root of the scene; "." is the root.
    pub node_path: NodePath,
    /// Where to go on: the `next_cursor` of the answer before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cursor: String,
}

/// The result of [`ListSignalConnections`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalConnections {
    /// The node.
    pub node_path: String,
    /// The connections.
    pub connections: Vec<SignalConnection>,
    /// How many there are on all pages.
    pub total: usize,
    /// The `cursor` of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One connection of a signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalConnection {
    /// The signal.
    pub signal: String,
    /// The node whose method is called.
    pub target_path: String,
    /// The method.
    pub method: String,
    /// Whether it is saved with the scene.
    pub persistent: bool,
    /// Whether an instanced or inherited scene defines it, so that it cannot be undone here.
    pub inherited: bool,
}

/// Connect a signal of a node to a method of another, saved with the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectSignal {
    /// The node that emits, relative to the root of the scene; "." is the root.
    pub source_path: NodePath,
    /// The signal.
    pub signal_name: String,
    /// The node whose method is called.
    pub target_path: NodePath,
    /// The method; it must exist and take what the signal carries.
    pub method_name: String,
}

/// The result of [`ConnectSignal`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalConnected {
    /// The node that emits.
    pub source_path: String,
    /// The signal.
    pub signal_name: String,
    /// The node whose method is called.
    pub target_path: String,
    /// The method.
    pub method_name: String,
    /// Whether they are connected after the call.
    pub connected: bool,
    /// Whether they were before, so that the call changed nothing.
    pub already_connected: bool,
}

/// Take a connection of a signal back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DisconnectSignal {
    /// The node that emits, relative to the root of the scene; "." is the root.
    pub source_path: NodePath,
    /// The signal.
    pub signal_name: String,
    /// The node whose method is called.
    pub target_path: NodePath,
    /// The method.
    pub method_name: String,
}

/// The result of [`DisconnectSignal`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalDisconnected {
    /// The node that emits.
    pub source_path: String,
    /// The signal.
    pub signal_name: String,
    /// The node whose method was called.
    pub target_path: String,
    /// The method.
    pub method_name: String,
    /// Whether the connection is gone.
    pub disconnected: bool,
}

effects! {
    GroupChanged: changed;
    SignalConnected: connected;
    SignalDisconnected: disconnected;
}
