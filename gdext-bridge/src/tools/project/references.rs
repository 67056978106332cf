//! Who names a file of the project: by its path, by its UID, and in scripts also by a path that is
//! relative to the script.

use std::{fs, ops::Range};

use protocol::{Fault, ResPath, tools::project::FileReference};

use crate::{
    files::unreadable,
    folder::{Folder, below},
    resource::{dependencies, on_disk},
};

/// Files in which paths are written down as text.
const TEXTS: [&str; 11] = [
    "tscn",
    "tres",
    "gd",
    "cs",
    "gdshader",
    "gdshaderinc",
    "cfg",
    "json",
    "godot",
    "gdextension",
    "import",
];

/// Files in which they are not, and that the engine is asked about.
const BINARIES: [&str; 2] = ["scn", "res"];

/// How a script names another by a path that is relative to itself.
const RELATIVE: [&str; 2] = ["preload(", "extends "];

/// A text file of the project.
pub(super) struct Text {
    /// Its path.
    pub(super) path: String,
    /// What is in it.
    pub(super) text: String,
}

/// The text files of the project that may name others, and the files that are not text.
pub(super) struct Project {
    /// The text files.
    pub(super) texts: Vec<Text>,
    /// The paths of the others.
    pub(super) binaries: Vec<String>,
}

impl Project {
    /// All of them.
    pub(super) fn read() -> Result<Project, Fault> {
        let top = ResPath::try_from("res://".to_owned()).map_err(Fault::internal)?;
        let mut project = Project { texts: Vec::new(), binaries: Vec::new() };
        Folder::find(&top, "path")?
            .each_file(&mut |path| {
                let end = path.rsplit('.').next().unwrap_or_default().to_lowercase();
                if TEXTS.contains(&&*end) {
                    let text = fs::read_to_string(on_disk(path)).ok();
                    let path = path.to_owned();
                    project.texts.extend(text.map(|text| Text { path, text }));
                } else if BINARIES.contains(&&*end) {
                    project.binaries.push(path.to_owned());
                }
                true
            })
            .map_err(|error| unreadable("res://", &error))?;
        Ok(project)
    }

    /// Who names a file, by its path or its UID.
    pub(super) fn dependents(&self, path: &str, uid: Option<&str>) -> Vec<FileReference> {
        let own =
            |file: &str| file.strip_prefix(path).is_some_and(|rest| matches!(rest, "" | ".import"));
        let in_texts = self.texts.iter().filter(|text| !own(&text.path)).filter_map(|text| {
            let by_path = mentions(&text.text, path).len() + relatives(text, path).len();
            // Who knows the UID mostly has the path beside it.
            let by_uid = || uid.map_or(0, |uid| mentions(&text.text, uid).len());
            let count = if by_path > 0 { by_path } else { by_uid() };
            (count > 0).then(|| FileReference { file: text.path.clone(), count })
        });
        let in_others = self.binaries.iter().filter(|file| *file != path).filter_map(|file| {
            let count = dependencies(file).iter().filter(|(_, it)| it == path).count();
            (count > 0).then(|| FileReference { file: file.clone(), count })
        });
        in_texts.chain(in_others).collect()
    }
}

/// Where a text names a path or a UID: not where that is only the beginning of a longer one.
pub(super) fn mentions(text: &str, name: &str) -> Vec<usize> {
    let is_whole = |at: &usize| {
        let rest = text.get(at + name.len()..).unwrap_or_default();
        let mut rest = rest.chars();
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        match rest.next() {
            Some('.' | '/') => !rest.next().is_some_and(goes_on),
            next => !next.is_some_and(goes_on),
        }
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_whole).collect()
}

/// Where a script names `path` relative to itself: the places of the names, without their quotes.
fn relatives(text: &Text, path: &str) -> Vec<Range<usize>> {
    let all = relative_names(text).into_iter();
    all.filter(|(_, named)| named == path).map(|(place, _)| place).collect()
}

/// Every name in a script that is relative to it: its place, without the quotes, and the path that it
/// means.
pub(super) fn relative_names(text: &Text) -> Vec<(Range<usize>, String)> {
    if !text.path.ends_with(".gd") {
        return Vec::new();
    }
    let folder = text.path.rsplit_once('/').map_or("res://", |(folder, _)| folder);
    let folder = if folder == "res:/" { "res://" } else { folder };
    let named = |at: usize| {
        let rest = text.text.get(at..)?;
        let rest_from_quote = rest.trim_start_matches([' ', '\t']);
        let quote = rest_from_quote.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let start = at + rest.len() - rest_from_quote.len() + 1;
        let length = text.text.get(start..)?.find([quote, '\n'])?;
        let name = text.text.get(start..start + length)?;
        if name.is_empty() || name.contains(":/") || name.contains('\\') {
            return None;
        }
        let path = ResPath::try_from(below(folder, name)).ok()?;
        Some((start..start + length, path.to_string()))
    };
    let places = RELATIVE
        .iter()
        .flat_map(|word| text.text.match_indices(word).map(move |(at, _)| at + word.len()));
    let mut names: Vec<_> = places.filter_map(named).collect();
    names.sort_by_key(|(place, _)| place.start);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_count() {
        let count = |text: &str| mentions(text, "res://a/b.gd").len();
        for text in
            ["\"res://a/b.gd\"", "res://a/b.gd::Inner", "*res://a/b.gd", "See res://a/b.gd."]
        {
            assert_eq!(count(text), 1, "{text}");
        }
        for text in ["res://a/b.gdshader", "res://a/b.gd.uid", "res://a/b", "res://x/a/b.gd2"] {
            assert_eq!(count(text), 0, "{text}");
        }
        assert_eq!(mentions("res://a/b.gd res://a/c res://ab", "res://a").len(), 0);
    }

    #[test]
    fn scripts_name_others_relative_to_themselves() {
        let text = "extends \"../base.gd\"\nconst A = preload( 'b.gd')\nvar c = load(\"d.gd\")\nconst R = preload(\"res://x.gd\")\n";
        let text = Text { path: "res://s/t/a.gd".to_owned(), text: text.to_owned() };
        let names = relative_names(&text);
        let found: Vec<_> =
            names.iter().map(|(place, path)| (&text.text[place.clone()], path.as_str())).collect();
        assert_eq!(found, [("../base.gd", "res://s/base.gd"), ("b.gd", "res://s/t/b.gd")]);
    }
}
