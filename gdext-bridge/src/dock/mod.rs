//! The dock: a tab of the bottom panel where the human sees what is going on and can stop it.
//!
//! It shows, and decides nothing: the links write on a [`Board`], the executor in the [`Activity`],
//! and the dock looks at both a few times a second while it is visible. So nothing that is shown
//! can be missed, whatever happened before the dock was there.
//!
//! * [`panel`]: the controls, and where they are.
//! * [`gateways`] and [`commands`]: the two lists.
//! * [`look`] and [`text`]: colors, icons and lengths; how things are written down.
//!
//! Approvals will be a third list, beside the commands.

mod commands;
mod gateways;
mod look;
mod panel;
mod text;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use godot::{
    classes::{DisplayServer, EditorPlugin, display_server::Feature},
    prelude::*,
};

use self::{
    commands::Commands,
    gateways::Gateways,
    look::Tone,
    panel::Panel,
    text::{WallClock, lines},
};
use crate::{
    activity::Activity,
    resource::setting_text,
    signal,
    status::{Board, Notes, State},
    switch,
};

/// The title of the tab.
const TITLE: &str = "MCP";

/// The least time between two looks.
const INTERVAL: Duration = Duration::from_millis(250);

/// The dock, while it is there.
pub(crate) struct Dock {
    plugin: RefCell<Gd<EditorPlugin>>,
    panel: Panel,
    gateways: RefCell<Gateways>,
    commands: RefCell<Commands>,
    activity: Rc<Activity>,
    board: Board,
    next_look: Cell<Instant>,
    /// Nothing was shown yet, or the theme is another one now.
    is_stale: Rc<Cell<bool>>,
}

/// What only the plugin knows.
pub(crate) struct View {
    /// Whether the switch is on.
    pub(crate) on: bool,
    /// Why it does not run although it is on.
    pub(crate) trouble: Option<String>,
    /// The active scene, while it is looked at: its path, and whether it has unsaved changes.
    pub(crate) scene: Option<(String, bool)>,
}

impl Dock {
    /// Adds the dock to the editor.
    pub(crate) fn add(plugin: Gd<EditorPlugin>, activity: Rc<Activity>, board: Board) -> Dock {
        let panel = Panel::build();
        let mut to = plugin.clone();
        to.add_control_to_bottom_panel(&panel.root, TITLE);
        let dock = Dock {
            plugin: RefCell::new(plugin),
            gateways: RefCell::new(Gateways::new(panel.gateways.clone())),
            commands: RefCell::new(Commands::new(panel.commands.clone())),
            panel,
            activity,
            board,
            next_look: Cell::new(Instant::now()),
            is_stale: Rc::new(Cell::new(true)),
        };
        dock.connect();
        dock
    }

    /// Takes the dock out of the editor.
    pub(crate) fn remove(&self) {
        let mut root = self.panel.root.clone();
        self.plugin.borrow_mut().remove_control_from_bottom_panel(&root);
        root.queue_free();
    }

    /// Shows how things are, if somebody can see it and the last look is some time ago.
    pub(crate) fn look(&self, now: Instant, view: impl FnOnce() -> View) {
        if now < self.next_look.get() {
            return;
        }
        self.next_look.set(now + INTERVAL);
        let is_stale = self.is_stale.get();
        if !is_stale && !self.panel.root.is_visible_in_tree() {
            return;
        }
        // The thread of the links is writing on the board just now; there is another look soon.
        let Some(notes) = self.board.read() else { return };
        self.is_stale.set(false);
        if is_stale {
            self.panel.follow_theme();
        }
        self.show(now, &view(), &notes, is_stale);
    }

    fn show(&self, now: Instant, view: &View, notes: &Notes, is_stale: bool) {
        let clock = WallClock::of_system();
        self.panel.set_switches(view.on, self.activity.is_paused());
        let (tone, status) = status(view, notes, self.activity.is_paused());
        self.panel.set_status(tone, &status);
        self.panel.set_project(&project(view));
        let trouble = notes.trouble.as_ref();
        self.panel.set_error(
            trouble.map(|(at, what)| format!("Last error, {}: {what}", clock.time(*at))).as_deref(),
        );
        self.gateways.borrow_mut().show(now, notes, is_stale);
        self.commands.borrow_mut().show(&self.activity, clock, is_stale);
    }

    fn connect(&self) {
        let is_stale = self.is_stale.clone();
        on(&self.panel.root, "theme_changed", move |_| is_stale.set(true));
        on(&self.panel.enabled, "toggled", switch::flip);
        let activity = self.activity.clone();
        on(&self.panel.pause, "toggled", move |paused| activity.pause(paused));
        let activity = self.activity.clone();
        on(&self.panel.copy, "pressed", move |_| copy(&activity));
    }
}

/// Calls `then` whenever a control says so, and tells it whether the control is switched on.
/// Ends when the control is freed.
fn on<T: Inherits<Object>>(control: &Gd<T>, says: &str, mut then: impl FnMut(bool) + 'static) {
    let callable = Callable::from_fn(format!("godot_mcp_{says}"), move |arguments| {
        let is_on = arguments.first().and_then(|argument| argument.try_to().ok());
        then(is_on.unwrap_or_default());
    });
    signal::connect(control, says, &callable);
}

/// Copies the commands as text.
fn copy(activity: &Activity) {
    let mut display = DisplayServer::singleton();
    if display.has_feature(Feature::CLIPBOARD) {
        display.clipboard_set(&lines(&activity.since(0), WallClock::of_system()));
    }
}

/// All in one sentence.
fn status(view: &View, notes: &Notes, is_paused: bool) -> (Tone, String) {
    if !view.on {
        return (Tone::Quiet, "Off".to_owned());
    }
    if let Some(trouble) = &view.trouble {
        return (Tone::Bad, format!("Cannot start: {trouble}"));
    }
    let count = |state| notes.gateways.values().filter(|it| it.state == state).count();
    let has = |state| count(state) > 0;
    let connected = match count(State::Connected) {
        0 => None,
        1 => Some("Connected to 1 client".to_owned()),
        many => Some(format!("Connected to {many} clients")),
    };
    match connected {
        Some(connected) if is_paused => (Tone::Waiting, format!("{connected}, edits paused")),
        Some(connected) => (Tone::Good, connected),
        None if has(State::Replaced) => {
            (Tone::Elsewhere, "Another editor serves this project".to_owned())
        }
        None if has(State::Refused) => (Tone::Bad, "Refused".to_owned()),
        None if has(State::Dialing) => (Tone::Waiting, "Connecting".to_owned()),
        None if is_paused => (Tone::Waiting, "Waiting for a client, edits paused".to_owned()),
        None => (Tone::Quiet, "Waiting for a client".to_owned()),
    }
}

/// The project and the active scene.
fn project(view: &View) -> String {
    let name = match setting_text("application/config/name") {
        name if name.is_empty() => "Unnamed project".to_owned(),
        name => name,
    };
    match &view.scene {
        // What is not looked at is not claimed to be clean.
        _ if !view.on => name,
        None => format!("{name}: no scene"),
        Some((path, is_dirty)) => {
            let scene = path.strip_prefix("res://").unwrap_or(path);
            let scene = if scene.is_empty() { "new scene" } else { scene };
            format!("{name}: {scene}{}", if *is_dirty { " (*)" } else { "" })
        }
    }
}
