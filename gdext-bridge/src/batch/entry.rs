//! The entries of a batch: calls of their own, each run when its turn comes.

use std::borrow::Cow;

use protocol::{Fault, Tool, Toolset, Verb, envelope, tools::composite::CommandResult};

use super::{refusals, report::Report};
use crate::call::{self, Call, Mode};

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
        let command = entry.command.clone();
        report.results.push(CommandResult { index, command, ..CommandResult::default() });
        let order = entry.order().and_then(call);
        entries.push(Entry { index, order });
    }
    refusals::check(&mut entries);
    Ok((entries, report))
}

/// The first entry that is refused before anything is done, and why.
pub(super) fn first_refusal(entries: &[Entry]) -> Option<(usize, Fault)> {
    entries.iter().find_map(|entry| Some((entry.index, entry.order.as_ref().err()?.clone())))
}

fn call(command: envelope::BatchCommand) -> Result<Call<'static>, Fault> {
    let tool = call::tool(&command.wire)?;
    if matches!(tool, Tool::Undo | Tool::Redo) || tool.verb() == Verb::batches {
        return Err(Fault::invalid(format!("{} cannot be part of a batch.", tool.name())));
    }
    let mode = match command.preview {
        true => Mode::Preview,
        false => Mode::Commit { confirm: command.confirm },
    };
    let scene = command.scene.map(Cow::Owned);
    Ok(Call { tool, params: Cow::Owned(command.params), mode, scene, instance: None })
}

/// Whether a tool looks at the settings alone, as they are in the editor, and at no file.
pub(super) fn speaks_of_settings(tool: Tool) -> bool {
    let settings =
        [Tool::SetSetting, Tool::GetSetting, Tool::RegisterAutoload, Tool::UnregisterAutoload];
    tool.toolset() == Toolset::InputMap || settings.contains(&tool)
}
