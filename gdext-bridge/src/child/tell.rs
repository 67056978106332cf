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
pub(crate) fn told(ended: Ended, room: usize) -> RunCaptured {
    let problems = ended.output.problems();
    let errors = errors(&ended, room * ERRORS / 100);
    let warnings = first(problems.warnings(), room * WARNINGS / 100);
    let used: usize = errors.iter().chain(&warnings).map(length).sum();
    let mut window = Page::at(0).window(room.saturating_sub(used));
    let lines = ended.output.last_lines().rev().take_while(|line| window.admits(&line.text));
    let (mut output, mut has_cut): (Vec<String>, bool) = (Vec::new(), false);
    for line in lines {
        has_cut |= line.is_cut;
        output.push(line.text.clone());
    }
    output.reverse();
    let has_all = u64::try_from(output.len()).is_ok_and(|told| told == ended.output.lines());
    RunCaptured {
        ran: true,
        exit_code: ended.exit_code,
        signal: ended.signal,
        timed_out: ended.timed_out,
        duration_seconds: seconds(&ended),
        errors,
        error_count: problems.errors().count,
        warnings,
        warning_count: problems.warnings().count,
        output_lines: ended.output.lines(),
        output_truncated: !has_all || has_cut,
        output,
        output_file: (!has_all || has_cut).then(|| ended.log.keep()).flatten(),
        command: ended.command,
        hint: None,
    }
}

/// The first errors of a run, in at most `room` characters.
pub(crate) fn errors(ended: &Ended, room: usize) -> Vec<RunProblem> {
    first(ended.output.problems().errors(), room)
}

/// How long a run took, to the millisecond.
pub(crate) fn seconds(ended: &Ended) -> f64 {
    (ended.duration.as_secs_f64() * 1000.0).round() / 1000.0
}

fn first(list: &List, room: usize) -> Vec<RunProblem> {
    let mut window = Page::at(0).window(room);
    list.told.iter().take_while(|problem| window.admits(problem)).cloned().collect()
}

fn length(problem: &RunProblem) -> usize {
    serde_json::to_string(problem).map(|text| text.len()).unwrap_or_default()
}
