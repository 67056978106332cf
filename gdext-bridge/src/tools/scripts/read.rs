//! `godot_scripts_read`.

use protocol::{
    Fault,
    tools::scripts::{ReadScript, ScriptText},
};

use super::{
    check_script, hash,
    text::{Source, lines},
};
use crate::{
    files::content,
    plan::{Context, Read},
    script_tabs,
};

impl Read for ReadScript {
    fn read(self, _: &Context) -> Result<ScriptText, Fault> {
        let path = self.script_path;
        check_script(&path)?;
        let content = content(&path, "script_path")?;
        let hash = hash(&content);
        let source = Source::of(&path, content)?;
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let limit = usize::try_from(self.limit.get()).unwrap_or(usize::MAX);
        let page = lines(path.as_str(), &source.plain(), offset, limit)?;
        Ok(ScriptText {
            content: page.content,
            hash,
            total_lines: page.total,
            returned: page.returned,
            truncated: page.next.is_some(),
            next_offset: page.next,
            line_ends: source.ends().name().to_owned(),
            bom: source.bom,
            unsaved_in_editor: script_tabs::has_unsaved_text(path.as_str()),
            script_path: path.into(),
        })
    }
}
