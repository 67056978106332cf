//! `godot_scripts_list`.

use protocol::{
    Fault,
    tools::scripts::{ListScripts, ScriptLanguage, ScriptList},
};

use crate::{
    files::unreadable,
    folder::Folder,
    plan::{Context, Read},
    resource::{has_csharp_solution, is_csharp_supported},
    tools::page::{PAGE_CHARACTERS, Page},
};

impl Read for ListScripts {
    fn read(self, _: &Context) -> Result<ScriptList, Fault> {
        let folder = Folder::find(&self.directory, "directory")?;
        let extension = match self.language {
            ScriptLanguage::Gd => ".gd",
            ScriptLanguage::Cs => ".cs",
        };
        let limit = usize::try_from(self.limit.get()).unwrap_or_default();
        let mut window = Page::parse(&self.offset.to_string())?.window(PAGE_CHARACTERS);
        let mut scripts = Vec::new();
        folder
            .each_file(&mut |path| {
                if path.to_lowercase().ends_with(extension) {
                    if scripts.len() >= limit {
                        window.skip(1);
                    } else if window.admits(&path) {
                        scripts.push(path.to_owned());
                    }
                }
                true
            })
            .map_err(|error| unreadable(folder.path(), &error))?;
        let total = window.seen();
        let next = usize::try_from(self.offset).unwrap_or_default() + scripts.len();
        let next_offset = (next < total).then_some(next);
        let hint = match self.language {
            ScriptLanguage::Cs if !is_csharp_supported() => {
                Some("This Godot was built without .NET, and does not run C#.")
            }
            ScriptLanguage::Cs if !has_csharp_solution() => Some("The project has no C# solution."),
            _ => None,
        };
        Ok(ScriptList {
            directory: self.directory.into(),
            total,
            returned: scripts.len(),
            truncated: next_offset.is_some(),
            next_offset,
            scripts,
            hint: hint.map(str::to_owned),
        })
    }
}
