//! `testing`: the project's own tests, and whole tests of the game in one call.

mod run_stress_test;
mod run_test_scenario;
mod run_tests;
mod script;

use crate::plan::Context;

/// How many errors are told.
const TOLD: usize = 5;

/// The errors that the game printed after the entry `seq` of its output: how many, and the first.
fn errors_since(context: &Context, seq: u64) -> (usize, Vec<String>) {
    context.game.output(|output| {
        let errors = || output.since(seq).filter(|entry| entry.kind == "error");
        let count = errors().map(|entry| usize::try_from(entry.count).unwrap_or(usize::MAX));
        let told = errors().take(TOLD).map(|entry| match (&entry.file, entry.line) {
            (Some(file), Some(line)) => format!("{} ({file}:{line})", entry.text),
            _ => entry.text.clone(),
        });
        (count.fold(0, usize::saturating_add), told.collect())
    })
}
