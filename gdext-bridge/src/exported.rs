//! The values that nodes of open scenes have for what a script exports, kept while the script is
//! without the export: they come back with it.
//!
//! The editor drops such a value as soon as it reads the script, in every scene that is open, and
//! would save the scene without it.

use std::cell::RefCell;

use godot::{classes::Script, prelude::*};

use crate::{property::PropertyInfo, refresh, scene, tabs, variant};

/// The values that one change of a script has cost, until it is taken back.
#[derive(Default)]
pub(crate) struct LostValues(RefCell<Vec<Lost>>);

/// A value of a node.
struct Value {
    node: InstanceId,
    property: String,
    value: Variant,
}

/// A value that went, and what was there in its place.
struct Lost {
    was: Value,
    became: Variant,
}

impl LostValues {
    /// Has the editor read a file again, and gives back what an earlier time has cost. Notes what
    /// this time costs.
    pub(crate) fn over(&self, path: &str, read_again: impl FnOnce()) {
        let before = values(path);
        read_again();
        let mut lost = Vec::new();
        for Lost { was, became } in self.0.take() {
            let Some(mut node) = was.node() else { continue };
            let held = before.iter().find(|it| it.node == was.node && it.property == was.property);
            let held = held.map(|it| it.value.clone()).unwrap_or_default();
            // What somebody has set it to meanwhile is theirs.
            if !variant::same(&held, &became) {
                continue;
            }
            node.set(was.property.as_str(), &was.value);
            if !variant::same(&was.now(), &was.value) {
                lost.push(Lost { was, became });
            }
        }
        for was in before {
            let became = was.now();
            let is_back = lost.iter().any(|it| it.was.is_of(&was));
            if !is_back && !variant::same(&became, &was.value) {
                lost.push(Lost { was, became });
            }
        }
        self.0.replace(lost);
    }
}

impl Value {
    fn node(&self) -> Option<Gd<Object>> {
        Gd::try_from_instance_id(self.node).ok()
    }

    /// What the node has now; nothing if the script does not export it any more.
    fn now(&self) -> Variant {
        self.node().map(|node| node.get(self.property.as_str())).unwrap_or_default()
    }

    fn is_of(&self, other: &Value) -> bool {
        self.node == other.node && self.property == other.property
    }
}

/// What the nodes of all open scenes have for what the script at `path` exports, and those that
/// extend it.
fn values(path: &str) -> Vec<Value> {
    let mut values = Vec::new();
    let script = refresh::loaded(path).and_then(|it| it.try_cast::<Script>().ok());
    let Some(script) = script else { return values };
    for root in tabs::roots() {
        scene::walk(&root, &mut |node| {
            if !extends(node, &script) {
                return;
            }
            let object = node.clone().upcast::<Object>();
            let stored =
                PropertyInfo::of_script(&object).into_iter().filter(PropertyInfo::is_stored);
            values.extend(stored.map(|info| Value {
                node: object.instance_id(),
                value: object.get(info.name.as_str()),
                property: info.name,
            }));
        });
    }
    values
}

/// Whether the script of a node is `script`, or extends it.
fn extends(node: &Gd<Node>, script: &Gd<Script>) -> bool {
    let mut at = node.get_script().and_then(|it| it.try_cast::<Script>().ok());
    while let Some(its) = at {
        if its == *script {
            return true;
        }
        at = its.get_base_script();
    }
    false
}
