//! Messages as lines, one each, where no line stays without an answer.
//!
//! The protocol library passes over lines that it cannot read in silence; whoever wrote one waits
//! for an answer that never comes.

use bytes::BytesMut;
use rmcp::{
    ErrorData, RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        Transport,
        async_rw::{
            AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH, JsonRpcMessageCodec,
            JsonRpcMessageCodecError,
        },
    },
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, Empty, empty};
use tokio_util::codec::Decoder;

/// How much is read at once.
const CHUNK: usize = 8 * 1024;

/// The way to one client and back.
pub(super) struct Lines<R, W: AsyncWrite> {
    input: R,
    /// What was read and is no whole line yet.
    unread: BytesMut,
    codec: JsonRpcMessageCodec<RxJsonRpcMessage<RoleServer>>,
    /// Writes only.
    output: AsyncRwTransport<RoleServer, Empty, W>,
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
            output: AsyncRwTransport::new_server(empty(), output),
        }
    }

    /// Answers a line that names no request, and so by an error without an id. Aside, as a read may be given up at any moment.
    fn refuse(&mut self, error: ErrorData) {
        let answer = self.output.send(TxJsonRpcMessage::<RoleServer>::error(error, None));
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
        self.output.send(message)
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
        self.output.close().await
    }
}
