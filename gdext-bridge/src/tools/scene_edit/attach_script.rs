//! `godot_scene_edit_attach_script`.

use godot::{
    classes::{ClassDb, ResourceLoader, Script},
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath,
    tools::scene_edit::{AttachScript, ScriptAttached},
};

use crate::{
    outside, persistence,
    plan::{Context, Edit, Plan},
    resource::{file_exists, script_path},
    scene::Scene,
    throwaway::base_of,
    undo::Step,
};

impl Edit for AttachScript {
    fn plan(self, _: &Context) -> Result<Plan<ScriptAttached>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let script = load(&self.script_path)?;
        check_base(&node, &script, &self.script_path)?;
        let verdict = persistence::of_node(&scene, &node);

        let result = ScriptAttached {
            node_path: scene.path_of(&node),
            script_path: self.script_path.to_string(),
            attached: true,
            previous_script: script_path(&node),
        };
        let label = format!("Attach {} to {}", self.script_path, result.node_path);
        let is_same =
            node.get_script().is_some_and(|old| old.instance_id() == script.instance_id());
        let step = Step::Set {
            object: node.upcast(),
            property: "script".to_owned(),
            value: script.to_variant(),
        };
        let steps = if is_same { Vec::new() } else { vec![step] };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

/// The script at `path`.
pub(in crate::tools) fn load(path: &ResPath) -> Result<Gd<Script>, Fault> {
    let parameter = Required::parameter("script_path");
    if !file_exists(path) {
        return Err(Fault::not_found(format!("There is no file '{path}'.")).requiring(parameter));
    }
    outside::take_in(path.as_str());
    let loaded = ResourceLoader::singleton().load(path.as_str());
    loaded.and_then(|loaded| loaded.try_cast::<Script>().ok()).ok_or_else(|| {
        Fault::invalid(format!(
            "'{path}' is no script, or has errors that keep it from being loaded."
        ))
        .requiring(parameter)
    })
}

/// Refuses a script that extends another class than the node is of: the engine would print an error
/// and leave the node without any.
pub(in crate::tools) fn check_base(
    node: &Gd<Node>,
    script: &Gd<Script>,
    path: &ResPath,
) -> Result<(), Fault> {
    let refuse =
        |why: String| Err(Fault::invalid(why).requiring(Required::parameter("script_path")));
    let Some(base) = base_of(script) else {
        return refuse(format!("'{path}' has errors; correct them first."));
    };
    let class = node.get_class();
    if !ClassDb::singleton().is_parent_class(&StringName::from(&class), &base) {
        return refuse(format!("'{path}' extends {base}, but the node is a {class}."));
    }
    Ok(())
}
