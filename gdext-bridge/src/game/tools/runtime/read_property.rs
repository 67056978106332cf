//! `godot_runtime_read_property`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue, Required,
    tools::runtime::{GameProperty, ReadProperty},
};

use crate::{
    game::probe::{InGame, Needs, Probe, Soon},
    property::PropertyInfo,
    tools::inspection::{split, suggestions},
    variant,
};

impl InGame for ReadProperty {
    fn needs(&self) -> Needs {
        Needs::Look
    }

    fn answer(self, game: &Probe) -> Result<Soon<GameProperty>, Fault> {
        let node = game.node(&self.node_path)?;
        let object = node.clone().upcast::<Object>();
        let value = value_of(&object, &self.property)?;
        Ok(Soon::Now(GameProperty {
            ready: true,
            node_path: node.get_path().to_string(),
            property: self.property,
            value: GodotValue(variant::to_json(&value)),
            frame: game.frame(),
        }))
    }
}

/// The value of a property, or of a component of it.
pub(in crate::game) fn value_of(object: &Gd<Object>, property: &str) -> Result<Variant, Fault> {
    let (name, component) = split(property);
    let value = object.get(name);
    let is_known = !value.is_nil() || PropertyInfo::of(object, name).is_some();
    let found = match component.is_empty() {
        true => is_known.then_some(value),
        false => variant::component(&value, &component),
    };
    found.ok_or_else(|| {
        let near = suggestions(object, name);
        let hint = match near.first() {
            Some(near) => format!(" Did you mean '{near}'?"),
            None => String::new(),
        };
        Fault::not_found(format!("'{}' has no property '{property}'.{hint}", object.get_class()))
            .requiring(Required::parameter("property"))
            .with("suggestions", near)
    })
}
