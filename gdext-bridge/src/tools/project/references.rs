//! Who names a file of the project, and what a file names: by its path, by its UID, by a path that is
//! relative to the one who names it, or to the top of the project, and scripts by their class.

use std::{collections::HashSet, fs, ops::Range};

use protocol::{Fault, ResPath, tools::project::FileReference};

use crate::{
    files::unreadable,
    folder::{Folder, below},
    resource::{dependencies, global_classes, on_disk, resolved_uid},
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

/// How a scene or a resource does, if it was written by hand.
const RESOURCE: &[(&str, Start)] = &[("path=", Start::Own)];

/// In which lines a scene or a resource names files.
const EXTERNAL: &str = "[ext_resource ";

/// How a plugin does.
const PLUGIN: &[(&str, Start)] = &[("script=", Start::Below)];

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

/// What a file names that is loaded for its sake, each as it is written and with the path that it
/// means.
pub(in crate::tools) fn needs(path: &str) -> Vec<(String, String)> {
    let mut needs = dependencies(path);
    let kind = path.rsplit('.').next().unwrap_or_default();
    let comment = match kind {
        "gd" => "#",
        "gdshader" | "gdshaderinc" => "//",
        _ => return needs,
    };
    let Ok(text) = fs::read_to_string(on_disk(path)) else { return needs };
    let text = Text { path: path.to_owned(), text };
    for Name { place, path, .. } in names(&text) {
        if !is_in_comment(&text.text, place.start, comment) {
            needs.push((text.text.get(place).unwrap_or_default().to_owned(), path));
        }
    }
    if kind == "gd" {
        let code = code(&text.text);
        let words: HashSet<&str> = words(&code).collect();
        let classes = global_classes().into_iter().filter(|it| words.contains(it.name.as_str()));
        needs.extend(classes.map(|class| (class.name, class.path)));
    }
    let mut seen = HashSet::from([path.to_owned()]);
    needs.retain(|(_, path)| seen.insert(path.clone()));
    needs
}

/// Whether a place in a text is in what a line has after such a mark that is not in quotes.
fn is_in_comment(text: &str, place: usize, mark: &str) -> bool {
    let line = text.get(..place).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let mut quote = None;
    line.char_indices().any(|(at, c)| match quote {
        Some(end) => {
            quote = quote.filter(|_| c != end);
            false
        }
        None => {
            quote = Some(c).filter(|c| matches!(c, '"' | '\''));
            line.get(at..).is_some_and(|rest| rest.starts_with(mark))
        }
    })
}

/// How often the code of a script has a word.
fn words_in_code(text: &str, word: &str) -> usize {
    words(&code(text)).filter(|it| *it == word).count()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// A script without its comments and its texts.
fn code(text: &str) -> String {
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
    code
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

/// The UIDs that a text names, each with the path that is in the same line.
pub(super) fn named_uids(text: &str) -> impl Iterator<Item = (&str, &str)> {
    fn named<'a>(line: &'a str, attribute: &str) -> Option<&'a str> {
        let (_, rest) = line.split_once(attribute)?;
        rest.split_once('"').map(|(value, _)| value)
    }
    text.lines().filter_map(|line| Some((named(line, " uid=\"")?, named(line, " path=\"")?)))
}

/// How often a text names `path` by less than the whole.
fn relatives(text: &Text, path: &str) -> usize {
    relative_names(text).iter().filter(|name| name.path == path).count()
}

/// A name of a file in a text.
#[derive(Debug)]
pub(super) struct Name {
    /// Its place, without the quotes.
    pub(super) place: Range<usize>,
    /// The path that it means.
    pub(super) path: String,
    /// The folder that it starts from; `None` for a whole path or a UID.
    start: Option<Start>,
}

/// What a name that is no whole path starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The folder of the text.
    Own,
    /// The top of the project: what is loaded while the game runs.
    Top,
    /// The folder of the text, in which a whole path would be looked for as well.
    Below,
}

impl Start {
    fn folder(self, path: &str) -> &str {
        match (self, path.rsplit_once('/')) {
            (Start::Own | Start::Below, Some((folder, _))) if folder != "res:/" => folder,
            _ => "res://",
        }
    }
}

impl Name {
    /// What the same name means in a text that lies at `path`.
    pub(super) fn means_at(&self, path: &str, text: &str) -> Option<String> {
        let name = text.get(self.place.clone())?;
        ResPath::try_from(below(self.start?.folder(path), name)).map(String::from).ok()
    }

    /// How a text that lies at `path` names a file by it.
    pub(super) fn naming(&self, path: &str, file: &str) -> String {
        match self.start {
            Some(Start::Below) => relative(Start::Below.folder(path), file),
            _ => file.to_owned(),
        }
    }
}

/// The way from a folder to a file.
fn relative(folder: &str, file: &str) -> String {
    let parts = |path: &str| -> Vec<String> {
        let path = path.trim_start_matches("res://");
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (folder, file) = (parts(folder), parts(file));
    let shared = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    let up = folder.iter().skip(shared).map(|_| "..".to_owned());
    up.chain(file.into_iter().skip(shared)).collect::<Vec<_>>().join("/")
}

/// Every name in a text that is no whole path, where it may be such a one.
pub(super) fn relative_names(text: &Text) -> Vec<Name> {
    names(text).into_iter().filter(|name| name.start.is_some()).collect()
}

/// Every name in a text that may be no whole path.
fn names(text: &Text) -> Vec<Name> {
    let words = match text.path.rsplit('.').next() {
        Some("gd") => SCRIPT,
        Some("gdshader" | "gdshaderinc") => SHADER,
        Some("tscn" | "tres") => RESOURCE,
        Some("cfg") if text.path.ends_with("/plugin.cfg") => PLUGIN,
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
        if name.is_empty() || name.contains('\\') {
            return None;
        }
        if name.contains(":/") {
            let path =
                if name.starts_with("uid://") { resolved_uid(name)? } else { name.to_owned() };
            return path.starts_with("res://").then_some(Name { place, path, start: None });
        }
        let path = ResPath::try_from(below(start.folder(&text.path), name)).ok()?;
        Some(Name { place, path: path.to_string(), start: Some(start) })
    };
    let is_whole_word = |at: &usize| {
        let before = text.text.get(..*at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && (words != RESOURCE || line.starts_with(EXTERNAL))
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
    fn uids_are_named_with_paths() {
        let line =
            "[ext_resource type=\"TileSet\" uid=\"uid://abc\" path=\"res://t.tres\" id=\"1\"]";
        let text = format!("[gd_scene uid=\"uid://own\"]\n\n{line}\npath=\"res://x\"\n");
        assert_eq!(named_uids(&text).collect::<Vec<_>>(), [("uid://abc", "res://t.tres")]);
    }

    #[test]
    fn classes_are_used_in_code() {
        let text = "extends Base # Base\nvar a: Base = Base.new() # isn't\nvar b := \"Base\\\"Base\"\nvar c: BaseThing\n";
        assert_eq!(words_in_code(text, "Base"), 3);
    }

    #[test]
    fn the_way_from_a_folder_to_a_file() {
        for (folder, file, way) in [
            ("res://a/b", "res://a/b/c.gd", "c.gd"),
            ("res://a/b", "res://a/c/d.gd", "../c/d.gd"),
            ("res://", "res://d.gd", "d.gd"),
            ("res://a", "res://d.gd", "../d.gd"),
        ] {
            assert_eq!(relative(folder, file), way);
        }
    }

    #[test]
    fn what_is_in_comments_is_not_needed() {
        let at = |text: &str| is_in_comment(text, text.find('@').unwrap(), "#");
        assert!(at("a\n# b @") && at("var a = '#' # @"));
        assert!(!at("# a\n@") && !at("var a = \"#\" + @"));
    }

    #[test]
    fn scenes_and_plugins_name_files_beside_them() {
        let text = "[ext_resource type=\"Script\" path=\"b.gd\" id=\"1\"]\n[ext_resource path=\"res://c.gd\" id=\"2\"]\n\n[node name=\"A\" type=\"Path\"]\npath=\"d.gd\"\n";
        let expected = ("b.gd".to_owned(), "res://s/b.gd".to_owned());
        assert_eq!(found("res://s/a.tscn", text), [expected]);
        let expected = ("p.gd".to_owned(), "res://addons/x/p.gd".to_owned());
        let text = "[plugin]\nname=\"X\"\nscript=\"p.gd\"\n";
        assert_eq!(found("res://addons/x/plugin.cfg", text), [expected]);
        assert!(found("res://addons/x/other.cfg", text).is_empty());
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
