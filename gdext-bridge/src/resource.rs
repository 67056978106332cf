//! Classes, settings and files of the project, as several toolsets need them.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use godot::{
    classes::{
        ClassDb, DirAccess, Engine, FileAccess, Node, ProjectSettings, ResourceLoader, ResourceUid,
        Script, class_db::ApiType,
    },
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::{
    files::{LONGEST_DRAFT, located, resolved},
    outside,
    refresh::text_of,
    tools::scripts::class_name,
};

/// A class of nodes: the engine's own, or a script of the project with a `class_name`.
#[derive(Clone)]
pub(crate) enum NodeClass {
    /// A class of `ClassDB`.
    Engine(String),
    /// A global script class.
    Script {
        /// The script.
        path: String,
        /// The engine's class that it extends in the end.
        base: String,
    },
}

impl NodeClass {
    /// The class called `name`, if nodes of it can be made. `parameter` is the argument it came in.
    pub(crate) fn find(name: &str, parameter: &'static str) -> Result<NodeClass, Fault> {
        let refuse =
            |why: String| Err(Fault::invalid(why).requiring(Required::parameter(parameter)));
        let db = ClassDb::singleton();
        if db.class_exists(name) {
            if !db.is_parent_class(name, "Node") {
                return refuse(format!("'{name}' is no class of nodes."));
            }
            let is_editor_only = db.class_get_api_type(name) == ApiType::EDITOR
                || db.class_get_api_type(name) == ApiType::EDITOR_EXTENSION;
            if is_editor_only || !db.can_instantiate(name) {
                return refuse(format!(
                    "'{name}' is abstract or of the editor only; no node of it can be made."
                ));
            }
            return Ok(NodeClass::Engine(name.to_owned()));
        }
        let Some(class) = global_class(name) else {
            let mut globals = global_classes();
            globals.retain(|class| class.name != name);
            let names = db.get_inheriters_from_class("Node");
            let names: Vec<String> = names.as_slice().iter().map(ToString::to_string).collect();
            let names = names.iter().map(String::as_str);
            let near = nearest(name, names.chain(globals.iter().map(|class| class.name.as_str())));
            let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
            return refuse(format!("There is no class '{name}'.{near}"));
        };
        let base = current_engine_base(&class);
        if !db.is_parent_class(&base, "Node") {
            return refuse(format!("'{name}' extends {base}, which is no class of nodes."));
        }
        if class.is_abstract || !db.can_instantiate(&base) {
            return refuse(format!("'{name}' is abstract; no node of it can be made."));
        }
        Ok(NodeClass::Script { path: class.path, base })
    }

    /// The engine's class that its nodes are of.
    pub(crate) fn engine_class(&self) -> &str {
        match self {
            NodeClass::Engine(name) => name,
            NodeClass::Script { base, .. } => base,
        }
    }

    /// A new node of the class, outside the tree.
    pub(crate) fn instantiate(&self) -> Result<Gd<Node>, Fault> {
        let base = self.engine_class();
        let made = ClassDb::singleton().instantiate(base);
        let mut node = made
            .try_to::<Gd<Node>>()
            .map_err(|_| Fault::internal(format!("The engine made no node of class '{base}'.")))?;
        if let NodeClass::Script { path, .. } = self {
            let script = ResourceLoader::singleton().load(path.as_str());
            let Some(script) = script.and_then(|script| script.try_cast::<Script>().ok()) else {
                node.free();
                return Err(Fault::not_found(format!("The script '{path}' cannot be loaded.")));
            };
            node.set_script(&script);
        }
        Ok(node)
    }
}

/// A class to look for nodes by: any that nodes can be of, abstract ones included.
pub(crate) enum NodeKind {
    /// A class of the engine.
    Engine(String),
    /// A global script class.
    Script(String),
}

impl NodeKind {
    /// The class called `name`. `parameter` is the argument it came in.
    pub(crate) fn find(name: &str, parameter: &'static str) -> Result<NodeKind, Fault> {
        let db = ClassDb::singleton();
        if db.class_exists(name) && db.is_parent_class(name, "Node") {
            return Ok(NodeKind::Engine(name.to_owned()));
        }
        if global_class(name).is_some() {
            return Ok(NodeKind::Script(name.to_owned()));
        }
        // What can be made can be looked for, so this says what is wrong with the name.
        NodeClass::find(name, parameter).map(|_| NodeKind::Engine(name.to_owned()))
    }

    /// Whether a node is of the class, or of one that extends it.
    pub(crate) fn has(&self, node: &Gd<Node>) -> bool {
        match self {
            NodeKind::Engine(name) => node.is_class(name.as_str()),
            NodeKind::Script(name) => {
                let mut script = node.get_script().and_then(|it| it.try_cast::<Script>().ok());
                while let Some(at) = script {
                    if at.get_global_name() == name.as_str() {
                        return true;
                    }
                    script = at.get_base_script();
                }
                false
            }
        }
    }
}

/// The class of a node as its script names it, or else as the engine does.
pub(crate) fn class_of(node: &Gd<Node>) -> String {
    let script = node.get_script().and_then(|script| script.try_cast::<Script>().ok());
    let global = script.map(|script| script.get_global_name().to_string());
    global.filter(|name| !name.is_empty()).unwrap_or_else(|| node.get_class().to_string())
}

/// The files that a file names: as the engine tells them, and where they lead to.
pub(crate) fn dependencies(path: &str) -> Vec<(String, String)> {
    let list = ResourceLoader::singleton().get_dependencies(path);
    let list = list.as_slice().iter().map(ToString::to_string);
    // An entry is a path, or `uid::type::path`; a UID that leads somewhere beats the path.
    list.map(|entry| {
        let mut parts = entry.split("::");
        let first = parts.next().unwrap_or_default();
        let resolved = first.starts_with("uid://").then(|| resolved_uid(first)).flatten();
        let path = match (resolved, parts.last()) {
            (Some(path), _) => path,
            (None, Some(path)) => path.to_owned(),
            (None, None) => first.to_owned(),
        };
        (entry, path)
    })
    .collect()
}

/// The files by which a file leads to `goal`, which is the last of them; `None` if it does not. Scripts may
/// lead back to what uses them.
pub(crate) fn way_to_file(path: &str, goal: &str) -> Option<Vec<String>> {
    let (mut seen, mut ahead) = (HashSet::new(), vec![vec![path.to_owned()]]);
    while let Some(way) = ahead.pop() {
        let named = way.last().map(|last| dependencies(last)).unwrap_or_default();
        for (_, next) in named {
            let is_script = [".gd", ".cs"].iter().any(|end| next.ends_with(end));
            let longer = || way.iter().skip(1).cloned().chain([next.clone()]);
            if next == goal {
                return Some(longer().collect());
            }
            if !is_script && seen.insert(next.clone()) {
                ahead.push([path.to_owned()].into_iter().chain(longer()).collect());
            }
        }
    }
    None
}

/// The files that a file names and that are not there.
pub(crate) fn missing_dependencies(path: &str) -> Vec<String> {
    let loader = ResourceLoader::singleton();
    let named = dependencies(path).into_iter().map(|(_, path)| path);
    named.filter(|path| !loader.clone().exists(path.as_str())).collect()
}

/// A script class that the whole project knows.
pub(crate) struct GlobalClass {
    /// Its `class_name`.
    pub(crate) name: String,
    /// What it extends: an engine class or another global one.
    pub(crate) base: String,
    /// Its file.
    pub(crate) path: String,
    /// Whether no instance can be made.
    pub(crate) is_abstract: bool,
}

/// The global script classes of the project.
pub(crate) fn global_classes() -> Vec<GlobalClass> {
    let text = |class: &VarDictionary, key: &str| {
        class.get(key).map(|value| value.to_string()).unwrap_or_default()
    };
    let list = ProjectSettings::singleton().get_global_class_list();
    list.iter_shared()
        .map(|class| GlobalClass {
            name: text(&class, "class"),
            base: text(&class, "base"),
            path: text(&class, "path"),
            is_abstract: class.get("is_abstract").is_some_and(|flag| flag.booleanize()),
        })
        .collect()
}

/// The global script class called `name`, as its file has it by now: others may have changed or removed
/// that, and the editor finds out only with its next scan.
pub(crate) fn global_class(name: &str) -> Option<GlobalClass> {
    let known = || global_classes().into_iter().find(|class| class.name == name);
    outside::take_in_class(&known()?.path);
    known().filter(GlobalClass::is_declared)
}

impl GlobalClass {
    /// Whether its script is there and declares it.
    pub(crate) fn is_declared(&self) -> bool {
        let declares = || class_name(&text_of(&self.path)) == Some(&*self.name);
        FileAccess::file_exists(&self.path) && (!self.path.ends_with(".gd") || declares())
    }
}

/// The class of the engine that a global class extends in the end, as the files have it by now. Where one
/// of the classes in between is gone, that one.
fn current_engine_base(class: &GlobalClass) -> String {
    const LONGEST: usize = 64;
    let mut base = class.base.clone();
    for _ in 0..LONGEST {
        match global_class(&base) {
            Some(other) => base = other.base,
            None => break,
        }
    }
    base
}

/// The class of the engine that a global class extends in the end.
pub(crate) fn engine_base(class: &GlobalClass, globals: &[GlobalClass]) -> String {
    let mut base = class.base.as_str();
    // As many steps as there are classes, so that a circle ends.
    for _ in globals {
        match globals.iter().find(|other| other.name == base) {
            Some(other) => base = &other.base,
            None => break,
        }
    }
    base.to_owned()
}

/// The path of the script of an object; `None` without one. Built into a scene, it has the path of
/// the scene in it.
pub(crate) fn script_path(object: &Gd<Node>) -> Option<String> {
    let script = object.get_script()?;
    Some(script.get_path().to_string())
}

/// Whether a file of the project is there.
pub(crate) fn file_exists(path: &ResPath) -> bool {
    FileAccess::file_exists(path.as_str())
}

/// Whether a folder of the project is there.
pub(crate) fn folder_exists(path: &str) -> bool {
    DirAccess::dir_exists_absolute(path)
}

/// The folders that are for nobody else to write in, and whose they are.
const RESERVED: [(&str, &str); 2] =
    [(".godot", "the editor"), ("addons/godot_mcp", "the add-on that serves this call")];

/// Whose the folder is in which a path lies, if it is for nobody else to write in: the editor's own,
/// or that of this add-on. A folder that such a one lies in is as little to be moved or replaced, and
/// so is what leads to either by a link.
pub(crate) fn reserved_for(path: &ResPath) -> Option<&'static str> {
    let meets = |a: &Path, b: &Path| a.starts_with(b) || b.starts_with(a);
    // Some file systems make no difference between upper and lower case.
    let named = path.relative().to_lowercase();
    let place = resolved(&on_disk(path.as_str())).ok();
    let is_in_the_way = |folder: &str| {
        // The folder may itself be a link, which is not followed.
        let real = on_disk(&format!("res://{folder}"));
        let above = real.parent().and_then(|above| resolved(above).ok());
        let real = above.zip(real.file_name()).map(|(above, name)| above.join(name));
        meets(Path::new(&named), Path::new(folder))
            || place.as_ref().zip(real).is_some_and(|(place, real)| meets(place, &real))
    };
    RESERVED.iter().find(|(folder, _)| is_in_the_way(folder)).map(|(_, whose)| *whose)
}

/// How many bytes a path may have, with the zero at its end.
const LONGEST_PATH: usize = if cfg!(windows) {
    32_767
} else if cfg!(target_vendor = "apple") {
    1024
} else {
    4096
};

/// Refuses a path that no file can be written to. `parameter` is the argument that it came in.
pub(crate) fn check_target(path: &ResPath, parameter: &'static str) -> Result<(), Fault> {
    let refuse = |why: &str| {
        Err(Fault::invalid(format!("'{path}' {why}.")).requiring(Required::parameter(parameter)))
    };
    if folder_exists(path.as_str()) {
        return refuse("is a folder");
    }
    let mut parts: Vec<&str> = path.relative().split('/').collect();
    if parts.iter().any(|part| part.len() > 255) {
        return refuse("has a name that is too long for a file");
    }
    if let Some(whose) = reserved_for(path) {
        return refuse(&format!(
            "lies in a folder that is kept for {whose}, or above it; choose another one"
        ));
    }
    while parts.len() > 1 {
        parts.pop();
        if FileAccess::file_exists(&format!("res://{}", parts.join("/"))) {
            return refuse("lies below a file, not a folder");
        }
    }
    check_length(path, parameter)
}

/// Refuses a path that is longer on the disk than the system takes, or leads out of the project.
pub(crate) fn check_length(path: &ResPath, parameter: &'static str) -> Result<(), Fault> {
    if is_short_enough(&located(path, parameter)?) {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "'{path}' has a path on the disk that is longer than the system takes; name a shorter one."
    ))
    .requiring(Required::parameter(parameter)))
}

/// Whether the system takes the path of a file, and that of what is written beside it on the way.
fn is_short_enough(file: &Path) -> bool {
    let folder = file.parent().map_or(0, |folder| folder.as_os_str().len());
    let name = file.file_name().map_or(0, std::ffi::OsStr::len);
    folder + 1 + name.max(LONGEST_DRAFT) < LONGEST_PATH
}

/// Where a file of the project lies on the disk.
pub(crate) fn on_disk(path: &str) -> PathBuf {
    thread_local! {
        /// The folder of the project, which stays the same; asking the engine each time shows where many
        /// files are looked at.
        static PROJECT: PathBuf = globalized("res://");
    }
    match path.strip_prefix("res://") {
        // What begins with a slash would lead out of it.
        Some(inner) => PROJECT.with(|project| project.join(inner.trim_start_matches('/'))),
        None => globalized(path),
    }
}

fn globalized(path: &str) -> PathBuf {
    ProjectSettings::singleton().globalize_path(path).to_string().into()
}

/// A project setting as text; empty if it is not set.
pub(crate) fn setting_text(name: &str) -> String {
    let settings = ProjectSettings::singleton();
    if settings.has_setting(name) { settings.get_setting(name).to_string() } else { String::new() }
}

/// The version of Godot, such as `4.6.3.stable`.
pub(crate) fn godot_version() -> String {
    let version = Engine::singleton().get_version_info();
    let part = |key: &str| version.get(key).map(|part| part.to_string()).unwrap_or_default();
    format!("{}.{}.{}.{}", part("major"), part("minor"), part("patch"), part("status"))
}

/// Whether this Godot was built with .NET.
pub(crate) fn is_csharp_supported() -> bool {
    ClassDb::singleton().class_exists("CSharpScript")
}

/// Whether the project has a C# solution or project file at its top.
pub(crate) fn has_csharp_solution() -> bool {
    let Some(folder) = DirAccess::open("res://") else { return false };
    let files = folder.get_files();
    files.as_slice().iter().any(|file| {
        let file = file.to_string();
        file.ends_with(".sln") || file.ends_with(".csproj")
    })
}

/// The name most like `wanted`, if one is like it at all.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.8;
    /// No name of the engine is longer; comparing a long text with all of them takes seconds.
    const LONGEST: usize = 64;
    if wanted.len() > LONGEST {
        return None;
    }
    names
        .map(|name| (strsim::jaro_winkler(&wanted.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// The main scene of the project as a `res://` path.
pub(crate) fn main_scene() -> Option<String> {
    let set = setting_text("application/run/main_scene");
    let path = match set.strip_prefix("uid://") {
        Some(_) => resolved_uid(&set)?,
        None => set,
    };
    Some(path).filter(|path| !path.is_empty())
}

/// What `ResourceUID` takes for no UID; its `INVALID_ID`.
pub(crate) const NO_UID: i64 = -1;

/// The `uid://` of a file, if it has one.
pub(crate) fn uid_of(path: &str) -> Option<String> {
    let id = ResourceLoader::singleton().get_resource_uid(path);
    (id != NO_UID).then(|| ResourceUid::singleton().id_to_text(id).to_string())
}

/// The path of the file with a `uid://`.
pub(crate) fn resolved_uid(uid: &str) -> Option<String> {
    let ids = ResourceUid::singleton();
    let id = ids.text_to_id(uid);
    ids.has_id(id).then(|| ids.get_id_path(id).to_string())
}
