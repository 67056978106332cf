//! The line ends and the byte order mark of text files that the engine writes, which knows only one kind
//! of the one, and nothing of the other.

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// What the engine wrote, with the byte order mark and the line ends of what the file had before. What
/// stands in quotes is a value, and is as it was.
pub(crate) fn kept(before: &[u8], written: Vec<u8>) -> Vec<u8> {
    let written = with_ends_of(before, written);
    match before.starts_with(MARK) && !written.starts_with(MARK) {
        true => [MARK, &written].concat(),
        false => written,
    }
}

fn with_ends_of(before: &[u8], written: Vec<u8>) -> Vec<u8> {
    let (mut all, mut long) = (0, 0);
    each_end(before, |_, is_long| {
        all += 1;
        long += u32::from(is_long);
    });
    if all == 0 || long < all {
        return written;
    }
    let (mut kept, mut done) = (Vec::new(), 0);
    each_end(&written, |at, is_long| {
        if !is_long {
            kept.extend_from_slice(written.get(done..at).unwrap_or_default());
            kept.push(b'\r');
            done = at;
        }
    });
    kept.extend_from_slice(written.get(done..).unwrap_or_default());
    kept
}

/// Calls `visit` with the place of every "\n" that is not in quotes, and whether "\r" is before it.
fn each_end(text: &[u8], mut visit: impl FnMut(usize, bool)) {
    let (mut is_quoted, mut is_escaped, mut last) = (false, false, 0);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\n' if !is_quoted => visit(at, last == b'\r'),
            b'"' if !is_escaped => is_quoted = !is_quoted,
            _ => {}
        }
        is_escaped = is_quoted && byte == b'\\' && !is_escaped;
        last = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_of(before: &str, written: &str) -> String {
        String::from_utf8(kept(before.as_bytes(), written.into())).unwrap()
    }

    #[test]
    fn line_ends_are_those_of_the_file_before() {
        for (before, written, expected) in [
            ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
            ("a\nb\n", "a\nc\n", "a\nc\n"),
            ("a\r\nb\n", "a\nc\n", "a\nc\n"),
            ("", "a\n", "a\n"),
            ("a\r\n", "a\r\nb\n", "a\r\nb\r\n"),
            ("\u{feff}a\r\n", "a\n", "\u{feff}a\r\n"),
            ("\u{feff}a\n", "\u{feff}b\n", "\u{feff}b\n"),
            ("a\n", "b\n", "b\n"),
        ] {
            assert_eq!(kept_of(before, written), expected, "{before:?}");
        }
    }

    #[test]
    fn what_is_in_quotes_is_left() {
        let before = "a=\"x\ny\"\r\nb=1\r\n";
        let written = "a=\"x\n\\\"y\\\\\"\nb=\"\r\n\"\n";
        assert_eq!(kept_of(before, written), "a=\"x\n\\\"y\\\\\"\r\nb=\"\r\n\"\r\n");
    }
}
