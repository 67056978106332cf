//! One question to the running game, asked by a command that asks several.

use protocol::{Fault, Tool};
use serde::Serialize;
use serde_json::value::RawValue;

use super::Game;

/// A request under way. Whoever drops it does not want the answer any more.
pub(crate) struct Question {
    id: u64,
    game: Game,
}

impl Question {
    /// Has the game run a tool of its own, with these parameters.
    pub(crate) fn put(game: &Game, tool: Tool, params: &impl Serialize) -> Result<Question, Fault> {
        game.require_running()?;
        let params =
            serde_json::to_string(params).map_err(|error| Fault::internal(error.to_string()))?;
        Ok(Question { id: game.ask(tool.wire(), &params, None)?, game: game.clone() })
    }

    /// The answer, once it is there; a fault where none can come any more.
    pub(crate) fn answer(&self) -> Option<Result<Box<RawValue>, Fault>> {
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
