//! `godot_health_check`: is an editor connected, and if not, why?

use std::{sync::Arc, time::Duration};

use protocol::{
    Fault,
    tools::core::{Health, HealthCheck},
};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::{TRANSPORT, editor_info, version_notice};
use crate::{Gateway, SERVER_NAME, VERSION, link::Editor};

/// How long an editor has to give a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_millis(50);

/// Answers the call. It waits only a moment, so that it answers even where nothing else does.
pub(crate) async fn run(
    gateway: &Gateway,
    _: HealthCheck,
    _: &CancellationToken,
) -> Result<Health, Fault> {
    let chosen = gateway.editors.chosen();
    let editor = chosen.as_ref().ok().map(AsRef::as_ref);
    let selected = |serial: u64| editor.is_some_and(|editor| editor.serial() == serial);
    let connected = gateway.editors.connected();
    let silent = silences(&connected).await;
    let info = |(editor, silent): (&Arc<Editor>, &Option<Duration>)| {
        editor_info(editor, selected(editor.serial()), *silent)
    };
    let frozen = editor.and_then(|editor| {
        let index = connected.iter().position(|other| other.serial() == editor.serial())?;
        *silent.get(index)?
    });
    Ok(Health {
        server: SERVER_NAME.to_owned(),
        version: VERSION.to_owned(),
        transport: TRANSPORT.to_owned(),
        bridge_url: gateway.editors.address(),
        bridge_tcp_url: gateway.editors.remote_address(),
        bridge_connected: editor.is_some(),
        addon_version: editor.map(|editor| editor.identity().build.clone()),
        version_notice: version_notice(gateway, editor),
        bridge_bind_error: gateway.editors.bind_error(),
        editors: connected.iter().zip(&silent).map(info).collect(),
        hint: match (&chosen, frozen) {
            (Err(fault), _) => Some(fault.hint.clone()),
            (Ok(_), Some(silent)) => Some(format!(
                "The editor has not answered for {:.1} s: it is busy, stopped or stuck. Calls time \
                 out until it answers again; ask its user to look at it if that stays.",
                silent.as_secs_f64()
            )),
            (Ok(_), None) => None,
        },
    })
}

/// For how long each editor has not been heard, where it gives no sign of life now.
async fn silences(editors: &[Arc<Editor>]) -> Vec<Option<Duration>> {
    let until = Instant::now() + SIGN_OF_LIFE;
    let asked: Vec<_> = editors.iter().map(|editor| editor.ping()).collect();
    let mut silences = Vec::new();
    for (editor, asked) in editors.iter().zip(asked) {
        let is_heard = match asked {
            Some(answer) => matches!(timeout_at(until, answer).await, Ok(Ok(_))),
            None => false,
        };
        silences.push((!is_heard).then(|| editor.silence()));
    }
    silences
}
