//! The tabs of the shader editor: whether the human has text there that is in no file yet, and what a
//! tab shows after its file has changed.
//!
//! The API does not know this editor. It is found by its class, and the file of a tab by the list
//! beside it, which tells the paths. Where a Godot has it otherwise, no tab is found.

use godot::{
    classes::{CodeEdit, Control, EditorInterface, ItemList, Node, TabContainer},
    prelude::*,
};

use crate::{tab_text, tabs::find_class};

/// Whether a tab of the file has text that was typed and not saved.
pub(crate) fn has_unsaved_text(path: &str) -> bool {
    tab(path).is_some_and(|text| tab_text::is_typed(&text))
}

/// Shows in the tab of a file what is in the file now, if there is a tab: the editor would set what
/// the tab shows when it saves.
pub(crate) fn show(path: &str, content: &str) {
    if let Some(mut text) = tab(path) {
        tab_text::put(&mut text, content);
    }
}

/// Whether a file is shown in that editor, and not in the one of scripts.
pub(crate) fn is_for(path: &str) -> bool {
    path.ends_with(".gdshader") || path.ends_with(".gdshaderinc")
}

fn tab(path: &str) -> Option<Gd<CodeEdit>> {
    if !is_for(path) {
        return None;
    }
    let root = EditorInterface::singleton().get_base_control()?.get_tree().get_root()?;
    let editors = root.find_children_ex("*").type_("TextShaderEditor").owned(false).done();
    editors
        .iter_shared()
        .find(|editor| file_of(editor).as_deref() == Some(path))
        .and_then(|it| find_class(&it, "CodeEdit")?.try_cast().ok())
}

/// The path that the list beside the tabs has for one of them.
fn file_of(editor: &Gd<Node>) -> Option<String> {
    let tabs = editor.get_parent()?.try_cast::<TabContainer>().ok()?;
    let index = tabs.get_tab_idx_from_control(&editor.clone().try_cast::<Control>().ok()?);
    let list = find_class(&tabs.get_parent()?, "ItemList")?.try_cast::<ItemList>().ok()?;
    let is_listed = index >= 0 && index < list.get_item_count();
    is_listed.then(|| list.get_item_tooltip(index).to_string())
}
