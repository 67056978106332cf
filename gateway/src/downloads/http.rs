//! One file over the network, within its limits. It blocks its thread; whoever waits for it stops it
//! with a [`Stopper`].
//!
//! Nothing of the environment is used: no proxy, no credentials, no cookies.

use std::{
    io::{Read, Write},
    time::{Duration, Instant},
};

use protocol::{ErrorCode, Fault};
use ureq::{
    Agent, Body, Error,
    http::{Response, header},
};

use super::{Limits, address::Address};
use crate::{SERVER_NAME, VERSION};

/// How often a server may send on to another place.
const REDIRECTS: usize = 5;

/// How much is read at once.
const PIECE: usize = 64 << 10;

/// The network, as far as one download may use it.
pub(super) struct Source {
    agent: Agent,
    limits: Limits,
    until: Instant,
}

/// Breaks off a download when it is dropped, wherever its thread is waiting.
pub(super) struct Stopper(Agent);

impl Stopper {
    /// Stops `source`.
    pub(super) fn of(source: &Source) -> Stopper {
        Stopper(source.agent.clone())
    }
}

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.clone().shutdown();
    }
}

impl Source {
    /// One that may be used until then.
    pub(super) fn new(limits: Limits, until: Instant) -> Source {
        let config = Agent::config_builder()
            .proxy(None)
            .user_agent(format!("{SERVER_NAME}/{VERSION}"))
            .accept_encoding("identity")
            .http_status_as_error(false)
            // Each place that a server sends on to is looked at first.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A server may close a connection just as the next request goes out on it, as where it
            // sends on to another address of its own; a fresh one for each costs next to nothing.
            .max_idle_connections(0)
            .build();
        Source { agent: config.into(), limits, until }
    }

    /// Writes what is at the address into `file`, and tells how much of it is there: bytes, and how
    /// many there will be where the server says that.
    ///
    /// # Errors
    /// If it cannot be had, is too large or takes too long. What is in `file` then is not the whole.
    pub(super) fn download(
        &self,
        mut address: Address,
        file: &mut impl Write,
        tell: &dyn Fn(u64, Option<u64>),
    ) -> Result<(), Fault> {
        for _ in 0..=REDIRECTS {
            let response = self.ask(&address)?;
            match response.status().as_u16() {
                200 => return self.save(&address, response, file, tell),
                301 | 302 | 303 | 307 | 308 => {
                    let location = response.headers().get(header::LOCATION);
                    let location = location.and_then(|it| it.to_str().ok()).unwrap_or_default();
                    if location.is_empty() {
                        return Err(Fault::invalid(format!(
                            "The server sends on from '{address}' without saying where. Use another \
                             address."
                        )));
                    }
                    address = address.redirected(location).map_err(|fault| Fault {
                        hint: format!("'{address}' sends on to another place. {}", fault.hint),
                        ..fault
                    })?;
                }
                404 | 410 => {
                    return Err(Fault::not_found(format!(
                        "There is no file at '{address}', says the server there. Look for the right \
                         address."
                    )));
                }
                status => {
                    return Err(Fault::invalid(format!(
                        "The server answers {status} for '{address}', and no file. Use another \
                         address; or try again later, if it is one of 429 and 500 to 599."
                    ))
                    .with("status", status));
                }
            }
        }
        Err(Fault::invalid(format!(
            "The server sends on more than {REDIRECTS} times, at last to '{address}'. Give the address \
             of the file itself."
        )))
    }

    fn ask(&self, address: &Address) -> Result<Response<Body>, Fault> {
        let left = self.until.saturating_duration_since(Instant::now());
        // No time at all would be taken as no limit.
        let left = left.max(Duration::from_millis(1));
        let request = self.agent.get(address.uri().clone());
        let answer = request.config().timeout_global(Some(left)).build().call();
        answer.map_err(|error| self.failed(&error, address))
    }

    fn save(
        &self,
        address: &Address,
        response: Response<Body>,
        file: &mut impl Write,
        tell: &dyn Fn(u64, Option<u64>),
    ) -> Result<(), Fault> {
        let length = response.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|it| it.to_str().ok()).and_then(|it| it.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.limits.bytes) {
            return Err(self.too_large(address));
        }
        let mut body = response.into_body().into_reader();
        let (mut piece, mut done) = (vec![0; PIECE], 0);
        tell(done, length);
        loop {
            let read = match body.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => return Err(self.failed(&Error::from(error), address)),
            };
            done += u64::try_from(read).unwrap_or(u64::MAX);
            if done > self.limits.bytes {
                return Err(self.too_large(address));
            }
            if Instant::now() > self.until {
                return Err(self.too_slow(address));
            }
            let bytes = piece.get(..read).unwrap_or_default();
            file.write_all(bytes).map_err(|error| super::unkept(&error))?;
            tell(done, length);
        }
        file.flush().map_err(|error| super::unkept(&error))
    }

    fn failed(&self, error: &Error, address: &Address) -> Fault {
        match error {
            Error::Timeout(_) => self.too_slow(address),
            error => Fault::invalid(format!(
                "'{address}' cannot be downloaded: {error}. Nothing was changed. Check the address and \
                 try again, or download the file into a folder of the project."
            )),
        }
    }

    fn too_large(&self, address: &Address) -> Fault {
        Fault::invalid(format!(
            "'{address}' has more than {} bytes, which are the limit. Nothing was changed. Use a \
             smaller file; or the human starts the server with a greater --max-download-mb.",
            self.limits.bytes
        ))
        .with("limit_bytes", self.limits.bytes)
    }

    fn too_slow(&self, address: &Address) -> Fault {
        let limit = self.limits.time.as_secs_f64();
        Fault::new(
            ErrorCode::Timeout,
            format!(
                "'{address}' was not downloaded within {limit} s, which is the limit of a call. Nothing \
                 was changed; try again, with a smaller file or a faster server."
            ),
        )
        .with("outcome", "not_applied")
    }
}
