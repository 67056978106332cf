//! What the editor holds of a file, made new after the file has changed: its list of files and
//! classes, the resource that is loaded from it, and the tab that shows it.
//!
//! Without that, the editor would go on with the old script, and write the old text over the new one
//! when it saves all, as it does before it runs the game.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    path::Path,
    time::{Duration, Instant},
};

use godot::{
    classes::{EditorFileSystem, EditorInterface, Resource, ResourceLoader, ResourceUid, Script},
    prelude::*,
};

use crate::{
    by_products::is_model,
    files::{beside, read},
    history,
    plan::Progress,
    resource::{NO_UID, on_disk},
    resource_reload,
    scene::{self, Scene},
    scene_save, scene_users, script_tabs, shader_tabs,
    tabs::{Hidden, Tabs},
    text_tabs, together,
    undo::kept,
};

/// What became of a file.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// There was none before.
    Made,
    /// It has other content.
    Written,
    /// There is none any more.
    Removed,
}

/// Lets the editor know of it.
pub(crate) fn after(path: &str, change: Change) {
    IMPORTED.with_borrow_mut(|known| known.retain(|it| it != path));
    match change {
        Change::Removed => {
            if let Some(mut dock) = EditorInterface::singleton().get_file_system_dock() {
                // As when the human deletes it there: who shows the file closes its tab.
                dock.emit_signal("file_removed", vslice![path]);
            }
            text_tabs::close(path);
            update(path);
        }
        Change::Made => {
            update(path);
            import(path);
            load_again(path);
        }
        Change::Written => {
            update(path);
            import(path);
            load_again(path);
            if crate::tabs::is_open(path) {
                read_later(path);
            }
        }
    }
}

/// Has the open scenes read again that have instances of a scene which was written: what they show of it
/// is as it was.
pub(crate) fn read_users(path: &str) {
    scene_users::of(&[path.to_owned()]).iter().for_each(|user| read_later(user));
}

/// Has an open scene read again, once.
fn read_later(path: &str) {
    RELOADS.with_borrow_mut(|reloads| {
        if !reloads.waiting.iter().any(|scene| scene.path == path) {
            reloads.waiting.push_back(Waiting { path: path.to_owned(), clean_at: None });
        }
    });
}

/// Lets the editor know of files that lie elsewhere now, each with its path before and after. Of
/// `imported` all that is made by an import is there.
pub(crate) fn moved(files: &[(&str, &str)], imported: &[String]) {
    IMPORTED.with_borrow_mut(|known| {
        known.retain(|path| !files.iter().any(|(old, _)| path == old));
        known.extend(imported.iter().cloned());
    });
    for (old, new) in files {
        // Before all imports, as some write to where the UIDs of what they make lead.
        keep_uid(new);
        together::moved(old, new);
        if let Some(mut resource) = loaded(old) {
            resource.take_over_path(*new);
        }
    }
    take_along(files);
    for (old, new) in files {
        if let Some(mut dock) = EditorInterface::singleton().get_file_system_dock() {
            // As when the human moves it there: who remembers something of the file follows.
            dock.emit_signal("files_moved", vslice![*old, *new]);
        }
        update(old);
        update(new);
        import(new);
        text_tabs::list_again();
        match loaded(new).map(Gd::try_cast::<Script>) {
            Some(Ok(script)) => script_tabs::show(new, &script.get_source_code().to_string()),
            _ if text_tabs::is_open(new) => text_tabs::show(new, &text_of(new)),
            _ => {}
        }
    }
}

/// Gives the open scenes, and the instances in them, the paths that their files have now.
fn take_along(files: &[(&str, &str)]) {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    for root in crate::tabs::roots() {
        scene::walk(&root, &mut |node| {
            if let Some(new) = files.get(&*node.get_scene_file_path().to_string()) {
                node.clone().set_scene_file_path(*new);
            }
        });
    }
}

/// Has the engine find a file by its UID where it lies now, also before a scan gets there.
fn keep_uid(path: &str) {
    let id = ResourceLoader::singleton().get_resource_uid(path);
    let mut ids = ResourceUid::singleton();
    match id {
        NO_UID => {}
        _ if ids.has_id(id) => ids.set_id(id, path),
        _ => ids.add_id(id, path),
    }
}

/// Has the engine find a file that lay at `old` where it lies now by a UID as well that it does not have any
/// more. Those who name that would find nothing.
pub(crate) fn lead_uid(uid: &str, old: &str, new: &str) {
    let mut ids = ResourceUid::singleton();
    let id = ids.text_to_id(uid);
    if id != NO_UID && ids.has_id(id) && ids.get_id_path(id) == old {
        ids.set_id(id, new);
    }
}

thread_local! {
    /// Files that changed while the editor looked at the files of the project, and did not listen.
    /// With how many scans were begun for the sake of each.
    static MISSED: RefCell<Vec<(String, u32)>> = const { RefCell::new(Vec::new()) };
    static RELOADS: RefCell<Reloads> = RefCell::default();
    /// Files of which what an import makes was put back, until they change or go elsewhere.
    static IMPORTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// How many scans are begun for a file whose folder the editor does not find: it passes over some.
const SCANS: u32 = 10;

/// Tells the editor's list of files, and by it the list of classes.
pub(crate) fn update(path: &str) {
    let Some(mut files) = EditorInterface::singleton().get_resource_filesystem() else { return };
    // A scan may have passed the file already, and ignores what it is told meanwhile.
    if files.is_scanning() || is_unknown(&files, path) {
        return MISSED.with_borrow_mut(|missed| missed.push((path.to_owned(), 0)));
    }
    files.update_file(path);
}

/// Whether a file lies in a folder that the editor does not know. It takes none there, and only a
/// scan finds folders.
fn is_unknown(files: &Gd<EditorFileSystem>, path: &str) -> bool {
    let folder = path.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
    folder != "res:/"
        && on_disk(path).exists()
        && files.get_filesystem_path(folder).is_none()
        && !is_passed_over(&on_disk(folder))
}

/// Whether no scan ever looks into a folder.
fn is_passed_over(folder: &Path) -> bool {
    let project = on_disk("res://");
    let inside = folder.ancestors().take_while(|it| it.starts_with(&project) && **it != *project);
    let is_hidden =
        |it: &Path| it.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    inside.into_iter().any(|it| is_hidden(it) || it.join(".gdignore").exists())
}

/// Whether the editor is looking at the files of the project.
pub(crate) fn is_scanning() -> bool {
    let files = EditorInterface::singleton().get_resource_filesystem();
    files.is_some_and(|files| files.is_scanning())
}

/// Tells the editor what it missed during a scan, and has it read the scenes again that were written
/// on disk. Called in every frame; tells whether more is to come.
pub(crate) fn catch_up(tabs: &Tabs) -> bool {
    scene_save::catch_up(tabs);
    let Some(mut files) = EditorInterface::singleton().get_resource_filesystem() else {
        return false;
    };
    if files.is_scanning() {
        return false;
    }
    for (path, scans) in MISSED.take() {
        if is_unknown(&files, &path) && scans < SCANS {
            // A scan that has just ended may not let another one begin.
            MISSED.with_borrow_mut(|missed| missed.push((path, scans + 1)));
            files.scan();
        } else {
            files.update_file(&path);
            import(&path);
        }
    }
    RELOADS.with_borrow_mut(|reloads| reloads.go_on(tabs))
}

/// Open scenes whose files were written, and that are to be read again.
#[derive(Default)]
struct Reloads {
    waiting: VecDeque<Waiting>,
    /// The scene that is to be the active one again after the last was read, and for how many frames
    /// it has been waited for.
    back: Option<(Hidden, u32)>,
    /// The undo steps that the active scene has lost by that, until somebody is told.
    lost_steps: Vec<String>,
    /// Those that were read again or are to be, until none is left.
    read: Vec<String>,
}

/// An open scene that is to be read again.
struct Waiting {
    path: String,
    /// Once the tabs were looked at: the version of its history, if it had no unsaved changes then.
    /// While others are read again, the tabs do not tell.
    clean_at: Option<Option<u64>>,
}

impl Reloads {
    /// One in a frame at most, as the engine drops a second one, and only when it shows again what
    /// it showed before the last.
    fn go_on(&mut self, tabs: &Tabs) -> bool {
        /// In how many frames it shows that again, if it does so by itself.
        const ITSELF: u32 = 3;
        const PATIENCE: u32 = 30;
        if self.waiting.iter().any(|scene| scene.clean_at.is_none()) {
            let tabs = tabs.all();
            for Waiting { path, clean_at } in &mut self.waiting {
                let is_clean = tabs.iter().any(|tab| tab.path == *path && tab.dirty == Some(false));
                clean_at.get_or_insert_with(|| is_clean.then(|| version(path)));
                self.read.extend(is_clean.then(|| path.clone()));
            }
        }
        let active = Scene::active_path().unwrap_or_default();
        match &mut self.back {
            Some((wanted, _)) if wanted.path == active => {
                let lost_steps = wanted.is_shown(tabs);
                // Of one that is read again itself, that was foretold.
                if !self.read.contains(&active) {
                    self.lost_steps.extend(lost_steps);
                }
                self.back = None;
            }
            Some((wanted, frames)) if *frames < PATIENCE => {
                *frames += 1;
                if *frames == ITSELF {
                    // It stays at a tab that lies before the one that was active.
                    EditorInterface::singleton().open_scene_from_path(&wanted.path);
                }
                return true;
            }
            Some(_) => self.back = None,
            None => {}
        }
        let Some(Waiting { path, clean_at }) = self.waiting.pop_front() else {
            self.read.clear();
            return false;
        };
        // What the human has changed, also meanwhile, is not thrown away.
        if clean_at.flatten() == Some(version(&path)) {
            let back = tabs.hidden(&active);
            EditorInterface::singleton().reload_scene_from_path(&path);
            tabs.saved(&path);
            self.back = Some((back, 0));
        }
        true
    }
}

/// The version of the history of an open scene; 0 where it has none.
fn version(path: &str) -> u64 {
    history::of_path(path).map(|history| history.get_version()).unwrap_or_default()
}

/// Whether open scenes are yet to be read again.
pub(crate) fn is_reading_scenes() -> bool {
    RELOADS.with_borrow(|reloads| !reloads.waiting.is_empty() || reloads.back.is_some())
}

/// Whether the editor does not know yet what became of a file, and with it of a class or a UID.
pub(crate) fn has_missed() -> bool {
    MISSED.with_borrow(|missed| !missed.is_empty())
}

/// A result that is given when the editor knows all that was told to it, or does not in a long time.
pub(crate) fn when_settled<T: 'static>(result: T) -> Progress<T> {
    const PATIENCE: Duration = Duration::from_secs(5);
    let start = Instant::now();
    if is_settled() {
        return Progress::Done(result);
    }
    let mut result = Some(result);
    Progress::Waiting(Box::new(move |_| {
        if !is_settled() && start.elapsed() < PATIENCE {
            return None;
        }
        result.take().map(Ok)
    }))
}

/// The same of a call that writes files which open scenes name: the result is told which undo steps of
/// the active scene the editor forgot, while it read others again.
pub(crate) fn when_read_again<T: Clone + 'static>(
    result: T,
    tell: impl Fn(&mut T, Vec<String>) + 'static,
) -> Progress<T> {
    let told = move |mut result: T| {
        tell(&mut result, RELOADS.with_borrow_mut(|it| std::mem::take(&mut it.lost_steps)));
        result
    };
    RELOADS.with_borrow_mut(|it| it.lost_steps.clear());
    match when_settled(result) {
        Progress::Done(result) => Progress::Done(told(result)),
        Progress::Waiting(mut poll) | Progress::Aside(mut poll) => {
            Progress::Waiting(Box::new(move |context| Some(poll(context)?.map(&told))))
        }
    }
}

fn is_settled() -> bool {
    !is_scanning() && !has_missed() && !is_reading_scenes()
}

/// Imports a file that is not read as it is.
fn import(path: &str) {
    if beside(&on_disk(path), "import").exists()
        && !IMPORTED.with_borrow(|known| known.iter().any(|it| it == path))
        // A scan imports what it finds.
        && !is_scanning()
        && let Some(mut files) = EditorInterface::singleton().get_resource_filesystem()
        && !is_unknown(&files, path)
    {
        if kept::is_taking() && is_model(path) {
            // The editor draws frames meanwhile, and takes its history for broken if it looks at that in
            // the midst of a step.
            return MISSED.with_borrow_mut(|missed| missed.push((path.to_owned(), 0)));
        }
        files.reimport_files(&PackedStringArray::from([GString::from(path)]));
    }
}

/// Gives what is loaded from the file the file's content, for all that use it.
fn load_again(path: &str) {
    let Some(loaded) = loaded(path) else { return };
    let Ok(mut script) = loaded.try_cast::<Script>() else {
        resource_reload::load_again(path);
        if shader_tabs::is_for(path) {
            shader_tabs::show(path, &text_of(path));
        } else if text_tabs::is_open(path) {
            text_tabs::show(path, &text_of(path));
        }
        return;
    };
    let text = text_of(path);
    script.set_source_code(&text);
    script.reload_ex().keep_state(true).done();
    script_tabs::show(path, &text);
}

/// The text of a file, without a byte order mark.
pub(crate) fn text_of(path: &str) -> String {
    let content = read(&on_disk(path)).ok().flatten().unwrap_or_default();
    String::from_utf8_lossy(&content).trim_start_matches('\u{feff}').to_owned()
}

/// What is loaded from a file, if something is.
pub(crate) fn loaded(path: &str) -> Option<Gd<Resource>> {
    let loader = ResourceLoader::singleton();
    if loader.has_cached(path) { loader.get_cached_ref(path) } else { None }
}
