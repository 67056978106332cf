//! The steps on nodes and resources, done and taken note of.

use godot::{
    builtin::Variant,
    classes::{EditorInterface, Node, object::ConnectFlags},
    prelude::*,
};
use protocol::Fault;

use super::{AddNode, Ledger, MoveNode, Owned, call::Call};
use crate::{adjusted, persistence, property::PropertyInfo, variant};

impl Ledger {
    pub(super) fn set(
        &mut self,
        object: &Gd<Object>,
        property: &str,
        value: &Variant,
    ) -> Result<(), Fault> {
        if property == "script" {
            self.keep_script_values(object);
        }
        let others = persistence::changes_others(object, property).then(|| stored_values(object));
        let name = StringName::from(property);
        let old = object.get(&name);
        let undo = Call::set(object, &name, &old);
        self.perform(Call::set(object, &name, value), Some(undo))?;
        if let Some(others) = others {
            self.keep_changed_values(object, others);
        }
        let got = object.get(&name);
        if variant::same(value, &got) {
            return Ok(());
        }
        Err(adjusted::refused(property, value, &got, &old))
    }

    /// The values of the variables that a script exports, which are lost with the script.
    fn keep_script_values(&mut self, object: &Gd<Object>) {
        for info in PropertyInfo::of_script(object) {
            if info.is_stored() {
                let name = StringName::from(&info.name);
                let value = object.get(&name);
                self.undos.push(Call::set(object, &name, &value));
            }
        }
    }

    pub(super) fn add(&mut self, add: AddNode) -> Result<(), Fault> {
        let root = self.scene()?.root.clone();
        let AddNode { make, parent, name, index, owned } = add;
        let mut node = make()?;
        node.set_name(&name);
        self.added.push(node.clone());
        let undo = Call::new(&parent, "remove_child", &[node.to_variant()]);
        let add = Call::new(&parent, "add_child", &[node.to_variant(), true.to_variant()]);
        self.perform(add, Some(undo))?;
        if let Some(index) = index {
            let place = Call::new(&parent, "move_child", &[node.to_variant(), index.to_variant()]);
            self.perform(place, None)?;
        }
        let is_owned = match &owned {
            Owned::Itself => true,
            Owned::At(paths) => paths.iter().any(|path| path == "."),
        };
        let below = match &owned {
            Owned::Itself => vec![node.clone()],
            Owned::At(paths) => {
                paths.iter().filter_map(|path| node.get_node_or_null(path.as_str())).collect()
            }
        };
        // Done again by a redo: the owner is cleared when a node leaves the tree.
        for below in below {
            let owner = Call::new(&below, "set_owner", &[root.to_variant()]);
            self.perform(owner, None)?;
        }
        check("name", node.get_name().to_string(), name)?;
        check("owner", node.get_owner(), is_owned.then_some(root))
    }

    pub(super) fn remove(&mut self, node: &Gd<Node>) -> Result<(), Fault> {
        let Some(parent) = node.get_parent() else {
            return Err(Fault::internal("The node has no parent to be taken from."));
        };
        // A save would complain of a connection whose target is not in the scene.
        self.disconnect_from_outside(node)?;
        self.keep_selection(node);
        self.keep_owners(node);
        let index = node.get_index();
        let place = Call::new(&parent, "move_child", &[node.to_variant(), index.to_variant()]);
        self.undos.push(place);
        self.removed.push(node.clone());
        let undo = Call::new(&parent, "add_child", &[node.to_variant(), true.to_variant()]);
        let remove = Call::new(&parent, "remove_child", &[node.to_variant()]);
        self.perform(remove, Some(undo))?;
        check("parent", node.get_parent(), None)
    }

    pub(super) fn rename(&mut self, node: &Gd<Node>, name: &str) -> Result<(), Fault> {
        let old = node.get_name();
        let undo = Call::new(node, "set_name", &[old.to_variant()]);
        self.perform(Call::new(node, "set_name", &[name.to_variant()]), Some(undo))?;
        check("name", node.get_name().to_string(), name.to_owned())
    }

    pub(super) fn relocate(&mut self, step: &MoveNode) -> Result<(), Fault> {
        let MoveNode { node, parent, index, keep_global_transform } = step;
        let Some(old_parent) = node.get_parent() else {
            return Err(Fault::internal("The node has no parent to be taken from."));
        };
        let old_index = node.get_index();
        let owner = node.get_owner();
        if old_parent != *parent {
            let name = node.get_name();
            let before = stored_values(&node.clone().upcast::<Object>());
            self.keep_owners(node);
            // With the name first, as a clash with a sibling changes it on the way.
            self.undos.push(Call::new(node, "set_name", &[name.to_variant()]));
            let place = [node.to_variant(), old_index.to_variant()];
            self.undos.push(Call::new(&old_parent, "move_child", &place));
            let undo = Call::new(node, "reparent", &[old_parent.to_variant(), false.to_variant()]);
            let arguments = [parent.to_variant(), keep_global_transform.to_variant()];
            let owners = owners_below(node);
            self.perform(Call::new(node, "reparent", &arguments), Some(undo))?;
            for (below, owner) in owners {
                self.perform(Call::new(&below, "set_owner", &[owner.to_variant()]), None)?;
            }
            check("parent", node.get_parent(), Some(parent.clone()))?;
            self.keep_changed_values(&node.clone().upcast::<Object>(), before);
        }
        if let Some(index) = index {
            let back = [node.to_variant(), old_index.to_variant()];
            let undo = (old_parent == *parent).then(|| Call::new(parent, "move_child", &back));
            let place = Call::new(parent, "move_child", &[node.to_variant(), index.to_variant()]);
            self.perform(place, undo)?;
            check("index", node.get_index(), *index)?;
        }
        check("owner", node.get_owner(), owner)
    }

    /// Notes the owners of `node` and all below it that are cleared when it leaves the tree.
    fn keep_owners(&mut self, node: &Gd<Node>) {
        for (below, owner) in owners_below(node) {
            self.undos.push(Call::new(&below, "set_owner", &[owner.to_variant()]));
        }
    }

    /// Notes which nodes at or below `node` are selected: who leaves the tree is selected no more.
    fn keep_selection(&mut self, node: &Gd<Node>) {
        let Some(selection) = EditorInterface::singleton().get_selection() else { return };
        let selected = selection.clone().get_selected_nodes();
        let below = selected.iter_shared().filter(|it| it == node || node.is_ancestor_of(it));
        let select = below.map(|it| Call::new(&selection, "add_node", &[it.to_variant()]));
        self.undos.extend(select);
    }

    /// Notes the stored values that the last step changed along with what it was for. Its way back
    /// computes them anew, but not to the last bit, or leaves a trace where there was none.
    fn keep_changed_values(&mut self, object: &Gd<Object>, before: Vec<(String, Variant)>) {
        let changed =
            before.into_iter().filter(|(name, value)| object.get(name.as_str()) != *value);
        // Set after the node is back, so noted before its way back: undos run from the end.
        let at = self.undos.len().saturating_sub(1);
        let sets: Vec<Call> = changed
            .map(|(name, value)| Call::set(object, &StringName::from(&name), &value))
            .collect();
        self.undos.splice(at..at, sets);
    }

    /// Disconnects what nodes outside of `node` have connected to it or below it.
    fn disconnect_from_outside(&mut self, node: &Gd<Node>) -> Result<(), Fault> {
        let root = self.scene()?.root.clone();
        let mut inside = Vec::new();
        crate::scene::walk(node, &mut |below| inside.push(below.clone()));
        for target in &inside {
            for connection in target.get_incoming_connections().iter_shared() {
                let part = |key: &str| connection.get(key).unwrap_or_default();
                let (Ok(signal), Ok(callable), Ok(flags)) = (
                    part("signal").try_to::<Signal>(),
                    part("callable").try_to::<Callable>(),
                    part("flags").try_to::<i64>(),
                ) else {
                    continue;
                };
                let Some(source) = signal.object().and_then(|it| it.try_cast::<Node>().ok()) else {
                    continue;
                };
                let is_saved = flags & i64::from(ConnectFlags::PERSIST.ord() as i32) != 0;
                let is_outside = root == source || root.is_ancestor_of(&source);
                if !is_saved || !is_outside || inside.contains(&source) {
                    continue;
                }
                let name = signal.name();
                let connect = [name.to_variant(), callable.to_variant(), flags.to_variant()];
                let undo = Call::new(&source, "connect", &connect);
                let disconnect = [name.to_variant(), callable.to_variant()];
                self.perform(Call::new(&source, "disconnect", &disconnect), Some(undo))?;
            }
        }
        Ok(())
    }
}

/// Every node at or below `node` whose owner lies above `node`, with that owner.
fn owners_below(node: &Gd<Node>) -> Vec<(Gd<Node>, Gd<Node>)> {
    let mut owners = Vec::new();
    crate::scene::walk(node, &mut |below| {
        if let Some(owner) = below.get_owner()
            && owner != *node
            && !node.is_ancestor_of(&owner)
        {
            owners.push((below.clone(), owner));
        }
    });
    owners
}

fn stored_values(object: &Gd<Object>) -> Vec<(String, Variant)> {
    let stored = PropertyInfo::all(object).into_iter().filter(PropertyInfo::is_stored);
    stored
        .map(|info| {
            let value = object.get(info.name.as_str());
            (info.name, value)
        })
        .collect()
}

/// Refuses where the engine did something else than it was asked to.
pub(super) fn check<T: PartialEq + std::fmt::Debug>(
    what: &str,
    got: T,
    asked: T,
) -> Result<(), Fault> {
    if got == asked {
        Ok(())
    } else {
        Err(Fault::internal(format!(
            "The engine did not do as it was asked ({what}): asked {asked:?}, got {got:?}. Nothing was \
             changed."
        )))
    }
}
