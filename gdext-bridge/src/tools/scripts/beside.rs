//! What compiling a script would run beside it: scripts that it names and that the editor has not
//! loaded yet are loaded then, and the static variables of those with `@tool` are initialised.

use std::collections::HashSet;

use godot::{
    classes::{FileAccess, ResourceLoader, ResourceUid},
    prelude::*,
};

use crate::{autoload, resource::global_classes};

/// How many files are looked at; what names more than these is not compiled.
const LOOKED_AT: usize = 500;

/// A `@tool` script that compiling this text would begin to run; with too many files to tell, one of
/// those that were not looked at.
pub(super) fn would_run(path: &str, text: &str) -> Option<String> {
    let classes = classes();
    let folder = path.rsplit_once('/').map_or("res://", |(folder, _)| folder);
    let mut open = named(text, folder, &classes);
    let mut seen: HashSet<String> = HashSet::from([path.to_owned()]);
    let loader = ResourceLoader::singleton();
    while let Some(file) = open.pop() {
        if !seen.insert(file.clone()) || loader.has_cached(&file) || !FileAccess::file_exists(&file)
        {
            continue;
        }
        if seen.len() > LOOKED_AT {
            return Some(file);
        }
        if file.ends_with(".gd") {
            let text = FileAccess::get_file_as_string(&file).to_string();
            if text.contains("@tool") {
                return Some(file);
            }
            let folder = file.rsplit_once('/').map_or("res://", |(folder, _)| folder);
            open.extend(named(&text, folder, &classes));
        } else {
            let needed = loader.get_dependencies(&file);
            open.extend(needed.as_slice().iter().map(|needed| dependency(&needed.to_string())));
        }
    }
    None
}

/// The scripts with names of their own, and the autoloads, by these names.
fn classes() -> Vec<(String, String)> {
    let globals = global_classes().into_iter().map(|class| (class.name, class.path));
    let autoloads = autoload::names().into_iter().filter_map(|name| {
        let path = autoload::path_of(&name)?;
        Some((name, located(&path, "res://")))
    });
    globals.chain(autoloads).collect()
}

/// The files that a script names, by path or by the name of their class.
fn named(text: &str, folder: &str, classes: &[(String, String)]) -> Vec<String> {
    let words: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let by_name = classes.iter().filter(|(name, _)| words.contains(name.as_str()));
    let by_name = by_name.map(|(_, path)| path.clone());
    by_name.chain(quoted(text).map(|path| located(path, folder))).collect()
}

/// What stands between quotes and may be a path.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '\''])
        .filter(|part| part.contains('.') || part.starts_with("uid://"))
        .filter(|part| !part.contains('\n'))
}

/// A path as it is meant in a script of that folder.
fn located(path: &str, folder: &str) -> String {
    if path.starts_with("uid://") {
        let uids = ResourceUid::singleton();
        let id = uids.text_to_id(path);
        return if uids.has_id(id) { uids.get_id_path(id).to_string() } else { String::new() };
    }
    if path.contains("://") {
        return path.to_owned();
    }
    let folder = folder.trim_end_matches('/');
    GString::from(format!("{folder}/{path}").as_str()).simplify_path().to_string()
}

/// The file of a dependency, which may be told as `uid://…::type::res://…`.
fn dependency(told: &str) -> String {
    told.rsplit("::").next().unwrap_or(told).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_what_stands_between_quotes() {
        let text = "const A = preload(\"a.gd\")\nextends 'res://b.gd'\nvar n = \"none\"";
        assert_eq!(quoted(text).collect::<Vec<_>>(), ["a.gd", "res://b.gd"]);
    }

    #[test]
    fn a_dependency_is_told_with_or_without_its_uid() {
        assert_eq!(dependency("uid://x::Script::res://a.gd"), "res://a.gd");
        assert_eq!(dependency("res://a.gd"), "res://a.gd");
    }
}
