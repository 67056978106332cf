//! Expressions as Godot's class `Expression` reads them, of which the text has to be one as a whole.

use godot::{classes::Expression, global::Error, prelude::*};

/// What such expressions lack, for whoever wrote something else.
pub(super) const LACKS: &str = "The text has to be one expression as Godot's class Expression reads it. That \
     has no `a if b else c`, no `is`, `as`, `not in` or `await`, no lambdas, assignments or statements, no \
     comments, and no \"\"\"text\"\"\", &\"name\" or $Node. Use is_class(\"Node3D\") and get_node(\"Path\"), \
     or call a function of a script that does the rest.";

/// How long an expression may be, in bytes. The engine reads one in another without end, and a text that
/// is nothing but brackets would end the game.
const LONGEST: usize = 10_000;

/// Reads a text that may use these names. An error says why it is none.
pub(super) fn parsed(text: &str, names: &PackedStringArray) -> Result<Gd<Expression>, String> {
    if text.len() > LONGEST {
        return Err(format!("It has {} bytes, and {LONGEST} are the limit", text.len()));
    }
    let parse = |text: &str| {
        let mut expression = Expression::new_gd();
        match expression.parse_ex(text).input_names(names).done() {
            Error::OK => Ok(expression),
            _ => Err(expression.get_error_text().to_string()),
        }
    };
    // The engine stops at the end of the first expression, and says nothing of what follows. In brackets it
    // has to come to the bracket that closes; that this is ours and not one of the text, two kinds tell.
    let whole = parse(&format!("({text}\n)"));
    match parse(&format!("[{text}\n]")).and(whole) {
        Ok(expression) => Ok(expression),
        // Without brackets of ours it has the error of the text itself.
        Err(_) => Err(match parse(text) {
            Err(error) => error.trim_end_matches('.').to_owned(),
            Ok(_) => "There is more text after the end of the expression".to_owned(),
        }),
    }
}

/// The call that a value stands for, if it is a function that awaits.
pub(super) fn awaiting(value: &Variant) -> Option<Gd<Object>> {
    let object = value.try_to::<Gd<Object>>().ok()?;
    (object.get_class() == "GDScriptFunctionState").then_some(object)
}
