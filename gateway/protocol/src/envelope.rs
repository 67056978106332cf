//! How a call and its outcome are framed on the link: one JSON object a frame.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Fault;

/// The read-only command that runs the plan of another command and drops its steps. An editor too
/// old to know it refuses it, so a preview can never be executed by mistake.
pub const PLAN: &str = "cmd_plan";

/// The command that answers at once and touches nothing: the heartbeat, and the floor of the bench.
pub const PING: &str = "cmd_ping";

/// The command that withdraws another one which has not started yet. It has no answer of its own.
pub const CANCEL: &str = "cmd_cancel";

/// The command that asks what became of an operation. It is answered aside from the commands, also
/// while one of them keeps the editor busy.
pub const OUTCOME: &str = "cmd_outcome";

/// The notice that another editor process works on the project. It has no answer; the gateway hangs
/// up after it.
pub const PEER_REPLACED: &str = "cmd_peer_replaced";

/// The notice of the MCP client that the gateway serves: once it is known, and again on every new
/// connection. It has no answer, and goes only to editors that list it among their commands.
pub const CLIENT: &str = "cmd_client";

/// Gateway to editor: execute this.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Names the answer; never used twice on one connection.
    pub id: u64,
    /// A wire command of the table, or one of [`PLAN`], [`PING`], [`CANCEL`], [`OUTCOME`],
    /// [`PEER_REPLACED`] and [`CLIENT`].
    pub command: String,
    /// The parameters of the command.
    pub params: Box<RawValue>,
    /// The agent's own `confirm`, as the gateway granted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// The scene that must be the active one, as a `res://` path; empty for one that was never saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// The running game that is meant, where there are several: [`GameInstance::id`].
    ///
    /// [`GameInstance::id`]: crate::tools::runtime::GameInstance::id
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    /// Milliseconds from receipt after which the command must not be started any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// The same moment by the clock of the machine, in milliseconds since 1970, where both sides
    /// share one: an editor that was stopped finds old commands in its socket as if they were new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
    /// Names the operation across retries: an outcome that is on record is repeated, not redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// Whether somebody wants to hear of [`Progress`]. Otherwise none is sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tells_progress: bool,
}

/// The parameters of [`PLAN`]: the command that would be executed.
#[derive(Debug, Serialize, Deserialize)]
pub struct Plan {
    /// A wire command of the table.
    pub command: String,
    /// Its parameters.
    pub params: Box<RawValue>,
}

/// The parameters of a command that runs others as one edit: each entry is what one permit lets
/// through.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    /// Whether the first failure takes everything back.
    pub stop_on_error: bool,
    /// The commands, in order.
    pub entries: Vec<BatchEntry>,
}

/// One command of a [`Batch`].
#[derive(Debug, Serialize, Deserialize)]
pub struct BatchEntry {
    /// What the agent called it, to be told again.
    pub command: String,
    /// What is to be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<BatchCommand>,
    /// Why nothing is: it was refused before it came here, and the batch goes on without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Fault>,
}

impl BatchEntry {
    /// An entry that was let through, or was not.
    pub fn new(command: String, order: Result<BatchCommand, Fault>) -> BatchEntry {
        let (run, refused) = match order {
            Ok(run) => (Some(run), None),
            Err(fault) => (None, Some(fault)),
        };
        BatchEntry { command, run, refused }
    }

    /// What is to be run, or why nothing is.
    ///
    /// # Errors
    /// What it was refused for.
    pub fn order(self) -> Result<BatchCommand, Fault> {
        match (self.run, self.refused) {
            (Some(run), None) => Ok(run),
            (_, Some(fault)) => Err(fault),
            (None, None) => Err(Fault::internal("An entry of the batch says nothing.")),
        }
    }
}

/// A command that was let through.
#[derive(Debug, Serialize, Deserialize)]
pub struct BatchCommand {
    /// A wire command of the table.
    pub wire: String,
    /// Its parameters.
    pub params: Box<RawValue>,
    /// Whether only its plan may run, also in a batch that is carried out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
    /// The agent's `confirm`, for this command or the batch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
    /// The scene that must be the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
}

/// The result of [`PING`]: what a call should know of the editor before it is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pong {
    /// The dialog that the editor waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<Dialog>,
}

/// A dialog that is open in the editor. Only a human answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dialog {
    /// Its title.
    pub title: String,
    /// What it says.
    pub text: String,
    /// What can be pressed.
    pub buttons: Vec<String>,
}

/// The parameters of [`CANCEL`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Cancel {
    /// The [`Request::id`] to withdraw.
    pub id: u64,
}

/// The parameters of [`OUTCOME`].
#[derive(Debug, Serialize, Deserialize)]
pub struct AskOutcome {
    /// The [`Request::operation_id`] in question. If it has not been started, it never will be.
    pub operation_id: String,
}

/// The result of [`OUTCOME`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownOutcome {
    /// What became of the operation.
    pub outcome: OperationState,
}

/// How far an operation got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationState {
    /// It was carried out.
    Applied,
    /// It was refused or withdrawn, and changed nothing.
    NotApplied,
    /// It has been started and is not done.
    Running,
    /// Nothing is known of it, or not how far it got.
    Unknown,
}

/// The parameters of [`PEER_REPLACED`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerReplaced {
    /// The process that calls go to.
    pub pid: u32,
    /// Its `instance`. The editor's own, if it is connected to the gateway in another way already.
    pub instance: String,
}

/// The parameters of [`CLIENT`]: what the client says of itself, for the human to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How much of a client's name or version is passed on, in characters.
const CLIENT_TEXT: usize = 60;

impl Client {
    /// A client by what it says of itself, without line breaks and without end.
    pub fn new(name: &str, version: &str) -> Client {
        let short = |text: &str| {
            text.chars().filter(|c| !c.is_control()).take(CLIENT_TEXT).collect::<String>()
        };
        Client { name: short(name), version: short(version) }
    }
}

impl std::fmt::Display for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{} {}", self.name.trim(), self.version.trim());
        f.write_str(text.trim())
    }
}

impl Request {
    /// A command with nothing but its parameters.
    pub fn new(id: u64, command: &str, params: Box<RawValue>) -> Request {
        Request {
            id,
            command: command.to_owned(),
            params,
            confirm: false,
            scene: None,
            instance: None,
            deadline_ms: None,
            expires_at_ms: None,
            operation_id: None,
            tells_progress: false,
        }
    }
}

/// Editor to gateway: what became of a request.
#[derive(Debug, Clone)]
pub struct Response {
    /// The [`Request::id`] that this answers; 0 for a notice that answers none.
    pub id: u64,
    /// The result, as JSON, or the failure.
    pub outcome: Result<Box<RawValue>, Fault>,
}

/// How far a request is that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What is done, in whatever the work is counted in. Work of several phases may count each
    /// from the start.
    pub done: u64,
    /// What there is to do in all, counted alike; none where nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What is being done, in a few words.
    pub message: String,
}

/// What an editor says about a request.
#[derive(Debug, Clone)]
pub enum Told {
    /// The request is under way. Its answer is still to come, and no deadline changes.
    Progress {
        /// The [`Request::id`].
        id: u64,
        /// How far it is.
        progress: Progress,
    },
    /// What became of it. Nothing follows.
    Response(Response),
}

/// How progress is written.
#[derive(Serialize)]
struct ProgressFrame<'a> {
    id: u64,
    progress: &'a Progress,
}

/// How a success is written.
#[derive(Serialize)]
struct Success<'a> {
    id: u64,
    ok: bool,
    result: &'a RawValue,
}

/// How a failure is written: the fault's own members beside `id` and `ok`.
#[derive(Serialize, Deserialize)]
struct Failure {
    id: u64,
    ok: bool,
    #[serde(flatten)]
    fault: Fault,
}

/// What every frame has. A raw value cannot be read beside flattened members, so this comes first.
#[derive(Deserialize)]
struct Head<'a> {
    id: u64,
    /// Only in an answer.
    #[serde(default)]
    ok: Option<bool>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    /// In an answer it is whatever a fault calls so.
    #[serde(default, borrow)]
    progress: Option<&'a RawValue>,
}

impl Progress {
    /// As one frame about the request with this id.
    pub fn to_json(&self, id: u64) -> Vec<u8> {
        // It cannot fail: there are texts and numbers only.
        serde_json::to_vec(&ProgressFrame { id, progress: self }).unwrap_or_default()
    }
}

impl Told {
    /// From one frame.
    ///
    /// # Errors
    /// If the frame is neither progress nor a response.
    pub fn from_json(frame: &[u8]) -> serde_json::Result<Told> {
        let head: Head<'_> = serde_json::from_slice(frame)?;
        match (head.ok, head.progress) {
            (None, Some(progress)) => {
                Ok(Told::Progress { id: head.id, progress: serde_json::from_str(progress.get())? })
            }
            (ok, _) => Response::of(head.id, ok, head.result, frame).map(Told::Response),
        }
    }
}

impl Response {
    /// As one frame.
    pub fn to_json(&self) -> Vec<u8> {
        let frame = match &self.outcome {
            Ok(result) => serde_json::to_vec(&Success { id: self.id, ok: true, result }),
            Err(fault) => {
                serde_json::to_vec(&Failure { id: self.id, ok: false, fault: fault.clone() })
            }
        };
        // Neither can fail: a raw value is JSON already, and a fault has string keys only.
        frame.unwrap_or_default()
    }

    /// From one frame.
    ///
    /// # Errors
    /// If the frame is no response.
    pub fn from_json(frame: &[u8]) -> serde_json::Result<Response> {
        let head: Head<'_> = serde_json::from_slice(frame)?;
        Response::of(head.id, head.ok, head.result, frame)
    }

    fn of(
        id: u64,
        ok: Option<bool>,
        result: Option<&RawValue>,
        frame: &[u8],
    ) -> serde_json::Result<Response> {
        let outcome = match (ok, result) {
            (Some(true), Some(result)) => Ok(result.to_owned()),
            (Some(true), None) => Err(Fault::internal("The editor answered without a result.")),
            // One without `ok` is no answer, which is said here as well.
            (Some(false) | None, _) => Err(serde_json::from_slice::<Failure>(frame)?.fault),
        };
        Ok(Response { id, outcome })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Required;

    #[test]
    fn both_outcomes_survive_the_link() {
        let result = RawValue::from_string(r#"{"n":9007199254740993}"#.to_owned()).unwrap();
        let answer = Response { id: 7, outcome: Ok(result) };
        assert_eq!(answer.to_json(), br#"{"id":7,"ok":true,"result":{"n":9007199254740993}}"#);
        let back = Response::from_json(&answer.to_json()).unwrap();
        assert_eq!(back.outcome.unwrap().get(), r#"{"n":9007199254740993}"#);

        let fault = Fault::precondition(Required::ACTIVE_SCENE, "Open a scene.").with("n", 1);
        let answer = Response { id: 8, outcome: Err(fault.clone()) };
        let back = Response::from_json(&answer.to_json()).unwrap();
        assert_eq!((back.id, back.outcome.unwrap_err()), (8, fault));
    }

    #[test]
    fn a_client_is_told_on_one_short_line() {
        let client = Client::new(&format!("Claude\nCode{}", "!".repeat(1000)), "");
        assert_eq!(client.to_string(), format!("ClaudeCode{}", "!".repeat(50)));
        assert_eq!(Client::new("e2e", "1").to_string(), "e2e 1");
    }

    #[test]
    fn progress_is_told_apart_from_an_answer() {
        let progress = Progress { done: 3, total: None, message: "Importing".to_owned() };
        let Told::Progress { id: 9, progress: back } =
            Told::from_json(&progress.to_json(9)).unwrap()
        else {
            panic!("it is no progress")
        };
        assert_eq!(back, progress);
        let answer = br#"{"id":1,"ok":true,"result":{"progress":{"done":1,"message":""}}}"#;
        assert!(matches!(Told::from_json(answer).unwrap(), Told::Response(_)));
        let failure = br#"{"id":1,"ok":false,"error":"TIMEOUT","hint":"","progress":0.5}"#;
        let Ok(Told::Response(failure)) = Told::from_json(failure) else { panic!("no answer") };
        assert_eq!(failure.outcome.unwrap_err().details["progress"], 0.5);
        assert!(Told::from_json(br#"{"id":1}"#).is_err());
    }

    #[test]
    fn an_empty_answer_is_a_fault() {
        let back = Response::from_json(br#"{"id":1,"ok":true}"#).unwrap();
        assert!(back.outcome.is_err());
    }
}
