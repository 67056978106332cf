//! What the game prints: its last entries, each with a number, so that everybody who reads them knows
//! where they left off. The numbers go on over runs, as who reads them may not know of a new one.

use std::{collections::VecDeque, time::Duration};

use godot::prelude::*;
use protocol::tools::{debugger::StackFrame, runtime::OutputEntry};

use super::line::Span;

/// How many entries of one run are kept.
const KEPT: usize = 2000;

/// How many errors are kept each for itself, with the time of the game.
const DATED: usize = 100;

/// The longest line that is kept whole, in characters.
const LONGEST: usize = 4000;

/// What one run of the game printed.
#[derive(Default)]
pub(crate) struct Output {
    session: u64,
    entries: VecDeque<OutputEntry>,
    /// The number of the last entry.
    last: u64,
    /// The number of the last entry that somebody was told. What repeats it is another entry: who reads on
    /// from there hears of it.
    told: u64,
    /// That of the last entry of the runs before.
    before: u64,
    errors: usize,
    /// The last errors with the time that the engine gives them, also where they repeat each other.
    dated: VecDeque<(u64, OutputEntry)>,
    /// Those of all runs before.
    errors_before: u64,
    /// The error that has stopped the game, until the engine has printed it too.
    stopped_by: Option<OutputEntry>,
    /// The last error that the engine has printed since the game has stopped.
    printed: Option<OutputEntry>,
}

impl Output {
    /// A new run begins; what the one before printed is gone.
    pub(super) fn begin(&mut self, session: u64) {
        let (last, errors_before) = (self.last, self.errors_ever());
        *self = Output { session, last, before: last, errors_before, ..Output::default() };
    }

    /// The run that it is of.
    pub(crate) fn session(&self) -> u64 {
        self.session
    }

    /// The number of the last entry.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Somebody is told the entries up to this number.
    pub(crate) fn tell(&mut self, seq: u64) {
        self.told = self.told.max(seq);
    }

    /// How many entries this run has had.
    pub(crate) fn total(&self) -> u64 {
        self.last - self.before
    }

    /// How many errors there were.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// How many errors the runs before this one had.
    pub(super) fn errors_before(&self) -> u64 {
        self.errors_before
    }

    /// How many errors there were since the editor was started.
    pub(super) fn errors_ever(&self) -> u64 {
        self.errors_before + u64::try_from(self.errors).unwrap_or_default()
    }

    /// The last errors that a game printed in some time of its own; which game, where there were several.
    pub(super) fn errors_within(&self, span: Span, instance: Option<u32>) -> Vec<OutputEntry> {
        let is_within = |(time, error): &&(u64, OutputEntry)| {
            (span.first..=span.last).contains(time) && error.instance == instance
        };
        self.dated.iter().filter(is_within).map(|(_, error)| error.clone()).collect()
    }

    /// The last of what was printed, oldest first.
    pub(super) fn last_lines(&self) -> Vec<String> {
        const LAST: usize = 10;
        let skipped = self.entries.len().saturating_sub(LAST);
        self.entries.iter().skip(skipped).map(|entry| entry.text.clone()).collect()
    }

    /// The text of the last error.
    pub(crate) fn last_error(&self) -> Option<String> {
        let error = self.entries.iter().rev().find(|entry| entry.kind == "error")?;
        Some(match (&error.file, error.line) {
            (Some(file), Some(line)) => format!("{} ({file}:{line})", error.text),
            _ => error.text.clone(),
        })
    }

    /// The entries after `seq` that are still there, oldest first.
    pub(crate) fn since(&self, seq: u64) -> impl Iterator<Item = &OutputEntry> {
        self.entries.iter().filter(move |entry| entry.seq > seq)
    }

    /// How many entries after `seq` are gone; of this run alone where that is 0, as nobody was reading.
    pub(crate) fn dropped(&self, seq: u64) -> u64 {
        let first = self.entries.front().map_or(self.last + 1, |entry| entry.seq);
        let read = if seq == 0 { self.before } else { seq };
        first.saturating_sub(read + 1)
    }

    /// Takes down a message of the engine, if it is about something printed by a game; which one, where
    /// there are several.
    pub(super) fn hear(
        &mut self,
        message: &str,
        data: &VarArray,
        since: Duration,
        instance: Option<u32>,
    ) {
        let time_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        match message {
            "output" => {
                let lines = data.get(0).and_then(|it| it.try_to::<PackedStringArray>().ok());
                let kinds = data.get(1).and_then(|it| it.try_to::<PackedInt32Array>().ok());
                let (Some(lines), kinds) = (lines, kinds.unwrap_or_default()) else { return };
                for (index, text) in lines.as_slice().iter().enumerate() {
                    let text = text.to_string();
                    let kind = match kinds.get(index) {
                        // The engine prints less than the game does; that is no error of the game.
                        _ if text.starts_with("[output overflow") => "warning",
                        // The engine's own number for an error that it prints as text.
                        Some(1) => "error",
                        _ => "stdout",
                    };
                    // What is printed in one frame comes as one text.
                    for line in text.split('\n') {
                        let entry = plain(kind, line.trim_end_matches('\r'), time_ms);
                        self.push(OutputEntry { instance, ..entry });
                    }
                }
            }
            "error" => {
                let entry = OutputEntry { instance, ..error(data, time_ms) };
                if entry.kind == "error" {
                    self.date(data, entry.clone());
                }
                if self.stopped_by.take_if(|it| is_same(it, &entry)).is_none() {
                    self.printed = Some(entry.clone());
                    self.push(entry);
                }
            }
            "debug_enter" => (self.stopped_by, self.printed) = (None, None),
            _ => {}
        }
    }

    /// Takes down the error that has stopped a game, with the calls that led there. The engine prints some
    /// of them too: at once, or when the game goes on.
    pub(super) fn stopped(
        &mut self,
        reason: &str,
        frames: &[StackFrame],
        since: Duration,
        instance: Option<u32>,
    ) {
        let time_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        // As it is printed.
        let text = match reason.strip_prefix("Parser Error: ") {
            Some(error) => format!("Parse Error: {error}"),
            None => reason.to_owned(),
        };
        let mut entry = OutputEntry { instance, ..plain("error", &text, time_ms) };
        if let Some(first) = frames.first() {
            entry.file = Some(first.file.clone());
            entry.line = Some(first.line);
            entry.function = Some(first.function.clone()).filter(|it| !it.is_empty());
        }
        let call = |it: &StackFrame| format!("{}:{} in {}", it.file, it.line, it.function);
        entry.stack = frames.iter().take(32).map(call).collect();
        if self.printed.take().is_none_or(|printed| !is_same(&printed, &entry)) {
            self.stopped_by = Some(entry.clone());
            self.push(entry);
        }
    }

    /// Keeps an error with the time of the game that it begins with: hours, minutes, seconds, milliseconds.
    fn date(&mut self, data: &VarArray, entry: OutputEntry) {
        let number = |index: usize| data.get(index)?.try_to::<i64>().ok()?.try_into().ok();
        let part = |index: usize| -> u64 { number(index).unwrap_or_default() };
        let time = ((part(0) * 60 + part(1)) * 60 + part(2)) * 1000 + part(3);
        if self.dated.len() == DATED {
            self.dated.pop_front();
        }
        self.dated.push_back((time, entry));
    }

    fn push(&mut self, mut entry: OutputEntry) {
        if entry.kind == "error" {
            self.errors += 1;
        }
        if let Some(last) = self.entries.back_mut()
            && last.seq > self.told
            && is_same(last, &entry)
        {
            last.count += 1;
            return;
        }
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.last += 1;
        entry.seq = self.last;
        self.entries.push_back(entry);
    }
}

/// Whether one entry says what another says, of the same place.
fn is_same(a: &OutputEntry, b: &OutputEntry) -> bool {
    (&a.kind, &a.text, &a.file, a.line, a.instance)
        == (&b.kind, &b.text, &b.file, b.line, b.instance)
}

/// A text that is not too long, and says how much it lacks.
fn bounded(text: &str) -> String {
    let mut rest = text.char_indices().skip(LONGEST);
    let Some((end, _)) = rest.next() else { return text.to_owned() };
    let kept = text.get(..end).unwrap_or_default();
    format!("{kept}… ({} more characters)", rest.count() + 1)
}

fn plain(kind: &str, text: &str, time_ms: u64) -> OutputEntry {
    OutputEntry {
        seq: 0,
        kind: kind.to_owned(),
        text: bounded(text),
        time_ms,
        count: 1,
        instance: None,
        file: None,
        line: None,
        function: None,
        stack: Vec::new(),
    }
}

/// An error as the engine sends it: four parts of the time, file, function, line, the error, its
/// description, whether it is a warning, and the calls, three values each, after their number
/// (`DebuggerMarshalls::OutputError` of the engine).
fn error(data: &VarArray, time_ms: u64) -> OutputEntry {
    let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
    let number = |index: usize| data.get(index).and_then(|it| it.try_to::<i64>().ok());
    let (code, description) = (text(7), text(8));
    let told = if description.is_empty() { code } else { description };
    let is_warning = data.get(9).is_some_and(|it| it.booleanize());
    let mut entry = plain(if is_warning { "warning" } else { "error" }, &told, time_ms);
    let count = number(10).and_then(|it| usize::try_from(it).ok()).unwrap_or_default() / 3;
    entry.stack = (0..count.min(32))
        .map(|frame| {
            let at = 11 + frame * 3;
            format!("{}:{} in {}", text(at), text(at + 2), text(at + 1))
        })
        .collect();
    // An error that a script causes is found in the script, not where the engine noticed it.
    let (file, function, line) =
        if count > 0 { (text(11), text(12), number(13)) } else { (text(4), text(5), number(6)) };
    entry.file = (!file.is_empty()).then_some(file);
    entry.function = (!function.is_empty()).then_some(function);
    entry.line = line;
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(output: &mut Output, texts: &[&str]) {
        texts.iter().for_each(|text| output.push(plain("stdout", text, 0)));
    }

    #[test]
    fn numbers_go_on_over_runs() {
        let mut output = Output::default();
        output.begin(1);
        print(&mut output, &["a", "b", "c"]);
        assert_eq!((output.last(), output.total(), output.dropped(0)), (3, 3, 0));
        output.begin(2);
        assert_eq!((output.last(), output.total(), output.dropped(0)), (3, 0, 0));
        print(&mut output, &["d", "e"]);
        let read = |seq: u64| output.since(seq).map(|entry| entry.seq).collect::<Vec<u64>>();
        assert_eq!((read(3), read(0), read(4)), (vec![4, 5], vec![4, 5], vec![5]));
        assert_eq!((output.last(), output.total()), (5, 2));
        // Of the run before, what was not read is gone; what nobody read is not missed.
        assert_eq!((output.dropped(1), output.dropped(3), output.dropped(0)), (2, 0, 0));
    }

    #[test]
    fn repeats_are_one_entry_until_it_is_told() {
        let mut output = Output::default();
        output.begin(1);
        print(&mut output, &["a", "a"]);
        assert_eq!(output.since(0).map(|entry| entry.count).collect::<Vec<_>>(), [2]);
        output.tell(1);
        print(&mut output, &["a", "a"]);
        let read: Vec<_> = output.since(1).map(|entry| (entry.seq, entry.count)).collect();
        assert_eq!(read, [(2, 2)]);
    }

    #[test]
    fn what_is_not_kept_counts_as_gone() {
        let mut output = Output::default();
        output.begin(1);
        print(&mut output, &["a"]);
        output.begin(2);
        let texts: Vec<String> = (0..KEPT + 3).map(|number| number.to_string()).collect();
        print(&mut output, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((output.dropped(0), output.dropped(1), output.dropped(3)), (3, 3, 1));
    }

    #[test]
    fn a_line_that_is_too_long_says_how_much_it_lacks() {
        assert_eq!(bounded("short"), "short");
        assert_eq!(bounded(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
        let cut = bounded(&"é".repeat(LONGEST + 7));
        assert_eq!(cut, format!("{}… (7 more characters)", "é".repeat(LONGEST)));
    }
}
