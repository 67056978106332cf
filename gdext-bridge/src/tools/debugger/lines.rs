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
    /// The lambdas whose headers have not ended yet, by the brackets open around each.
    lambdas: Vec<usize>,
    /// The functions that it is in.
    bodies: Vec<Body>,
    /// The indent of the statement that it is in.
    statement: usize,
    /// The indents of the patterns of each `match` that it is in.
    patterns: Vec<usize>,
    /// Whether the line before began a `match`.
    begins_match: bool,
}

/// The body of a function.
struct Body {
    /// The indent of the statement that the function begins in; that of the body is deeper.
    indent: usize,
    /// The brackets that are open where its statements begin: those that a lambda stands in.
    level: usize,
}

impl Reader {
    fn has_code(&mut self, line: &str) -> bool {
        let indent = line.len() - line.trim_start().len();
        let is_inside = self.quotes.is_some() || self.continues;
        let code = self.plain(line);
        let code = code.trim();
        self.continues = code.ends_with('\\');
        if code.is_empty() {
            return false;
        }
        if !is_inside {
            let depth = self.depth;
            self.leave(|body| body.indent >= indent && body.level == depth);
        }
        let level = self.level();
        let begins = !is_inside && self.depth == level && !code.starts_with([')', ']', '}', ',']);
        let is_in_function = !self.bodies.is_empty();
        let is_header = begins && !is_in_function && is_header(code);
        if is_header {
            self.header = Some(indent);
        }
        let is_pattern = begins && self.begin(code, indent);
        self.walk(code, is_pattern);
        if let Some(header) = self.header
            && self.depth == level
            && !self.continues
        {
            self.header = None;
            if code.ends_with(':') {
                self.bodies.push(Body { indent: header, level });
            }
            // A function of one line has its code there.
            return is_header && !code.ends_with(':');
        }
        if !begins || is_header {
            return false;
        }
        if is_in_function {
            return !code.starts_with('@') && !is_else(code);
        }
        has_word(code, "var") && gives_value(code)
    }

    /// The brackets that are open where a statement begins.
    fn level(&self) -> usize {
        self.bodies.last().map_or(0, |body| body.level)
    }

    /// Leaves the functions that are over, and is in the statement again that the outermost begins in.
    fn leave(&mut self, is_over: impl Fn(&Body) -> bool) {
        while let Some(body) = self.bodies.pop_if(|body| is_over(body)) {
            self.statement = body.indent;
        }
    }

    /// A statement begins. Tells whether it is a pattern of a `match`.
    fn begin(&mut self, code: &str, indent: usize) -> bool {
        self.statement = indent;
        while self.patterns.last().is_some_and(|patterns| *patterns > indent) {
            self.patterns.pop();
        }
        if std::mem::take(&mut self.begins_match) {
            self.patterns.push(indent);
        }
        let is_pattern = self.patterns.last() == Some(&indent);
        self.begins_match = !is_pattern && code.starts_with("match ") && code.ends_with(':');
        is_pattern
    }

    /// Follows the brackets of a line, and the lambdas in it.
    fn walk(&mut self, code: &str, is_pattern: bool) {
        let mut before = ' ';
        for (at, next) in code.char_indices() {
            let rest = code.get(at..).unwrap_or_default();
            match next {
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => {
                    self.depth = self.depth.saturating_sub(1);
                    // A lambda is over with the brackets that it stands in, on whatever line.
                    let depth = self.depth;
                    self.leave(|body| body.level > depth);
                    self.lambdas.retain(|lambda| *lambda <= depth);
                }
                // So it is where the next argument follows.
                ',' if self.depth > 0 && !is_pattern => {
                    let depth = self.depth;
                    self.leave(|body| body.level >= depth);
                }
                ':' if self.lambdas.last() == Some(&self.depth) => {
                    self.lambdas.pop();
                    if rest == ":" {
                        self.bodies.push(Body { indent: self.statement, level: self.depth });
                    }
                }
                'f' if self.header.is_none() && !is_of_word(before) && begins_with_func(rest) => {
                    self.lambdas.push(self.depth);
                }
                _ => {}
            }
            before = next;
        }
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
    code.split(|c: char| !is_of_word(c)).any(|it| it == word)
}

fn begins_with_func(code: &str) -> bool {
    code.strip_prefix("func").is_some_and(|rest| !rest.starts_with(is_of_word))
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
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
        check("var f := func():\n\tprint(1)\nvar g\n", &[1, 2]);
        check("var p: int = 1:\n\tset(v):\n\t\tp = v\n\tget:\n\t\treturn p\nvar q\n", &[1, 3, 5]);
    }

    #[test]
    fn lambdas_end_with_their_brackets() {
        let function = |body: &str| format!("func f():\n{body}\tpass\n");
        // On the last line of the body, and on one of its own, however deep that is.
        check(&function("\tg(func():\n\t\tn += 1)\n"), &[2, 3, 4]);
        check(&function("\tg(func():\n\t\tn += 1\n\t\t)\n"), &[2, 3, 5]);
        check(&function("\tg(h(func():\n\t\tif n:\n\t\t\tm([1])))\n"), &[2, 3, 4, 5]);
        check(&function("\tg(func():\n\t\tn += 1).call(func():\n\t\tm())\n"), &[2, 3, 4, 5]);
        // Its body may be no deeper than itself, only than its statement.
        check(&function("\tg(\n\t\tfunc():\n\t\tn += 1\n\t\tm())\n"), &[2, 4, 5, 6]);
        check(&function("\tg(\n\t\t1, func(a,\n\t\t\tb):\n\t\tn += 1)\n"), &[2, 5, 6]);
    }

    #[test]
    fn lambdas_end_where_the_next_argument_follows() {
        let function = |body: &str| format!("func f():\n{body}\tpass\n");
        check(&function("\tg(func():\n\t\tn += 1, 5,\n\t\t7)\n"), &[2, 3, 5]);
        check(&function("\tg(func():\n\t\tn += 1\n\t\t,\n\t\t7)\n"), &[2, 3, 6]);
        check(&function("\tg(func():\n\t\tn()\n\t, func():\n\t\tm())\n"), &[2, 3, 5, 6]);
        let pairs = "\tvar d = {\n\t\ta = func():\n\t\t\tn(),\n\t\t\"b\": func():\n\t\t\tm()}\n";
        check(&function(pairs), &[2, 4, 6, 7]);
        // As in a `match`, where no argument follows.
        let arms =
            "\tg(func():\n\t\tmatch n:\n\t\t\t1, 2:\n\t\t\t\tm()\n\t\t\t3, 4: o()\n\t\tp())\n";
        check(&function(arms), &[2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn lambdas_without_brackets_end_where_the_indent_does() {
        let function = |body: &str| format!("func f():\n{body}\tpass\n");
        check(&function("\tvar g = func(x) -> int:\n\t\treturn x\n"), &[2, 3, 4]);
        check(&function("\tvar g = func(): return 1\n"), &[2, 3]);
        check(&function("\tg(func(): n += 1)\n\th(func(): n += 1,\n\t\t4)\n"), &[2, 3, 5]);
        let inner = "\tg(func():\n\t\tvar h = func():\n\t\t\tm(), 5,\n\t\t6)\n";
        check(&function(inner), &[2, 3, 4, 6]);
        check(&function("\tg(func():\n\t\th(func():\n\t\t\tm())\n\t\tn())\n"), &[2, 3, 4, 5, 6]);
    }

    #[test]
    fn the_nearest_line_with_code_comes_rather_after() {
        let lines = [false, true, false, false, true, false];
        assert_eq!(nearest(&lines, 3), Some(5));
        assert_eq!(nearest(&lines, 6), Some(5));
        assert_eq!(nearest(&[false], 1), None);
    }
}
