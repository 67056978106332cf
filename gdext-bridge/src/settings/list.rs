//! What the engine says of the settings. It makes the list of all anew each time, which takes longer
//! than all the rest of a call; so within a frame, in which only our own calls change settings, it is
//! asked once.

use std::{cell::RefCell, collections::BTreeMap};

use godot::{
    classes::{Engine, ProjectSettings},
    prelude::*,
};

use super::is_of_the_engine;
use crate::{property::PropertyInfo, resource::nearest};

/// The settings by their names.
type List = BTreeMap<String, PropertyInfo>;

thread_local! {
    /// The list, and the frame in which it was made.
    static LIST: RefCell<Option<(u64, List)>> = const { RefCell::new(None) };
}

/// What a setting may hold; `None` if there is none of that name.
pub(crate) fn described(name: &str) -> Option<PropertyInfo> {
    with_list(|list| list.get(name).cloned())
}

/// The names of the settings below a prefix, without it.
pub(crate) fn names_below(prefix: &str) -> Vec<String> {
    with_list(|list| {
        list.keys().filter_map(|name| Some(name.strip_prefix(prefix)?.to_owned())).collect()
    })
}

/// Whether the engine has settings whose names begin with this word.
pub(crate) fn is_section_of_the_engine(section: &str) -> bool {
    let prefix = format!("{section}/");
    with_list(|list| {
        let below = list.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        below.into_iter().any(|(name, _)| is_of_the_engine(name))
    })
}

/// The setting with the most similar name.
pub(crate) fn nearest_name(name: &str) -> Option<String> {
    with_list(|list| nearest(name, list.keys().map(String::as_str)).map(str::to_owned))
}

/// Somebody else may have changed settings in this frame.
pub(crate) fn forget() {
    LIST.take();
}

/// A setting was given a value, or taken out of the project.
pub(super) fn note(name: &str, value: Option<&Variant>) {
    LIST.with_borrow_mut(|list| {
        let Some((_, list)) = list else { return };
        let Some(value) = value else {
            list.remove(name);
            return;
        };
        if list.contains_key(name) && is_of_the_engine(name) {
            return;
        }
        // As the engine tells of a setting of which nobody has said what it may hold.
        let info = PropertyInfo::slot(value.get_type());
        let info =
            PropertyInfo { name: name.to_owned(), owner: "ProjectSettings".to_owned(), ..info };
        list.entry(name.to_owned()).and_modify(|known| known.kind = info.kind).or_insert(info);
    });
}

fn with_list<T>(look: impl FnOnce(&List) -> T) -> T {
    let frame = Engine::singleton().get_process_frames();
    LIST.with_borrow_mut(|known| {
        if known.as_ref().is_none_or(|(made, _)| *made != frame) {
            let object = ProjectSettings::singleton().upcast::<Object>();
            let all = PropertyInfo::all(&object).into_iter();
            *known = Some((frame, all.map(|info| (info.name.clone(), info)).collect()));
        }
        let empty = List::new();
        look(known.as_ref().map_or(&empty, |(_, list)| list))
    })
}
