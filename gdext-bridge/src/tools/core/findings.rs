//! What `godot_debug_workflow` says of all that it has seen, in sentences.

use std::time::Duration;

use protocol::tools::{core::ParseReport, runtime::RunCaptured, scripts::Diagnostic};

/// How many errors are quoted.
const QUOTED: usize = 3;

/// What was seen.
pub(super) struct Seen<'a> {
    /// The scripts.
    pub(super) parse: &'a ParseReport,
    /// The run, if there was one.
    pub(super) run: Option<&'a RunCaptured>,
    /// Why there was none.
    pub(super) no_run: Option<&'a str>,
    /// Whether the game is meant to go on and on.
    pub(super) expected_timeout: bool,
    /// How long it had.
    pub(super) limit: Duration,
    /// Which changes were not in the run.
    pub(super) unsaved: Option<&'a str>,
}

/// What is not as it should be, the worst first.
pub(super) fn findings(seen: &Seen<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let ParseReport { errors, error_count, skipped_reason, .. } = seen.parse;
    if *error_count > 0 {
        let quoted: Vec<String> = errors.iter().take(QUOTED).map(quoted).collect();
        found.push(format!("{} in scripts: {}", some(*error_count, "error"), quoted.join("; ")));
    }
    found.extend(skipped_reason.clone());
    found.extend(seen.no_run.map(str::to_owned));
    if let Some(run) = seen.run {
        if let Some(signal) = run.signal {
            found.push(format!("The game crashed: signal {signal} ended it."));
        }
        if let Some(code) = run.exit_code.filter(|code| *code != 0) {
            found.push(format!("The game ended with exit code {code}."));
        }
        if run.timed_out && !seen.expected_timeout {
            found.push(format!(
                "The game was still running after {} s and was ended. If that is as it should be, set \
                 expected_timeout.",
                seen.limit.as_secs_f64()
            ));
        }
        if run.error_count > 0 {
            found.push(printed(run.error_count, "error", &run.errors));
        }
        if run.warning_count > 0 {
            found.push(printed(run.warning_count, "warning", &run.warnings));
        }
    }
    found.extend(seen.unsaved.map(str::to_owned));
    found
}

fn printed(count: u64, what: &str, problems: &[protocol::tools::runtime::RunProblem]) -> String {
    let quoted = problems.iter().take(QUOTED).map(|it| {
        let place = place(it.source.as_deref(), it.line);
        let times = if it.count > 1 { format!(" ({} times)", it.count) } else { String::new() };
        format!("{place}{}{times}", it.message)
    });
    format!("The run printed {}: {}", some(count, what), quoted.collect::<Vec<_>>().join("; "))
}

/// What to do next: the tool to call, and what with.
pub(super) fn suggestions(seen: &Seen<'_>) -> Vec<String> {
    let mut next = Vec::new();
    let mut mend = |source: Option<&str>, line: Option<i64>| {
        let Some(source) = source else { return };
        let at = line.map(|line| format!(" around line {line}")).unwrap_or_default();
        let step = format!(
            "Read '{source}'{at} with godot_scripts_read and mend it with godot_scripts_patch."
        );
        if !next.contains(&step) && next.len() < QUOTED {
            next.push(step);
        }
    };
    for error in &seen.parse.errors {
        mend(error.source.as_deref(), error.line.map(i64::from));
    }
    for error in seen.run.iter().flat_map(|run| &run.errors) {
        mend(error.source.as_deref(), error.line);
    }
    if seen.no_run.is_some() {
        next.push(
            "Pass a 'scene' of godot_inspection_list_scenes, or set application/run/main_scene with \
             godot_project_set_setting."
                .to_owned(),
        );
    }
    let crashed = seen.run.is_some_and(|run| run.signal.is_some());
    let hangs = seen.run.is_some_and(|run| run.timed_out) && !seen.expected_timeout;
    if crashed || hangs {
        next.push(
            "Start the game with godot_runtime_play_scene and stop it where it is with \
             godot_debugger_force_break, or before with godot_debugger_set_breakpoint."
                .to_owned(),
        );
    }
    if seen.unsaved.is_some() {
        next.push("Save with godot_scene_edit_save_all_scenes.".to_owned());
    }
    if next.is_empty() {
        let play = "Nothing is to be mended by what was seen. To look into the game while it runs, call \
                    godot_runtime_play_scene, then godot_runtime_get_game_scene_tree and \
                    godot_runtime_get_game_output.";
        next.push(play.to_owned());
    } else {
        next.push("Then call godot_debug_workflow again.".to_owned());
    }
    next
}

fn quoted(error: &Diagnostic) -> String {
    format!("{}{}", place(error.source.as_deref(), error.line.map(i64::from)), error.message)
}

/// `res://a.gd:3: `, as far as it is known.
fn place(source: Option<&str>, line: Option<i64>) -> String {
    match (source, line) {
        (Some(source), Some(line)) => format!("{source}:{line}: "),
        (Some(source), None) => format!("{source}: "),
        (None, _) => String::new(),
    }
}

fn some(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use protocol::tools::runtime::RunProblem;

    use super::*;

    fn seen<'a>(parse: &'a ParseReport, run: &'a RunCaptured, expected_timeout: bool) -> Seen<'a> {
        let limit = Duration::from_secs(5);
        Seen { parse, run: Some(run), no_run: None, expected_timeout, limit, unsaved: None }
    }

    #[test]
    fn a_game_that_goes_on_is_found_unless_it_is_to() {
        let parse = ParseReport { ok: true, ..ParseReport::default() };
        let run = RunCaptured { ran: true, timed_out: true, ..RunCaptured::default() };
        let found = findings(&seen(&parse, &run, false));
        assert!(found.len() == 1 && found[0].contains("still running after 5 s"), "{found:?}");
        assert!(suggestions(&seen(&parse, &run, false))[0].contains("force_break"));
        assert_eq!(findings(&seen(&parse, &run, true)), Vec::<String>::new());
        assert!(suggestions(&seen(&parse, &run, true))[0].starts_with("Nothing"));
    }

    #[test]
    fn errors_are_quoted_with_their_place_and_the_way_to_mend_them() {
        let parse = ParseReport {
            errors: vec![Diagnostic {
                message: "Expected \":\".".to_owned(),
                source: Some("res://a.gd".to_owned()),
                line: Some(2),
                column: None,
                code: None,
            }],
            error_count: 1,
            ..ParseReport::default()
        };
        let problem = RunProblem { message: "no".to_owned(), count: 2, ..RunProblem::default() };
        let run = RunCaptured {
            exit_code: Some(1),
            errors: vec![problem],
            error_count: 2,
            ..RunCaptured::default()
        };
        let seen = seen(&parse, &run, false);
        let expected = [
            "1 error in scripts: res://a.gd:2: Expected \":\".",
            "The game ended with exit code 1.",
            "The run printed 2 errors: no (2 times)",
        ];
        assert_eq!(findings(&seen), expected);
        let next = suggestions(&seen);
        assert!(next[0].contains("'res://a.gd' around line 2"), "{next:?}");
        assert!(next.last().unwrap().contains("godot_debug_workflow"), "{next:?}");
    }
}
