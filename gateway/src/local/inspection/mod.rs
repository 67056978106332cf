//! `inspection`: what can be answered from what the gateway keeps.

pub mod diff_snapshots;
