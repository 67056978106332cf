//! `godot_runtime_read_property`.

use godot::{
    builtin::{AnyArray, AnyDictionary},
    prelude::*,
};
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

/// The value of a property, or of a part of it: a component of a vector, a property of an object, an entry of
/// a dictionary, an item of an array.
pub(in crate::game) fn value_of(object: &Gd<Object>, property: &str) -> Result<Variant, Fault> {
    let (name, component) = split(property);
    let value = object.get(name);
    let is_known = !value.is_nil() || PropertyInfo::of(object, name).is_some();
    let found = match component.is_empty() {
        true => is_known.then(|| value.clone()),
        false => part_of(&value, &component),
    };
    found.ok_or_else(|| {
        if is_known && !component.is_empty() {
            return Fault::not_found(format!(
                "'{name}' of '{}' has no part '{}'; it is {}.",
                object.get_class(),
                component.join(":"),
                variant::to_json(&value)
            ))
            .requiring(Required::parameter("property"));
        }
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

/// What a value has by a name, and that by the next one, and so on.
fn part_of(value: &Variant, path: &[&str]) -> Option<Variant> {
    let Some((name, rest)) = path.split_first() else { return Some(value.clone()) };
    let inner = match value.get_type() {
        VariantType::OBJECT => {
            let object = value.try_to::<Gd<Object>>().ok()?;
            let inner = object.get(*name);
            (!inner.is_nil() || PropertyInfo::of(&object, name).is_some()).then_some(inner)
        }
        VariantType::DICTIONARY => {
            let entries = value.try_to::<AnyDictionary>().ok()?;
            let number = name.parse::<i64>().ok().map(|number| number.to_variant());
            let key = [Some(name.to_variant()), number].into_iter().flatten();
            key.into_iter().find_map(|key| entries.get(&key))
        }
        VariantType::ARRAY => {
            let items = value.try_to::<AnyArray>().ok()?;
            items.get(name.parse().ok()?)
        }
        _ => return variant::component(value, path),
    };
    part_of(&inner?, rest)
}
