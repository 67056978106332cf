//! `godot_asset_import_asset`.

use std::{fs, path::Path, time::Duration};

use protocol::{
    Fault, Required, ResPath, Verdict,
    tools::asset_import::{AssetImported, ImportAsset, is_address},
};

use super::{decode, fresh_uid, is_imported_kind, run::Import, settings};
use crate::{
    file_change::FileChange,
    plan::{Context, Edit, First, Plan, Work},
    resource::{check_target, file_exists, on_disk},
    tabs::check_closed,
    undo::Step,
};

/// What is no asset: it would change the project itself, or run as code of the editor.
const NO_ASSETS: &[&str] =
    &["dll", "dylib", "gdextension", "godot", "import", "remap", "so", "uid"];

/// The names of files that say how the engine or the editor works.
const STEERING: &[&str] =
    &["export_presets.cfg", "extension_api.json", "override.cfg", "plugin.cfg"];

/// What a preview says of an address.
const NOT_THERE: &str = "A preview downloads nothing, so whether there is a file at the address, how \
     large it is and whether it can be imported is not known yet. Make the call itself to know.";

/// What a preview says of settings that nobody knows yet.
const UNCHECKED: &str = "Which settings the importer has is known once it has imported the file, so \
     a preview cannot check them. The call itself refuses what the importer does not have, and takes the \
     file back.";

/// How many milliseconds an import is waited for where the caller does not want to wait.
const BRIEFLY: u64 = 1000;

impl Edit for ImportAsset {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<AssetImported>, Fault> {
        let path = self.target_path;
        check(&path)?;
        // An address comes here only in a preview: the gateway downloads for what is really done.
        let is_elsewhere = is_address(&self.source);
        let content = if is_elsewhere { Vec::new() } else { read(&self.source, &path)? };
        let extension = path.extension();
        let broken = || decode::fault_of(Path::new(&self.source), &path, &content);
        if let Some(why) = (!is_elsewhere).then(broken).flatten() {
            return Err(Fault::invalid(format!(
                "'{}' cannot be imported as '.{extension}': {why}. Nothing was changed.",
                self.source
            ))
            .requiring(Required::parameter("source")));
        }
        let settings = self.options.import_settings;
        if !settings.is_empty() && !is_imported_kind(&path) {
            return Err(Fault::invalid(format!(
                "A file '.{extension}' is not imported, so it has no import settings."
            ))
            .requiring(Required::parameter("options")));
        }
        let is_known =
            settings::check(&path, &settings).map_err(|refusals| settings::refusal(&refusals))?;
        check_closed(&path, "target_path")?;
        let overwrote = file_exists(&path);
        if overwrote && self.options.overwrite == Some(false) {
            return Err(Fault::invalid(format!("'{path}' exists, and overwrite is false."))
                .requiring(Required::parameter("target_path")));
        }
        let result = AssetImported {
            target_path: path.to_string(),
            imported: true,
            overwrote,
            detected_type: None,
            scan_complete: false,
            scan_deferred: false,
            loop_applied: false,
            errors: Vec::new(),
            next: if is_elsewhere {
                Some(NOT_THERE.to_owned())
            } else {
                (!is_known).then(|| UNCHECKED.to_owned())
            },
        };
        let discards = format!("the file that '{path}' is now");
        let label = format!("Import {path}");
        let name = label.clone();
        let step = Step::File(FileChange::write(&path, fresh_uid::given(&path, content)?));
        // Settings can be checked only once the importer has said which it has.
        let waits = self.wait_for_scan || !settings.is_empty();
        let patience = u64::try_from(self.timeout_ms.get()).unwrap_or_default();
        let patience = Duration::from_millis(if waits { patience } else { patience.min(BRIEFLY) });
        let plan =
            Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept()).then(
                move |_, result| Import { path, settings, patience, label: name, result }.begin(),
            );
        let plan = if is_elsewhere { never(plan) } else { plan };
        Ok(if overwrote { plan.discarding(discards) } else { plan })
    }
}

/// The same plan, which cannot be carried out: there is nothing to write.
fn never<T>(mut plan: Plan<T>) -> Plan<T> {
    let refuse: First = Box::new(|| {
        Err(Fault::unsupported(
            "The editor downloads nothing itself, and the server has sent an address in place of a \
             file. Download the file into a folder of the project and import it from there.",
        )
        .requiring(Required::parameter("source")))
    });
    if let Work::Steps { first, .. } = &mut plan.work {
        *first = Some(refuse);
    }
    plan
}

fn check(path: &ResPath) -> Result<(), Fault> {
    check_target(path, "target_path")?;
    let refuse =
        |why: String| Err(Fault::invalid(why).requiring(Required::parameter("target_path")));
    let name = path.as_str().rsplit('/').next().unwrap_or_default();
    // The editor passes over what begins with a dot, folders as well.
    let is_hidden = path.relative().split('/').any(|part| part.starts_with('.'));
    let is_steering = is_hidden || STEERING.contains(&name.to_lowercase().as_str());
    let is_asset = !is_steering && !NO_ASSETS.contains(&path.extension().as_str());
    if path.relative().is_empty() || !is_asset {
        return refuse(format!("'{path}' cannot be an asset."));
    }
    match passed_over(path) {
        Some(mark) => refuse(format!(
            "The editor passes over '{path}', because of '{mark}', and would never import it. Choose another \
             folder."
        )),
        None => Ok(()),
    }
}

/// The file which says that the editor passes over the folder of that path, or one above it.
fn passed_over(path: &ResPath) -> Option<String> {
    let folders = path.relative().match_indices('/').map(|(at, _)| at + 1);
    let marks = folders.map(|end| {
        let folder = path.relative().get(..end).unwrap_or_default();
        format!("res://{folder}.gdignore")
    });
    marks.into_iter().find(|mark| on_disk(mark).is_file())
}

/// The content of the source, which the gateway has let pass.
fn read(source: &str, target: &ResPath) -> Result<Vec<u8>, Fault> {
    let named = |fault: Fault| fault.requiring(Required::parameter("source"));
    let there = fs::canonicalize(on_disk(target.as_str()));
    if there.is_ok_and(|there| there == Path::new(source)) {
        return Err(named(Fault::invalid(format!("'{target}' is the source itself."))));
    }
    fs::read(source)
        .map_err(|error| named(Fault::invalid(format!("'{source}' cannot be read: {error}."))))
}
