//! Work beside the main thread.

use std::sync::mpsc;

use protocol::Fault;

/// Runs what waits for others on the thread, so that the main thread need not. Clones share it.
#[derive(Clone)]
pub(crate) struct Background(tokio::runtime::Handle);

/// What will come of some work in the [`Background`].
pub(crate) struct Pending<T>(mpsc::Receiver<T>);

impl Background {
    /// Runs it there.
    pub(crate) fn on(runtime: tokio::runtime::Handle) -> Background {
        Background(runtime)
    }

    /// Begins some work.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Pending<T> {
        let (send, receive) = mpsc::channel();
        self.0.spawn(async move {
            // Whoever does not wait for it any more does not need it.
            let _ = send.send(work.await);
        });
        Pending(receive)
    }

    /// Begins some work that holds up the thread that it runs on, which is none of ours.
    pub(crate) fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Pending<T> {
        let (send, receive) = mpsc::channel();
        self.0.spawn_blocking(move || {
            let _ = send.send(work());
        });
        Pending(receive)
    }
}

impl<T> Pending<T> {
    /// What came of it; `None` for nothing yet.
    pub(crate) fn look(&self) -> Option<Result<T, Fault>> {
        match self.0.try_recv() {
            Ok(outcome) => Some(Ok(outcome)),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(mpsc::TryRecvError::Disconnected) => {
                Some(Err(Fault::internal("The work in the background broke off.")))
            }
        }
    }
}
