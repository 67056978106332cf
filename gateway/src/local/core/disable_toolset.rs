//! `godot_disable_toolset`: takes the tools of a toolset away again.

use protocol::{
    Fault, Required, Toolset,
    tools::core::{DisableToolset, ToolsetChanged},
};

use super::changed;
use crate::{Gateway, caller::Caller, toolsets};

/// Answers the call. `core` stays: without it nothing could be enabled again.
pub(crate) async fn run(
    gateway: &Gateway,
    params: DisableToolset,
    _: &Caller,
) -> Result<ToolsetChanged, Fault> {
    let toolsets = toolsets::resolve(&params.category)?;
    if toolsets.contains(&Toolset::Core) {
        return Err(Fault::invalid(
            "The toolset core cannot be disabled; name the others one by one.",
        )
        .requiring(Required::parameter("category")));
    }
    gateway.gate.toolsets.set(&toolsets, false);
    Ok(changed(&toolsets, false))
}
