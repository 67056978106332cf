//! An MCP client over stdio, with its own gateway process.
//!
//! Written here rather than taken from a library so that every byte that the gateway prints is
//! seen: a line that is no JSON-RPC is a failure of any test.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{self, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{editor, project::Project, setup::Setup};

/// How long a request may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Whether it is a result, and no fault.
    pub ok: bool,
    /// The result or the fault.
    pub value: Value,
    /// The whole reply of the server.
    pub reply: Value,
    /// The time from the request to the answer.
    pub time: Duration,
}

impl Answer {
    /// The code of the fault; empty for a result.
    pub fn code(&self) -> &str {
        if self.ok { "" } else { self.value["error"].as_str().unwrap_or_default() }
    }

    /// What the fault says is required; empty for nothing.
    pub fn required(&self) -> &str {
        if self.ok { "" } else { self.value["required"].as_str().unwrap_or_default() }
    }
}

/// What is shared with the thread that reads.
#[derive(Debug, Default)]
struct Inbox {
    waiting: HashMap<u64, Sender<Value>>,
    notices: Vec<Value>,
    garbage: Vec<String>,
}

/// A client. Dropping it kills its gateway.
#[derive(Debug)]
pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    inbox: Arc<Mutex<Inbox>>,
    log: PathBuf,
    last_id: u64,
    /// The server's answer to `initialize`.
    pub server: Value,
    /// From the start of the process to that answer.
    pub start_time: Duration,
}

impl Client {
    /// Starts a gateway for `project` with every toolset, and initializes.
    pub fn start(project: &Project) -> Client {
        Client::start_with(project, |command| command.env("GODOT_MCP_DEFAULT_TOOLSETS", "all"))
    }

    /// Starts a gateway; `change` may alter the command.
    pub fn start_with(
        project: &Project,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Client {
        let number = (0..).find(|n| !log_file(project, *n).exists()).unwrap();
        let log = log_file(project, number);
        let mut command = Command::new(&Setup::get().gateway);
        command
            .arg("serve")
            .arg("--project")
            .arg(project.folder())
            .current_dir(project.work())
            .env("GODOT_MCP_RUNTIME_DIR", project.rendezvous())
            .env_remove("GODOT_MCP_DEFAULT_TOOLSETS")
            .env_remove("GODOT_MCP_BRIDGE_URL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log).unwrap());
        let begin = Instant::now();
        let mut process = change(&mut command).spawn().expect("the gateway can be started");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let inbox = Arc::new(Mutex::new(Inbox::default()));
        let shared = Arc::clone(&inbox);
        thread::spawn(move || {
            for line in output.split(b'\n').map_while(Result::ok) {
                receive(&shared, &line);
            }
            // Whoever still waits will be told by the loss of its sender.
            shared.lock().unwrap().waiting.clear();
        });
        let mut client = Client {
            process,
            input,
            inbox,
            log,
            last_id: 0,
            server: Value::Null,
            start_time: Duration::ZERO,
        };
        client.server = client
            .request(
                "initialize",
                json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "e2e", "version": "1"},
                }),
            )
            .expect("initialize succeeds");
        client.start_time = begin.elapsed();
        client.notify("notifications/initialized");
        client
    }

    /// The gateway's process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// What the gateway logged.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Sends a request. `Err` is an error of the protocol, not a failure of a tool.
    ///
    /// # Errors
    /// With the error object of JSON-RPC.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.last_id += 1;
        let (sender, receiver) = mpsc::channel();
        self.inbox.lock().unwrap().waiting.insert(self.last_id, sender);
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params,
        }));
        let Ok(mut reply) = receiver.recv_timeout(PATIENCE) else {
            panic!("no answer to {method}; the gateway logged:\n{}", self.log());
        };
        match reply.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(reply["result"].take()),
        }
    }

    /// Calls a tool, by its name without `godot_`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let begin = Instant::now();
        let params = json!({"name": format!("godot_{tool}"), "arguments": arguments});
        let reply = match self.request("tools/call", params) {
            Ok(reply) => reply,
            Err(error) => panic!("calling {tool} is an error of the protocol: {error}"),
        };
        let time = begin.elapsed();
        let ok = reply["isError"] != json!(true);
        let text = reply["content"][0]["text"].as_str().unwrap_or_default();
        let value = serde_json::from_str(text).unwrap_or(Value::Null);
        if ok && let Some(structured) = reply.get("structuredContent") {
            assert_eq!(structured, &value, "{tool}: text and structured content differ");
        }
        Answer { ok, value, reply, time }
    }

    /// Calls a tool `count` times with `lanes` calls under way at once, as so many callers would, and
    /// tells how long all of it took. Every answer must be a result.
    pub fn call_many(
        &mut self,
        lanes: usize,
        count: usize,
        tool: &str,
        arguments: impl Fn(usize) -> Value,
    ) -> Duration {
        let (sender, receiver) = mpsc::channel();
        let begin = Instant::now();
        for n in 0..count + lanes {
            if n >= lanes {
                let reply: Value = receiver.recv_timeout(PATIENCE).expect("every call is answered");
                assert!(reply["result"]["isError"] != json!(true), "{tool}: {reply}");
            }
            if n < count {
                self.last_id += 1;
                self.inbox.lock().unwrap().waiting.insert(self.last_id, sender.clone());
                let params = json!({"name": format!("godot_{tool}"), "arguments": arguments(n)});
                self.send(&json!({
                    "jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": params,
                }));
            }
        }
        begin.elapsed()
    }

    /// Begins a call and does not wait for it. Gives its id, and where the reply comes in.
    pub fn begin(&mut self, tool: &str, arguments: &Value) -> (u64, mpsc::Receiver<Value>) {
        self.last_id += 1;
        let (sender, receiver) = mpsc::channel();
        self.inbox.lock().unwrap().waiting.insert(self.last_id, sender);
        let params = json!({"name": format!("godot_{tool}"), "arguments": arguments});
        self.send(&json!({
            "jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": params,
        }));
        (self.last_id, receiver)
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id});
        self.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params,
        }));
    }

    /// Every tool that the server lists.
    pub fn tools(&mut self) -> Vec<Value> {
        let mut tools = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.request("tools/list", params).expect("tools can be listed");
            tools.extend(page["tools"].as_array().cloned().unwrap_or_default());
            match page.get("nextCursor") {
                Some(cursor) if !cursor.is_null() => params = json!({"cursor": cursor}),
                _ => return tools,
            }
        }
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str) {
        self.send(&json!({"jsonrpc": "2.0", "method": method}));
    }

    /// Writes one raw line.
    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        // The gateway may be gone; the missing answer will tell.
        let _ = input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n"));
        let _ = input.flush();
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// The notifications that came so far, by method.
    pub fn notices(&self) -> Vec<String> {
        let inbox = self.inbox.lock().unwrap();
        inbox.notices.iter().filter_map(|it| Some(it["method"].as_str()?.to_owned())).collect()
    }

    /// Closes the gateway's input, and tells how it ended and how long that took.
    pub fn close(mut self) -> (ExitStatus, Duration) {
        self.assert_clean();
        self.input = None;
        let begin = Instant::now();
        let status = editor::wait(&mut self.process, Duration::from_secs(10));
        let Some(status) = status else {
            panic!("the gateway did not end; it logged:\n{}", self.log());
        };
        self.assert_clean();
        (status, begin.elapsed())
    }

    /// Ends the gateway at once, as `kill -9` does.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Panics if anything but JSON-RPC came from the gateway's standard output.
    pub fn assert_clean(&self) {
        let garbage = self.inbox.lock().unwrap().garbage.clone();
        assert!(garbage.is_empty(), "the gateway printed to stdout: {garbage:?}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn receive(inbox: &Mutex<Inbox>, line: &[u8]) {
    let mut inbox = inbox.lock().unwrap();
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(_) => return inbox.garbage.push(String::from_utf8_lossy(line).into_owned()),
    };
    if message["jsonrpc"] != "2.0" {
        inbox.garbage.push(message.to_string());
    } else if message.get("method").is_some() {
        inbox.notices.push(message);
    } else if let Some(sender) = message["id"].as_u64().and_then(|id| inbox.waiting.remove(&id)) {
        // Whoever asked may have given up.
        let _ = sender.send(message);
    }
}

fn log_file(project: &Project, number: u32) -> PathBuf {
    project.work().join(format!("gateway-{number}.log"))
}
