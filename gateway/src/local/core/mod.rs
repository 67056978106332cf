//! `core`: diagnostics, toolsets, resources.

pub mod check_for_updates;
pub mod disable_toolset;
pub mod enable_toolset;
pub mod get_server_info;
pub mod health_check;
pub mod list_tools_by_safety_class;
pub mod list_toolsets;
pub mod read_resource;

use std::time::Duration;

use protocol::{
    Toolset,
    tools::core::{EditorInfo, ToolInfo, ToolsetChanged},
};

use crate::{Gateway, VERSION, link::Editor, registry::spec, toolsets};

/// How the client is connected.
pub(crate) const TRANSPORT: &str = "stdio";

/// One connected editor, as it is told.
pub(crate) fn editor_info(editor: &Editor, selected: bool, silent: Option<Duration>) -> EditorInfo {
    EditorInfo {
        project_name: editor.project_name().to_owned(),
        project_path: editor.project_path().to_owned(),
        godot_version: editor.godot_version().to_owned(),
        addon_version: editor.identity().build.clone(),
        pid: editor.identity().pid,
        selected,
        silent_ms: silent.map(|silent| u64::try_from(silent.as_millis()).unwrap_or(u64::MAX)),
    }
}

/// What to do where add-on and server are not of one version, or could not get together at all.
pub(crate) fn version_notice(gateway: &Gateway, editor: Option<&Editor>) -> Option<String> {
    match editor {
        Some(editor) if editor.identity().build != VERSION => Some(format!(
            "The add-on is {}, this server {VERSION}. They understand each other, but update the \
             older one.",
            editor.identity().build
        )),
        Some(_) => None,
        None => gateway.editors.refusal(),
    }
}

/// The tools of a toolset, as an agent needs them to call them.
pub(crate) fn tool_infos(toolset: Toolset) -> Vec<ToolInfo> {
    let info = |tool: protocol::Tool| {
        let surface = spec(tool).surface();
        ToolInfo {
            name: tool.name().to_owned(),
            description: surface.description.clone(),
            input_schema: surface.input.clone(),
        }
    };
    toolset.tools().map(info).collect()
}

/// What is said after turning toolsets on or off.
pub(crate) fn changed(these: &[Toolset], enabled: bool) -> ToolsetChanged {
    let join = |parts: Vec<&str>, with: &str| parts.join(with);
    let description = match these {
        [only] => toolsets::description(*only).to_owned(),
        several => {
            format!("{} toolsets {}.", several.len(), if enabled { "enabled" } else { "disabled" })
        }
    };
    ToolsetChanged {
        name: join(these.iter().map(|toolset| toolset.name()).collect(), ","),
        enabled,
        description,
        min_godot: these.iter().find_map(|t| toolsets::min_godot(*t)).map(str::to_owned),
        tools: enabled.then(|| these.iter().copied().flat_map(tool_infos).collect()),
        tool_names: None,
        hint: None,
    }
}
