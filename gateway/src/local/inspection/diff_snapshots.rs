//! `godot_inspection_diff_snapshots`: what changed since a snapshot.

use protocol::{
    Fault,
    tools::inspection::{DiffSnapshots, SnapshotDiff},
};

use crate::{Gateway, call::ask, caller::Caller, snapshots};

/// Answers the call. Without a later snapshot, the scene is asked now, for just what the earlier
/// one covers.
pub(crate) async fn run(
    gateway: &Gateway,
    params: DiffSnapshots,
    caller: &Caller,
) -> Result<SnapshotDiff, Fault> {
    let before = gateway.snapshots.get(&params.before_id)?;
    let compare = |after| snapshots::compare(&before.nodes, after, &params.node_path);
    match params.after_id.as_deref() {
        Some(after) => Ok(compare(&gateway.snapshots.get(after)?.nodes)),
        None => {
            let now = ask(gateway, &before.question, caller).await?;
            Ok(compare(&snapshots::nodes(&now)?))
        }
    }
}
