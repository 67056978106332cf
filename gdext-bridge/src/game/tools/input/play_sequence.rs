//! `godot_input_play_sequence`.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use godot::{classes::InputEvent, prelude::*};
use protocol::{
    Fault,
    tools::input::{EventKind, InputSent, PlaySequence},
};

use super::event;
use crate::game::probe::{InGame, Probe, Soon};

impl InGame for PlaySequence {
    fn answer(self, game: &Probe) -> Result<Soon<InputSent>, Fault> {
        let mut entries = VecDeque::new();
        for (index, entry) in self.events.iter().enumerate() {
            entries.push_back(Entry {
                event: event::of(entry, Some(game)).map_err(|fault| event::at(index, fault))?,
                frames: entry.wait_frames.unwrap_or_default(),
                delay: Duration::from_millis(entry.delay_ms.unwrap_or(self.delay_ms)),
            });
        }
        let count = self.events.iter().filter(|entry| entry.kind != EventKind::Wait).count();
        let (mut first, mut since_frame, mut since) = (None, game.frame(), Instant::now());
        Ok(Soon::Later(Box::new(move |game| {
            let frame = game.frame();
            let next = entries.front()?;
            if frame < since_frame + next.frames || since.elapsed() < next.delay {
                return None;
            }
            if let Some(event) = entries.pop_front().and_then(|entry| entry.event) {
                game.inject(&event);
                first.get_or_insert(frame);
            }
            // The next one comes in the next frame at the earliest, as nobody is quicker.
            (since_frame, since) = (frame, Instant::now());
            entries.is_empty().then(|| {
                Ok(InputSent {
                    sent: true,
                    kind: "sequence".to_owned(),
                    count,
                    first_frame: first.unwrap_or(frame),
                    frame,
                    x: None,
                    y: None,
                })
            })
        })))
    }
}

/// One event, and how long to wait before it.
struct Entry {
    event: Option<Gd<InputEvent>>,
    frames: u64,
    delay: Duration,
}
