//! What the undo history is given: calls of methods.

use godot::{
    builtin::Variant,
    classes::{EditorUndoRedoManager, Node},
    prelude::*,
};
use protocol::Fault;

/// Something the engine is asked to do. The undo history keeps it in this form.
#[derive(Clone)]
pub(super) struct Call {
    /// Who is asked.
    pub(super) object: Gd<Object>,
    what: What,
}

/// What is asked for.
#[derive(Clone)]
enum What {
    /// To run the method of this name, with these arguments.
    Method(StringName, Vec<Variant>),
    /// To give the property of this name this value.
    Set(StringName, Variant),
}

impl Call {
    /// The call of `method`.
    pub(super) fn new(
        object: &Gd<impl Inherits<Object>>,
        method: &str,
        arguments: &[Variant],
    ) -> Call {
        let object = object.clone().upcast::<Object>();
        Call { object, what: What::Method(method.into(), arguments.to_vec()) }
    }

    /// Sets a property. Metadata of no value is taken away: set as a property, it would stay, as null.
    pub(super) fn set(object: &Gd<Object>, property: &StringName, value: &Variant) -> Call {
        let metadata = || Some(property.to_string().strip_prefix("metadata/")?.to_variant());
        match value.is_nil().then(metadata).flatten() {
            Some(name) => Call::new(object, "remove_meta", &[name]),
            None => {
                Call { object: object.clone(), what: What::Set(property.clone(), value.clone()) }
            }
        }
    }

    /// Asks now.
    pub(super) fn run(&self) -> Result<(), Fault> {
        let mut object = self.object.clone();
        match &self.what {
            What::Method(method, arguments) => {
                object.try_call(method, arguments).map(drop).map_err(|error| {
                    Fault::internal(format!("The engine refused '{method}': {error}."))
                })
            }
            What::Set(property, value) => {
                object.set(property, value);
                Ok(())
            }
        }
    }

    /// Adds it to what a step of the history does.
    pub(super) fn add_to_do(&self, manager: &mut Gd<EditorUndoRedoManager>) {
        match &self.what {
            What::Method(method, arguments) => {
                manager.add_do_method(&self.object, method, arguments)
            }
            What::Set(property, value) => manager.add_do_property(&self.object, property, value),
        }
    }

    /// Adds it to what undo of a step of the history does.
    pub(super) fn add_to_undo(&self, manager: &mut Gd<EditorUndoRedoManager>) {
        match &self.what {
            What::Method(method, arguments) => {
                manager.add_undo_method(&self.object, method, arguments)
            }
            What::Set(property, value) => manager.add_undo_property(&self.object, property, value),
        }
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
