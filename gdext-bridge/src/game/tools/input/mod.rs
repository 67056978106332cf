//! `input`: gives the game input, at the beginning of a frame, before its nodes are processed.

mod event;
mod get_stats;
mod play_sequence;
mod record;
mod simulate_action;
mod simulate_joypad;
mod simulate_key;
mod simulate_mouse;
mod simulate_touch;
mod stop_recording;

use godot::{
    classes::{DisplayServer, InputEvent, InputEventMouse, display_server::Feature},
    prelude::*,
};
use protocol::tools::input::InputSent;

pub(in crate::game) use event::check;

use crate::game::probe::{Probe, Soon};

/// Gives the game one event in its next frame, and answers with that frame.
fn send(kind: &'static str, event: Gd<InputEvent>) -> Soon<InputSent> {
    let mouse = event.clone().try_cast::<InputEventMouse>().ok();
    let at = mouse.map(|mouse| mouse.get_position());
    Soon::Later(Box::new(move |game: &Probe| {
        game.inject(&event);
        let frame = game.frame();
        Some(Ok(InputSent {
            sent: true,
            kind: kind.to_owned(),
            count: 1,
            first_frame: frame,
            frame,
            x: at.map(|at| f64::from(at.x)),
            y: at.map(|at| f64::from(at.y)),
            hint: at.and_then(|_| pointer_stays()),
        }))
    }))
}

/// What to say of the mouse where there is a real one: the engine asks the system where that is, and it is
/// the human's to move.
fn pointer_stays() -> Option<String> {
    DisplayServer::singleton().has_feature(Feature::MOUSE).then(|| {
        "The game has the event, but the real pointer stays where it is: code that asks for the position, as \
         get_global_mouse_position() and get_viewport().get_mouse_position() do, is told that one. To test \
         such code, use the position of the events in it, or run the game from a headless editor."
            .to_owned()
    })
}
