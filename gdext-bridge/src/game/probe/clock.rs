//! Time in the game: stopped, and let on frame by frame.
//!
//! Pausing the tree stops nodes, but not timers that count on while it is paused, as those of
//! `SceneTree.create_timer` do. A time scale of zero stops these too. Both are changed between two frames
//! only, where the engine ticks its profilers: a frame's delta is known before it begins, so that anywhere
//! else nodes and timers would get another number of frames.

use godot::{
    classes::{Engine, EngineDebugger, EngineProfiler, IEngineProfiler},
    prelude::*,
};
use protocol::Fault;

use super::Probe;

/// The name of the profiler.
const NAME: &str = "godot_mcp";

/// Hears of the end of every frame.
#[derive(GodotClass)]
#[class(no_init, internal, base = EngineProfiler)]
struct FrameEnd {
    base: Base<EngineProfiler>,
    probe: Probe,
}

#[godot_api]
impl IEngineProfiler for FrameEnd {
    fn tick(&mut self, _: f64, _: f64, _: f64, _: f64) {
        self.probe.end_frame();
    }
}

/// Has the probe hear of the end of every frame.
pub(super) fn watch(probe: &Probe) {
    let end = Gd::from_init_fn(|base| FrameEnd { base, probe: probe.clone() });
    let mut debugger = EngineDebugger::singleton();
    debugger.register_profiler(NAME, &end.upcast::<EngineProfiler>());
    debugger.profiler_enable(NAME, true);
}

/// Hears of it no more.
pub(super) fn forget() {
    let mut debugger = EngineDebugger::singleton();
    if debugger.has_profiler(NAME) {
        debugger.unregister_profiler(NAME);
    }
}

/// Some frames of a frozen game, which is frozen again when this goes.
pub(crate) struct Steps {
    probe: Probe,
    first: u64,
    number: u64,
}

impl Steps {
    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        let end = if self.goes_on() { self.probe.frame() } else { self.probe.0.controlled.get() };
        end - self.first
    }

    /// Whether nobody else has frozen the game since, or let it go on for good.
    pub(crate) fn goes_on(&self) -> bool {
        self.probe.0.stepper.get() == Some(self.number)
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if self.goes_on() {
            self.probe.0.stepper.set(None);
            // Without a tree there is nothing to stop.
            let _ = self.probe.freeze(true);
        }
    }
}

impl Probe {
    /// Lets the game run until what this gives is dropped; `None` while somebody else does. To be called
    /// between two frames.
    pub(crate) fn step(&self) -> Result<Option<Steps>, Fault> {
        if self.0.stepper.get().is_some() {
            return Ok(None);
        }
        self.freeze(false)?;
        let number = self.0.steps.get() + 1;
        self.0.steps.set(number);
        self.0.stepper.set(Some(number));
        Ok(Some(Steps { probe: self.clone(), first: self.frame(), number }))
    }

    /// Freezes the game or lets it go on for good, whoever steps it.
    pub(crate) fn control(&self, frozen: bool) -> Result<(), Fault> {
        self.0.stepper.set(None);
        self.0.controlled.set(self.frame());
        self.freeze(frozen)
    }

    /// Keeps a frozen game frozen, whatever its own code has done meanwhile; what that wanted holds when it
    /// goes on.
    pub(super) fn keep_frozen(&self) {
        let Ok(mut tree) = self.tree() else { return };
        let mut engine = Engine::singleton();
        if !tree.is_paused() {
            self.0.was_paused.set(false);
            tree.set_pause(true);
        }
        if engine.get_time_scale() != 0.0 {
            self.0.was_scale.set(engine.get_time_scale());
            engine.set_time_scale(0.0);
        }
    }

    /// Stops the time of the game, or lets it go on as the game has it. To be called between two frames.
    pub(crate) fn freeze(&self, frozen: bool) -> Result<(), Fault> {
        let mut tree = self.tree()?;
        if frozen == self.0.is_frozen.replace(frozen) {
            return Ok(());
        }
        let mut engine = Engine::singleton();
        if frozen {
            self.0.was_paused.set(tree.is_paused());
            self.0.was_scale.set(engine.get_time_scale());
            tree.set_pause(true);
            engine.set_time_scale(0.0);
        } else {
            tree.set_pause(self.0.was_paused.get());
            // Unless the game has set another one meanwhile.
            if engine.get_time_scale() == 0.0 {
                engine.set_time_scale(self.0.was_scale.get());
            }
        }
        Ok(())
    }

    /// Whether the game is frozen.
    pub(crate) fn is_frozen(&self) -> bool {
        self.0.is_frozen.get()
    }

    /// How fast time goes in the game when it is not frozen.
    pub(crate) fn time_scale(&self) -> f64 {
        if self.is_frozen() { self.0.was_scale.get() } else { Engine::singleton().get_time_scale() }
    }

    /// Lets time go as fast as that, when the game is not frozen.
    pub(crate) fn set_time_scale(&self, scale: f64) {
        if self.is_frozen() {
            self.0.was_scale.set(scale);
        } else {
            Engine::singleton().set_time_scale(scale);
        }
    }
}
