//! What has to be written anew when files go elsewhere: every text that names them by their paths,
//! and the settings of the project.

use godot::{
    global::{str_to_var, var_to_str},
    prelude::*,
};
use protocol::tools::project::FileReference;

use super::references::{Project, Text, mentions, relative_names};
use crate::settings;

/// The file that the settings of the project are in. It is never edited as text.
const SETTINGS: &str = "res://project.godot";

/// A file or folder that goes elsewhere.
#[derive(Clone)]
pub(super) struct Route {
    /// Where it is.
    pub(super) old: String,
    /// Where it will be.
    pub(super) new: String,
    /// Whether it is a folder, with all that is in it.
    pub(super) is_folder: bool,
    /// What the editor has made of the file beside it and goes with it, each with where it will be.
    pub(super) made: Vec<(String, String)>,
}

/// What is to be written.
#[derive(Default)]
pub(super) struct Rewrite {
    /// The texts, each with the path that its file will have.
    pub(super) texts: Vec<(String, String)>,
    /// The settings with their new values.
    pub(super) settings: Vec<(String, Variant)>,
    /// In which files how many names change.
    pub(super) references: Vec<FileReference>,
}

impl Rewrite {
    /// What the project needs for a route.
    pub(super) fn of(project: &Project, route: &Route) -> Rewrite {
        let mut rewrite = Rewrite::default();
        for text in project.texts.iter().filter(|text| text.path != SETTINGS) {
            // How a file is imported the editor writes anew itself.
            let is_own_import = text.path.strip_suffix(".import").is_some_and(|it| route.takes(it));
            let (new, count) = if is_own_import { continue } else { route.rewritten(text) };
            if count > 0 {
                let file = route.after(&text.path);
                rewrite.references.push(FileReference { file: file.clone(), count });
                rewrite.texts.push((file, new));
            }
        }
        let mut count = 0;
        for name in settings::names_below("") {
            let Some(value) = settings::value(&name) else { continue };
            let written = var_to_str(&value).to_string();
            let (new, found) = route.renamed(&written);
            if found > 0 {
                count += found;
                rewrite.settings.push((name, str_to_var(&new)));
            }
        }
        if count > 0 {
            rewrite.references.push(FileReference { file: SETTINGS.to_owned(), count });
        }
        rewrite
    }
}

impl Route {
    /// The way back.
    pub(super) fn reversed(&self) -> Route {
        Route {
            old: self.new.clone(),
            new: self.old.clone(),
            is_folder: self.is_folder,
            made: self.made.iter().map(|(old, new)| (new.clone(), old.clone())).collect(),
        }
    }

    /// All that goes elsewhere, each with where it will be.
    pub(super) fn ends(&self) -> impl Iterator<Item = (&str, &str)> {
        let made = self.made.iter().map(|(old, new)| (&**old, &**new));
        [(&*self.old, &*self.new)].into_iter().chain(made)
    }

    /// Whether a path is the file, or lies in the folder.
    pub(super) fn takes(&self, path: &str) -> bool {
        self.taken(path).is_some()
    }

    /// The path of a file when all is done.
    pub(super) fn after(&self, path: &str) -> String {
        self.taken(path).map_or(path.to_owned(), |(new, rest)| format!("{new}{rest}"))
    }

    /// Where what a path is, or lies in, will be; and the rest of the path.
    fn taken<'a>(&'a self, path: &'a str) -> Option<(&'a str, &'a str)> {
        let is_in = |rest: &str| rest.is_empty() || (self.is_folder && rest.starts_with('/'));
        self.ends().find_map(|(old, new)| {
            let rest = path.strip_prefix(old).filter(|rest| is_in(rest))?;
            Some((new, rest))
        })
    }

    /// A text in which the names are right afterwards, and how many have changed.
    fn rewritten(&self, text: &Text) -> (String, usize) {
        let place = self.after(&text.path);
        let (mut new, mut done, mut count) = (String::new(), 0, 0);
        for name in relative_names(text) {
            let meant_then = self.after(&name.path);
            let is_there = crate::resource::on_disk(&name.path).exists();
            if !is_there || name.means_at(&place, &text.text).as_ref() == Some(&meant_then) {
                continue;
            }
            new.push_str(text.text.get(done..name.place.start).unwrap_or_default());
            new.push_str(&name.naming(&place, &meant_then));
            done = name.place.end;
            count += 1;
        }
        new.push_str(text.text.get(done..).unwrap_or_default());
        // No new path begins with the old one, so what was relative is not changed once more.
        let (new, renamed) = self.renamed(&new);
        (new, count + renamed)
    }

    /// A text with the new paths for the old ones, and how often.
    pub(super) fn renamed(&self, text: &str) -> (String, usize) {
        let mut places = Vec::new();
        for (old, new) in self.ends() {
            places.extend(mentions(text, old).into_iter().map(|at| (at, old, new)));
            if self.is_folder {
                let inner = format!("{old}/");
                places.extend(text.match_indices(&inner).map(|(at, _)| (at, old, new)));
            }
        }
        places.sort_unstable();
        places.dedup();
        let (mut renamed, mut done) = (String::new(), 0);
        for (at, old, new) in &places {
            renamed.push_str(text.get(done..*at).unwrap_or_default());
            renamed.push_str(new);
            done = at + old.len();
        }
        renamed.push_str(text.get(done..).unwrap_or_default());
        (renamed, places.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(old: &str, new: &str, is_folder: bool) -> Route {
        Route { old: old.to_owned(), new: new.to_owned(), is_folder, made: Vec::new() }
    }

    #[test]
    fn a_file_takes_its_names_along() {
        let text = "preload(\"res://a/b.gd\") *res://a/b.gd res://a/b.gd.uid res://a/b.gdshader";
        let file = route("res://a/b.gd", "res://c.gd", false);
        let expected = "preload(\"res://c.gd\") *res://c.gd res://a/b.gd.uid res://a/b.gdshader";
        assert_eq!(file.renamed(text), (expected.to_owned(), 2));
        assert_eq!(file.after("res://a/b.gd"), "res://c.gd");
        assert_eq!(file.after("res://a/b.gd2"), "res://a/b.gd2");
    }

    #[test]
    fn what_was_made_of_a_file_goes_with_it() {
        let made = ("res://f.en.translation".to_owned(), "res://t/g.en.translation".to_owned());
        let table = Route { made: vec![made], ..route("res://f.csv", "res://t/g.csv", false) };
        let text = "[\"res://f.en.translation\", \"res://f.csv\"]";
        let expected = "[\"res://t/g.en.translation\", \"res://t/g.csv\"]";
        assert_eq!(table.renamed(text), (expected.to_owned(), 2));
        assert_eq!(table.reversed().renamed(expected), (text.to_owned(), 2));
        assert_eq!(table.after("res://f.en.translation"), "res://t/g.en.translation");
    }

    #[test]
    fn a_folder_takes_along_all_that_is_in_it() {
        let text = "res://a/b.gd res://ab/c.gd 'res://a' res://x/a/d";
        let folder = route("res://a", "res://x/a", true);
        let expected = "res://x/a/b.gd res://ab/c.gd 'res://x/a' res://x/a/d";
        assert_eq!(folder.renamed(text), (expected.to_owned(), 2));
        assert_eq!(folder.after("res://a/b/c.gd"), "res://x/a/b/c.gd");
        assert_eq!(folder.after("res://ab"), "res://ab");
    }
}
