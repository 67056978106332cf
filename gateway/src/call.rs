//! One call, from arguments to an honest answer.

use protocol::{Command, ErrorCode, Fault, Tool};
use serde_json::{Value, value::RawValue};
use tokio_util::sync::CancellationToken;

use crate::{
    Gateway,
    registry::{self, JsonObject},
    safety::{Admission, Permit},
};

/// The longest answer, in characters. Clients cut what is longer, or drown in it.
pub const MAX_ANSWER: usize = 25_000;

/// What a call answers: the same JSON as text and as a value.
#[derive(Debug)]
pub struct Answer {
    /// The text that agents read.
    pub text: String,
    /// The same for programs.
    pub value: Value,
}

/// Makes one call.
///
/// # Errors
/// Whatever the gate, the editor or the tool has against it.
pub async fn call(
    gateway: &Gateway,
    tool: Tool,
    arguments: JsonObject,
    cancel: &CancellationToken,
) -> Result<Answer, Fault> {
    let spec = registry::spec(tool);
    match gateway.gate.admit(tool, arguments, &gateway.editors).await? {
        Admission::Local(params) => {
            let Some(run) = spec.local() else {
                return Err(Fault::internal(format!("{} has no answer here", tool.name())));
            };
            bounded(written(run(gateway, params, cancel).await?), false)
        }
        Admission::Editor(permit) => {
            let changes = permit.changes();
            let params = (tool == Tool::SnapshotSubtree).then(|| permit.params().to_owned());
            let result = gateway.editors.send(permit, cancel).await?;
            let answer = Answer { value: read(&result)?, text: Box::<str>::from(result).into() };
            spec.conform(&answer.value)?;
            match params {
                Some(params) => bounded(gateway.snapshots.keep(&params, answer)?, false),
                None => bounded(answer, changes),
            }
        }
    }
}

/// Asks the editor a question on the gateway's own account.
///
/// # Errors
/// Whatever the link or the editor has against it.
pub async fn ask<C: Command>(
    gateway: &Gateway,
    question: &C,
    cancel: &CancellationToken,
) -> Result<Box<RawValue>, Fault> {
    let permit = Permit::question(gateway.editors.choose().await?, question)?;
    gateway.editors.send(permit, cancel).await
}

fn read(result: &RawValue) -> Result<Value, Fault> {
    serde_json::from_str(result.get())
        .map_err(|error| Fault::internal(format!("The editor's answer cannot be read: {error}")))
}

/// A value as an answer.
pub fn written(value: Value) -> Answer {
    Answer { text: value.to_string(), value }
}

/// Whether a text is longer than an answer may be.
pub fn is_too_long(text: &str) -> bool {
    text.len() > MAX_ANSWER && text.chars().count() > MAX_ANSWER
}

fn bounded(answer: Answer, applied: bool) -> Result<Answer, Fault> {
    if !is_too_long(&answer.text) {
        return Ok(answer);
    }
    let hint = format!(
        "The answer has {} characters; {MAX_ANSWER} are the limit. Ask for less: a page, a lower \
         depth, or a smaller part.{}",
        answer.text.chars().count(),
        if applied { " The call itself was carried out; do not repeat it." } else { "" }
    );
    let fault = Fault::new(ErrorCode::ResponseTooLarge, hint);
    Err(if applied { fault.with("outcome", "applied") } else { fault })
}
