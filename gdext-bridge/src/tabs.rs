//! The scene tabs of the editor: which scenes are open, which have unsaved changes, and whether
//! their files were changed by somebody else.
//!
//! Before Godot 4.7 the API does not tell of unsaved changes; the title of the tab does, with a
//! `(*)` at its end, one frame late. For that frame our own commits answer.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use godot::{
    classes::{ClassDb, EditorInterface, EditorPlugin, Engine, Node, Resource, TabBar},
    prelude::*,
};

use protocol::{Fault, Required, ResPath};

use crate::{
    file_mark::{self, FileMark},
    history,
    scene::Scene,
    signal,
};

/// What is known of the tabs.
pub(crate) struct Tabs {
    bar: RefCell<Option<InstanceId>>,
    /// The scenes that our own calls just changed or saved, and in which frame.
    just: RefCell<HashMap<String, (bool, u64)>>,
    /// The scene that a batch has changed and that is in no history yet.
    ahead: RefCell<Option<String>>,
    /// The scenes as the editor last read or wrote them.
    stored: Rc<RefCell<HashMap<String, Stored>>>,
    /// The files that the editor has saved since somebody asked.
    just_saved: Rc<RefCell<Vec<String>>>,
    plugin: RefCell<Option<Gd<EditorPlugin>>>,
    signals: [(&'static str, Callable); 3],
}

/// A scene as the editor last read or wrote it.
struct Stored {
    file: FileMark,
    /// What was in it, where it can be read.
    content: Option<u64>,
    /// The version of its history then; `None` once no undo leads back there.
    version: Option<u64>,
}

/// One tab with a scene in it.
pub(crate) struct Tab {
    /// The scene; empty if it was never saved.
    pub(crate) path: String,
    /// Whether it is the active one.
    pub(crate) active: bool,
    /// Whether it has unsaved changes, where that can be found out.
    pub(crate) dirty: Option<bool>,
}

/// A scene that is not shown, or not for a moment, as it was before that. When the editor shows it again
/// and a scene that is an instance in it has another file meanwhile, it makes the nodes anew, forgets
/// the undo history, and with that also that there are unsaved changes (`EditorData` of the engine,
/// `check_and_update_scene`).
pub(crate) struct Hidden {
    /// The scene.
    pub(crate) path: String,
    is_dirty: bool,
    steps: Vec<String>,
}

impl Hidden {
    /// It is the active scene. Gives the labels of the undo steps that it has lost.
    pub(crate) fn is_shown(&self, tabs: &Tabs) -> Vec<String> {
        let steps = steps_of(&self.path);
        if steps == self.steps {
            return Vec::new();
        }
        if self.is_dirty {
            EditorInterface::singleton().mark_scene_as_unsaved();
            tabs.note(self.path.clone(), true);
        }
        self.steps.clone()
    }
}

/// The labels of the steps of an open scene, the newest first.
fn steps_of(path: &str) -> Vec<String> {
    history::of_path(path).map(|history| history::labels(&history)).unwrap_or_default()
}

/// Whether a tab has the scene open.
pub(crate) fn is_open(path: &str) -> bool {
    let open = EditorInterface::singleton().get_open_scenes();
    open.as_slice().iter().any(|scene| *scene == path)
}

/// Refuses to put another file in the place of a scene that a tab has open: the tab would go on showing
/// what is gone, and the next save would write that.
pub(crate) fn check_closed(path: &ResPath, parameter: &'static str) -> Result<(), Fault> {
    if !is_open(path.as_str()) {
        return Ok(());
    }
    Err(Fault::precondition(
        Required::parameter(parameter),
        format!(
            "The scene '{path}' is open, and another file would take its place. Close it first with \
             godot_scene_edit_close_scene, or name another path. Nothing was changed."
        ),
    ))
}

/// The roots of the open scenes; before Godot 4.5 that of the active one only.
pub(crate) fn roots() -> Vec<Gd<Node>> {
    let editor = EditorInterface::singleton();
    if !ClassDb::singleton().class_has_method("EditorInterface", "get_open_scene_roots") {
        return editor.get_edited_scene_root().into_iter().collect();
    }
    // By name, as the method is younger than the oldest Godot that we load in.
    let roots = editor.clone().upcast::<Object>().call("get_open_scene_roots", &[]);
    let roots = roots.try_to::<Array<Gd<Node>>>().unwrap_or_default();
    roots.iter_shared().collect()
}

impl Tabs {
    /// Starts to take note of saves.
    pub(crate) fn watch(plugin: &Gd<EditorPlugin>) -> Tabs {
        let stored: Rc<RefCell<HashMap<String, Stored>>> = Rc::default();
        let path = |arguments: &[&Variant]| arguments.first().map(|path| path.to_string());
        let just_saved: Rc<RefCell<Vec<String>>> = Rc::default();
        let (marks, saved) = (stored.clone(), just_saved.clone());
        let on_saved = Callable::from_fn("godot_mcp_scene_saved", move |arguments| {
            if let Some(path) = path(arguments) {
                marks.borrow_mut().insert(path.clone(), Stored::now(&path));
                saved.borrow_mut().push(path);
            }
        });
        let saved = just_saved.clone();
        let on_resource_saved = Callable::from_fn("godot_mcp_resource_saved", move |arguments| {
            let resource = arguments.first().and_then(|it| it.try_to::<Gd<Resource>>().ok());
            saved.borrow_mut().extend(resource.map(|it| it.get_path().to_string()));
        });
        let marks = stored.clone();
        let on_closed = Callable::from_fn("godot_mcp_scene_closed", move |arguments| {
            if let Some(path) = path(arguments) {
                marks.borrow_mut().remove(&path);
            }
        });
        let signals = [
            ("scene_saved", on_saved),
            ("resource_saved", on_resource_saved),
            ("scene_closed", on_closed),
        ];
        for (name, callable) in &signals {
            signal::connect(plugin, name, callable);
        }
        Tabs {
            bar: RefCell::default(),
            just: RefCell::default(),
            ahead: RefCell::default(),
            stored,
            just_saved,
            plugin: RefCell::new(Some(plugin.clone())),
            signals,
        }
    }

    /// Stops to take note of saves.
    pub(crate) fn forget(&self) {
        let Some(mut plugin) = self.plugin.take() else { return };
        for (name, callable) in &self.signals {
            if plugin.is_connected(*name, callable) {
                plugin.disconnect(*name, callable);
            }
        }
    }

    /// Every tab with a scene, in order.
    pub(crate) fn all(&self) -> Vec<Tab> {
        let paths = EditorInterface::singleton().get_open_scenes();
        let titles = self.titles();
        let active = titles.iter().position(|title| title.active);
        let active_path = Scene::active_path();
        // Where the titles cannot be read, at least the active scene is known by its path.
        let is_readable = titles.len() == paths.len();
        let paths = paths.as_slice().iter().map(ToString::to_string).enumerate();
        paths
            .map(|(index, path)| {
                let title = titles.get(index).filter(|_| is_readable);
                let dirty = self.just_now(&path).or(title.map(|title| title.dirty));
                let active = match active.filter(|_| is_readable) {
                    Some(active) => active == index,
                    None => Some(&path) == active_path.as_ref(),
                };
                Tab { path, active, dirty }
            })
            .collect()
    }

    /// Takes note of a scene before another one is shown, or before it is.
    pub(crate) fn hidden(&self, path: &str) -> Hidden {
        let is_dirty = self.all().iter().any(|tab| tab.path == path && tab.dirty == Some(true));
        Hidden { path: path.to_owned(), is_dirty, steps: steps_of(path) }
    }

    /// Whether the active scene has unsaved changes, where that can be found out.
    pub(crate) fn is_dirty(&self, scene: &Scene) -> Option<bool> {
        let path = scene.path();
        self.just_now(&path)
            .or_else(|| self.titles().iter().find(|title| title.active).map(|title| title.dirty))
    }

    /// The files that the editor has saved since this was last asked, each once.
    pub(crate) fn take_saved(&self) -> Vec<String> {
        let mut saved = self.just_saved.take();
        saved.sort();
        saved.dedup();
        saved
    }

    /// One of our calls changed the scene, with a new step of its history.
    pub(crate) fn touched(&self, scene: &Scene) {
        let path = scene.path();
        let version = version(scene);
        if let Some(stored) = self.stored.borrow_mut().get_mut(&path)
            && stored.version.is_some_and(|stored| Some(stored) >= version)
        {
            // The steps that led to what is stored were undone, and are replaced by this one.
            stored.version = None;
        }
        self.note(path, true);
    }

    /// Looks at the tabs as they are with what a batch has done to a scene: the editor hears of that
    /// at its end.
    pub(crate) fn ahead<T>(&self, scene: Option<String>, look: impl FnOnce() -> T) -> T {
        self.ahead.replace(scene);
        let seen = look();
        self.ahead.replace(None);
        seen
    }

    /// One of our calls saved the scene.
    pub(crate) fn saved(&self, path: &str) {
        self.note(path.to_owned(), false);
        self.seen(path);
    }

    /// One of our calls went through the history of the scene, which may lead to what is stored.
    pub(crate) fn stepped(&self, scene: &Scene) {
        let path = scene.path();
        let stored = self.stored.borrow().get(&path).and_then(|stored| stored.version);
        self.note(path, stored.is_none() || stored != version(scene));
    }

    /// The editor read or wrote the file now.
    pub(crate) fn seen(&self, path: &str) {
        self.stored.borrow_mut().insert(path.to_owned(), Stored::now(path));
    }

    /// Takes note of the file of the active scene, when it is new to us.
    pub(crate) fn look(&self) {
        if let Some(path) = Scene::active_path().filter(|path| !path.is_empty()) {
            self.stored.borrow_mut().entry(path).or_insert_with_key(|path| Stored::now(path));
        }
    }

    /// Whether somebody else changed the file since the editor last read or wrote it. One that was only
    /// touched is as it was, and what our own steps wrote is known.
    pub(crate) fn changed_on_disk(&self, path: &str) -> bool {
        let mut stored = self.stored.borrow_mut();
        let Some(stored) = stored.get_mut(path) else { return false };
        let now = FileMark::of(path);
        if stored.file == now {
            return false;
        }
        let content = file_mark::content(path);
        let is_known = content == stored.content || file_mark::is_ours(path, stored.file, now);
        if is_known {
            (stored.file, stored.content) = (now, content);
        }
        !is_known
    }

    fn note(&self, path: String, dirty: bool) {
        let frame = Engine::singleton().get_process_frames();
        self.just.borrow_mut().insert(path, (dirty, frame));
    }

    fn just_now(&self, path: &str) -> Option<bool> {
        if self.ahead.borrow().as_deref() == Some(path) {
            return Some(true);
        }
        let frame = Engine::singleton().get_process_frames();
        let mut just = self.just.borrow_mut();
        just.retain(|_, (_, noted)| frame.saturating_sub(*noted) <= 2);
        just.get(path).map(|(dirty, _)| *dirty)
    }

    fn titles(&self) -> Vec<Title> {
        let Some(bar) = self.bar() else { return Vec::new() };
        let current = bar.get_current_tab();
        (0..bar.get_tab_count())
            .map(|index| (index == current, bar.get_tab_title(index).to_string()))
            // A tab without a scene, which the list of open scenes leaves out as well.
            .filter(|(_, title)| title != "[empty]")
            .map(|(active, title)| Title { active, dirty: title.ends_with("(*)") })
            .collect()
    }

    /// The tab bar, looked up once.
    fn bar(&self) -> Option<Gd<TabBar>> {
        let known = self.bar.borrow().and_then(|id| Gd::<TabBar>::try_from_instance_id(id).ok());
        known.or_else(|| {
            let base = EditorInterface::singleton().get_base_control()?;
            let tabs = find_class(&base.upcast(), "EditorSceneTabs")?;
            let bar = find_class(&tabs, "TabBar")?.try_cast::<TabBar>().ok()?;
            self.bar.replace(Some(bar.instance_id()));
            Some(bar)
        })
    }
}

impl Stored {
    /// The state of a scene that is read or written now.
    fn now(path: &str) -> Stored {
        let scene = Scene::active().ok().filter(|scene| scene.path() == path);
        Stored {
            file: FileMark::of(path),
            content: file_mark::content(path),
            version: scene.and_then(|scene| version(&scene)),
        }
    }
}

/// The version of the history of a scene.
fn version(scene: &Scene) -> Option<u64> {
    history::of_scene(scene).map(|history| history.get_version())
}

struct Title {
    active: bool,
    dirty: bool,
}

/// The first node of a class below `node`, among the internal ones, too.
pub(crate) fn find_class(node: &Gd<Node>, class: &str) -> Option<Gd<Node>> {
    if node.get_class() == class {
        return Some(node.clone());
    }
    let children = node.get_children_ex().include_internal(true).done();
    children.iter_shared().find_map(|child| find_class(&child, class))
}
