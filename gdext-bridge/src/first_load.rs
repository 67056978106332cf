//! Keeps a first run with the add-on from ending in a crash of the engine.
//!
//! An editor that finds a GDExtension while it runs, as in the first `--import` of a project, writes
//! the documentation of its classes in a thread. If the editor ends before that thread does, it
//! crashes: <https://github.com/godotengine/godot/issues/111048>. A run that ends by itself or has no
//! window has nobody to read documentation, so there it is not begun.

use godot::{
    classes::{DisplayServer, Engine, GDExtensionManager},
    prelude::*,
};

use crate::plugin::is_tool_run;

/// Takes care of a run that loads the library for the first time: at a later start there is no main
/// loop yet.
pub(crate) fn take_care() {
    let engine = Engine::singleton();
    let is_first = engine.is_editor_hint() && engine.get_main_loop().is_some();
    if !is_first || !(is_tool_run() || DisplayServer::singleton().get_name() == "headless") {
        return;
    }
    let mut manager = GDExtensionManager::singleton();
    for connection in manager.get_signal_connection_list("extensions_reloaded").iter_shared() {
        if let Some(Ok(callable)) = connection.get("callable").map(|it| it.try_to::<Callable>()) {
            manager.disconnect("extensions_reloaded", &callable);
        }
    }
}
