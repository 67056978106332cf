//! `godot_testing_run_tests`: with the framework that the project has for its tests.

mod console;
mod framework;
mod junit;
mod verdicts;

use protocol::{
    Fault,
    tools::{
        runtime::RunProblem,
        testing::{RunTests, TestsRun},
    },
};

use self::{
    framework::{Framework, Reports},
    verdicts::Verdicts,
};
use crate::{
    child::{self, Ended},
    folder::Folder,
    plan::{Context, Progress, Run},
    tools::page::{PAGE_CHARACTERS, Page},
};

/// How much of an answer the errors that the engine printed may take, in characters.
const ERRORS: usize = 8_000;

/// How much of the end of the output is told, in characters.
const SUMMARY: usize = 2_000;

/// How long the message of one failure may be, in characters.
const MESSAGE: usize = 1_500;

impl Run for RunTests {
    fn run(self, _: &Context) -> Result<Progress<TestsRun>, Fault> {
        let installed = Framework::installed();
        if installed.is_empty() {
            return Ok(Progress::Done(absent()));
        }
        let folder = Folder::find(&self.test_dir, "test_dir")?;
        let Some(framework) = Framework::of(&installed, &folder)? else {
            return Ok(Progress::Done(absent()));
        };
        let reports = Reports::make()?;
        let arguments = framework.arguments(&self.test_dir, reports.path())?;
        let run = child::Run::start(arguments, self.timeout_seconds.duration())?;
        let folder = self.test_dir.to_string();
        // In this order: what still runs writes reports.
        let mut work = Some((run, reports));
        Ok(Progress::Aside(Box::new(move |context| {
            let ended = work.as_ref()?.0.poll(context)?;
            // Nothing is left of it when the answer is there.
            let (_, reports) = work.take()?;
            Some(ended.map(|ended| told(framework, &folder, &reports, &ended)))
        })))
    }
}

/// What is said where there is nothing to run tests with.
fn absent() -> TestsRun {
    let scripts = [Framework::Gut, Framework::GdUnit4].map(Framework::script).join(" or ");
    TestsRun {
        framework_absent: true,
        hint: Some(format!(
            "The project has no framework for tests: there is no {scripts}. Nothing was run. Install \
             GUT or gdUnit4 into addons/, or run a scene that checks what it does with \
             godot_runtime_run_and_capture."
        )),
        ..TestsRun::default()
    }
}

fn told(framework: Framework, folder: &str, reports: &Reports, ended: &Ended) -> TestsRun {
    let report = reports.read();
    let lines = ended.output.last_lines().map(|line| &*line.text);
    let verdicts = match &report {
        Some(report) => junit::read(report),
        None => console::read(framework, lines),
    };
    let errors = child::errors(ended, ERRORS);
    let hint = hint(framework, folder, report.is_some(), &verdicts, ended);
    let count = verdicts.failures.len();
    let mut window = Page::at(0).window(PAGE_CHARACTERS - ERRORS - SUMMARY);
    let mut failures = verdicts.failures;
    failures.iter_mut().for_each(|failure| cut(&mut failure.message));
    failures.retain(|failure| window.admits(failure));
    TestsRun {
        ran: true,
        framework: Some(framework.name().to_owned()),
        framework_absent: false,
        passed: verdicts.passed,
        failed: verdicts.failed,
        skipped: verdicts.skipped,
        total: verdicts.passed + verdicts.failed + verdicts.skipped,
        truncated: failures.len() < count,
        failures,
        timed_out: ended.timed_out,
        exit_code: ended.exit_code,
        signal: ended.signal,
        duration_seconds: child::seconds(ended),
        raw_summary: summary(ended),
        errors,
        error_count: ended.output.problems().errors().count,
        hint,
    }
}

/// The end of what was printed.
fn summary(ended: &Ended) -> String {
    let (mut lines, mut room) = (Vec::new(), SUMMARY);
    for line in ended.output.last_lines().rev().map(|line| &*line.text) {
        let length = line.chars().count() + 1;
        if length > room {
            break;
        }
        room -= length;
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n").trim().to_owned()
}

/// What is to be known before the counts are believed.
fn hint(
    framework: Framework,
    folder: &str,
    has_report: bool,
    verdicts: &Verdicts,
    ended: &Ended,
) -> Option<String> {
    let mut hints = Vec::new();
    let is_below = |file: &str| {
        file.strip_prefix(folder).is_some_and(|rest| folder == "res://" || rest.starts_with('/'))
    };
    let broken = |error: &&RunProblem| {
        error.kind == "Parse Error" && error.source.as_deref().is_some_and(is_below)
    };
    let errors = &ended.output.problems().errors().told;
    let broken = errors.iter().filter(broken).filter_map(|error| error.source.as_deref());
    let mut broken: Vec<&str> = broken.collect();
    broken.dedup();
    if !broken.is_empty() {
        hints.push(format!(
            "These do not parse, so their tests were not run: {}. See 'errors', and \
             godot_scripts_get_parse_errors.",
            broken.join(", ")
        ));
    }
    if ended.timed_out {
        let at = verdicts.unfinished.as_deref().map(|test| format!(" in '{test}'"));
        hints.push(format!(
            "The time was over{}: the counts are of the tests before that. Give a larger \
             timeout_seconds, or look at what that test waits for.",
            at.unwrap_or_default()
        ));
    } else if verdicts.total() == 0 && (has_report || ended.exit_code == Some(0)) {
        hints.push(format!(
            "No test was found in '{folder}'. {} takes {}, subfolders included. See \
             godot_project_get_filesystem_tree.",
            framework.name(),
            framework.finds()
        ));
    } else if !has_report {
        hints.push(
            "The framework ended without a report, so the counts are read from what it printed and may \
             be incomplete. See 'errors' and 'raw_summary'."
                .to_owned(),
        );
    }
    (!hints.is_empty()).then(|| hints.join(" "))
}

fn cut(message: &mut String) {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
}
