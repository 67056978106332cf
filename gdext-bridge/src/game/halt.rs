//! Where the game is stopped, by what the engine's debugger tells.
//!
//! When a game stops, the engine says so, and the editor asks it at once for the calls on the stack and
//! for the variables of the innermost one, for the human to see. All of this comes by here.

use godot::{classes::EncodedObjectAsId, prelude::*};
use protocol::tools::debugger::{StackFrame, Stop};

/// What is known of the stops of the game.
#[derive(Default)]
pub(super) struct Halts {
    /// How often it has stopped.
    entered: u64,
    /// How often it has gone on.
    left: u64,
    current: Option<Halt>,
}

/// The game, stopped.
#[derive(Default)]
struct Halt {
    reason: String,
    has_stack: bool,
    frames: Option<Vec<StackFrame>>,
    /// The lists of variables that have come: of the innermost call first, unasked.
    lists: usize,
    /// How many variables of the last list are still to come.
    missing: i64,
    /// Whose function the innermost call is in, and that of the last list.
    owners: (Option<i64>, Option<i64>),
    /// The call whose variables were asked for, and the number of the list that has them.
    asked: Option<(usize, usize)>,
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
    pub(super) fn hear(&mut self, message: &str, data: &VarArray) {
        let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
        let number = |index: usize| data.get(index).and_then(|it| it.try_to::<i64>().ok());
        match message {
            "debug_enter" => {
                self.entered += 1;
                let has_stack = data.get(2).is_some_and(|it| it.booleanize());
                self.current = Some(Halt { reason: text(1), has_stack, ..Halt::default() });
            }
            "debug_exit" => {
                self.left += 1;
                self.current = None;
            }
            _ => {}
        }
        let Some(halt) = &mut self.current else { return };
        match message {
            "stack_dump" => {
                let count = number(0).and_then(|it| usize::try_from(it).ok()).unwrap_or_default();
                halt.frames = Some(
                    (0..count / 3)
                        .map(|frame| StackFrame {
                            frame,
                            file: text(frame * 3 + 1),
                            line: number(frame * 3 + 2).unwrap_or_default(),
                            function: text(frame * 3 + 3),
                        })
                        .collect(),
                );
            }
            "stack_frame_vars" => {
                halt.lists += 1;
                halt.missing = number(0).unwrap_or_default();
                halt.owners.1 = None;
            }
            // The name, where it belongs (1 for the object), its type and its value.
            "stack_frame_var" => {
                halt.missing -= 1;
                if text(0) == "self" && number(1) == Some(1) {
                    halt.owners.1 = data.get(3).and_then(|it| instance_id(&it));
                    if halt.lists == 1 {
                        halt.owners.0 = halt.owners.1;
                    }
                }
            }
            _ => {}
        }
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
            function: first.map(|frame| frame.function.clone()),
            file: first.map(|frame| frame.file.clone()),
            line: first.map(|frame| frame.line),
        })
    }

    /// Why it is stopped, and the calls that led there, once they are known.
    pub(super) fn frames(&self) -> Option<(&str, &[StackFrame])> {
        let halt = self.current.as_ref()?;
        match &halt.frames {
            Some(frames) => Some((&halt.reason, frames)),
            None => (!halt.has_stack).then_some((&halt.reason, &[])),
        }
    }

    /// Whose function a call is in. Answers come in the order of the questions, the editor's own for the
    /// innermost call first.
    pub(super) fn owner(&mut self, frame: usize) -> Owner {
        let Some(halt) = &mut self.current else { return Owner::Asked };
        let is_whole = halt.lists > 0 && halt.missing <= 0;
        if !is_whole {
            return Owner::Asked;
        }
        if frame == 0 {
            return Owner::Known(halt.owners.0);
        }
        match halt.asked {
            Some((asked, list)) if asked == frame => match halt.lists >= list {
                true => Owner::Known(halt.owners.1),
                false => Owner::Asked,
            },
            _ => {
                halt.asked = Some((frame, halt.lists + 1));
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
