//! What no batch may do, found before anything of it is done: by what its entries ask for, whatever the
//! state is when their turn comes.

use godot::{classes::ResourceLoader, obj::Singleton};
use protocol::{Fault, Required, ResPath, Tool, Toolset, Verb};
use serde_json::Value;

use super::{
    active::{Active, changes_scene, closes, is_about_tabs},
    entry::Entry,
    scenes,
};
use crate::{
    call::{Call, Mode},
    tools::asset_import::is_imported_kind,
};

/// Refuses entries because of those before them.
pub(super) fn check(entries: &mut [Entry]) {
    check_imports(entries);
    check_closed(entries);
}

/// Refuses the entries that close a scene which an earlier one changes, also where it is saved in
/// between, and those that change a scene which an earlier one deletes.
fn check_closed(entries: &mut [Entry]) {
    let mut active = Active::now();
    let (mut changed, mut deleted) = (Vec::<(usize, String)>::new(), Vec::<(usize, String)>::new());
    for Entry { index, order } in entries {
        let Ok(call) = &order else { continue };
        if matches!(call.mode, Mode::Preview) {
            continue;
        }
        let tool = call.tool;
        // A batch may be long, so that only what has to be is read twice.
        let params = if is_about_tabs(tool) { params_of(call) } else { Value::Null };
        let by = |list: &[(usize, String)], path: Option<&str>| {
            list.iter().find(|(_, it)| Some(it.as_str()) == path).map(|(index, _)| *index)
        };
        let closed = closes(tool, &params, &active);
        let changes = active.path().filter(|_| changes_scene(tool)).map(str::to_owned);
        if let Some(by) = by(&changed, closed.as_deref()) {
            *order = Err(scenes::refused(&closed.unwrap_or_default(), by, "changes"));
        } else if let Some(by) = by(&deleted, changes.as_deref()) {
            *order = Err(scenes::refused(&changes.unwrap_or_default(), by, "closes"));
        } else {
            changed.extend(changes.map(|path| (*index, path)));
            deleted.extend(
                closed.filter(|_| tool == Tool::DeleteResourceFile).map(|path| (*index, path)),
            );
            active.pass(tool, &params);
        }
    }
}

/// Refuses the entries that use a file which an earlier one brings: the editor imports it only when
/// the steps of the batch are registered, and until then there is nothing to be used.
fn check_imports(entries: &mut [Entry]) {
    let mut brought: Vec<(usize, String)> = Vec::new();
    for Entry { index, order } in entries {
        let Ok(call) = &order else { continue };
        if call.tool == Tool::ImportAsset {
            brought.extend(target(&params_of(call)).map(|path| (*index, path)));
            continue;
        }
        let is_edit = matches!(call.tool.verb(), Verb::edits | Verb::overwrites);
        // Those of the toolset `project` are content with the file itself.
        if brought.is_empty() || !is_edit || call.tool.toolset() == Toolset::Project {
            continue;
        }
        let params = params_of(call);
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

/// What a call asks for.
pub(super) fn params_of(call: &Call<'_>) -> Value {
    serde_json::from_str(call.params.get()).unwrap_or_default()
}
