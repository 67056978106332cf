//! `godot_debugger_list_breakpoints`.

use protocol::{
    Fault,
    tools::debugger::{Breakpoint, Breakpoints, ListBreakpoints},
};

use crate::{
    game::breakpoints::{Place, of_editor},
    plan::{Context, Read},
};

impl Read for ListBreakpoints {
    fn read(self, context: &Context) -> Result<Breakpoints, Fault> {
        let told = |source: &'static str| {
            move |(path, line): Place| Breakpoint { path, line, source: source.to_owned() }
        };
        let ours = context.game.breakpoints().all().into_iter().map(told("agent"));
        let mut all: Vec<Breakpoint> =
            ours.chain(of_editor().into_iter().map(told("editor"))).collect();
        all.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        let total = all.len();
        all.truncate(self.limit.count());
        Ok(Breakpoints { truncated: all.len() < total, breakpoints: all, total })
    }
}
