//! `godot_scripts_write`.

use protocol::{
    Fault, ResPath,
    tools::scripts::{ScriptWritten, WriteScript},
};

use super::{check_class, check_hash, check_script, hash, settle, text::Source};
use crate::{
    file_change::FileChange,
    files::{self, located, unreadable},
    plan::{Context, Edit, Plan},
    resource::{check_target, has_csharp_solution, is_csharp_supported},
    script_tabs,
    undo::Step,
};

impl Edit for WriteScript {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ScriptWritten>, Fault> {
        let path = self.script_path;
        check_script(&path)?;
        check_target(&path, "script_path")?;
        let file = located(&path, "script_path")?;
        let old = files::read(&file).map_err(|error| unreadable(path.as_str(), &error))?;
        check_hash(&path, old.as_deref(), self.if_hash.as_deref())?;
        check_class(&path, &self.content, "content")?;
        script_tabs::check_saved(path.as_str())?;
        let existed = old.is_some();
        // What is no text has no line ends to keep.
        let source = old.clone().and_then(|old| Source::of(&path, old).ok());
        let new = match source {
            Some(source) => source.with(&self.content),
            None => self.content.clone().into_bytes(),
        };
        let is_same = old.as_ref() == Some(&new);
        let result = ScriptWritten {
            script_path: path.to_string(),
            created: !existed,
            overwrote: existed && !is_same,
            previous_existed: existed,
            would_overwrite: existed && !is_same,
            hash: hash(&new),
            class_registered: None,
            rescan_pending: false,
            errors: None,
            hint: hint(&path),
        };
        let written = result.hash.clone();
        let label = format!("{} {path}", if existed { "Write" } else { "Create" });
        let steps =
            if is_same { Vec::new() } else { vec![Step::File(FileChange::write(&path, new))] };
        Ok(Plan::project_steps(result, label, steps).then(move |_, result| {
            settle(&path, self.content, written, move |it| ScriptWritten {
                class_registered: it.class,
                rescan_pending: it.is_pending,
                errors: it.errors,
                hint: it.hint.or(result.hint),
                ..result
            })
        }))
    }
}

/// What stands in the way of C#.
fn hint(path: &ResPath) -> Option<String> {
    if path.extension() != "cs" {
        None
    } else if !is_csharp_supported() {
        Some("This Godot was built without .NET, and does not run C#.".to_owned())
    } else if !has_csharp_solution() {
        Some("The project has no C# solution; create one in the editor first.".to_owned())
    } else {
        None
    }
}
