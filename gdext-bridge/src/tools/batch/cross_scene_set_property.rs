//! `godot_batch_cross_scene_set_property`.

use godot::{
    classes::{PackedScene, Resource, packed_scene::GenEditState},
    global::Error,
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath,
    tools::{
        batch::{CrossSceneSetProperty, SceneChanged, ScenesChanged},
        composite::NodeVerdict,
    },
};

use super::set_property::{Chosen, of_class};
use crate::{
    adjusted,
    assignment::Assignment,
    history,
    plan::{Context, Edit, Plan},
    refresh,
    resource::{NodeKind, check_target},
    resource_file::ResourceFile,
    saving::{check_unchanged, save_active},
    scene::Scene,
    scene_save::KeptSave,
    scene_users,
    undo::Step,
    variant,
};

impl Edit for CrossSceneSetProperty {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<ScenesChanged>, Fault> {
        let kind = NodeKind::find(&self.node_type, "node_type")?;
        let active = Scene::active().ok();
        let (mut steps, mut results, mut missing) = (Vec::new(), Vec::new(), None);
        let mut saved = None;
        let mut written = Vec::new();
        // What it shows of the others is read again with it, which its steps would not outlive.
        let is_user = active.as_ref().is_some_and(|scene| is_user_of(scene, &self.scenes));
        for path in &self.scenes {
            if results.iter().any(|done: &SceneChanged| done.scene == path.as_str()) {
                continue;
            }
            let is_active = |scene: &&Scene| scene.path() == path.as_str();
            let active = active.as_ref().filter(is_active);
            check_tab(context, path, active.is_some())?;
            let planned = match active.filter(|_| !is_user) {
                Some(scene) => {
                    saved = Some(path.to_string());
                    change_scene(&self, scene, &kind, path)
                }
                None => change_file(&self, &kind, path),
            };
            let at = |fault: Fault| Fault { hint: format!("{path}: {}", fault.hint), ..fault };
            let Planned { changed, steps: more, lacks } = planned.map_err(at)?;
            if changed.modified > 0 && saved.as_deref() != Some(path.as_str()) {
                written.push(path.to_string());
            }
            results.push(changed);
            steps.extend(more);
            missing = missing.or(lacks);
        }
        let total_modified = results.iter().map(|scene| scene.modified).sum();
        if let (0, Some(fault)) = (total_modified, missing) {
            // Not one has it: that is no success with nothing done, but a wrong name.
            return Err(fault);
        }
        let again = read_again(context, &written)?;
        let lost = again.iter().filter(|path| has_steps(path));
        let lost = lost.map(|path| format!("the undo history of '{path}', which is read again"));
        let lost: Vec<String> = lost.collect();
        let label = format!("Set {} in {} scenes", self.property, results.len());
        let (scenes, written) = (results.len(), !steps.is_empty());
        let result = ScenesChanged { results, total_modified, scenes, written };
        let plan = match (active, saved) {
            (Some(scene), Some(path)) if written => {
                let save = KeptSave::of(&path);
                steps.push(Step::Save(save.clone()));
                Plan::steps(result, label, scene, steps).then(move |context, mut result| {
                    // Where it cannot be written it has the change nevertheless, as it is open.
                    result.written = save_active(&context.tabs, &path).is_ok();
                    if result.written {
                        save.bind().done();
                    }
                    refresh::when_settled(result)
                })
            }
            _ => Plan::project_steps(result, label, steps)
                .then(|_, result| refresh::when_settled(result)),
        };
        let plan = plan.reading_again(!again.is_empty());
        Ok(if lost.is_empty() { plan } else { plan.discarding(lost.join(", and ")) })
    }
}

/// Whether a scene shows one of these.
fn is_user_of(scene: &Scene, scenes: &[ResPath]) -> bool {
    let scenes: Vec<String> = scenes.iter().map(ResPath::to_string).collect();
    scene_users::of(&scenes).contains(&scene.path())
}

/// The open scenes that are read again when these are written. Refuses where one has unsaved changes.
fn read_again(context: &Context, written: &[String]) -> Result<Vec<String>, Fault> {
    let users = scene_users::of(written);
    let mut tabs = context.tabs.all();
    tabs.retain(|tab| users.contains(&tab.path) || written.contains(&tab.path));
    let unsaved = tabs.iter().filter(|tab| tab.dirty != Some(false));
    let unsaved: Vec<&str> = unsaved.map(|tab| &*tab.path).collect();
    if let Some(first) = unsaved.first() {
        return Err(Fault::precondition(
            Required::SCENE_SAVED,
            format!(
                "The open scene '{first}' has unsaved changes, and has instances of what is to be changed, \
                 for which it is read again. Save it with godot_scene_edit_save_all_scenes first. In a \
                 batch, put this change into one of its own, before the entries that edit the scene."
            ),
        )
        .with("scenes", unsaved));
    }
    Ok(tabs.into_iter().map(|tab| tab.path).collect())
}

/// Whether there is something to undo in an open scene.
fn has_steps(path: &str) -> bool {
    history::of_path(path).is_some_and(|it| !history::labels(&it).is_empty())
}

/// What becomes of one scene.
struct Planned {
    changed: SceneChanged,
    steps: Vec<Step>,
    /// That a node of the class does not have the property.
    lacks: Option<Fault>,
}

/// What becomes of the nodes of a scene.
struct Change {
    changed: SceneChanged,
    sets: Vec<(Gd<Node>, Assignment)>,
    lacks: Option<Fault>,
}

/// The steps that change the active scene as it is open.
fn change_scene(
    call: &CrossSceneSetProperty,
    scene: &Scene,
    kind: &NodeKind,
    path: &ResPath,
) -> Result<Planned, Fault> {
    let Change { changed, sets, lacks } = change(call, scene, kind, path)?;
    let steps = sets.into_iter().map(|(node, set)| set.step(&node.upcast())).collect();
    Ok(Planned { changed, steps, lacks })
}

/// The step that writes a scene file with the change.
fn change_file(
    call: &CrossSceneSetProperty,
    kind: &NodeKind,
    path: &ResPath,
) -> Result<Planned, Fault> {
    check_target(path, "scenes")?;
    let refuse =
        |why: &str| Err(Fault::invalid(why.to_owned()).requiring(Required::parameter("scenes")));
    let file = ResourceFile::open(path, "scenes")?;
    file.check_complete()?;
    let Ok(packed) = file.resource.clone().try_cast::<PackedScene>() else {
        return refuse("it is no scene.");
    };
    let Some(root) = packed.instantiate_ex().edit_state(GenEditState::MAIN).done() else {
        return refuse("it cannot be read, as it is broken or has no nodes.");
    };
    let scene = Scene { root };
    let planned = written(call, &scene, kind, file);
    scene.root.free();
    planned
}

/// The step that writes what a scene becomes, which is a copy that nobody sees.
fn written(
    call: &CrossSceneSetProperty,
    scene: &Scene,
    kind: &NodeKind,
    file: ResourceFile,
) -> Result<Planned, Fault> {
    let path = file.path.clone();
    let Change { changed, sets, lacks } = change(call, scene, kind, &path)?;
    if sets.is_empty() {
        return Ok(Planned { changed, steps: Vec::new(), lacks });
    }
    for (node, set) in sets {
        let mut object = node.upcast::<Object>();
        let old = object.get(set.name.as_str());
        object.set(set.name.as_str(), &set.value);
        let got = object.get(set.name.as_str());
        if !variant::same(&set.value, &got) {
            return Err(adjusted::refused(&set.name, &set.value, &got, &old));
        }
    }
    let mut packed = PackedScene::new_gd();
    let error = packed.pack(&scene.root);
    if error != Error::OK {
        return Err(Fault::internal(format!("The engine cannot pack the scene ({error:?}).")));
    }
    let (step, _) = file.holding(packed.upcast::<Resource>()).written()?;
    let step = match step {
        Step::File(change) => Step::File(change.remaking_instances()),
        other => other,
    };
    Ok(Planned { changed, steps: vec![step], lacks })
}

/// Which nodes are to be set. Those that the file would not keep are told, and left alone.
fn change(
    call: &CrossSceneSetProperty,
    scene: &Scene,
    kind: &NodeKind,
    path: &ResPath,
) -> Result<Change, Fault> {
    let (nodes, _, lacks) = of_class(scene, kind, &call.property);
    let (mut sets, mut not_kept) = (Vec::new(), Vec::new());
    for Chosen { node_path, node, object, info } in nodes {
        let set =
            Assignment::of(&object, info, &call.property, &call.value.0, &scene.root, None)
                .map_err(|fault| Fault { hint: format!("{node_path}: {}", fault.hint), ..fault })?;
        let verdict = set.verdict(scene, &node);
        if verdict.persisted {
            sets.push((node, set));
        } else {
            not_kept.push(NodeVerdict { node_path, verdict });
        }
    }
    let changed = SceneChanged { scene: path.to_string(), modified: sets.len(), not_kept };
    Ok(Change { changed, sets, lacks })
}

/// Refuses a scene whose tab shows something else than its file, now or afterwards.
fn check_tab(context: &Context, path: &ResPath, is_active: bool) -> Result<(), Fault> {
    let Some(tab) = context.tabs.all().into_iter().find(|tab| tab.path == path.as_str()) else {
        return Ok(());
    };
    let refuse = |required, hint: String| Err(Fault::precondition(required, hint));
    match tab.dirty {
        Some(false) if is_active => check_unchanged(&context.tabs, path.as_str(), "scenes"),
        _ if is_active => refuse(
            Required::SCENE_SAVED,
            format!(
                "'{path}' has unsaved changes, which a save would write as well. Save it first with \
             godot_scene_edit_save_scene."
            ),
        ),
        _ => refuse(
            Required::parameter("scenes"),
            format!(
                "'{path}' is open in a tab, which would go on to show it as it was. Close it with \
             godot_scene_edit_close_scene, or make it the active scene."
            ),
        ),
    }
}
