//! Checks all scripts of the project at once, by what is in their files.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use protocol::{
    Fault, ResPath,
    tools::{core::ParseReport, scripts::Diagnostic},
};

use super::{
    get_parse_errors::{compile, diagnostic, port},
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
    /// The check by the compiler, where the language server cannot be asked.
    fallback: Option<Fallback>,
}

/// A check by the compiler, a few scripts a frame.
struct Fallback {
    trouble: String,
    todo: VecDeque<String>,
    since: Instant,
    report: ParseReport,
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
        Ok(CheckAll { paths, total, answer, fallback: None })
    }

    /// What was found; `None` for not yet.
    pub(in crate::tools) fn look(&mut self, context: &Context) -> Option<ParseReport> {
        let mut report = ParseReport { total: self.total, ..ParseReport::default() };
        if let Some(fallback) = &mut self.fallback {
            return fallback.go_on(context);
        }
        let found = match self.answer.look()? {
            Ok(Ok(found)) => found,
            Ok(Err(trouble)) => {
                self.fallback = Some(Fallback {
                    trouble: trouble.to_string(),
                    todo: std::mem::take(&mut self.paths).into(),
                    since: Instant::now(),
                    report,
                });
                return None;
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

impl Fallback {
    /// Checks the next few; tells once all are.
    fn go_on(&mut self, context: &Context) -> Option<ParseReport> {
        /// How much of a frame it may take.
        const SHARE: Duration = Duration::from_millis(8);
        let begun = Instant::now();
        while begun.elapsed() < SHARE && self.since.elapsed() < LIMIT {
            let Some(path) = self.todo.pop_front() else { break };
            self.check(context, path);
        }
        if !self.todo.is_empty() && self.since.elapsed() < LIMIT {
            return None;
        }
        let mut report = std::mem::take(&mut self.report);
        let skipped = report.total - report.checked;
        report.ok = report.error_count == 0 && skipped == 0;
        let rest = match skipped {
            0 => String::new(),
            _ => format!(
                " {skipped} of {} scripts were not checked: they cannot be read or loaded without running \
                 code, or there are too many for the time.",
                report.total
            ),
        };
        report.skipped_reason = Some(format!(
            "The editor's language server was not asked, as {}. So only the compiler's errors are told: of \
             those in the syntax of a script the first, and no warnings.{rest}",
            self.trouble
        ));
        Some(report)
    }

    fn check(&mut self, context: &Context, path: String) {
        let Some(text) = text_of(&path) else { return };
        let Ok(path) = ResPath::try_from(path) else { return };
        let Ok((errors, _)) = compile(context, &path, &text, &self.trouble) else { return };
        self.report.checked += 1;
        for error in errors {
            self.report.error_count += 1;
            if self.report.errors.len() < TOLD {
                self.report.errors.push(short(error));
            }
        }
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
