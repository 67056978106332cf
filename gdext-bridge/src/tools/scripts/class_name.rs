//! The name that a GDScript gives its class, by its text alone.

/// The name after `class_name`, where that begins a statement: first in its line, after a semicolon, or
/// after annotations such as `@abstract`.
pub(crate) fn class_name(text: &str) -> Option<&str> {
    let (mut rest, mut begins) = (text, true);
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '"' | '\'' => string(rest),
            '#' => split_where(rest, |c| c == '\n'),
            '@' => annotation(rest),
            _ if is_word(first) => split_where(rest, |c| !is_word(c)),
            _ => rest.split_at_checked(first.len_utf8())?,
        };
        if token == "class_name" && begins {
            let name = after.trim_start_matches([' ', '\t']);
            let (name, _) = split_where(name, |c| !is_word(c));
            return Some(name).filter(|name| !name.is_empty());
        }
        begins = match first {
            '\n' | ';' => true,
            ' ' | '\t' | '\r' | '@' | '#' | '\u{feff}' => begins,
            _ => false,
        };
        rest = after;
    }
    None
}

/// A string at the beginning of a text, of one line or of several, and what comes after it.
fn string(text: &str) -> (&str, &str) {
    let long = ["\"\"\"", "'''"].into_iter().find(|quotes| text.starts_with(quotes));
    let quotes = long.or(text.get(..1)).unwrap_or_default();
    let mut at = quotes.len();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quotes) {
            at += quotes.len();
            break;
        }
        let mut characters = rest.chars();
        let first = characters.next().map_or(1, char::len_utf8);
        let is_escape = rest.starts_with('\\');
        at += first + if is_escape { characters.next().map_or(0, char::len_utf8) } else { 0 };
    }
    text.split_at_checked(at).unwrap_or((text, ""))
}

/// An annotation at the beginning of a text, with what is in its brackets, and what comes after it.
fn annotation(text: &str) -> (&str, &str) {
    let (_, after) = split_where(text, |c| c != '@' && !is_word(c));
    let end =
        if after.starts_with('(') { after.find(')').map_or(after.len(), |at| at + 1) } else { 0 };
    text.split_at_checked(text.len() - after.len() + end).unwrap_or((text, ""))
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at_checked(text.find(ends).unwrap_or(text.len())).unwrap_or((text, ""))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_name_of_a_text() {
        for (text, name) in [
            ("extends Node\nclass_name Foo\n", Some("Foo")),
            ("class_name Foo extends Node", Some("Foo")),
            ("@tool class_name\tFoo, \"x.svg\"\r\n", Some("Foo")),
            ("class_name  Größe\n", Some("Größe")),
            ("# class_name Foo\nvar class_names := 1\n", None),
            ("class_name\n", None),
            ("@abstract class_name Abs\nextends Node\n", Some("Abs")),
            ("@icon(\"res://i.svg\")\n@tool\n@abstract class_name Abs", Some("Abs")),
            ("extends Node; class_name Semi\n", Some("Semi")),
            ("\u{feff}class_name Bom", Some("Bom")),
            ("var a := \"\"\"\nclass_name Fake\n\"\"\"\n", None),
            ("var a := \"\\\"\nclass_name Fake\"\n", None),
            ("extends \"res://a.gd\"\nclass_name Real # class_name Other", Some("Real")),
            ("var x = 'it\\'s'\nclass_name Real", Some("Real")),
            ("var unclosed = \"", None),
        ] {
            assert_eq!(class_name(text), name, "{text:?}");
        }
    }
}
