//! Reads the reports of frameworks for tests, which are XML in the manner of JUnit.
//!
//! Only what these reports have: elements, attributes, text and CDATA. What is not understood is
//! passed over, and a report that breaks off counts as far as it goes.

use protocol::tools::testing::TestFailure;

use super::verdicts::{Verdict, Verdicts, of_suite, without_line};

/// What a report says.
pub(super) fn read(report: &str) -> Verdicts {
    let (mut verdicts, mut suite, mut case) = (Verdicts::default(), String::new(), None::<Case>);
    let mut rest = Pieces(report);
    while let Some(piece) = rest.next() {
        match piece {
            Piece::Open { name: "testsuite", attributes, .. } => suite = suite_of(&attributes),
            Piece::Open { name: "testcase", attributes, is_closed } => {
                let begun = Case::new(&attributes, &suite);
                if is_closed {
                    begun.end(&mut verdicts);
                } else {
                    case = Some(begun);
                }
            }
            Piece::Close("testcase") => {
                if let Some(case) = case.take() {
                    case.end(&mut verdicts);
                }
            }
            Piece::Open { name: name @ ("failure" | "error" | "skipped"), attributes, .. } => {
                if let Some(case) = &mut case {
                    case.finds(name, attribute(&attributes, "message"));
                }
            }
            Piece::Close("failure" | "error" | "skipped") => {
                if let Some(case) = &mut case {
                    case.is_open = false;
                }
            }
            Piece::Text(text) => {
                if let Some(failure) = case.as_mut().filter(|case| case.is_open) {
                    failure.says(&text);
                }
            }
            Piece::Open { .. } | Piece::Close(_) => {}
        }
    }
    verdicts
}

/// The file of a suite that says in which folder it is.
fn suite_of(attributes: &[(&str, String)]) -> String {
    let name = attribute(attributes, "name");
    let package = attributes.iter().any(|(name, _)| *name == "package");
    match (package, attribute(attributes, "package")) {
        (true, "") => format!("{name}.gd"),
        (true, folder) => format!("{folder}/{name}.gd"),
        (false, _) => name.to_owned(),
    }
}

fn attribute<'a>(attributes: &'a [(&str, String)], name: &str) -> &'a str {
    attributes.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

/// A test while it is read.
struct Case {
    test: String,
    file: String,
    verdict: Verdict,
    failures: Vec<TestFailure>,
    /// Whether text that comes belongs to the last failure.
    is_open: bool,
}

impl Case {
    fn new(attributes: &[(&str, String)], suite: &str) -> Case {
        let (file, class) = of_suite(suite);
        let name = attribute(attributes, "name");
        let test = match class {
            Some(class) => format!("{class}.{name}"),
            None => name.to_owned(),
        };
        // GUT counts a test that asserts nothing with those that are pending.
        let verdict = match attribute(attributes, "status") {
            "" | "pass" | "fail" => Verdict::Passed,
            _ => Verdict::Skipped,
        };
        Case { test, file, verdict, failures: Vec::new(), is_open: false }
    }

    /// Something is wrong, or it was left out. gdUnit4 puts the place into the message.
    fn finds(&mut self, what: &str, message: &str) {
        if what == "skipped" {
            self.verdict = Verdict::Skipped;
            return;
        }
        self.verdict = Verdict::Failed;
        let place = message.find("res://").and_then(|at| message.get(at..));
        let place = place.and_then(|place| place.rsplit_once(':'));
        let (file, line) = match place {
            Some((file, line)) => (file.to_owned(), line.trim().parse().ok()),
            None => (self.file.clone(), None),
        };
        self.failures.push(TestFailure {
            test: self.test.clone(),
            file: Some(file),
            line,
            message: String::new(),
        });
        self.is_open = true;
    }

    fn says(&mut self, text: &str) {
        if let Some(failure) = self.failures.last_mut() {
            failure.message.push_str(text);
        }
    }

    fn end(mut self, verdicts: &mut Verdicts) {
        verdicts.count(self.verdict);
        for failure in &mut self.failures {
            let (message, line) = without_line(&failure.message);
            failure.line = failure.line.or(line);
            failure.message = message.to_owned();
        }
        verdicts.failures.append(&mut self.failures);
    }
}

/// A piece of XML.
enum Piece<'a> {
    Open { name: &'a str, attributes: Vec<(&'a str, String)>, is_closed: bool },
    Close(&'a str),
    Text(String),
}

/// What is still to be read.
struct Pieces<'a>(&'a str);

impl<'a> Pieces<'a> {
    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if self.0.is_empty() {
                return None;
            }
            if let Some(rest) = self.0.strip_prefix("<![CDATA[") {
                let (text, after) = rest.split_once("]]>")?;
                self.0 = after;
                return Some(Piece::Text(text.to_owned()));
            }
            if let Some(rest) = self.0.strip_prefix("<!--") {
                self.0 = rest.split_once("-->")?.1;
            } else if let Some(rest) = self.0.strip_prefix("</") {
                let (name, after) = rest.split_once('>')?;
                self.0 = after;
                return Some(Piece::Close(name.trim()));
            } else if self.0.starts_with("<?") || self.0.starts_with("<!") {
                self.0 = self.0.split_once('>')?.1;
            } else if let Some(rest) = self.0.strip_prefix('<') {
                return self.open(rest);
            } else {
                let end = self.0.find('<').unwrap_or(self.0.len());
                let (text, after) = self.0.split_at(end);
                self.0 = after;
                return Some(Piece::Text(unescaped(text)));
            }
        }
    }

    /// An element, from behind its `<`.
    fn open(&mut self, rest: &'a str) -> Option<Piece<'a>> {
        let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/')?;
        let (name, mut rest) = rest.split_at(end);
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix("/>") {
                self.0 = after;
                return Some(Piece::Open { name, attributes, is_closed: true });
            }
            if let Some(after) = rest.strip_prefix('>') {
                self.0 = after;
                return Some(Piece::Open { name, attributes, is_closed: false });
            }
            let (attribute, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
            let (value, after) = after.get(1..)?.split_once(quote)?;
            attributes.push((attribute.trim(), unescaped(value)));
            rest = after;
        }
    }
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&apos;", "'").replace("&#39;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(verdicts: &Verdicts) -> Vec<(&str, &str, Option<i64>, &str)> {
        let told = verdicts.failures.iter();
        told.map(|it| (&*it.test, it.file.as_deref().unwrap_or(""), it.line, &*it.message))
            .collect()
    }

    #[test]
    fn a_report_of_gut() {
        let verdicts = read(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"GutTests\" failures=\"3\" >\n\
             <testsuite name=\"test/sub/test_b.gd.TestInner\" tests=\"1\" >\n\
             <testcase name=\"test_inner\" assertions=\"1\" status=\"fail\" time=\"0.1\" >\n\
             <failure message=\"failed\"><![CDATA[[1] expected to not equal [1]:  \n\
             \x20           at line 4]]></failure></testcase>\n</testsuite>\n\
             <testsuite name=\"test/test_a.gd\" tests=\"4\" >\n\
             <testcase name=\"test_ok\" status=\"pass\" >\n</testcase>\n\
             <testcase name=\"test_later\" status=\"pending\" >\n\
             <skipped message=\"pending\"><![CDATA[later]]></skipped></testcase>\n\
             <testcase name=\"test_error\" status=\"fail\" >\n<failure message=\"failed\">\
             <![CDATA[Unexpected Errors:\n[1] no <foo>\n            at line -1]]></failure></testcase>\n\
             <testcase name=\"test_silent\" status=\"no asserts\" >\n</testcase>\n\
             </testsuite>\n</testsuites>",
        );
        assert_eq!((verdicts.passed, verdicts.failed, verdicts.skipped), (1, 2, 2));
        let expected = [
            (
                "TestInner.test_inner",
                "res://test/sub/test_b.gd",
                Some(4),
                "[1] expected to not equal [1]:",
            ),
            ("test_error", "res://test/test_a.gd", None, "Unexpected Errors:\n[1] no <foo>"),
        ];
        assert_eq!(failures(&verdicts), expected);
    }

    #[test]
    fn a_report_of_gdunit4() {
        let verdicts = read(
            "<testsuites name=\"report_1\">\n\
             <testsuite id=\"1\" name=\"a_test\" package=\"test\" hostname=\"localhost\">\n\
             <testcase name=\"test_ok\" classname=\"a_test\" time=\"0.027\">\n</testcase>\n\
             <testcase name=\"test_bad\" classname=\"a_test\">\n\
             <failure message=\"FAILED: res://test/a_test.gd:5\" type=\"FAILURE\">\n\
             <![CDATA[\nExpecting:\n '2'\n but was\n '1'\n]]>\n</failure>\n\
             <failure message=\"FAILED: res://test/a_test.gd:6\" type=\"FAILURE\">\n<![CDATA[\nno\n]]>\n\
             </failure>\n</testcase>\n\
             <testcase name=\"test_skip &gt; 1\" classname=\"a_test\">\n\
             <skipped message=\"SKIPPED: res://test/a_test.gd:7\"><![CDATA[later]]></skipped>\n</testcase>\n\
             <testcase name=\"test_error\" classname=\"a_test\">\n\
             <error message=\"ERROR: res://test/a_test.gd:11\" type=\"ABORT\"><![CDATA[gone]]></error>\n\
             </testcase>\n</testsuite>\n</testsuites>",
        );
        assert_eq!((verdicts.passed, verdicts.failed, verdicts.skipped), (1, 2, 1));
        let file = "res://test/a_test.gd";
        let expected = [
            ("test_bad", file, Some(5), "Expecting:\n '2'\n but was\n '1'"),
            ("test_bad", file, Some(6), "no"),
            ("test_error", file, Some(11), "gone"),
        ];
        assert_eq!(failures(&verdicts), expected);
    }

    #[test]
    fn a_report_that_breaks_off_counts_as_far_as_it_goes() {
        let whole =
            "<testsuite name=\"a.gd\"><testcase name=\"x\"/><testcase name=\"y\"><failure mess";
        let verdicts = read(whole);
        assert_eq!((verdicts.total(), verdicts.failures.len()), (1, 0));
        assert_eq!(read("no report at all").total(), 0);
    }
}
