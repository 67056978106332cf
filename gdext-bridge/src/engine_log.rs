//! Hears what the engine prints as an error while a command runs.
//!
//! A bad engine call mostly returns normally and prints. Godot 4.5 and later can tell: a script
//! that extends `Logger`, made in memory, collects the errors of the main thread. Older versions
//! have no `Logger`, and the log stays empty.

use std::{cell::RefCell, rc::Rc};

use godot::{
    classes::{ClassDb, GDScript, Os, RefCounted},
    global::Error,
    prelude::*,
};

const SOURCE: &str = r#"extends Logger

var sink: Callable

func _log_error(_function: String, file: String, line: int, code: String, rationale: String, _editor_notify: bool, error_type: int, _backtraces: Array[ScriptBacktrace]) -> void:
	if error_type == 1 or OS.get_thread_caller_id() != OS.get_main_thread_id() or not sink.is_valid():
		return
	sink.call(rationale if rationale != "" else code, file, line, error_type == 3)
"#;

/// What a headless editor prints on every save, as it has no picture to make a preview from.
const NOISE: &[&str] = &["texture_2d_get", "Parameter \"t\" is null"];

/// How many errors of a kind are kept until somebody asks.
const MOST: usize = 100;

/// The collector, while it is installed.
#[derive(Clone, Default)]
pub(crate) struct EngineLog {
    logger: Rc<RefCell<Option<Gd<RefCounted>>>>,
    /// Here and not in the script, as every edit asks twice, and mostly there is nothing.
    heard: Rc<RefCell<Heard>>,
}

/// What was printed since somebody asked last.
#[derive(Default)]
struct Heard {
    lines: Vec<String>,
    /// What the compiler of shaders said: message, file and line.
    shaders: Vec<(String, String, i64)>,
}

impl Heard {
    fn note(&mut self, text: String, file: String, line: i64, is_of_shader: bool) {
        if self.lines.len() < MOST {
            let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
            self.lines.push(format!("{text} ({name}:{line})"));
        }
        if is_of_shader && self.shaders.len() < MOST {
            self.shaders.push((text, file, line));
        }
    }
}

impl EngineLog {
    /// Starts to listen, where this Godot can.
    pub(crate) fn install() -> EngineLog {
        let log = EngineLog::default();
        if !ClassDb::singleton().class_exists("Logger") {
            return log;
        }
        let mut script = GDScript::new_gd();
        script.set_source_code(SOURCE);
        if script.reload() != Error::OK {
            return log;
        }
        let made = script.try_call("new", &[]).ok();
        let Some(mut logger) = made.and_then(|made| made.try_to::<Gd<RefCounted>>().ok()) else {
            return log;
        };
        let heard = log.heard.clone();
        let sink = Callable::from_fn("godot_mcp_engine_error", move |arguments| {
            let [text, file, line, is_of_shader] = arguments else { return };
            // Nothing prints while this is read; should it, that is not worth a panic.
            if let (Ok(mut heard), Ok(line)) = (heard.try_borrow_mut(), line.try_to()) {
                heard.note(text.to_string(), file.to_string(), line, is_of_shader.booleanize());
            }
        });
        logger.set("sink", &sink.to_variant());
        // By name, as the method is younger than the oldest Godot that we load in.
        let _ = Os::singleton().try_call("add_logger", &[logger.to_variant()]);
        log.logger.replace(Some(logger));
        log
    }

    /// Whether this Godot lets us hear what it prints.
    pub(crate) fn hears(&self) -> bool {
        self.logger.borrow().is_some()
    }

    /// What the compiler of shaders said since the last [`Self::take`]: message, file and line.
    pub(crate) fn shader_errors(&self) -> Vec<(String, String, i64)> {
        self.heard.borrow().shaders.clone()
    }

    /// What was printed since the last call, without the noise.
    pub(crate) fn take(&self) -> Vec<String> {
        let Heard { mut lines, .. } = self.heard.take();
        lines.retain(|line| !NOISE.iter().any(|noise| line.contains(noise)));
        lines
    }

    /// Stops to listen.
    pub(crate) fn remove(&self) {
        if let Some(logger) = self.logger.take() {
            let _ = Os::singleton().try_call("remove_logger", vslice![logger]);
        }
    }
}
