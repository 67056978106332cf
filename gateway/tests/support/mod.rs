//! What the tests share: a gateway of their own, and editors that answer by a script.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part")]

pub mod program;

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use gateway::{
    Gateway, approval::Approver, call, caller::Caller, captures::Captures, link::Editors,
    link::selection::Wanted, safety::Gate, snapshots::Snapshots, sources::Sources,
    toolsets::Toolsets,
};
use link::{Directory, Endpoint, Identity, ProjectIdentity, Role, Secret, dial, handshake};
use protocol::{Fault, Tool, Verb, envelope};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A gateway with a rendezvous directory of its own.
pub struct Rig {
    pub gateway: Arc<Gateway>,
    pub directory: Directory,
    pub root: tempfile::TempDir,
}

/// How to set up a [`Rig`].
pub struct Setup {
    pub wanted: Wanted,
    pub timeout: Duration,
    pub toolsets: Option<&'static str>,
    pub approver: Option<Box<dyn Approver>>,
    pub sources: Sources,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            wanted: Wanted::Any,
            timeout: Duration::from_secs(10),
            toolsets: Some("all"),
            approver: None,
            sources: Sources::default(),
        }
    }
}

impl Rig {
    pub fn new() -> Rig {
        Rig::with(Setup::default())
    }

    pub fn with(setup: Setup) -> Rig {
        let root = tempfile::tempdir().unwrap();
        let directory = Directory::at(root.path().join("run")).unwrap();
        Rig::at(root, directory, setup)
    }

    pub fn at(root: tempfile::TempDir, directory: Directory, setup: Setup) -> Rig {
        let editors = Editors::new(Ok(directory.clone()), setup.wanted, setup.timeout);
        editors.open();
        let gateway = Arc::new(Gateway {
            gate: Gate::new(Toolsets::new(setup.toolsets), setup.approver)
                .with_sources(setup.sources),
            editors,
            snapshots: Snapshots::default(),
            captures: Captures::default(),
            checks_updates: false,
            closing: CancellationToken::new(),
        });
        Rig { gateway, directory, root }
    }

    /// Makes a call; the result, or the fault as agents read it.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        self.call_until(tool, arguments, &CancellationToken::new()).await
    }

    /// The same, with a way to cancel it.
    pub async fn call_until(
        &self,
        tool: &str,
        arguments: Value,
        cancel: &CancellationToken,
    ) -> Result<Value, Value> {
        let tool = Tool::from_name(&format!("godot_{tool}")).expect(tool);
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        match call::call(&self.gateway, tool, arguments, &Caller::new(cancel.clone())).await {
            Ok(answer) => {
                let text: Value = serde_json::from_str(&answer.text).unwrap();
                assert_eq!(text, answer.value, "text and structured content differ");
                Ok(answer.value)
            }
            Err(fault) => Err(serde_json::to_value(fault).unwrap()),
        }
    }

    /// Connects an editor of the project `name`, and waits until the gateway has it.
    pub async fn editor(&self, name: &str, script: impl Script) -> ScriptedEditor {
        let mut changes = self.gateway.editors.watch();
        let editor = ScriptedEditor::dial(&self.directory, identity(name), script).await.unwrap();
        changes.changed().await.unwrap();
        editor
    }
}

/// Makes an answer to a request; none for silence.
pub trait Script: Fn(&Value) -> Reply + Send + 'static {}

impl<F: Fn(&Value) -> Reply + Send + 'static> Script for F {}

/// What an editor does with a request.
pub enum Reply {
    Ok(Value),
    Fault(Fault),
    Silence,
    HangUp,
}

/// An editor that connected over the real socket.
pub struct ScriptedEditor {
    requests: mpsc::UnboundedReceiver<Value>,
    frames: mpsc::UnboundedSender<Vec<u8>>,
    gone: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

/// It hangs up.
impl Drop for ScriptedEditor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ScriptedEditor {
    pub async fn dial(
        directory: &Directory,
        me: Identity,
        script: impl Script,
    ) -> Result<ScriptedEditor, link::HandshakeError> {
        let gateway = directory.live_gateways().unwrap().remove(0);
        let secret = directory.secret().unwrap();
        ScriptedEditor::dial_at(&gateway, &secret, me, script).await
    }

    /// Dials one gateway of several.
    pub async fn dial_at(
        gateway: &Endpoint,
        secret: &Secret,
        me: Identity,
        script: impl Script,
    ) -> Result<ScriptedEditor, link::HandshakeError> {
        let mut connection = dial(gateway).await?;
        handshake(&mut connection, secret, Role::Editor, &me).await?;
        let (sender, requests) = mpsc::unbounded_channel();
        let (frames, mut unasked) = mpsc::unbounded_channel::<Vec<u8>>();
        let gone = CancellationToken::new();
        let ended = gone.clone();
        let (mut reader, mut writer) = connection.split();
        let task = tokio::spawn(async move {
            loop {
                let frame = tokio::select! {
                    frame = reader.recv() => frame,
                    Some(frame) = unasked.recv() => match writer.send(frame.into()).await {
                        Ok(()) => continue,
                        Err(_) => break,
                    },
                };
                let Some(frame) = frame.ok().flatten() else { break };
                let request: Value = serde_json::from_slice(&frame).unwrap();
                let id = request["id"].as_u64().unwrap();
                let reply = match request["command"].as_str() {
                    _ if id == 0 => Reply::Silence,
                    // As any editor that is not stuck.
                    Some(envelope::PING) => Reply::Ok(Value::Null),
                    _ => script(&request),
                };
                if request["command"] != envelope::PING {
                    sender.send(request).ok();
                }
                let outcome = match reply {
                    Reply::Ok(result) => Ok(serde_json::value::to_raw_value(&result).unwrap()),
                    Reply::Fault(fault) => Err(fault),
                    Reply::Silence => continue,
                    Reply::HangUp => break,
                };
                let response = protocol::envelope::Response { id, outcome };
                if writer.send(Bytes::from(response.to_json())).await.is_err() {
                    break;
                }
            }
            ended.cancel();
        });
        Ok(ScriptedEditor { requests, frames, gone, task })
    }

    /// The next request that came in.
    pub async fn next(&mut self) -> Value {
        tokio::time::timeout(Duration::from_secs(5), self.requests.recv())
            .await
            .expect("a request")
            .expect("a connection")
    }

    /// Sends a frame that no request asked for at once.
    pub fn send(&self, frame: Vec<u8>) {
        self.frames.send(frame).unwrap();
    }

    /// The requests that came in so far and were not taken.
    pub fn rest(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.requests.try_recv().ok()).collect()
    }

    /// Returns when the connection is closed.
    pub async fn gone(&self) {
        tokio::time::timeout(Duration::from_secs(5), self.gone.cancelled()).await.expect("an end");
    }
}

/// What an editor of the project `name` says of itself.
pub fn identity(name: &str) -> Identity {
    let commands = Tool::ALL.iter().filter(|tool| tool.verb() != Verb::local);
    let commands = commands.map(|tool| tool.wire()).chain([envelope::OUTCOME]);
    Identity::of_this_process(Some(ProjectIdentity {
        name: name.to_owned(),
        path: format!("/projects/{name}"),
        godot_version: "4.6.3.stable".to_owned(),
        commands: commands.map(str::to_owned).collect(),
        csharp_supported: false,
        csharp_project: false,
    }))
    .unwrap()
}

/// A script that always gives the same result.
pub fn always(result: Value) -> impl Script {
    move |_: &Value| Reply::Ok(result.clone())
}

/// A result of `godot_scene_edit_create_node`.
pub fn node_created() -> Value {
    json!({ "node_path": "A", "created": true, "dry_run": false })
}

/// Arguments of `godot_scene_edit_create_node`, with `more`.
pub fn create_node(more: Value) -> Value {
    let mut arguments = json!({ "parent_path": ".", "node_type": "Node2D", "node_name": "A" });
    let more: Map<String, Value> = more.as_object().cloned().unwrap_or_default();
    arguments.as_object_mut().unwrap().extend(more);
    arguments
}

/// Every source file below a folder of the gateway, with its text.
pub fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

fn collect(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path.display().to_string().replace('\\', "/"), text));
        }
    }
}
