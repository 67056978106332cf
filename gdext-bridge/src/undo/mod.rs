//! Steps that can be taken back: applied at once, registered together as one undo step.
//!
//! Each step is applied directly and checked, and what undoes it is collected. When all are done,
//! the whole is registered as one action that is not executed again. If one fails, what was
//! collected runs in reverse, and nothing is registered: scene, history and dirty mark are as
//! before.

mod call;
pub(crate) mod kept;
mod nodes;
mod step;

use godot::{
    classes::{EditorInterface, Node},
    obj::{Bounds, Inherits, bounds::DeclUser},
    prelude::*,
};
use protocol::Fault;

pub(crate) use self::step::{AddNode, MoveNode, Owned, Step};
use self::{
    call::{Call, take_back},
    kept::{Held, Kept},
    nodes::check,
};
use crate::{
    history::{self, Histories, Home},
    scene::Scene,
    selection::Selection,
    settings::KeptSettings,
    tabs::Tabs,
};

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
    /// The steps on files and settings.
    held: Vec<Held>,
    /// The settings that were changed last, of which more can be changed in one.
    settings: Option<Gd<KeptSettings>>,
}

impl Ledger {
    /// Nothing done yet.
    pub(crate) fn new(home: Home) -> Ledger {
        Ledger {
            home,
            does: Vec::new(),
            undos: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            held: Vec::new(),
            settings: None,
        }
    }

    /// Whether nothing was done.
    pub(crate) fn is_empty(&self) -> bool {
        self.undos.is_empty()
    }

    /// Does more steps, of which a scene's belong to that scene. If one fails, none of them is done,
    /// and what was done before them still is. The settings among them are left to [`Self::settle`].
    pub(crate) fn apply(&mut self, steps: Vec<Step>, home: &Home) -> Result<(), Fault> {
        self.apply_with(steps, home, |_| Ok(()))
    }

    /// Does more steps, as [`Self::apply`], and writes the settings among them.
    pub(crate) fn apply_and_settle(&mut self, steps: Vec<Step>, home: &Home) -> Result<(), Fault> {
        self.apply_with(steps, home, |ledger| ledger.settle())
    }

    fn apply_with(
        &mut self,
        steps: Vec<Step>,
        home: &Home,
        end: impl Fn(&Ledger) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (does, undos, added, removed, held) = (
            self.does.len(),
            self.undos.len(),
            self.added.len(),
            self.removed.len(),
            self.held.len(),
        );
        let was = self.home.clone();
        let settings = self.settings.clone().map(|it| (it.bind().len(), it.clone()));
        let selection = Selection::now();
        if matches!(self.home, Home::Project) {
            // A step on a scene marks it as changed, so the whole belongs there.
            self.home = home.clone();
        }
        let done = steps.into_iter().try_for_each(|step| self.take(step)).and_then(|()| end(self));
        if done.is_err() {
            self.does.truncate(does);
            self.removed.truncate(removed);
            self.held.truncate(held);
            if let Some((len, settings)) = &settings {
                settings.bind().cut(*len);
            }
            self.settings = settings.map(|(_, settings)| settings);
            take_back(self.undos.split_off(undos), self.added.split_off(added));
            self.home = was;
        }
        selection.restore();
        done
    }

    /// Writes what was set of the project's settings, once for all that was set since the last time.
    pub(crate) fn settle(&self) -> Result<(), Fault> {
        self.settings.as_ref().map_or(Ok(()), |settings| settings.bind().save())
    }

    /// Whether more of the project's settings was set than is written.
    pub(crate) fn has_unwritten(&self) -> bool {
        self.settings.as_ref().is_some_and(|settings| settings.bind().is_ahead())
    }

    /// Takes back the settings that could not be written, and nothing else.
    pub(crate) fn leave_out_unwritten(&mut self) {
        let Some(settings) = &self.settings else { return };
        settings.bind().leave_out();
        if settings.bind().len() > 0 {
            return;
        }
        let id = settings.instance_id();
        self.does.retain(|call| call.object.instance_id() != id);
        self.undos.retain(|call| call.object.instance_id() != id);
        self.held.retain(|held| !held.is(id));
        self.settings = None;
    }

    /// Begins with files: settings that are changed after them are another step, which undo takes back
    /// before them.
    fn part(&mut self) -> Result<(), Fault> {
        self.settle()?;
        self.settings = None;
        Ok(())
    }

    /// Puts what was done into its history, as one step called `label`.
    pub(crate) fn register(
        self,
        label: &str,
        histories: &Histories,
        tabs: &Tabs,
    ) -> Result<(), Fault> {
        if let Err(fault) = self.settle() {
            self.roll_back();
            return Err(fault);
        }
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
            call.add_to_do(&mut manager);
        }
        for call in &self.undos {
            call.add_to_undo(&mut manager);
        }
        for node in &self.added {
            manager.add_do_reference(node);
        }
        for node in &self.removed {
            manager.add_undo_reference(node);
        }
        manager.commit_action_ex().execute(false).done();
        histories.registered(&self.home, &label, self.held);
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

    /// Does a step that is in no scene.
    fn keep<T>(&mut self, kept: &Gd<T>) -> Result<(), Fault>
    where
        T: Kept + GodotClass + Inherits<Object> + Bounds<Declarer = DeclUser>,
    {
        let undo = Call::new(kept, "revert", &[]);
        self.perform(Call::new(kept, "apply", &[]), Some(undo))?;
        self.held.push(Held::of(kept));
        kept.bind().outcome().get()
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
                self.part()?;
                self.keep(&change.prepare()?)
            }
            Step::MoveFile(change) => {
                self.part()?;
                self.keep(&change.prepare()?)
            }
            Step::Settings(change) => match &self.settings {
                Some(settings) => settings.bind().add(change),
                None => {
                    let settings = change.prepare();
                    self.keep(&settings)?;
                    self.settings = Some(settings);
                    Ok(())
                }
            },
            Step::Save(save) => self.keep(&save),
            Step::Then(more) => more()?.into_iter().try_for_each(|step| self.take(step)),
        }
    }
}
