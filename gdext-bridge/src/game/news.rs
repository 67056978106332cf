//! Which errors of the game each client has heard of: every answer about the game counts those that are
//! new, so that no client has to ask for them.

use std::{cell::RefCell, collections::HashMap};

use protocol::{Fault, stamp};
use serde_json::value::RawValue;

use super::Game;

/// How many errors there had been when a client got its last answer, by the link to its gateway.
#[derive(Default)]
pub(super) struct News(RefCell<HashMap<u64, u64>>);

impl Game {
    /// An outcome for the client at the other end of `link`, with the number of errors that came since its
    /// last one. A failure tells them only where there are some, as it may have come of them. A client that
    /// had no answer yet is told those of this run.
    pub(crate) fn with_news(
        &self,
        link: u64,
        outcome: Result<Box<RawValue>, Fault>,
    ) -> Result<Box<RawValue>, Fault> {
        let (now, before) = self.output(|output| (output.errors_ever(), output.errors_before()));
        let seen = self.0.news.0.borrow_mut().insert(link, now);
        let new = now.saturating_sub(seen.unwrap_or(before));
        match outcome {
            Ok(result) => Ok(stamp::with_new_errors(&result, new)),
            Err(fault) if new > 0 => Err(fault.with(stamp::NEW_ERRORS, new)),
            Err(fault) => Err(fault),
        }
    }

    /// The client is gone.
    pub(crate) fn forget_client(&self, link: u64) {
        self.0.news.0.borrow_mut().remove(&link);
    }
}
