//! What the undo history is given: calls of methods.

use godot::{builtin::Variant, classes::Node, prelude::*};
use protocol::Fault;

/// Something the engine is asked to do. The undo history keeps it in this form.
#[derive(Clone)]
pub(super) struct Call {
    /// Who is asked.
    pub(super) object: Gd<Object>,
    /// For what.
    pub(super) method: StringName,
    /// With what.
    pub(super) arguments: Vec<Variant>,
}

impl Call {
    /// The call of `method`.
    pub(super) fn new(
        object: &Gd<impl Inherits<Object>>,
        method: &str,
        arguments: &[Variant],
    ) -> Call {
        Call {
            object: object.clone().upcast::<Object>(),
            method: method.into(),
            arguments: arguments.to_vec(),
        }
    }

    /// Sets a property. Metadata of no value is taken away: set as a property, it would stay, as null.
    pub(super) fn set(object: &Gd<Object>, property: &str, value: &Variant) -> Call {
        match property.strip_prefix("metadata/") {
            Some(name) if value.is_nil() => Call::new(object, "remove_meta", &[name.to_variant()]),
            _ => Call::new(object, "set", &[property.to_variant(), value.clone()]),
        }
    }

    /// Asks now.
    pub(super) fn run(&self) -> Result<(), Fault> {
        let mut object = self.object.clone();
        object.try_call(&self.method, &self.arguments).map(drop).map_err(|error| {
            Fault::internal(format!("The engine refused '{}': {error}.", self.method))
        })
    }
}

/// Takes back what was done, the last first, and frees the nodes that were made for it.
pub(super) fn take_back(undos: Vec<Call>, added: Vec<Gd<Node>>) {
    for call in undos.iter().rev() {
        // Each undoes what was just done, so it cannot fail where that did not.
        let _ = call.run();
    }
    for node in added {
        if node.is_instance_valid() && !node.is_inside_tree() {
            node.free();
        }
    }
}
