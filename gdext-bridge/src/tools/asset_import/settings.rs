//! Import settings, as they stand in the file that the importer leaves beside its source.

use godot::{classes::ConfigFile, global::Error, prelude::*};
use protocol::{Fault, ResPath};
use serde_json::{Map, Value};

use crate::{property::PropertyInfo, resource::nearest, variant};

/// Writes settings into what the importer left beside the file. All or none.
pub(super) fn apply(path: &ResPath, settings: &Map<String, Value>) -> Result<(), Vec<String>> {
    const SECTION: &str = "params";
    let beside = format!("{path}.import");
    let mut config = ConfigFile::new_gd();
    if config.load(&beside) != Error::OK || !config.has_section(SECTION) {
        return Err(vec![format!("'{path}' has no import settings.")]);
    }
    let known = config.get_section_keys(SECTION);
    let known: Vec<String> = known.as_slice().iter().map(ToString::to_string).collect();
    let mut refusals = Vec::new();
    for (given, json) in settings {
        let Some(name) = named(given, &known) else {
            let near = nearest(given, known.iter().map(String::as_str));
            let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
            refusals.push(format!("The importer has no setting '{given}'.{near}"));
            continue;
        };
        let slot = PropertyInfo::slot(config.get_value(SECTION, name).get_type());
        match variant::from_json(json, &slot, None) {
            Ok(value) => config.set_value(SECTION, name, &value),
            Err(misfit) => refusals.push(format!("{name}: {}", Fault::from(misfit).hint)),
        }
    }
    if refusals.is_empty() && config.save(&beside) != Error::OK {
        refusals.push(format!("'{beside}' cannot be written."));
    }
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

/// The setting that is meant: by its name, or by the last part of it.
fn named<'a>(given: &str, known: &'a [String]) -> Option<&'a str> {
    let is_last = |name: &&String| name.rsplit('/').next() == Some(given);
    let found = known.iter().find(|name| *name == given).or_else(|| known.iter().find(is_last));
    found.map(String::as_str)
}
