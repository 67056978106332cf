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
    resource::NodeKind,
    scene::Scene,
    tools::inspection::split,
};

impl Edit for BatchSetProperty {
    fn plan(self, _: &Context) -> Result<Plan<PropertiesSet>, Fault> {
        let scene = Scene::active()?;
        let (nodes, skipped) = chosen(&self, &scene)?;
        let (mut steps, mut applied, mut persistence) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Verdict::kept();
        for node in nodes {
            let node_path = scene.path_of(&node);
            let object = node.clone().upcast::<Object>();
            let set = Assignment::read(&object, &self.property, &self.value.0, &scene.root, None)
                .map_err(|fault| {
                Fault { hint: format!("{node_path}: {}", fault.hint), ..fault }
                    .with("node_path", node_path.as_str())
            })?;
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

/// The nodes that are meant, each once, and those of the class without the property.
fn chosen(
    call: &BatchSetProperty,
    scene: &Scene,
) -> Result<(Vec<Gd<Node>>, Vec<SkippedNode>), Fault> {
    let refuse =
        |hint: &str| Err(Fault::invalid(hint).requiring(Required::parameter("node_paths")));
    match (&call.node_paths, call.node_type.as_str()) {
        (Some(_), class) if !class.is_empty() => {
            refuse("Give either node_paths or node_type, not both.")
        }
        (None, "") => refuse("Give node_paths, or node_type to mean all nodes of a class."),
        (Some(paths), _) => {
            let mut seen = HashSet::new();
            let mut nodes = Vec::new();
            for path in paths {
                let node = scene.node(path)?;
                if seen.insert(node.instance_id()) {
                    nodes.push(node);
                }
            }
            Ok((nodes, Vec::new()))
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

/// The nodes of a class that have a property, those that do not, and what is wrong with these.
pub(super) fn of_class(
    scene: &Scene,
    kind: &NodeKind,
    property: &str,
) -> (Vec<Gd<Node>>, Vec<SkippedNode>, Option<Fault>) {
    let (mut nodes, mut skipped, mut missing) = (Vec::new(), Vec::new(), None);
    scene.walk(&mut |node| {
        if !kind.has(node) {
            return;
        }
        match find(&node.clone().upcast(), split(property).0) {
            Ok(_) => nodes.push(node.clone()),
            Err(fault) => {
                let (node_path, reason) = (scene.path_of(node), fault.hint.clone());
                skipped.push(SkippedNode { node_path, reason });
                missing = Some(fault);
            }
        }
    });
    (nodes, skipped, missing)
}
