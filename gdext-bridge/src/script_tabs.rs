//! The tabs of the script editor: whether the human has text there that is in no file yet, and what
//! a tab shows after its file has changed.

use godot::{
    classes::{CodeEdit, EditorInterface, Node, Resource, Script, ScriptEditorBase},
    prelude::*,
};
use protocol::{ErrorCode, Fault};

use crate::{refresh, resource::on_disk, shader_tabs, tab_text, text_tabs};

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
    let read = match path.rsplit('.').next() {
        _ if shader_tabs::is_for(path) => "read the file with godot_shader_read and ",
        Some("gd" | "cs") => "read the file with godot_scripts_read and ",
        _ => "",
    };
    Err(Fault::new(
        ErrorCode::PreconditionFailed,
        format!(
            "The human has text in the editor's tab of '{path}' that is not saved. Nothing was changed, \
             so that it is not lost. Ask them to save or undo it, or save it with \
             godot_scene_edit_save_scene, which saves the tabs of scripts, shaders and other texts as \
             well; then {read}repeat."
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
    let typed = Tab::find(path).map(|tab| tab.text).filter(tab_text::is_typed);
    let Some(text) = typed.or_else(|| text_tabs::typed(path)) else {
        // What differs now came into the file from elsewhere, such as from version control.
        return false;
    };
    tab_text::differs(&text, &std::fs::read(on_disk(path)).unwrap_or_default())
}

/// Shows in the tab of a file what is in the file now, if there is a tab.
pub(crate) fn show(path: &str, content: &str) {
    let Some(Tab { script, mut text }) = Tab::find(path) else {
        return text_tabs::show(path, content);
    };
    tab_text::put(&mut text, content);
    tell_saved(&script.upcast());
}

/// Whether a tab has the file open.
pub(crate) fn is_open(path: &str) -> bool {
    Tab::find(path).is_some() || text_tabs::is_open(path)
}

/// Whether a tab of the script editor is one of a script, and not of plain text.
pub(crate) fn is_of_script(tab: &Gd<ScriptEditorBase>) -> bool {
    tab.get_class() == "ScriptTextEditor"
}

/// Has the editor note that what it shows of a file is what is in the file.
pub(crate) fn note_saved(path: &str) {
    if let Some(shown) = refresh::loaded(path) {
        tell_saved(&shown);
    }
}

/// What the editor does after it has saved a file itself: it notes the time of the file, so that it
/// does not ask the human which of two versions to keep.
fn tell_saved(shown: &Gd<Resource>) {
    if let Some(mut editor) = editor_node() {
        editor.emit_signal("resource_saved", vslice![shown.clone()]);
    }
}

impl Tab {
    fn find(path: &str) -> Option<Tab> {
        let editor = EditorInterface::singleton().get_script_editor()?;
        let editors = editor.get_open_script_editors();
        // One kind of editor is for scripts; in the order of the tabs, as the scripts are.
        let editors = editors.iter_shared().filter(is_of_script);
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
