//! The files in which the engine keeps what a project has, for a while without the add-on.

use std::{fs, path::PathBuf};

use godot::{classes::ProjectSettings, prelude::*};

/// The extensions that are loaded at the start: a path a line.
const EXTENSIONS: &str = "res://.godot/extension_list.cfg";

/// The unique ids of all files.
const IDS: &str = "res://.godot/uid_cache.bin";

/// What is hidden, and where it belongs.
pub(super) struct Traces(Vec<Hidden>);

struct Hidden {
    file: PathBuf,
    /// The file as it was, and as it was left.
    before: Vec<u8>,
    without: Vec<u8>,
}

impl Traces {
    /// Takes all that lies in `folder` out of these files. One that cannot be read or written stays as
    /// it is: the game then prints a warning or two, which is better than no export.
    pub(super) fn hide(folder: &str) -> Traces {
        let hide = |path: &str, without: fn(&[u8], &str) -> Option<Vec<u8>>| {
            let file = PathBuf::from(ProjectSettings::singleton().globalize_path(path).to_string());
            let before = fs::read(&file).ok()?;
            let without = without(&before, folder).filter(|it| *it != before)?;
            match fs::write(&file, &without) {
                Ok(()) => Some(Hidden { file, before, without }),
                Err(error) => {
                    godot_warn!("The export names the Godot MCP add-on in {path}: {error}.");
                    // Nobody knows how much of it was written.
                    let _ = fs::write(&file, &before);
                    None
                }
            }
        };
        let hidden = [hide(EXTENSIONS, without_lines), hide(IDS, without_ids)];
        Traces(hidden.into_iter().flatten().collect())
    }

    /// Puts it back. What the engine has written anew meanwhile, it has written whole.
    pub(super) fn bring_back(self) {
        for Hidden { file, before, without } in self.0 {
            let is_as_left = fs::read(&file).is_ok_and(|now| now == without);
            if is_as_left && let Err(error) = fs::write(&file, before) {
                godot_warn!(
                    "{} is without the Godot MCP add-on until the editor is started again: {error}.",
                    file.display()
                );
            }
        }
    }
}

/// A text without the lines that begin with `folder`.
fn without_lines(text: &[u8], folder: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let kept = text.split_inclusive('\n').filter(|line| !line.starts_with(folder));
    Some(kept.collect::<String>().into_bytes())
}

/// A list of ids without those of the files in `folder`: how many there are, and for each the id in
/// eight bytes, the length of its path in four, and the path (`ResourceUID::save_to_cache` of the
/// engine). `None` if the list is not of that form.
fn without_ids(list: &[u8], folder: &str) -> Option<Vec<u8>> {
    let (count, mut rest) = list.split_first_chunk::<4>()?;
    let mut kept = Vec::new();
    let mut left = 0_u32;
    for _ in 0..u32::from_le_bytes(*count) {
        let (head, tail) = rest.split_first_chunk::<12>()?;
        let (_, length) = head.split_last_chunk::<4>()?;
        let (path, next) = tail.split_at_checked(u32::from_le_bytes(*length).try_into().ok()?)?;
        if !path.starts_with(folder.as_bytes()) {
            left += 1;
            kept.extend_from_slice(head);
            kept.extend_from_slice(path);
        }
        rest = next;
    }
    let whole = [&left.to_le_bytes()[..], &kept].concat();
    rest.is_empty().then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(paths: &[&str]) -> Vec<u8> {
        let mut bytes = u32::try_from(paths.len()).unwrap().to_le_bytes().to_vec();
        for (id, path) in (7_u64..).zip(paths) {
            bytes.extend(id.to_le_bytes());
            bytes.extend(u32::try_from(path.len()).unwrap().to_le_bytes());
            bytes.extend(path.bytes());
        }
        bytes
    }

    #[test]
    fn lines_of_others_stay_as_they_are() {
        let text = b"res://a/x.gdextension\r\nres://b/y.gdextension\nres://c.gdextension";
        let kept = without_lines(text, "res://b/").unwrap();
        assert_eq!(kept, b"res://a/x.gdextension\r\nres://c.gdextension");
        assert_eq!(without_lines(text, "res://d/").unwrap(), text);
    }

    #[test]
    fn ids_of_others_stay_as_they_are() {
        let all = list(&["res://é.tscn", "res://b/y.gdextension"]);
        assert_eq!(without_ids(&all, "res://b/").unwrap(), list(&["res://é.tscn"]));
        assert_eq!(without_ids(&all, "res://d/").unwrap(), all);
    }

    #[test]
    fn a_list_of_another_form_is_let_alone() {
        let all = list(&["res://b/y.gdextension"]);
        assert_eq!(without_ids(&all[..all.len() - 1], "res://b/"), None);
        assert_eq!(without_ids(&[all, vec![0]].concat(), "res://b/"), None);
        assert_eq!(without_ids(b"", "res://b/"), None);
    }
}
