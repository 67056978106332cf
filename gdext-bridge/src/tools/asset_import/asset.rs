//! `godot_asset_import_asset`.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use godot::{classes::EditorFileSystem, prelude::*};
use protocol::{
    Fault, Required, ResPath, Verdict,
    tools::asset_import::{AssetImported, ImportAsset},
};
use serde_json::{Map, Value};

use super::{Outcome, decode, editor_files, is_imported_kind, outcome, settings, status};
use crate::{
    engine_log::EngineLog,
    file_change::FileChange,
    plan::{Context, Edit, Plan, Progress},
    resource::{check_target, file_exists, on_disk},
    scan::Scan,
    undo::Step,
};

/// What is no asset: it would change the project itself, or run as code of the editor.
const NO_ASSETS: &[&str] = &["dll", "dylib", "gdextension", "godot", "import", "so", "uid"];

/// How many milliseconds an import is waited for where the caller does not want to wait.
const BRIEFLY: u64 = 1000;

/// What the engine says when it is importing already.
const BUSY: &str = "reimport_files() recursively";

impl Edit for ImportAsset {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<AssetImported>, Fault> {
        let path = self.target_path;
        check(&path)?;
        let content = read(&self.source, &path)?;
        let extension = path.extension();
        if let Some(why) = decode::fault_of(&extension, &content, path.folder()) {
            return Err(Fault::invalid(format!(
                "'{}' cannot be imported as '.{extension}': {why}. See engine_errors; nothing was \
                 changed.",
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
            next: None,
        };
        let discards = format!("the file that '{path}' is now");
        let label = format!("Import {path}");
        let step = Step::File(FileChange::write(&path, content));
        // Settings can be checked only once the importer has said which it has.
        let waits = self.wait_for_scan || !settings.is_empty();
        let patience = u64::try_from(self.timeout_ms.get()).unwrap_or_default();
        let patience = Duration::from_millis(if waits { patience } else { patience.min(BRIEFLY) });
        let plan = Plan::project_steps(result, label, vec![step])
            .with_verdict(Verdict::kept())
            .then(move |context, result| {
                let until = Instant::now() + patience;
                Import { path, settings, until, result }.begin(&context.log)
            });
        Ok(if overwrote { plan.discarding(discards) } else { plan })
    }
}

fn check(path: &ResPath) -> Result<(), Fault> {
    check_target(path, "target_path")?;
    if path.relative().is_empty() || NO_ASSETS.contains(&path.extension().as_str()) {
        return Err(Fault::invalid(format!("'{path}' cannot be an asset."))
            .requiring(Required::parameter("target_path")));
    }
    Ok(())
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

/// How a file that is in the project now is to be imported.
struct Import {
    path: ResPath,
    settings: Map<String, Value>,
    until: Instant,
    result: AssetImported,
}

impl Import {
    /// Begins, with a look at all files where the editor does not know the file.
    fn begin(mut self, log: &EngineLog) -> Progress<AssetImported> {
        if !is_imported_kind(&self.path) {
            self.result.scan_complete = true;
            self.result.detected_type = kind_of(&self.path);
            return Progress::Done(self.result);
        }
        let Ok(mut files) = editor_files() else { return Progress::Done(self.late()) };
        self.result.errors = log.take();
        let scan = (!self.is_known(&files)).then(|| Scan::start(&files));
        let mut this = Some(self);
        Progress::Waiting(Box::new(move |context| {
            let import = this.as_mut()?;
            match &scan {
                Some(scan) if !scan.has_ended() => scan.tell(context),
                _ => context.tell(0, 1, format!("The editor imports {}", import.path)),
            }
            let is_late = Instant::now() > import.until;
            let is_ready = scan.as_ref().is_none_or(Scan::has_ended) && import.is_known(&files);
            if !(is_late || is_ready && import.run(&mut files, &context.log)) {
                return None;
            }
            let import = this.take()?;
            Some(Ok(if is_late { import.late() } else { import.finish(&mut files, &context.log) }))
        }))
    }

    /// Has the editor import the file, unless it has. Tells whether that came to an end: while the
    /// editor imports others, and draws frames meanwhile, it takes no orders.
    fn run(&mut self, files: &mut Gd<EditorFileSystem>, log: &EngineLog) -> bool {
        if matches!(outcome(&self.path), Outcome::NotYet) {
            files.reimport_files(&self.paths());
            let said = log.take();
            self.result.errors.extend(said.into_iter().filter(|line| !line.contains(BUSY)));
        }
        !matches!(outcome(&self.path), Outcome::NotYet)
    }

    /// Whether the editor has the file in its list.
    fn is_known(&self, files: &Gd<EditorFileSystem>) -> bool {
        let folder = files.get_filesystem_path(self.path.folder());
        let name = self.path.as_str().rsplit('/').next().unwrap_or_default();
        folder.is_some_and(|folder| folder.find_file_index(name) >= 0)
    }

    fn paths(&self) -> PackedStringArray {
        PackedStringArray::from([GString::from(self.path.as_str())])
    }

    /// The result where the editor is still to do it.
    fn late(self) -> AssetImported {
        let next = "The editor imports it now; see godot_asset_import_get_status.".to_owned();
        AssetImported { scan_deferred: true, next: Some(next), ..self.result }
    }

    /// Applies the settings that the caller gave, and tells what became of it.
    fn finish(mut self, files: &mut Gd<EditorFileSystem>, log: &EngineLog) -> AssetImported {
        if !self.settings.is_empty() {
            match settings::apply(&self.path, &self.settings) {
                Ok(()) => {
                    self.result.loop_applied = self.settings.keys().any(|it| it.contains("loop"));
                    files.reimport_files(&self.paths());
                    self.result.errors.extend(log.take());
                }
                Err(refusals) => {
                    self.result.errors.extend(refusals);
                    let next = "The file is imported with the importer's own settings. Call again with \
                                settings that it has.";
                    self.result.next = Some(next.to_owned());
                }
            }
        }
        self.result.scan_complete = status(&self.path).is_ok_and(|status| status.imported);
        self.result.detected_type = kind_of(&self.path);
        if !self.result.scan_complete {
            let next = "The import failed; see errors. godot_undo takes the file away.";
            self.result.next = Some(next.to_owned());
        }
        self.result
    }
}

fn kind_of(path: &ResPath) -> Option<String> {
    status(path).ok().and_then(|status| status.kind)
}
