//! What the code of a shader says of a uniform beyond what the engine lists: how many an array has, and
//! whether a number has a sign.

use super::without_comments;

/// A uniform as it is declared.
#[derive(Debug, PartialEq)]
pub(super) struct Declared {
    /// The type, such as `uint`.
    pub(super) kind: String,
    /// How many of it, where it is an array whose size can be told.
    pub(super) size: Option<usize>,
}

impl Declared {
    /// The declaration of a uniform; `None` where it is not in the code itself.
    pub(super) fn find(code: &str, name: &str) -> Option<Declared> {
        let plain = without_comments(code);
        let words = words(&plain);
        let mut rest = words.as_slice();
        while let Some(at) = rest.iter().position(|word| *word == "uniform") {
            rest = rest.get(at + 1..)?;
            let end = rest.iter().position(|word| *word == ";").unwrap_or(rest.len());
            let is_precision = |word: &&&str| ["lowp", "mediump", "highp"].contains(*word);
            let one: Vec<&str> = rest.iter().take(end).skip_while(is_precision).copied().collect();
            let declared = match one.as_slice() {
                [kind, "[", size, "]", named, ..] if *named == name => (kind, Some(size)),
                [kind, named, "[", size, "]", ..] if *named == name => (kind, Some(size)),
                [kind, named, ..] if *named == name => (kind, None),
                _ => continue,
            };
            let (kind, size) = declared;
            let size = size.and_then(|size| number(size).or_else(|| constant(&words, size)));
            return Some(Declared { kind: (*kind).to_owned(), size });
        }
        None
    }

    /// How many numbers one of it is.
    pub(super) fn width(&self) -> usize {
        match self.kind.as_str() {
            "mat2" => 4,
            "mat3" => 9,
            "mat4" => 16,
            kind if kind.ends_with("vec2") => 2,
            kind if kind.ends_with("vec3") => 3,
            kind if kind.ends_with("vec4") => 4,
            _ => 1,
        }
    }

    /// Whether its numbers have no sign.
    pub(super) fn is_unsigned(&self) -> bool {
        self.kind == "uint" || self.kind.starts_with("uvec")
    }
}

/// A number that the code gives a name.
fn constant(words: &[&str], name: &str) -> Option<usize> {
    words.windows(3).find_map(|three| match three {
        [named, "=", value] | ["define", named, value] if *named == name => number(value),
        _ => None,
    })
}

fn number(word: &str) -> Option<usize> {
    word.trim_end_matches('u').parse().ok()
}

/// The words and signs of code.
fn words(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match rest.find(|c| !is_word(c)) {
            Some(0) => first.len_utf8(),
            Some(end) => end,
            None => rest.len(),
        };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "shader_type spatial;\n#define FEW 2\nconst int MANY = 5;\n\
        uniform highp float fa[3]; // uniform float fa[9];\nuniform uint u : hint_range(0, 9) = 3u;\n\
        global uniform vec2[MANY] points;\nuniform ivec3 grid[ FEW ];\nuniform mat4 m[FEW * 2];\n";

    fn told(name: &str) -> Option<(String, Option<usize>)> {
        Declared::find(CODE, name).map(|it| (it.kind, it.size))
    }

    #[test]
    fn the_code_tells_types_and_sizes() {
        assert_eq!(told("fa"), Some(("float".to_owned(), Some(3))));
        assert_eq!(told("u"), Some(("uint".to_owned(), None)));
        assert_eq!(told("points"), Some(("vec2".to_owned(), Some(5))));
        assert_eq!(told("grid"), Some(("ivec3".to_owned(), Some(2))));
        assert_eq!(told("m").map(|(_, size)| size), Some(None), "nothing is computed");
        assert_eq!(told("MANY"), None);
        assert_eq!(Declared::find(CODE, "grid").map(|it| it.width()), Some(3));
        assert!(Declared::find(CODE, "u").is_some_and(|it| it.is_unsigned()));
    }
}
