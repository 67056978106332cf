//! The tabs of the script editor: whether the human has text there that is in no file yet, and what
//! a tab shows after its file has changed.

use godot::{
    classes::{CodeEdit, EditorInterface, Node, Script},
    prelude::*,
};
use protocol::{ErrorCode, Fault};

use crate::{resource::on_disk, shader_tabs};

/// A tab with a script in it.
struct Tab {
    script: Gd<Script>,
    text: Gd<CodeEdit>,
}

/// Refuses where the human has text in a tab of the file that is not in the file yet: whatever was
/// written now, one of the two would be lost.
pub(crate) fn check_saved(path: &str) -> Result<(), Fault> {
    if !has_unsaved_text(path) {
        return Ok(());
    }
    Err(Fault::new(
        ErrorCode::PreconditionFailed,
        format!(
            "The human has text in the editor's tab of '{path}' that is not saved. Nothing was changed, \
             so that it is not lost. Ask them to save or undo it, or save it with \
             godot_scene_edit_save_scene, which saves the tabs of scripts and shaders as well; then \
             read the file with {} and repeat.",
            if shader_tabs::is_for(path) { "godot_shader_read" } else { "godot_scripts_read" }
        ),
    )
    .with("path", path)
    .with("unsaved_in_editor", true))
}

/// Whether a tab of the file shows text that is not in the file, by the human's doing.
pub(crate) fn has_unsaved_text(path: &str) -> bool {
    if shader_tabs::has_unsaved_text(path) {
        return true;
    }
    let Some(tab) = Tab::find(path) else { return false };
    if tab.text.get_version() == tab.text.get_saved_version() {
        // What differs now came into the file from elsewhere, such as from version control.
        return false;
    }
    let file = std::fs::read(on_disk(path)).unwrap_or_default();
    plain(&String::from_utf8_lossy(&file)) != plain(&tab.text.get_text().to_string())
}

/// Shows in the tab of a file what is in the file now, if there is a tab.
pub(crate) fn show(path: &str, content: &str) {
    let Some(Tab { script, mut text }) = Tab::find(path) else { return };
    let content = plain(content);
    if text.get_text().to_string() != content {
        let (line, column) = (text.get_caret_line(), text.get_caret_column());
        let (down, right) = (text.get_v_scroll(), text.get_h_scroll());
        text.set_text(&content);
        let last = text.get_line_count() - 1;
        text.set_caret_line(line.min(last));
        text.set_caret_column(column);
        text.set_v_scroll(down);
        text.set_h_scroll(right);
    }
    text.tag_saved_version();
    // What the editor does after it has saved a script itself: it notes the time of the file, so
    // that it does not ask the human which of two versions to keep.
    if let Some(mut editor) = editor_node() {
        editor.emit_signal("resource_saved", vslice![script]);
    }
}

/// Whether a tab has the file open.
pub(crate) fn is_open(path: &str) -> bool {
    Tab::find(path).is_some()
}

impl Tab {
    fn find(path: &str) -> Option<Tab> {
        let editor = EditorInterface::singleton().get_script_editor()?;
        let editors = editor.get_open_script_editors();
        // One kind of editor is for scripts; in the order of the tabs, as the scripts are.
        let editors = editors.iter_shared().filter(|it| it.get_class() == "ScriptTextEditor");
        let scripts = editor.get_open_scripts();
        let mut tabs = scripts.iter_shared().zip(editors);
        let (script, editor) = tabs.find(|(script, _)| script.get_path() == path)?;
        let text = editor.get_base_editor()?.try_cast().ok()?;
        Some(Tab { script, text })
    }
}

/// The node that runs the editor.
fn editor_node() -> Option<Gd<Node>> {
    let mut node = EditorInterface::singleton().get_base_control()?.upcast::<Node>();
    loop {
        node = node.get_parent()?;
        if node.get_class() == "EditorNode" {
            return Some(node);
        }
    }
}

/// A text as the editor shows it: without a byte order mark and carriage returns.
fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace('\r', "")
}
