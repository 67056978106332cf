//! `godot_debugger_remove_breakpoint`.

use protocol::{
    Fault, Required,
    tools::debugger::{BreakpointChanged, RemoveBreakpoint},
};

use crate::{
    game::breakpoints::of_editor,
    plan::{Context, Progress, Run},
};

impl Run for RemoveBreakpoint {
    fn run(self, context: &Context) -> Result<Progress<BreakpointChanged>, Fault> {
        let place = (self.path.to_string(), self.line.get());
        let Some(in_game) = context.game.remove_breakpoint(&place) else {
            let (path, line) = &place;
            let why = match of_editor().contains(&place) {
                true => format!(
                    "The breakpoint at line {line} of '{path}' is the human's, in the script editor. Ask \
                     them to remove it."
                ),
                false => format!(
                    "There is no breakpoint at line {line} of '{path}'. See \
                     godot_debugger_list_breakpoints."
                ),
            };
            return Err(Fault::not_found(why).requiring(Required::parameter("line")));
        };
        let (path, line) = place;
        Ok(Progress::Done(BreakpointChanged {
            breakpoint_set: false,
            breakpoint_removed: true,
            path,
            line,
            text: None,
            in_game,
        }))
    }
}
