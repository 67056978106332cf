//! How the probe comes to life in a game, and what it does in every frame.

use std::{cell::RefCell, rc::Rc};

use godot::{
    classes::{
        DisplayServer, Engine, EngineDebugger, Input, input::MouseMode, notify::NodeNotification,
    },
    prelude::*,
};
use link::Directory;

use super::{Probe, State, clock};
use crate::{
    game::{CAPTURE, EDITOR_PID, FROZEN, Hello, breakpoints, line::Line, place::size_window},
    signal,
};

/// Begins to answer, if this is a game that somebody has questions for.
pub(crate) fn begin() {
    let mut debugger = EngineDebugger::singleton();
    if Engine::singleton().is_editor_hint()
        || !debugger.is_active()
        || std::env::var_os(EDITOR_PID).is_none()
    {
        return;
    }
    let probe = Probe(Rc::new(State { is_child: is_child(), ..State::default() }));
    if probe.0.is_child {
        end_with_editor();
    }
    PROBE.set(Some(probe.clone()));
    clock::watch(&probe);
    freeze_soon(probe.clone(), 0);
    let capture = Callable::from_fn("godot_mcp_capture", move |arguments| {
        let message = arguments.first().map(|it| it.to_string()).unwrap_or_default();
        if let Some(data) = arguments.get(1).and_then(|it| it.try_to::<VarArray>().ok()) {
            probe.hear(&message, &data);
        }
        true.to_variant()
    });
    debugger.register_message_capture(CAPTURE, &capture);
    breakpoints::take_over();
    // There is no tree yet. The editor answers to this, and its answer is read in the first frame.
    debugger.send_message(&format!("{CAPTURE}:loaded"), &varray![].upcast_any_array());
}

/// Freezes the game as soon as there is one, where that was asked for. The engine makes deferred calls
/// first in its first frame: after one step of physics, and before the nodes are processed.
fn freeze_soon(probe: Probe, tries: u32) {
    /// Calls are also made before there is a tree, and then as long as there are more.
    const TRIES: u32 = 8;
    if std::env::var_os(FROZEN).is_none() || tries == TRIES {
        return;
    }
    let later = Callable::from_fn("godot_mcp_freeze", move |_| match probe.tree() {
        Ok(tree) if tree.get_current_scene().is_some() => {
            probe.watch_frames();
            // Whether it is frozen, its first answer says.
            let _ = probe.freeze(true);
        }
        _ => freeze_soon(probe.clone(), tries + 1),
    });
    later.call_deferred(&[]);
}

/// Stops to answer.
pub(crate) fn end() {
    let mut debugger = EngineDebugger::singleton();
    if debugger.has_capture(CAPTURE) {
        debugger.unregister_message_capture(CAPTURE);
    }
    clock::forget();
    // Its thread ends before the library is gone.
    if let Some(probe) = PROBE.take() {
        probe.0.line.take();
    }
}

thread_local! {
    /// The probe of this game, on the main thread.
    static PROBE: RefCell<Option<Probe>> = const { RefCell::new(None) };
}

impl Probe {
    fn hear(&self, message: &str, data: &VarArray) {
        self.watch_frames();
        match message {
            "request" => self.take(data),
            "cancel" => self.cancel(data),
            "settle" => self.settle(data),
            "quit" => self.quit(),
            // The editor alone hears why the game is stopped.
            "failing" => self.0.failures.set(self.0.failures.get() + 1),
            // As a step into the next line, whatever function it is in.
            "halt" => {
                let mut debugger = EngineDebugger::singleton();
                debugger.set_depth(-1);
                debugger.set_lines_left(1);
            }
            // No step is under way any more.
            "run" => {
                let mut debugger = EngineDebugger::singleton();
                debugger.set_depth(-1);
                debugger.set_lines_left(-1);
            }
            _ => {}
        }
        if self.is_frozen() {
            self.keep_frozen();
        }
    }

    /// Does what the window manager does when the window is closed. A game that would rather not be closed
    /// so hears of it and quits when it likes.
    fn quit(&self) {
        let Ok(mut tree) = self.tree() else { return };
        Input::singleton().set_mouse_mode(MouseMode::VISIBLE);
        if let Some(mut root) = tree.get_root() {
            root.propagate_notification(i32::from(NodeNotification::WM_CLOSE_REQUEST));
        }
        if tree.is_auto_accept_quit() {
            tree.quit();
        }
    }

    /// Asks what takes some frames, in every frame, paused or not.
    fn watch_frames(&self) {
        if self.0.is_connected.get() {
            return;
        }
        let Ok(tree) = self.tree() else { return };
        self.0.is_connected.set(true);
        let probe = self.clone();
        let frame = Callable::from_fn("godot_mcp_frame", move |_| probe.each_frame());
        signal::connect(&tree, "process_frame", &frame);
    }

    fn each_frame(&self) {
        self.time_frame();
        if self.0.is_child && !is_child() {
            // Nobody would stop it any more.
            if let Ok(mut tree) = self.tree() {
                tree.quit();
            }
            return;
        }
        if !self.0.is_ready.get()
            && let Ok(tree) = self.tree()
            && tree.get_current_scene().is_some()
        {
            self.0.is_ready.set(true);
            // Without a line the debugger will do.
            self.0.line.replace(call_editor());
            size_window(&tree);
            let headless = DisplayServer::singleton().get_name() == "headless";
            let scene = self.tree().ok().and_then(|tree| tree.get_current_scene());
            let hello = Hello {
                pid: std::process::id(),
                headless,
                is_child: self.0.is_child,
                scene: scene.map(|scene| scene.get_scene_file_path().to_string()),
            };
            let hello = serde_json::to_string(&hello).unwrap_or_default();
            let data = varray![hello].upcast_any_array();
            EngineDebugger::singleton().send_message(&format!("{CAPTURE}:hello"), &data);
        }
        // The frame before was not drawn where nothing had changed.
        self.leave_drawing();
        self.0.pending.borrow_mut().append(&mut self.0.undrawn.borrow_mut());
        self.0.drawn.set(self.frame().saturating_sub(1));
        if self.is_frozen() {
            self.0.recorder.skip_frame();
        }
        self.take_calls();
        // Taken out, as a handler may cause new requests.
        self.poll(self.0.pending.take(), &self.0.pending);
    }

    /// Between two frames: what the one before has led to is there, and the next has not begun.
    pub(super) fn end_frame(&self) {
        if !self.is_frozen() {
            self.0.monitors.look(self);
        }
        self.poll(self.0.between.take(), &self.0.between);
        self.give_held();
        if self.is_frozen() {
            self.keep_frozen();
        }
        let is_idle = |list: &RefCell<Vec<_>>| list.borrow().is_empty();
        if self.is_frozen()
            && [&self.0.pending, &self.0.undrawn, &self.0.between].into_iter().all(is_idle)
        {
            self.rest();
        }
    }
}

/// Whether the editor is there, and has started the game: its process is the parent of ours. A game that
/// another game has started has that one for a parent. Where none of this can be known, the editor ends its
/// games itself when it quits.
#[cfg(unix)]
fn is_child() -> bool {
    editor().is_none_or(|editor| editor == std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn is_child() -> bool {
    true
}

/// Has the system end the game with the editor: one that hangs has no frame in which it could see that
/// nobody would stop it any more.
#[cfg(target_os = "linux")]
fn end_with_editor() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Where that is not to be had, it quits in its next frame.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// It quits in its next frame.
#[cfg(not(target_os = "linux"))]
fn end_with_editor() {}

/// The line to the editor, where there can be one.
fn call_editor() -> Option<Line> {
    Line::dial(Directory::open().ok()?, editor()?).ok()
}

/// The process of the editor.
fn editor() -> Option<u32> {
    std::env::var(EDITOR_PID).ok()?.parse().ok()
}
