//! Opt-in TCP, for an editor and a gateway that share no folder: containers, WSL, other machines.
//!
//! Both sides are told the same `tcp://host:port` and the same token; the gateway listens there and
//! the editor dials, in addition to what they do locally. The token takes the part of the user's
//! secret in the same handshake, so each side proves that it knows it and neither sends it. What
//! follows is not encrypted: for more than a trusted network, put a tunnel around it.

use std::{env, io, net::IpAddr};

use sha2::{Digest, Sha256};

use crate::{
    directory::Secret,
    stream::{Endpoint, Listener},
};

/// The environment variable with the address. Only `tcp://` has a meaning.
pub const URL: &str = "GODOT_MCP_BRIDGE_URL";

/// The environment variable with the token.
pub const TOKEN: &str = "GODOT_MCP_BRIDGE_TOKEN";

/// The shortest token, in characters, where others than this machine can try to guess it.
pub const SAFE_TOKEN: usize = 16;

/// Where to meet beyond this machine, and how to know each other there.
#[derive(Debug, Clone)]
pub struct Remote {
    address: String,
    secret: Secret,
}

/// What the settings ask for.
#[derive(Debug, Clone)]
pub enum Asked {
    /// Nothing.
    No,
    /// Something that has no meaning, to be told once.
    Ignored(String),
    /// TCP.
    Tcp(Remote),
}

impl Remote {
    /// What the environment of this process asks for.
    ///
    /// # Errors
    /// See [`Remote::asked`].
    pub fn from_environment() -> Result<Asked, String> {
        Remote::asked(|name| env::var(name).ok())
    }

    /// What these variables ask for.
    ///
    /// # Errors
    /// If TCP is asked for in a way that would not be safe, or makes no sense.
    pub fn asked(variable: impl Fn(&str) -> Option<String>) -> Result<Asked, String> {
        let variable = |name| variable(name).filter(|value| !value.trim().is_empty());
        let Some(url) = variable(URL) else { return Ok(Asked::No) };
        let Some(address) = url.trim().strip_prefix("tcp://") else {
            return Ok(Asked::Ignored(format!(
                "{URL} is ignored: only tcp:// has a meaning. Editors and servers of one user find \
                 each other without it."
            )));
        };
        let address = address.trim_end_matches('/');
        let Some((host, Ok(_))) =
            address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()))
        else {
            return Err(format!("{URL} must be tcp://host:port, and {url:?} is not"));
        };
        let Some(token) = variable(TOKEN) else {
            return Err(format!(
                "{URL} asks for TCP, which needs a secret: set {TOKEN} to the same value for the \
                 server and the editor"
            ));
        };
        let length = token.trim().chars().count();
        if !is_loopback(host) && length < SAFE_TOKEN {
            return Err(format!(
                "{TOKEN} has {length} characters; where other machines can reach the address, as \
                 {host:?}, it must have {SAFE_TOKEN} or more"
            ));
        }
        let secret = Secret(Sha256::digest(token.trim().as_bytes()).into());
        Ok(Asked::Tcp(Remote { address: address.to_owned(), secret }))
    }

    /// Starts to listen as a gateway.
    ///
    /// # Errors
    /// If the address is not this machine's, or taken.
    pub async fn listen(&self) -> io::Result<Listener> {
        Listener::tcp(&self.address).await
    }

    /// Where the gateway listens.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint::Tcp(self.address.clone())
    }

    /// What both sides know.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }
}

/// Whether an address can be reached from this machine alone. Nothing is looked up: a name may be
/// anything.
fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HandshakeError, Identity, Role, dial, handshake};

    fn asked(url: &str, token: &str) -> Result<Asked, String> {
        Remote::asked(|name| Some(if name == URL { url } else { token }.to_owned()))
    }

    #[test]
    fn tcp_needs_an_address_and_a_token() {
        assert!(matches!(asked("", "").unwrap(), Asked::No));
        for ignored in ["ws://localhost:9080", "localhost:1", "TCP://x:1"] {
            assert!(matches!(asked(ignored, "").unwrap(), Asked::Ignored(_)), "{ignored}");
        }
        let long = "0123456789abcdef";
        for (url, token, part) in [
            ("tcp://127.0.0.1:1", "", TOKEN),
            ("tcp://127.0.0.1:1", " ", TOKEN),
            ("tcp://0.0.0.0:1", "short", "16"),
            ("tcp://example.org:1", "0123456789abcde", "16"),
            ("tcp://localhost", long, "host:port"),
            ("tcp://localhost:99999", long, "host:port"),
        ] {
            let refusal = asked(url, token).unwrap_err();
            assert!(refusal.contains(part), "{url}: {refusal}");
            assert!(token.trim().is_empty() || !refusal.contains(token), "{refusal}");
        }
        for (url, token) in [
            ("tcp://127.0.0.1:1", "short"),
            ("tcp://[::1]:1", "short"),
            ("tcp://localhost:1/", "short"),
            ("tcp://0.0.0.0:1", long),
        ] {
            let Asked::Tcp(remote) = asked(url, token).unwrap() else { panic!("{url}") };
            assert!(!format!("{remote:?}").contains(token));
        }
    }

    /// What a gateway and an editor with these tokens make of each other.
    async fn meet(gateway: &str, editor: &str) -> [Result<Identity, HandshakeError>; 2] {
        let remote = |token| match asked("tcp://127.0.0.1:0", token) {
            Ok(Asked::Tcp(remote)) => remote,
            other => panic!("{other:?}"),
        };
        let (gateway, editor) = (remote(gateway), remote(editor));
        let me = Identity::of_this_process(None).unwrap();
        let listener = gateway.listen().await.unwrap();
        let mut dialed = dial(listener.endpoint()).await.unwrap();
        let mut accepted = listener.accept().await.unwrap();
        assert!(dialed.is_remote() && accepted.is_remote());
        let (a, b) = tokio::join!(
            handshake(&mut accepted, gateway.secret(), Role::Gateway, &me),
            handshake(&mut dialed, editor.secret(), Role::Editor, &me)
        );
        [a, b]
    }

    #[tokio::test]
    async fn the_token_takes_the_part_of_the_secret() {
        for met in meet("a token", "a token").await {
            met.unwrap();
        }
        for met in meet("a token", "another").await {
            assert!(matches!(met, Err(HandshakeError::Proof)), "{met:?}");
        }
    }
}
