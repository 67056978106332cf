//! Keeps the add-on out of exported games.
//!
//! The engine would pack `addon.gdextension`, whose library no game has, and name it in the list of
//! extensions that games load: a warning at the export, and errors when the game starts. An export
//! plugin can leave out the file, but not its traces in what the engine keeps of the project, which it
//! packs as it finds it on disk. So these files are without the add-on for as long as an export takes.
//! An editor that dies meanwhile does no lasting harm: the next one finds the add-on among the files of
//! the project, and writes them anew.

mod traces;

use godot::{
    classes::{EditorExportPlugin, EditorPlugin, IEditorExportPlugin, Resource},
    prelude::*,
};

use self::traces::Traces;

/// Where the add-on lies in every project.
const FOLDER: &str = "res://addons/godot_mcp/";

/// The plugin that the engine asks about every file of an export.
#[derive(GodotClass)]
#[class(tool, no_init, internal, base = EditorExportPlugin)]
pub(crate) struct Exports {
    base: Base<EditorExportPlugin>,
    /// What was taken out of the files of the engine for the export that runs.
    traces: Option<Traces>,
}

impl Exports {
    /// Watches over the exports of this process, also over those that no human looks at.
    pub(crate) fn watch(plugin: &Gd<EditorPlugin>) -> Gd<EditorExportPlugin> {
        let exports = Gd::from_init_fn(|base| Exports { base, traces: None }).upcast();
        plugin.clone().add_export_plugin(&exports);
        exports
    }
}

#[godot_api]
impl IEditorExportPlugin for Exports {
    /// Plugins have their turn in the order of their names, and the engine's own "GDExtension" would
    /// take the library along.
    fn get_name(&self) -> GString {
        "!GodotMcp".into()
    }

    fn export_begin(&mut self, _: PackedStringArray, _: bool, _: GString, _: u32) {
        self.traces = Some(Traces::hide(FOLDER));
    }

    fn export_file(&mut self, path: GString, _: GString, _: PackedStringArray) {
        if path.to_string().starts_with(FOLDER) {
            self.base_mut().skip();
        }
    }

    /// Called also where the export failed.
    fn export_end(&mut self) {
        if let Some(traces) = self.traces.take() {
            traces.bring_back();
        }
    }

    // The engine asks for these three where a plugin says that it changes resources. This one does not.

    fn customize_resource(&mut self, _: Gd<Resource>, _: GString) -> Option<Gd<Resource>> {
        None
    }

    fn customize_scene(&mut self, _: Gd<Node>, _: GString) -> Option<Gd<Node>> {
        None
    }

    fn get_customization_configuration_hash(&self) -> u64 {
        0
    }
}
