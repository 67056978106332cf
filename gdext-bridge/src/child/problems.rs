//! Finds the engine's errors and warnings among the lines that it prints.
//!
//! One looks like this, with a message of several lines now and then:
//!
//! ```text
//! SCRIPT ERROR: Invalid call. Nonexistent function 'foo' in base 'Nil'.
//!           at: deep (res://a.gd:19)
//!           GDScript backtrace (most recent call first):
//!               [0] deep (res://a.gd:19)
//! ```

use std::collections::HashMap;

use protocol::tools::runtime::RunProblem;

use super::call::Call;

/// How the first line of an error begins.
const ERRORS: &[&str] = &[
    "SCRIPT ERROR",
    "USER SCRIPT ERROR",
    "SHADER ERROR",
    "USER SHADER ERROR",
    "USER ERROR",
    "ERROR",
    "Parse Error",
];

/// How the first line of a warning begins.
const WARNINGS: &[&str] = &["USER WARNING", "WARNING"];

/// What the engine says when it crashes, before it says where.
const CRASH: &str = "handle_crash: ";

/// What an error in the text of a script is called.
const PARSE: &str = "Parse Error";

/// How many different ones are told.
const TOLD: usize = 100;

/// How many lines a message may have beside its first.
const MORE_LINES: usize = 20;

/// How many calls of a stack are told.
const CALLS: usize = 10;

/// How long a message may be, in characters.
const MESSAGE: usize = 1_000;

/// The errors and warnings so far.
#[derive(Default)]
pub(crate) struct Problems {
    open: Option<Open>,
    errors: List,
    warnings: List,
}

/// Problems of one kind, each once.
#[derive(Default)]
pub(crate) struct List {
    /// Those that are told, in the order in which they first came.
    pub(crate) told: Vec<RunProblem>,
    /// How many came in all.
    pub(crate) count: u64,
    known: HashMap<(String, String, Option<String>, Option<i64>), usize>,
}

/// A problem of which more may follow.
struct Open {
    is_error: bool,
    kind: String,
    message: String,
    place: Option<Call>,
    /// Lines that may belong to the message.
    more: Vec<String>,
    in_stack: bool,
    stack: Vec<Call>,
}

impl Problems {
    /// The errors.
    pub(crate) fn errors(&self) -> &List {
        &self.errors
    }

    /// The warnings.
    pub(crate) fn warnings(&self) -> &List {
        &self.warnings
    }

    /// One more line of the output.
    pub(super) fn hear(&mut self, line: &str) {
        if let Some(open) = head(line) {
            self.finish();
            self.open = Some(open);
        } else if self.open.as_mut().is_some_and(|open| !open.goes_on(line)) {
            self.finish();
        }
    }

    /// Nothing more follows of the one that is open.
    pub(super) fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            let list = if open.is_error { &mut self.errors } else { &mut self.warnings };
            list.add(open.problem());
        }
    }
}

impl List {
    fn add(&mut self, problem: RunProblem) {
        self.count += 1;
        let RunProblem { kind, message, source, line, .. } = &problem;
        let key = (kind.clone(), message.clone(), source.clone(), *line);
        if let Some(known) = self.known.get(&key) {
            if let Some(known) = self.told.get_mut(*known) {
                known.count += 1;
            }
        } else if self.told.len() < TOLD {
            self.known.insert(key, self.told.len());
            self.told.push(problem);
        }
    }
}

/// The problem that a line begins.
fn head(line: &str) -> Option<Open> {
    if let Some(message) = line.strip_prefix(CRASH) {
        return Some(Open::new(true, "CRASH", message));
    }
    let (kind, message) = line.split_once(": ")?;
    let is_error = ERRORS.contains(&kind);
    if !is_error && !WARNINGS.contains(&kind) {
        return None;
    }
    match message.strip_prefix(PARSE).and_then(|rest| rest.strip_prefix(": ")) {
        Some(message) => Some(Open::new(is_error, PARSE, message)),
        None => Some(Open::new(is_error, kind, message)),
    }
}

impl Open {
    fn new(is_error: bool, kind: &str, message: &str) -> Open {
        Open {
            is_error,
            kind: kind.to_owned(),
            message: message.to_owned(),
            place: None,
            more: Vec::new(),
            in_stack: false,
            stack: Vec::new(),
        }
    }

    /// Whether a line belongs to it.
    fn goes_on(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        let is_indented = text.len() < line.len();
        if is_indented
            && self.place.is_none()
            && let Some(place) = text.strip_prefix("at: ").and_then(Call::read)
        {
            self.place = Some(place);
            for more in self.more.drain(..) {
                self.message.push('\n');
                self.message.push_str(&more);
            }
        } else if is_indented && text.ends_with("backtrace (most recent call first):") {
            self.in_stack = true;
        } else if is_indented
            && self.in_stack
            && let Some((_, call)) = text.strip_prefix('[').and_then(|rest| rest.split_once("] "))
        {
            self.stack.extend(Call::read(call));
        } else if self.place.is_none() && self.more.len() < MORE_LINES {
            self.more.push(line.to_owned());
        } else {
            return false;
        }
        true
    }

    fn problem(self) -> RunProblem {
        let calls = self.place.iter().chain(&self.stack);
        // The engine names its own source, where it was called by a script.
        let place = calls.clone().find(|call| call.is_of_project());
        let stack = match self.stack.as_slice() {
            [only] if Some(only) == place => &[],
            stack => stack,
        };
        let message = match self.message.char_indices().nth(MESSAGE) {
            Some((end, _)) => format!("{}…", self.message.get(..end).unwrap_or_default()),
            None => self.message.clone(),
        };
        RunProblem {
            kind: self.kind,
            message,
            source: place.map(|call| call.file.clone()),
            line: place.and_then(|call| call.line),
            function: place
                .filter(|call| !call.function.contains("::"))
                .map(|call| call.function.clone()),
            stack: stack.iter().take(CALLS).map(Call::told).collect(),
            count: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &str) -> Problems {
        let mut problems = Problems::default();
        text.lines().for_each(|line| problems.hear(line));
        problems.finish();
        problems
    }

    /// Kind, message, file, line and how often.
    type Place<'a> = (&'a str, &'a str, Option<&'a str>, Option<i64>, u64);

    fn places(list: &List) -> Vec<Place<'_>> {
        let place = |it: &RunProblem| it.line;
        let told = list.told.iter();
        told.map(|it| (&*it.kind, &*it.message, it.source.as_deref(), place(it), it.count))
            .collect()
    }

    #[test]
    fn errors_have_the_place_in_the_script() {
        let problems = heard(
            "before\n\
             SCRIPT ERROR: Invalid call.\n          at: deep (res://a.gd:19)\n\
             \x20         GDScript backtrace (most recent call first):\n\
             \x20             [0] deep (res://a.gd:19)\n              [1] _ready (res://a.gd:9)\n\
             after\n\
             ERROR: pushed\n   at: push_error (core/variant/variant_utility.cpp:1024)\n\
             \x20  GDScript backtrace (most recent call first):\n       [0] _ready (res://a.gd:6)\n\
             SCRIPT ERROR: Parse Error: Expected \":\".\n          at: GDScript::reload (res://b.gd:2)\n\
             ERROR: no script\n   at: load (core/io/resource_loader.cpp:343)\n",
        );
        let expected = [
            ("SCRIPT ERROR", "Invalid call.", Some("res://a.gd"), Some(19), 1),
            ("ERROR", "pushed", Some("res://a.gd"), Some(6), 1),
            ("Parse Error", "Expected \":\".", Some("res://b.gd"), Some(2), 1),
            ("ERROR", "no script", None, None, 1),
        ];
        assert_eq!(places(problems.errors()), expected);
        let [call, pushed, parse, _] = problems.errors().told.as_slice() else { panic!() };
        assert_eq!(call.stack, ["deep (res://a.gd:19)", "_ready (res://a.gd:9)"]);
        assert_eq!(call.function.as_deref(), Some("deep"));
        assert_eq!((pushed.function.as_deref(), pushed.stack.len()), (Some("_ready"), 0));
        assert_eq!(parse.function, None);
    }

    #[test]
    fn repeated_ones_are_one_with_a_count() {
        let one = "WARNING: again\n     at: push_warning (core/variant/variant_utility.cpp:1034)\n";
        let problems = heard(&one.repeat(5));
        assert_eq!(places(problems.warnings()), [("WARNING", "again", None, None, 5)]);
        assert_eq!((problems.warnings().count, problems.errors().count), (5, 0));
        let many: String =
            (0..TOLD + 50).map(|n| format!("ERROR: {n}\n   at: f (g.cpp:1)\n")).collect();
        let problems = heard(&many);
        assert_eq!(
            (problems.errors().told.len(), problems.errors().count),
            (TOLD, TOLD as u64 + 50)
        );
    }

    #[test]
    fn messages_have_all_their_lines_and_none_of_others() {
        let problems = heard(
            "ERROR: first\nsecond\n   at: push_error (v.cpp:1)\nprinted\n\
             ERROR: printed by the game itself\nnot of it\nhandle_crash: Program crashed with signal 4\n",
        );
        let expected = [
            ("ERROR", "first\nsecond", None, None, 1),
            ("ERROR", "printed by the game itself", None, None, 1),
            ("CRASH", "Program crashed with signal 4", None, None, 1),
        ];
        assert_eq!(places(problems.errors()), expected);
    }
}
