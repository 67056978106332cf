//! Checks C# with `dotnet build`, where the .NET SDK is installed.

use std::process::Command;

use protocol::{
    ErrorCode, Fault, Required, ResPath,
    tools::scripts::{Diagnostic, ParseErrors},
};

use super::get_parse_errors::told;
use crate::{
    plan::{Context, Progress},
    resource::{has_csharp_solution, on_disk},
};

/// Builds the project, and tells what the compiler says of it.
pub(super) fn build(context: &Context, path: ResPath) -> Result<Progress<ParseErrors>, Fault> {
    let project = on_disk("res://");
    let mut command = Command::new("dotnet");
    command.args(["build", "--nologo", "-verbosity:quiet", "-consoleLoggerParameters:NoSummary"]);
    command.current_dir(&project);
    let has_solution = has_csharp_solution();
    // The SDK takes its time also to say that it is there.
    let answer = context.background.run_blocking(move || {
        Command::new("dotnet").arg("--version").output().map_err(|_| no_sdk())?;
        if !has_solution {
            return Err(no_solution());
        }
        command
            .output()
            .map_err(|error| Fault::internal(format!("`dotnet build` could not be run: {error}.")))
    });
    Ok(Progress::Waiting(Box::new(move |_| {
        let output = answer.look()?.flatten();
        Some(output.map(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.dedup();
            let folder = project.to_string_lossy();
            let found = lines.into_iter().filter_map(|line| diagnostic(&folder, line));
            let nothing = ParseErrors {
                script_path: path.to_string(),
                ok: true,
                errors: Vec::new(),
                warnings: Vec::new(),
                method: "dotnet_build".to_owned(),
                rescan_pending: false,
                truncated: false,
                hint: None,
            };
            let answer = told(nothing, found);
            ParseErrors { ok: answer.ok && output.status.success(), ..answer }
        }))
    })))
}

fn no_sdk() -> Fault {
    Fault::unsupported(
        "C# is checked with `dotnet build`, and no .NET SDK is installed here. Read the script instead.",
    )
    .requiring(Required::DOTNET)
}

fn no_solution() -> Fault {
    Fault::new(
        ErrorCode::PreconditionFailed,
        "The project has no C# solution or project file, so there is nothing to build. Create one in \
         the editor: Project, Tools, C#, Create C# solution.",
    )
}

/// One line of the compiler: `/game/A.cs(3,7): error CS1002: ; expected [/game/Game.csproj]`.
fn diagnostic(project: &str, line: &str) -> Option<(bool, Diagnostic)> {
    let (place, rest) = line.trim().split_once("): ")?;
    let (kind, rest) = rest.split_once(' ')?;
    let (code, message) = rest.split_once(": ")?;
    let (file, place) = place.rsplit_once('(')?;
    let (row, column) = place.split_once(',').unwrap_or((place, ""));
    if !["error", "warning"].contains(&kind) {
        return None;
    }
    let message = message.rsplit_once(" [").map_or(message, |(message, _)| message);
    let file = file.replace('\\', "/");
    let relative = file.strip_prefix(project.trim_end_matches('/'));
    let source = match relative {
        Some(relative) => format!("res://{}", relative.trim_start_matches('/')),
        None => file.clone(),
    };
    let found = Diagnostic {
        message: message.to_owned(),
        source: Some(source),
        line: row.parse().ok(),
        column: column.split(',').next().and_then(|column| column.parse().ok()),
        code: Some(code.to_owned()),
    };
    Some((kind == "error", found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_prints_is_read() {
        let line = "/game/a/B.cs(3,7): error CS1002: ; expected: here [/game/Game.csproj]";
        let (is_error, found) = diagnostic("/game/", line).unwrap();
        assert!(is_error);
        assert_eq!(found.source.as_deref(), Some("res://a/B.cs"));
        assert_eq!((found.line, found.column), (Some(3), Some(7)));
        assert_eq!(
            (found.code.as_deref(), found.message.as_str()),
            (Some("CS1002"), "; expected: here")
        );
        assert!(diagnostic("/game", "Build succeeded.").is_none());
    }
}
