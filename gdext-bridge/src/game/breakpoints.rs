//! The breakpoints that agents have set.
//!
//! The engine forgets those of a session when the game ends, and knows none before it runs, so they are
//! kept here. A game gets them with its environment, to have them before its first line is executed.

use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

use godot::{
    classes::{EditorDebuggerSession, EditorInterface, EngineDebugger, Os},
    prelude::*,
};

/// Tells a game of the breakpoints.
const VARIABLE: &str = "GODOT_MCP_BREAKPOINTS";

/// A script, and a line of it counted from 1.
pub(crate) type Place = (String, i64);

/// The breakpoints of agents.
#[derive(Clone, Default)]
pub(crate) struct Breakpoints(Rc<RefCell<BTreeSet<Place>>>);

impl Breakpoints {
    /// All of them, by file and line.
    pub(crate) fn all(&self) -> Vec<Place> {
        self.0.borrow().iter().cloned().collect()
    }

    /// Adds one, and tells the games that run.
    pub(super) fn add(&self, place: Place, games: Vec<Gd<EditorDebuggerSession>>) {
        for session in games {
            tell(session, &place, true);
        }
        self.0.borrow_mut().insert(place);
        self.pass_on();
    }

    /// Removes one, and tells the games that run. Tells whether there was one.
    pub(super) fn remove(&self, place: &Place, games: Vec<Gd<EditorDebuggerSession>>) -> bool {
        if !self.0.borrow_mut().remove(place) {
            return false;
        }
        self.pass_on();
        // The human wants it to stay.
        if !games.is_empty() && !of_editor().contains(place) {
            games.into_iter().for_each(|session| tell(session, place, false));
        }
        true
    }

    /// Tells a game that has just started.
    pub(super) fn tell_all(&self, session: &Gd<EditorDebuggerSession>) {
        for place in self.all() {
            tell(session.clone(), &place, true);
        }
    }

    /// Games that are started from now on are not told any more.
    pub(super) fn forget(&self) {
        self.0.borrow_mut().clear();
        Os::singleton().unset_environment(VARIABLE);
    }

    fn pass_on(&self) {
        let text = serde_json::to_string(&*self.0.borrow()).unwrap_or_default();
        Os::singleton().set_environment(VARIABLE, &text);
    }
}

/// The breakpoints that the human has set in the script editor.
pub(crate) fn of_editor() -> BTreeSet<Place> {
    let Some(editor) = EditorInterface::singleton().get_script_editor() else {
        return BTreeSet::new();
    };
    let told = editor.get_breakpoints();
    let places = told.as_slice().iter().filter_map(|told| {
        let told = told.to_string();
        let (path, line) = told.rsplit_once(':')?;
        Some((path.to_owned(), line.parse().ok()?))
    });
    places.collect()
}

/// In the game: sets the breakpoints that its editor told it of.
pub(super) fn take_over() {
    let told = std::env::var(VARIABLE).unwrap_or_default();
    let places: Vec<Place> = serde_json::from_str(&told).unwrap_or_default();
    let mut debugger = EngineDebugger::singleton();
    for (path, line) in places {
        debugger.insert_breakpoint(i32::try_from(line).unwrap_or_default(), &path);
    }
}

fn tell(mut session: Gd<EditorDebuggerSession>, (path, line): &Place, is_set: bool) {
    session.set_breakpoint(path, i32::try_from(*line).unwrap_or_default(), is_set);
}
