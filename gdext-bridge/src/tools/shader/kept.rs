//! Where the material of a node is kept: in the scene, in a file of its own, or embedded in the file
//! of something else.

use std::collections::HashSet;

use godot::{
    classes::{Node, Resource, ShaderMaterial},
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::{
    property::PropertyInfo, refresh, resource::file_exists, resource_file::ResourceFile,
    scene::Scene, undo::Step,
};

/// Whether a parameter of the material can be set from the scene: it is kept there, or in a file that can be
/// written.
pub(super) fn is_ours(scene: &Scene, material: &Gd<ShaderMaterial>) -> bool {
    let place = material.get_path().to_string();
    let holder = place.split("::").next().unwrap_or_default();
    if holder == scene.path() || !holder.starts_with("res://") {
        return true;
    }
    ResPath::try_from(holder.to_owned()).is_ok_and(|path| check_holder(&path, "").is_ok())
}

/// The steps that set a property of a material in the file that it is kept in; `None` for one that the
/// scene keeps. Refuses one that another scene keeps: the editor writes a scene only from its tab.
pub(super) fn in_file(
    scene: &Scene,
    node: &Gd<Node>,
    material: &Gd<ShaderMaterial>,
    (property, value): (&str, &Variant),
) -> Result<Option<Vec<Step>>, Fault> {
    let place = material.get_path().to_string();
    let holder = place.split("::").next().unwrap_or_default();
    if holder == scene.path() || !holder.starts_with("res://") {
        return Ok(None);
    }
    let path = ResPath::try_from(holder.to_owned()).map_err(Fault::invalid)?;
    check_holder(&path, &scene.path_of(node))?;
    let file = ResourceFile::open_to_change(&path, "node_path")?;
    let copy = match place == holder {
        true => Some(file.resource.clone()),
        false => embedded(&file.resource, &place, &mut HashSet::new()),
    };
    copy.ok_or_else(|| not_in_file(&place))?.set(property, value);
    let mut steps = vec![file.written()?.0];
    if refresh::loaded(holder).is_none() {
        // Nobody makes anew what the node has of a file that is not loaded.
        steps.push(Step::Set {
            object: material.clone().upcast(),
            property: property.to_owned(),
            value: value.clone(),
        });
    }
    Ok(Some(steps))
}

/// Refuses a file that is written in other ways than as a resource.
fn check_holder(holder: &ResPath, node_path: &str) -> Result<(), Fault> {
    let import = ResPath::try_from(format!("{holder}.import"));
    let way = if import.is_ok_and(|import| file_exists(&import)) {
        "which is imported, and would be overwritten by its next import".to_owned()
    } else if ["tscn", "scn"].contains(&holder.extension().as_str()) {
        format!(
            "which is not the active scene. Open it with godot_scene_edit_open_scene, scene_path \
             '{holder}', and set the parameter of its own node, for everything that shows it"
        )
    } else {
        return Ok(());
    };
    Err(Fault::precondition(
        Required::parameter("node_path"),
        format!(
            "The material of '{node_path}' is kept in '{holder}', {way}. Or give this node a material of \
             its own with godot_shader_assign_material. Nothing was changed."
        ),
    )
    .with("kept_in", holder.to_string()))
}

/// The resource with that path in another one: itself, or one that is embedded in it.
fn embedded(
    resource: &Gd<Resource>,
    path: &str,
    seen: &mut HashSet<InstanceId>,
) -> Option<Gd<Resource>> {
    if resource.get_path() == path {
        return Some(resource.clone());
    }
    if !seen.insert(resource.instance_id()) {
        return None;
    }
    let object = resource.clone().upcast::<Object>();
    let values = PropertyInfo::all(&object).into_iter().filter(|info| {
        matches!(info.kind, VariantType::OBJECT | VariantType::ARRAY | VariantType::NIL)
    });
    let values = values.flat_map(|info| resources_in(&object.get(info.name.as_str())));
    values
        .filter(|inner| inner.get_path().contains("::"))
        .find_map(|inner| embedded(&inner, path, seen))
}

fn resources_in(value: &Variant) -> Vec<Gd<Resource>> {
    if let Ok(resource) = value.try_to::<Gd<Resource>>() {
        return vec![resource];
    }
    let items = value.try_to::<AnyArray>().map(|list| list.iter_shared().collect::<Vec<_>>());
    items.unwrap_or_default().iter().filter_map(|item| item.try_to().ok()).collect()
}

fn not_in_file(place: &str) -> Fault {
    Fault::precondition(
        Required::parameter("node_path"),
        format!(
            "The editor has the material as '{place}', and the file has none there any more: somebody \
             else has changed it. Give the node its material anew. Nothing was changed."
        ),
    )
}
