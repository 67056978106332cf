//! `godot_scene_edit_extract_scene`.

use std::collections::{HashMap, HashSet};

use godot::{
    classes::{
        PackedScene, ResourceLoader, packed_scene::GenEditState, resource_loader::CacheMode,
    },
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::scene_edit::{ExtractScene, SceneExtracted},
};

use super::{
    check_not_root, check_own, connect, connections,
    create_scene::{self, check_target, replaced},
    duplicate_node::{duplicate, own_paths},
    way_to,
};
use crate::{
    history::Home,
    persistence,
    plan::{Context, Edit, First, Last, Plan, Progress, Work},
    resource::{file_exists, on_disk},
    saving::{check_unchanged, require_path, save_active},
    scene::{Scene, walk},
    undo::{AddNode, Owned, Step},
};

impl Edit for ExtractScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneExtracted>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        check_not_root(&scene, &node, "extracted")?;
        check_own(&scene, &node, "extracted")?;
        let refuse = |parameter, why: String| {
            Err(Fault::invalid(why).requiring(Required::parameter(parameter)))
        };
        if !node.get_scene_file_path().is_empty() {
            return refuse(
                "node_path",
                format!(
                    "'{}' is an instance of a scene already: '{}'.",
                    self.node_path,
                    node.get_scene_file_path()
                ),
            );
        }
        check_target(&self.scene_path)?;
        let path = self.scene_path.to_string();
        if context.tabs.all().iter().any(|tab| tab.path == path) {
            return refuse(
                "scene_path",
                format!("'{path}' is open in the editor; close it first."),
            );
        }
        check_no_circle(&scene, &node, &path)?;
        if self.save_current {
            check_unchanged(&context.tabs, &require_path(&scene)?, "save_current")?;
        }
        let overwrote = file_exists(&self.scene_path);
        let owned = own_paths(&scene, &node);
        let node_path = scene.path_of(&node);
        let links = Links::of(&scene, &node);
        let verdict = persistence::of_node(&scene, &node);
        let replace = self.replace_with_instance;
        let result = SceneExtracted {
            node_path: node_path.clone(),
            scene_path: path.clone(),
            extracted: true,
            replaced: replace,
            saved: self.save_current,
            node_count: owned.len(),
            instance_path: replace.then(|| node_path.clone()),
            overwrote,
            file_kept_on_undo: true,
            lost_connections: if replace { links.lost.clone() } else { Vec::new() },
        };

        let label = format!("Extract {node_path} to {path}");
        let steps = if replace { replace_steps(&node, path.clone(), links) } else { Vec::new() };
        let first: First = Box::new(move || write(&node, &owned, &self.scene_path));
        let last = self.save_current.then(|| save(scene.path()));
        let home = Home::Scene(scene);
        let work = Work::Steps { label, home, steps, first: Some(first), last };
        let plan = Plan::of(result, work).with_verdict(verdict);
        Ok(if overwrote { plan.discarding(replaced(&path)) } else { plan })
    }
}

/// Refuses a file that the node has an instance of, at any depth: it would contain itself.
fn check_no_circle(scene: &Scene, node: &Gd<Node>, path: &str) -> Result<(), Fault> {
    let mut instances = Vec::new();
    walk(node, &mut |below| {
        let file = below.get_scene_file_path().to_string();
        if !file.is_empty() {
            instances.push((scene.path_of(below), file));
        }
    });
    let goals = HashSet::from([path.to_owned()]);
    match instances.iter().find(|(_, file)| way_to(file, &goals).is_some()) {
        None => Ok(()),
        Some((instance, file)) => Err(Fault::invalid(format!(
            "The scene '{path}' would contain itself, by way of '{instance}', an instance of '{file}'. \
             Choose another file."
        ))
        .requiring(Required::parameter("scene_path"))),
    }
}

/// Writes a copy of the node as a scene. Gives what removes the file, or puts back the one before.
fn write(
    node: &Gd<Node>,
    owned: &[String],
    path: &protocol::ResPath,
) -> Result<Box<dyn FnOnce()>, Fault> {
    let file = on_disk(path.as_str());
    let before = std::fs::read(&file).ok();
    let mut copy = duplicate(node)?;
    copy.set_name(&GString::from(&node.get_name()));
    // A root has no place in its own scene to be unique in.
    copy.set_unique_name_in_owner(false);
    for below in owned.iter().filter(|below| *below != ".") {
        if let Some(mut below) = copy.get_node_or_null(below.as_str()) {
            below.set_owner(&copy);
        }
    }
    disconnect_from_outside(&copy);
    let saved = create_scene::save(&copy, path);
    copy.free();
    saved?;
    Ok(Box::new(move || {
        // The file is as it was for whoever reads it next; nobody has yet.
        let _ = match before {
            Some(bytes) => std::fs::write(&file, bytes),
            None => std::fs::remove_file(&file),
        };
    }))
}

/// Ends the connections of a copy to nodes that are not copied with it: its file cannot name them,
/// and the engine would complain of them.
fn disconnect_from_outside(copy: &Gd<Node>) {
    walk(copy, &mut |source| {
        for signal in source.get_signal_list().iter_shared() {
            let signal = signal.get("name").map(|name| name.to_string()).unwrap_or_default();
            for entry in source.get_signal_connection_list(signal.as_str()).iter_shared() {
                let callable =
                    entry.get("callable").and_then(|callable| callable.try_to::<Callable>().ok());
                let Some(callable) = callable else { continue };
                let target = callable.object().and_then(|target| target.try_cast::<Node>().ok());
                if target.is_some_and(|target| target != *copy && !copy.is_ancestor_of(&target)) {
                    source.clone().disconnect(signal.as_str(), &callable);
                }
            }
        }
    });
}

/// Puts an instance of the new scene in the place of the node, with the connections that it can
/// have.
fn replace_steps(node: &Gd<Node>, path: String, links: Links) -> Vec<Step> {
    let Some(parent) = node.get_parent() else { return Vec::new() };
    let make = Box::new(move || {
        let mut loader = ResourceLoader::singleton();
        let loaded = loader.load_ex(path.as_str()).cache_mode(CacheMode::REPLACE).done();
        let packed = loaded.and_then(|loaded| loaded.try_cast::<PackedScene>().ok());
        packed
            .and_then(|packed| packed.instantiate_ex().edit_state(GenEditState::INSTANCE).done())
            .ok_or_else(|| Fault::internal("The new scene cannot be instanced."))
    });
    let name = node.get_name().to_string();
    let index = Some(node.get_index());
    let unique = node.is_unique_name_in_owner();
    let beside = parent.clone();
    let add = AddNode { make, parent, name: name.clone(), index, owned: Owned::Itself };
    let then = move || {
        let instance = beside.get_node_or_null(name.as_str());
        let instance =
            instance.ok_or_else(|| Fault::internal("The instance is not in its place."))?;
        let mut steps = links.steps(&instance);
        if unique {
            steps.push(Step::Set {
                object: instance.upcast(),
                property: "unique_name_in_owner".to_owned(),
                value: true.to_variant(),
            });
        }
        Ok(steps)
    };
    vec![Step::Remove { node: node.clone() }, Step::Add(add), Step::Then(Box::new(then))]
}

/// The connections between a node with all below it and the rest of its scene.
#[derive(Default)]
struct Links {
    /// From outside to a node inside, at a path relative to the topmost.
    incoming: Vec<(Gd<Node>, String, String, String, i64)>,
    /// From the topmost to a node outside.
    outgoing: Vec<(String, Callable, i64)>,
    /// From below the topmost to the outside: an instance cannot have these.
    lost: Vec<String>,
}

impl Links {
    fn of(scene: &Scene, node: &Gd<Node>) -> Links {
        let mut links = Links::default();
        let mut inside: HashMap<InstanceId, String> = HashMap::new();
        walk(node, &mut |below| {
            let path =
                if below == node { ".".to_owned() } else { node.get_path_to(below).to_string() };
            inside.insert(below.instance_id(), path);
        });
        scene.walk(&mut |source| {
            let from = inside.get(&source.instance_id());
            for connection in connections(scene, source) {
                let to = inside.get(&connection.target.instance_id());
                let method = connection.callable.method_name().unwrap_or_default().to_string();
                if !connection.is_persistent() || from.is_some() == to.is_some() {
                    continue;
                }
                match (from.map(String::as_str), to) {
                    (None, Some(to)) => links.incoming.push((
                        source.clone(),
                        connection.signal,
                        to.clone(),
                        method,
                        connection.flags,
                    )),
                    (Some("."), _) => {
                        links.outgoing.push((
                            connection.signal,
                            connection.callable,
                            connection.flags,
                        ));
                    }
                    _ => links.lost.push(format!(
                        "{}:{} -> {}:{method}",
                        scene.path_of(source),
                        connection.signal,
                        scene.path_of(&connection.target)
                    )),
                }
            }
        });
        links
    }

    /// The steps that give an instance the same connections.
    fn steps(&self, instance: &Gd<Node>) -> Vec<Step> {
        let incoming = self.incoming.iter().filter_map(|(source, signal, to, method, flags)| {
            let target = instance.get_node_or_null(to.as_str())?;
            let callable = Callable::from_object_method(&target, method.as_str());
            Some(connect(source, signal, &callable, *flags))
        });
        let outgoing = self.outgoing.iter();
        let outgoing =
            outgoing.map(|(signal, callable, flags)| connect(instance, signal, callable, *flags));
        incoming.chain(outgoing).collect()
    }
}

/// Saves the active scene and says whether that worked. The extraction stands in any case.
fn save(path: String) -> Last<SceneExtracted> {
    Box::new(move |context, result| {
        let saved = save_active(&context.tabs, &path).is_ok();
        Progress::Done(SceneExtracted { saved, ..result })
    })
}
