//! The first three frames each way.
//!
//! First the opening: role, build, range of contracts and a fresh random number. Then the proof
//! that the secret is known, bound to both numbers. Then what the process says of itself: nothing
//! about a project is told before the other side has proved itself. The order is the same on both
//! sides, so neither waits for the other to begin.

use std::{
    io,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::Sha256;

use crate::{directory::Secret, stream::Connection};

/// How long the whole exchange may take.
pub const LIMIT: Duration = Duration::from_secs(5);

/// What a process is. An editor meets gateways and games; nobody else meets anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Speaks MCP and decides.
    Gateway,
    /// Has a project open and executes.
    Editor,
    /// Was started by an editor and answers it.
    Game,
}

impl Role {
    /// Whether two processes have something to say to each other.
    fn meets(self, other: Role) -> bool {
        (self == Role::Editor) != (other == Role::Editor)
    }
}

/// The versions of the contract that a build speaks, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractRange {
    /// The oldest.
    pub min: u32,
    /// The newest.
    pub max: u32,
}

/// What a process says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Its version.
    pub build: String,
    /// The contracts that it speaks.
    pub contract: ContractRange,
    /// Its process.
    pub pid: u32,
    /// Drawn anew at every start, so that a restart is not mistaken for a reconnect.
    pub instance: String,
    /// When it was started, in microseconds since 1970. Of several editors of one project, every
    /// gateway takes the youngest, so that all agree, whatever the order in which they dial.
    #[serde(default)]
    pub started_us: u64,
    /// The project that it has open; for editors only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectIdentity>,
}

/// The project that an editor has open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProjectIdentity {
    /// Its name.
    pub name: String,
    /// Its folder, absolute.
    pub path: String,
    /// The version of Godot, such as `4.6.3.stable`.
    pub godot_version: String,
    /// The wire commands that the editor knows.
    pub commands: Vec<String>,
    /// Whether this Godot can run C#.
    pub csharp_supported: bool,
    /// Whether the project has a C# solution.
    pub csharp_project: bool,
}

/// Why two processes did not get together.
#[derive(Debug)]
pub enum HandshakeError {
    /// There is no contract that both speak.
    Version {
        /// What this build speaks.
        mine: ContractRange,
        /// What the other one speaks.
        theirs: ContractRange,
        /// The version of the other one.
        their_build: String,
    },
    /// The other side does not know the secret, or is none that this one meets.
    Proof,
    /// It took too long.
    Timeout,
    /// The other side said something else.
    Malformed(String),
    /// The connection broke.
    Io(io::Error),
}

impl std::fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HandshakeError::Version { mine, theirs, their_build } => write!(
                f,
                "this build speaks contract {} to {}, the other side ({their_build}) {} to {}; \
                 update the older one",
                mine.min, mine.max, theirs.min, theirs.max
            ),
            HandshakeError::Proof => f.write_str("the other side does not know the secret"),
            HandshakeError::Timeout => f.write_str("the other side did not shake hands in time"),
            HandshakeError::Malformed(what) => {
                write!(f, "the other side said something else: {what}")
            }
            HandshakeError::Io(error) => write!(f, "the connection broke: {error}"),
        }
    }
}

impl std::error::Error for HandshakeError {}

impl From<io::Error> for HandshakeError {
    fn from(error: io::Error) -> HandshakeError {
        HandshakeError::Io(error)
    }
}

#[derive(Serialize, Deserialize)]
struct Opening {
    role: Role,
    build: String,
    contract: ContractRange,
    nonce: String,
}

#[derive(Serialize, Deserialize)]
struct Proof {
    proof: String,
}

impl Identity {
    /// What this build says of itself; `project` for editors only.
    ///
    /// # Errors
    /// If the system has no randomness to give.
    pub fn of_this_process(project: Option<ProjectIdentity>) -> io::Result<Identity> {
        Ok(Identity {
            build: env!("CARGO_PKG_VERSION").to_owned(),
            contract: ContractRange {
                min: protocol::MIN_COMPATIBLE_CONTRACT,
                max: protocol::CONTRACT_VERSION,
            },
            pid: std::process::id(),
            instance: random_hex()?,
            started_us: now_us(),
            project,
        })
    }

    /// Whether this process is the one to work with, of two that have the same project open.
    pub fn is_younger_than(&self, other: &Identity) -> bool {
        (self.started_us, &self.instance) > (other.started_us, &other.instance)
    }
}

/// The clock of the machine, which all its processes share.
fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or_default()
}

/// Gets to know the other side of `connection`, as the one that plays `role`.
///
/// # Errors
/// See [`HandshakeError`]. The connection is of no use afterwards.
pub async fn handshake(
    connection: &mut Connection,
    secret: &Secret,
    role: Role,
    me: &Identity,
) -> Result<Identity, HandshakeError> {
    tokio::time::timeout(LIMIT, exchange(connection, secret, role, me))
        .await
        .unwrap_or(Err(HandshakeError::Timeout))
}

async fn exchange(
    connection: &mut Connection,
    secret: &Secret,
    role: Role,
    me: &Identity,
) -> Result<Identity, HandshakeError> {
    let nonce = random_hex()?;
    let opening =
        Opening { role, build: me.build.clone(), contract: me.contract, nonce: nonce.clone() };
    send(connection, &opening).await?;
    let theirs: Opening = receive(connection).await?;
    let (mine, other) = (me.contract, theirs.contract);
    if mine.max < other.min || other.max < mine.min {
        return Err(HandshakeError::Version { mine, theirs: other, their_build: theirs.build });
    }
    if !role.meets(theirs.role) {
        return Err(HandshakeError::Proof);
    }

    let proof = hex(&mac(secret, role, &nonce, &theirs.nonce).finalize().into_bytes());
    send(connection, &Proof { proof }).await?;
    let answer: Proof = receive(connection).await?;
    // Checked in constant time, as a difference in time would tell the proof byte by byte.
    mac(secret, theirs.role, &theirs.nonce, &nonce)
        .verify_slice(&from_hex(&answer.proof))
        .map_err(|_| HandshakeError::Proof)?;

    connection.trust();
    send(connection, me).await?;
    receive(connection).await
}

/// Bound to the role, so that a proof cannot be sent back to the one who gave it.
fn mac(secret: &Secret, role: Role, own: &str, other: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new(&key(secret));
    mac.update(match role {
        Role::Gateway => b"godot-mcp gateway ",
        Role::Editor => b"godot-mcp editor ",
        Role::Game => b"godot-mcp game ",
    });
    mac.update(own.as_bytes());
    mac.update(b" ");
    mac.update(other.as_bytes());
    mac
}

/// The secret as a key of the MAC, which is one block long: padded with zeros, as HMAC itself does.
fn key(secret: &Secret) -> hmac::digest::Key<Hmac<Sha256>> {
    let mut key = hmac::digest::Key::<Hmac<Sha256>>::default();
    for (to, from) in key.iter_mut().zip(secret.0) {
        *to = from;
    }
    key
}

async fn send(connection: &mut Connection, message: &impl Serialize) -> Result<(), HandshakeError> {
    let frame = serde_json::to_vec(message).map_err(io::Error::from)?;
    Ok(connection.send(Bytes::from(frame)).await?)
}

async fn receive<T: DeserializeOwned>(connection: &mut Connection) -> Result<T, HandshakeError> {
    let frame =
        connection.recv().await?.ok_or(io::ErrorKind::UnexpectedEof).map_err(io::Error::from)?;
    serde_json::from_slice(&frame).map_err(|error| HandshakeError::Malformed(error.to_string()))
}

fn random_hex() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a text in hex; empty, and so no proof of anything, for any other text.
fn from_hex(text: &str) -> Vec<u8> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
    let pairs = digits.unwrap_or_default();
    pairs.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Directory, dial};

    async fn pair() -> (tempfile::TempDir, Connection, Connection) {
        let parent = tempfile::tempdir().unwrap();
        let directory = Directory::at(parent.path().join("run")).unwrap();
        let listener = directory.announce_gateway().unwrap();
        let endpoint = directory.live_gateways().unwrap().remove(0);
        let editor = dial(&endpoint).await.unwrap();
        (parent, listener.accept().await.unwrap(), editor)
    }

    /// What both sides make of each other: the gateway first.
    async fn meet(
        gateway: (Secret, Identity),
        editor: (Secret, Identity),
    ) -> (Result<Identity, HandshakeError>, Result<Identity, HandshakeError>) {
        let (_parent, mut a, mut b) = pair().await;
        tokio::join!(
            handshake(&mut a, &gateway.0, Role::Gateway, &gateway.1),
            handshake(&mut b, &editor.0, Role::Editor, &editor.1)
        )
    }

    fn me() -> Identity {
        Identity::of_this_process(None).unwrap()
    }

    #[tokio::test]
    async fn both_sides_get_to_know_each_other() {
        let (gateway, editor) = (me(), me());
        let met = meet((Secret([7; 32]), gateway.clone()), (Secret([7; 32]), editor.clone())).await;
        assert_eq!((met.0.unwrap(), met.1.unwrap()), (editor, gateway));
    }

    #[tokio::test]
    async fn who_does_not_know_the_secret_is_not_believed() {
        let met = meet((Secret([7; 32]), me()), (Secret([8; 32]), me())).await;
        assert!(matches!(met.0, Err(HandshakeError::Proof)), "{:?}", met.0);
        assert!(matches!(met.1, Err(HandshakeError::Proof)), "{:?}", met.1);
    }

    #[tokio::test]
    async fn a_game_meets_editors_only() {
        let secret = || Secret([7; 32]);
        for (role, meets) in [(Role::Editor, true), (Role::Gateway, false), (Role::Game, false)] {
            let (_parent, mut a, mut b) = pair().await;
            let (secrets, identities) = ((secret(), secret()), (me(), me()));
            let met = tokio::join!(
                handshake(&mut a, &secrets.0, role, &identities.0),
                handshake(&mut b, &secrets.1, Role::Game, &identities.1)
            );
            assert_eq!((met.0.is_ok(), met.1.is_ok()), (meets, meets), "{role:?}");
        }
    }

    #[tokio::test]
    async fn where_no_contract_is_shared_both_sides_know_both_versions() {
        let old =
            Identity { contract: ContractRange { min: 90, max: 99 }, build: "9.9".into(), ..me() };
        let met = meet((Secret([7; 32]), me()), (Secret([7; 32]), old)).await;
        let told = met.0.unwrap_err().to_string();
        assert!(told.contains("9.9") && told.contains("90 to 99"), "{told}");
        let told = met.1.unwrap_err().to_string();
        assert!(told.contains(env!("CARGO_PKG_VERSION")), "{told}");
    }

    #[test]
    fn hex_is_read_as_it_is_written() {
        assert_eq!(from_hex(&hex(&[0, 1, 0xab, 0xff])), [0, 1, 0xab, 0xff]);
        assert_eq!(from_hex("zz"), [0u8; 0]);
    }
}
