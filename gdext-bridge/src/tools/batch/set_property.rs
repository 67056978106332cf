//! `godot_batch_set_property`.

use std::collections::HashSet;

use godot::prelude::*;
use protocol::{
    Fault, Required, Verdict,
    tools::{
        batch::{BatchSetProperty, PropertiesSet, SkippedNode},
        composite::NodeVerdict,
    },
};

use crate::{
    assignment::{Assignment, find},
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    resource::NodeKind,
    scene::{Scene, path_at},
    tools::inspection::split,
};

impl Edit for BatchSetProperty {
    fn plan(self, _: &Context) -> Result<Plan<PropertiesSet>, Fault> {
        let scene = Scene::active()?;
        let (nodes, skipped) = chosen(&self, &scene)?;
        let (mut steps, mut applied, mut persistence) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Verdict::kept();
        for Chosen { node_path, node, object, info } in nodes {
            let set =
                Assignment::of(&object, info, &self.property, &self.value.0, &scene.root, None)
                    .map_err(|fault| at(&node_path, fault))?;
            let verdict = set.verdict(&scene, &node);
            if all.persisted {
                all = verdict.clone();
            }
            steps.push(set.step(&object));
            applied.push(node_path.clone());
            persistence.push(NodeVerdict { node_path, verdict });
        }
        let label = format!("Set {} of {} nodes", self.property, applied.len());
        let result = PropertiesSet {
            property: self.property,
            count: applied.len(),
            applied,
            skipped,
            persistence,
        };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(all))
    }
}

/// The path of a node that has no such property, and what is wrong.
type SkippedFor = (String, Fault);

/// A node that is meant, and its property.
pub(super) struct Chosen {
    /// Its path.
    pub(super) node_path: String,
    /// The node.
    pub(super) node: Gd<Node>,
    /// The same as what has properties.
    pub(super) object: Gd<Object>,
    /// The property.
    pub(super) info: PropertyInfo,
}

impl Chosen {
    fn find(node: &Gd<Node>, node_path: String, property: &str) -> Result<Chosen, SkippedFor> {
        let object = node.clone().upcast::<Object>();
        match find(&object, split(property).0) {
            Ok(info) => Ok(Chosen { node_path, node: node.clone(), object, info }),
            Err(fault) => Err((node_path, fault)),
        }
    }
}

/// The nodes that are meant, each once, and those of the class without the property.
fn chosen(
    call: &BatchSetProperty,
    scene: &Scene,
) -> Result<(Vec<Chosen>, Vec<SkippedNode>), Fault> {
    let refuse =
        |hint: &str| Err(Fault::invalid(hint).requiring(Required::parameter("node_paths")));
    match (&call.node_paths, call.node_type.as_str()) {
        (Some(_), class) if !class.is_empty() => {
            refuse("Give either node_paths or node_type, not both.")
        }
        (None, "") => refuse("Give node_paths, or node_type to mean all nodes of a class."),
        (Some(paths), _) => {
            let mut seen = HashSet::new();
            let nodes: Vec<Gd<Node>> =
                paths.iter().map(|path| scene.node(path)).collect::<Result<_, _>>()?;
            let nodes = nodes.iter().filter(|node| seen.insert(node.instance_id()));
            let nodes = nodes.map(|node| {
                let chosen = Chosen::find(node, scene.path_of(node), &call.property);
                chosen.map_err(|(node_path, fault)| at(&node_path, fault))
            });
            Ok((nodes.collect::<Result<_, _>>()?, Vec::new()))
        }
        (None, class) => {
            let kind = NodeKind::find(class, "node_type")?;
            match of_class(scene, &kind, &call.property) {
                // Not one has it: that is no success with nothing done, but a wrong name.
                (nodes, _, Some(fault)) if nodes.is_empty() => Err(fault),
                (nodes, skipped, _) => Ok((nodes, skipped)),
            }
        }
    }
}

/// The same fault, which is about the node at that path.
fn at(node_path: &str, fault: Fault) -> Fault {
    Fault { hint: format!("{node_path}: {}", fault.hint), ..fault }.with("node_path", node_path)
}

/// The nodes of a class that have a property, those that do not, and what is wrong with these.
pub(super) fn of_class(
    scene: &Scene,
    kind: &NodeKind,
    property: &str,
) -> (Vec<Chosen>, Vec<SkippedNode>, Option<Fault>) {
    let (mut nodes, mut skipped, mut missing) = (Vec::new(), Vec::new(), None);
    scene.walk_paths(&mut |node, beginning| {
        if !kind.has(node) {
            return;
        }
        let node_path = beginning.map_or(".".to_owned(), |beginning| path_at(node, beginning));
        match Chosen::find(node, node_path, property) {
            Ok(chosen) => nodes.push(chosen),
            Err((node_path, fault)) => {
                skipped.push(SkippedNode { node_path, reason: fault.hint.clone() });
                missing = Some(fault);
            }
        }
    });
    (nodes, skipped, missing)
}
