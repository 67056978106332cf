//! What is loaded from a resource file, given the content that the file has now.

use godot::{
    classes::{
        ClassDb, EditorInterface, Json, PackedScene, Resource, ResourceLoader, VisualShader,
        resource_loader::CacheMode, visual_shader,
    },
    prelude::*,
};

use crate::{property::PropertyInfo, refresh};

/// Gives what is loaded from a resource file the file's content, for all that use it.
pub(crate) fn load_again(path: &str) {
    let mut loader = ResourceLoader::singleton();
    let Some(cached) = refresh::loaded(path) else { return };
    // What the editor makes of a text of which the engine makes nothing. Only its tab is read.
    if cached.get_class() == "TextFile" {
        return;
    }
    let cached = match cached.try_cast::<Json>() {
        // With its text, which a tab shows and the editor saves.
        Ok(mut json) => {
            let _ = json.parse_ex(&refresh::text_of(path)).keep_text(true).done();
            return json.emit_changed();
        }
        Err(other) => other,
    };
    if cached.try_cast::<PackedScene>().is_ok() {
        return load_scene_again(path);
    }
    let (Some(mut loaded), Some(mut fresh)) =
        (loader.get_cached_ref(path), loader.load_ex(path).cache_mode(CacheMode::IGNORE).done())
    else {
        return;
    };
    if loaded.get_class() != fresh.get_class() {
        // Nothing can become another class; who loads the file from now on gets the new one.
        fresh.take_over_path(path);
        return;
    }
    take_content(loaded.clone(), fresh);
    loaded.emit_changed();
    mark_saved(&loaded, path);
}

/// Makes of a resource what another one of its class is. What is embedded in it and in the other one
/// by the same name stays the object that it is, as others may use it as well.
fn take_content(mut loaded: Gd<Resource>, mut fresh: Gd<Resource>) {
    if loaded.get_script() != fresh.get_script() {
        loaded.set_script(fresh.get_script().as_ref());
    }
    let kept = embedded_in_both(&loaded, &fresh);
    loaded.reset_state();
    let mut object = loaded.clone().upcast::<Object>();
    if let Ok(graph) = object.clone().try_cast::<VisualShader>() {
        remove_nodes(graph);
    }
    // A value that is the default is not in the file, so it is set as well. What the file has not
    // at all any more goes before: metadata, and nodes that were added.
    let other = fresh.clone().upcast::<Object>();
    let names = stored_names(&other);
    for gone in stored_names(&object).iter().filter(|name| !names.contains(name)) {
        if let Some(key) = gone.strip_prefix("metadata/") {
            object.remove_meta(key);
        }
    }
    for (name, old, new) in kept {
        take_content(old.clone(), new);
        fresh.set(name.as_str(), &old.to_variant());
    }
    for name in names {
        object.set(name.as_str(), &other.get(name.as_str()));
    }
    note_saved(&loaded);
}

/// What two versions of a resource both have embedded, by the names of the properties.
fn embedded_in_both(
    loaded: &Gd<Resource>,
    fresh: &Gd<Resource>,
) -> Vec<(String, Gd<Resource>, Gd<Resource>)> {
    let infos = PropertyInfo::all(&fresh.clone().upcast()).into_iter();
    let infos = infos.filter(|info| info.kind == VariantType::OBJECT && info.name != "script");
    let pair = |info: PropertyInfo| {
        let name = info.name;
        let old = loaded.get(name.as_str()).try_to::<Gd<Resource>>().ok()?;
        let new = fresh.get(name.as_str()).try_to::<Gd<Resource>>().ok()?;
        let is_same = old != new
            && old.get_path().contains("::")
            && old.get_path() == new.get_path()
            && old.get_class() == new.get_class();
        is_same.then_some((name, old, new))
    };
    infos.filter_map(pair).collect()
}

/// Has the editor read a packed scene again as it does when somebody else wrote the file. It gets a
/// new state, as instances in open scenes are compared with the one that they were made from when
/// they are saved.
fn load_scene_again(path: &str) {
    if let Some(mut files) = EditorInterface::singleton().get_resource_filesystem() {
        files.emit_signal("resources_reload", vslice![PackedStringArray::from([path.into()])]);
    }
}

/// Takes back that the editor counts a resource as changed, as it does after every set: the next
/// save would write its file again, also for the sake of what is embedded in it.
fn note_saved(resource: &Gd<Resource>) -> bool {
    let arguments = [resource.to_variant(), false.to_variant()];
    // By name, as the method is younger than the oldest Godot that we load in.
    ClassDb::singleton().class_has_method("EditorInterface", "set_object_edited")
        && EditorInterface::singleton().try_call("set_object_edited", &arguments).is_ok()
}

/// The same for the resource that a file is of, in every Godot.
fn mark_saved(loaded: &Gd<Resource>, path: &str) {
    if !note_saved(loaded) && loaded.clone().try_cast::<VisualShader>().is_err() {
        // What is loaded anew counts as saved. A visual shader would get its nodes twice.
        let _ = ResourceLoader::singleton().load_ex(path).cache_mode(CacheMode::REPLACE).done();
    }
}

fn stored_names(object: &Gd<Object>) -> Vec<String> {
    let stored = PropertyInfo::all(object).into_iter();
    let stored = stored.filter(|info| info.is_stored() && info.name != "script");
    stored.map(|info| info.name).collect()
}

/// Removes the nodes of a visual shader but for the outputs, which every one has.
fn remove_nodes(mut graph: Gd<VisualShader>) {
    const FIRST: i32 = 2;
    for stage in 0..visual_shader::Type::MAX.ord() {
        let stage = visual_shader::Type::from_ord(stage);
        let ids = graph.get_node_list(stage);
        ids.as_slice()
            .iter()
            .filter(|id| **id >= FIRST)
            .for_each(|id| graph.remove_node(stage, *id));
    }
}
