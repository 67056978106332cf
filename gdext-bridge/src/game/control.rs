//! Stops the game and lets it go on, over the engine's debugger.

use std::time::Duration;

use godot::prelude::*;
use protocol::{
    Fault, Required,
    tools::debugger::{StackFrame, Stop},
};

use super::{
    CAPTURE, Game,
    breakpoints::{Breakpoints, Place},
    debugger,
    halt::{Halts, Heard, Mark, Owner},
    run::Session,
};

impl Game {
    /// Refuses where no game is connected with the debugger. It may be stopped, or not have begun its
    /// first frame.
    pub(crate) fn require_session(&self) -> Result<(), Fault> {
        if self.session().is_some() {
            return Ok(());
        }
        // Says what there is instead.
        self.require()?;
        Err(self.gone())
    }

    /// Refuses where there is no game that could answer, stopped or not.
    pub(crate) fn require_there(&self) -> Result<(), Fault> {
        if self.is_stopped() { self.require_session() } else { self.require() }
    }

    /// Refuses where the calls of the stopped game cannot be looked into.
    pub(crate) fn require_frames(&self) -> Result<(), Fault> {
        self.require_stopped()?;
        if !self.halts(Halts::is_in_thread).unwrap_or_default() {
            return Ok(());
        }
        Err(Fault::unsupported(format!(
            "The game is {}. The variables of a thread cannot be read; its calls are told by \
             godot_debugger_get_stack_frames. Without 'frame' the main loop can be asked as ever.",
            self.place()
        )))
    }

    /// Refuses where nothing of the game is stopped in the debugger.
    pub(crate) fn require_stopped(&self) -> Result<(), Fault> {
        self.require_session()?;
        if self.is_halted() {
            return Ok(());
        }
        Err(Fault::precondition(
            Required::PLAY_SESSION,
            "The game runs; this needs it to be stopped. Stop it with godot_debugger_force_break, or where \
             you want it with godot_debugger_set_breakpoint.",
        ))
    }

    /// Whether the main loop of the game or a thread is stopped in the debugger.
    pub(crate) fn is_halted(&self) -> bool {
        self.halts(Halts::is_halted).unwrap_or_default()
    }

    /// Whether the main loop of the game is stopped in the debugger.
    pub(crate) fn is_stopped(&self) -> bool {
        self.instance(&self.0.run.borrow()).is_some_and(|it| it.halts.is_stopped())
    }

    /// How often the game has stopped and gone on.
    pub(crate) fn mark(&self) -> Mark {
        self.halts(Halts::mark).unwrap_or_default()
    }

    /// Whether the game has stopped since.
    pub(crate) fn has_stopped_since(&self, mark: Mark) -> bool {
        self.halts(|halts| halts.has_stopped_since(mark)).unwrap_or_default()
    }

    /// Whether the game has gone on since.
    pub(crate) fn has_gone_on_since(&self, mark: Mark) -> bool {
        self.halts(|halts| halts.has_gone_on_since(mark)).unwrap_or_default()
    }

    /// Where the game is stopped, once that is known.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.halts(Halts::stop).flatten()
    }

    /// What is known of the stops of the game.
    fn halts<T>(&self, read: impl FnOnce(&Halts) -> T) -> Option<T> {
        self.instance(&self.0.run.borrow()).map(|it| read(&it.halts))
    }

    /// Where the game is stopped, in words.
    pub(super) fn place(&self) -> String {
        self.stop().map_or_else(|| "stopped in the debugger".to_owned(), in_words)
    }

    /// The game is stopped, and has to run for this.
    pub(super) fn not_running(&self) -> Fault {
        Fault::precondition(
            Required::GAME_NOT_BREAKED,
            format!(
                "The game is {}. Look with godot_debugger_get_stack_frames, and go on with \
                 godot_debugger_continue_execution.",
                self.place()
            ),
        )
    }

    /// The game has stopped since it was asked something, and so does not answer.
    pub(super) fn stopped_meanwhile(&self) -> Fault {
        Fault::precondition(
            Required::GAME_NOT_BREAKED,
            format!(
                "This call was begun, and then the game stopped, most likely by it: the game is {}. What \
                 was called is not over, and goes on with godot_debugger_continue_execution: do not call it \
                 again for that. Look with godot_debugger_get_stack_frames.",
                self.place()
            ),
        )
    }

    /// Why the game is stopped, and the calls that led there, once they are known.
    pub(crate) fn frames<T>(&self, read: impl FnOnce(&str, &[StackFrame]) -> T) -> Option<T> {
        self.halts(|halts| halts.frames().map(|(reason, frames)| read(reason, frames))).flatten()
    }

    /// Whose function a call is in; none for a static one. `Ok(None)` until the game has told.
    pub(super) fn owner(&self, frame: usize) -> Result<Option<Option<i64>>, Fault> {
        let Some(count) = self.frames(|_, frames| frames.len()) else { return Ok(None) };
        if frame >= count {
            return Err(no_such_frame(frame, count));
        }
        let owner = self.instance_mut(&mut self.0.run.borrow_mut()).map(|it| it.halts.owner(frame));
        let owner = owner.ok_or_else(|| self.gone())?;
        Ok(match owner {
            Owner::Known(owner) => Some(owner),
            Owner::Asked => None,
            Owner::ToAsk => {
                let (_, mut session) = self.session().ok_or_else(|| self.gone())?;
                let number = i64::try_from(frame).unwrap_or_default();
                session
                    .send_message_ex("get_stack_frame_vars")
                    .data(&varray![number].upcast_any_array())
                    .done();
                None
            }
        })
    }

    /// Does what is to be done when a game has stopped, or is in a stop from before again.
    pub(super) fn take_note(
        &self,
        session: Session,
        heard: Heard,
        since: Duration,
        whose: Option<u32>,
    ) {
        let tell = |message: &str| {
            if let Some(mut way) = self.session_of(session) {
                way.send_message(message);
            }
        };
        match heard {
            // Before anybody can let it go on, so that it knows what not to do again.
            Heard::Failing => tell(&format!("{CAPTURE}:failing")),
            Heard::Failed => {
                let run = self.0.run.borrow();
                let halts = run.instances.get(&session).map(|it| &it.halts);
                if let Some((reason, frames)) = halts.and_then(Halts::frames) {
                    let mut output = self.0.output.borrow_mut();
                    output.stopped(reason, frames, since, whose);
                }
            }
            // The editor does not ask: to it the game runs.
            Heard::Resumed => tell("get_stack_dump"),
        }
    }

    /// Gives an order to the engine in the game, by a name that its debugger knows.
    pub(crate) fn order(&self, message: &str) -> Result<(), Fault> {
        self.session().ok_or_else(|| self.gone())?.1.send_message(message);
        Ok(())
    }

    /// Lets what is stopped go on in a way that the engine's debugger knows. A plugin reaches only the main
    /// thread; the buttons of the editor reach the one that is stopped.
    pub(crate) fn release(&self, message: &'static str) -> Result<(), Fault> {
        if !self.halts(Halts::is_in_thread).unwrap_or_default() {
            return self.order(message);
        }
        let (session, _) = self.session().ok_or_else(|| self.gone())?;
        let button = match message {
            "continue" => "DebugContinue",
            "step" => "DebugStep",
            "next" => "DebugNext",
            _ => "DebugStepOut",
        };
        if debugger::press(session, button) {
            return Ok(());
        }
        Err(Fault::unsupported(format!(
            "The game is {}, and this version of Godot cannot do that with a thread. Continue with \
             godot_debugger_continue_execution.",
            self.place()
        )))
    }

    /// No step that was begun stops the game any more.
    pub(crate) fn end_step(&self) {
        // A game that is gone has none.
        let _ = self.order(&format!("{CAPTURE}:run"));
    }

    /// Has the game stop at the next line of a script.
    pub(crate) fn halt(&self) -> Result<(), Fault> {
        self.order(&format!("{CAPTURE}:halt"))
    }

    /// The breakpoints of agents.
    pub(crate) fn breakpoints(&self) -> &Breakpoints {
        &self.0.breakpoints
    }

    /// Sets a breakpoint. Tells whether a game runs that was told.
    pub(crate) fn add_breakpoint(&self, place: Place) -> bool {
        let sessions = self.sessions();
        let in_game = !sessions.is_empty();
        self.0.breakpoints.add(place, sessions);
        in_game
    }

    /// Removes a breakpoint. Tells whether a game runs that was told; `None` if there was none.
    pub(crate) fn remove_breakpoint(&self, place: &Place) -> Option<bool> {
        let sessions = self.sessions();
        let in_game = !sessions.is_empty();
        self.0.breakpoints.remove(place, sessions).then_some(in_game)
    }
}

/// Where a game is stopped, in words.
pub(super) fn in_words(stop: Stop) -> String {
    let reason = stop.reason.unwrap_or_default();
    // It ends a sentence.
    let reason = reason.trim_end_matches('.');
    // The engine has none where it was told to stop.
    let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let place = match (stop.file, stop.line) {
        (Some(file), Some(line)) => {
            let function = stop.function.map(|it| format!(" in {it}")).unwrap_or_default();
            format!("at {file}:{line}{function}")
        }
        _ => "between two frames".to_owned(),
    };
    format!("stopped in the debugger {place}{why}")
}

fn no_such_frame(frame: usize, count: usize) -> Fault {
    let has = match count {
        0 => "The game is stopped between two frames, with no calls on the stack".to_owned(),
        _ => format!("The stack has {count} calls, numbered from 0"),
    };
    Fault::not_found(format!("{has}: there is no {frame}. See godot_debugger_get_stack_frames."))
        .requiring(Required::parameter("frame"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_without_empty_parts() {
        let place = |reason: &str, file: Option<&str>| {
            in_words(Stop {
                reason: Some(reason.to_owned()),
                function: file.map(|_| "_ready".to_owned()),
                file: file.map(str::to_owned),
                line: file.map(|_| 3),
            })
        };
        let (nowhere, here) = ("between two frames", "at res://a.gd:3 in _ready");
        for (told, expected) in [
            (place("", None), nowhere.to_owned()),
            (place("Breakpoint", None), format!("{nowhere}: Breakpoint")),
            (place("", Some("res://a.gd")), here.to_owned()),
            (place("Failed.", Some("res://a.gd")), format!("{here}: Failed")),
        ] {
            assert_eq!(told, format!("stopped in the debugger {expected}"));
        }
    }
}
