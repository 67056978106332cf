//! `godot_health_check`: is an editor connected, and if not, why?

use std::{sync::Arc, time::Duration};

use protocol::{
    Fault,
    envelope::Pong,
    tools::core::{Health, HealthCheck},
};
use tokio::time::{Instant, timeout_at};

use super::{TRANSPORT, editor_info, version_notice};
use crate::{Gateway, SERVER_NAME, VERSION, caller::Caller, link::Editor};

/// How long an editor has to give a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_millis(50);

/// How long an editor may be silent before that is worth a word. Opening a scene takes this long.
const WORTH_A_WORD: Duration = Duration::from_secs(1);

/// Answers the call. It waits only a moment, so that it answers even where nothing else does.
pub(crate) async fn run(gateway: &Gateway, _: HealthCheck, _: &Caller) -> Result<Health, Fault> {
    let chosen = gateway.editors.chosen();
    let editor = chosen.as_ref().ok().map(AsRef::as_ref);
    let selected = |serial: u64| editor.is_some_and(|editor| editor.serial() == serial);
    let connected = gateway.editors.connected();
    let signs = signs_of_life(&connected).await;
    let info = |(editor, sign): (&Arc<Editor>, &Result<Pong, Duration>)| {
        editor_info(editor, selected(editor.serial()), sign.as_ref().err().copied())
    };
    let sign = editor.and_then(|editor| {
        let index = connected.iter().position(|other| other.serial() == editor.serial())?;
        signs.get(index)
    });
    let dialog = sign.and_then(|sign| sign.as_ref().ok()?.dialog.clone());
    let succession = editor.and_then(|editor| gateway.editors.succession_notice(editor));
    let trouble = match (&chosen, sign, &dialog) {
        (Err(fault), ..) => Some(fault.hint.clone()),
        (Ok(_), Some(Err(silent)), _) if *silent >= WORTH_A_WORD => Some(format!(
            "The editor has not answered for {:.1} s: it is busy, stopped or stuck. Calls time \
                 out until it answers again; ask its user to look at it if that stays.",
            silent.as_secs_f64()
        )),
        (Ok(_), _, Some(dialog)) => Some(format!(
            "The editor asks its user '{}'. Tell the user to answer it; some calls wait for that.",
            dialog.title
        )),
        (Ok(_), ..) => None,
    };
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
        editors: connected.iter().zip(&signs).map(info).collect(),
        hint: said([succession, trouble]),
        dialog,
    })
}

/// All that there is to say, if anything.
fn said<const N: usize>(hints: [Option<String>; N]) -> Option<String> {
    let hints: Vec<String> = hints.into_iter().flatten().collect();
    (!hints.is_empty()).then(|| hints.join(" "))
}

/// What each editor says of itself now; or for how long it has not been heard.
async fn signs_of_life(editors: &[Arc<Editor>]) -> Vec<Result<Pong, Duration>> {
    let until = Instant::now() + SIGN_OF_LIFE;
    let asked: Vec<_> = editors.iter().map(|editor| editor.ping()).collect();
    let mut signs = Vec::new();
    for (editor, asked) in editors.iter().zip(asked) {
        let answer = match asked {
            Some(answer) => timeout_at(until, answer).await.ok().and_then(Result::ok),
            None => None,
        };
        signs.push(match answer {
            // One that is older says nothing more than that it lives.
            Some(Ok(pong)) => Ok(serde_json::from_str(pong.get()).unwrap_or_default()),
            Some(Err(_)) => Ok(Pong::default()),
            None => Err(editor.silence()),
        });
    }
    signs
}
