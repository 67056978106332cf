//! Checks a GDScript by compiling a copy that is thrown away, for when the language server cannot be
//! asked. Nothing of it is run: outside of `@tool` scripts the editor does not even initialise static
//! variables, and the copy is none. What it names is another matter, see `tools/scripts/beside.rs`.
//! Godot's own `--check-only` does run those.

use godot::{
    classes::{Engine, GDScript, Script},
    global::Error,
    prelude::*,
};
use protocol::tools::scripts::Diagnostic;

use crate::engine_log::EngineLog;

/// The errors that the compiler tells of, which stops at the first one in the syntax.
pub(crate) fn check(log: &EngineLog, path: &str, text: &str) -> Vec<Diagnostic> {
    log.take();
    let outcome = compile(path, text);
    let mut errors: Vec<Diagnostic> =
        log.take().iter().filter_map(|line| diagnostic(path, line)).collect();
    if outcome != Error::OK && errors.is_empty() {
        errors.push(Diagnostic {
            message: "The script does not compile; this Godot does not tell why.".to_owned(),
            source: Some(path.to_owned()),
            line: None,
            column: None,
            code: None,
        });
    }
    errors
}

/// The class of the engine that a script extends; `None` if it has errors. After such a change it still
/// tells the one that it had before.
pub(crate) fn base_of(script: &Gd<Script>) -> Option<StringName> {
    let (path, text) = (script.get_path().to_string(), script.get_source_code().to_string());
    let is_sound =
        script.clone().try_cast::<GDScript>().is_err() || compile(&path, &text) == Error::OK;
    Some(script.get_instance_base_type()).filter(|base| is_sound && !base.is_empty())
}

/// Whether a name means something in every script.
pub(crate) fn is_known(name: &str) -> bool {
    let mut engine = Engine::singleton();
    // One that means nothing is an error, which is no news.
    let was_heard = engine.is_printing_error_messages();
    engine.set_print_error_messages(false);
    let outcome = compile("", &format!("extends RefCounted\nfunc _f():\n\treturn {name}\n"));
    engine.set_print_error_messages(was_heard);
    outcome == Error::OK
}

fn compile(path: &str, text: &str) -> Error {
    let mut script = GDScript::new_gd();
    // Without its path a class of that name would seem to exist already.
    script.set_path_cache(path);
    script.set_source_code(&harmless(text));
    script.reload()
}

/// The text without what would have the editor run it. Every character else stays in its place.
fn harmless(text: &str) -> String {
    text.replace("@tool", "     ")
}

/// What the engine printed, if it is about the script: `Parse Error: … (file.gd:3)`.
fn diagnostic(path: &str, line: &str) -> Option<Diagnostic> {
    let (message, place) = line.rsplit_once(" (")?;
    let message = message.strip_prefix("Parse Error: ")?;
    let line = place.trim_end_matches(')').rsplit_once(':').and_then(|(_, line)| line.parse().ok());
    Some(Diagnostic {
        message: message.to_owned(),
        source: Some(path.to_owned()),
        line,
        column: None,
        code: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_prints_is_read() {
        let found =
            diagnostic("res://a.gd", "Parse Error: Expected \":\" (in x). (a.gd:12)").unwrap();
        assert_eq!((found.message.as_str(), found.line), ("Expected \":\" (in x).", Some(12)));
        assert!(diagnostic("res://a.gd", "Failed to load script (gdscript.cpp:2907)").is_none());
    }

    #[test]
    fn a_text_without_tool_keeps_its_places() {
        assert_eq!(harmless("@tool class_name A\nvar a"), "      class_name A\nvar a");
    }
}
