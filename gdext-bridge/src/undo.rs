//! Steps that can be taken back: applied at once, registered together as one undo step.
//!
//! Each step is applied directly and checked, and what undoes it is collected. When all are done,
//! the whole is registered as one action that is not executed again. If one fails, what was
//! collected runs in reverse, and nothing is registered: scene, history and dirty mark are as
//! before.

use godot::{
    builtin::Variant,
    classes::{EditorInterface, Node, object::ConnectFlags},
    prelude::*,
};
use protocol::Fault;

use crate::{
    adjusted,
    file_move::FileMove,
    files::FileChange,
    history::{self, Histories, Home},
    persistence,
    property::PropertyInfo,
    scene::Scene,
    selection::Selection,
    settings::SettingsChange,
    tabs::Tabs,
    variant,
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

/// Something the engine is asked to do. The undo history keeps it in this form.
#[derive(Clone)]
struct Call {
    object: Gd<Object>,
    method: StringName,
    arguments: Vec<Variant>,
}

impl Call {
    fn new(object: &Gd<impl Inherits<Object>>, method: &str, arguments: &[Variant]) -> Call {
        Call {
            object: object.clone().upcast::<Object>(),
            method: method.into(),
            arguments: arguments.to_vec(),
        }
    }

    /// Sets a property. Metadata of no value is taken away: set as a property, it would stay, as null.
    fn set(object: &Gd<Object>, property: &str, value: &Variant) -> Call {
        match property.strip_prefix("metadata/") {
            Some(name) if value.is_nil() => Call::new(object, "remove_meta", &[name.to_variant()]),
            _ => Call::new(object, "set", &[property.to_variant(), value.clone()]),
        }
    }

    fn run(&self) -> Result<(), Fault> {
        let mut object = self.object.clone();
        object.try_call(&self.method, &self.arguments).map(drop).map_err(|error| {
            Fault::internal(format!("The engine refused '{}': {error}.", self.method))
        })
    }
}

/// What was done, and how to take it back.
pub(crate) struct Ledger {
    home: Home,
    does: Vec<Call>,
    /// In the order of the steps; taken back from the end.
    undos: Vec<Call>,
    /// Nodes that live only while the steps are done.
    added: Vec<Gd<Node>>,
    /// Nodes that live only while the steps are undone.
    removed: Vec<Gd<Node>>,
}

impl Ledger {
    /// Nothing done yet.
    pub(crate) fn new(home: Home) -> Ledger {
        Ledger { home, does: Vec::new(), undos: Vec::new(), added: Vec::new(), removed: Vec::new() }
    }

    /// Whether nothing was done.
    pub(crate) fn is_empty(&self) -> bool {
        self.undos.is_empty()
    }

    /// Does more steps, of which a scene's belong to that scene. If one fails, none of them is done,
    /// and what was done before them still is.
    pub(crate) fn apply(&mut self, steps: Vec<Step>, home: &Home) -> Result<(), Fault> {
        let (does, undos, added, removed) =
            (self.does.len(), self.undos.len(), self.added.len(), self.removed.len());
        let was = self.home.clone();
        let selection = Selection::now();
        if matches!(self.home, Home::Project) {
            // A step on a scene marks it as changed, so the whole belongs there.
            self.home = home.clone();
        }
        for step in steps {
            if let Err(fault) = self.take(step) {
                self.does.truncate(does);
                self.removed.truncate(removed);
                take_back(self.undos.split_off(undos), self.added.split_off(added));
                self.home = was;
                selection.restore();
                return Err(fault);
            }
        }
        selection.restore();
        Ok(())
    }

    /// Puts what was done into its history, as one step called `label`.
    pub(crate) fn register(
        self,
        label: &str,
        histories: &Histories,
        tabs: &Tabs,
    ) -> Result<(), Fault> {
        let Some(mut manager) = EditorInterface::singleton().get_editor_undo_redo() else {
            self.roll_back();
            return Err(Fault::internal("The editor has no undo manager."));
        };
        // Without the context, what is done to a bare resource would go to the global history; and
        // what belongs there needs an object that is in no scene.
        let context = match &self.home {
            Home::Scene(scene) => scene.root.clone().upcast::<Object>(),
            Home::Project => RefCounted::new_gd().upcast(),
        };
        let label = format!("{}{label}", history::OURS);
        manager.create_action_ex(&label).custom_context(&context).backward_undo_ops(true).done();
        for call in &self.does {
            manager.add_do_method(&call.object, &call.method, &call.arguments);
        }
        for call in &self.undos {
            manager.add_undo_method(&call.object, &call.method, &call.arguments);
        }
        for node in &self.added {
            manager.add_do_reference(node);
        }
        for node in &self.removed {
            manager.add_undo_reference(node);
        }
        manager.commit_action_ex().execute(false).done();
        histories.registered(&self.home);
        if let Home::Scene(scene) = &self.home {
            tabs.touched(scene);
        }
        Ok(())
    }

    /// Takes everything back.
    pub(crate) fn roll_back(self) {
        let selection = Selection::now();
        take_back(self.undos, self.added);
        selection.restore();
    }

    /// The history that it goes to.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// The scene that its steps are on.
    pub(crate) fn scene(&self) -> Result<&Scene, Fault> {
        let scene = self.home.scene();
        scene.ok_or_else(|| Fault::internal("A step on a scene was planned without a scene."))
    }

    /// Does one thing. What takes it back is noted first, so that a failure half-way is undone, too.
    fn perform(&mut self, call: Call, undo: Option<Call>) -> Result<(), Fault> {
        self.undos.extend(undo);
        call.run()?;
        self.does.push(call);
        Ok(())
    }

    fn take(&mut self, step: Step) -> Result<(), Fault> {
        match step {
            Step::Set { object, property, value } => self.set(&object, &property, &value),
            Step::Add(add) => self.add(add),
            Step::Remove { node } => self.remove(&node),
            Step::Rename { node, name } => self.rename(&node, &name),
            Step::Move(step) => self.relocate(&step),
            Step::Call { object, do_call, undo_call, holds } => {
                let undo = Call::new(&object, undo_call.0, &undo_call.1);
                self.perform(Call::new(&object, do_call.0, &do_call.1), Some(undo))?;
                check(do_call.0, holds(), true)
            }
            Step::File(change) => {
                let change = change.prepare()?;
                self.perform(
                    Call::new(&change, "apply", &[]),
                    Some(Call::new(&change, "revert", &[])),
                )?;
                change.bind().outcome()
            }
            Step::MoveFile(change) => {
                let change = change.prepare()?;
                self.perform(
                    Call::new(&change, "apply", &[]),
                    Some(Call::new(&change, "revert", &[])),
                )?;
                change.bind().outcome()
            }
            Step::Settings(change) => {
                let change = change.prepare();
                self.perform(
                    Call::new(&change, "apply", &[]),
                    Some(Call::new(&change, "revert", &[])),
                )?;
                change.bind().outcome()
            }
            Step::Then(more) => more()?.into_iter().try_for_each(|step| self.take(step)),
        }
    }

    fn set(&mut self, object: &Gd<Object>, property: &str, value: &Variant) -> Result<(), Fault> {
        if property == "script" {
            self.keep_script_values(object);
        }
        let others = persistence::changes_others(object, property).then(|| stored_values(object));
        let old = object.get(property);
        let undo = Call::set(object, property, &old);
        self.perform(Call::set(object, property, value), Some(undo))?;
        if let Some(others) = others {
            self.keep_changed_values(object, others);
        }
        let got = object.get(property);
        if variant::same(value, &got) {
            return Ok(());
        }
        Err(adjusted::refused(property, value, &got, &old))
    }

    /// The values of the variables that a script exports, which are lost with the script.
    fn keep_script_values(&mut self, object: &Gd<Object>) {
        for info in PropertyInfo::of_script(object) {
            if info.is_stored() {
                let value = object.get(info.name.as_str());
                self.undos.push(Call::set(object, &info.name, &value));
            }
        }
    }

    fn add(&mut self, add: AddNode) -> Result<(), Fault> {
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

    fn remove(&mut self, node: &Gd<Node>) -> Result<(), Fault> {
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

    fn rename(&mut self, node: &Gd<Node>, name: &str) -> Result<(), Fault> {
        let old = node.get_name();
        let undo = Call::new(node, "set_name", &[old.to_variant()]);
        self.perform(Call::new(node, "set_name", &[name.to_variant()]), Some(undo))?;
        check("name", node.get_name().to_string(), name.to_owned())
    }

    fn relocate(&mut self, step: &MoveNode) -> Result<(), Fault> {
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
        let sets: Vec<Call> =
            changed.map(|(name, value)| Call::set(object, &name, &value)).collect();
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

/// Takes back what was done, the last first, and frees the nodes that were made for it.
fn take_back(undos: Vec<Call>, added: Vec<Gd<Node>>) {
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
fn check<T: PartialEq + std::fmt::Debug>(what: &str, got: T, asked: T) -> Result<(), Fault> {
    if got == asked {
        Ok(())
    } else {
        Err(Fault::internal(format!(
            "The engine did not do as it was asked ({what}): asked {asked:?}, got {got:?}. Nothing was \
             changed."
        )))
    }
}
