//! The performance monitors of this process: those of the engine, and custom ones.
//!
//! Newer engines have more of them, so they are looked up by name at run time.

use std::collections::BTreeMap;

use godot::{
    classes::{ClassDb, Performance},
    prelude::*,
};
use protocol::{Fault, Required};

use crate::{resource::nearest, variant::numbers_of};

/// One monitor.
#[derive(Clone)]
pub(crate) struct Monitor {
    /// The name of the engine's constant in small letters, or the monitor's own.
    pub(crate) name: String,
    source: Source,
}

/// Whose monitor it is.
#[derive(Clone)]
enum Source {
    /// The engine's, by the number of its constant.
    Engine(i64),
    /// Of the game or of a plugin.
    Custom(StringName),
}

/// What monitors show now, and which of them are custom.
pub(crate) fn read(monitors: &[Monitor]) -> (BTreeMap<String, f64>, Vec<String>) {
    let shown = monitors.iter().filter_map(|it| Some((it.name.clone(), it.value()?))).collect();
    let custom = monitors.iter().filter(|it| it.is_custom()).map(|it| it.name.clone()).collect();
    (shown, custom)
}

/// The monitors with these names, each once; all of them where none is named.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<Monitor>, Fault> {
    let all = all();
    if names.is_empty() {
        return Ok(all);
    }
    let mut chosen: Vec<Monitor> = Vec::new();
    for name in names {
        let Some(monitor) = all.iter().find(|it| it.name == *name) else {
            return Err(no_such_monitor(name, &all));
        };
        if chosen.iter().all(|it| it.name != *name) {
            chosen.push(monitor.clone());
        }
    }
    Ok(chosen)
}

impl Monitor {
    /// What it shows; `None` for a custom one that gives no number.
    pub(crate) fn value(&self) -> Option<f64> {
        let performance = Performance::singleton();
        let value = match &self.source {
            Source::Engine(id) => {
                performance.upcast::<Object>().call("get_monitor", &[id.to_variant()])
            }
            Source::Custom(id) => performance.get_custom_monitor(id),
        };
        match numbers_of(&value).as_deref() {
            Some(&[number]) if number.is_finite() => Some(number),
            _ => None,
        }
    }

    fn is_custom(&self) -> bool {
        matches!(self.source, Source::Custom(_))
    }
}

fn all() -> Vec<Monitor> {
    /// The enum has it as the number of the others.
    const COUNT: &str = "MONITOR_MAX";
    let db = ClassDb::singleton();
    let constants = db.class_get_enum_constants("Performance", "Monitor");
    let mut all: Vec<Monitor> = constants
        .as_slice()
        .iter()
        .map(ToString::to_string)
        .filter(|constant| constant != COUNT)
        .map(|constant| Monitor {
            source: Source::Engine(db.class_get_integer_constant("Performance", &constant)),
            name: constant.to_lowercase(),
        })
        .collect();
    for id in Performance::singleton().get_custom_monitor_names().iter_shared() {
        let name = id.to_string();
        let is_taken = all.iter().any(|it| it.name == name);
        let name = if is_taken { format!("custom/{name}") } else { name };
        all.push(Monitor { name, source: Source::Custom(id) });
    }
    all
}

fn no_such_monitor(name: &str, all: &[Monitor]) -> Fault {
    let near = nearest(name, all.iter().map(|it| it.name.as_str()));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    Fault::not_found(format!(
        "There is no performance monitor '{name}'.{near} Without `names`, all are told."
    ))
    .requiring(Required::parameter("names"))
}
