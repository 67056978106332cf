//! The on/off switch: the editor setting `godot_mcp/enabled`.

use std::{cell::Cell, rc::Rc};

use godot::{
    classes::{EditorInterface, EditorSettings},
    prelude::*,
};

use crate::signal;

/// The name of the setting.
const SETTING: &str = "godot_mcp/enabled";

/// The signal that tells of changed settings.
const CHANGED: &str = "settings_changed";

/// The setting, watched: whoever changes it (the dock, the dialog of editor settings, a script),
/// it has the same effect.
pub(crate) struct Switch {
    on: Rc<Cell<bool>>,
    on_changed: Callable,
}

impl Switch {
    /// Makes the setting known, on by default, and starts to watch it.
    pub(crate) fn watch() -> Switch {
        let on = Rc::new(Cell::new(true));
        let seen = on.clone();
        let on_changed = Callable::from_fn("godot_mcp_settings_changed", move |_| {
            seen.set(read().unwrap_or(true));
        });
        if let Some(mut settings) = settings() {
            if !settings.has_setting(SETTING) {
                settings.set_setting(SETTING, &true.to_variant());
            }
            settings.set_initial_value(SETTING, &true.to_variant(), false);
            signal::connect(&settings, CHANGED, &on_changed);
        }
        on.set(read().unwrap_or(true));
        Switch { on, on_changed }
    }

    /// Whether it is on.
    pub(crate) fn is_on(&self) -> bool {
        self.on.get()
    }

    /// Stops to watch the setting.
    pub(crate) fn forget(&self) {
        if let Some(mut settings) = settings()
            && settings.is_connected(CHANGED, &self.on_changed)
        {
            settings.disconnect(CHANGED, &self.on_changed);
        }
    }
}

/// Switches on or off, for this editor and those that start later.
pub(crate) fn flip(on: bool) {
    if let Some(mut settings) = settings() {
        settings.set_setting(SETTING, &on.to_variant());
    }
}

/// The setting; `None` where it is not there or is no switch.
fn read() -> Option<bool> {
    let settings = settings()?;
    settings.has_setting(SETTING).then(|| settings.get_setting(SETTING))?.try_to().ok()
}

fn settings() -> Option<Gd<EditorSettings>> {
    EditorInterface::singleton().get_editor_settings()
}
