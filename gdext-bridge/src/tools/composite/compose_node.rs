//! `godot_composite_compose_node`.

use godot::{classes::Script, prelude::*};
use protocol::{
    Fault,
    tools::composite::{ComposeNode, ComposedChild, NodeComposed},
};

use super::{Model, Setting, add, add_with, save_after, save_path, set_all};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    resource::NodeClass,
    scene::{NewNames, Scene, check_name, free_name},
    tools::scene_edit::{check_base, load_script},
    undo::Step,
};

impl Edit for ComposeNode {
    fn plan(self, context: &Context) -> Result<Plan<NodeComposed>, Fault> {
        let scene = Scene::active()?;
        let parent = scene.node(&self.parent_path)?;
        let path = save_path(context, &scene, self.save)?;
        let class = NodeClass::find(&self.node_type, "node_type")?;
        check_name(&self.node_name, "node_name")?;
        let script = self.script_path.as_ref().map(load_script).transpose()?;
        let model = Model::of(&class, script.as_ref())?;
        if let (Some(script), Some(path)) = (&script, &self.script_path) {
            check_base(&model.stand_in, script, path)?;
        }
        let settings = model.settings(&self.properties, &scene.root)?;
        let children = plan_children(&self.children, &scene.root)?;

        let name = free_name(&parent, &self.node_name, None);
        let node_path = scene.path_below(&parent, &name);
        let result = NodeComposed {
            created: true,
            children: children.iter().map(|child| format!("{node_path}/{}", child.name)).collect(),
            script_attached: script.is_some(),
            properties_set: self.properties.into_keys().collect(),
            saved: self.save,
            note: None,
            node_path,
        };
        let label = format!("Create {}", result.node_path);
        let verdict = persistence::of_node(&scene, &parent);
        let steps = steps(class, parent, name, script, settings, children);
        let save = save_after(path, |result: &mut NodeComposed, saved, note| {
            (result.saved, result.note) = (saved, note);
        });
        let plan = Plan::steps(result, label, scene, steps).with_verdict(verdict);
        Ok(if self.save { plan.then(save) } else { plan })
    }
}

/// A child as it is planned.
struct Child {
    class: NodeClass,
    name: String,
    settings: Vec<Setting>,
}

fn plan_children(children: &[ComposedChild], root: &Gd<Node>) -> Result<Vec<Child>, Fault> {
    let mut names = NewNames::default();
    let mut planned = Vec::new();
    for (index, child) in children.iter().enumerate() {
        let at =
            |fault: Fault| Fault { hint: format!("children[{index}]: {}", fault.hint), ..fault };
        let class = NodeClass::find(&child.node_type, "children").map_err(at)?;
        let wanted = match child.node_name.as_str() {
            "" => &child.node_type,
            name => name,
        };
        check_name(wanted, "children").map_err(at)?;
        let model = Model::of(&class, None)?;
        let settings = model.settings(&child.properties, root).map_err(at)?;
        planned.push(Child { class, name: names.next(wanted, |_| false), settings });
    }
    Ok(planned)
}

fn steps(
    class: NodeClass,
    parent: Gd<Node>,
    name: String,
    script: Option<Gd<Script>>,
    settings: Vec<Setting>,
    children: Vec<Child>,
) -> Vec<Step> {
    add(class, parent, name, move |node| {
        let object = node.clone().upcast::<Object>();
        let script = script.map(|script| Step::Set {
            object: object.clone(),
            property: "script".to_owned(),
            value: script.to_variant(),
        });
        let mut steps: Vec<Step> = script.into_iter().collect();
        steps.extend(set_all(&object, settings));
        for Child { class, name, settings } in children {
            steps.extend(add_with(class, node.clone(), name, settings));
        }
        steps
    })
    .into()
}
