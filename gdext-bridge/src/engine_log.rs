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

var _lock := Mutex.new()
var _lines: PackedStringArray = []
var _shaders: Array = []

func _log_error(_function: String, file: String, line: int, code: String, rationale: String, _editor_notify: bool, error_type: int, _backtraces: Array[ScriptBacktrace]) -> void:
	if error_type == 1 or OS.get_thread_caller_id() != OS.get_main_thread_id():
		return
	var text := rationale if rationale != "" else code
	_lock.lock()
	if _lines.size() < 100:
		_lines.append("%s (%s:%d)" % [text, file.get_file(), line])
	if error_type == 3 and _shaders.size() < 100:
		_shaders.append([text, file, line])
	_lock.unlock()

func take() -> PackedStringArray:
	_lock.lock()
	var lines := _lines
	_lines = []
	_shaders = []
	_lock.unlock()
	return lines

func shaders() -> Array:
	_lock.lock()
	var shaders := _shaders.duplicate()
	_lock.unlock()
	return shaders
"#;

/// What a headless editor prints on every save, as it has no picture to make a preview from.
const NOISE: &[&str] = &["texture_2d_get", "Parameter \"t\" is null"];

/// The collector, while it is installed.
#[derive(Clone, Default)]
pub(crate) struct EngineLog {
    logger: Rc<RefCell<Option<Gd<RefCounted>>>>,
}

impl EngineLog {
    /// Starts to listen, where this Godot can.
    pub(crate) fn install() -> EngineLog {
        if !ClassDb::singleton().class_exists("Logger") {
            return EngineLog::default();
        }
        let mut script = GDScript::new_gd();
        script.set_source_code(SOURCE);
        if script.reload() != Error::OK {
            return EngineLog::default();
        }
        let made = script.try_call("new", &[]).ok();
        let logger = made.and_then(|made| made.try_to::<Gd<RefCounted>>().ok());
        if let Some(logger) = &logger {
            // By name, as the method is younger than the oldest Godot that we load in.
            let _ = Os::singleton().try_call("add_logger", &[logger.to_variant()]);
        }
        EngineLog { logger: Rc::new(RefCell::new(logger)) }
    }

    /// Whether this Godot lets us hear what it prints.
    pub(crate) fn hears(&self) -> bool {
        self.logger.borrow().is_some()
    }

    /// What the compiler of shaders said since the last [`Self::take`]: message, file and line.
    pub(crate) fn shader_errors(&self) -> Vec<(String, String, i64)> {
        let Some(mut logger) = self.logger.borrow().clone() else { return Vec::new() };
        let errors = logger.try_call("shaders", &[]).ok().and_then(|errors| errors.try_to().ok());
        let errors: VarArray = errors.unwrap_or_default();
        let read = |error: Variant| {
            let parts: VarArray = error.try_to().ok()?;
            let line = parts.get(2)?.try_to().ok()?;
            Some((parts.get(0)?.to_string(), parts.get(1)?.to_string(), line))
        };
        errors.iter_shared().filter_map(read).collect()
    }

    /// What was printed since the last call, without the noise.
    pub(crate) fn take(&self) -> Vec<String> {
        let Some(mut logger) = self.logger.borrow().clone() else { return Vec::new() };
        let lines = logger.try_call("take", &[]).ok().and_then(|lines| lines.try_to().ok());
        let lines: PackedStringArray = lines.unwrap_or_default();
        let lines = lines.as_slice().iter().map(ToString::to_string);
        lines.filter(|line| !NOISE.iter().any(|noise| line.contains(noise))).collect()
    }

    /// Stops to listen.
    pub(crate) fn remove(&self) {
        if let Some(logger) = self.logger.take() {
            let _ = Os::singleton().try_call("remove_logger", vslice![logger]);
        }
    }
}
