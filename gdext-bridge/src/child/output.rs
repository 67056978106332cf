//! What a run prints: its last lines, how many there were, and the errors and warnings among them.

use std::collections::VecDeque;

use super::problems::Problems;

/// How much of the last lines is kept, in bytes: several times what fits into an answer.
const KEPT: usize = 256 * 1024;

/// How much of one line is kept, in bytes: a third of what fits into an answer.
const LONGEST: usize = 8 * 1024;

/// What is said of a line that is longer.
const CUT: &str = "…";

/// One line, without its end.
pub(crate) struct Line {
    /// What it says.
    pub(crate) text: String,
    /// Whether it was longer than what is kept of it.
    pub(crate) is_cut: bool,
}

/// What a run has printed.
#[derive(Default)]
pub(crate) struct Output {
    kept: VecDeque<Line>,
    bytes: usize,
    lines: u64,
    problems: Problems,
}

impl Output {
    /// One more line, without its end.
    pub(super) fn take(&mut self, line: &[u8], is_cut: bool) {
        let mut text = plain(&String::from_utf8_lossy(line));
        self.problems.hear(&text);
        if is_cut {
            text.push_str(CUT);
        }
        self.lines += 1;
        self.bytes += text.len();
        self.kept.push_back(Line { text, is_cut });
        while self.bytes > KEPT
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= oldest.text.len();
        }
    }

    /// Nothing follows.
    pub(super) fn finish(&mut self) {
        self.problems.finish();
    }

    /// How many lines there were.
    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    /// The last line that says something.
    pub(crate) fn last_line(&self) -> &str {
        let texts = self.last_lines().map(|line| &*line.text);
        texts.rev().find(|text| !text.trim().is_empty()).unwrap_or_default()
    }

    /// The last lines, oldest first, as far as they are kept.
    pub(crate) fn last_lines(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.kept.iter()
    }

    /// The errors and warnings.
    pub(crate) fn problems(&self) -> &Problems {
        &self.problems
    }
}

/// Cuts what is read into lines.
#[derive(Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
    is_cut: bool,
}

impl Lines {
    /// Takes in more, and gives the lines that end in it, and of each whether it was cut.
    pub(super) fn feed(&mut self, read: &[u8], mut give: impl FnMut(&[u8], bool)) {
        let mut parts = read.split(|byte| *byte == b'\n');
        let rest = parts.next_back().unwrap_or_default();
        for part in parts {
            self.put(part);
            self.give(&mut give);
        }
        self.put(rest);
    }

    /// Gives what has no end of line.
    pub(super) fn end(mut self, mut give: impl FnMut(&[u8], bool)) {
        if !self.begun.is_empty() {
            self.give(&mut give);
        }
    }

    fn put(&mut self, part: &[u8]) {
        let room = LONGEST.saturating_sub(self.begun.len());
        self.begun.extend(part.iter().take(room));
        self.is_cut |= part.len() > room;
    }

    fn give(&mut self, give: &mut impl FnMut(&[u8], bool)) {
        give(self.begun.strip_suffix(b"\r").unwrap_or(&self.begun), self.is_cut);
        self.begun.clear();
        self.is_cut = false;
    }
}

/// A line without the colours and the like that are meant for a terminal.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
        } else if rest.next_if_eq(&'[').is_some() {
            while rest.next_if(|it| !('@'..='~').contains(it)).is_some() {}
            rest.next();
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut lines = Lines::default();
        let mut give = |line: &[u8], is_cut: bool| {
            let end = if is_cut { "…" } else { "" };
            found.push(format!("{}{end}", String::from_utf8_lossy(line)));
        };
        chunks.iter().for_each(|chunk| lines.feed(chunk.as_bytes(), &mut give));
        lines.end(&mut give);
        found
    }

    #[test]
    fn lines_are_whole_however_they_come() {
        assert_eq!(lines(&["a\nb", "c\r\n", "\nlast"]), ["a", "bc", "", "last"]);
        assert_eq!(lines(&["a\n"]), ["a"]);
        let long = "x".repeat(LONGEST + 1);
        let cut = lines(&[&long, "y\nz\n"]);
        assert_eq!((cut[0].len(), cut[1].as_str()), (LONGEST + CUT.len(), "z"));
    }

    #[test]
    fn colours_are_no_text() {
        assert_eq!(plain("\u{1b}[38;5;39mGodot\u{1b}[0m äé"), "Godot äé");
        assert_eq!(plain("\u{1b}[2J\u{1b}[H\u{1b}"), "");
    }

    #[test]
    fn only_the_last_lines_are_kept_and_all_are_counted() {
        let mut output = Output::default();
        for n in 0..100_000 {
            output.take(format!("line {n}").as_bytes(), false);
        }
        output.take(b"  ", false);
        assert_eq!((output.lines(), output.last_line()), (100_001, "line 99999"));
        assert!(output.bytes <= KEPT && output.bytes > KEPT / 2);
    }
}
