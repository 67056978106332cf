//! What the editor saves before it plays.

use godot::{
    classes::{CodeEdit, EditorInterface, EditorSettings},
    prelude::*,
};

use crate::{plan::Context, tab_text};

/// The setting of the editor that has it save.
const SETTING: &str = "run/auto_save/save_before_running";

/// Keeps the editor from saving for as long as it lives.
pub(super) struct Unsaved(Gd<EditorSettings>);

impl Unsaved {
    /// Where nobody has changed a scene or typed anything, there is nothing to save. The editor itself
    /// writes the active scene and all that belongs to it also where only a setting of the project was
    /// changed, in the form of this Godot: files that nobody has touched would be other ones.
    pub(super) fn where_nothing_is(context: &Context) -> Option<Unsaved> {
        let is_clean = context.tabs.all().iter().all(|tab| tab.dirty == Some(false));
        let editor = EditorInterface::singleton();
        if !is_clean || is_anything_typed(&editor) {
            return None;
        }
        let mut settings = editor.get_editor_settings()?;
        let saves = settings.get_setting(SETTING).try_to::<bool>().unwrap_or_default();
        saves.then(|| {
            settings.set_setting(SETTING, &false.to_variant());
            Unsaved(settings)
        })
    }
}

impl Drop for Unsaved {
    fn drop(&mut self) {
        self.0.set_setting(SETTING, &true.to_variant());
    }
}

fn is_anything_typed(editor: &Gd<EditorInterface>) -> bool {
    let Some(base) = editor.get_base_control() else { return true };
    let texts = base.find_children_ex("*").type_("CodeEdit").owned(false).done();
    let mut texts = texts.iter_shared().filter_map(|text| text.try_cast::<CodeEdit>().ok());
    texts.any(|text| tab_text::is_typed(&text))
}
