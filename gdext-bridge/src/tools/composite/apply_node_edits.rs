//! `godot_composite_apply_node_edits`.

use std::collections::HashMap;

use godot::prelude::*;
use protocol::{
    Fault, Verdict,
    tools::composite::{ApplyNodeEdits, NodeVerdict, NodesEdited},
};

use super::{named, save_after, save_path};
use crate::{
    assignment::Assignment,
    persistence,
    plan::{Context, Edit, Plan},
    scene::Scene,
    tools::inspection::split,
};

impl Edit for ApplyNodeEdits {
    fn plan(self, context: &Context) -> Result<Plan<NodesEdited>, Fault> {
        let scene = Scene::active()?;
        let path = save_path(context, &scene, self.save)?;
        // What earlier edits of this call make of a property, for a component of it set later.
        let mut pending: HashMap<(InstanceId, String), Variant> = HashMap::new();
        let (mut steps, mut edited, mut persistence) = (Vec::new(), Vec::new(), Vec::new());
        for (index, edit) in self.edits.iter().enumerate() {
            let at =
                |fault: Fault| Fault { hint: format!("edits[{index}]: {}", fault.hint), ..fault };
            let node = scene.node(&edit.node_path).map_err(at)?;
            let object = node.clone().upcast::<Object>();
            if edit.properties.len() > 1 && edit.properties.contains_key("script") {
                let hint = "Another script has other properties, so it is set on its own: with \
                            godot_scene_edit_attach_script, before this call.";
                return Err(at(named(Fault::invalid(hint), "script")));
            }
            let mut verdict = persistence::of_node(&scene, &node);
            for (property, value) in &edit.properties {
                let key = (node.instance_id(), split(property).0.to_owned());
                let old = pending.get(&key).cloned();
                let set = Assignment::read(&object, property, &value.0, &scene.root, old)
                    .map_err(|fault| at(named(fault, property)))?;
                verdict = worse(verdict, set.verdict(&scene, &node));
                pending.insert(key, set.value.clone());
                steps.push(set.step(&object));
            }
            let node_path = scene.path_of(&node);
            edited.push(node_path.clone());
            persistence.push(NodeVerdict { node_path, verdict });
        }
        let label = match edited.as_slice() {
            [one] => format!("Edit {one}"),
            several => format!("Edit {} nodes", several.len()),
        };
        let verdict =
            persistence.iter().fold(Verdict::kept(), |all, one| worse(all, one.verdict.clone()));
        let result = NodesEdited {
            count: edited.len(),
            edited,
            skipped: Vec::new(),
            saved: self.save,
            persistence,
            note: None,
        };
        let save = save_after(path, |result: &mut NodesEdited, saved, note| {
            (result.saved, result.note) = (saved, note);
        });
        let plan = Plan::steps(result, label, scene, steps).with_verdict(verdict);
        Ok(if self.save { plan.then(save) } else { plan })
    }
}

/// The one of two verdicts that says that something is lost.
pub(in crate::tools) fn worse(a: Verdict, b: Verdict) -> Verdict {
    if a.persisted { b } else { a }
}
