//! Whether a scene save keeps a change: the engine saves what the scene owns, and of instanced
//! scenes only what differs in instances whose children are editable.

use godot::{
    classes::{Node, PackedScene, Resource, ResourceLoader, SceneState},
    prelude::*,
};
use protocol::Verdict;

use crate::{property::PropertyInfo, scene::Scene};

/// Whether a save of `scene` keeps what is changed at, or added below, `node`.
pub(crate) fn of_node(scene: &Scene, node: &Gd<Node>) -> Verdict {
    let root = &scene.root;
    // What the engine just gave is alive, so that its identity need not be looked up.
    let is_root = |node: &Gd<Node>| node.instance_id_unchecked() == root.instance_id_unchecked();
    let mut at = node.clone();
    while !is_root(&at) {
        let Some(owner) = at.get_owner() else {
            return not_owned(scene, &at);
        };
        if !is_root(&owner) && !root.is_editable_instance(&owner) {
            let instance = scene.path_of(&owner);
            return Verdict::dropped(
                "instanced_child_not_editable",
                format!(
                    "'{}' belongs to the instance '{instance}', whose children are not editable. Make \
                     them editable, or change the scene '{}' itself.",
                    scene.path_of(&at),
                    owner.get_scene_file_path()
                ),
            );
        }
        match at.get_parent() {
            Some(parent) => at = parent,
            None => {
                return Verdict::dropped("node_not_owned", "The node is not in the scene tree.");
            }
        }
    }
    Verdict::kept()
}

/// Whether a save of `scene` keeps what is changed in a resource that `node` uses and that is not a
/// file of its own.
pub(crate) fn of_resource(scene: &Scene, node: &Gd<Node>, resource: &Gd<Resource>) -> Verdict {
    let path = resource.get_path().to_string();
    match path.split_once("::") {
        Some((holder, _)) if holder != scene.path() => Verdict::dropped(
            "embedded_in_other_resource",
            format!(
                "The resource is kept in '{holder}', which a save of this scene does not write. Change \
                 it there, or give the node a resource of its own."
            ),
        ),
        _ => of_node(scene, node),
    }
}

/// Whether a save keeps that `node`, or a copy of it, is below `parent`. One that has no owner gets
/// none by that.
pub(crate) fn of_place(scene: &Scene, node: &Gd<Node>, parent: &Gd<Node>) -> Verdict {
    if node.get_owner().is_none() { not_owned(scene, node) } else { of_node(scene, parent) }
}

/// Whether a save keeps a connection. The source has it; the target need only be there again.
pub(crate) fn of_connection(scene: &Scene, source: &Gd<Node>, target: &Gd<Node>) -> Verdict {
    let verdict = of_node(scene, source);
    if verdict.persisted { of_reference(scene, target) } else { verdict }
}

/// Whether a node that something refers to is there again when the scene is loaded.
pub(crate) fn of_reference(scene: &Scene, node: &Gd<Node>) -> Verdict {
    let mut at = Some(node.clone());
    while let Some(node) = at.filter(|node| *node != scene.root) {
        if node.get_owner().is_none() {
            return not_owned(scene, &node);
        }
        at = node.get_parent();
    }
    Verdict::kept()
}

fn not_owned(scene: &Scene, node: &Gd<Node>) -> Verdict {
    Verdict::dropped(
        "node_not_owned",
        format!(
            "'{}' is not part of the scene file: it has no owner, as nodes made by a script have none.",
            scene.path_of(node)
        ),
    )
}

/// The verdict on structural changes of a node that an instanced or an inherited scene defines;
/// `None` for a node of the edited scene itself.
pub(crate) fn defined_elsewhere(scene: &Scene, node: &Gd<Node>) -> Option<Verdict> {
    if *node == scene.root {
        return None;
    }
    let owner = node.get_owner()?;
    if owner != scene.root {
        let verdict = of_node(scene, node);
        if !verdict.persisted {
            return Some(verdict);
        }
        return Some(Verdict::dropped(
            "defined_in_base_scene",
            format!(
                "'{}' is defined in '{}'. Change it there: the scene that uses it cannot store this.",
                scene.path_of(node),
                owner.get_scene_file_path()
            ),
        ));
    }
    let path = scene.path_of(node);
    let is_in = |state: &Gd<SceneState>| {
        (0..state.get_node_count())
            .any(|index| state.get_node_path(index).to_string().trim_start_matches("./") == path)
    };
    base_states(scene).iter().any(is_in).then(|| {
        Verdict::dropped(
            "defined_in_base_scene",
            format!("'{path}' is defined in the scene that this one inherits. Change it there."),
        )
    })
}

/// The scenes that `scene` inherits, nearest first. An inherited scene is an instance at the root.
pub(crate) fn base_states(scene: &Scene) -> Vec<Gd<SceneState>> {
    let path = scene.path();
    if is_inherited(&path) { states_of(&path).into_iter().skip(1).collect() } else { Vec::new() }
}

/// Whether a scene file may inherit another. A text file says so in the line of its first node; to
/// load it only for that would take as long as it is large.
pub(crate) fn is_inherited(path: &str) -> bool {
    if !path.ends_with(".tscn") {
        return !path.is_empty();
    }
    let Ok(file) = std::fs::File::open(crate::resource::on_disk(path)) else { return false };
    let lines = std::io::BufRead::lines(std::io::BufReader::new(file));
    let first = lines.map_while(Result::ok).find(|line| line.starts_with("[node "));
    first.is_some_and(|line| line.contains(" instance="))
}

/// What a scene file says, and what the scenes say that it inherits, nearest first.
fn states_of(path: &str) -> Vec<Gd<SceneState>> {
    let mut states = Vec::new();
    if path.is_empty() || !ResourceLoader::singleton().exists(path) {
        return states;
    }
    let file = ResourceLoader::singleton().load(path);
    let file = file.and_then(|file| file.try_cast::<PackedScene>().ok());
    let mut at = file.and_then(|file| file.get_state());
    while let Some(state) = at {
        at = state.get_node_instance(0).and_then(|base| base.get_state());
        states.push(state);
    }
    states
}

/// Whether a save keeps that `node` is not in `group` any more. A group that another scene puts the
/// node into comes back with it.
pub(crate) fn of_group_removal(scene: &Scene, node: &Gd<Node>, group: &str) -> Verdict {
    let verdict = of_node(scene, node);
    if verdict.persisted && node.is_in_group(group) && !is_group_kept(scene, node, group) {
        return Verdict::dropped(
            "group_from_script",
            format!(
                "No scene puts '{}' into '{group}', but a script does, and will do so again. Change the \
                 script.",
                scene.path_of(node)
            ),
        );
    }
    if verdict.persisted && is_group_from_elsewhere(scene, node, group) {
        return Verdict::dropped(
            "group_from_base_scene",
            format!(
                "The scene that defines '{}' puts it into '{group}'. Change it there.",
                scene.path_of(node)
            ),
        );
    }
    verdict
}

/// Whether `node` is in `group` by what scenes say, and not because a script put it there.
pub(crate) fn is_group_kept(scene: &Scene, node: &Gd<Node>, group: &str) -> bool {
    // The engine tells scripts of the groups, but not which of them it saves. So the node alone is
    // packed, as a save does it: what is below it belongs to another scene than its own.
    let mut packed = PackedScene::new_gd();
    let is_packed = node.is_in_group(group) && packed.pack(node) == godot::global::Error::OK;
    let state = packed.get_state().filter(|_| is_packed);
    let is_named = |state: Gd<SceneState>| {
        state.get_node_count() > 0
            && state.get_node_groups(0).as_slice().iter().any(|name| *name == group)
    };
    state.is_some_and(is_named) || is_group_from_elsewhere(scene, node, group)
}

/// Whether a scene that is instanced or inherited on the way from the root to `node` puts it into
/// `group`.
fn is_group_from_elsewhere(scene: &Scene, node: &Gd<Node>, group: &str) -> bool {
    let has_group = |state: &Gd<SceneState>, path: &str| {
        (0..state.get_node_count()).any(|index| {
            let at = state.get_node_path(index).to_string();
            let is_it = at.trim_start_matches("./") == path;
            let groups = state.get_node_groups(index);
            is_it && groups.as_slice().iter().any(|name| *name == group)
        })
    };
    let path = scene.path_of(node);
    if base_states(scene).iter().any(|state| has_group(state, &path)) {
        return true;
    }
    let mut at = Some(node.clone());
    while let Some(instance) = at.filter(|at| *at != scene.root) {
        let file = instance.get_scene_file_path();
        if !file.is_empty() {
            let path = if instance == *node {
                ".".to_owned()
            } else {
                instance.get_path_to(node).to_string()
            };
            let chain = states_of(&file.to_string());
            if chain.iter().any(|state| has_group(state, &path)) {
                return true;
            }
        }
        at = instance.get_parent();
    }
    false
}

/// Whether a save keeps `value` as the new value of a property of `node`.
pub(crate) fn of_property(
    scene: &Scene,
    node: &Gd<Node>,
    property: &PropertyInfo,
    value: &Variant,
) -> Verdict {
    let verdict = of_node(scene, node);
    // An override of the theme is marked as stored only once there is one.
    let is_stored = property.is_stored() || property.name.starts_with("theme_override_");
    if verdict.persisted && !is_stored && !is_computed(node.upcast_ref(), &property.name) {
        return Verdict::dropped(
            "property_not_stored",
            format!(
                "'{}' is state of the running editor and is never written to a file.",
                property.name
            ),
        );
    }
    if verdict.persisted { of_nodes_in(scene, value) } else { verdict }
}

/// The verdict on the nodes that a value refers to: the value itself, or the items of a list.
fn of_nodes_in(scene: &Scene, value: &Variant) -> Verdict {
    match value.get_type() {
        VariantType::OBJECT => match value.try_to::<Gd<Node>>() {
            Ok(node) => of_reference(scene, &node),
            Err(_) => Verdict::kept(),
        },
        VariantType::ARRAY => {
            let list = value.try_to::<AnyArray>().ok();
            let mut verdicts = list.into_iter().flat_map(|list| {
                list.iter_shared().map(|item| of_nodes_in(scene, &item)).collect::<Vec<_>>()
            });
            verdicts.find(|verdict| !verdict.persisted).unwrap_or_else(Verdict::kept)
        }
        _ => Verdict::kept(),
    }
}

/// Properties that are not stored themselves, as they are computed from ones that are: setting
/// them changes what is stored.
const COMPUTED: &[(&str, &[&str])] = &[
    (
        "Node2D",
        &[
            "global_position",
            "global_rotation",
            "global_rotation_degrees",
            "global_scale",
            "global_skew",
            "global_transform",
            "rotation_degrees",
            "transform",
        ],
    ),
    (
        "Node3D",
        &[
            "basis",
            "global_basis",
            "global_position",
            "global_rotation",
            "global_rotation_degrees",
            "global_transform",
            "position",
            "quaternion",
            "rotation",
            "rotation_degrees",
            "scale",
        ],
    ),
    (
        "Control",
        &[
            "global_position",
            "position",
            "rotation_degrees",
            "size",
            "pivot_offset_ratio",
            "anchors_preset",
        ],
    ),
];

/// Whether setting a property changes other ones that are stored.
pub(crate) fn changes_others(object: &Gd<Object>, property: &str) -> bool {
    let places_control = property == "layout_mode" || property.starts_with("anchor");
    is_computed(object, property) || places_control && object.is_class("Control")
}

fn is_computed(object: &Object, property: &str) -> bool {
    // The names first, as they tell of most properties that no class has to be asked for.
    COMPUTED
        .iter()
        .any(|(class, properties)| properties.contains(&property) && object.is_class(*class))
}
