//! From a question to its handler, and back with the answer.

use std::{cell::RefCell, time::Duration};

use godot::{
    classes::{EngineDebugger, RenderingServer},
    prelude::*,
};
use protocol::{Fault, Tool, for_each_tool};
use serde_json::value::{RawValue, to_raw_value};

use super::{Ask, InGame, Probe, Soon};
use crate::{
    game::{
        CAPTURE, Reply,
        line::{Call, Line, Span},
    },
    panics::caught,
    signal,
};

/// Somebody who waits for an answer, and where it comes from.
pub(super) type Asked = (Asker, Ask<Box<RawValue>>);

/// Who asked, and so is answered.
pub(super) enum Asker {
    /// The debugger, by the id of the question.
    Debugger(i64),
    /// The line, by the call.
    Line(Call),
}

macro_rules! in_game {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// A tool of the running game without a handler stops the build here.
        fn start(probe: &Probe, tool: Tool, params: &str) -> Result<Soon<Box<RawValue>>, Fault> {
            match tool {
                $($(Tool::$Params => in_game_arm!($verb probe, params, $root::tools::$set::$Params)),*),*
            }
        }
    };
}
macro_rules! in_game_arm {
    (games $probe:ident, $params:ident, $Params:ty) => {
        $probe.start::<$Params>($params)
    };
    ($verb:ident $probe:ident, $params:ident, $Params:ty) => {
        Err(Fault::internal("This tool is answered by the editor."))
    };
}
for_each_tool!(in_game);

impl Probe {
    /// Answers what came over the debugger.
    pub(super) fn take(&self, data: &VarArray) {
        let text = |index: usize| data.get(index).map(|it| it.to_string()).unwrap_or_default();
        let id = data.get(0).and_then(|id| id.try_to::<i64>().ok()).unwrap_or_default();
        let owner = data.get(3).and_then(|owner| owner.try_to::<i64>().ok());
        self.0.owner.set(owner.unwrap_or_default());
        self.0.is_stopped.set(data.get(4).is_some_and(|it| it.booleanize()));
        let sent_ms = data.get(5).and_then(|it| it.try_to::<i64>().ok()).unwrap_or_default();
        self.begin_sent_at(u64::try_from(sent_ms).unwrap_or_default());
        let started = self.begin(&text(1), &text(2));
        self.go_on(Asker::Debugger(id), started);
    }

    /// Answers what came over the line.
    pub(super) fn take_calls(&self) {
        loop {
            let line = self.0.line.borrow();
            let Some(call) = line.as_ref().and_then(Line::next) else { return };
            drop(line);
            self.take_call(call);
        }
    }

    fn take_call(&self, call: Call) {
        self.begin_sent_at(call.asked().sent_ms);
        let started = self.begin(&call.asked().command, call.asked().params.get());
        self.go_on(Asker::Line(call), started);
    }

    fn begin(&self, command: &str, params: &str) -> Result<Soon<Box<RawValue>>, Fault> {
        let unknown = || Fault::unsupported(format!("The game knows no command '{command}'."));
        let tool = Tool::from_wire(command).ok_or_else(unknown)?;
        caught(|| start(self, tool, params))
    }

    fn go_on(&self, asker: Asker, started: Result<Soon<Box<RawValue>>, Fault>) {
        match started {
            Ok(Soon::Now(result)) => self.answer(asker, Reply::Ok(result)),
            Ok(Soon::Later(pending)) => self.0.pending.borrow_mut().push((asker, pending)),
            Ok(Soon::Drawn(pending)) => {
                self.0.undrawn.borrow_mut().push((asker, pending));
                self.watch_drawing();
            }
            Ok(Soon::Between(pending)) => self.0.between.borrow_mut().push((asker, pending)),
            Err(fault) => self.answer(asker, Reply::Err(fault)),
        }
    }

    fn answer(&self, asker: Asker, reply: Reply) {
        asker.answer(reply, self.0.span.take());
    }

    /// Answers at once. The engine has sent before what the game had printed.
    pub(super) fn settle(&self, data: &VarArray) {
        let id = data.get(0).and_then(|id| id.try_to::<i64>().ok()).unwrap_or_default();
        Asker::Debugger(id).answer(Reply::Ok(RawValue::NULL.to_owned()), None);
    }

    /// Has what waits for this frame to be drawn asked once it is.
    fn watch_drawing(&self) {
        if self.0.drawing.borrow().is_some() {
            return;
        }
        let probe = self.clone();
        let drawn = Callable::from_fn("godot_mcp_drawn", move |_| {
            probe.leave_drawing();
            probe.0.drawn.set(probe.frame());
            probe.poll(probe.0.undrawn.take(), &probe.0.pending);
        });
        signal::connect(&RenderingServer::singleton(), DRAWN, &drawn);
        self.0.drawing.replace(Some(drawn));
    }

    /// Lets the server be, which outlives this library.
    pub(super) fn leave_drawing(&self) {
        if let Some(drawn) = self.0.drawing.take() {
            RenderingServer::singleton().disconnect(DRAWN, &drawn);
        }
    }

    /// Asks what is not answered yet. What is not answered now waits among `rest`.
    pub(super) fn poll(&self, asked: Vec<Asked>, rest: &RefCell<Vec<Asked>>) {
        for (asker, mut poll) in asked {
            match caught(|| poll(self).transpose()) {
                Ok(Some(result)) => self.answer(asker, Reply::Ok(result)),
                Err(fault) => self.answer(asker, Reply::Err(fault)),
                Ok(None) => rest.borrow_mut().push((asker, poll)),
            }
        }
    }

    /// The debugger does not want this answer any more. What it was for ends.
    pub(super) fn cancel(&self, data: &VarArray) {
        let id = data.get(0).and_then(|id| id.try_to::<i64>().ok()).unwrap_or_default();
        for waiting in [&self.0.pending, &self.0.undrawn, &self.0.between] {
            let is_it = |(asker, _): &Asked| matches!(asker, Asker::Debugger(of) if *of == id);
            let (ended, rest): (Vec<Asked>, Vec<Asked>) =
                waiting.take().into_iter().partition(is_it);
            waiting.replace(rest);
            // Only now, as it may have the game do something.
            drop(ended);
        }
    }

    /// Takes a call over the line if one comes within a moment.
    pub(super) fn rest(&self) {
        let line = self.0.line.borrow();
        let Some(call) = line.as_ref().and_then(|line| line.next_within(MOMENT)) else { return };
        drop(line);
        self.take_call(call);
    }

    fn start<C: InGame>(&self, params: &str) -> Result<Soon<Box<RawValue>>, Fault> {
        let command: C =
            serde_json::from_str(params).map_err(|error| Fault::invalid(error.to_string()))?;
        Ok(match command.answer(self)? {
            Soon::Now(result) => Soon::Now(written(&result)?),
            Soon::Later(poll) => Soon::Later(untyped(poll)),
            Soon::Drawn(poll) => Soon::Drawn(untyped(poll)),
            Soon::Between(poll) => Soon::Between(untyped(poll)),
        })
    }
}

/// How long a frame of a frozen game lasts that nothing is asked of, so that it does not take a whole core
/// for nothing.
const MOMENT: Duration = Duration::from_millis(4);

/// The signal of the server that says that a frame is drawn.
const DRAWN: &str = "frame_post_draw";

/// The same without its type.
fn untyped<T: serde::Serialize + 'static>(mut poll: Ask<T>) -> Ask<Box<RawValue>> {
    Box::new(move |probe| Some(poll(probe)?.and_then(|result| written(&result))))
}

fn written(result: &impl serde::Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(result).map_err(|error| Fault::internal(error.to_string()))
}

impl Asker {
    fn answer(self, reply: Reply, span: Option<Span>) {
        match self {
            Asker::Line(call) => call.answer(reply),
            Asker::Debugger(id) => {
                let text = serde_json::to_string(&reply).unwrap_or_default();
                let mut data = varray![id, text];
                if let Some(Span { first, last }) = span {
                    data.push(&first.cast_signed().to_variant());
                    data.push(&last.cast_signed().to_variant());
                }
                let data = data.upcast_any_array();
                EngineDebugger::singleton().send_message(&format!("{CAPTURE}:reply"), &data);
            }
        }
    }
}
