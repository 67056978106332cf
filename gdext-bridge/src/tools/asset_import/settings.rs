//! Import settings, as they stand in the file that the importer leaves beside its source.

use godot::{
    classes::{ConfigFile, FileAccess},
    global::Error,
    prelude::*,
};
use protocol::{Fault, Required, ResPath};
use serde_json::{Map, Value};

use super::importers;
use crate::{property::PropertyInfo, resource::nearest, variant};

/// Where the settings stand in the file.
pub(super) const SECTION: &str = "params";

/// Writes settings into what the importer left beside the file. All or none. Gives what was written.
pub(super) fn apply(
    path: &ResPath,
    settings: &Map<String, Value>,
) -> Result<Gd<ConfigFile>, Vec<String>> {
    let beside = format!("{path}.import");
    let Some(mut config) = read(path) else {
        return Err(vec![format!("'{path}' has no import settings.")]);
    };
    let mut wanted = ConfigFile::new_gd();
    for (name, value) in values(&config, settings)? {
        config.set_value(SECTION, &name, &value);
        wanted.set_value(SECTION, &name, &value);
    }
    if config.save(&beside) != Error::OK {
        return Err(vec![format!("'{beside}' cannot be written.")]);
    }
    Ok(wanted)
}

/// Checks settings against what an importer left beside the file before, or against what it says of
/// itself. Changes nothing. Tells whether they could be checked.
pub(super) fn check(path: &ResPath, settings: &Map<String, Value>) -> Result<bool, Vec<String>> {
    if settings.is_empty() {
        return Ok(true);
    }
    match read(path).or_else(|| importers::defaults_for(&path.extension())) {
        Some(config) => values(&config, settings).map(|_| true),
        None => Ok(false),
    }
}

/// Which of the settings that were written do not stand in the file after the import.
pub(super) fn lost(path: &ResPath, wanted: &Gd<ConfigFile>) -> Vec<String> {
    let Some(config) = read(path) else {
        return vec![format!("'{path}' lost its import settings.")];
    };
    let names = wanted.get_section_keys(SECTION);
    let value = |config: &Gd<ConfigFile>, name: &GString| config.get_value(SECTION, name);
    let is_lost = |name: &&GString| value(&config, name) != value(wanted, name);
    let told = |name: &GString| format!("The importer did not keep the setting '{name}'.");
    names.as_slice().iter().filter(is_lost).map(told).collect()
}

/// The refusal of settings of which nothing was applied.
pub(super) fn refusal(refusals: &[String]) -> Fault {
    Fault::invalid(format!("{} Nothing was changed.", refusals.join(" ")))
        .requiring(Required::parameter("options"))
}

/// What an importer left beside the file.
fn read(path: &ResPath) -> Option<Gd<ConfigFile>> {
    let beside = format!("{path}.import");
    if !FileAccess::file_exists(&beside) {
        return None;
    }
    let mut config = ConfigFile::new_gd();
    let is_read = config.load(&beside) == Error::OK && config.has_section(SECTION);
    is_read.then_some(config)
}

/// The settings by their whole names, with values of the types that they have, and of those that the
/// importer knows where it has a list.
fn values(
    config: &Gd<ConfigFile>,
    settings: &Map<String, Value>,
) -> Result<Vec<(String, Variant)>, Vec<String>> {
    let known = config.get_section_keys(SECTION);
    let known: Vec<String> = known.as_slice().iter().map(ToString::to_string).collect();
    let importer = config.get_value_ex("remap", "importer").default(&"".to_variant()).done();
    let described = importers::settings_of(&importer.to_string());
    let (mut values, mut refusals) = (Vec::new(), Vec::new());
    for (given, json) in settings {
        let Some(name) = named(given, &known) else {
            let near = near(given, &known);
            let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
            refusals.push(format!("The importer has no setting '{given}'.{near}"));
            continue;
        };
        let kind = config.get_value(SECTION, name).get_type();
        let listed = described.get(name).filter(|it| it.kind == kind && it.is_enum()).cloned();
        let slot = listed.unwrap_or_else(|| PropertyInfo::slot(kind));
        match variant::from_json(json, &slot, None) {
            Ok(value) => values.push((name.to_owned(), value)),
            Err(misfit) => refusals.push(format!("{name}: {}", Fault::from(misfit).hint)),
        }
    }
    if refusals.is_empty() { Ok(values) } else { Err(refusals) }
}

/// The setting that may have been meant, by its name or the last part of it.
fn near<'a>(given: &str, known: &'a [String]) -> Option<&'a str> {
    let last = |name: &'a String| name.rsplit('/').next().unwrap_or(name);
    let by_name = nearest(given, known.iter().map(String::as_str));
    by_name.or_else(|| {
        let near = nearest(given, known.iter().map(last))?;
        known.iter().find(|name| last(name) == near).map(String::as_str)
    })
}

/// The setting that is meant: by its name, or by the last part of it.
fn named<'a>(given: &str, known: &'a [String]) -> Option<&'a str> {
    let is_last = |name: &&String| name.rsplit('/').next() == Some(given);
    let found = known.iter().find(|name| *name == given).or_else(|| known.iter().find(is_last));
    found.map(String::as_str)
}
