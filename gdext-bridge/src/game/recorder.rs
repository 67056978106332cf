//! Records the input of the game, with the frames between the events.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use godot::{
    classes::{Engine, InputEvent, InputEventMouseMotion, InputEventScreenDrag, SceneTree},
    prelude::*,
};
use protocol::{
    Fault,
    tools::input::{EventKind, SequenceEvent},
};
use serde_json::{Map, Value};

use crate::signal;

/// How many events are kept: as many as a sequence may have.
const MOST: usize = 2000;

/// The device of events that the engine makes of others (`InputEvent.DEVICE_ID_EMULATION`).
const EMULATED: i32 = -1;

/// Tells an event in the words of a sequence.
pub(crate) type Describe = fn(&Gd<InputEvent>) -> Option<(EventKind, Map<String, Value>)>;

/// What is being recorded, if anything is.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Rc<State>);

#[derive(Default)]
struct State {
    is_connected: Cell<bool>,
    tape: RefCell<Option<Tape>>,
    /// The frames that do not count, as the game was frozen.
    skipped: Cell<u64>,
}

struct Tape {
    include_motion: bool,
    describe: Describe,
    last_frame: u64,
    events: Vec<SequenceEvent>,
    truncated: bool,
}

impl Recorder {
    /// The game is frozen in this frame.
    pub(crate) fn skip_frame(&self) {
        self.0.skipped.set(self.0.skipped.get() + 1);
    }

    /// How many frames the game has run.
    fn frame(&self) -> u64 {
        Engine::singleton().get_process_frames().saturating_sub(self.0.skipped.get())
    }

    /// Whether something is being recorded.
    pub(crate) fn is_recording(&self) -> bool {
        self.0.tape.borrow().is_some()
    }

    /// Begins anew.
    pub(crate) fn begin(
        &self,
        tree: &Gd<SceneTree>,
        include_motion: bool,
        describe: Describe,
    ) -> Result<(), Fault> {
        if !self.0.is_connected.replace(true) {
            let root = tree.get_root();
            let root = root.ok_or_else(|| Fault::internal("The game has no window."))?;
            let recorder = self.clone();
            let heard = Callable::from_fn("godot_mcp_window_input", move |arguments| {
                if let Some(event) = arguments.first().and_then(|it| it.try_to().ok()) {
                    recorder.take(&event);
                }
            });
            signal::connect(&root, "window_input", &heard);
        }
        self.0.tape.replace(Some(Tape {
            include_motion,
            describe,
            last_frame: self.frame(),
            events: Vec::new(),
            truncated: false,
        }));
        Ok(())
    }

    /// Ends, and gives what was recorded, and whether there was more.
    pub(crate) fn end(&self) -> Option<(Vec<SequenceEvent>, bool)> {
        self.0.tape.take().map(|tape| (tape.events, tape.truncated))
    }

    fn take(&self, event: &Gd<InputEvent>) {
        let mut tape = self.0.tape.borrow_mut();
        let Some(tape) = tape.as_mut() else { return };
        let is_motion = event.clone().try_cast::<InputEventMouseMotion>().is_ok()
            || event.clone().try_cast::<InputEventScreenDrag>().is_ok();
        if is_motion && !tape.include_motion {
            return;
        }
        // What the engine makes of a touch or of the mouse it makes again when that is played back.
        if event.get_device() == EMULATED {
            return;
        }
        let Some((kind, parameters)) = (tape.describe)(event) else { return };
        if tape.events.len() == MOST {
            tape.truncated = true;
            return;
        }
        let frame = self.frame();
        let wait_frames = Some(frame.saturating_sub(tape.last_frame));
        tape.last_frame = frame;
        tape.events.push(SequenceEvent { kind, wait_frames, delay_ms: None, parameters });
    }
}
