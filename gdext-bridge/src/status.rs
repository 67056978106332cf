//! What is known of each gateway: written by the thread of the links, read by the dock.
//!
//! The main thread never waits for it: a board that is being written just now is read at the next
//! look.

use std::{
    collections::BTreeMap,
    fmt::Display,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Instant, SystemTime},
};

use link::Identity;
use protocol::envelope::Client;

/// One state for each gateway that is dialed or connected. Clones show the same board.
#[derive(Clone, Default)]
pub(crate) struct Board {
    notes: Arc<Mutex<Notes>>,
}

/// What the board says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    /// The gateways by where they listen.
    pub(crate) gateways: BTreeMap<String, Standing>,
    /// What went wrong last with any of them, and when.
    pub(crate) trouble: Option<(SystemTime, String)>,
}

/// How things stand with one gateway.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing {
    /// How far it got.
    pub(crate) state: State,
    /// The version of the gateway, once it said so.
    pub(crate) build: Option<String>,
    /// The client that it serves, once it said so.
    pub(crate) client: Option<Client>,
    /// Why it does not work, until it does.
    pub(crate) trouble: Option<String>,
    /// When it is dialed again.
    pub(crate) retry_at: Option<Instant>,
}

/// How far the handshake got. An open socket alone counts for nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It is dialed, or the handshake is under way.
    #[default]
    Dialing,
    /// Both sides know each other, and commands can come.
    Connected,
    /// It did not work, and will be tried again.
    Refused,
    /// It serves another editor that has the same project open.
    Replaced,
}

impl Board {
    /// The gateway is dialed.
    pub(crate) fn dialing(&self, gateway: &impl Display) {
        self.note(gateway, |standing| {
            standing.retry_at = None;
            if standing.state != State::Replaced {
                standing.state = State::Dialing;
            }
        });
    }

    /// The handshake is done.
    pub(crate) fn connected(&self, gateway: &impl Display, peer: &Identity) {
        self.note(gateway, |standing| {
            let build = Some(peer.build.clone());
            *standing = Standing { state: State::Connected, build, ..Standing::default() };
        });
    }

    /// The gateway said whom it serves.
    pub(crate) fn introduced(&self, gateway: &impl Display, client: Client) {
        self.note(gateway, |standing| standing.client = Some(client));
    }

    /// The gateway could not be dialed, or the handshake failed.
    pub(crate) fn failed(&self, gateway: &impl Display, reason: &impl Display) {
        let reason = reason.to_string();
        self.lock().trouble =
            Some((SystemTime::now(), format!("{}: {reason}", short_name(&gateway.to_string()))));
        self.note(gateway, |standing| {
            standing.state = State::Refused;
            standing.trouble = Some(reason);
        });
    }

    /// The gateway said that it serves another editor now.
    pub(crate) fn replaced(&self, gateway: &impl Display) {
        self.note(gateway, |standing| standing.state = State::Replaced);
    }

    /// The connection is over, and the gateway is dialed again at `retry_at`, if it still lives.
    pub(crate) fn ended(&self, gateway: &impl Display, retry_at: Instant) {
        self.note(gateway, |standing| {
            standing.retry_at = Some(retry_at);
            if standing.state == State::Connected {
                standing.state = State::Dialing;
            }
        });
    }

    /// Forgets the gateways that are gone.
    pub(crate) fn keep(&self, is_there: impl Fn(&str) -> bool) {
        self.lock().gateways.retain(|gateway, _| is_there(gateway));
    }

    /// What it says; `None` while it is being written.
    pub(crate) fn read(&self) -> Option<Notes> {
        self.notes.try_lock().ok().map(|notes| notes.clone())
    }

    fn note(&self, gateway: &impl Display, change: impl FnOnce(&mut Standing)) {
        change(self.lock().gateways.entry(gateway.to_string()).or_default());
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        // Every change is whole, so what a panic left behind is still good.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A gateway as the human knows it: by its process, which the name of its socket tells.
pub(crate) fn short_name(gateway: &str) -> String {
    let stem = Path::new(gateway).file_stem().map(|stem| stem.to_string_lossy());
    match stem.as_deref().and_then(|stem| stem.strip_prefix("gw-")) {
        Some(pid) => format!("process {pid}"),
        None => gateway.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATEWAY: &str = "/run/godot-mcp/gw-12.sock";

    fn standing(board: &Board) -> Standing {
        board.read().unwrap().gateways[GATEWAY].clone()
    }

    #[test]
    fn a_failure_is_shown_until_a_handshake_succeeds() {
        let board = Board::default();
        board.dialing(&GATEWAY);
        board.failed(&GATEWAY, &"no contract is shared");
        let retry_at = Instant::now();
        board.ended(&GATEWAY, retry_at);
        assert_eq!(standing(&board).state, State::Refused);
        assert_eq!(standing(&board).retry_at, Some(retry_at));
        board.dialing(&GATEWAY);
        assert_eq!(standing(&board).trouble.as_deref(), Some("no contract is shared"));

        board.connected(&GATEWAY, &Identity::of_this_process(None).unwrap());
        assert_eq!(standing(&board).state, State::Connected);
        assert_eq!(standing(&board).trouble, None);
        let (_, last) = board.read().unwrap().trouble.unwrap();
        assert_eq!(last, "process 12: no contract is shared");
    }

    #[test]
    fn who_was_replaced_stays_so_until_it_is_connected_again() {
        let board = Board::default();
        board.connected(&GATEWAY, &Identity::of_this_process(None).unwrap());
        board.replaced(&GATEWAY);
        board.ended(&GATEWAY, Instant::now());
        board.dialing(&GATEWAY);
        assert_eq!(standing(&board).state, State::Replaced);
    }

    #[test]
    fn the_gone_are_forgotten() {
        let board = Board::default();
        board.dialing(&GATEWAY);
        board.keep(|gateway| gateway == GATEWAY);
        assert_eq!(standing(&board).state, State::Dialing);
        board.keep(|_| false);
        assert!(board.read().unwrap().gateways.is_empty());
    }
}
