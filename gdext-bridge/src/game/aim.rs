//! Which of the running games a command is about.

use protocol::{Fault, Required, Tool};

use super::{
    Game,
    run::{Session, id_of},
};

/// As long as it lives, what is asked of [`Game`] is about one of the games.
pub(crate) struct Aimed(Game);

impl Drop for Aimed {
    fn drop(&mut self) {
        self.0.0.aim.set(None);
    }
}

impl Game {
    /// The game that a call is about, where it names one as `instance`, or there is only one.
    ///
    /// # Errors
    /// If there is no such game, or several that could be meant.
    pub(crate) fn meant(
        &self,
        tool: Tool,
        instance: Option<u32>,
    ) -> Result<Option<Session>, Fault> {
        let run = self.0.run.borrow();
        let mut sessions = run.instances.keys().copied();
        if !tool.is_about_one_game() || run.instances.is_empty() {
            return Ok(None);
        }
        let told = || serde_json::to_value(run.told()).unwrap_or_default();
        let ids = || {
            let ids: Vec<String> = run.instances.keys().map(|it| id_of(*it).to_string()).collect();
            ids.join(", ")
        };
        match instance {
            Some(id) => sessions.find(|it| id_of(*it) == id).map(Some).ok_or_else(|| {
                Fault::not_found(format!(
                    "There is no running game {id}; there are: {}. See godot_runtime_is_playing.",
                    ids()
                ))
                .requiring(Required::parameter("instance"))
                .with("instances", told())
            }),
            None if run.instances.len() > 1 => Err(Fault::precondition(
                Required::parameter("instance"),
                format!(
                    "{} games run: say which one is meant, as \"instance\": one of {}.",
                    run.instances.len(),
                    ids()
                ),
            )
            .with("instances", told())),
            None => Ok(sessions.next()),
        }
    }

    /// Directs what is asked of the game to one of them.
    pub(crate) fn aim(&self, at: Option<Session>) -> Aimed {
        self.0.aim.set(at);
        Aimed(self.clone())
    }
}
