//! Runs commands in the Godot editor, with undo. Decides nothing.
//!
//! A command travels through the modules in this order:
//!
//! * [`plugin`]: the editor plugin; gives the main thread to the rest, between frames.
//! * [`connection`]: finds gateways and carries frames; the only other thread.
//! * [`dispatch`]: from a frame to its handler and back: plan, commit, verify, stamp.
//! * [`tools`]: the handlers, one folder a toolset, one file a tool.
//!
//! Handlers see the editor through [`scene`], [`undo`], [`persistence`], [`resource`],
//! [`property`] and [`variant`]; [`engine_log`] hears what the engine prints meanwhile.

mod connection;
mod dispatch;
mod engine_log;
mod first_load;
mod history;
mod persistence;
mod plugin;
mod property;
mod resource;
mod scene;
mod tabs;
mod tools;
mod undo;
mod variant;

use godot::prelude::*;

/// The entry point of the library.
#[allow(unsafe_code, reason = "a GDExtension has an unsafe entry point by its nature")]
mod entry {
    use godot::init::InitStage;

    use super::ExtensionLibrary;

    /// Names the library to the engine.
    pub(crate) struct GodotMcp;

    // SAFETY: the entry point is the one that gdext generates, and nothing that it relies on is
    // overridden.
    #[super::gdextension]
    unsafe impl ExtensionLibrary for GodotMcp {
        fn on_stage_init(stage: InitStage) {
            if stage == InitStage::Scene {
                crate::first_load::take_care();
            }
        }
    }
}
