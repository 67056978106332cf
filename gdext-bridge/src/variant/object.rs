//! Resources and nodes: by path, or made on the spot.

use godot::{
    classes::{ClassDb, FileAccess, Resource, ResourceLoader, ResourceUid, Script},
    prelude::*,
    register::info::PropertyHint,
};
use protocol::ResPath;
use serde_json::{Map, Value};

use super::{
    compare::same,
    misfit::Misfit,
    read::{Home, Reader},
    write::TYPE,
};
use crate::{
    property::PropertyInfo,
    resource::{global_class, global_classes, nearest},
};

/// The key that loads a resource where a path alone would be text.
const PATH: &str = "_path";

/// What is never set on a resource made here: its identity and code.
const NOT_INLINE: [&str; 2] = ["resource_path", "script"];

/// The object that `json` names or describes.
pub(super) fn read(json: &Value, want: &PropertyInfo, reader: Reader) -> Result<Variant, Misfit> {
    if json.as_str().is_some_and(|text| text == "null") {
        return Ok(Variant::nil());
    }
    match (slot(want), json) {
        (Slot::Other, _) => Err(Misfit::new(format!(
            "A value of type {} cannot be set from JSON: only resources and nodes can.",
            want.type_name()
        ))),
        (Slot::Node, Value::String(path)) => node(path, want, reader),
        (Slot::Resource, Value::String(path)) => resource(path, want, reader),
        (Slot::Resource, Value::Object(fields)) => described(fields, want, reader),
        (Slot::Node, _) => {
            let accepted = "the path of a node below the scene's root, or null";
            Err(Misfit::wrong(&want.type_name(), json, accepted))
        }
        (Slot::Resource, _) => Err(Misfit::wrong(&want.type_name(), json, RESOURCE_FORMS)),
    }
}

const RESOURCE_FORMS: &str = r#"a path such as "res://icon.svg", a new resource such as {"_type": "RectangleShape2D", "size": [1, 2]}, or null"#;

/// What kind of object a receiver takes.
enum Slot {
    Resource,
    Node,
    /// Neither; nothing in JSON names such an object.
    Other,
}

fn slot(want: &PropertyInfo) -> Slot {
    let class = wanted(want).next();
    match (want.hint, class) {
        (PropertyHint::NODE_TYPE, _) => Slot::Node,
        (PropertyHint::RESOURCE_TYPE, None) => Slot::Resource,
        (_, None) => Slot::Other,
        (hint, Some(class)) => match native_base(class) {
            Some(base) if inherits(&base, "Resource") => Slot::Resource,
            // The engine itself has such properties, as `owner`; those are no values to set.
            Some(base) if inherits(&base, "Node") && hint != PropertyHint::RESOURCE_TYPE => {
                Slot::Node
            }
            _ => Slot::Other,
        },
    }
}

fn wanted(want: &PropertyInfo) -> impl Iterator<Item = &str> {
    names(want).filter(|name| !name.starts_with('-'))
}

fn names(want: &PropertyInfo) -> impl Iterator<Item = &str> {
    want.classes().split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Refuses `object` unless it is of a class that `want` names.
fn check(object: &Gd<Object>, want: &PropertyInfo, what: &str) -> Result<(), Misfit> {
    let excluded =
        names(want).filter_map(|name| name.strip_prefix('-')).any(|name| is_a(object, name));
    let fits = wanted(want).next().is_none() || wanted(want).any(|name| is_a(object, name));
    if fits && !excluded {
        return Ok(());
    }
    Err(Misfit::new(format!(
        "{} is wanted, but {what} is a {}.",
        want.type_name(),
        class_of(object)
    )))
}

/// Whether `object` is of the class, native or a script's, called `class`.
fn is_a(object: &Gd<Object>, class: &str) -> bool {
    object.is_class(class) || scripts(object).any(|script| is_named(&script, class))
}

/// The most special name of the class of `object`.
pub(crate) fn class_of(object: &Gd<Object>) -> String {
    scripts(object)
        .map(|script| script.get_global_name().to_string())
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| object.get_class().to_string())
}

/// The script of `object` and those that it extends.
fn scripts(object: &Gd<Object>) -> impl Iterator<Item = Gd<Script>> {
    let first = object.get_script();
    std::iter::successors(first, |script| script.get_base_script())
}

fn is_named(script: &Gd<Script>, class: &str) -> bool {
    script.get_global_name() == class || class.starts_with("res://") && script.get_path() == class
}

/// A class that a script declares by `class_name`.
pub(super) struct ScriptClass {
    /// The file of the script.
    pub(super) path: String,
    /// The class that it extends, which may be a script's again.
    base: String,
}

/// The script's class called `name`.
pub(super) fn script_class(name: &str) -> Option<ScriptClass> {
    let class = global_class(name)?;
    Some(ScriptClass { path: class.path, base: class.base })
}

/// Whether the engine itself has a class called `name`.
pub(super) fn is_native(name: &str) -> bool {
    ClassDb::singleton().class_exists(name)
}

/// The engine's own class that `class` is or extends.
fn native_base(class: &str) -> Option<String> {
    const LONGEST: usize = 64;
    let mut class = class.to_owned();
    for _ in 0..LONGEST {
        if is_native(&class) {
            return Some(class);
        }
        if class.starts_with("res://") {
            let script = ResourceLoader::singleton().load(&class)?.try_cast::<Script>().ok()?;
            return Some(script.get_instance_base_type().to_string());
        }
        class = script_class(&class)?.base;
    }
    None
}

fn inherits(class: &str, base: &str) -> bool {
    class == base || ClassDb::singleton().is_parent_class(class, base)
}

/// A node by its path from the root of the scene.
fn node(path: &str, want: &PropertyInfo, reader: Reader) -> Result<Variant, Misfit> {
    let Some(root) = reader.scene_root else {
        return Err(Misfit::new("A node can be named only where a scene is open."));
    };
    let path = protocol::NodePath::try_from(path.to_owned()).map_err(Misfit::new)?;
    let Some(node) = root.get_node_or_null(path.as_str()) else {
        return Err(Misfit::missing(format!("There is no node '{path}' in this scene.")));
    };
    check(&node.clone().upcast(), want, &format!("node '{path}'"))?;
    Ok(node.to_variant())
}

/// The path of `node` from the root of its scene; `.` for the root itself.
pub(super) fn node_text(node: &Gd<Node>) -> String {
    let owners = std::iter::successors(node.get_owner(), |owner| owner.get_owner());
    if let Some(root) = owners.last() {
        return root.get_path_to(node).to_string();
    }
    if !node.is_inside_tree() {
        return node.get_name().to_string();
    }
    let tree = node.get_tree();
    let roots = [tree.get_edited_scene_root(), tree.get_current_scene()];
    // The root itself, or a node that no scene owns.
    let root = roots.into_iter().flatten().find(|root| root == node || root.is_ancestor_of(node));
    match root {
        Some(root) => root.get_path_to(node).to_string(),
        None => node.get_path().to_string(),
    }
}

/// A resource by its `res://` or `uid://` path.
fn resource(path: &str, want: &PropertyInfo, reader: Reader) -> Result<Variant, Misfit> {
    let path = resolve(path)?;
    if let (Some(home), Some((file, _))) = (reader.home, path.split_once("::")) {
        let inner = inside(home, file, &path)?;
        check(&inner.clone().upcast(), want, &path)?;
        return Ok(inner.to_variant());
    }
    if !ResourceLoader::singleton().exists(&path) {
        return Err(absent(&path));
    }
    let Some(resource) = ResourceLoader::singleton().load(&path) else {
        return Err(Misfit::new(format!("{path} exists, but the engine cannot load it.")));
    };
    check(&resource.clone().upcast(), want, &path)?;
    Ok(resource.to_variant())
}

/// The resource with that path inside the file that the value is for, which alone can hold it.
fn inside(home: &Home, file: &str, path: &str) -> Result<Gd<Resource>, Misfit> {
    if file != home.path {
        return Err(Misfit::new(format!(
            "{path} lies inside '{file}', and '{}' cannot refer to it. Describe a resource of its own, such as \
             {{\"_type\": \"RectangleShape2D\", \"size\": [1, 2]}}, or save that one to a file of its own \
             and give its path.",
            home.path
        )));
    }
    let found = home.inside.iter().find(|inner| inner.get_path() == path);
    found.cloned().ok_or_else(|| {
        let paths: Vec<String> = home.inside.iter().map(|it| it.get_path().to_string()).collect();
        let has = if paths.is_empty() { "none".to_owned() } else { paths.join(", ") };
        Misfit::missing(format!("There is no resource {path}. Inside the file there are: {has}."))
    })
}

/// The `res://` path that `path` stands for, contained in the project.
fn resolve(path: &str) -> Result<String, Misfit> {
    let path = if path.starts_with("uid://") { &by_uid(path)? } else { path };
    // A resource inside a scene has the scene's path and, after two colons, its own name.
    let (file, inside) = match path.split_once("::") {
        Some((file, inside)) => (file, Some(inside)),
        None => (path, None),
    };
    let file = ResPath::try_from(file.to_owned()).map_err(|why| {
        Misfit::new(format!("A resource is wanted: {why}; give {RESOURCE_FORMS}."))
    })?;
    match inside {
        Some(inside) if inside.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            Ok(format!("{file}::{inside}"))
        }
        Some(_) => Err(Misfit::new(format!("'{path}' is no path of a resource."))),
        None => Ok(file.into()),
    }
}

fn by_uid(text: &str) -> Result<String, Misfit> {
    let uids = ResourceUid::singleton();
    let plain = text.chars().skip("uid://".len()).all(|c| c.is_ascii_alphanumeric());
    let id = if plain { uids.text_to_id(text) } else { -1 };
    if id < 0 || !uids.has_id(id) {
        return Err(Misfit::missing(format!("No resource of this project has the UID {text}.")));
    }
    Ok(uids.get_id_path(id).to_string())
}

fn absent(path: &str) -> Misfit {
    if FileAccess::file_exists(path) {
        return Misfit::new(format!(
            "{path} is a file, but not one that the engine has as a resource; import it first."
        ));
    }
    Misfit::missing(format!("There is no resource at {path}."))
}

/// A resource that `fields` describe: `{"_type": class, property: value, …}` makes a new one,
/// `{"_type": class, "_path": path}` loads one.
fn described(
    fields: &Map<String, Value>,
    want: &PropertyInfo,
    reader: Reader,
) -> Result<Variant, Misfit> {
    let Some(class) = fields.get(TYPE).and_then(Value::as_str) else {
        return Err(Misfit::new(format!(
            "{} needs {TYPE}, the class to make; give {RESOURCE_FORMS}.",
            want.type_name()
        )));
    };
    if let Some(path) = fields.get(PATH) {
        return by_path(class, path, fields, want, reader);
    }
    let resource = make(class)?;
    check(&resource.clone().upcast(), want, &format!("'{class}'"))?;
    let named = fields.iter().filter(|(name, _)| *name != TYPE);
    set_all(&resource, class, named, reader.deeper()?)?;
    Ok(resource.to_variant())
}

fn by_path(
    class: &str,
    path: &Value,
    fields: &Map<String, Value>,
    want: &PropertyInfo,
    reader: Reader,
) -> Result<Variant, Misfit> {
    let Some(path) = path.as_str().filter(|_| fields.len() == 2) else {
        return Err(Misfit::new(format!("{PATH} is a path, and only {TYPE} stands beside it.")));
    };
    let loaded = resource(path, want, reader)?;
    let named =
        PropertyInfo { class_name: class.to_owned(), ..PropertyInfo::slot(VariantType::OBJECT) };
    let object = loaded.try_to::<Gd<Object>>().map_err(|_| absent(path))?;
    check(&object, &named, path)?;
    Ok(loaded)
}

/// A new resource of the class, native or a script's, called `class`.
pub(crate) fn make(class: &str) -> Result<Gd<Resource>, Misfit> {
    let base = native_base(class).ok_or_else(|| no_class(class))?;
    let refuse = |why: &str| Misfit::new(format!("No new {class} can be made: {why}."));
    if !inherits(&base, "Resource") {
        return Err(refuse("it is no resource"));
    }
    if inherits(&base, "Script") {
        return Err(refuse("a script belongs in a file; write one and give its path"));
    }
    if !ClassDb::singleton().can_instantiate(&base) {
        return Err(refuse("it is abstract; name a class that extends it"));
    }
    if global_class(class).is_some_and(|it| it.is_abstract) {
        return Err(refuse("its script is abstract; name a class that extends it"));
    }
    let made = ClassDb::singleton().instantiate(&base).try_to::<Gd<Resource>>();
    let mut resource = made.map_err(|_| refuse("the engine makes none"))?;
    if base != class {
        let known = script_class(class).ok_or_else(|| refuse("its script is unknown"))?;
        let script = ResourceLoader::singleton()
            .load(&known.path)
            .and_then(|script| script.try_cast::<Script>().ok());
        resource.set_script(&script.ok_or_else(|| refuse("its script cannot be loaded"))?);
    }
    Ok(resource)
}

/// Refuses the name of a class that there is not, with the one most like it.
fn no_class(class: &str) -> Misfit {
    let names = ClassDb::singleton().get_inheriters_from_class("Resource");
    let names: Vec<String> = names.as_slice().iter().map(ToString::to_string).collect();
    let mut globals = global_classes();
    globals.retain(|it| it.name != class);
    let names = names.iter().chain(globals.iter().map(|class| &class.name));
    let near = nearest(class, names.map(String::as_str));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    Misfit::new(format!("There is no class called '{class}'.{near}"))
}

/// Sets properties of a resource that nobody has yet, and looks whether they took.
pub(crate) fn fill(
    resource: &Gd<Resource>,
    class: &str,
    fields: &Map<String, Value>,
) -> Result<(), Misfit> {
    set_all(resource, class, fields.iter(), Reader::without_scene())
}

/// Sets properties, in their order but for those that others bring: a shader has to be there before its
/// parameters are.
fn set_all<'a>(
    resource: &Gd<Resource>,
    class: &str,
    fields: impl Iterator<Item = (&'a String, &'a Value)>,
    reader: Reader,
) -> Result<(), Misfit> {
    let object = resource.clone().upcast::<Object>();
    let set_one = |(name, json): &(&String, &Value)| {
        set(resource, class, name, json, reader).map_err(|misfit| misfit.in_field(name))
    };
    let mut waiting: Vec<_> = fields.collect();
    while !waiting.is_empty() {
        let is_there = |(name, _): &(&String, &Value)| describe(&object, name).is_some();
        let (there, others): (Vec<_>, Vec<_>) = waiting.iter().copied().partition(is_there);
        // Where none of them is there, the first says so.
        let next = if there.is_empty() { &others } else { &there };
        next.iter().try_for_each(set_one)?;
        waiting = others;
    }
    Ok(())
}

fn describe(object: &Gd<Object>, name: &str) -> Option<PropertyInfo> {
    PropertyInfo::of(object, name).or_else(|| PropertyInfo::of_metadata(name))
}

/// Sets a property of a resource that nobody has yet, and looks whether it took.
fn set(
    resource: &Gd<Resource>,
    class: &str,
    name: &str,
    json: &Value,
    reader: Reader,
) -> Result<(), Misfit> {
    let mut object: Gd<Object> = resource.clone().upcast();
    let info = describe(&object, name).ok_or_else(|| {
        let names = PropertyInfo::all(&object);
        let near = nearest(name, names.iter().map(|info| info.name.as_str()));
        let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
        Misfit::new(format!("{class} has no property '{name}'.{near}"))
    })?;
    if NOT_INLINE.contains(&name) || info.is_read_only() {
        return Err(Misfit::new(format!("'{name}' of a new {class} cannot be set.")));
    }
    let value = reader.read(json, &info.holding(&object.get(name)))?;
    if value.is_nil() && name.starts_with("metadata/") {
        // It would be kept, as null.
        return Ok(());
    }
    object.set(name, &value);
    let got = object.get(name);
    if same(&value, &got) {
        return Ok(());
    }
    Err(Misfit::new(format!("{class} keeps {got} for '{name}' instead of {value}.")))
}
