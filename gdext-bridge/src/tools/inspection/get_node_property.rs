//! `godot_inspection_get_node_property`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue,
    tools::inspection::{GetNodeProperty, NodeProperty},
};

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    resource::nearest,
    scene::Scene,
    variant,
};

/// How many names are suggested in place of one that does not exist.
const SUGGESTIONS: usize = 5;

impl Read for GetNodeProperty {
    fn read(self, _: &Context) -> Result<NodeProperty, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let object = node.clone().upcast::<Object>();
        let (name, component) = split(&self.property);
        let value = object.get(name);
        let info = PropertyInfo::of(&object, name);
        let mut answer = NodeProperty {
            node_path: scene.path_of(&node),
            property: self.property.clone(),
            value: GodotValue::default(),
            exists: false,
            kind: None,
            value_name: None,
            suggestions: Vec::new(),
        };
        // A variable that a script does not export is not listed, but it can be read.
        let is_known = info.is_some() || !value.is_nil();
        let found = match component.is_empty() {
            true => is_known.then_some(value),
            false => variant::component(&value, &component),
        };
        let Some(value) = found else {
            answer.suggestions = suggestions(&object, &self.property);
            return Ok(answer);
        };
        answer.exists = true;
        if component.is_empty()
            && let Some(info) = info
        {
            answer.kind = Some(info.type_name());
            answer.value_name = value.try_to::<i64>().ok().and_then(|value| info.name_of(value));
        }
        answer.value = GodotValue(variant::to_json(&value));
        Ok(answer)
    }
}

/// `position:x` as a property and the way into its value.
pub(crate) fn split(property: &str) -> (&str, Vec<&str>) {
    let mut parts = property.split(':');
    (parts.next().unwrap_or_default(), parts.collect())
}

/// The names of properties like `wanted`, the most alike first.
pub(crate) fn suggestions(object: &Gd<Object>, wanted: &str) -> Vec<String> {
    let mut names: Vec<String> =
        PropertyInfo::all(object).into_iter().map(|info| info.name).collect();
    let mut suggestions = Vec::new();
    while suggestions.len() < SUGGESTIONS
        && let Some(near) = nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
    {
        names.retain(|name| *name != near);
        suggestions.push(near);
    }
    suggestions
}
