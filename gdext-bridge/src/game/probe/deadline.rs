//! Until when what was asked is to be answered.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use protocol::tools::runtime::Patience;

use super::Probe;

/// The moment by which an answer has to be on its way. A call that takes some frames ends with what it has
/// when the next frame would come too late for that.
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// The deadline of the call that is begun now, and that was to take no longer than `timeout` from when
    /// it was sent: a game with slow frames has heard of it late.
    pub(crate) fn of(game: &Probe, timeout: Patience) -> Deadline {
        let left = time_for(timeout).saturating_sub(game.0.waited.get());
        Deadline(Instant::now() + left)
    }

    /// Whether there is no time for another frame as long as those before.
    pub(crate) fn is_over(&self, game: &Probe) -> bool {
        // One long frame among others says nothing of the next.
        let next = game.0.frame_times.get().into_iter().min().unwrap_or_default();
        Instant::now() + next > self.0
    }
}

/// How long the game may take for what it has to answer within `timeout`: what is left of that is for the
/// answer's own way to the editor.
pub(crate) fn time_for(timeout: Patience) -> Duration {
    const WAY: Duration = Duration::from_millis(200);
    let timeout = Duration::from_millis(u64::try_from(timeout.get()).unwrap_or_default());
    timeout - WAY.min(timeout / 2)
}

/// What the clock of the system says, in milliseconds. The editor and its game have the same.
pub(in crate::game) fn clock_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or_default()
}

impl Probe {
    /// A call is begun that was sent when the clock of the system said `sent_ms`.
    pub(super) fn begin_sent_at(&self, sent_ms: u64) {
        self.0.waited.set(Duration::from_millis(clock_ms().saturating_sub(sent_ms)));
    }

    /// A frame begins.
    pub(super) fn time_frame(&self) {
        let now = Instant::now();
        if let Some(last) = self.0.frame_begun.replace(Some(now)) {
            let [_, before] = self.0.frame_times.get();
            self.0.frame_times.set([before, now - last]);
        }
    }
}
