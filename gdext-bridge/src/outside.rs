//! Scripts and shaders that somebody else has changed on the disk: before a command looks at them, what
//! is loaded from them is made new, as the editor does when its window gets the focus. One without a
//! window never gets it.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    time::{Duration, Instant},
};

use godot::{
    classes::{
        EditorFileSystem, EditorFileSystemDirectory, EditorInterface, Engine, Resource, Script,
        Shader, ShaderInclude,
    },
    prelude::*,
};

use crate::{
    file_mark::FileMark,
    refresh::{self, Change, loaded, text_of},
    script_tabs::has_unsaved_text,
    signal,
};

/// The signal that tells of other files in the editor's list.
const CHANGED: &str = "filesystem_changed";

thread_local! {
    /// The files that may be loaded, each as it was when what is loaded was last seen to be the same.
    static FILES: RefCell<HashMap<String, Option<FileMark>>> = RefCell::default();
    /// The scripts with a class, each as it was when the editor was last told of it here.
    static CLASSES: RefCell<HashMap<String, FileMark>> = RefCell::default();
}

/// Watches the editor's list of files for scripts and shaders.
pub(crate) struct Outside {
    list: Option<Gd<EditorFileSystem>>,
    on_change: Callable,
    is_other: Rc<Cell<bool>>,
    /// When it is looked again, where there are many files.
    next: Cell<Option<Instant>>,
}

/// How many files are looked at with every command: that takes a fraction of a millisecond.
const FEW: usize = 300;

/// How long it is until the next look where there are more.
const PAUSE: Duration = Duration::from_millis(500);

impl Outside {
    /// Begins to watch.
    pub(crate) fn watch() -> Outside {
        let is_other = Rc::new(Cell::new(true));
        let flag = is_other.clone();
        let on_change = Callable::from_fn("godot_mcp_files_changed", move |_| flag.set(true));
        let list = EditorInterface::singleton().get_resource_filesystem();
        if let Some(list) = &list {
            signal::connect(list, CHANGED, &on_change);
        }
        Outside { list, on_change, is_other, next: Cell::default() }
    }

    /// Gives back what was taken from the editor.
    pub(crate) fn forget(&self) {
        if let Some(list) = &self.list
            && list.is_instance_valid()
            && list.is_connected(CHANGED, &self.on_change)
        {
            list.clone().disconnect(CHANGED, &self.on_change);
        }
    }

    /// Does [`Self::take_in_all`], unless the project has so many files that a look at all of them is not
    /// to be had so often.
    pub(crate) fn look(&self) {
        let begun = Instant::now();
        if self.next.get().is_some_and(|next| begun < next) {
            return;
        }
        self.take_in_all();
        let is_long = FILES.with_borrow(|files| files.len() > FEW);
        self.next.set(is_long.then(|| begun + PAUSE));
    }

    /// Makes new what is loaded from files that are others by now. What the human has typed and not
    /// saved stays.
    pub(crate) fn take_in_all(&self) {
        if self.is_other.take() {
            let top = self.list.as_ref().and_then(|list| list.clone().get_filesystem());
            let mut paths = Vec::new();
            top.into_iter().for_each(|top| collect(&top, &mut paths));
            FILES.with_borrow_mut(|files| {
                for path in paths {
                    files.entry(path).or_default();
                }
            });
        }
        let mut stale: Vec<(usize, String)> = FILES.with_borrow_mut(|files| {
            let stale = |(path, seen): (&String, &mut _)| Some((stale(path, seen)?, path.clone()));
            files.iter_mut().filter_map(stale).collect()
        });
        // What others extend comes before them.
        stale.sort();
        stale.iter().for_each(|(_, path)| refresh::after(path, Change::Written));
    }
}

/// The same for one file, which the editor need not have in its list. A running game has its files as they
/// were when it loaded them.
pub(crate) fn take_in(path: &str) {
    if !Engine::singleton().is_editor_hint() {
        return;
    }
    let seen = |files: &mut HashMap<_, _>| stale(path, files.entry(path.to_owned()).or_default());
    if !path.contains("::") && FILES.with_borrow_mut(seen).is_some() {
        refresh::after(path, Change::Written);
    }
}

/// The same for a script whose class somebody asks for: it need not be loaded, and what counts is the
/// class that the editor has it declare.
pub(crate) fn take_in_class(path: &str) {
    if !Engine::singleton().is_editor_hint() {
        return;
    }
    take_in(path);
    let mark = FileMark::of(path);
    let seen = CLASSES.with_borrow_mut(|classes| classes.insert(path.to_owned(), mark));
    if seen != Some(mark) {
        refresh::update(path);
    }
}

/// Whether what is loaded from a file is not what is in it: the count of scripts that it extends.
fn stale(path: &str, seen: &mut Option<FileMark>) -> Option<usize> {
    let mark = FileMark::of(path);
    // First what is known without asking the engine: most files are as they were.
    if *seen == Some(mark) || !mark.is_there() {
        return None;
    }
    let held = loaded(path)?;
    let is_same = held_text(&held).is_none_or(|held| held == text_of(path));
    if !is_same && has_unsaved_text(path) {
        return None;
    }
    *seen = Some(mark);
    (!is_same).then(|| depth(held))
}

/// The scripts and shaders in a folder of the editor's list, and below.
fn collect(folder: &Gd<EditorFileSystemDirectory>, paths: &mut Vec<String>) {
    for index in 0..folder.get_file_count() {
        let path = folder.get_file_path(index).to_string();
        if [".gd", ".gdshader", ".gdshaderinc"].iter().any(|end| path.ends_with(end)) {
            paths.push(path);
        }
    }
    for index in 0..folder.get_subdir_count() {
        folder.get_subdir(index).into_iter().for_each(|below| collect(&below, paths));
    }
}

/// The text that something was loaded from.
fn held_text(held: &Gd<Resource>) -> Option<String> {
    let text = match held.clone().try_cast::<Script>() {
        Ok(script) => script.get_source_code(),
        Err(other) => match other.try_cast::<Shader>() {
            Ok(shader) => shader.get_code(),
            Err(other) => other.try_cast::<ShaderInclude>().ok()?.get_code(),
        },
    };
    Some(text.to_string())
}

/// How many scripts a script extends, one after the other; a shader includes no other that is later.
fn depth(held: Gd<Resource>) -> usize {
    let mut script = held.try_cast::<Script>().ok();
    let mut depth = 0;
    while let Some(at) = script {
        depth += 1;
        script = at.get_base_script();
    }
    depth
}
