//! Questions to the running game, and their answers.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    time::{Duration, Instant},
};

use godot::prelude::*;
use protocol::{ErrorCode, Fault, Required, Tool, tools::runtime::OutputEntry};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    CAPTURE, Game, Reply,
    line::{Answered, Asked, Span},
    probe::{InGame, Needs, clock_ms},
    run::{Session, id_of},
};
use crate::dispatch::Pending;

/// The answer of a game.
type Answer = Result<Box<RawValue>, Fault>;

/// Sends a command to the game; its answer is there when the game has it, and with it all that the game
/// printed before, or a fault when it is late.
pub(crate) fn ask<C: InGame>(
    game: &Game,
    command: &C,
    params: &RawValue,
) -> Result<Pending, Fault> {
    /// The parameter of every such tool that says how long to wait.
    #[derive(Default, Deserialize)]
    struct Limit {
        timeout_ms: Option<u64>,
    }
    let limit: Limit = serde_json::from_str(params.get()).unwrap_or_default();
    let limit = Duration::from_millis(limit.timeout_ms.unwrap_or(2000));
    let (tool, needs, is_read) = (C::TOOL, command.needs(), command.is_read());
    let params = params.to_owned();
    let mut id = match needs {
        Needs::Look => {
            game.require_running()?;
            Some(game.ask_soon(tool, &params)?)
        }
        Needs::Running => {
            game.require_running()?;
            Some(game.ask(tool, &params, None)?)
        }
        Needs::Game => {
            game.require_there()?;
            Some(game.ask(tool, &params, None)?)
        }
        Needs::Frame(_) => {
            game.require_frames()?;
            None
        }
    };
    let (since, mark) = (Instant::now(), game.mark());
    let mut stopped: Option<Instant> = None;
    let mut settling: Option<Settling> = None;
    Ok(Box::new(move |dispatcher| {
        let game = &dispatcher.context.game;
        // Whose function a call is in, the engine tells to the editor only.
        if let Needs::Frame(frame) = needs
            && id.is_none()
            && let Some(owner) = game.owner(frame).transpose()
        {
            match owner.and_then(|owner| game.ask(tool, &params, owner)) {
                Ok(asked) => id = Some(asked),
                Err(fault) => return Some(Err(fault)),
            }
        }
        if let Some(there) = &settling
            && !there.is_over(game)
        {
            return None;
        }
        if let Some(Settling { answer, span, .. }) = settling.take() {
            let errors = span.map(|span| game.errors_within(span)).unwrap_or_default();
            return Some(answer.map(|answer| C::complete(answer, errors)));
        }
        if let Some((answer, span)) = id.and_then(|id| game.take_answer(id)) {
            let answer =
                answer.map_err(|fault| match fault.required == Some(Required::PLAY_SESSION) {
                    true if !is_read => fault.may_have_applied(),
                    _ => fault,
                });
            // What only looks causes no errors.
            let settled = if is_read { None } else { game.settle() };
            let Some(question) = settled else { return Some(answer) };
            settling = Some(Settling { answer, span, question, since: Instant::now() });
            return None;
        }
        let state = match needs {
            // What was stopped before the question came answers it; what it stopped does not.
            _ if game.has_stopped_since(mark) && game.is_stopped() => {
                let since = *stopped.get_or_insert_with(Instant::now);
                let is_told =
                    matches!(needs, Needs::Running | Needs::Look) && game.stop().is_some();
                match is_told || since.elapsed() > TO_ANSWER {
                    true => Err(ended(game.stopped_meanwhile(), is_read)),
                    false => Ok(()),
                }
            }
            Needs::Running | Needs::Look => game.require_running(),
            _ => game.require_session(),
        };
        let is_unwanted = dispatcher.context.is_unwanted.get();
        if state.is_ok() && since.elapsed() < limit && !is_unwanted {
            // An answer over the line wakes the editor.
            let is_on_line = id.is_some_and(|id| game.0.questions.is_on_line(id));
            dispatcher.context.is_patient.set(is_on_line);
            return None;
        }
        id.into_iter().for_each(|id| game.give_up(id));
        if is_unwanted {
            return Some(Err(ended(cancelled(), is_read)));
        }
        if let Err(fault) = state {
            // It was asked, and may have done it, or have ended by that.
            return Some(Err(if is_read || id.is_none() {
                fault
            } else {
                fault.may_have_applied()
            }));
        }
        Some(Err(ended(late(game.is_stopped(), limit), is_read)))
    }))
}

/// An answer that is there while what the game printed before it is on its way: the engine sends that once a
/// frame, and answers at once. It comes before the answer to another question.
struct Settling {
    answer: Answer,
    span: Option<Span>,
    question: u64,
    since: Instant,
}

impl Settling {
    fn is_over(&self, game: &Game) -> bool {
        /// How long a game that is busy after its answer may take for the rest.
        const PATIENCE: Duration = Duration::from_millis(300);
        if game.answer(self.question).is_some() {
            return true;
        }
        let is_late = self.since.elapsed() > PATIENCE;
        if is_late {
            game.give_up(self.question);
        }
        is_late
    }
}

fn cancelled() -> Fault {
    Fault::new(ErrorCode::Timeout, "The call was cancelled, and what it had the game do was ended.")
}

/// The game has not answered in time.
fn late(is_stopped: bool, limit: Duration) -> Fault {
    let advice = match is_stopped {
        false => {
            "It may be busy with a long frame or in an endless loop: see godot_runtime_get_game_output, stop \
             it where it is with godot_debugger_force_break, or end it with godot_runtime_stop_scene."
        }
        // It is stopped already, and takes no orders while it works on something there.
        true => {
            "It is stopped in the debugger, and what it was asked to call there takes long or is in an \
             endless loop. Neither can be stopped nor let go on meanwhile: wait, or end the game with \
             godot_runtime_stop_scene."
        }
    };
    let hint = format!("The game did not answer within {} ms. {advice}", limit.as_millis());
    Fault::new(ErrorCode::Timeout, hint)
}

/// A fault of a question whose answer has not come, saying what became of it.
fn ended(fault: Fault, is_read: bool) -> Fault {
    match is_read {
        true => fault.with("outcome", "not_applied"),
        false => fault.may_have_applied(),
    }
}

/// How long a game that has just stopped takes at most to answer what it was asked before.
const TO_ANSWER: Duration = Duration::from_millis(300);

/// One question, asked by a command that asks several. Whoever drops it does not want the answer any more.
pub(crate) struct Question {
    id: u64,
    game: Game,
}

impl Question {
    /// Has the game run a tool of its own, with these parameters.
    pub(crate) fn put(game: &Game, tool: Tool, params: &impl Serialize) -> Result<Question, Fault> {
        game.require_running()?;
        let params = serde_json::value::to_raw_value(params)
            .map_err(|error| Fault::internal(error.to_string()))?;
        Ok(Question { id: game.ask(tool, &params, None)?, game: game.clone() })
    }

    /// The answer, once it is there; a fault where none can come any more.
    pub(crate) fn answer(&self) -> Option<Answer> {
        if let Some(answer) = self.game.answer(self.id) {
            return Some(answer);
        }
        self.game.require_running().err().map(Err)
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.game.give_up(self.id);
    }
}

/// The questions whose answers are waited for.
#[derive(Default)]
pub(super) struct Questions {
    asked: RefCell<HashMap<u64, Awaited>>,
    last: Cell<u64>,
}

/// The answer to a question, and who owes it.
struct Awaited {
    session: Session,
    is_on_line: bool,
    reply: Option<(Reply, Option<Span>)>,
}

impl Questions {
    /// Has the answer to a question awaited. Gives its id.
    fn expect(&self, session: Session, is_on_line: bool) -> u64 {
        let id = self.last.get() + 1;
        self.last.set(id);
        let awaited = Awaited { session, is_on_line, reply: None };
        self.asked.borrow_mut().insert(id, awaited);
        id
    }

    /// Whether the answer will come over the line.
    fn is_on_line(&self, id: u64) -> bool {
        self.asked.borrow().get(&id).is_some_and(|awaited| awaited.is_on_line)
    }

    /// Whether a game owes an answer over the debugger.
    fn is_busy(&self, session: Session) -> bool {
        let owes = |it: &Awaited| it.session == session && !it.is_on_line && it.reply.is_none();
        self.asked.borrow().values().any(owes)
    }

    /// This game will not answer any more.
    pub(super) fn drop_those_of(&self, session: Session) {
        self.asked.borrow_mut().retain(|_, awaited| awaited.session != session);
    }
}

impl Game {
    /// Sends a question to the game over the debugger, with the instance id of the object that it is
    /// about, if it is about one. Gives the id of the answer.
    fn ask(&self, tool: Tool, params: &RawValue, about: Option<i64>) -> Result<u64, Fault> {
        let (number, mut session) = self.session().ok_or_else(|| self.gone())?;
        let id = self.0.questions.expect(number, false);
        let data = varray![
            i64::try_from(id).unwrap_or_default(),
            tool.wire(),
            params.get(),
            about.unwrap_or_default(),
            self.is_stopped(),
            clock_ms().cast_signed()
        ];
        session
            .send_message_ex(&format!("{CAPTURE}:request"))
            .data(&data.upcast_any_array())
            .done();
        Ok(id)
    }

    /// Sends a question that changes nothing the shortest way; but not past others that the game has yet
    /// to answer, as what they change is to be seen.
    fn ask_soon(&self, tool: Tool, params: &RawValue) -> Result<u64, Fault> {
        let (number, _) = self.session().ok_or_else(|| self.gone())?;
        let run = self.0.run.borrow();
        let hello = run.instances.get(&number).and_then(|it| it.hello.as_ref());
        if let Some(hello) = hello
            && !self.0.questions.is_busy(number)
        {
            let id = self.0.questions.expect(number, true);
            let command = tool.wire().to_owned();
            let asked = Asked { id, command, params: params.to_owned(), sent_ms: clock_ms() };
            if self.0.lines.ask(hello.pid, &asked) {
                return Ok(id);
            }
            self.give_up(id);
        }
        drop(run);
        self.ask(tool, params, None)
    }

    /// The game has answered.
    pub(crate) fn answered(&self, Answered { id, reply, span }: Answered) {
        // Nobody waits for it any more otherwise.
        if let Some(awaited) = self.0.questions.asked.borrow_mut().get_mut(&id) {
            awaited.reply = Some((reply, span));
        }
    }

    /// The answer to a question, once it is there.
    fn answer(&self, id: u64) -> Option<Answer> {
        self.take_answer(id).map(|(answer, _)| answer)
    }

    /// The same, with when the game worked on it.
    fn take_answer(&self, id: u64) -> Option<(Answer, Option<Span>)> {
        let mut asked = self.0.questions.asked.borrow_mut();
        let Some(awaited) = asked.get_mut(&id) else {
            drop(asked);
            return Some((Err(self.gone()), None));
        };
        let (reply, span) = awaited.reply.take()?;
        asked.remove(&id);
        let answer = match reply {
            Reply::Ok(result) => Ok(result),
            Reply::Err(fault) => Err(fault),
        };
        Some((answer, span))
    }

    /// Has the game answer once more when it has sent what it printed; `None` where it is gone.
    fn settle(&self) -> Option<u64> {
        let (number, mut session) = self.session()?;
        let id = self.0.questions.expect(number, false);
        let data = varray![i64::try_from(id).unwrap_or_default()].upcast_any_array();
        session.send_message_ex(&format!("{CAPTURE}:settle")).data(&data).done();
        Some(id)
    }

    /// The errors that the game printed in that time.
    fn errors_within(&self, span: Span) -> Vec<OutputEntry> {
        let had_several = self.0.run.borrow().had_several;
        let instance = self.session().filter(|_| had_several).map(|(session, _)| id_of(session));
        self.output(|output| output.errors_within(span, instance))
    }

    /// Nobody waits for the answer any more, and the game is not to go on with it.
    fn give_up(&self, id: u64) {
        let asked = self.0.questions.asked.borrow_mut().remove(&id);
        if let Some(awaited) = asked.filter(|it| !it.is_on_line && it.reply.is_none())
            && let Some(mut session) = self.session_of(awaited.session)
        {
            let data = varray![i64::try_from(id).unwrap_or_default()];
            let message = format!("{CAPTURE}:cancel");
            session.send_message_ex(&message).data(&data.upcast_any_array()).done();
        }
    }
}
