//! `godot_enable_toolset`: makes the tools of a toolset callable, and says how to call them.

use protocol::{
    Fault,
    tools::core::{EnableToolset, ToolsetChanged},
};

use super::changed;
use crate::{Gateway, brief::is_too_long, caller::Caller, toolsets};

/// Answers the call. An editor that is too old is a refusal; none at all is not, as it may come.
pub(crate) async fn run(
    gateway: &Gateway,
    params: EnableToolset,
    _: &Caller,
) -> Result<ToolsetChanged, Fault> {
    let toolsets = toolsets::resolve(&params.category)?;
    if let Ok(editor) = gateway.editors.chosen() {
        for &toolset in &toolsets {
            toolsets::Toolsets::require_godot(toolset, editor.godot_version())?;
        }
    }
    gateway.gate.toolsets.set(&toolsets, true);
    let answer = changed(&toolsets, true);
    let fits = serde_json::to_string(&answer).is_ok_and(|text| !is_too_long(&text));
    Ok(if fits { answer } else { without_schemas(answer) })
}

/// The same answer with names only.
fn without_schemas(mut answer: ToolsetChanged) -> ToolsetChanged {
    let tools = answer.tools.take().unwrap_or_default();
    answer.tool_names = Some(tools.into_iter().map(|tool| tool.name).collect());
    answer.hint = Some(
        "The schemas of so many tools do not fit into one answer. They are in the list of tools now; a \
         client that does not look again gets them by enabling one toolset at a time."
            .to_owned(),
    );
    answer
}
