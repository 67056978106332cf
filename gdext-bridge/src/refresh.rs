//! What the editor holds of a file, made new after the file has changed: its list of files and
//! classes, the resource that is loaded from it, and the tab that shows it.
//!
//! Without that, the editor would go on with the old script, and write the old text over the new one
//! when it saves all, as it does before it runs the game.

use std::cell::RefCell;

use godot::{
    classes::{EditorInterface, Resource, ResourceLoader, Script},
    prelude::*,
};

use crate::{
    files::{beside, read},
    resource::on_disk,
    resource_file, script_tabs,
};

/// What became of a file, by its path.
pub(crate) enum Change<'a> {
    /// There was none before.
    Made(&'a str),
    /// It has other content.
    Written(&'a str),
    /// There is none any more.
    Removed(&'a str),
}

/// Lets the editor know of it.
pub(crate) fn after(change: Change<'_>) {
    match change {
        Change::Removed(path) => {
            if let Some(mut dock) = EditorInterface::singleton().get_file_system_dock() {
                // As when the human deletes it there: who shows the file closes its tab.
                dock.emit_signal("file_removed", vslice![path]);
            }
            update(path);
        }
        Change::Made(path) => {
            update(path);
            import(path);
            load_again(path);
        }
        Change::Written(path) => {
            update(path);
            import(path);
            load_again(path);
        }
    }
}

thread_local! {
    /// Files that changed while the editor looked at the files of the project, and did not listen.
    static MISSED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Tells the editor's list of files, and by it the list of classes.
pub(crate) fn update(path: &str) {
    let Some(mut files) = EditorInterface::singleton().get_resource_filesystem() else { return };
    if files.is_scanning() {
        // The scan may have passed the file already, and ignores what it is told meanwhile.
        return MISSED.with_borrow_mut(|missed| missed.push(path.to_owned()));
    }
    let folder = path.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
    if folder != "res:/" && on_disk(path).exists() && files.get_filesystem_path(folder).is_none() {
        // The editor takes no file in a folder that it does not know, and only a scan finds folders.
        return files.scan();
    }
    files.update_file(path);
}

/// Whether the editor is looking at the files of the project.
pub(crate) fn is_scanning() -> bool {
    let files = EditorInterface::singleton().get_resource_filesystem();
    files.is_some_and(|files| files.is_scanning())
}

/// Tells the editor what it missed during a scan. Called in every frame.
pub(crate) fn catch_up() {
    let is_missing = MISSED.with_borrow(|missed| !missed.is_empty());
    if is_missing && !is_scanning() {
        MISSED.take().iter().for_each(|path| update(path));
    }
}

/// Imports a file that is not read as it is.
fn import(path: &str) {
    if beside(&on_disk(path), "import").exists()
        && let Some(mut files) = EditorInterface::singleton().get_resource_filesystem()
    {
        files.reimport_files(&PackedStringArray::from([GString::from(path)]));
    }
}

/// Gives what is loaded from the file the file's content, for all that use it.
fn load_again(path: &str) {
    let Some(loaded) = loaded(path) else { return };
    let Ok(mut script) = loaded.try_cast::<Script>() else {
        return resource_file::load_again(path);
    };
    let content = read(&on_disk(path)).ok().flatten().unwrap_or_default();
    let text = String::from_utf8_lossy(&content).trim_start_matches('\u{feff}').to_owned();
    script.set_source_code(&text);
    script.reload_ex().keep_state(true).done();
    script_tabs::show(path, &text);
}

/// What is loaded from a file, if something is.
pub(crate) fn loaded(path: &str) -> Option<Gd<Resource>> {
    let loader = ResourceLoader::singleton();
    if loader.has_cached(path) { loader.get_cached_ref(path) } else { None }
}
