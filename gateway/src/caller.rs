//! Who waits for a call: it may lose interest, and may want to hear how far the call is.

use protocol::envelope::Progress;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Where progress is told; whoever listens hears the newest, not all of it.
pub type Listener = watch::Sender<Option<Progress>>;

/// The client's side of one call.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    cancel: CancellationToken,
    listener: Option<Listener>,
}

impl Caller {
    /// One that only wants the answer, until `cancel` is cancelled.
    pub fn new(cancel: CancellationToken) -> Caller {
        Caller { cancel, listener: None }
    }

    /// The same, hearing of progress as well.
    pub fn listening(cancel: CancellationToken) -> (Caller, watch::Receiver<Option<Progress>>) {
        let (listener, heard) = watch::channel(None);
        (Caller { cancel, listener: Some(listener) }, heard)
    }

    /// Returns when the answer is not wanted any more.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// Whether the answer is not wanted any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Where progress is told, if somebody listens.
    pub fn listener(&self) -> Option<&Listener> {
        self.listener.as_ref()
    }

    /// Tells how far the call is: how much is `done`, of how much in all where that is known, and
    /// what is being done.
    pub fn tell(&self, done: u64, total: Option<u64>, message: impl Into<String>) {
        if let Some(listener) = &self.listener {
            listener.send_replace(Some(Progress { done, total, message: message.into() }));
        }
    }
}
