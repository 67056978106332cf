//! Runs commands in the Godot editor, with undo. Decides nothing.
//!
//! A command travels through the modules in this order:
//!
//! * [`plugin`]: the editor plugin; gives the main thread to the rest, between frames.
//! * [`connection`]: finds gateways and carries frames; the only other thread, on which also running
//!   games are asked, and what is left to the [`background`].
//! * [`executor`]: which command is next, and who hears of its outcome; each operation once only, as
//!   [`operations`] remembers.
//! * [`dispatch`]: from a command to its handler and back: [`plan`], commit, verify, stamp.
//! * [`tools`]: the handlers, one folder a toolset, one file a tool.
//!
//! Handlers see the editor through [`scene`], [`undo`], [`persistence`], [`resource`],
//! [`property`] and [`variant`]; [`engine_log`] hears what the engine prints meanwhile. [`child`] runs
//! the project beside the editor.
//!
//! The human sees all of it in the [`dock`], by what [`status`] and [`activity`] tell, and has the
//! [`switch`].

mod activity;
mod adjusted;
mod assignment;
mod autoload;
mod background;
mod batch;
mod by_products;
mod call;
mod child;
mod connection;
mod dialog;
mod dispatch;
mod dock;
mod engine_log;
mod executor;
mod export;
mod exported;
mod file_change;
mod file_mark;
mod file_move;
mod files;
mod folder;
mod game;
mod history;
mod input_names;
mod language_server;
mod line_ends;
mod operations;
mod outside;
mod panics;
mod performance;
mod persistence;
mod picture;
mod plan;
mod plugin;
mod property;
mod refresh;
mod resource;
mod resource_file;
mod resource_reload;
mod saving;
mod scan;
mod scene;
mod scene_save;
mod scene_users;
mod script_tabs;
mod script_users;
mod secrets;
mod selection;
mod settings;
mod shader_tabs;
mod signal;
mod status;
mod switch;
mod tab_text;
mod tabs;
mod text_tabs;
mod throwaway;
mod together;
mod tools;
mod undo;
mod variant;

use godot::{init, prelude::*};

/// The entry point of the library.
#[allow(unsafe_code, reason = "a GDExtension has an unsafe entry point by its nature")]
mod entry {
    use super::ExtensionLibrary;

    /// Names the library to the engine.
    pub(crate) struct GodotMcp;

    // SAFETY: the entry point is the one that gdext generates, and nothing that it relies on is
    // overridden.
    #[super::gdextension]
    unsafe impl ExtensionLibrary for GodotMcp {
        fn on_stage_init(stage: super::init::InitStage) {
            if stage == super::init::InitStage::Scene {
                super::child::guard::begin();
                super::game::probe::begin();
            }
        }

        fn on_stage_deinit(stage: super::init::InitStage) {
            if stage == super::init::InitStage::Scene {
                super::game::probe::end();
                super::child::guard::end();
            }
        }
    }
}
