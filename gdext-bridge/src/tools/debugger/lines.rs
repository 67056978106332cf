//! Which lines of a GDScript file the debugger can stop at.
//!
//! The engine does not tell, and never stops at the others. A line has code if a statement begins there,
//! or a variable of a class gets its value.

/// For each line of a script, whether it has code.
pub(super) fn with_code(text: &str) -> Vec<bool> {
    let mut reader = Reader::default();
    text.lines().map(|line| reader.has_code(line)).collect()
}

/// The line with code that is nearest to `line`, rather after it than before; both count from 1.
pub(super) fn nearest(lines: &[bool], line: usize) -> Option<usize> {
    let numbered = || lines.iter().zip(1..).filter(|(has_code, _)| **has_code);
    let after = numbered().map(|(_, number)| number).find(|number| *number >= line);
    after.or_else(|| numbered().map(|(_, number)| number).last())
}

/// What is open where a line begins.
#[derive(Default)]
struct Reader {
    /// The quotes that end the text it is in.
    quotes: Option<&'static str>,
    /// How many brackets are open.
    depth: usize,
    /// Whether the line before ended with a backslash.
    continues: bool,
    /// The indent of a function whose header has not ended yet.
    header: Option<usize>,
    /// The functions that it is in: the indent of the header, and the brackets open there.
    bodies: Vec<(usize, usize)>,
}

impl Reader {
    fn has_code(&mut self, line: &str) -> bool {
        let indent = line.len() - line.trim_start().len();
        let (depth, is_inside) = (self.depth, self.quotes.is_some() || self.continues);
        let code = self.plain(line);
        let code = code.trim();
        self.continues = code.ends_with('\\');
        if code.is_empty() {
            return false;
        }
        if !is_inside {
            while self.bodies.last().is_some_and(|it| it.0 >= indent && it.1 == depth) {
                self.bodies.pop();
            }
        }
        let level = self.bodies.last().map_or(0, |body| body.1);
        let begins = !is_inside && depth == level;
        let is_in_function = !self.bodies.is_empty();
        let is_header = begins && !is_in_function && is_header(code);
        if is_header {
            self.header = Some(indent);
        }
        let is_lambda = !is_header && has_word(code, "func") && code.ends_with(':');
        if let Some(header) = self.header
            && self.depth == level
            && !self.continues
        {
            self.header = None;
            if code.ends_with(':') {
                self.bodies.push((header, self.depth));
            }
            // A function of one line has its code there.
            return is_header && !code.ends_with(':');
        }
        if is_lambda {
            self.bodies.push((indent, self.depth));
        }
        if !begins || is_header {
            return false;
        }
        if is_in_function {
            return !code.starts_with('@') && !is_else(code);
        }
        has_word(code, "var") && gives_value(code)
    }

    /// The code of a line, without its comment and with nothing in its strings.
    fn plain(&mut self, line: &str) -> String {
        let mut plain = String::new();
        let mut rest = line;
        while let Some(next) = rest.chars().next() {
            if let Some(quotes) = self.quotes {
                if let Some(after) = rest.strip_prefix(quotes) {
                    self.quotes = None;
                    rest = after;
                    continue;
                }
                let escaped = if next == '\\' { 2 } else { 1 };
                rest = after(rest, escaped);
                continue;
            }
            if next == '#' {
                break;
            }
            if let Some(quotes) =
                ["\"\"\"", "'''", "\"", "'"].into_iter().find(|it| rest.starts_with(it))
            {
                self.quotes = Some(quotes);
                plain.push('"');
                rest = rest.get(quotes.len()..).unwrap_or_default();
                continue;
            }
            match next {
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            plain.push(next);
            rest = after(rest, 1);
        }
        // Only those with three quotes go over lines.
        self.quotes = self.quotes.filter(|quotes| quotes.len() == 3);
        plain
    }
}

/// Whether a function begins, or what reads or sets a property.
fn is_header(code: &str) -> bool {
    let is_accessor = ["get:", "get():", "set("].iter().any(|it| code.starts_with(it));
    is_accessor || code.split_whitespace().take_while(|it| *it != "=").any(|it| it == "func")
}

fn is_else(code: &str) -> bool {
    code.strip_prefix("else").is_some_and(|rest| rest.trim_start() == ":")
}

/// Whether a declaration has a value: an equals sign that is part of no comparison.
fn gives_value(code: &str) -> bool {
    let bare = code.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", "");
    bare.contains('=')
}

fn has_word(code: &str, word: &str) -> bool {
    code.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|it| it == word)
}

/// What follows so many characters.
fn after(text: &str, characters: usize) -> &str {
    let mut rest = text.chars();
    rest.by_ref().take(characters).for_each(drop);
    rest.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: &[usize]) {
        let found = with_code(script).into_iter().zip(1..);
        let found: Vec<usize> =
            found.filter(|(has_code, _)| *has_code).map(|(_, line)| line).collect();
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn declarations_have_code_where_they_have_a_value() {
        check("class_name A\nextends Node\n## Text.\nsignal hit(by: Node)\nconst C = 3\n", &[]);
        check("enum { X,\n\tY = 1 }\n@export var speed: float = 3.0\nvar plain: int\n", &[3]);
        check("@onready var a := $A\nclass B:\n\tvar b = 1\n\tvar c\n", &[1, 3]);
    }

    #[test]
    fn statements_have_code() {
        check("func f() -> void:\n\t# Text.\n\n\tvar x = 1\n\tvar y\n\tpass # end\n", &[4, 5, 6]);
        check(
            "func f():\n\tif a:\n\t\tb()\n\telif c:\n\t\td()\n\telse:\n\t\te()\n",
            &[2, 3, 4, 5, 7],
        );
        check("func f():\n\t@warning_ignore(\"x\")\n\tpass\n", &[3]);
    }

    #[test]
    fn functions_end_where_the_indent_does() {
        check(
            "func a(\n\tb: int,\n\tc := 2\n) -> int:\n\treturn b + c\nvar d := 1\nvar e\n",
            &[5, 6],
        );
        check("static func d(): return 2\nsignal done\n", &[1]);
    }

    #[test]
    fn statements_over_some_lines_have_code_where_they_begin() {
        check("func f():\n\tg(\"# no\",\n\t\t1)\n\tvar t = 1 + \\\n\t\t2\n\tpass\n", &[2, 4, 6]);
        check("func f():\n\tvar s = \"\"\"one\n\ttwo\n\"\"\"\n\tpass\n", &[2, 5]);
    }

    #[test]
    fn bodies_of_lambdas_and_properties_have_code() {
        check("func f():\n\tg(func(x):\n\t\tprint(x)\n\t)\n\tpass\n", &[2, 3, 5]);
        check("func f():\n\tg(\n\t\tfunc(x):\n\t\t\tprint(x)\n\t)\n", &[2, 4]);
        check("var p: int = 1:\n\tset(v):\n\t\tp = v\n\tget:\n\t\treturn p\nvar q\n", &[1, 3, 5]);
    }

    #[test]
    fn the_nearest_line_with_code_comes_rather_after() {
        let lines = [false, true, false, false, true, false];
        assert_eq!(nearest(&lines, 3), Some(5));
        assert_eq!(nearest(&lines, 6), Some(5));
        assert_eq!(nearest(&[false], 1), None);
    }
}
