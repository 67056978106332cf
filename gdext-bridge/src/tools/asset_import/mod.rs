//! `asset_import`: files from elsewhere as assets of the project.

mod asset;
mod create_material_from_textures;
mod decode;
mod fresh_uid;
mod get_status;
mod gltf;
mod importers;
mod run;
mod settings;

use godot::{
    classes::{ConfigFile, EditorFileSystem, EditorInterface, FileAccess, ResourceLoader, Time},
    global::Error,
    prelude::*,
};
use protocol::{Fault, ResPath, tools::asset_import::ImportStatus};

use crate::resource::file_exists;

/// The extensions of files that the engine imports, if it has the importer.
const IMPORTED: &[&str] = &[
    "bmp", "csv", "dae", "dds", "exr", "fbx", "fnt", "font", "glb", "gltf", "hdr", "jpeg", "jpg",
    "ktx", "mp3", "obj", "ogg", "otf", "png", "svg", "tga", "ttc", "ttf", "wav", "webp", "woff",
    "woff2",
];

/// Whether a file becomes something else before it is used.
pub(crate) fn is_imported_kind(path: &ResPath) -> bool {
    IMPORTED.contains(&path.extension().as_str())
}

fn editor_files() -> Result<Gd<EditorFileSystem>, Fault> {
    let files = EditorInterface::singleton().get_resource_filesystem();
    files.ok_or_else(|| Fault::internal("The editor has no file system."))
}

/// What is known of the import of a file now.
fn status(path: &ResPath) -> Result<ImportStatus, Fault> {
    let files = editor_files()?;
    let scanning = files.is_scanning();
    let kind = files.get_file_type(path.as_str()).to_string();
    let mut status = ImportStatus {
        imported: false,
        last_modified: None,
        kind: Some(kind).filter(|kind| !kind.is_empty()),
        scanning,
        reason: None,
    };
    if !file_exists(path) {
        status.reason = Some("no_such_file".to_owned());
        return Ok(status);
    }
    let time = FileAccess::get_modified_time(path.as_str());
    let time = i64::try_from(time).unwrap_or_default();
    let text = Time::singleton().get_datetime_string_from_unix_time(time);
    status.last_modified = Some(text.to_string());
    let reason = match outcome(path) {
        _ if scanning => Some("scan_in_flight"),
        Outcome::Usable => None,
        Outcome::NotYet => Some("not_imported"),
        Outcome::Failed => Some("import_failed"),
    };
    status.imported = reason.is_none();
    status.reason = reason.map(str::to_owned);
    Ok(status)
}

/// What an import came to.
enum Outcome {
    Usable,
    NotYet,
    Failed,
}

fn outcome(path: &ResPath) -> Outcome {
    let mut settings = ConfigFile::new_gd();
    if settings.load(&format!("{path}.import")) != Error::OK {
        return if is_imported_kind(path) { Outcome::NotYet } else { Outcome::Usable };
    }
    let read =
        |key: &str, default: Variant| settings.get_value_ex("remap", key).default(&default).done();
    let is_kept =
        ["keep", "skip"].contains(&read("importer", "".to_variant()).to_string().as_str());
    if is_kept {
        return Outcome::Usable;
    }
    if !read("valid", true.to_variant()).booleanize() {
        return Outcome::Failed;
    }
    // A translation is made of several files and none of its own name.
    let has_result = ResourceLoader::singleton().exists(path.as_str()) || path.extension() == "csv";
    if has_result { Outcome::Usable } else { Outcome::NotYet }
}
