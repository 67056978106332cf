//! The other side of a run: in the process that was started, this library sees to it that it does not
//! outlive an editor that was killed and could not end it.

/// Marks all processes of a run.
pub(crate) const MARK: &str = "GODOT_MCP_RUN";

/// How many seconds the run may take.
pub(crate) const LIMIT: &str = "GODOT_MCP_RUN_SECONDS";

/// Begins to watch, if this is a process of a run.
pub(crate) fn begin() {
    if std::env::var_os(MARK).is_some() {
        watch::begin();
    }
}

/// Stops to watch.
pub(crate) fn end() {
    watch::end();
}

/// Linux ends a process when the thread is gone that started it.
#[cfg(target_os = "linux")]
mod watch {
    use rustix::process::{Signal, set_parent_process_death_signal};

    pub(super) fn begin() {
        // Where that is not to be had, the run ends as others do.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }

    pub(super) fn end() {}
}

/// Elsewhere a thread looks whether the parent is still there and the time not long over.
#[cfg(not(target_os = "linux"))]
mod watch {
    use std::{
        sync::{
            Mutex, PoisonError,
            mpsc::{self, RecvTimeoutError, Sender},
        },
        thread::{self, JoinHandle},
        time::{Duration, Instant},
    };

    /// Between two looks.
    const GLANCE: Duration = Duration::from_secs(1);

    /// How long after its time a run that its editor has not ended ends by itself.
    const GRACE: Duration = Duration::from_secs(10);

    static WATCH: Mutex<Option<(Sender<()>, JoinHandle<()>)>> = Mutex::new(None);

    pub(super) fn begin() {
        let limit = std::env::var(super::LIMIT).ok().and_then(|limit| limit.parse().ok());
        let limit = limit.map(|seconds| Duration::from_secs(seconds) + GRACE);
        let (stop, stopped) = mpsc::channel::<()>();
        let (since, parent) = (Instant::now(), parent());
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                if self::parent() != parent || limit.is_some_and(|limit| since.elapsed() > limit) {
                    std::process::abort();
                }
            }
        });
        *WATCH.lock().unwrap_or_else(PoisonError::into_inner) = Some((stop, thread));
    }

    pub(super) fn end() {
        let watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = watch {
            drop(stop);
            // A library must not be unloaded under a running thread.
            let _ = thread.join();
        }
    }

    #[cfg(unix)]
    fn parent() -> u32 {
        std::os::unix::process::parent_id()
    }

    #[cfg(not(unix))]
    fn parent() -> u32 {
        0
    }
}
