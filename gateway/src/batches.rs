//! What the entries of a batch are called, and what is told of one that was not let through.
//!
//! Whether an entry may run is not decided here: see [`crate::safety`].

use protocol::{
    ErrorCode, Fault, Required, Tool, Verb,
    tools::composite::{CommandClass, CommandResult},
};
use serde_json::{Value, json};

use crate::{
    arguments::did_you_mean,
    call::{Answer, written},
    registry::{self, JsonObject},
    safety::class_of,
};

/// The tool that an entry names: by its full name, by its command, by either without what they all
/// begin with, or by its action alone where no other toolset has one of that name.
///
/// # Errors
/// `VALIDATION_ERROR` if there is none, or if it cannot be part of a batch.
pub fn tool(command: &str) -> Result<Tool, Fault> {
    let refuse = |hint: String| Err(Fault::invalid(hint).requiring(Required::parameter("command")));
    let remote = |tool: &Tool| tool.verb() != Verb::local;
    let by_wire = Tool::from_wire(command).or_else(|| Tool::from_wire(&format!("cmd_{command}")));
    let named =
        || Tool::from_name(command).or_else(|| Tool::from_name(&format!("godot_{command}")));
    let by_action = || {
        let mut found = Tool::ALL.iter().filter(|tool| remote(tool) && tool.action() == command);
        found.next().copied().filter(|_| found.next().is_none())
    };
    let Some(tool) = by_wire.or_else(named).or_else(by_action) else {
        let short: Vec<&str> = Tool::ALL
            .iter()
            .filter(|tool| remote(tool))
            .map(|tool| tool.wire().trim_start_matches("cmd_"))
            .collect();
        let near = did_you_mean(command.trim_start_matches("cmd_"), &short);
        let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
        return refuse(format!("There is no command '{command}'.{near}"));
    };
    match tool {
        _ if !remote(&tool) => refuse(format!(
            "{} is answered by the server itself and cannot be part of a batch; call it on its own.",
            tool.name()
        )),
        _ if tool.verb() == Verb::batches => {
            refuse("A batch cannot be part of a batch; put its commands into this one.".to_owned())
        }
        Tool::Undo | Tool::Redo | Tool::SnapshotSubtree => refuse(format!(
            "{} speaks of the state between calls and cannot be part of a batch; call it on its own.",
            tool.name()
        )),
        Tool::RunAndCapture | Tool::RunTests | Tool::DebugWorkflow => refuse(format!(
            "{} runs in a process of its own for as long as that takes, and cannot be part of a batch; \
             call it on its own.",
            tool.name()
        )),
        tool => Ok(tool),
    }
}

/// Gives parameters their own names where they came in by shorter ones, such as `name` for
/// `node_name`, as long as only one can be meant.
pub fn rename_aliases(tool: Tool, params: &mut JsonObject) {
    let schema = registry::spec(tool).checked_schema();
    let Some(Value::Object(known)) = schema.get("properties") else { return };
    let strange: Vec<String> =
        params.keys().filter(|name| !known.contains_key(*name)).cloned().collect();
    for name in strange {
        let ending = format!("_{name}");
        let mut meant = known.keys().filter(|known| known.ends_with(&ending));
        if let (Some(meant), None) = (meant.next(), meant.next())
            && !params.contains_key(meant)
            && let Some(value) = params.remove(&name)
        {
            params.insert(meant.clone(), value);
        }
    }
}

/// What is told of a batch of which an entry was not let through: nothing of it was run.
pub fn refused(command: &str, index: usize, total: usize, fault: Fault) -> Fault {
    let result = CommandResult {
        index,
        command: command.to_owned(),
        error: Some(fault.code.name().to_owned()),
        hint: Some(fault.hint.clone()),
        required: fault.required.as_ref().map(|required| required.as_str().to_owned()),
        ..CommandResult::default()
    };
    Fault {
        hint: format!(
            "Command {index} ({command}) was refused: {}. No command of the batch was run.",
            fault.hint.trim_end_matches('.')
        ),
        ..fault
    }
    .with("aborted_at", index)
    .with("skipped_count", total.saturating_sub(index + 1))
    .with("count", 0)
    .with("ok_all", false)
    .with("results", json!([result]))
    .with("undo_steps", 0)
    .with("outside_undo", json!([]))
    .with("dry_run", false)
    .with("rolled_back", true)
}

/// The answer of a preview with what each of its commands is.
pub fn classified(mut answer: Answer) -> Answer {
    let results = answer.value.get("results").and_then(Value::as_array);
    let commands = results.into_iter().flatten().filter_map(|it| it.get("command")?.as_str());
    let classes: Vec<CommandClass> = commands
        .filter_map(|command| {
            let tool = tool(command).ok()?;
            Some(CommandClass {
                command: command.to_owned(),
                tool: tool.name().to_owned(),
                toolset: tool.toolset().name().to_owned(),
                safety_class: class_of(tool).name().to_owned(),
            })
        })
        .collect();
    if let Value::Object(result) = &mut answer.value {
        result.insert("plan".to_owned(), json!(classes));
    }
    written(answer.value)
}

/// Whether a failure is told as a result, too: programs look for what became of each entry.
pub fn is_told_as_result(tool: Tool, fault: &Fault) -> bool {
    tool.verb() == Verb::batches
        && fault.code != ErrorCode::Timeout
        && fault.details.contains_key("results")
}
