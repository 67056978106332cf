//! Settings as undo steps: set by the engine's own API, which also the project settings of the editor
//! show, and written to `project.godot`.
//!
//! Steps that follow one another are one to the history, and the file is written once for all of
//! them: see [`crate::undo::Ledger::settle`].

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use godot::prelude::*;
use protocol::{Fault, Required};

use super::{FILE, file, set, value};
use crate::{
    undo::kept::{Foretold, Kept, Outcome},
    variant,
};

/// Settings that are to get other values.
pub(crate) struct SettingsChange {
    values: Vec<(String, Option<Variant>)>,
}

impl SettingsChange {
    /// One setting with its new value; `None` takes it out of the project.
    pub(crate) fn of(name: &str, value: Option<Variant>) -> SettingsChange {
        SettingsChange { values: vec![(name.to_owned(), value)] }
    }

    /// Several settings at once.
    pub(crate) fn all(values: Vec<(String, Variant)>) -> SettingsChange {
        let values = values.into_iter().map(|(name, value)| (name, Some(value)));
        SettingsChange { values: values.collect() }
    }

    /// Makes a step for the history of it.
    pub(crate) fn prepare(self) -> Gd<KeptSettings> {
        Gd::from_object(KeptSettings {
            entries: RefCell::new(self.entries(|_| false)),
            file: RefCell::default(),
            stage: Cell::new(Stage::New),
            saved: Cell::new(0),
            outcome: Outcome::default(),
        })
    }

    /// Keeps what the settings are now, to be put back: as others have left them in the file, but for
    /// what `is_ours`.
    fn entries(self, is_ours: impl Fn(&str) -> bool) -> Vec<Entry> {
        file::take_over(is_ours);
        let entry = |(name, after): (String, _)| Entry { before: value(&name), name, after };
        self.values.into_iter().map(entry).collect()
    }
}

/// A setting before and after a step.
struct Entry {
    name: String,
    before: Option<Variant>,
    after: Option<Variant>,
}

/// How far a step is written to the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing is.
    New,
    /// What was set first is, and there is more.
    Partly,
    /// All is.
    Saved,
}

/// Settings before and after a step, as the undo history keeps them.
#[derive(GodotClass)]
#[class(no_init, internal, base = RefCounted)]
pub(crate) struct KeptSettings {
    /// In the order in which they are set; one name may come more than once.
    entries: RefCell<Vec<Entry>>,
    /// `project.godot` before the step and after it: the engine writes it in a form of its own, and
    /// undo gives back the form that it had.
    file: RefCell<[Vec<u8>; 2]>,
    stage: Cell<Stage>,
    /// How many settings it was of when it was last written.
    saved: Cell<usize>,
    outcome: Outcome,
}

#[godot_api]
impl KeptSettings {
    /// Does the step. The first time, the file is left to [`Self::save`].
    #[func]
    fn apply(&self) {
        self.outcome.of(|| {
            if self.stage.get() == Stage::New {
                let [before, _] = &mut *self.file.borrow_mut();
                *before = file::read();
                return self.set_from(0);
            }
            let before = file::read();
            self.go(false)?;
            *self.file.borrow_mut() = [before, file::read()];
            Ok(())
        });
    }

    /// Takes the step back.
    #[func]
    fn revert(&self) {
        self.outcome.of(|| {
            if self.stage.get() == Stage::New {
                self.put_back_from(0);
                return Ok(());
            }
            let [before, after] = &*self.file.borrow();
            let is_ours = file::read() == *after;
            self.go(true)?;
            if is_ours { file::put(before) } else { Ok(()) }
        });
    }

    /// Makes another change part of the step, and sets it. If that fails, nothing of it is done.
    pub(crate) fn add(&self, change: SettingsChange) -> Result<(), Fault> {
        let was = self.len();
        let added = {
            let entries = self.entries.borrow();
            change.entries(|name| entries.iter().any(|entry| entry.name == name))
        };
        self.entries.borrow_mut().extend(added);
        if self.stage.get() == Stage::Saved {
            self.stage.set(Stage::Partly);
        }
        self.set_from(was).inspect_err(|_| self.cut(was))
    }

    /// How many settings it is of so far.
    pub(crate) fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Takes back all but the first `len`.
    pub(crate) fn cut(&self, len: usize) {
        if len == self.len() {
            return;
        }
        if self.stage.get() == Stage::Saved {
            self.stage.set(Stage::Partly);
        }
        self.put_back_from(len);
        self.entries.borrow_mut().truncate(len);
        self.saved.set(self.saved.get().min(len));
    }

    /// Whether there is more than was written.
    pub(crate) fn is_ahead(&self) -> bool {
        self.len() > self.saved.get()
    }

    /// Takes back what could not be written.
    pub(crate) fn leave_out(&self) {
        let saved = self.saved.get();
        self.put_back_from(saved);
        self.entries.borrow_mut().truncate(saved);
        self.stage.set(if saved == 0 { Stage::New } else { Stage::Saved });
    }

    /// Writes what was set to the file.
    pub(crate) fn save(&self) -> Result<(), Fault> {
        if self.stage.get() == Stage::Saved {
            return Ok(());
        }
        let entries = self.entries.borrow();
        file::take_over(|name| entries.iter().any(|entry| entry.name == name));
        let was = file::read();
        file::save(entries.iter().map(|entry| &*entry.name))?;
        if let Some(name) = differing(entries.iter().map(|entry| (&*entry.name, &entry.after))) {
            file::put(&was)?;
            return Err(Fault::invalid(format!(
                "The engine does not keep '{name}' as it was set: it writes something else to \
                 project.godot. All is as it was. Leave this setting to the editor, or give it a value \
                 as the editor itself would write it."
            ))
            .requiring(Required::parameter("value")));
        }
        let [_, after] = &mut *self.file.borrow_mut();
        *after = file::read();
        self.stage.set(Stage::Saved);
        self.saved.set(entries.len());
        Ok(())
    }

    /// Sets the settings after the first `from`, and reads them back.
    fn set_from(&self, from: usize) -> Result<(), Fault> {
        file::check_writable()?;
        let entries = self.entries.borrow();
        let entries = entries.get(from..).unwrap_or_default();
        entries.iter().for_each(|entry| set(&entry.name, entry.after.as_ref()));
        check(entries.iter().map(|entry| (&*entry.name, &entry.after)))
    }

    fn put_back_from(&self, from: usize) {
        let entries = self.entries.borrow();
        let entries = entries.get(from..).unwrap_or_default();
        entries.iter().rev().for_each(|entry| set(&entry.name, entry.before.as_ref()));
    }

    /// Sets all of them as they are after the step, or as they were before it, and writes the file.
    fn go(&self, back: bool) -> Result<(), Fault> {
        file::check_writable()?;
        file::take_over(|_| false);
        let entries = self.entries.borrow();
        let to = |back: bool| -> Vec<(&str, &Option<Variant>)> {
            match back {
                true => entries.iter().rev().map(|it| (&*it.name, &it.before)).collect(),
                false => entries.iter().map(|it| (&*it.name, &it.after)).collect(),
            }
        };
        let put = |values: Vec<(&str, &Option<Variant>)>| {
            values.into_iter().for_each(|(name, value)| set(name, value.as_ref()));
        };
        put(to(back));
        let done = file::save(entries.iter().map(|entry| &*entry.name))
            .and_then(|()| check(to(back).into_iter()));
        if done.is_err() {
            put(to(!back));
        }
        done
    }
}

/// Reads settings back.
fn check<'a>(wanted: impl Iterator<Item = (&'a str, &'a Option<Variant>)>) -> Result<(), Fault> {
    match differing(wanted) {
        Some(name) => Err(Fault::internal(format!(
            "'{name}' reads otherwise than it was set. It was put back to what it was."
        ))),
        None => Ok(()),
    }
}

/// A setting that does not have the value that it should; of several values of a name the last counts.
fn differing<'a>(wanted: impl Iterator<Item = (&'a str, &'a Option<Variant>)>) -> Option<&'a str> {
    let is_other = |(name, wanted): &(&str, &Option<Variant>)| match (wanted, &value(name)) {
        (Some(wanted), Some(got)) => !variant::same(wanted, got),
        (wanted, got) => wanted.is_some() || got.is_some(),
    };
    let wanted: HashMap<_, _> = wanted.collect();
    wanted.into_iter().find(is_other).map(|(name, _)| name)
}

impl Kept for KeptSettings {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn foretell(&self, _: bool, _: &mut Foretold) -> Result<(), Fault> {
        // What somebody else has written is kept by every move.
        file::check_writable()
    }

    fn paths(&self) -> Vec<String> {
        vec![FILE.to_owned()]
    }
}
