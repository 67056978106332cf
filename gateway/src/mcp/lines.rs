//! Messages as lines, one each, where no line stays without an answer.
//!
//! The protocol library passes over lines that it cannot read in silence; whoever wrote one waits
//! for an answer that never comes.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::SinkExt;
use rmcp::{
    ErrorData, RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport,
        async_rw::{DEFAULT_MAX_LINE_LENGTH, JsonRpcMessageCodec, JsonRpcMessageCodecError},
    },
};
use serde::Serialize;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    sync::Mutex,
};
use tokio_util::codec::{BytesCodec, Decoder, FramedWrite};

/// How much is read at once.
const CHUNK: usize = 8 * 1024;

/// The way to one client and back.
pub(super) struct Lines<R, W> {
    input: R,
    /// What was read and is no whole line yet.
    unread: BytesMut,
    codec: JsonRpcMessageCodec<RxJsonRpcMessage<RoleServer>>,
    /// `None` once it is closed.
    output: Arc<Mutex<Option<FramedWrite<W, BytesCodec>>>>,
}

/// The answer to a line that names no request. The library would leave the id out, where JSON-RPC
/// demands that it is null.
#[derive(Serialize)]
struct Refusal {
    jsonrpc: &'static str,
    id: (),
    error: ErrorData,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Lines<R, W> {
        Lines {
            input,
            unread: BytesMut::with_capacity(CHUNK),
            codec: JsonRpcMessageCodec::new_with_max_length(DEFAULT_MAX_LINE_LENGTH),
            output: Arc::new(Mutex::new(Some(FramedWrite::new(output, BytesCodec::new())))),
        }
    }

    /// Writes one message, whole even where the wait for it is given up.
    fn write(
        &self,
        message: serde_json::Result<Vec<u8>>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + use<R, W> + 'static {
        let line = message.map(|mut line| {
            line.push(b'\n');
            Bytes::from(line)
        });
        let output = self.output.clone();
        async move {
            match output.lock().await.as_mut() {
                Some(output) => output.send(line?).await,
                None => Err(std::io::ErrorKind::NotConnected.into()),
            }
        }
    }

    /// Answers a line that names no request. Aside, as a read may be given up at any moment.
    fn refuse(&self, error: ErrorData) {
        let answer = self.write(serde_json::to_vec(&Refusal { jsonrpc: "2.0", id: (), error }));
        tokio::spawn(async move {
            if let Err(error) = answer.await {
                tracing::debug!(%error, "a line stays without an answer");
            }
        });
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.write(serde_json::to_vec(&message))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let before = self.unread.len();
            match self.codec.decode(&mut self.unread) {
                Ok(Some(message)) => return Some(message),
                // A line that may be passed over, such as a notification that nobody knows.
                Ok(None) if self.unread.len() < before => {}
                Ok(None) => {
                    self.unread.reserve(CHUNK);
                    let read = self.input.read_buf(&mut self.unread).await;
                    if read.inspect_err(|error| tracing::error!(%error, "input")).ok()? == 0 {
                        return None;
                    }
                }
                Err(JsonRpcMessageCodecError::Serde(error)) => match error.classify() {
                    serde_json::error::Category::Eof if error.column() == 0 => {}
                    serde_json::error::Category::Data => {
                        self.refuse(ErrorData::invalid_request("Invalid request", None));
                    }
                    _ => {
                        let problem = format!("This line is no JSON: {error}");
                        self.refuse(ErrorData::parse_error(problem, None));
                    }
                },
                Err(JsonRpcMessageCodecError::MaxLineLengthExceeded) => {
                    let problem =
                        format!("This line is longer than {DEFAULT_MAX_LINE_LENGTH} bytes");
                    self.refuse(ErrorData::invalid_request(problem, None));
                }
                Err(error) => {
                    tracing::error!(%error, "input");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}
