//! `godot_debugger_get_frame_variables`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue,
    tools::debugger::{FrameVariable, FrameVariables, GetFrameVariables},
};

use super::{
    backtrace::{Backtrace, Variables},
    kind_of,
};
use crate::{
    game::probe::{InGame, Needs, Probe, Soon},
    tools::page::{PAGE_CHARACTERS, Page, Window},
    variant,
};

/// The longest value that is told whole, in characters of JSON.
const LONGEST: usize = 4000;

/// How much of a longer one is told.
const BEGINNING: usize = 400;

impl InGame for GetFrameVariables {
    fn needs(&self) -> Needs {
        Needs::Frame(usize::try_from(self.frame.get()).unwrap_or_default())
    }

    fn is_read(&self) -> bool {
        true
    }

    fn answer(self, game: &Probe) -> Result<Soon<FrameVariables>, Fault> {
        let trace = Backtrace::capture()?;
        let frame = self.frame.get();
        let mut members = trace.members(frame);
        if let Some(owner) = game.owner() {
            members.insert(0, ("self".to_owned(), owner.to_variant()));
        }
        let mut window = Page::at(0).window(PAGE_CHARACTERS);
        let mut told = |variables: Variables| told(variables, &mut window);
        let (locals, members, globals) =
            (told(trace.locals(frame)), told(members), told(trace.globals()));
        Ok(Soon::Now(FrameVariables {
            frame: usize::try_from(frame).unwrap_or_default(),
            locals,
            members,
            globals,
            truncated: window.is_full(),
        }))
    }
}

fn told(variables: Variables, window: &mut Window) -> Vec<FrameVariable> {
    let all = variables.into_iter().map(|(name, value)| variable(name, &value));
    all.filter(|variable| window.admits(variable)).collect()
}

fn variable(name: String, value: &Variant) -> FrameVariable {
    let json = variant::to_json(value);
    let text = json.to_string();
    let truncated = text.len() > LONGEST;
    let value_told =
        if truncated { text.chars().take(BEGINNING).collect::<String>().into() } else { json };
    FrameVariable { name, kind: kind_of(value), value: GodotValue(value_told), truncated }
}
