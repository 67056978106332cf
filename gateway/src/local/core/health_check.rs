//! `godot_health_check`: is an editor connected, and if not, why?

use protocol::{
    Fault,
    tools::core::{Health, HealthCheck},
};
use tokio_util::sync::CancellationToken;

use super::{TRANSPORT, editor_info, version_notice};
use crate::{Gateway, SERVER_NAME, VERSION};

/// Answers the call. It waits for nothing, so that it answers even where nothing else does.
pub(crate) async fn run(
    gateway: &Gateway,
    _: HealthCheck,
    _: &CancellationToken,
) -> Result<Health, Fault> {
    let chosen = gateway.editors.chosen();
    let editor = chosen.as_ref().ok().map(AsRef::as_ref);
    let selected = |serial: u64| editor.is_some_and(|editor| editor.serial() == serial);
    let connected = gateway.editors.connected();
    Ok(Health {
        server: SERVER_NAME.to_owned(),
        version: VERSION.to_owned(),
        transport: TRANSPORT.to_owned(),
        bridge_url: gateway.editors.address(),
        bridge_connected: editor.is_some(),
        addon_version: editor.map(|editor| editor.identity().build.clone()),
        version_notice: version_notice(gateway, editor),
        bridge_bind_error: gateway.editors.bind_error(),
        editors: connected.iter().map(|e| editor_info(e, selected(e.serial()))).collect(),
        hint: chosen.as_ref().err().map(|fault| fault.hint.clone()),
    })
}
