//! `godot_check_for_updates`: is there a newer release?

use protocol::{
    Fault,
    tools::core::{CheckForUpdates, UpdateStatus},
};

use crate::{Gateway, VERSION, caller::Caller};

/// Where releases are published: the package's own metadata.
const SOURCE: &str = env!("CARGO_PKG_REPOSITORY");

/// Answers the call. While the package names no place of its releases, nothing is asked.
pub(crate) async fn run(
    gateway: &Gateway,
    _: CheckForUpdates,
    _: &Caller,
) -> Result<UpdateStatus, Fault> {
    let hint = if SOURCE.is_empty() {
        "This build does not say where its releases are published, so there is nothing to ask."
    } else if gateway.checks_updates {
        "This build cannot ask yet; look at the address in `url`."
    } else {
        "Set GODOT_MCP_CHECK_UPDATES=1 in the environment of the server to allow the question."
    };
    Ok(UpdateStatus {
        enabled: false,
        current: VERSION.to_owned(),
        latest: None,
        update_available: false,
        url: (!SOURCE.is_empty()).then(|| SOURCE.to_owned()),
        checked_at: None,
        error: None,
        hint: Some(hint.to_owned()),
    })
}
