//! What a plan is made of: one change each, not done yet.

use godot::{builtin::Variant, classes::Node, prelude::*};
use protocol::Fault;

use crate::{
    file_change::FileChange, file_move::FileMove, scene_save::KeptSave, settings::SettingsChange,
};

/// One change of a scene.
pub(crate) enum Step {
    /// Sets a property, and reads it back.
    Set {
        /// The node or the resource.
        object: Gd<Object>,
        /// The property.
        property: String,
        /// Its new value.
        value: Variant,
    },
    /// Adds a node.
    Add(AddNode),
    /// Takes a node with all below it out of the scene.
    Remove {
        /// The node.
        node: Gd<Node>,
    },
    /// Gives a node another name.
    Rename {
        /// The node.
        node: Gd<Node>,
        /// The name, which must be free.
        name: String,
    },
    /// Gives a node another parent, or another place among its siblings.
    Move(MoveNode),
    /// Calls a method that another call takes back.
    Call {
        /// The object.
        object: Gd<Object>,
        /// What is called, with its arguments.
        do_call: (&'static str, Vec<Variant>),
        /// What takes it back.
        undo_call: (&'static str, Vec<Variant>),
        /// Whether it took effect.
        holds: Box<dyn Fn() -> bool>,
    },
    /// Writes or removes a file of the project.
    File(FileChange),
    /// Moves a file or folder of the project.
    MoveFile(FileMove),
    /// Sets project settings, and writes them.
    Settings(SettingsChange),
    /// The save of the scene that comes after the steps.
    Save(Gd<KeptSave>),
    /// Steps that depend on what the ones before made.
    Then(Box<dyn FnOnce() -> Result<Vec<Step>, Fault>>),
}

/// A node to be added.
pub(crate) struct AddNode {
    /// Makes the node. Not called for a preview.
    pub(crate) make: Box<dyn FnOnce() -> Result<Gd<Node>, Fault>>,
    /// Its parent.
    pub(crate) parent: Gd<Node>,
    /// Its name, which must be free.
    pub(crate) name: String,
    /// Its place among its siblings; `None` for the last.
    pub(crate) index: Option<i32>,
    /// What of it belongs to the scene.
    pub(crate) owned: Owned,
}

/// Which nodes of a new subtree belong to the scene that it is added to, and so are saved with it.
pub(crate) enum Owned {
    /// The topmost alone. What is below it belongs to the scene that it is an instance of.
    Itself,
    /// Those at these paths, relative to the topmost.
    At(Vec<String>),
}

/// A node to be moved.
pub(crate) struct MoveNode {
    /// The node.
    pub(crate) node: Gd<Node>,
    /// Its new parent.
    pub(crate) parent: Gd<Node>,
    /// Its place among its new siblings; `None` for the last.
    pub(crate) index: Option<i32>,
    /// Whether it stays where it is in the world.
    pub(crate) keep_global_transform: bool,
}
