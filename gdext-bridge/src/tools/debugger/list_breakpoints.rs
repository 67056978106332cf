//! `godot_debugger_list_breakpoints`.

use protocol::{
    Fault, ResPath,
    tools::debugger::{Breakpoint, Breakpoints, ListBreakpoints},
};

use super::lines::with_code;
use crate::{
    files::content,
    game::breakpoints::{Place, of_editor},
    plan::{Context, Read},
};

impl Read for ListBreakpoints {
    fn read(self, context: &Context) -> Result<Breakpoints, Fault> {
        let told = |source: &'static str| {
            move |(path, line): Place| {
                let source = source.to_owned();
                Breakpoint { path, line, source, text: None, stale: false }
            }
        };
        let ours = context.game.breakpoints().all().into_iter().map(told("agent"));
        let mut all: Vec<Breakpoint> =
            ours.chain(of_editor().into_iter().map(told("editor"))).collect();
        all.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        let total = all.len();
        all.truncate(self.limit.count());
        all.chunk_by_mut(|a, b| a.path == b.path).for_each(look_into_file);
        Ok(Breakpoints { truncated: all.len() < total, breakpoints: all, total })
    }
}

/// Tells what the file of these breakpoints has at their lines by now.
fn look_into_file(breakpoints: &mut [Breakpoint]) {
    let path = breakpoints.first().and_then(|it| ResPath::try_from(it.path.clone()).ok());
    let content = path.and_then(|path| content(&path, "path").ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let (lines, has_code): (Vec<&str>, _) = (text.lines().collect(), with_code(&text));
    for breakpoint in breakpoints {
        let index = usize::try_from(breakpoint.line - 1).unwrap_or(usize::MAX);
        breakpoint.text = lines.get(index).map(|line| line.trim().to_owned());
        breakpoint.stale = has_code.get(index) != Some(&true);
    }
}
