//! `godot_get_server_info`: what this server is, what it is connected to, and what to do next.

use std::collections::BTreeSet;

use protocol::{
    CONTRACT_VERSION, Fault, MIN_COMPATIBLE_CONTRACT, Tool, Toolset, Verb,
    tools::{
        core::{Backend, BridgeInfo, GetServerInfo, ServerInfo, ToolsetSummary},
        inspection::{ActiveScene, GetActiveScene},
    },
};

use super::{TRANSPORT, version_notice};
use crate::{
    Gateway, SERVER_NAME, VERSION,
    call::ask,
    caller::Caller,
    guidance,
    link::Editor,
    resources::{RESOURCES, TEMPLATES},
    toolsets,
};

/// Answers the call.
pub(crate) async fn run(
    gateway: &Gateway,
    _: GetServerInfo,
    caller: &Caller,
) -> Result<ServerInfo, Fault> {
    let editor = gateway.editors.chosen().ok();
    let editor = editor.as_deref();
    let active_scene = match editor {
        Some(_) => active_scene(gateway, caller).await,
        None => None,
    };
    let is_enabled = |toolset| gateway.gate.toolsets.is_enabled(toolset);
    let summary = |&toolset: &Toolset| ToolsetSummary {
        name: toolset.name().to_owned(),
        enabled: is_enabled(toolset),
        description: toolsets::description(toolset).to_owned(),
        tool_count: toolset.tools().count(),
        min_godot: toolsets::min_godot(toolset).map(str::to_owned),
    };
    Ok(ServerInfo {
        server: SERVER_NAME.to_owned(),
        version: VERSION.to_owned(),
        contract_version: CONTRACT_VERSION,
        min_compatible_contract: MIN_COMPATIBLE_CONTRACT,
        transport: TRANSPORT.to_owned(),
        toolsets: Toolset::ALL.iter().map(summary).collect(),
        prompts: Vec::new(),
        resources: RESOURCES.iter().chain(TEMPLATES).map(|r| r.uri.to_owned()).collect(),
        bridge: bridge(gateway, editor),
        addon_drift_warning: editor.and_then(drift),
        version_notice: version_notice(gateway, editor),
        update: None,
        common_errors: guidance::common_errors(),
        next_steps: guidance::next_steps(editor.is_some(), active_scene.as_deref(), is_enabled),
        active_scene,
    })
}

/// The active scene, where the editor tells. That it does not is no reason to say nothing at all.
async fn active_scene(gateway: &Gateway, caller: &Caller) -> Option<String> {
    let answer = ask(gateway, &GetActiveScene {}, caller).await.ok()?;
    serde_json::from_str::<ActiveScene>(answer.get()).ok()?.path
}

fn bridge(gateway: &Gateway, editor: Option<&Editor>) -> BridgeInfo {
    let project = editor.and_then(|editor| editor.identity().project.as_ref());
    BridgeInfo {
        connected: editor.is_some(),
        url: gateway.editors.address(),
        godot_version: project.map(|project| project.godot_version.clone()),
        project_name: project.map(|project| project.name.clone()),
        project_path: project.map(|project| project.path.clone()),
        addon_version: editor.map(|editor| editor.identity().build.clone()),
        addon_commands: project.map(|project| project.commands.clone()),
        peer_identity: editor.map(|editor| {
            let facts = [
                ("project_path", editor.project_path().to_owned()),
                ("godot_version", editor.godot_version().to_owned()),
                ("addon_version", editor.identity().build.clone()),
                ("pid", editor.identity().pid.to_string()),
                ("instance", editor.identity().instance.clone()),
            ];
            facts.map(|(name, fact)| (name.to_owned(), fact)).into()
        }),
        backend: project.map(|project| Backend {
            csharp_supported: project.csharp_supported,
            csharp_project: project.csharp_project,
            csharp_build: false,
        }),
    }
}

/// Where the editor's commands differ from the table.
fn drift(editor: &Editor) -> Option<String> {
    let theirs = editor.identity().project.as_ref().map(|project| &project.commands)?;
    let theirs: BTreeSet<&str> = theirs.iter().map(String::as_str).collect();
    let remote = Tool::ALL.iter().filter(|tool| tool.verb() != Verb::local);
    let missing: Vec<&str> =
        remote.map(|tool| tool.wire()).filter(|wire| !theirs.contains(wire)).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "The add-on does not know {}. The tools that need it fail; update the add-on.",
            missing.join(", ")
        )
    })
}
