//! `testing`: the project's own tests, and whole tests of the game in one call.

mod run_stress_test;
mod run_test_scenario;
mod run_tests;
mod script;

use godot::{classes::Engine, obj::Singleton};
use protocol::Fault;

use crate::plan::{Context, Poll};

/// How many errors are told.
const TOLD: usize = 5;

/// A test whose result has the errors of the game. What a game prints before its end reaches the editor some
/// frames after the news that it is gone, so they are taken down then.
fn with_last_words<T: 'static>(
    mut go_on: impl FnMut(&Context) -> Option<Result<T, Fault>> + 'static,
    hear: impl Fn(&Context, &mut T) + 'static,
) -> Poll<T> {
    /// How many frames that takes at most.
    const FRAMES: u64 = 4;
    let frame = || Engine::singleton().get_process_frames();
    let mut over: Option<(u64, T)> = None;
    Box::new(move |context| {
        if over.is_none() {
            match go_on(context)? {
                Ok(run) => over = Some((frame(), run)),
                Err(fault) => return Some(Err(fault)),
            }
        }
        let is_gone = !context.game.state().playing;
        over.take_if(|(since, _)| !is_gone || frame() > *since + FRAMES).map(|(_, mut run)| {
            hear(context, &mut run);
            Ok(run)
        })
    })
}

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
