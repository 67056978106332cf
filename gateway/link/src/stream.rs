//! Local sockets of one user, in frames: four bytes of length, then that many bytes of JSON.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use interprocess::local_socket::tokio::{self as local, prelude::*};
use tokio::io::{ReadHalf, WriteHalf};
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

use crate::{directory::Presence, platform};

/// The longest frame, in bytes. A longer one ends the connection.
pub const MAX_FRAME: usize = 32 * 1024 * 1024;

/// Where a gateway listens.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint(PathBuf);

impl Endpoint {
    /// The socket at `path`.
    pub fn new(path: PathBuf) -> Endpoint {
        Endpoint(path)
    }

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// A gateway that editors can dial. Dropping it removes its socket and its lock.
#[derive(Debug)]
pub struct Listener {
    inner: local::Listener,
    address: String,
    _presence: Presence,
}

impl Listener {
    pub(crate) fn bind(endpoint: Endpoint, presence: Presence) -> io::Result<Listener> {
        let inner = platform::listen(endpoint.path())?;
        Ok(Listener { inner, address: endpoint.to_string(), _presence: presence })
    }

    /// The next connection of this user; others are turned away.
    ///
    /// # Errors
    /// If the system refuses, or the peer belongs to another user.
    pub async fn accept(&self) -> io::Result<Connection> {
        Connection::new(self.inner.accept().await?)
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }
}

/// Connects to a gateway of this user.
///
/// # Errors
/// If nobody listens, or the peer belongs to another user.
pub async fn dial(endpoint: &Endpoint) -> io::Result<Connection> {
    Connection::new(platform::connect(endpoint.path()).await?)
}

/// An open connection to another process of this user.
#[derive(Debug)]
pub struct Connection {
    reader: Reader,
    writer: Writer,
}

impl Connection {
    fn new(stream: local::Stream) -> io::Result<Connection> {
        if !platform::is_same_user(&stream)? {
            let reason = "the process at the other end belongs to another user";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        let (receive, send) = tokio::io::split(stream);
        let codec = || LengthDelimitedCodec::builder().max_frame_length(MAX_FRAME).new_codec();
        Ok(Connection {
            reader: Reader(FramedRead::new(receive, codec())),
            writer: Writer(FramedWrite::new(send, codec())),
        })
    }

    /// The next frame; `None` once the other side has closed.
    ///
    /// # Errors
    /// If the connection broke, or the frame is too long.
    pub async fn recv(&mut self) -> io::Result<Option<BytesMut>> {
        self.reader.recv().await
    }

    /// Sends one frame.
    ///
    /// # Errors
    /// If the connection broke, or the frame is too long.
    pub async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.writer.send(frame).await
    }

    /// Its two directions, to be used side by side.
    pub fn split(self) -> (Reader, Writer) {
        (self.reader, self.writer)
    }
}

/// What comes in.
#[derive(Debug)]
pub struct Reader(FramedRead<ReadHalf<local::Stream>, LengthDelimitedCodec>);

impl Reader {
    /// The next frame; `None` once the other side has closed.
    ///
    /// # Errors
    /// If the connection broke, or the frame is too long.
    pub async fn recv(&mut self) -> io::Result<Option<BytesMut>> {
        self.0.next().await.transpose()
    }
}

/// What goes out.
#[derive(Debug)]
pub struct Writer(FramedWrite<WriteHalf<local::Stream>, LengthDelimitedCodec>);

impl Writer {
    /// Sends one frame.
    ///
    /// # Errors
    /// If the connection broke, or the frame is too long.
    pub async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.0.send(frame).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Directory;

    #[tokio::test]
    async fn frames_cross_whole_and_a_gone_gateway_is_forgotten() {
        let parent = tempfile::tempdir().unwrap();
        let directory = Directory::at(parent.path().join("run")).unwrap();
        let listener = directory.announce_gateway().unwrap();
        let endpoints = directory.live_gateways().unwrap();
        let [endpoint] = endpoints.as_slice() else { panic!("{endpoints:?}") };

        let mut dialled = dial(endpoint).await.unwrap();
        let mut accepted = listener.accept().await.unwrap();
        let long = Bytes::from(vec![b'x'; 3_000_000]);
        let (sent, received) = tokio::join!(dialled.send(long.clone()), accepted.recv());
        sent.unwrap();
        assert_eq!(received.unwrap().unwrap(), long);

        drop(dialled);
        assert!(accepted.recv().await.unwrap().is_none());
        drop(listener);
        assert_eq!(directory.live_gateways().unwrap(), []);
    }

    #[tokio::test]
    async fn a_frame_beyond_the_limit_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let directory = Directory::at(parent.path().join("run")).unwrap();
        let listener = directory.announce_gateway().unwrap();
        let endpoint = directory.live_gateways().unwrap().remove(0);
        let mut dialled = dial(&endpoint).await.unwrap();
        let _accepted = listener.accept().await.unwrap();
        assert!(dialled.send(Bytes::from(vec![b'x'; MAX_FRAME + 1])).await.is_err());
    }
}
