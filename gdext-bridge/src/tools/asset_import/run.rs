//! The import of a file that lies in the project: by the editor, in its own time, with settings that
//! are checked against those which the importer left.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use godot::{
    classes::{ConfigFile, EditorFileSystem},
    prelude::*,
};
use protocol::{Fault, Required, ResPath, tools::asset_import::AssetImported};
use serde_json::{Map, Value};

use super::{Outcome, editor_files, is_imported_kind, outcome, settings, status};
use crate::{
    engine_log::EngineLog,
    history::{Direction, Home, OURS},
    plan::{Context, Poll, Progress},
    resource::missing_dependencies,
    scan::Scan,
    signal,
    undo::kept::Leave,
};

/// What the engine says when it is importing already.
const BUSY: &str = "reimport_files() recursively";

/// The signal that tells which files the editor has just imported.
const IMPORTED: &str = "resources_reimported";

/// How a file that is in the project now is to be imported.
pub(super) struct Import {
    /// The file.
    pub(super) path: ResPath,
    /// What the caller wants of the importer.
    pub(super) settings: Map<String, Value>,
    /// How long it is waited for.
    pub(super) patience: Duration,
    /// What the step that brought the file is called in the history.
    pub(super) label: String,
    /// What is to be told.
    pub(super) result: AssetImported,
}

impl Import {
    /// Begins, with a look at all files where the editor does not know the file.
    pub(super) fn begin(mut self) -> Progress<AssetImported> {
        self.result.next = None;
        if !is_imported_kind(&self.path) {
            self.result.scan_complete = true;
            self.result.detected_type = kind_of(&self.path);
            let missing = missing_dependencies(self.path.as_str());
            self.result.next = (!missing.is_empty()).then(|| {
                let missing = missing.join(", ");
                format!("It needs files that are missing, and cannot be loaded before: {missing}.")
            });
            return Progress::Done(self.result);
        }
        let Ok(files) = editor_files() else { return Progress::Done(self.late()) };
        let scan = (!self.is_known(&files)).then(|| Scan::start(&files));
        let version = Home::Project.undo_redo().map(|history| history.get_version());
        let until = Instant::now() + self.patience;
        Progress::Waiting(
            self.poll(Running { files, scan, wanted: None, is_heard: false, version }, until),
        )
    }

    fn poll(self, mut running: Running, until: Instant) -> Poll<AssetImported> {
        let mut this = Some(self);
        Box::new(move |context| {
            let import = this.as_mut()?;
            let advance = import.advance(&mut running, context);
            match advance {
                Ok(false) if Instant::now() <= until => None,
                Ok(is_done) => {
                    let import = this.take()?;
                    Some(Ok(if is_done { import.finish() } else { import.late() }))
                }
                Err(fault) => Some(Err(this.take()?.taken_back(fault, running.version, context))),
            }
        })
    }

    /// Goes on. Tells whether the file is imported as it is wanted. While the editor looks at files or
    /// imports others, and draws frames meanwhile, it takes no orders.
    ///
    /// # Errors
    /// What is wrong with the file, or with the settings.
    fn advance(&mut self, running: &mut Running, context: &Context) -> Result<bool, Fault> {
        if !running.scan.as_ref().is_none_or(Scan::has_ended) || !self.is_known(&running.files) {
            running.scan.iter().for_each(|scan| scan.tell(context));
            return Ok(false);
        }
        let total = if self.settings.is_empty() { 1 } else { 2 };
        let phase = u64::from(running.wanted.is_some());
        context.tell(phase, total, format!("The editor imports {}", self.path));
        if matches!(outcome(&self.path), Outcome::NotYet) && running.wanted.is_none() {
            self.reimport(running, &context.log);
        }
        match outcome(&self.path) {
            Outcome::NotYet => Ok(false),
            Outcome::Failed if running.is_heard => Err(self.broken()),
            // It failed among others, and perhaps in another thread. Imported once more, and alone, it
            // tells why.
            Outcome::Failed if running.files.is_scanning() => Ok(false),
            Outcome::Failed => {
                self.result.errors.clear();
                running.is_heard = self.reimport(running, &context.log);
                Ok(false)
            }
            Outcome::Usable if self.settings.is_empty() => Ok(true),
            Outcome::Usable => self.apply(running, context),
        }
    }

    /// Has the file imported with the settings. Tells whether it was.
    fn apply(&mut self, running: &mut Running, context: &Context) -> Result<bool, Fault> {
        if running.files.is_scanning() {
            return Ok(false);
        }
        if running.wanted.is_none() {
            let written = settings::apply(&self.path, &self.settings);
            running.wanted = Some(written.map_err(|refusals| settings::refusal(&refusals))?);
        }
        if !self.reimport(running, &context.log) {
            return Ok(false);
        }
        if matches!(outcome(&self.path), Outcome::Failed) {
            return Err(self.broken());
        }
        let wanted = running.wanted.as_ref();
        let lost = wanted.map(|wanted| settings::lost(&self.path, wanted)).unwrap_or_default();
        self.result.loop_applied =
            lost.is_empty() && self.settings.keys().any(|it| it.contains("loop"));
        self.result.errors.extend(lost);
        Ok(true)
    }

    /// Orders the editor to import the file. Tells whether it did so, and did not pass over the order.
    fn reimport(&mut self, running: &mut Running, log: &EngineLog) -> bool {
        let is_done = Rc::new(Cell::new(false));
        let (flag, path) = (is_done.clone(), GString::from(self.path.as_str()));
        let on_import = Callable::from_fn("godot_mcp_imported", move |arguments| {
            let files = arguments.first().and_then(|it| it.try_to::<PackedStringArray>().ok());
            flag.set(flag.get() || files.is_some_and(|files| files.contains(&path)));
        });
        signal::connect(&running.files, IMPORTED, &on_import);
        // What was printed before is about other files.
        log.take();
        running.files.reimport_files(&PackedStringArray::from([GString::from(self.path.as_str())]));
        running.files.disconnect(IMPORTED, &on_import);
        let said = log.take();
        self.result.errors.extend(said.into_iter().filter(|line| !line.contains(BUSY)));
        is_done.get()
    }

    /// Whether the editor has the file in its list.
    fn is_known(&self, files: &Gd<EditorFileSystem>) -> bool {
        let folder = files.get_filesystem_path(self.path.folder());
        let name = self.path.as_str().rsplit('/').next().unwrap_or_default();
        folder.is_some_and(|folder| folder.find_file_index(name) >= 0)
    }

    /// The result where the editor is still to do it.
    fn late(self) -> AssetImported {
        let mut next = "The editor imports it now; see godot_asset_import_get_status.".to_owned();
        if !self.settings.is_empty() {
            next.push_str(
                " It may not be imported with the settings: call again with a longer timeout_ms, \
                 and with leave to replace the file.",
            );
        }
        AssetImported { scan_deferred: true, next: Some(next), ..self.result }
    }

    /// Tells what became of it.
    fn finish(mut self) -> AssetImported {
        self.result.scan_complete = true;
        self.result.detected_type = kind_of(&self.path);
        self.result
    }

    /// The refusal of a file that the importer cannot read.
    fn broken(&self) -> Fault {
        let said = match self.result.errors.as_slice() {
            [] => "The importer does not say why.".to_owned(),
            errors => format!("The importer says: {}.", errors.join("; ")),
        };
        let (path, extension) = (&self.path, self.path.extension());
        Fault::invalid(format!(
            "'{path}' cannot be imported as '.{extension}': the file is broken, or not of that kind. \
             {said} Nothing was changed."
        ))
        .requiring(Required::parameter("source"))
        .with("engine_errors", self.result.errors.clone())
    }

    /// Undoes the step that brought the file, and says why. Only where nobody made another step since.
    fn taken_back(self, fault: Fault, version: Option<u64>, context: &Context) -> Fault {
        let label = format!("{OURS}{}", self.label);
        let next = context.histories.foretell(Direction::Undo, 1).pop();
        let is_last = next.is_some_and(|next| next.step.action == label)
            && Home::Project.undo_redo().map(|history| history.get_version()) == version;
        let is_gone = is_last && context.histories.take(Direction::Undo, &Leave::Nothing).is_ok();
        if is_gone {
            return fault;
        }
        let hint = format!(
            "{} Unless it is taken back with the batch that it came in, the file is in the project all the \
             same: godot_undo takes it away, or call again with what the importer takes, and with leave \
             to replace it.",
            fault.hint.trim_end_matches(" Nothing was changed.")
        );
        Fault { hint, ..fault }.with("outcome", "applied")
    }
}

/// An import that is under way.
struct Running {
    files: Gd<EditorFileSystem>,
    /// The look at all files, where the editor did not know the file.
    scan: Option<Scan>,
    /// The settings as they were written, once they are.
    wanted: Option<Gd<ConfigFile>>,
    /// Whether what the importer says of a broken file was listened to.
    is_heard: bool,
    /// The version of the project's history with the file, and nothing after it.
    version: Option<u64>,
}

fn kind_of(path: &ResPath) -> Option<String> {
    status(path).ok().and_then(|status| status.kind)
}
