//! Checks all scripts of the project at once, by what is in their files.

use std::time::Duration;

use protocol::{
    Fault, ResPath,
    tools::{core::ParseReport, scripts::Diagnostic},
};

use super::{
    get_parse_errors::{diagnostic, port},
    text::Source,
};
use crate::{
    background::Pending,
    files::{self, unreadable},
    folder::Folder,
    language_server::{Finding, Trouble, ask_all},
    plan::Context,
    resource::on_disk,
};

/// How many scripts are checked at most.
const SCRIPTS: usize = 1_000;

/// How long all of it may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Of how many errors is told.
const TOLD: usize = 20;

/// How much of a message is told, in characters.
const MESSAGE: usize = 300;

/// A check that is under way.
pub(in crate::tools) struct CheckAll {
    paths: Vec<String>,
    /// How many scripts there are.
    total: usize,
    answer: Pending<Result<Vec<Vec<Finding>>, Trouble>>,
}

impl CheckAll {
    /// Begins to check.
    pub(in crate::tools) fn begin(context: &Context) -> Result<CheckAll, Fault> {
        let project = ResPath::try_from("res://".to_owned()).map_err(Fault::internal)?;
        let (mut scripts, mut total) = (Vec::new(), 0);
        Folder::find(&project, "scene")?
            .each_file(&mut |path| {
                if path.ends_with(".gd") {
                    total += 1;
                    if scripts.len() < SCRIPTS
                        && let Some(text) = text_of(path)
                    {
                        scripts.push((path.to_owned(), text));
                    }
                }
                true
            })
            .map_err(|error| unreadable("res://", &error))?;
        let paths = scripts.iter().map(|(path, _)| path.clone()).collect();
        let folder = on_disk("res://").to_string_lossy().into_owned();
        let answer = context.background.run(ask_all(port(), folder, scripts, LIMIT));
        Ok(CheckAll { paths, total, answer })
    }

    /// What was found; `None` for not yet.
    pub(in crate::tools) fn look(&self) -> Option<ParseReport> {
        let mut report = ParseReport { total: self.total, ..ParseReport::default() };
        let found = match self.answer.look()? {
            Ok(Ok(found)) => found,
            Ok(Err(trouble)) => {
                report.skipped_reason = Some(format!(
                    "No script was checked: the editor's language server was not asked, as {trouble}. \
                     Check single scripts with godot_scripts_get_parse_errors."
                ));
                return Some(report);
            }
            Err(fault) => {
                report.skipped_reason = Some(fault.hint);
                return Some(report);
            }
        };
        report.checked = found.len();
        for (path, findings) in self.paths.iter().zip(found) {
            let Ok(path) = ResPath::try_from(path.clone()) else { continue };
            for finding in findings {
                if finding.is_error {
                    report.error_count += 1;
                    if report.errors.len() < TOLD {
                        report.errors.push(short(diagnostic(&path, finding)));
                    }
                } else {
                    report.warning_count += 1;
                }
            }
        }
        if report.checked < self.total {
            report.skipped_reason = Some(format!(
                "{} of {} scripts were not checked: they cannot be read as text, or there are too many \
                 for the time. Check single ones with godot_scripts_get_parse_errors.",
                self.total - report.checked,
                self.total
            ));
        }
        report.ok = report.error_count == 0 && report.skipped_reason.is_none();
        Some(report)
    }
}

fn text_of(path: &str) -> Option<String> {
    let content = files::read(&on_disk(path)).ok().flatten()?;
    let path = ResPath::try_from(path.to_owned()).ok()?;
    Source::of(&path, content).ok().map(|source| source.plain())
}

fn short(found: Diagnostic) -> Diagnostic {
    match found.message.char_indices().nth(MESSAGE) {
        Some((end, _)) => {
            let message = format!("{}…", found.message.get(..end).unwrap_or_default());
            Diagnostic { message, ..found }
        }
        None => found,
    }
}
