//! `godot_input_play_sequence`.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use godot::{
    classes::{Input, InputEvent},
    prelude::*,
};
use protocol::{
    ErrorCode, Fault, Required,
    tools::input::{EventKind, InputSent, PlaySequence},
};

use super::{event, pointer_stays};
use crate::game::probe::{Deadline, InGame, Probe, Soon, time_for};

impl InGame for PlaySequence {
    fn answer(self, game: &Probe) -> Result<Soon<InputSent>, Fault> {
        let mut entries = VecDeque::new();
        for (index, entry) in self.events.iter().enumerate() {
            entries.push_back(Entry {
                event: event::of(entry, Some(game)).map_err(|fault| event::at(index, fault))?,
                frames: entry.wait_frames,
                delay: Duration::from_millis(entry.delay_ms.unwrap_or(self.delay_ms)),
            });
        }
        check_time(&entries, time_for(self.timeout_ms))?;
        let deadline = Deadline::of(game, self.timeout_ms);
        let total = entries.len();
        let count = self.events.iter().filter(|entry| entry.kind != EventKind::Wait).count();
        let has_mouse = self.events.iter().any(|entry| entry.kind == EventKind::Mouse);
        let (mut first, mut since_frame, mut since) = (None, game.frame(), Instant::now());
        let mut held = Held::default();
        Ok(Soon::Later(Box::new(move |game| {
            let frame = game.frame();
            let mut is_first = true;
            while let Some(next) = entries.front() {
                if !next.is_due(frame - since_frame, since.elapsed(), is_first) {
                    return deadline
                        .is_over(game)
                        .then(|| Err(cut_short(total - entries.len(), total)));
                }
                if let Some(event) = entries.pop_front().and_then(|entry| entry.event) {
                    game.inject(&event);
                    held.note(&event);
                    first.get_or_insert(frame);
                }
                (since_frame, since, is_first) = (frame, Instant::now(), false);
            }
            // What is held now is meant to be.
            held.0.clear();
            Some(Ok(InputSent {
                sent: true,
                kind: "sequence".to_owned(),
                count,
                first_frame: first.unwrap_or(frame),
                frame,
                x: None,
                y: None,
                hint: if has_mouse { pointer_stays() } else { None },
            }))
        })))
    }
}

/// One event, and how long to wait before it.
struct Entry {
    event: Option<Gd<InputEvent>>,
    frames: Option<u64>,
    delay: Duration,
}

impl Entry {
    /// Whether it is its turn, so many frames and so long after the one before; `is_first` of this frame.
    fn is_due(&self, frames: u64, time: Duration, is_first: bool) -> bool {
        // One that is not said to come in the same frame comes in the next at the earliest, as nobody is
        // quicker.
        let is_allowed = is_first || self.frames == Some(0);
        is_allowed && frames >= self.frames.unwrap_or_default() && time >= self.delay
    }
}

/// Refuses a sequence that cannot be played in time.
fn check_time(entries: &VecDeque<Entry>, limit: Duration) -> Result<(), Fault> {
    let least: Duration = entries.iter().map(|entry| entry.delay).sum();
    if least <= limit {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "The sequence takes {} ms at least, and timeout_ms leaves {} ms for it. Give a longer timeout_ms. \
         Nothing was sent.",
        least.as_millis(),
        limit.as_millis()
    ))
    .requiring(Required::parameter("timeout_ms")))
}

fn cut_short(sent: usize, total: usize) -> Fault {
    let hint = format!(
        "The time was up after {sent} of the {total} events; the others were not sent, and what was held is \
         let go. Give a longer timeout_ms, or play the rest."
    );
    Fault::new(ErrorCode::Timeout, hint).may_have_applied().with("sent_events", sent)
}

/// What is pressed. Where the sequence ends early, by a cancelled call too, it is let go.
#[derive(Default)]
struct Held(Vec<Gd<InputEvent>>);

impl Held {
    fn note(&mut self, event: &Gd<InputEvent>) {
        self.0.retain(|held| !held.is_match(event));
        if event.is_pressed() {
            self.0.push(event.clone());
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut input = Input::singleton();
        for event in self.0.drain(..) {
            let mut released = event.duplicate_resource();
            released.set("pressed", &false.to_variant());
            input.parse_input_event(&released);
        }
    }
}
