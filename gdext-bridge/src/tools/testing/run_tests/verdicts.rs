//! What frameworks say of tests.

use protocol::tools::testing::TestFailure;

/// What a framework says of its tests.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Verdicts {
    /// How many passed.
    pub(super) passed: u64,
    /// How many failed.
    pub(super) failed: u64,
    /// Left out by their author, or without a word about what they found.
    pub(super) skipped: u64,
    /// What failed.
    pub(super) failures: Vec<TestFailure>,
    /// The test that was under way when the framework said no more.
    pub(super) unfinished: Option<String>,
}

/// What became of one test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// Neither.
    Skipped,
}

impl Verdicts {
    /// One more test.
    pub(super) fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed => self.failed += 1,
            Verdict::Skipped => self.skipped += 1,
        }
    }

    /// How many tests there were.
    pub(super) fn total(&self) -> u64 {
        self.passed + self.failed + self.skipped
    }
}

/// Takes the line of the file out of a message, where GUT has put it at the end: `at line 5`.
pub(super) fn without_line(message: &str) -> (&str, Option<i64>) {
    let message = message.trim();
    let (before, last) = message.rsplit_once('\n').unwrap_or(("", message));
    match last.trim().strip_prefix("at line ").map(|line| line.trim().parse::<i64>()) {
        // -1 stands for a line that it does not know.
        Some(Ok(line)) => (before.trim_end(), Some(line).filter(|line| *line > 0)),
        _ => (message, None),
    }
}

/// The file of a suite as GUT names it, and the class within it: `test/a.gd.TestInner`.
pub(super) fn of_suite(name: &str) -> (String, Option<&str>) {
    let (file, class) = match name.find(".gd.") {
        Some(at) => (name.get(..at + ".gd".len()), name.get(at + ".gd.".len()..)),
        None => (Some(name), None),
    };
    let file = file.unwrap_or(name);
    let scheme = if file.starts_with("res://") { "" } else { "res://" };
    (format!("{scheme}{file}"), class)
}
