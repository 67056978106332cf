//! The editor plugin: gives the main thread to the executor, between frames.
//!
//! In low-processor mode Godot sleeps between frames, 6.9 ms in a focused window and 100 ms in an
//! unfocused one by default, and nothing wakes it. So that sleep is set to almost nothing, and the
//! plugin waits for commands in `process()` instead, for as long as the editor wanted to sleep: an
//! idle editor stays idle, and a command is taken up at once.

use std::{
    cell::RefCell,
    env,
    rc::Rc,
    time::{Duration, Instant},
};

use godot::{
    classes::{EditorExportPlugin, EditorPlugin, Engine, IEditorPlugin, Os, ProjectSettings},
    prelude::*,
};
use link::{Identity, ProjectIdentity};

use crate::{
    activity::Activity,
    connection::Links,
    dock::{Dock, View},
    executor::Executor,
    export::Exports,
    status::Board,
    switch::Switch,
};

/// Loaded by the editor of every project that has the add-on. Inert where there is no editor to
/// work in: games, imports, exports, scripts.
///
/// Internal, so that the editor writes no documentation of it: in a headless run that finds the
/// add-on for the first time and ends at once, the engine crashes over that
/// (<https://github.com/godotengine/godot/issues/111048>).
#[derive(GodotClass)]
#[class(tool, internal, base = EditorPlugin)]
struct GodotMcpPlugin {
    base: Base<EditorPlugin>,
    // Shared, as a save in a windowed editor calls `process` again while it runs.
    executor: Option<Rc<Executor>>,
    editor_sleep: Rc<EditorSleep>,
    desk: Option<Rc<Desk>>,
    /// Keeps the add-on out of exports, also where all else is switched off.
    exports: Option<Gd<EditorExportPlugin>>,
    /// Where the switch was when it was last obeyed.
    was_on: bool,
}

/// What is there for the human, switched on or off.
struct Desk {
    switch: Switch,
    dock: Dock,
    activity: Rc<Activity>,
    board: Board,
    /// Why it does not run although it is switched on.
    trouble: RefCell<Option<String>>,
}

#[godot_api]
impl IEditorPlugin for GodotMcpPlugin {
    fn init(base: Base<EditorPlugin>) -> GodotMcpPlugin {
        GodotMcpPlugin {
            base,
            executor: None,
            editor_sleep: Rc::default(),
            desk: None,
            exports: None,
            was_on: false,
        }
    }

    fn enter_tree(&mut self) {
        self.exports = Some(Exports::watch(&self.to_gd().upcast()));
        let is_wanted = is_wanted();
        if is_wanted {
            let desk = Rc::new(Desk::set_up(self.to_gd().upcast()));
            self.desk = Some(desk.clone());
            self.obey(&desk);
        }
        self.base_mut().set_process(is_wanted);
    }

    fn exit_tree(&mut self) {
        self.stop();
        if let Some(desk) = self.desk.take() {
            desk.clear();
        }
        if let Some(exports) = self.exports.take() {
            self.base_mut().remove_export_plugin(&exports);
        }
    }

    #[func(gd_self)]
    fn process(this: Gd<Self>, _delta: f64) {
        // Nothing stays borrowed while handlers run: they may cause a nested frame.
        let (executor, desk, sleep, was_on) = {
            let plugin = this.bind();
            let Some(desk) = plugin.desk.clone() else { return };
            (plugin.executor.clone(), desk, plugin.editor_sleep.clone(), plugin.was_on)
        };
        // The command that causes a nested frame must end before anything is switched.
        if executor.as_ref().is_some_and(|executor| executor.is_busy()) {
            return;
        }
        if desk.switch.is_on() != was_on {
            return this.clone().bind_mut().obey(&desk);
        }
        if let Some(executor) = &executor {
            executor.tick(Instant::now() + sleep.take());
        }
        desk.dock.look(Instant::now(), || desk.view(executor.as_deref()));
    }
}

impl GodotMcpPlugin {
    /// Starts or stops, as the switch says.
    fn obey(&mut self, desk: &Desk) {
        self.was_on = desk.switch.is_on();
        desk.trouble.take();
        if !self.was_on {
            return self.stop();
        }
        let me = Identity::of_this_process(Some(project()));
        match me.and_then(|me| Links::start(me, desk.board.clone())) {
            Ok(links) => {
                let plugin = self.to_gd().upcast();
                let executor = Executor::new(links, &plugin, desk.activity.clone());
                self.executor = Some(Rc::new(executor));
            }
            Err(error) => {
                godot_warn!("Godot MCP is off: {error}.");
                desk.trouble.replace(Some(error.to_string()));
            }
        }
    }

    /// Ends the links; the editor is as if there were none.
    fn stop(&mut self) {
        if let Some(executor) = self.executor.take() {
            executor.stop();
            self.editor_sleep.give_back();
        }
        if let Some(desk) = &self.desk {
            desk.board.keep(|_| false);
        }
    }
}

impl Desk {
    fn set_up(plugin: Gd<EditorPlugin>) -> Desk {
        let (activity, board) = (Rc::<Activity>::default(), Board::default());
        let dock = Dock::add(plugin, activity.clone(), board.clone());
        Desk { switch: Switch::watch(), dock, activity, board, trouble: RefCell::default() }
    }

    fn clear(&self) {
        self.switch.forget();
        self.dock.remove();
    }

    fn view(&self, executor: Option<&Executor>) -> View {
        View {
            on: self.switch.is_on(),
            trouble: self.trouble.borrow().clone(),
            scene: executor.and_then(Executor::scene),
        }
    }
}

/// The sleep between frames that the editor asked for, and that is done here in its place.
#[derive(Default)]
struct EditorSleep {
    wanted_usec: std::cell::Cell<i32>,
}

/// What is left of the sleep in the engine. It takes 0 for "no limit", so this is the least.
const NO_SLEEP_USEC: i32 = 1;

impl EditorSleep {
    /// How long to wait in this frame. The editor sets its sleep anew when its window gains or
    /// loses the focus, so it is looked at in every frame.
    fn take(&self) -> Duration {
        let mut os = Os::singleton();
        if !os.is_in_low_processor_usage_mode() {
            return Duration::ZERO;
        }
        let set = os.get_low_processor_usage_mode_sleep_usec();
        if set != NO_SLEEP_USEC {
            self.wanted_usec.set(set);
            os.set_low_processor_usage_mode_sleep_usec(NO_SLEEP_USEC);
        }
        Duration::from_micros(u64::try_from(self.wanted_usec.get()).unwrap_or_default())
    }

    /// Leaves the engine as it was found.
    fn give_back(&self) {
        let mut os = Os::singleton();
        let wanted = self.wanted_usec.get();
        if wanted > 0 && os.get_low_processor_usage_mode_sleep_usec() == NO_SLEEP_USEC {
            os.set_low_processor_usage_mode_sleep_usec(wanted);
        }
    }
}

/// The arguments of runs that use the editor as a tool: no human looks at it, and it ends by itself.
const TOOL_RUNS: &[&str] = &[
    "--import",
    "--export-release",
    "--export-debug",
    "--export-pack",
    "--export-patch",
    "--script",
    "-s",
    "--check-only",
    "--quit",
    "--quit-after",
    "--doctool",
    "--gdscript-docs",
    "--build-solutions",
    "--convert-3to4",
    "--validate-conversion-3to4",
    "--install-android-build-template",
];

/// Whether this process is an editor that a human or an agent works in, and did not say no.
fn is_wanted() -> bool {
    let is_off = env::var("GODOT_MCP_DISABLE")
        .is_ok_and(|value| ["1", "true", "yes"].contains(&value.to_lowercase().as_str()));
    Engine::singleton().is_editor_hint() && !is_off && !is_tool_run()
}

/// Whether this process ends by itself. The engine's own list of arguments leaves out those that it
/// consumed, so the process is asked.
fn is_tool_run() -> bool {
    env::args_os()
        .skip(1)
        .take_while(|argument| argument != "--" && argument != "++")
        .any(|argument| TOOL_RUNS.iter().any(|run| argument == *run))
}

/// What gateways are told of the project.
fn project() -> ProjectIdentity {
    let settings = ProjectSettings::singleton();
    let path = settings.globalize_path("res://").to_string();
    ProjectIdentity {
        name: crate::resource::setting_text("application/config/name"),
        path: path.trim_end_matches('/').to_owned(),
        godot_version: crate::resource::godot_version(),
        commands: crate::dispatch::commands(),
        csharp_supported: crate::resource::is_csharp_supported(),
        csharp_project: crate::resource::has_csharp_solution(),
    }
}
