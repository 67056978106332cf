//! Where the game is stopped, by what the engine's debugger tells.
//!
//! When a game stops, the engine says so, and the editor asks it at once for the calls on the stack and
//! for the variables of the innermost one, for the human to see. All of this comes by here.

use godot::{classes::EncodedObjectAsId, prelude::*};
use protocol::tools::debugger::{StackFrame, Stop};

/// What is known of the stops of the game.
///
/// A stopped game still answers, and what it is asked can run a function that stops in turn. When that
/// one goes on, the game is where it was stopped before, of which the engine says nothing: to the editor
/// it runs. So the stops are counted here.
#[derive(Default)]
pub(super) struct Halts {
    /// How often it has stopped.
    entered: u64,
    /// How often it has gone on.
    left: u64,
    /// Where it is stopped, the innermost stop last.
    stops: Vec<Halt>,
}

/// The game, stopped.
#[derive(Default)]
struct Halt {
    reason: String,
    /// Whether an error has stopped it.
    is_error: bool,
    /// Whether it is a thread of its own that is stopped: the main loop goes on.
    is_thread: bool,
    has_stack: bool,
    /// Whether another stop within this one is over.
    is_resumed: bool,
    frames: Option<Vec<StackFrame>>,
    /// The calls whose variables the game was asked for, in this order.
    asked: Vec<usize>,
    /// Whose functions they are in, in the order of the answers, which is that of the questions.
    owners: Vec<Option<i64>>,
    /// How many variables of the last answer are still to come.
    missing: i64,
}

/// The number that the engine gives the main thread.
const MAIN_THREAD: u64 = 1;

/// What a message means for others.
pub(super) enum Heard {
    /// An error stops the game just now.
    Failing,
    /// The place of that error is known.
    Failed,
    /// The game may be in a stop from before again, and will say so if it is asked for its calls.
    Resumed,
}

/// How often the game has stopped and gone on, to tell whether it has done so since.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    entered: u64,
    left: u64,
}

/// Whose function a call is in.
pub(super) enum Owner {
    /// The game was not asked yet.
    ToAsk,
    /// It has not answered yet.
    Asked,
    /// An object, by its instance id; none for a static function.
    Known(Option<i64>),
}

impl Halts {
    /// Takes down a message of the engine, if it is about a stop.
    pub(super) fn hear(&mut self, message: &str, data: &VarArray) -> Option<Heard> {
        match message {
            "debug_enter" => self.enter(data),
            "debug_exit" => self.leave(),
            "stack_dump" => {
                let halt = self.stops.last_mut()?;
                let was_known = halt.take_frames(data);
                if halt.is_resumed && !was_known {
                    self.entered += 1;
                }
                (halt.is_error && !halt.is_resumed && !was_known).then_some(Heard::Failed)
            }
            _ => {
                self.stops.last_mut()?.take_variables(message, data);
                None
            }
        }
    }

    fn enter(&mut self, data: &VarArray) -> Option<Heard> {
        self.entered += 1;
        let is_true = |index: usize| data.get(index).is_some_and(|it| it.booleanize());
        // What the game was asked in the stop before, it answers in this one.
        let asked = self.stops.last_mut().map(Halt::take_unanswered).unwrap_or_default();
        let mut reason = data.get(1).map(|it| it.to_string()).unwrap_or_default();
        // The main thread comes by its name, others by their numbers.
        let thread = data.get(3).map(|it| it.to_string()).unwrap_or_default();
        let is_thread = thread.parse::<u64>().is_ok_and(|number| number != MAIN_THREAD);
        if is_thread {
            reason.push_str(" (in a thread of its own; the main loop goes on)");
        }
        // The engine lets a game go on where it has stopped in good order.
        let (is_error, has_stack) = (!is_true(0), is_true(2));
        self.stops.push(Halt { reason, is_error, is_thread, has_stack, asked, ..Halt::default() });
        is_error.then_some(Heard::Failing)
    }

    fn leave(&mut self) -> Option<Heard> {
        self.left += 1;
        self.stops.pop();
        let outer = self.stops.last_mut()?;
        outer.is_resumed = true;
        if !outer.has_stack {
            self.entered += 1;
            return None;
        }
        // Known again when the game has told them: the function that stopped may do so once more before.
        outer.frames = None;
        Some(Heard::Resumed)
    }

    /// Whether the main loop of the game is stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.stops.iter().any(|halt| !halt.is_thread)
    }

    /// Whether something of the game is stopped: its main loop, or a thread.
    pub(super) fn is_halted(&self) -> bool {
        !self.stops.is_empty()
    }

    /// Whether what stopped last is a thread.
    pub(super) fn is_in_thread(&self) -> bool {
        self.stops.last().is_some_and(|halt| halt.is_thread)
    }

    /// What to compare with later.
    pub(super) fn mark(&self) -> Mark {
        Mark { entered: self.entered, left: self.left }
    }

    /// Whether the game has stopped since.
    pub(super) fn has_stopped_since(&self, mark: Mark) -> bool {
        self.entered > mark.entered
    }

    /// Whether the game has gone on since.
    pub(super) fn has_gone_on_since(&self, mark: Mark) -> bool {
        self.left > mark.left
    }

    /// Where it is stopped, once that is known.
    pub(super) fn stop(&self) -> Option<Stop> {
        let (reason, frames) = self.frames()?;
        let first = frames.first();
        Some(Stop {
            reason: Some(reason.to_owned()),
            // What does not parse is in none.
            function: first.map(|frame| frame.function.clone()).filter(|it| !it.is_empty()),
            file: first.map(|frame| frame.file.clone()),
            line: first.map(|frame| frame.line),
        })
    }

    /// Why it is stopped, and the calls that led there, once they are known.
    pub(super) fn frames(&self) -> Option<(&str, &[StackFrame])> {
        let halt = self.stops.last()?;
        match &halt.frames {
            Some(frames) => Some((&halt.reason, frames)),
            None => (!halt.has_stack).then_some((&halt.reason, &[])),
        }
    }

    /// Whose function a call is in.
    pub(super) fn owner(&mut self, frame: usize) -> Owner {
        self.stops.last_mut().map_or(Owner::Asked, |halt| halt.owner(frame))
    }
}

impl Halt {
    /// Takes down the calls on the stack. Tells whether they were known.
    fn take_frames(&mut self, data: &VarArray) -> bool {
        let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
        let number = |index: usize| data.get(index).and_then(|it| it.try_to::<i64>().ok());
        let count = number(0).and_then(|it| usize::try_from(it).ok()).unwrap_or_default();
        let frame = |frame: usize| StackFrame {
            frame,
            file: text(frame * 3 + 1),
            line: number(frame * 3 + 2).unwrap_or_default(),
            function: text(frame * 3 + 3),
        };
        // The editor asks for the variables of the innermost call now, where it knows that the game is
        // stopped.
        if !self.is_resumed && count > 0 {
            self.asked.push(0);
        }
        // What does not parse is in no call, and comes as one without a name and a file.
        let frames = (0..count / 3).map(frame);
        let frames = frames.filter(|it| !(it.file.is_empty() && it.function.is_empty())).collect();
        self.frames.replace(frames).is_some()
    }

    fn take_variables(&mut self, message: &str, data: &VarArray) {
        let number = |index: usize| data.get(index).and_then(|it| it.try_to::<i64>().ok());
        match message {
            "stack_frame_vars" => {
                self.owners.push(None);
                self.missing = number(0).unwrap_or_default();
            }
            // The name, where it belongs (1 for the object), its type and its value.
            "stack_frame_var" => {
                self.missing -= 1;
                let is_self = data.get(0).is_some_and(|it| it.to_string() == "self");
                if is_self
                    && number(1) == Some(1)
                    && let Some(owner) = self.owners.last_mut()
                {
                    *owner = data.get(3).and_then(|it| instance_id(&it));
                }
            }
            _ => {}
        }
    }

    /// What it was asked and has not answered, which is not asked here any more.
    fn take_unanswered(&mut self) -> Vec<usize> {
        self.asked.split_off(self.owners.len().min(self.asked.len()))
    }

    fn owner(&mut self, frame: usize) -> Owner {
        let place = self.asked.iter().position(|asked| *asked == frame);
        let is_whole = self.missing <= 0;
        match place {
            Some(place) => match self.owners.get(place) {
                Some(owner) if is_whole || place + 1 < self.owners.len() => Owner::Known(*owner),
                _ => Owner::Asked,
            },
            None if self.owners.len() < self.asked.len() || !is_whole => Owner::Asked,
            None => {
                self.asked.push(frame);
                Owner::ToAsk
            }
        }
    }
}

/// The id of an object of the game: the editor has only that.
fn instance_id(value: &Variant) -> Option<i64> {
    let object = value.try_to::<Gd<EncodedObjectAsId>>().ok()?;
    Some(object.get_object_id().cast_signed())
}
