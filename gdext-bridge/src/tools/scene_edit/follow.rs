//! Paths that follow a node when it is renamed or moved, as the editor's scene dock lets them:
//! properties that hold a `NodePath`, and the tracks of animations. Connections and exported nodes
//! need no care, as they hold the node itself.

use std::collections::HashMap;

use godot::{
    classes::{Animation, AnimationMixer, Node},
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
    /// The names of the stored properties that hold a path, for each class with each script.
    path_properties: HashMap<(String, Option<InstanceId>), Vec<String>>,
    steps: Vec<Step>,
    updated: Vec<String>,
}

impl Follower<'_> {
    fn visit(&mut self, node: &Gd<Node>) {
        let object = node.clone().upcast::<Object>();
        let key =
            (node.get_class().to_string(), node.get_script().map(|script| script.instance_id()));
        let names =
            self.path_properties.entry(key).or_insert_with(|| path_properties(&object)).clone();
        for name in names {
            let value = object.get(name.as_str());
            if let Some(value) = self.followed_value(node, &value) {
                self.updated.push(format!("{}:{name}", self.scene.path_of(node)));
                self.steps.push(Step::Set { object: object.clone(), property: name, value });
            }
        }
        if let Ok(mixer) = node.clone().try_cast::<AnimationMixer>() {
            self.visit_animations(&mixer);
        }
    }

    fn visit_animations(&mut self, mixer: &Gd<AnimationMixer>) {
        let Some(base) = mixer.get_node_or_null(&mixer.get_root_node()) else { return };
        for name in mixer.get_animation_list().as_slice() {
            let Some(animation) = mixer.get_animation(&StringName::from(name)) else { continue };
            if !self.is_ours(&animation) {
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

    /// Whether an animation is saved with this scene. One in another file may be used by others.
    fn is_ours(&self, animation: &Gd<Animation>) -> bool {
        let path = animation.get_path().to_string();
        path.is_empty() || path.split("::").next() == Some(self.scene.path().as_str())
    }

    /// A path, or a list with paths, as it is to be afterwards; `None` where nothing changes.
    fn followed_value(&self, node: &Gd<Node>, value: &Variant) -> Option<Variant> {
        if let Ok(path) = value.try_to::<NodePath>() {
            return self.followed(node, &path).map(|path| path.to_variant());
        }
        let list = value.try_to::<Array<NodePath>>().ok()?;
        let mut new = list.duplicate_shallow();
        let mut is_changed = false;
        for (index, path) in list.iter_shared().enumerate() {
            if let Some(path) = self.followed(node, &path) {
                new.set(index, &path);
                is_changed = true;
            }
        }
        is_changed.then(|| new.to_variant())
    }

    /// A path from `from`, as it is to be when the node has moved; `None` where it stays the same,
    /// leads nowhere, or out of the scene.
    fn followed(&self, from: &Gd<Node>, path: &NodePath) -> Option<NodePath> {
        let text = path.to_string();
        let (names, rest) = match text.split_once(':') {
            Some((names, rest)) => (names, format!(":{rest}")),
            None => (text.as_str(), String::new()),
        };
        // A unique name stays the same wherever its node moves to, and an absolute one is no
        // concern of this scene.
        if names.is_empty() || names.starts_with('/') || names.contains('%') {
            return self
                .followed_unique_name(names)
                .map(|names| NodePath::from(&format!("{names}{rest}")));
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

    /// `%Old/Child` as `%New/Child`.
    fn followed_unique_name(&self, names: &str) -> Option<String> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
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

/// The names of the stored properties of an object that hold a path or a list of paths.
fn path_properties(object: &Gd<Object>) -> Vec<String> {
    PropertyInfo::all(object)
        .into_iter()
        .filter(|info| info.is_stored())
        .filter(|info| match info.kind {
            VariantType::NODE_PATH => true,
            VariantType::ARRAY => {
                object.get(info.name.as_str()).try_to::<Array<NodePath>>().is_ok()
            }
            _ => false,
        })
        .map(|info| info.name)
        .collect()
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
