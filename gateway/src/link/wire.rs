//! What is under way to and from one editor, across the breaks of its connection.

use std::collections::HashMap;

use bytes::Bytes;
use protocol::{Fault, envelope::Progress};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::outcome::gone;
use crate::caller::Listener;

/// How a call ended.
pub(super) type Outcome = Result<Box<RawValue>, Fault>;

/// The frames that wait to be sent.
pub(super) type Outbox = mpsc::UnboundedReceiver<Bytes>;

/// How often a frame is sent at most: once more where the connection broke before the answer.
const TRIES: u8 = 2;

/// The state of the connection, and who waits for which answer.
#[derive(Debug, Default)]
pub(super) struct Wire {
    up: Option<Up>,
    /// Nobody waits for its return.
    over: bool,
    is_remote: bool,
    waiting: HashMap<u64, Waiting>,
    connections: u64,
}

#[derive(Debug)]
struct Up {
    outbox: mpsc::UnboundedSender<Bytes>,
    leaving: CancellationToken,
}

/// Who waits for an answer.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Where the answer goes.
    pub(super) answer: oneshot::Sender<Outcome>,
    /// Whether it is answered aside from the main thread, and so is no sign that it lives.
    pub(super) aside: bool,
    /// Who wants to hear how far the call is.
    listener: Option<Listener>,
    /// What was sent, to be sent again.
    frame: Bytes,
    tries: u8,
}

/// A connection as it is to be run.
#[derive(Debug)]
pub(super) struct Attached {
    /// Tells it from others of the same editor.
    pub(super) number: u64,
    /// What it has to send.
    pub(super) outbox: Outbox,
    /// When it has to end.
    pub(super) leaving: CancellationToken,
}

impl Waiting {
    pub(super) fn new(answer: oneshot::Sender<Outcome>, frame: Bytes) -> Waiting {
        Waiting { answer, aside: false, listener: None, frame, tries: 0 }
    }

    /// The same, telling somebody how far the call is.
    pub(super) fn telling(self, listener: Option<Listener>) -> Waiting {
        Waiting { listener, ..self }
    }

    /// The same for a question that is answered aside from the main thread.
    pub(super) fn aside(self) -> Waiting {
        Waiting { aside: true, ..self }
    }
}

impl Wire {
    pub(super) fn is_up(&self) -> bool {
        self.up.is_some()
    }

    pub(super) fn is_remote(&self) -> bool {
        self.is_remote
    }

    pub(super) fn is_awaited(&self) -> bool {
        !self.over && !self.waiting.is_empty()
    }

    /// Sends a frame whose answer is waited for; while there is no connection, once there is one.
    /// Tells whether there can be an answer at all.
    pub(super) fn put(&mut self, id: u64, mut waiting: Waiting) -> bool {
        if self.over {
            return false;
        }
        if self.send(waiting.frame.clone()) {
            waiting.tries += 1;
        }
        self.waiting.insert(id, waiting);
        true
    }

    /// Sends a frame, if there is a connection.
    pub(super) fn send(&self, frame: Bytes) -> bool {
        self.up.as_ref().is_some_and(|up| up.outbox.send(frame).is_ok())
    }

    /// Who waits for this answer, from now on no longer.
    pub(super) fn take(&mut self, id: u64) -> Option<Waiting> {
        self.waiting.remove(&id)
    }

    /// Tells whoever listens how far a call is. Without a call that waits, nobody does.
    pub(super) fn tell(&self, id: u64, progress: Progress) {
        if let Some(listener) = self.waiting.get(&id).and_then(|it| it.listener.as_ref()) {
            listener.send_replace(Some(progress));
        }
    }

    /// Takes a new connection, ends the old one, and sends again what was not answered, in order.
    pub(super) fn attach(&mut self, is_remote: bool) -> Attached {
        let (sender, outbox) = mpsc::unbounded_channel();
        let leaving = CancellationToken::new();
        let up = Up { outbox: sender, leaving: leaving.clone() };
        if let Some(old) = self.up.replace(up) {
            old.leaving.cancel();
        }
        self.is_remote = is_remote;
        self.connections += 1;
        // Who had both tries hears of it by the loss of the sender.
        self.waiting.retain(|_, waiting| waiting.tries < TRIES);
        let mut again: Vec<_> = self.waiting.iter_mut().collect();
        again.sort_unstable_by_key(|(id, _)| **id);
        if let Some(up) = &self.up {
            for (_, waiting) in again {
                waiting.tries += 1;
                // The receiver is in this function's own hands.
                let _ = up.outbox.send(waiting.frame.clone());
            }
        }
        Attached { number: self.connections, outbox, leaving }
    }

    /// The connection with this number ended. Tells whether there is none now.
    pub(super) fn detach(&mut self, number: u64) -> bool {
        if number != self.connections {
            return false;
        }
        self.up = None;
        true
    }

    /// Ends the connection for good, after a last notice.
    pub(super) fn end(&mut self, notice: Option<Bytes>) {
        if let Some(notice) = notice {
            self.send(notice);
        }
        self.over = true;
        if let Some(up) = &self.up {
            up.leaving.cancel();
        }
    }

    /// Tells everybody who waits that no answer will come. Nothing goes out any more.
    pub(super) fn give_up(&mut self) {
        self.over = true;
        for (_, waiting) in self.waiting.drain() {
            if waiting.tries == 0 {
                let _ = waiting.answer.send(Err(gone(false)));
            }
        }
    }
}
