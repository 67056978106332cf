//! What the engine says of its classes, asked for once each: they do not change while the editor runs.

use std::{cell::RefCell, collections::HashMap};

use godot::{classes::ClassDb, prelude::*};

use super::{Keys, PropertyInfo};

/// A class of the engine.
pub(super) struct Class {
    name: String,
    /// Its properties and those that it inherits, by their names.
    properties: HashMap<String, PropertyInfo>,
    /// Those that were asked for, and whether they have a getter and no setter.
    only_got: HashMap<String, bool>,
    /// Whether its objects are controls.
    pub(super) is_control: bool,
}

impl Class {
    /// Gives what `look` finds out about the class called `name`.
    pub(super) fn look_up<T>(name: &str, look: impl FnOnce(&mut Class) -> T) -> T {
        thread_local! {
            static KNOWN: RefCell<HashMap<String, Class>> = RefCell::default();
        }
        KNOWN.with_borrow_mut(|known| match known.get_mut(name) {
            Some(class) => look(class),
            None => look(known.entry(name.to_owned()).or_insert_with(|| Class::read(name))),
        })
    }

    /// The property called `name`.
    pub(super) fn property(&self, name: &str) -> Option<&PropertyInfo> {
        self.properties.get(name)
    }

    /// Whether the class can get the property called `name`, but not set it.
    pub(super) fn only_gets(&mut self, name: &str) -> bool {
        if let Some(is_only_got) = self.only_got.get(name) {
            return *is_only_got;
        }
        let (mut classes, class) = (ClassDb::singleton(), self.name.as_str());
        let is_only_got = !classes.class_get_property_getter(class, name).is_empty()
            && classes.class_get_property_setter(class, name).is_empty();
        self.only_got.insert(name.to_owned(), is_only_got);
        is_only_got
    }

    fn read(name: &str) -> Class {
        let (classes, keys) = (ClassDb::singleton(), Keys::new());
        let list = classes.class_get_property_list(name);
        let properties = list
            .iter_shared()
            .filter(|entry| keys.is_property(entry))
            .map(|entry| keys.read(&entry, name))
            .map(|info| (info.name.clone(), info));
        Class {
            name: name.to_owned(),
            properties: properties.collect(),
            only_got: HashMap::new(),
            is_control: classes.is_parent_class(name, "Control"),
        }
    }
}
