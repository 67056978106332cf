//! A run as it is told: as much of it as fits into an answer.

use protocol::tools::runtime::{RunCaptured, RunProblem};

use super::{Ended, problems::List};
use crate::tools::page::Page;

/// The share of an answer that the errors may take, in percent; what they leave is for the output.
const ERRORS: usize = 40;

/// The share that the warnings may take.
const WARNINGS: usize = 15;

/// What is told of a run in at most `room` characters: the first errors and warnings, and the last
/// lines.
pub(crate) fn told(ended: &Ended, room: usize) -> RunCaptured {
    let mut used = 0;
    let mut first = |list: &List, share: usize| -> Vec<RunProblem> {
        let mut window = Page::at(0).window(room * share / 100);
        let told = list.told.iter().take_while(|problem| window.admits(problem));
        told.inspect(|problem| used += length(problem)).cloned().collect()
    };
    let problems = ended.output.problems();
    let errors = first(problems.errors(), ERRORS);
    let warnings = first(problems.warnings(), WARNINGS);
    let mut window = Page::at(0).window(room.saturating_sub(used));
    let lines = ended.output.last_lines().rev().take_while(|line| window.admits(line));
    let mut output: Vec<String> = lines.map(str::to_owned).collect();
    output.reverse();
    RunCaptured {
        ran: true,
        exit_code: ended.exit_code,
        signal: ended.signal,
        timed_out: ended.timed_out,
        duration_seconds: (ended.duration.as_secs_f64() * 1000.0).round() / 1000.0,
        errors,
        error_count: problems.errors().count,
        warnings,
        warning_count: problems.warnings().count,
        output_lines: ended.output.lines(),
        output_truncated: u64::try_from(output.len()).unwrap_or_default() < ended.output.lines(),
        output,
        command: ended.command.clone(),
        hint: None,
    }
}

fn length(problem: &RunProblem) -> usize {
    serde_json::to_string(problem).map(|text| text.len()).unwrap_or_default()
}
