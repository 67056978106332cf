//! What differs from system to system: private files, sockets and who is at the other end.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
#[allow(unsafe_code, reason = "the system has no safe interface to users and their tokens")]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;
