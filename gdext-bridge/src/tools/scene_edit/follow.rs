//! Paths that follow a node when it is renamed or moved, as the editor's scene dock lets them:
//! properties that hold a `NodePath`, also inside arrays, dictionaries and resources of the scene, and
//! the tracks of animations. Connections and exported nodes
//! need no care, as they hold the node itself.

use std::collections::{HashMap, HashSet};

use godot::{
    classes::{AnimationMixer, Node, Resource},
    prelude::*,
};

use crate::{property::PropertyInfo, scene::Scene, undo::Step};

/// The steps that let all paths of the scene follow `node` to `new_path`, and what they change, as
/// `node:property`.
pub(super) fn follow(scene: &Scene, node: &Gd<Node>, new_path: &str) -> (Vec<Step>, Vec<String>) {
    let mut follower = Follower {
        scene,
        old_path: scene.path_of(node),
        new_path: new_path.to_owned(),
        path_properties: HashMap::new(),
        seen: HashSet::new(),
        steps: Vec::new(),
        updated: Vec::new(),
    };
    // The root stays where it is for everybody below it.
    if follower.old_path != "." {
        scene.walk(&mut |node| follower.visit(node));
    }
    (follower.steps, follower.updated)
}

struct Follower<'a> {
    scene: &'a Scene,
    old_path: String,
    new_path: String,
    /// The names of the stored properties that may hold a path, for each class with each script.
    path_properties: HashMap<(String, Option<InstanceId>), Vec<String>>,
    /// The resources that were looked into.
    seen: HashSet<InstanceId>,
    steps: Vec<Step>,
    updated: Vec<String>,
}

impl Follower<'_> {
    fn visit(&mut self, node: &Gd<Node>) {
        let object = node.clone().upcast::<Object>();
        let at = self.scene.path_of(node);
        self.visit_properties(node, &object, &at);
        if let Ok(mixer) = node.clone().try_cast::<AnimationMixer>() {
            self.visit_animations(&mixer);
        }
    }

    /// What `object` holds: `node` itself, or a resource that it has. `at` says where that is.
    fn visit_properties(&mut self, node: &Gd<Node>, object: &Gd<Object>, at: &str) {
        let script = object.get_script().map(|script| script.instance_id());
        let key = (object.get_class().to_string(), script);
        let names =
            self.path_properties.entry(key).or_insert_with(|| path_properties(object)).clone();
        for name in names {
            let value = object.get(name.as_str());
            let at = format!("{at}:{name}");
            if let Some(value) = self.followed_value(node, &value, &at) {
                self.updated.push(at);
                self.steps.push(Step::Set { object: object.clone(), property: name, value });
            }
        }
    }

    /// The paths in a resource that is part of this scene; they go from the node that has it. Of
    /// animations their player takes care, and materials have none.
    fn visit_resource(&mut self, node: &Gd<Node>, value: &Variant, at: &str) {
        let Ok(resource) = value.try_to::<Gd<Resource>>() else { return };
        let is_other = resource.is_class("Animation") || resource.is_class("Material");
        if !is_other && self.is_ours(&resource) && self.seen.insert(resource.instance_id()) {
            self.visit_properties(node, &resource.upcast(), at);
        }
    }

    fn visit_animations(&mut self, mixer: &Gd<AnimationMixer>) {
        let Some(base) = mixer.get_node_or_null(&mixer.get_root_node()) else { return };
        for name in mixer.get_animation_list().as_slice() {
            let Some(animation) = mixer.get_animation(&StringName::from(name)) else { continue };
            if !self.is_ours(&animation.clone().upcast()) {
                continue;
            }
            for track in 0..animation.get_track_count() {
                let old = animation.track_get_path(track);
                let Some(new) = self.followed(&base, &old) else { continue };
                self.updated.push(format!(
                    "{}:animation/{name}/track/{track}",
                    self.scene.path_of(&mixer.clone().upcast())
                ));
                let call = |path: &NodePath| {
                    ("track_set_path", vec![track.to_variant(), path.to_variant()])
                };
                let (do_call, undo_call) = (call(&new), call(&old));
                let object = animation.clone().upcast::<Object>();
                let animation = animation.clone();
                let holds = Box::new(move || animation.track_get_path(track) == new);
                self.steps.push(Step::Call { object, do_call, undo_call, holds });
            }
        }
    }

    /// Whether a resource is saved with this scene. One in another file may be used by others.
    fn is_ours(&self, resource: &Gd<Resource>) -> bool {
        let path = resource.get_path().to_string();
        path.is_empty() || path.split("::").next() == Some(self.scene.path().as_str())
    }

    /// A value with the paths in it as they are to be afterwards; `None` where nothing changes.
    fn followed_value(&mut self, node: &Gd<Node>, value: &Variant, at: &str) -> Option<Variant> {
        match value.get_type() {
            VariantType::NODE_PATH => {
                let path: NodePath = value.try_to().ok()?;
                self.followed(node, &path).map(|path| path.to_variant())
            }
            VariantType::ARRAY => {
                let list: AnyArray = value.try_to().ok()?;
                let mut new = VarArray::new();
                let mut is_changed = false;
                for item in list.iter_shared() {
                    let followed = self.followed_value(node, &item, at);
                    is_changed |= followed.is_some();
                    new.push(&followed.unwrap_or(item));
                }
                is_changed.then(|| retyped(value, &new.to_variant()))
            }
            VariantType::DICTIONARY => {
                let dictionary: AnyDictionary = value.try_to().ok()?;
                let mut new = VarDictionary::new();
                let mut is_changed = false;
                for (key, item) in dictionary.iter_shared() {
                    let followed = self.followed_value(node, &item, at);
                    is_changed |= followed.is_some();
                    new.set(&key, &followed.unwrap_or(item));
                }
                is_changed.then(|| retyped(value, &new.to_variant()))
            }
            VariantType::OBJECT => {
                self.visit_resource(node, value, at);
                None
            }
            _ => None,
        }
    }

    /// A path from `from`, as it is to be when the node has moved; `None` where it stays the same,
    /// leads nowhere, or out of the scene.
    fn followed(&self, from: &Gd<Node>, path: &NodePath) -> Option<NodePath> {
        let text = path.to_string();
        let (names, rest) = match text.split_once(':') {
            Some((names, rest)) => (names, format!(":{rest}")),
            None => (text.as_str(), String::new()),
        };
        // An absolute path is no concern of this scene.
        if names.is_empty() || names.starts_with('/') {
            return None;
        }
        if names.contains('%') {
            let new = self.followed_unique_name(from, names)?;
            return (new != names).then(|| NodePath::from(&format!("{new}{rest}")));
        }
        let target = from.get_node_or_null(names)?;
        let root = &self.scene.root;
        if target != *root && !root.is_ancestor_of(&target) {
            return None;
        }
        let (old_from, old_to) = (self.scene.path_of(from), self.scene.path_of(&target));
        let (new_from, new_to) = (self.moved(&old_from), self.moved(&old_to));
        if new_from == old_from && new_to == old_to {
            return None;
        }
        let new = format!("{}{rest}", relative(&new_from, &new_to));
        (new != text).then(|| NodePath::from(&new))
    }

    /// `%Old/Child` as `%New/Child`, and as a plain way where the child is not below any more. A
    /// unique name itself stays the same wherever its node moves to.
    fn followed_unique_name(&self, from: &Gd<Node>, names: &str) -> Option<String> {
        let head = names.split('/').next().unwrap_or_default();
        let target = from.get_node_or_null(names)?;
        let through = from.get_node_or_null(head).filter(|_| head.starts_with('%'));
        let Some(through) = through else { return self.renamed_unique_parts(names) };
        let is_inside =
            |node: &Gd<Node>| *node == self.scene.root || self.scene.root.is_ancestor_of(node);
        if !is_inside(&through) || !is_inside(&target) {
            return None;
        }
        let (old_through, old_to) = (self.scene.path_of(&through), self.scene.path_of(&target));
        let (new_through, new_to) = (self.moved(&old_through), self.moved(&old_to));
        let way = relative(&new_through, &new_to);
        if way == relative(&old_through, &old_to) {
            // Nothing but the name of the first node can have changed.
            let head = if old_through == self.old_path { last(&new_through) } else { return None };
            let rest = names.split_once('/').map(|(_, rest)| format!("/{rest}"));
            return Some(format!("%{head}{}", rest.unwrap_or_default()));
        }
        if way.starts_with("..") {
            return Some(relative(&self.moved(&self.scene.path_of(from)), &new_to));
        }
        Some(format!("%{}/{way}", last(&new_through)))
    }

    /// The same for a unique name on the way.
    fn renamed_unique_parts(&self, names: &str) -> Option<String> {
        let (old, new) =
            (format!("%{}", last(&self.old_path)), format!("%{}", last(&self.new_path)));
        let is_unique =
            self.scene.root.get_node_or_null(self.old_path.as_str())?.is_unique_name_in_owner();
        if old == new || !is_unique || !names.split('/').any(|part| part == old) {
            return None;
        }
        let parts = names.split('/').map(|part| if part == old { new.as_str() } else { part });
        Some(parts.collect::<Vec<_>>().join("/"))
    }

    /// Where the node at `path` will be.
    fn moved(&self, path: &str) -> String {
        match path.strip_prefix(self.old_path.as_str()) {
            Some("") => self.new_path.clone(),
            Some(below) if below.starts_with('/') => format!("{}{below}", self.new_path),
            _ => path.to_owned(),
        }
    }
}

/// `new` as an array or dictionary of the same type as `old`.
fn retyped(old: &Variant, new: &Variant) -> Variant {
    let copy = old.call("duplicate", &[]);
    copy.call("assign", std::slice::from_ref(new));
    copy
}

/// The names of the stored properties of an object that may hold a path, at any depth.
fn path_properties(object: &Gd<Object>) -> Vec<String> {
    PropertyInfo::all(object)
        .into_iter()
        .filter(|info| info.is_stored() && info.name != "script")
        .filter(|info| {
            matches!(
                info.kind,
                VariantType::NODE_PATH
                    | VariantType::ARRAY
                    | VariantType::DICTIONARY
                    | VariantType::OBJECT
                    | VariantType::NIL
            )
        })
        .map(|info| info.name)
        .collect()
}

/// The name at the end of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The way from one node to another, both by their path from the root.
fn relative(from: &str, to: &str) -> String {
    let parts = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| *part != ".").map(str::to_owned).collect()
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    let down = to.iter().skip(shared).map(String::as_str);
    let way: Vec<&str> = up.chain(down).collect();
    if way.is_empty() { ".".to_owned() } else { way.join("/") }
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn ways_between_nodes() {
        for (from, to, way) in [
            (".", "A", "A"),
            ("A", ".", ".."),
            ("A", "A", "."),
            ("A/B", "A/C", "../C"),
            ("A/B", "D/E", "../../D/E"),
            ("A", "A/B/C", "B/C"),
        ] {
            assert_eq!(relative(from, to), way, "{from} to {to}");
        }
    }
}
