//! `godot_list_toolsets`: every toolset, on or off.

use protocol::{
    Fault, Toolset,
    tools::core::{ListToolsets, ToolsetInfo, ToolsetList},
};

use super::tool_infos;
use crate::{Gateway, brief::is_too_long, caller::Caller, toolsets};

/// Answers the call. The tools are left out where all of them do not fit into one answer; every
/// client has them in its list of tools anyway.
pub(crate) async fn run(
    gateway: &Gateway,
    _: ListToolsets,
    _: &Caller,
) -> Result<ToolsetList, Fault> {
    let list = |with_tools: bool| {
        let info = |&toolset: &Toolset| {
            let enabled = gateway.gate.toolsets.is_enabled(toolset);
            ToolsetInfo {
                name: toolset.name().to_owned(),
                enabled,
                description: toolsets::description(toolset).to_owned(),
                min_godot: toolsets::min_godot(toolset).map(str::to_owned),
                tools: (enabled && with_tools).then(|| tool_infos(toolset)),
            }
        };
        ToolsetList { result: Toolset::ALL.iter().map(info).collect() }
    };
    let whole = list(true);
    let fits = serde_json::to_string(&whole).is_ok_and(|text| !is_too_long(&text));
    Ok(if fits { whole } else { list(false) })
}
