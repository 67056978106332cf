//! `godot_debugger_set_breakpoint`.

use protocol::{
    Fault, Required, ResPath,
    tools::debugger::{BreakpointChanged, SetBreakpoint},
};

use super::lines::{nearest, with_code};
use crate::{
    files::content,
    plan::{Context, Progress, Run},
};

impl Run for SetBreakpoint {
    fn run(self, context: &Context) -> Result<Progress<BreakpointChanged>, Fault> {
        check_script(&self.path)?;
        let text = content(&self.path, "path")?;
        let text = String::from_utf8_lossy(&text);
        let line = self.line.get();
        check_line(&self.path, &text, usize::try_from(line).unwrap_or(usize::MAX))?;
        let index = usize::try_from(line - 1).unwrap_or_default();
        let path = self.path.to_string();
        let in_game = context.game.add_breakpoint((path.clone(), line));
        Ok(Progress::Done(BreakpointChanged {
            breakpoint_set: true,
            breakpoint_removed: false,
            path,
            line,
            text: text.lines().nth(index).map(|line| line.trim().to_owned()),
            in_game,
        }))
    }
}

/// Refuses what is no GDScript file: the engine's debugger knows no other language.
fn check_script(path: &ResPath) -> Result<(), Fault> {
    match path.extension().as_str() {
        "gd" => Ok(()),
        "cs" => Err(Fault::unsupported(
            "Godot's debugger does not stop in C#. Attach a .NET debugger to the game, such as that of \
             an IDE; its process is in godot_runtime_is_playing.",
        )),
        _ => Err(Fault::invalid(format!(
            "'{path}' is no GDScript file: its name must end in '.gd'."
        ))
        .requiring(Required::parameter("path"))),
    }
}

fn check_line(path: &ResPath, text: &str, line: usize) -> Result<(), Fault> {
    let lines = with_code(text);
    let has_code = lines.get(line.wrapping_sub(1));
    if has_code == Some(&true) {
        return Ok(());
    }
    let is = match has_code {
        Some(_) => format!("Line {line} of '{path}' has no code that the debugger could stop at"),
        None => format!("'{path}' has only {} lines", lines.len()),
    };
    let near = nearest(&lines, line);
    let hint = match near {
        Some(near) => format!("{is}. The nearest line with code is {near}."),
        None => format!("{is}, and no line of it has any."),
    };
    let fault = Fault::invalid(hint).requiring(Required::parameter("line"));
    Err(match near {
        Some(near) => fault.with("nearest_line", near),
        None => fault,
    })
}
