//! `godot_inspection_snapshot_subtree`. The gateway names the snapshot and keeps it.

use godot::prelude::*;
use protocol::{
    Fault,
    tools::inspection::{Snapshot, SnapshotSubtree},
};
use serde_json::{Map, Value, json};

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    resource::script_path,
    scene::Scene,
    variant,
};

/// What makes up the place of a node, in the classes that have one.
const TRANSFORM: &[(&str, &[&str])] = &[
    ("Node2D", &["position", "rotation", "scale", "skew"]),
    ("Node3D", &["position", "rotation", "scale"]),
    ("Control", &["position", "rotation", "scale", "size"]),
];

impl Read for SnapshotSubtree {
    fn read(self, _: &Context) -> Result<Snapshot, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let extra = self.properties.unwrap_or_default();
        let mut snapshot = Map::new();
        collect(&scene, &node, self.max_depth.limit(), &extra, &mut snapshot);
        Ok(Snapshot {
            snapshot_id: String::new(),
            node_path: scene.path_of(&node),
            node_count: snapshot.len(),
            snapshot: Some(snapshot),
            truncated: false,
        })
    }
}

fn collect(
    scene: &Scene,
    node: &Gd<Node>,
    limit: Option<usize>,
    extra: &[String],
    into: &mut Map<String, Value>,
) {
    into.insert(scene.path_of(node), facts(node, extra));
    if limit == Some(0) {
        return;
    }
    for child in node.get_children().iter_shared() {
        collect(scene, &child, limit.map(|limit| limit - 1), extra, into);
    }
}

fn facts(node: &Gd<Node>, extra: &[String]) -> Value {
    let object = node.clone().upcast::<Object>();
    let mut properties = Map::new();
    let mut note = |name: &str| {
        properties.insert(name.to_owned(), variant::to_json(&object.get(name)));
    };
    for (class, names) in TRANSFORM {
        if node.is_class(*class) {
            names.iter().for_each(|name| note(name));
        }
    }
    for info in PropertyInfo::of_script(&object) {
        note(&info.name);
    }
    for name in extra {
        if PropertyInfo::of(&object, name).is_some() {
            note(name);
        }
    }
    json!({
        // By it the gateway knows a node again that was moved; agents do not see it compared.
        "id": node.instance_id().to_i64().to_string(),
        "type": node.get_class().to_string(),
        "script": script_path(node),
        "index": node.get_index(),
        "groups": super::groups(node),
        "properties": properties,
    })
}
