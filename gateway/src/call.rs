//! One call, from arguments to an honest answer.

use protocol::{Command, Fault, Tool, Verb};
use serde_json::{Value, value::RawValue};

use crate::{
    Gateway, batches,
    brief::{bounded, told_in_short},
    caller::Caller,
    captures,
    registry::{self, JsonObject},
    safety::{Admission, Permit},
};

/// What a call answers: the same JSON as text and as a value.
#[derive(Debug)]
pub struct Answer {
    /// The text that agents read.
    pub text: String,
    /// The same for programs.
    pub value: Value,
    /// An image beside it, a PNG in base64. Then programs get no value.
    pub image: Option<String>,
}

/// Makes one call.
///
/// # Errors
/// Whatever the gate, the editor or the tool has against it.
pub async fn call(
    gateway: &Gateway,
    tool: Tool,
    arguments: JsonObject,
    caller: &Caller,
) -> Result<Answer, Fault> {
    attempt(gateway, tool, arguments, caller).await.map_err(told_in_short)
}

async fn attempt(
    gateway: &Gateway,
    tool: Tool,
    arguments: JsonObject,
    caller: &Caller,
) -> Result<Answer, Fault> {
    let spec = registry::spec(tool);
    match gateway.gate.admit(tool, arguments, &gateway.editors, caller).await? {
        Admission::Local(params) => {
            let Some(run) = spec.local() else {
                return Err(Fault::internal(format!("{} has no answer here", tool.name())));
            };
            bounded(written(run(gateway, params, caller).await?), false, false)
        }
        Admission::Editor(permit, downloaded) => {
            let changes = permit.changes();
            let is_preview = permit.is_preview();
            let params = (tool == Tool::SnapshotSubtree).then(|| permit.params().to_owned());
            let result = gateway.editors.send(permit, caller).await;
            let result = result.map_err(|fault| downloaded.told(fault))?;
            let mut answer = Answer {
                value: read(&result)?,
                text: Box::<str>::from(result).into(),
                image: None,
            };
            spec.conform(&answer.value)?;
            if captures::shows_picture(tool) {
                return gateway.captures.keep(answer.value);
            }
            if tool.verb() == Verb::batches && is_preview {
                answer = batches::classified(answer);
            }
            match params {
                Some(params) => bounded(gateway.snapshots.keep(&params, answer)?, false, false),
                None => bounded(answer, tool.verb() != Verb::reads, changes),
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
    caller: &Caller,
) -> Result<Box<RawValue>, Fault> {
    let permit = Permit::question(gateway.editors.choose().await?, question)?;
    gateway.editors.send(permit, caller).await
}

fn read(result: &RawValue) -> Result<Value, Fault> {
    serde_json::from_str(result.get())
        .map_err(|error| Fault::internal(format!("The editor's answer cannot be read: {error}")))
}

/// A value as an answer.
pub fn written(value: Value) -> Answer {
    Answer { text: value.to_string(), value, image: None }
}
