//! What an importer makes of a file beside it, in sight of the human: pictures that were in a model, and a
//! file for each language of a table of translations.
//!
//! The import file names only some of it, and not what an import before has left. So what is there is told
//! by its name, and by a mark that no human gives a file.

use std::{collections::BTreeMap, fs};

use crate::{
    files::{beside, put, read, stem},
    refresh::{self, Change},
    resource::on_disk,
    together,
};

/// The extensions of models, of which the engine takes the pictures out.
const MODELS: [&str; 5] = ["blend", "dae", "fbx", "glb", "gltf"];

/// What an importer gives the import file of a picture that it took out of a model. It goes by that itself,
/// and writes over no other picture.
const TAKEN_OUT: &str = "generator_parameters={";

/// Files that an importer has made, with what lies beside them, and their content.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct ByProducts(BTreeMap<String, Vec<u8>>);

/// Whether a file is a model.
pub(crate) fn is_model(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| MODELS.contains(&&*end.to_lowercase()))
}

impl ByProducts {
    /// What is there of a file now. What cannot be read is nobody's.
    pub(crate) fn read(path: &str) -> ByProducts {
        let mut found = ByProducts::default();
        let (is_model, is_table) = (is_model(path), path.to_lowercase().ends_with(".csv"));
        let file = on_disk(path);
        let Some((folder, name)) = path.rsplit_once('/') else { return found };
        let Some(place) = file.parent().filter(|_| is_model || is_table) else { return found };
        let before = format!("{}{}", stem(name), if is_model { "_" } else { "." });
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with(&before) {
                continue;
            }
            let made = format!("{folder}/{name}");
            if is_model {
                found.take_picture(made);
            } else if name.ends_with(".translation") {
                found.take_translation(made);
            }
        }
        found
    }

    /// A picture, if it was taken out of a model.
    fn take_picture(&mut self, path: String) {
        let import = read(&beside(&on_disk(&path), "import")).ok().flatten();
        let is_made = |import: &Vec<u8>| String::from_utf8_lossy(import).contains(TAKEN_OUT);
        let Some(import) = import.filter(is_made) else { return };
        if let Ok(Some(content)) = read(&on_disk(&path)) {
            self.0.insert(format!("{path}.import"), import);
            self.0.insert(path, content);
        }
    }

    /// A translation, if the engine has written it.
    fn take_translation(&mut self, path: String) {
        let is_made =
            |content: &Vec<u8>| [&b"RSRC"[..], b"RSCC"].iter().any(|it| content.starts_with(it));
        if let Some(content) = read(&on_disk(&path)).ok().flatten().filter(is_made) {
            self.0.insert(path, content);
        }
    }

    /// Writes what is not there as it was, and removes what of `now` was not there. What cannot be written
    /// can be made again at any time.
    pub(crate) fn put_back(&self, now: &ByProducts) {
        for path in now.0.keys().filter(|path| !self.0.contains_key(*path)) {
            if put(&on_disk(path), None).is_ok() {
                tell(path, Change::Removed);
            }
        }
        self.put(now);
    }

    /// Writes what is not there as it was.
    pub(crate) fn put(&self, now: &ByProducts) {
        let is_lost = |path: &String, content: &Vec<u8>| now.0.get(path) != Some(content);
        // All of it before the editor hears of any: it needs what lies beside a file with the file.
        let lost: Vec<_> = self.0.iter().filter(|(path, content)| is_lost(path, content)).collect();
        let written = lost.into_iter().filter(|(path, it)| put(&on_disk(path), Some(it)).is_ok());
        for (path, _) in written.collect::<Vec<_>>() {
            let is_new = !now.0.contains_key(path);
            tell(path, if is_new { Change::Made } else { Change::Written });
        }
    }
}

/// Lets the editor know of a file, which is not one that only lies beside another.
fn tell(path: &str, change: Change) {
    if !path.ends_with(".import") {
        together::read_again(path, move |path| refresh::after(path, change));
    }
}
