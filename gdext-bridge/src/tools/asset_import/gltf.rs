//! glTF files, tried before they are in the project, with the files that they name.

use std::path::Path;

use godot::{
    classes::{GltfDocument, GltfState},
    global::Error,
    prelude::*,
};
use protocol::ResPath;
use serde_json::Value;

use crate::{folder::below, resource::on_disk};

/// Has the engine read a file as it would where the file is to lie.
pub(super) fn read(path: &ResPath, bytes: &PackedByteArray) -> Error {
    let mut state = GltfState::new_gd();
    // In the editor it would write the pictures that are in the file into the project otherwise.
    state.set_handle_binary_image(GltfState::HANDLE_BINARY_DISCARD_TEXTURES);
    // What follows the last slash is taken for the name of a file.
    let folder = format!("{}/", path.folder().trim_end_matches('/'));
    let folder = if folder == "res:/" { "res://".to_owned() } else { folder };
    GltfDocument::new_gd().append_from_buffer(bytes, &folder, &state)
}

/// What is to be imported first: files with the data of the meshes, which the engine looks for beside the
/// file and cannot do without. `None` where nothing is missing.
pub(super) fn missing(source: &Path, path: &ResPath, content: &[u8]) -> Option<String> {
    let wanted = buffers(content);
    let is_missing = |uri: &&String| !on_disk(&below(path.folder(), uri)).is_file();
    let missing: Vec<&String> = wanted.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return None;
    }
    let told = missing.iter().map(|uri| {
        let there = below(path.folder(), uri);
        let beside = source.with_file_name(uri);
        match beside.is_file() {
            true => format!("'{there}' (from '{}')", beside.display()),
            false => format!("'{there}' (which does not lie beside the source either)"),
        }
    });
    Some(format!(
        "it needs files that are not there yet; import these first: {}",
        told.collect::<Vec<_>>().join(", ")
    ))
}

/// The files with data that a glTF file names, apart from what it holds itself.
fn buffers(content: &[u8]) -> Vec<String> {
    let parsed: Value = serde_json::from_slice(content).unwrap_or_default();
    let listed = parsed.get("buffers").and_then(Value::as_array).into_iter().flatten();
    let uris = listed.filter_map(|it| it.get("uri")?.as_str());
    uris.filter(|uri| !uri.starts_with("data:")).map(decoded).collect()
}

/// A file name as it is on the disk: what stands in the file may have characters as `%20`.
fn decoded(uri: &str) -> String {
    // A plus is no space in the name of a file.
    GString::from(&uri.replace('+', "%2B")).uri_decode().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_their_own_are_named() {
        let none: [&[u8]; 4] = [b"", b"glTF\x02", b"[]", b"{\"buffers\":[{\"byteLength\":3}]}"];
        assert!(none.iter().all(|it| buffers(it).is_empty()));
        let held = br#"{"buffers":[{"uri":"data:application/octet-stream;base64,AAAA"}]}"#;
        assert!(buffers(held).is_empty());
    }
}
