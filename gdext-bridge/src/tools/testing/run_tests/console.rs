//! Reads what frameworks for tests print, for a run that was ended before it wrote its report.

use protocol::tools::testing::TestFailure;

use super::{
    framework::Framework,
    verdicts::{Verdict, Verdicts, of_suite},
};

/// What the lines say.
pub(super) fn read<'a>(framework: Framework, lines: impl Iterator<Item = &'a str>) -> Verdicts {
    let mut reading = Reading::default();
    for line in lines {
        let goes_on = match framework {
            Framework::Gut => reading.gut(line),
            Framework::GdUnit4 => reading.gdunit4(line),
        };
        if !goes_on {
            break;
        }
    }
    reading.verdicts.unfinished = reading.current.take().map(|current| current.test);
    reading.verdicts
}

#[derive(Default)]
struct Reading {
    verdicts: Verdicts,
    suite: String,
    current: Option<Current>,
}

/// The test that the lines are about.
struct Current {
    test: String,
    verdict: Verdict,
}

impl Reading {
    /// GUT prints the suite, the tests in it with a star, and what is wrong below them. Tells whether
    /// more can follow.
    fn gut(&mut self, line: &str) -> bool {
        let text = line.trim();
        if text == "= Run Summary" {
            self.end();
            return false;
        }
        if let Some(test) = line.strip_prefix("* ") {
            self.end();
            let test = match of_suite(&self.suite).1 {
                Some(class) => format!("{class}.{}", test.trim()),
                None => test.trim().to_owned(),
            };
            self.current = Some(Current { test, verdict: Verdict::Passed });
        } else if line.starts_with("res://") && text.contains(".gd") && !text.contains(' ') {
            self.end();
            self.suite = text.to_owned();
        } else if let Some(message) = text.strip_prefix("[Failed]") {
            self.fails(message.trim_start_matches(':').trim(), None);
        } else if text.starts_with("[Pending]") || text.starts_with("[Risky]") {
            if let Some(current) = &mut self.current {
                current.verdict = Verdict::Skipped;
            }
        } else if let Some(line) = text.strip_prefix("at line ")
            && let Some(failure) = self.verdicts.failures.last_mut()
        {
            failure.line = line.parse().ok().filter(|line| *line > 0);
        } else if text.ends_with(" passed.") {
            self.end();
        }
        true
    }

    /// gdUnit4 prints a line when a test begins and one when it ends, and then what was wrong.
    fn gdunit4(&mut self, line: &str) -> bool {
        if let Some((suite, rest)) = line.trim().split_once(" > ")
            && suite.starts_with("res://")
        {
            let mut words = rest.rsplit(' ').skip_while(|word| word.ends_with("ms"));
            let word = words.next().unwrap_or_default();
            let test = rest.split(&format!(" {word}")).next().unwrap_or(rest).to_owned();
            self.suite = suite.to_owned();
            let verdict = match word {
                "STARTED" => {
                    self.current = Some(Current { test, verdict: Verdict::Passed });
                    return true;
                }
                "PASSED" => Verdict::Passed,
                "SKIPPED" => Verdict::Skipped,
                "FAILED" | "ERROR" => Verdict::Failed,
                _ => return true,
            };
            self.verdicts.count(verdict);
            self.current = None;
            if verdict == Verdict::Failed {
                self.failure(&test, "", None);
            }
        } else if let Some(rest) = line.trim().strip_prefix("line ")
            && let Some((number, message)) = rest.split_once(": ")
            && let Some(failure) = self.verdicts.failures.last_mut()
            && failure.message.is_empty()
        {
            failure.line = number.parse().ok();
            failure.message = message.to_owned();
        }
        true
    }

    fn fails(&mut self, message: &str, line: Option<i64>) {
        if let Some(current) = &mut self.current {
            current.verdict = Verdict::Failed;
            let test = current.test.clone();
            self.failure(&test, message, line);
        }
    }

    fn failure(&mut self, test: &str, message: &str, line: Option<i64>) {
        let file = Some(of_suite(&self.suite).0);
        let (test, message) = (test.to_owned(), message.to_owned());
        self.verdicts.failures.push(TestFailure { test, file, line, message });
    }

    /// The test that was under way is over.
    fn end(&mut self) {
        if let Some(current) = self.current.take() {
            self.verdicts.count(current.verdict);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gut_as_far_as_it_got() {
        let text = "---  GUT  ---\n\nres://test/test_b.gd.TestInner\n* test_inner\n    [Failed]:  [1] is not:  \n\
                    \x20     at line 4\n0/1 passed.\n\n\nres://test/test_a.gd\n* test_ok\n* test_later\n\
                    \x20   [Pending]:  later\n* test_hangs\n";
        let verdicts = read(Framework::Gut, text.lines());
        assert_eq!((verdicts.passed, verdicts.failed, verdicts.skipped), (1, 1, 1));
        assert_eq!(verdicts.unfinished.as_deref(), Some("test_hangs"));
        let [failure] = verdicts.failures.as_slice() else { panic!() };
        assert_eq!((failure.test.as_str(), failure.line), ("TestInner.test_inner", Some(4)));
        assert_eq!(failure.file.as_deref(), Some("res://test/test_b.gd"));
        assert_eq!(failure.message, "[1] is not:");
    }

    #[test]
    fn gut_to_its_end() {
        let text = "res://test/test_a.gd\n* test_ok\n1/1 passed.\n= Run Summary\n\nres://test/test_a.gd\n* no\n";
        let verdicts = read(Framework::Gut, text.lines());
        assert_eq!((verdicts.passed, verdicts.total(), verdicts.unfinished), (1, 1, None));
    }

    #[test]
    fn gdunit4_as_far_as_it_got() {
        let text = "Run Test Suite: res://test/a_test.gd\n  res://test/a_test.gd > test_ok STARTED\n\
                    \x20 res://test/a_test.gd > test_ok PASSED 27ms\n  res://test/a_test.gd > test_n:1 (2) STARTED\n\
                    \x20 res://test/a_test.gd > test_n:1 (2) FAILED 21ms\n  Report:\n    line 5: Expecting:\n\
                    \x20    '2'\n  res://test/a_test.gd > test_hangs STARTED\n";
        let verdicts = read(Framework::GdUnit4, text.lines());
        assert_eq!((verdicts.passed, verdicts.failed, verdicts.skipped), (1, 1, 0));
        assert_eq!(verdicts.unfinished.as_deref(), Some("test_hangs"));
        let [failure] = verdicts.failures.as_slice() else { panic!() };
        assert_eq!((failure.test.as_str(), failure.line), ("test_n:1 (2)", Some(5)));
        assert_eq!(failure.message, "Expecting:");
    }
}
