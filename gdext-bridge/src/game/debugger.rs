//! Hears what comes over the engine's debugger connection.
//!
//! Our own messages come by the interface for plugins. The engine's, such as output and errors, are not
//! given to plugins; the node that shows a session in the editor tells them by its signal
//! `debug_data`.

use godot::{
    classes::{
        Button, Control, EditorDebuggerPlugin, EditorInterface, IEditorDebuggerPlugin, Node,
    },
    prelude::*,
};

use super::{CAPTURE, Game, run::Session};
use crate::signal;

/// The plugin that the editor tells of debugger sessions.
#[derive(GodotClass)]
#[class(tool, no_init, internal, base = EditorDebuggerPlugin)]
pub(crate) struct GameDebugger {
    base: Base<EditorDebuggerPlugin>,
    game: Game,
}

impl GameDebugger {
    /// One that tells `game` what it hears.
    pub(super) fn listening(game: Game) -> Gd<EditorDebuggerPlugin> {
        Gd::from_init_fn(|base| GameDebugger { base, game }).upcast()
    }
}

#[godot_api]
impl IEditorDebuggerPlugin for GameDebugger {
    fn setup_session(&mut self, session_id: i32) {
        let Some(session) = self.base().get_session(session_id) else { return };
        // The first that a game says is which process it is.
        listen_to_engine(&self.game);
        let on = |name: &'static str, act: fn(&Game, i32)| {
            let game = self.game.clone();
            Callable::from_fn(name, move |_| act(&game, session_id))
        };
        let started = on("godot_mcp_started", |game, id| {
            listen_to_engine(game);
            game.session_started(id);
        });
        signal::connect(&session, "started", &started);
        signal::connect(&session, "stopped", &on("godot_mcp_stopped", Game::session_stopped));
    }

    fn has_capture(&self, capture: GString) -> bool {
        capture == CAPTURE
    }

    fn capture(&mut self, message: GString, data: VarArray, session: i32) -> bool {
        self.game.heard(&message.to_string(), &data, session)
    }
}

/// The signal of a node that shows a session, with every message of its game.
const DATA: &str = "debug_data";

/// The signal that its game has left.
const STOPPED: &str = "stopped";

/// Listens to these nodes no more.
pub(super) fn forget_engine(game: &Game) {
    for (id, signal, callable) in game.0.heard.take() {
        if let Ok(mut node) = Gd::<Node>::try_from_instance_id(id)
            && node.is_connected(signal, &callable)
        {
            node.disconnect(signal, &callable);
        }
    }
}

/// Presses a button of the node that shows a session, by the name of its picture in the editor's theme.
/// Tells whether it has such a button.
pub(super) fn press(session: Session, picture: &str) -> bool {
    let Some(base) = EditorInterface::singleton().get_base_control() else { return false };
    let index = usize::try_from(session).unwrap_or_default();
    let Some(node) = tabs_of_sessions(&base).get(index) else { return false };
    let Some(wanted) = base.get_theme_icon_ex(picture).theme_type("EditorIcons").done() else {
        return false;
    };
    let buttons = node.find_children_ex("*").type_("Button").owned(false).done();
    let mut buttons = buttons.iter_shared().filter_map(|it| it.try_cast::<Button>().ok());
    let button = buttons.find(|it| it.get_button_icon().as_ref() == Some(&wanted));
    let Some(mut button) = button.filter(|it| !it.is_disabled()) else { return false };
    button.emit_signal("pressed", &[]);
    true
}

/// The nodes that show sessions, one a tab, in the order of the sessions.
fn tabs_of_sessions(base: &Gd<Control>) -> Array<Gd<Node>> {
    base.find_children_ex("*").type_("ScriptEditorDebugger").owned(false).done()
}

/// Listens to the nodes that show sessions. A second game may have a new one, so this is done whenever one
/// starts.
fn listen_to_engine(game: &Game) {
    let Some(base) = EditorInterface::singleton().get_base_control() else { return };
    for (session, node) in (0..).zip(tabs_of_sessions(&base).iter_shared()) {
        let id = node.instance_id();
        if game.0.heard.borrow().iter().any(|(heard, ..)| *heard == id) {
            continue;
        }
        let hearing = game.clone();
        let heard = Callable::from_fn("godot_mcp_debug_data", move |arguments| {
            let message = arguments.first().map(|it| it.to_string()).unwrap_or_default();
            if let Some(data) = arguments.get(1).and_then(|data| data.try_to::<VarArray>().ok()) {
                hearing.raw(&message, &data, session);
            }
        });
        signal::connect(&node, DATA, &heard);
        // The editor ends the process of a game that has left, and forgets how it ended.
        let leaving = game.clone();
        let left = Callable::from_fn("godot_mcp_left", move |_| leaving.session_stopped(session));
        signal::connect_first(&node, STOPPED, &left);
        game.0.heard.borrow_mut().extend([(id, DATA, heard), (id, STOPPED, left)]);
    }
}
