//! The calls that led to where the game is, with their variables: Godot 4.5 tells them to scripts.

use godot::{classes::Engine, prelude::*};
use protocol::{Fault, Required};

use crate::resource::godot_version;

/// The calls of the language that the game is stopped in.
pub(super) struct Backtrace(Variant);

/// Variables, by their names.
pub(super) type Variables = Vec<(String, Variant)>;

impl Backtrace {
    /// Where the game is now.
    pub(super) fn capture() -> Result<Backtrace, Fault> {
        let mut engine = Engine::singleton().upcast::<Object>();
        if !engine.has_method("capture_script_backtraces") {
            return Err(Fault::unsupported(format!(
                "The variables of a call are told by Godot 4.5 and newer; this is {}. Look at them in the \
                 debugger of the editor, or evaluate an expression without a frame.",
                godot_version()
            ))
            .requiring(Required::GODOT_VERSION));
        }
        // As a typed array it could not be taken out of the variant.
        let traces = engine.call("capture_script_backtraces", &[true.to_variant()]);
        let traces = (0..number(&traces, "size", &[]))
            .map(|index| traces.call("get", &[index.to_variant()]));
        let mut traces = traces.map(Backtrace);
        traces.find(|trace| trace.depth() > 0).ok_or_else(|| {
            Fault::precondition(
                Required::PLAY_SESSION,
                "The game is stopped where no script is executed. Step into one with \
                 godot_debugger_step_into, or set a breakpoint and continue.",
            )
        })
    }

    /// How many calls there are.
    pub(super) fn depth(&self) -> i64 {
        number(&self.0, "get_frame_count", &[])
    }

    /// Parameters and variables of a function.
    pub(super) fn locals(&self, frame: i64) -> Variables {
        self.variables("local", &[frame.to_variant()])
    }

    /// The variables of the object whose function it is.
    pub(super) fn members(&self, frame: i64) -> Variables {
        self.variables("member", &[frame.to_variant()])
    }

    /// The variables that every function knows.
    pub(super) fn globals(&self) -> Variables {
        self.variables("global", &[])
    }

    fn variables(&self, kind: &str, frame: &[Variant]) -> Variables {
        let count = number(&self.0, &format!("get_{kind}_variable_count"), frame);
        let get = |what: &str, index: i64| {
            let arguments: Vec<Variant> =
                frame.iter().cloned().chain([index.to_variant()]).collect();
            self.0.call(&format!("get_{kind}_variable_{what}"), &arguments)
        };
        (0..count).map(|index| (get("name", index).to_string(), get("value", index))).collect()
    }
}

fn number(object: &Variant, method: &str, arguments: &[Variant]) -> i64 {
    object.call(method, arguments).try_to().unwrap_or_default()
}
