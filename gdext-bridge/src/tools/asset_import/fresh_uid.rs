//! The identity of a resource file that is copied: two files with the same UID would be taken for one, and
//! whoever names the first would get the copy.

use godot::{
    classes::{ResourceLoader, ResourceUid},
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::{
    resource::{NO_UID, file_exists, on_disk},
    resource_file,
};

/// The content for a file at `path`, with another UID where the one in it is that of another file. A file
/// that takes the place of one takes its UID.
pub(super) fn given(path: &ResPath, content: Vec<u8>) -> Result<Vec<u8>, Fault> {
    let extension = path.extension();
    if !["res", "scn", "tres", "tscn"].contains(&extension.as_str()) {
        return Ok(content);
    }
    let uid = resource_file::uid_in(&extension, &content)?;
    if !is_of_another(uid, path) {
        return Ok(content);
    }
    let there = match file_exists(path) {
        true => ResourceLoader::singleton().get_resource_uid(path.as_str()),
        false => NO_UID,
    };
    let is_free = there != NO_UID && !is_of_another(there, path);
    let fresh = if is_free { there } else { ResourceUid::singleton().create_id() };
    let with = match extension.as_str() {
        "tres" | "tscn" => in_header(&content, &text(fresh)),
        _ => resource_file::with_id(&extension, &content, fresh)?,
    };
    with.ok_or_else(|| {
        let owner = ResourceUid::singleton().get_id_path(uid);
        Fault::invalid(format!(
            "The source has the UID {}, which '{owner}' has already, and it cannot be given another one \
             here. Save the source under the new name in place of importing it, or import it as a text file \
             ('.tres' or '.tscn'). Nothing was changed.",
            text(uid)
        ))
        .requiring(Required::parameter("source"))
    })
}

/// Whether a UID leads to another file that is there.
fn is_of_another(uid: i64, path: &ResPath) -> bool {
    let ids = ResourceUid::singleton();
    uid != NO_UID && ids.has_id(uid) && {
        let owner = ids.get_id_path(uid).to_string();
        owner != path.as_str() && on_disk(&owner).is_file()
    }
}

fn text(uid: i64) -> String {
    ResourceUid::singleton().id_to_text(uid).to_string()
}

/// The text with another UID in its first line; `None` where none stands there.
fn in_header(content: &[u8], uid: &str) -> Option<Vec<u8>> {
    const BEFORE: &[u8] = b" uid=\"";
    let end = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
    let header = content.get(..end)?;
    let start = header.windows(BEFORE.len()).position(|it| it == BEFORE)? + BEFORE.len();
    let length = header.get(start..)?.iter().position(|byte| *byte == b'"')?;
    let mut with = content.to_vec();
    with.splice(start..start + length, uid.bytes());
    Some(with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_uid_of_the_file_itself_is_replaced() {
        let text =
            "[gd_scene format=3 uid=\"uid://a\"]\r\n[ext_resource uid=\"uid://b\" id=\"1\"]\n";
        let with = String::from_utf8(in_header(text.as_bytes(), "uid://xyz").unwrap()).unwrap();
        assert_eq!(with, text.replace("uid://a", "uid://xyz"));
        assert_eq!(
            in_header(b"[gd_scene format=3]\n[ext_resource uid=\"uid://b\"]", "uid://x"),
            None
        );
    }
}
