//! The text of a script or a shader, and how its file writes it down: with a byte order mark or without, and
//! with which line ends. Whoever changes the text keeps both.

use protocol::{Fault, Required, ResPath};

use crate::tools::page::{PAGE_CHARACTERS, Page};

const BOM: &str = "\u{feff}";

/// A script's text as its file has it, but for the byte order mark.
pub(in crate::tools) struct Source {
    text: String,
    /// Whether the file begins with a byte order mark.
    pub(super) bom: bool,
}

/// How a file ends its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// With "\n".
    Lf,
    /// With "\r\n".
    Crlf,
    /// Some this way, some that.
    Mixed,
}

/// Some lines of a text.
pub(super) struct Lines {
    /// The lines, with their ends.
    pub(super) content: String,
    /// How many there are.
    pub(super) returned: usize,
    /// How many the whole text has.
    pub(super) total: usize,
    /// Where to go on.
    pub(super) next: Option<usize>,
}

/// A text in which something was replaced.
#[derive(Debug, PartialEq)]
pub(super) struct Patched {
    /// The new text of the whole file.
    pub(super) content: Vec<u8>,
    /// The line of each place, counted from 1.
    pub(super) lines: Vec<usize>,
}

impl Source {
    /// The text in a file's bytes.
    pub(in crate::tools) fn of(path: &ResPath, content: Vec<u8>) -> Result<Source, Fault> {
        let text = String::from_utf8(content).map_err(|_| {
            Fault::invalid(format!(
                "'{path}' is not UTF-8 text; Godot would not read it either. godot_scripts_write \
                 replaces it as a whole."
            ))
            .requiring(Required::parameter("script_path"))
        })?;
        Ok(match text.strip_prefix(BOM) {
            Some(rest) => Source { text: rest.to_owned(), bom: true },
            None => Source { text, bom: false },
        })
    }

    /// How its lines end.
    pub(super) fn ends(&self) -> Ends {
        let all = self.text.matches('\n').count();
        match self.text.matches("\r\n").count() {
            0 => Ends::Lf,
            some if some == all => Ends::Crlf,
            _ => Ends::Mixed,
        }
    }

    /// The text with plain line ends.
    pub(super) fn plain(&self) -> String {
        plain(&self.text)
    }

    /// The bytes of the file with another text in it.
    pub(in crate::tools) fn with(&self, text: &str) -> Vec<u8> {
        let has_lines = self.text.contains('\n');
        let text = text.strip_prefix(BOM).filter(|_| self.bom).unwrap_or(text);
        let text = match self.ends() {
            Ends::Lf if has_lines => plain(text),
            Ends::Crlf => plain(text).replace('\n', "\r\n"),
            Ends::Lf | Ends::Mixed => text.to_owned(),
        };
        self.written(&text)
    }

    /// Replaces every occurrence of `find`, a line end in which matches both kinds.
    pub(super) fn patched(&self, find: &str, replace: &str) -> Patched {
        // Where in the plain text a line ends with two characters in the file.
        let mut doubled = Vec::new();
        let text = plain(&self.text);
        for (at, _) in self.text.match_indices("\r\n") {
            doubled.push(at - doubled.len());
        }
        let in_file = |at: usize| at + doubled.partition_point(|end| *end < at);
        let ends = self.text.matches('\n').count();
        let replace = plain(replace);
        let replace =
            if doubled.len() * 2 > ends { replace.replace('\n', "\r\n") } else { replace };
        let (find, mut patched, mut lines, mut done) = (plain(find), String::new(), Vec::new(), 0);
        let (mut line, mut counted) = (1, 0);
        for (at, found) in text.match_indices(&find) {
            line += text.get(counted..at).unwrap_or_default().matches('\n').count();
            counted = at;
            lines.push(line);
            patched.push_str(self.text.get(done..in_file(at)).unwrap_or_default());
            patched.push_str(&replace);
            done = in_file(at + found.len());
        }
        patched.push_str(self.text.get(done..).unwrap_or_default());
        Patched { content: self.written(&patched), lines }
    }

    fn written(&self, text: &str) -> Vec<u8> {
        let bom = if self.bom { BOM } else { "" };
        format!("{bom}{text}").into_bytes()
    }
}

impl Ends {
    /// As agents read it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Ends::Lf => "lf",
            Ends::Crlf => "crlf",
            Ends::Mixed => "mixed",
        }
    }
}

/// As many whole lines of a text as are asked for and fit into an answer.
pub(super) fn lines(path: &str, text: &str, offset: usize, limit: usize) -> Result<Lines, Fault> {
    let mut window = Page::parse(&offset.to_string())?.window(PAGE_CHARACTERS);
    let mut content = String::new();
    for line in text.split_inclusive('\n') {
        if window.admitted() >= limit {
            break;
        }
        if !window.admits(&line) {
            continue;
        }
        if line.len() > PAGE_CHARACTERS && window.admitted() == 1 {
            return Err(Fault::new(
                protocol::ErrorCode::ResponseTooLarge,
                format!(
                    "Line {} of '{path}' alone is too long for an answer: {} bytes. Ask for the lines \
                     around it with offset and limit.",
                    offset + 1,
                    line.len()
                ),
            ));
        }
        content.push_str(line);
    }
    let total = text.split_inclusive('\n').count();
    let next = offset + window.admitted();
    Ok(Lines { content, returned: window.admitted(), total, next: (next < total).then_some(next) })
}

/// A text as the engine reads it: it passes over a byte order mark in a file, and only there.
pub(super) fn without_bom(text: String) -> String {
    text.strip_prefix(BOM).map(str::to_owned).unwrap_or(text)
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        let path = ResPath::try_from("res://a.gd".to_owned()).unwrap();
        Source::of(&path, text.as_bytes().to_vec()).ok().unwrap()
    }

    #[track_caller]
    fn check_patch(text: &str, find: &str, replace: &str, expected: &str, lines: &[usize]) {
        let patched = source(text).patched(find, replace);
        assert_eq!(String::from_utf8(patched.content).unwrap(), expected);
        assert_eq!(patched.lines, lines);
    }

    #[test]
    fn a_patch_changes_its_places_and_no_other_byte() {
        check_patch("a\nb\na\n", "a", "x\ny", "x\ny\nb\nx\ny\n", &[1, 3]);
        check_patch("a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", &[1]);
        check_patch("a\r\nb\r\nc\r\n", "b\r\n", "", "a\r\nc\r\n", &[2]);
        check_patch("a\r\nb\r\n", "\n", "", "ab", &[1, 2]);
        check_patch("a\r\nb\nc\r\n", "b\nc", "x\ny", "a\r\nx\r\ny\r\n", &[2]);
        check_patch("\u{feff}ä\r\nö\r\n", "ö", "ü", "\u{feff}ä\r\nü\r\n", &[2]);
        check_patch("a\r b\n", "b", "c", "a\r c\n", &[1]);
        check_patch("xxx", "xx", "y", "yx", &[1]);
        check_patch("a", "z", "b", "a", &[]);
    }

    #[test]
    fn another_text_keeps_mark_and_line_ends() {
        let with = |old: &str, new: &str| String::from_utf8(source(old).with(new)).unwrap();
        assert_eq!(with("a\r\n", "x\ny\n"), "x\r\ny\r\n");
        assert_eq!(with("a\r\n", "x\r\ny\n"), "x\r\ny\r\n");
        assert_eq!(with("\u{feff}a\n", "x\r\n"), "\u{feff}x\n");
        assert_eq!(with("\u{feff}a\n", "\u{feff}x\n"), "\u{feff}x\n");
        assert_eq!(with("a\r\nb\n", "x\r\ny\n"), "x\r\ny\n");
        assert_eq!(with("", "x\r\n"), "x\r\n");
    }

    #[test]
    fn pages_hold_every_line_once() {
        let text: String = (0..5000).map(|n| format!("line {n} äö\t\"\n")).collect();
        let (mut whole, mut at) = (String::new(), 0);
        loop {
            let page = lines("a.gd", &text, at, 100_000).ok().unwrap();
            assert_eq!(page.total, 5000);
            whole.push_str(&page.content);
            match page.next {
                Some(next) => at = next,
                None => break,
            }
        }
        assert!(whole == text);
        let page = lines("a.gd", &text, 10, 2).ok().unwrap();
        assert_eq!(
            (page.content.as_str(), page.next),
            ("line 10 äö\t\"\nline 11 äö\t\"\n", Some(12))
        );
        let none = lines("a.gd", "", 0, 10).ok().unwrap();
        assert_eq!((none.total, none.returned, none.next), (0, 0, None));
    }
}
