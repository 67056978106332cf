//! Connections between an editor and a gateway, in frames: four bytes of length, then that many
//! bytes of JSON. Over a local socket of one user, or, where asked for, over TCP.

use std::{
    fmt, io,
    ops::ControlFlow,
    path::PathBuf,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use interprocess::local_socket::tokio::{self as local, prelude::*};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf},
    net::{TcpListener, TcpStream},
    sync::mpsc::UnboundedReceiver,
};
use tokio_util::codec::{FramedRead, FramedWrite, LengthDelimitedCodec};

use crate::{directory::Presence, platform};

/// The longest frame, in bytes. A longer one ends the connection.
pub const MAX_FRAME: usize = 32 * 1024 * 1024;

/// The longest frame of the handshake: who has not proved anything yet gets no memory of ours.
pub const MAX_HANDSHAKE_FRAME: usize = 64 * 1024;

/// Where a gateway listens, or an editor for its games.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Endpoint {
    /// The local socket at this path.
    Local(PathBuf),
    /// This host and port.
    Tcp(String),
}

impl Endpoint {
    /// Whether the two sides may be on different machines, or seem to be.
    pub fn is_remote(&self) -> bool {
        matches!(self, Endpoint::Tcp(_))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Local(path) => path.display().fmt(f),
            Endpoint::Tcp(address) => write!(f, "tcp://{address}"),
        }
    }
}

/// What can be dialed there. Dropping it removes a gateway's socket and lock.
#[derive(Debug)]
pub struct Listener {
    inner: Listening,
    endpoint: Endpoint,
}

#[derive(Debug)]
enum Listening {
    Local { socket: local::Listener, _presence: Option<Presence> },
    Tcp(TcpListener),
}

impl Listener {
    pub(crate) fn local(path: PathBuf, presence: Option<Presence>) -> io::Result<Listener> {
        let inner = Listening::Local { socket: platform::listen(&path)?, _presence: presence };
        Ok(Listener { inner, endpoint: Endpoint::Local(path) })
    }

    pub(crate) async fn tcp(address: &str) -> io::Result<Listener> {
        let socket = TcpListener::bind(address).await?;
        let endpoint = Endpoint::Tcp(socket.local_addr()?.to_string());
        Ok(Listener { inner: Listening::Tcp(socket), endpoint })
    }

    /// The next connection; on a local socket only of this user, others are turned away.
    ///
    /// # Errors
    /// If the system refuses, or the peer belongs to another user.
    pub async fn accept(&self) -> io::Result<Connection> {
        match &self.inner {
            Listening::Local { socket, .. } => Connection::local(socket.accept().await?),
            Listening::Tcp(socket) => Connection::tcp(socket.accept().await?.0),
        }
    }

    /// Where it listens.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

/// Connects to who listens there.
///
/// # Errors
/// If nobody listens, or a local peer belongs to another user.
pub async fn dial(endpoint: &Endpoint) -> io::Result<Connection> {
    match endpoint {
        Endpoint::Local(path) => Connection::local(platform::connect(path).await?),
        Endpoint::Tcp(address) => Connection::tcp(TcpStream::connect(address).await?),
    }
}

/// An open connection to another process.
#[derive(Debug)]
pub struct Connection {
    reader: Reader,
    writer: Writer,
    is_remote: bool,
}

impl Connection {
    fn local(stream: local::Stream) -> io::Result<Connection> {
        if !platform::is_same_user(&stream)? {
            let reason = "the process at the other end belongs to another user";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        Ok(Connection::new(Stream::Local(stream)))
    }

    fn tcp(stream: TcpStream) -> io::Result<Connection> {
        // A frame is a whole thought; waiting to fill a packet would only delay it.
        stream.set_nodelay(true)?;
        Ok(Connection::new(Stream::Tcp(stream)))
    }

    fn new(stream: Stream) -> Connection {
        let is_remote = matches!(stream, Stream::Tcp(_));
        let (receive, send) = tokio::io::split(stream);
        let codec =
            || LengthDelimitedCodec::builder().max_frame_length(MAX_HANDSHAKE_FRAME).new_codec();
        Connection {
            reader: Reader(FramedRead::new(receive, codec())),
            writer: Writer(FramedWrite::new(send, codec())),
            is_remote,
        }
    }

    /// Whether the other side may be on another machine.
    pub fn is_remote(&self) -> bool {
        self.is_remote
    }

    /// Lets frames be as long as they may be. Only once the other side has proved itself.
    pub(crate) fn trust(&mut self) {
        self.reader.0.decoder_mut().set_max_frame_length(MAX_FRAME);
        self.writer.0.encoder_mut().set_max_frame_length(MAX_FRAME);
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

    /// Carries frames both ways: those that are put into `outgoing`, and those that come in to `heard`,
    /// side by side, so that another side that is slow to read does not keep us from hearing it. Ends when
    /// the connection breaks, nothing more can be put in, or `heard` has heard enough: with what it says
    /// then.
    pub async fn carry<T>(
        self,
        mut outgoing: UnboundedReceiver<Vec<u8>>,
        mut heard: impl FnMut(&[u8]) -> ControlFlow<T>,
    ) -> Option<T> {
        let (mut reader, mut writer) = self.split();
        let write = async {
            while let Some(frame) = outgoing.recv().await {
                if writer.send(frame.into()).await.is_err() {
                    return;
                }
            }
        };
        let read = async {
            while let Ok(Some(frame)) = reader.recv().await {
                if let ControlFlow::Break(end) = heard(&frame) {
                    return Some(end);
                }
            }
            None
        };
        tokio::select! {
            () = write => None,
            end = read => end,
        }
    }

    /// Its two directions, to be used side by side.
    pub fn split(self) -> (Reader, Writer) {
        (self.reader, self.writer)
    }
}

/// What comes in.
#[derive(Debug)]
pub struct Reader(FramedRead<ReadHalf<Stream>, LengthDelimitedCodec>);

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
pub struct Writer(FramedWrite<WriteHalf<Stream>, LengthDelimitedCodec>);

impl Writer {
    /// Sends one frame.
    ///
    /// # Errors
    /// If the connection broke, or the frame is too long.
    pub async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.0.send(frame).await
    }
}

/// The bytes below the frames.
#[derive(Debug)]
enum Stream {
    Local(local::Stream),
    Tcp(TcpStream),
}

/// Calls the same method of whichever stream it is.
macro_rules! pass_on {
    ($self:ident.$method:ident($($argument:ident),*)) => {
        match $self.get_mut() {
            Stream::Local(stream) => Pin::new(stream).$method($($argument),*),
            Stream::Tcp(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        pass_on!(self.poll_read(context, buffer))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        pass_on!(self.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pass_on!(self.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pass_on!(self.poll_shutdown(context))
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
        dialled.trust();
        accepted.trust();
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
        let stranger = Bytes::from(vec![b'x'; MAX_HANDSHAKE_FRAME + 1]);
        assert!(dialled.send(stranger).await.is_err());
        dialled.trust();
        assert!(dialled.send(Bytes::from(vec![b'x'; MAX_FRAME + 1])).await.is_err());
    }
}
