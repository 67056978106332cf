//! Who names a file of the project: by its path, by its UID, and in scripts and shaders also by a path
//! that is relative to them, or to the top of the project.

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

/// How a script names another by less than a whole path, and from where.
const SCRIPT: &[(&str, Start)] =
    &[("preload(", Start::Own), ("extends ", Start::Own), ("load(", Start::Top)];

/// How a shader does.
const SHADER: &[(&str, Start)] = &[("#include", Start::Own)];

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

    /// Who names a script, by its path, its UID or the name of its class.
    pub(super) fn dependents_of_class(
        &self,
        path: &str,
        uid: Option<&str>,
        class: &str,
    ) -> Vec<FileReference> {
        let mut dependents = self.dependents(path, uid);
        let scripts = self.texts.iter().filter(|it| it.path.ends_with(".gd") && it.path != path);
        for Text { path, text } in scripts {
            let count = words_in_code(text, class);
            match dependents.iter_mut().find(|known| known.file == *path) {
                Some(known) => known.count += count,
                None if count > 0 => dependents.push(FileReference { file: path.clone(), count }),
                None => {}
            }
        }
        dependents
    }

    /// Who names a file, by its path or its UID.
    pub(super) fn dependents(&self, path: &str, uid: Option<&str>) -> Vec<FileReference> {
        let own =
            |file: &str| file.strip_prefix(path).is_some_and(|rest| matches!(rest, "" | ".import"));
        let in_texts = self.texts.iter().filter(|text| !own(&text.path)).filter_map(|text| {
            let by_path = mentions(&text.text, path).len() + relatives(text, path);
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

/// How often the code of a script has a word: not in its comments, and not in its texts.
fn words_in_code(text: &str, word: &str) -> usize {
    let (mut code, mut quote, mut is_comment, mut is_escaped) = (String::new(), None, false, false);
    for c in text.chars() {
        if is_comment {
            is_comment = c != '\n';
        } else if let Some(end) = quote {
            if !is_escaped && c == end {
                quote = None;
            }
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        match c {
            '"' | '\'' if !is_comment => {
                quote = Some(c);
                code.push(' ');
            }
            '#' => is_comment = true,
            _ if !is_comment => code.push(c),
            _ => {}
        }
    }
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| *it == word).count()
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

/// How often a script or a shader names `path` by less than the whole.
fn relatives(text: &Text, path: &str) -> usize {
    relative_names(text).iter().filter(|name| name.path == path).count()
}

/// A name in a text that is no whole path.
#[derive(Debug)]
pub(super) struct Name {
    /// Its place, without the quotes.
    pub(super) place: Range<usize>,
    /// The path that it means.
    pub(super) path: String,
    /// The folder that it starts from.
    start: Start,
}

/// What a name that is no whole path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The folder of the text.
    Own,
    /// The top of the project: what is loaded while the game runs.
    Top,
}

impl Start {
    fn folder(self, path: &str) -> &str {
        match (self, path.rsplit_once('/')) {
            (Start::Own, Some((folder, _))) if folder != "res:/" => folder,
            _ => "res://",
        }
    }
}

impl Name {
    /// What the same name means in a text that lies at `path`.
    pub(super) fn means_at(&self, path: &str, text: &str) -> Option<String> {
        let name = text.get(self.place.clone())?;
        ResPath::try_from(below(self.start.folder(path), name)).map(String::from).ok()
    }
}

/// Every name in a script or a shader that is no whole path.
pub(super) fn relative_names(text: &Text) -> Vec<Name> {
    let words = match text.path.rsplit('.').next() {
        Some("gd") => SCRIPT,
        Some("gdshader" | "gdshaderinc") => SHADER,
        _ => return Vec::new(),
    };
    let named = |at: usize, start: Start| {
        let rest = text.text.get(at..)?;
        let rest_from_quote = rest.trim_start_matches([' ', '\t']);
        let quote = rest_from_quote.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let first = at + rest.len() - rest_from_quote.len() + 1;
        let length = text.text.get(first..)?.find([quote, '\n'])?;
        let place = first..first + length;
        let name = text.text.get(place.clone())?;
        if name.is_empty() || name.contains(":/") || name.contains('\\') {
            return None;
        }
        let path = ResPath::try_from(below(start.folder(&text.path), name)).ok()?;
        Some(Name { place, path: path.to_string(), start })
    };
    let is_whole_word = |at: &usize| {
        let before = text.text.get(..*at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    };
    let places = words.iter().flat_map(|(word, start)| {
        let places = text.text.match_indices(word).map(|(at, _)| at).filter(is_whole_word);
        places.map(move |at| (at + word.len(), *start))
    });
    let mut names: Vec<_> = places.filter_map(|(at, start)| named(at, start)).collect();
    names.sort_by_key(|name| name.place.start);
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
    fn classes_are_used_in_code() {
        let text = "extends Base # Base\nvar a: Base = Base.new() # isn't\nvar b := \"Base\\\"Base\"\nvar c: BaseThing\n";
        assert_eq!(words_in_code(text, "Base"), 3);
    }

    fn found(path: &str, text: &str) -> Vec<(String, String)> {
        let text = Text { path: path.to_owned(), text: text.to_owned() };
        let names = relative_names(&text).into_iter();
        names.map(|name| (text.text[name.place.clone()].to_owned(), name.path)).collect()
    }

    #[test]
    fn scripts_name_others_relative_to_themselves_or_to_the_top() {
        let text = "extends \"../base.gd\"\nconst A = preload( 'b.gd')\nvar c = load(\"d.gd\")\nconst R = preload(\"res://x.gd\")\nvar e = my_load(\"e.gd\")\nvar f = ResourceLoader.load(\"s/f.gd\")\n";
        let expected = [
            ("../base.gd", "res://s/base.gd"),
            ("b.gd", "res://s/t/b.gd"),
            ("d.gd", "res://d.gd"),
            ("s/f.gd", "res://s/f.gd"),
        ];
        let expected = expected.map(|(name, path)| (name.to_owned(), path.to_owned()));
        assert_eq!(found("res://s/t/a.gd", text), expected);
    }

    #[test]
    fn shaders_include_others_relative_to_themselves() {
        let text = "shader_type spatial;\n#include \"../lib/a.gdshaderinc\"\n#include\"res://b.gdshaderinc\"\n";
        let expected = ("../lib/a.gdshaderinc".to_owned(), "res://lib/a.gdshaderinc".to_owned());
        assert_eq!(found("res://s/a.gdshader", text), [expected]);
    }
}
