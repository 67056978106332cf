//! Constructor text such as `Vector2(1, 2)`, as scenes and scripts have it.
//!
//! Parsed here instead of by the engine's `str_to_var`, which can also create objects and load
//! files.

/// A constructor and its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Literal<'a> {
    /// The name of the type; empty for plain parentheses.
    pub(super) name: &'a str,
    /// What stands between the parentheses.
    pub(super) arguments: Vec<Argument<'a>>,
}

/// One argument of a constructor.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Argument<'a> {
    /// A number, also `inf`, `-inf` and `nan` as Godot's own text has them.
    Number(f64),
    /// Another constructor, as in `Rect2(Vector2(0, 0), Vector2(1, 1))`.
    Literal(Literal<'a>),
}

/// No type of Godot nests deeper, as in `Transform3D(Basis(Vector3(…), …), …)`.
const DEEPEST: usize = 3;

/// Reads all of `text` as one constructor.
pub(super) fn parse(text: &str) -> Option<Literal<'_>> {
    let (literal, rest) = constructor(text.trim(), DEEPEST)?;
    rest.is_empty().then_some(literal)
}

fn constructor(text: &str, deepest: usize) -> Option<(Literal<'_>, &str)> {
    let (name, inner) = text.split_once('(')?;
    let name = name.trim_end();
    if deepest == 0 || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let mut arguments = Vec::new();
    let mut rest = inner.trim_start();
    if let Some(rest) = rest.strip_prefix(')') {
        return Some((Literal { name, arguments }, rest.trim_start()));
    }
    loop {
        let (argument, after) = argument(rest, deepest - 1)?;
        arguments.push(argument);
        if let Some(after) = after.strip_prefix(')') {
            return Some((Literal { name, arguments }, after.trim_start()));
        }
        rest = after.strip_prefix(',')?.trim_start();
    }
}

fn argument(text: &str, deepest: usize) -> Option<(Argument<'_>, &str)> {
    let end = text.find([',', '(', ')'])?;
    let (head, rest) = text.split_at_checked(end)?;
    if rest.starts_with('(') {
        let (literal, rest) = constructor(text, deepest)?;
        return Some((Argument::Literal(literal), rest));
    }
    Some((Argument::Number(number(head.trim())?), rest))
}

fn number(text: &str) -> Option<f64> {
    match text {
        "inf" => Some(f64::INFINITY),
        "-inf" | "inf_neg" => Some(f64::NEG_INFINITY),
        "nan" => Some(f64::NAN),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) => {
            text.parse().ok().filter(|number: &f64| number.is_finite())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_read_whole() {
        let literal = parse(" Vector2( 1, -2.5e1 ) ").unwrap();
        assert_eq!(literal.name, "Vector2");
        assert_eq!(literal.arguments, [Argument::Number(1.0), Argument::Number(-25.0)]);
        assert_eq!(parse("(1, inf)").unwrap().name, "");
        assert_eq!(parse("PackedVector2Array()").unwrap().arguments, []);
        let nested = parse("Rect2(Vector2(0, 1), Vector2(2, 3))").unwrap();
        assert!(matches!(&nested.arguments[..], [Argument::Literal(_), Argument::Literal(_)]));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "banana",
            "Vector2",
            "Vector2(",
            "Vector2(1, 2",
            "Vector2(1, 2))",
            "Vector2(1, 2) + 1",
            "Vector2(1,, 2)",
            "Vector2(1, 2,)",
            "Vector2(1 2)",
            "Vector2(x, y)",
            "Vector2(infinity, 0)",
            "Object(Node, \"name\":\"x\")",
            "Resource(\"res://x.tres\")",
            "A(B(C(D(1))))",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
