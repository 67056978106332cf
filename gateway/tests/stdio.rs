//! The program itself, over standard input and output, as an MCP client starts it.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod support;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use link::{Directory, Identity};
use protocol::{Toolset, envelope};
use serde_json::{Value, json};
use support::{Reply, ScriptedEditor, always, identity, node_created};

/// One run of the program.
struct Run {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    directory: Directory,
    _root: tempfile::TempDir,
}

impl Run {
    fn start(arguments: &[&str]) -> Run {
        let root = tempfile::tempdir().unwrap();
        let directory = Directory::at(root.path().join("run")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_godot-mcp"))
            .args(arguments)
            .current_dir(root.path())
            .env("GODOT_MCP_RUNTIME_DIR", directory.path())
            .env_remove("GODOT_MCP_DEFAULT_TOOLSETS")
            .env_remove("GODOT_MCP_PROJECT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Run { input: child.stdin.take(), child, lines, directory, _root: root }
    }

    /// The same, initialized with an older version of the protocol.
    fn initialized(arguments: &[&str]) -> Run {
        let mut run = Run::start(arguments);
        let answer = run.ask(&initialize("2025-11-25"));
        assert_eq!(answer["result"]["serverInfo"]["name"], "godot-mcp");
        run.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        run
    }

    fn send(&mut self, message: &Value) {
        self.write(&format!("{message}\n"));
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).unwrap();
    }

    fn next(&self) -> Value {
        let line = self.lines.recv_timeout(Duration::from_secs(10)).expect("a line");
        let message: Value = serde_json::from_str(&line).expect("a line of JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Sends a request and returns its answer; what comes before must be notifications.
    fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        loop {
            let message = self.next();
            if message.get("id") == request.get("id") {
                return message;
            }
            assert!(message.get("method").is_some(), "{message}");
        }
    }

    /// Without a client there is nobody to ask, so it is looked for.
    /// Waits until an editor can dial it: it shows that it lives a moment before it listens.
    fn wait_until_it_listens(&self) {
        let start = Instant::now();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        loop {
            let gateway = self.directory.live_gateways().unwrap().pop();
            if gateway.is_some_and(|it| runtime.block_on(link::dial(&it)).is_ok()) {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(10), "it does not listen");
            std::thread::yield_now();
        }
    }

    fn close(mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        (status.code(), start.elapsed())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It has ended already where the test got that far.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

fn call(id: i64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": format!("godot_{tool}"), "arguments": arguments}})
}

/// A request in the manner of 2026-07-28: no session, everything in the request itself.
fn modern(id: i64, method: &str, mut parameters: Value) -> Value {
    parameters["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters})
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn every_version_with_a_session_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut run = Run::start(&["serve"]);
        let answer = run.ask(&initialize(version));
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
        run.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let list = run.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        assert_eq!(names(&list).len(), 24, "{version}");
        let answer = run.ask(&call(2, "health_check", json!({})));
        assert_eq!(answer["result"]["structuredContent"]["server"], "godot-mcp", "{version}");
        assert_eq!(run.close().0, Some(0));
    }
}

#[test]
fn the_version_without_a_session_is_spoken() {
    let mut run = Run::start(&[]);
    let answer = run.ask(&modern(1, "server/discover", json!({})));
    let supported = answer["result"]["supportedVersions"].as_array().unwrap();
    assert!(supported.contains(&json!("2026-07-28")), "{answer}");
    let list = run.ask(&modern(2, "tools/list", json!({})));
    assert_eq!(names(&list).len(), 24);
    assert_eq!(list["result"]["resultType"], "complete");
    let request = json!({"name": "godot_health_check", "arguments": {}});
    let answer = run.ask(&modern(3, "tools/call", request));
    assert_eq!(answer["result"]["structuredContent"]["bridge_connected"], false);
}

#[test]
fn clients_of_both_eras_hear_that_the_tools_changed() {
    let heard = "notifications/tools/list_changed";
    let mut old = Run::initialized(&[]);
    old.send(&call(1, "enable_toolset", json!({"category": "scene_edit"})));
    let messages = [old.next(), old.next()];
    assert!(messages.iter().any(|message| message["method"] == heard), "{messages:?}");
    let list = old.ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
    let enabled = [Toolset::Core, Toolset::Inspection, Toolset::SceneEdit];
    assert_eq!(
        names(&list).len(),
        enabled.map(|toolset| toolset.tools().count()).iter().sum::<usize>()
    );

    let mut new = Run::start(&[]);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    new.send(&modern(1, "subscriptions/listen", filter));
    assert_eq!(new.next()["method"], "notifications/subscriptions/acknowledged");
    let request = json!({"name": "godot_enable_toolset", "arguments": {"category": "scene_edit"}});
    new.send(&modern(2, "tools/call", request));
    let messages = [new.next(), new.next()];
    assert!(messages.iter().any(|message| message["method"] == heard), "{messages:?}");
    let (code, time) = new.close();
    assert_eq!(code, Some(0));
    assert!(time < Duration::from_secs(1), "a listener held the process for {time:?}");
}

#[test]
fn a_failed_call_is_a_result_and_an_unknown_tool_is_not() {
    let mut run = Run::initialized(&[]);
    let start = Instant::now();
    let answer = run.ask(&call(1, "inspection_get_active_scene", json!({})));
    assert!(start.elapsed() < Duration::from_millis(500));
    let result = &answer["result"];
    assert_eq!((&result["isError"], result.get("structuredContent")), (&json!(true), None));
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(r#"{"error":"BRIDGE_DISCONNECTED","hint":"#), "{text}");

    let answer = run.ask(&call(2, "no_such_tool", json!({})));
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn resources_are_listed_and_read() {
    let mut run = Run::initialized(&[]);
    let ask = |run: &mut Run, method: &str, parameters: Value| {
        run.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}))
    };
    let list = ask(&mut run, "resources/list", json!({}));
    assert_eq!(list["result"]["resources"].as_array().unwrap().len(), 4);
    let list = ask(&mut run, "resources/templates/list", json!({}));
    assert_eq!(list["result"]["resourceTemplates"].as_array().unwrap().len(), 1);
    let read = ask(&mut run, "resources/read", json!({"uri": "godot://project/info"}));
    let contents = &read["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "application/json");
    assert!(contents["text"].as_str().unwrap().contains("BRIDGE_DISCONNECTED"));
    let read = ask(&mut run, "resources/read", json!({"uri": "godot://nothing"}));
    assert!(read["error"]["message"].as_str().unwrap().contains("godot://scene/tree"), "{read}");
    let list = ask(&mut run, "prompts/list", json!({}));
    assert_eq!(list["result"]["prompts"], json!([]));
}

#[test]
fn nothing_but_the_protocol_is_written_whatever_comes_in() {
    let mut run = Run::initialized(&["--toolsets", "all", "--log-level", "debug"]);
    let garbage = [
        "not json",
        "{",
        "[]",
        "42",
        "null",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{1f3ae}",
        "{\"id\":1}",
        "",
    ];
    for round in 0..60 {
        run.write(&format!("{}\n", garbage[round % garbage.len()]));
        let id = i64::try_from(round * 10).unwrap();
        for request in [
            call(id, "health_check", json!({})),
            call(id + 1, "scene_edit_create_node", json!({"dry_run": "off"})),
            call(id + 2, "inspection_get_scene_tree", json!({"max_depth": "2"})),
            call(id + 3, "list_toolsets", json!({})),
            call(id + 4, "nonsense", json!({"\u{0}": "\n"})),
        ] {
            run.send(&request);
        }
    }
    let mut answered = 0;
    while answered < 300 {
        let message = run.next();
        answered += usize::from(message["id"].is_i64());
    }
    assert_eq!(run.close().0, Some(0));
}

/// Lines that name no request, and the codes that they are answered with.
#[test]
fn no_line_stays_without_an_answer() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(17 << 20));
    for started in [false, true] {
        let mut run = if started { Run::initialized(&[]) } else { Run::start(&[]) };
        for (line, code) in [
            ("not json", -32700),
            ("{", -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}"#, -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#, -32700),
            (&deep, -32700),
            (&long, -32600),
            ("[]", -32600),
            (r#"{"jsonrpc":"2.0"}"#, -32600),
        ] {
            let case = &line[..line.len().min(60)];
            run.write(&format!("{line}\n"));
            let answer = run.next();
            assert_eq!(
                (answer.get("id"), &answer["error"]["code"]),
                (Some(&Value::Null), &json!(code)),
                "{case}"
            );
        }
        // Nothing to answer, and nothing that holds up what comes with it.
        let unknown = json!({"method": "textDocument/didOpen"});
        run.write(&format!("\n\r\n{unknown}\n{}\n", initialize("2025-11-25")));
        assert_eq!(run.next()["id"], "start");
        assert_eq!(run.close().0, Some(0));
    }
}

/// Parameters of a call that are of the wrong shape, and the code of the answer.
#[test]
fn parameters_that_do_not_fit_are_no_unknown_method() {
    let mut run = Run::initialized(&[]);
    for (method, parameters, code) in [
        ("tools/call", json!({"name": "godot_health_check", "arguments": [1]}), -32602),
        ("tools/call", json!({"name": "godot_health_check", "arguments": "{}"}), -32602),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("tools/call", json!({"name": 1}), -32602),
        ("tools/call", json!({}), -32602),
        ("resources/read", json!({}), -32602),
        ("no/such/method", json!({}), -32601),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": parameters});
        let answer = run.ask(&request);
        assert_eq!(answer["error"]["code"], code, "{request}: {answer}");
    }
    let answer = run.ask(&json!({"jsonrpc": "2.0", "id": 6, "method": "tools/call"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn the_end_of_input_ends_the_process() {
    // Before a client has said anything, after that, and in the middle of a call.
    for stage in 0..3 {
        let mut run = if stage == 0 { Run::start(&[]) } else { Run::initialized(&[]) };
        let _editor = (stage == 2).then(|| {
            let mut editor = Editor::connect(&mut run, |_| Reply::Silence);
            run.send(&call(9, "inspection_get_active_scene", json!({})));
            editor.next();
            editor
        });
        let (code, time) = run.close();
        assert_eq!(code, Some(0), "stage {stage}");
        assert!(time < Duration::from_secs(1), "stage {stage}: {time:?}");
    }
}

/// An editor on a thread of its own.
struct Editor {
    runtime: tokio::runtime::Runtime,
    scripted: ScriptedEditor,
}

impl Editor {
    /// Connects, and waits until the program has it.
    fn connect(run: &mut Run, script: impl support::Script) -> Editor {
        Editor::connect_as(run, identity("game"), script)
    }

    fn connect_as(run: &mut Run, me: Identity, script: impl support::Script) -> Editor {
        let editor = Editor::dial(run, me, script);
        while run.ask(&call(1, "health_check", json!({})))["result"]["structuredContent"]["bridge_connected"]
            == false
        {}
        editor
    }

    fn dial(run: &Run, me: Identity, script: impl support::Script) -> Editor {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().unwrap();
        let dialed = ScriptedEditor::dial(&run.directory, me, script);
        let scripted = runtime.block_on(dialed).unwrap();
        Editor { runtime, scripted }
    }

    fn next(&mut self) -> Value {
        self.runtime.block_on(self.scripted.next())
    }
}

/// A frame about the request with this id.
fn progress(id: &Value, done: u64) -> Vec<u8> {
    let progress = json!({"done": done, "total": 10, "message": "Scanning"});
    json!({"id": id, "progress": progress}).to_string().into_bytes()
}

#[test]
fn a_client_with_a_token_hears_how_far_its_call_is_until_the_answer() {
    let rescan = |id| call(id, "scene_edit_rescan_filesystem", json!({}));
    let result = json!({"scanned": true, "scanning": false});
    let mut run = Run::initialized(&["--toolsets", "scene_edit"]);
    let mut editor = Editor::connect(&mut run, |_: &Value| Reply::Silence);

    let mut request = rescan(2);
    request["params"]["_meta"] = json!({"progressToken": "t"});
    run.send(&request);
    let asked = editor.next();
    assert_eq!(asked["tells_progress"], true);
    let mut last = -1.0;
    for done in [1, 5, 2, 2] {
        editor.scripted.send(progress(&asked["id"], done));
        if done == 2 && last > 5.0 {
            // The same again is no news.
            continue;
        }
        let heard = run.next();
        assert_eq!(heard["method"], "notifications/progress", "{heard}");
        let told = &heard["params"];
        assert_eq!((&told["progressToken"], &told["message"]), (&json!("t"), &json!("Scanning")));
        let now = told["progress"].as_f64().unwrap();
        assert!(now > last && told["total"].as_f64().unwrap() >= 10.0, "{told}");
        last = now;
    }
    let answer = json!({"id": asked["id"], "ok": true, "result": result});
    editor.scripted.send(answer.to_string().into_bytes());
    editor.scripted.send(progress(&asked["id"], 9));
    let answer = run.next();
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]), (&json!(2), &result));

    // Nobody hears of a call that is over, nor of one that has no token.
    run.send(&rescan(3));
    let asked = editor.next();
    assert_eq!(asked.get("tells_progress"), None);
    editor.scripted.send(progress(&asked["id"], 1));
    let answer = json!({"id": asked["id"], "ok": true, "result": result});
    editor.scripted.send(answer.to_string().into_bytes());
    assert_eq!(run.next()["id"], 3);
}

#[test]
fn an_editor_answers_through_the_whole_program() {
    let mut run = Run::initialized(&["--toolsets", "scene_edit"]);
    let mut editor = Editor::connect(&mut run, always(node_created()));
    let answer = run.ask(&call(2, "scene_edit_create_node", support::create_node(json!({}))));
    let result = &answer["result"];
    assert_eq!(result["structuredContent"], node_created());
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((text, &result["isError"]), (node_created(), &json!(false)));
    assert_eq!(editor.next()["command"], "cmd_create_node");
}

#[test]
fn a_client_that_cancels_withdraws_the_command() {
    let mut run = Run::initialized(&[]);
    let mut editor = Editor::connect(&mut run, |_| Reply::Silence);
    run.send(&call(7, "inspection_get_active_scene", json!({})));
    let request = editor.next();
    run.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}),
    );
    let cancel = editor.next();
    assert_eq!(
        (&cancel["command"], &cancel["params"]["id"]),
        (&json!("cmd_cancel"), &request["id"])
    );
}

#[test]
fn editors_are_told_whom_the_gateway_serves() {
    let client = json!({"name": "test", "version": "1"});
    let told = |editor: &mut Editor| {
        let notice = editor.next();
        assert_eq!((&notice["id"], &notice["command"]), (&json!(0), &json!("cmd_client")));
        notice["params"].clone()
    };
    // An editor that comes after the client, and one that comes before it.
    let mut run = Run::initialized(&[]);
    let mut editor = Editor::connect_as(&mut run, knowing_clients("late"), always(json!({})));
    assert_eq!(told(&mut editor), client);

    let mut run = Run::start(&[]);
    run.wait_until_it_listens();
    let mut editor = Editor::dial(&run, knowing_clients("early"), always(json!({})));
    run.ask(&initialize("2025-11-25"));
    run.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(told(&mut editor), client);

    // Without a session, every request says it; it is told on once.
    let mut run = Run::start(&[]);
    run.wait_until_it_listens();
    let mut editor = Editor::dial(&run, knowing_clients("modern"), always(json!({})));
    for id in 0..3 {
        run.ask(&modern(id, "tools/list", json!({})));
    }
    assert_eq!(told(&mut editor), client);
    assert_eq!(editor.scripted.rest(), [Value::Null; 0]);

    // One that does not know the notice hears nothing of it.
    let mut run = Run::initialized(&[]);
    let mut editor = Editor::connect(&mut run, always(node_created()));
    run.ask(&call(2, "inspection_get_active_scene", json!({})));
    assert_eq!(editor.next()["command"], "cmd_get_active_scene");
}

/// What an editor says of itself that wants to know who calls.
fn knowing_clients(name: &str) -> Identity {
    let mut me = identity(name);
    me.project.as_mut().unwrap().commands.push(envelope::CLIENT.to_owned());
    me
}

#[test]
fn the_surface_can_be_printed() {
    let output = Command::new(env!("CARGO_BIN_EXE_godot-mcp")).arg("tools").output().unwrap();
    let tools: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(tools.as_array().unwrap().len(), protocol::Tool::ALL.len());
    let http = Command::new(env!("CARGO_BIN_EXE_godot-mcp")).args(["--transport", "http"]).output();
    let http = http.unwrap();
    assert_eq!((http.status.code(), http.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&http.stderr).contains("not available"));
}
