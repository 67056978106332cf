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

/// How much is told of a text within an answer that is too long, in characters.
const MAX_TEXT: usize = 1_000;

/// The member that says that something was cut.
const TRUNCATED: &str = "truncated";

/// The room that it takes.
const TRUNCATED_LENGTH: usize = r#","truncated":true"#.len();

/// How much is told of a hint, in characters.
const MAX_HINT: usize = 2_000;

/// How many items are told of a list within a fault that is too long.
const MAX_ITEMS: usize = 20;

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
    attempt(gateway, tool, arguments, cancel).await.map_err(told_in_short)
}

async fn attempt(
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

/// The answer if it fits, or what of it fits: long texts are cut where that is enough.
fn bounded(mut answer: Answer, applied: bool) -> Result<Answer, Fault> {
    if !is_too_long(&answer.text) {
        return Ok(answer);
    }
    if cut_texts(&mut answer.value)
        && let Value::Object(result) = &mut answer.value
    {
        result.insert(TRUNCATED.to_owned(), Value::Bool(true));
        let text = answer.value.to_string();
        if !is_too_long(&text) {
            return Ok(Answer { text, value: answer.value });
        }
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

/// The same fault without what nobody reads to the end, such as the echo of a long argument.
pub fn told_in_short(mut fault: Fault) -> Fault {
    let mut is_cut = cut(&mut fault.hint, MAX_HINT);
    for fact in fault.details.values_mut() {
        is_cut |= cut_texts(fact);
    }
    for give_up in [cut_lists as fn(&mut Value), drop_collection] {
        if fault_length(&fault) <= MAX_ANSWER - TRUNCATED_LENGTH {
            break;
        }
        is_cut = true;
        fault.details.values_mut().for_each(give_up);
    }
    if is_cut { fault.with(TRUNCATED, true) } else { fault }
}

/// Counted in bytes, of which there are never fewer than characters.
fn fault_length(fault: &Fault) -> usize {
    serde_json::to_vec(fault).map_or(0, |text| text.len())
}

/// Cuts every long text within a value. Tells whether there was one.
fn cut_texts(value: &mut Value) -> bool {
    match value {
        Value::String(text) => cut(text, MAX_TEXT),
        Value::Array(items) => {
            items.iter_mut().fold(false, |is_cut, item| cut_texts(item) | is_cut)
        }
        Value::Object(members) => {
            members.values_mut().fold(false, |is_cut, member| cut_texts(member) | is_cut)
        }
        _ => false,
    }
}

/// Cuts a text that has more than `length` characters. Tells whether it had.
fn cut(text: &mut String, length: usize) -> bool {
    let Some((end, _)) = text.char_indices().nth(length) else { return false };
    let all = text.chars().count();
    text.truncate(end);
    text.push_str(&format!("… ({all} characters in all)"));
    true
}

/// Keeps the beginning of every list within a value.
fn cut_lists(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.truncate(MAX_ITEMS);
            items.iter_mut().for_each(cut_lists);
        }
        Value::Object(members) => members.values_mut().for_each(cut_lists),
        _ => {}
    }
}

/// Keeps nothing of a list or an object.
fn drop_collection(value: &mut Value) {
    match value {
        Value::Array(items) => items.clear(),
        Value::Object(members) => members.clear(),
        _ => {}
    }
}
