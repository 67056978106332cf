//! Hearing at once when somebody comes to the rendezvous directory or leaves it.
//!
//! Linux tells (inotify); elsewhere, and where it cannot, the directory is looked at every
//! [`INTERVAL`]. There is no thread of its own, so nothing can outlive the library that holds it.

use std::{path::Path, time::Duration};

#[cfg(target_os = "linux")]
use tokio::net::unix::pipe::Receiver;

/// How often to look where the system does not tell. Also a safety net where it does.
pub const INTERVAL: Duration = Duration::from_millis(200);

/// The safety net where the system tells: an event can be lost when its queue overflows.
#[cfg(target_os = "linux")]
const SAFETY_NET: Duration = Duration::from_secs(5);

/// A watched directory.
#[derive(Debug)]
pub struct Watch {
    #[cfg(target_os = "linux")]
    events: Option<Receiver>,
}

impl Watch {
    /// Watches `directory`. Must be called within a tokio runtime.
    pub fn new(directory: &Path) -> Watch {
        #[cfg(target_os = "linux")]
        return Watch { events: inotify(directory).ok() };
        #[cfg(not(target_os = "linux"))]
        {
            let _ = directory;
            Watch {}
        }
    }

    /// Returns when something may have changed. May be dropped at any time.
    pub async fn changed(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(events) = &self.events {
            // An error, too, means only that it is time to look.
            let _ = tokio::time::timeout(SAFETY_NET, drain(events)).await;
            return;
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// The event queue of `directory`. To tokio it is a pipe like any other: it can be read, and tells
/// when.
#[cfg(target_os = "linux")]
fn inotify(directory: &Path) -> std::io::Result<Receiver> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

    let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
    add_watch(&events, directory, WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_TO)?;
    Receiver::from_owned_fd_unchecked(events)
}

/// Waits for an event and takes all that are there; what they say does not matter.
#[cfg(target_os = "linux")]
async fn drain(events: &Receiver) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    events.readable().await?;
    while events.try_read(&mut buffer).is_ok_and(|length| length > 0) {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Directory;

    #[tokio::test]
    async fn a_newcomer_is_heard() {
        let parent = tempfile::tempdir().unwrap();
        let directory = Directory::at(parent.path().join("run")).unwrap();
        let mut watch = Watch::new(directory.path());
        let _editor = directory.announce_editor("/p").unwrap();
        tokio::time::timeout(Duration::from_secs(2), watch.changed()).await.unwrap();
    }
}
