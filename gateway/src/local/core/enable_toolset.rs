//! `godot_enable_toolset`: makes the tools of a toolset callable, and says how to call them.

use protocol::{
    Fault,
    tools::core::{EnableToolset, ToolsetChanged},
};
use tokio_util::sync::CancellationToken;

use super::changed;
use crate::{Gateway, toolsets};

/// Answers the call. An editor that is too old is a refusal; none at all is not, as it may come.
pub(crate) async fn run(
    gateway: &Gateway,
    params: EnableToolset,
    _: &CancellationToken,
) -> Result<ToolsetChanged, Fault> {
    let toolsets = toolsets::resolve(&params.category)?;
    if let Ok(editor) = gateway.editors.chosen() {
        for &toolset in &toolsets {
            toolsets::Toolsets::require_godot(toolset, editor.godot_version())?;
        }
    }
    gateway.gate.toolsets.set(&toolsets, true);
    Ok(changed(&toolsets, true))
}
