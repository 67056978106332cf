//! `godot_scripts_patch`.

use protocol::{
    Fault, Required, ResPath,
    tools::scripts::{PatchScript, ScriptPatched},
};

use super::{check_class, check_hash, check_script, hash, settle, text::Source};
use crate::{
    file_change::FileChange,
    files::content,
    plan::{Context, Edit, Plan},
    resource::check_target,
    script_tabs,
    undo::Step,
};

/// Of how many places the line is told.
const LINES: usize = 100;

impl Edit for PatchScript {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ScriptPatched>, Fault> {
        let path = self.script_path;
        check_script(&path)?;
        if self.find.is_empty() {
            return Err(Fault::invalid("'find' is empty; give the text that is to be replaced.")
                .requiring(Required::parameter("find")));
        }
        check_target(&path, "script_path")?;
        let old = content(&path, "script_path")?;
        check_hash(&path, Some(&old), self.if_hash.as_deref())?;
        script_tabs::check_saved(path.as_str())?;
        let source = Source::of(&path, old.clone())?;
        let patched = source.patched(&self.find, &self.replace);
        if patched.lines.is_empty() {
            return Err(not_found(&path, &source.plain(), &self.find));
        }
        let new = patched.content;
        let is_same = new == old;
        let text = String::from_utf8_lossy(&new).trim_start_matches('\u{feff}').to_owned();
        check_class(&path, &text, "replace")?;
        let result = ScriptPatched {
            script_path: path.to_string(),
            replacements: patched.lines.len(),
            patched: !is_same,
            lines: patched.lines.into_iter().take(LINES).collect(),
            hash: hash(&new),
            class_registered: None,
            rescan_pending: false,
            errors: None,
            hint: None,
        };
        let written = result.hash.clone();
        let steps =
            if is_same { Vec::new() } else { vec![Step::File(FileChange::write(&path, new))] };
        Ok(Plan::project_steps(result, format!("Patch {path}"), steps).then(move |_, result| {
            settle(&path, text, written, move |it| ScriptPatched {
                class_registered: it.class,
                rescan_pending: it.is_pending,
                errors: it.errors,
                hint: it.hint,
                ..result
            })
        }))
    }
}

/// The text is not there; or it is, but for its white space, which agents often get wrong.
fn not_found(path: &ResPath, text: &str, find: &str) -> Fault {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let find = squeeze(find);
    let why = if !find.is_empty() && squeeze(text).contains(&find) {
        "it is there with other white space. Tabs, spaces and line ends must be as in the file"
    } else {
        "read it with godot_scripts_read and give the text exactly as it is there"
    };
    Fault::invalid(format!("'find' does not occur in '{path}': {why}. Nothing was changed."))
        .requiring(Required::parameter("find"))
}
