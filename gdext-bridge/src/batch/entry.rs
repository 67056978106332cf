//! The entries of a batch: calls of their own, each run when its turn comes.

use std::borrow::Cow;

use godot::{classes::ResourceLoader, obj::Singleton};
use protocol::{
    Fault, Required, ResPath, Tool, Toolset, Verb,
    envelope::{self, Order},
    tools::composite::CommandResult,
};
use serde_json::{Value, value::to_raw_value};

use super::report::Report;
use crate::{
    call::{self, Call, Mode},
    tools::asset_import::is_imported_kind,
};

/// One command that waits for its turn.
pub(super) struct Entry {
    pub(super) index: usize,
    pub(super) order: Result<Call<'static>, Fault>,
}

/// The calls of a batch, and a report that names them.
pub(super) fn read(batch: envelope::Batch) -> Result<(Vec<Entry>, Report), Fault> {
    let mut report = Report::default();
    let mut entries = Vec::new();
    for (index, entry) in batch.entries.into_iter().enumerate() {
        let order = match entry.order {
            Order::Refused(fault) => Err(fault),
            Order::Run(command) => call(command),
        };
        report.results.push(CommandResult {
            index,
            command: entry.command,
            ..CommandResult::default()
        });
        entries.push(Entry { index, order });
    }
    check_imports(&mut entries);
    Ok((entries, report))
}

/// Refuses the entries that use a file which an earlier one brings: the editor imports it only when
/// the steps of the batch are registered, and until then there is nothing to be used.
fn check_imports(entries: &mut [Entry]) {
    let mut brought: Vec<(usize, String)> = Vec::new();
    for Entry { index, order } in entries {
        let Ok(call) = &order else { continue };
        let params: Value = serde_json::from_str(call.params.get()).unwrap_or_default();
        if call.tool == Tool::ImportAsset {
            brought.extend(target(&params).map(|path| (*index, path)));
            continue;
        }
        let is_edit = matches!(call.tool.verb(), Verb::edits | Verb::overwrites);
        // Those of the toolset `project` are content with the file itself.
        if !is_edit || call.tool.toolset() == Toolset::Project {
            continue;
        }
        if let Some((by, path)) = brought.iter().find(|(_, path)| names(&params, path)) {
            *order = Err(Fault::precondition(
                Required::parameter("commands"),
                format!(
                    "'{path}' cannot be used in the batch that brings it: the editor imports it only at \
                     the end. Take command {by} out, call it by itself first, then make the rest."
                ),
            ));
        }
    }
}

/// The file that an import brings, if it has to be imported before it can be used and never was.
fn target(params: &Value) -> Option<String> {
    let path = params.get("target_path")?.as_str()?.to_owned();
    let path = ResPath::try_from(path).ok().filter(is_imported_kind)?;
    let is_usable = ResourceLoader::singleton().exists(path.as_str());
    (!is_usable).then(|| path.to_string())
}

/// Whether one of the values is this text.
fn names(value: &Value, text: &str) -> bool {
    match value {
        Value::String(it) => it == text,
        Value::Array(items) => items.iter().any(|item| names(item, text)),
        Value::Object(members) => members.values().any(|member| names(member, text)),
        _ => false,
    }
}

fn call(command: envelope::BatchCommand) -> Result<Call<'static>, Fault> {
    let tool = call::tool(&command.wire)?;
    if matches!(tool, Tool::Undo | Tool::Redo) || tool.verb() == Verb::batches {
        return Err(Fault::invalid(format!("{} cannot be part of a batch.", tool.name())));
    }
    let params = to_raw_value(&command.params).map_err(|it| Fault::internal(it.to_string()))?;
    let mode = match command.preview {
        true => Mode::Preview,
        false => Mode::Commit { confirm: command.confirm },
    };
    let scene = command.scene.map(Cow::Owned);
    Ok(Call { tool, params: Cow::Owned(params), mode, scene, instance: None })
}

/// Whether a tool looks at the settings alone, as they are in the editor, and at no file.
pub(super) fn speaks_of_settings(tool: Tool) -> bool {
    let settings =
        [Tool::SetSetting, Tool::GetSetting, Tool::RegisterAutoload, Tool::UnregisterAutoload];
    tool.toolset() == Toolset::InputMap || settings.contains(&tool)
}
