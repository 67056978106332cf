//! The tabs of plain text in the editor of scripts, such as of `.txt`, `.md`, `.cfg` and `.json`.
//!
//! The API gives these tabs and does not tell which files they are of. The list beside them does: an
//! item has the path as its tooltip, and the place of its tab as metadata. The list leaves out what
//! the human filters away, so the filter is lifted for a moment. Where a Godot has it otherwise, no
//! tab is found.

use godot::{
    classes::{
        CodeEdit, Control, EditorInterface, ItemList, LineEdit, Node, ScriptEditor,
        ScriptEditorBase, TabContainer,
    },
    global::MouseButton,
    prelude::*,
};

use crate::{script_tabs, tab_text, tabs::find_class};

/// The text of the tab of a file, if one has it open and something was typed there.
pub(crate) fn typed(path: &str) -> Option<Gd<CodeEdit>> {
    let tabs = all();
    // Mostly there is no such tab, and no reason to look at the list.
    if !tabs.iter().filter_map(text_of).any(|text| tab_text::is_typed(&text)) {
        return None;
    }
    text_of(&find(tabs, path)?).filter(tab_text::is_typed)
}

/// Whether a tab has the file open.
pub(crate) fn is_open(path: &str) -> bool {
    find(all(), path).is_some()
}

/// Shows in the tab of a file what is in the file now, if there is a tab.
pub(crate) fn show(path: &str, content: &str) {
    let Some(mut text) = find(all(), path).and_then(|tab| text_of(&tab)) else { return };
    tab_text::put(&mut text, content);
    script_tabs::note_saved(path);
}

/// Has the list tell the paths that files have now.
pub(crate) fn list_again() {
    if let Some(mut tab) = all().into_iter().next() {
        // As when a tab is called otherwise than before.
        tab.emit_signal("name_changed", &[]);
    }
}

/// Closes the tab of a file that is gone, if one is left: the editor itself does not find the one of a
/// text that was moved before.
pub(crate) fn close(path: &str) {
    let Some(editor) = EditorInterface::singleton().get_script_editor() else { return };
    if is_open(path) {
        in_list(&editor, path, |mut list, item| {
            // As the human closes it there.
            let click = vslice![item, Vector2::ZERO, MouseButton::MIDDLE.ord()];
            list.emit_signal("item_clicked", click);
            Some(())
        });
    }
}

/// The tabs that are of no scripts.
fn all() -> Vec<Gd<ScriptEditorBase>> {
    let Some(editor) = EditorInterface::singleton().get_script_editor() else { return Vec::new() };
    let tabs = editor.get_open_script_editors();
    tabs.iter_shared().filter(|tab| !script_tabs::is_of_script(tab)).collect()
}

/// The one of these tabs that a file is open in.
fn find(tabs: Vec<Gd<ScriptEditorBase>>, path: &str) -> Option<Gd<ScriptEditorBase>> {
    let places = tabs.first()?.get_parent()?.try_cast::<TabContainer>().ok()?;
    let editor = EditorInterface::singleton().get_script_editor()?;
    let place = in_list(&editor, path, |list, item| list.get_item_metadata(item).try_to().ok())?;
    let shown = places.get_tab_control(place)?.upcast::<Node>();
    tabs.into_iter().find(|tab| tab.clone().upcast::<Node>() == shown)
}

/// Looks at the item that the list has for a file, while nothing is filtered away.
fn in_list<T>(
    editor: &Gd<ScriptEditor>,
    path: &str,
    look: impl FnOnce(Gd<ItemList>, i32) -> Option<T>,
) -> Option<T> {
    let list = find_class(&editor.clone().upcast(), "ItemList")?.try_cast::<ItemList>().ok()?;
    let filter = list.get_parent().and_then(|beside| find_class(&beside, "LineEdit"));
    let filter = filter.and_then(|filter| filter.try_cast::<LineEdit>().ok());
    let filter = filter.filter(|filter| !filter.get_text().is_empty());
    let words = filter.as_ref().map(|filter| filter.get_text());
    let say = |words: &GString| {
        if let Some(mut filter) = filter.clone() {
            filter.set_text(words);
            filter.set_caret_column(i32::try_from(words.len()).unwrap_or_default());
            filter.emit_signal("text_changed", vslice![words.clone()]);
        }
    };
    say(&GString::new());
    let item = (0..list.get_item_count()).find(|item| list.get_item_tooltip(*item) == path);
    let found = item.and_then(|item| look(list, item));
    words.iter().for_each(say);
    found
}

fn text_of(tab: &Gd<ScriptEditorBase>) -> Option<Gd<CodeEdit>> {
    let text: Gd<Control> = tab.get_base_editor()?;
    text.try_cast().ok()
}
