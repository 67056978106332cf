//! Bad days of the link: broken frames, strangers, frozen and returning editors, many of each.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod support;

use std::{
    fs,
    time::{Duration, Instant},
};

use link::{Directory, Identity, Role, dial, handshake};
use serde_json::{Value, json};
use support::{
    Reply, Rig, ScriptedEditor, Setup, always, create_node, identity, node_created,
    program::Program,
};

const GROUPS: &str = "inspection_get_node_groups";

fn groups() -> Value {
    json!({ "node_path": ".", "groups": ["enemies"] })
}

fn place() -> (tempfile::TempDir, Directory) {
    let root = tempfile::tempdir().unwrap();
    let directory = Directory::at(root.path().join("run")).unwrap();
    (root, directory)
}

/// An edit whose link breaks before the answer, by an editor that comes back.
#[tokio::test]
async fn an_edit_on_a_link_that_broke_is_asked_for_again_under_the_same_id() {
    let rig = Rig::new();
    let me = identity("game");
    // The process is there, so that its return is waited for.
    let _presence = rig.directory.announce_editor("/projects/game").unwrap();
    let mut changes = rig.gateway.editors.watch();
    let dialed = ScriptedEditor::dial(&rig.directory, me.clone(), |_| Reply::HangUp).await;
    let mut first = dialed.unwrap();
    changes.changed().await.unwrap();
    let call = rig.call("scene_edit_create_node", create_node(json!({})));
    let back = async {
        first.gone().await;
        ScriptedEditor::dial(&rig.directory, me, always(node_created())).await.unwrap()
    };
    let (answer, mut second) = tokio::join!(call, back);
    assert_eq!(answer.unwrap(), node_created());
    let (before, after) = (first.next().await, second.next().await);
    assert!(before["operation_id"].is_string());
    assert_eq!(before, after);
    assert_eq!(second.rest(), Vec::<Value>::new());
}

#[tokio::test]
async fn but_only_once_and_not_of_another_process() {
    for same in [true, false] {
        let rig = Rig::new();
        let _presence = rig.directory.announce_editor("/projects/game").unwrap();
        let me = identity("game");
        let mut changes = rig.gateway.editors.watch();
        let dialed = ScriptedEditor::dial(&rig.directory, me.clone(), |_| Reply::HangUp).await;
        let first = dialed.unwrap();
        changes.changed().await.unwrap();
        let call = rig.call("scene_edit_create_node", create_node(json!({})));
        let back = async {
            first.gone().await;
            let next = if same { me } else { identity("game") };
            ScriptedEditor::dial(&rig.directory, next, |_| Reply::HangUp).await.unwrap()
        };
        let (answer, mut second) = tokio::join!(call, back);
        assert_eq!(answer.unwrap_err()["outcome"], "may_have_applied");
        assert_eq!(second.rest().len(), usize::from(same));
    }
}

/// What the editor says after a deadline, and what the agent hears.
#[tokio::test]
async fn after_a_timeout_the_editor_is_asked_what_became_of_the_edit() {
    for (said, told) in [
        ("applied", "applied"),
        ("not_applied", "not_applied"),
        ("running", "may_have_applied"),
        ("unknown", "may_have_applied"),
    ] {
        let setup = Setup { timeout: Duration::from_millis(30), ..Setup::default() };
        let rig = Rig::with(setup);
        let script = move |request: &Value| match request["command"].as_str() {
            Some("cmd_outcome") => Reply::Ok(json!({"outcome": said})),
            _ => Reply::Silence,
        };
        let mut editor = rig.editor("game", script).await;
        let answer = rig.call("scene_edit_create_node", create_node(json!({}))).await;
        let fault = answer.unwrap_err();
        assert_eq!((&fault["error"], &fault["outcome"]), (&json!("TIMEOUT"), &json!(told)));
        assert_eq!(fault["may_have_applied"] == true, told == "may_have_applied", "{fault}");
        let (edit, cancel) = (editor.next().await, editor.next().await);
        assert_eq!(cancel["command"], "cmd_cancel");
        let question = editor.next().await;
        assert_eq!(question["params"]["operation_id"], edit["operation_id"]);
    }
}

#[tokio::test]
async fn two_editors_of_one_project_do_not_take_turns() {
    let rig = Rig::new();
    let (older, younger) = (identity("game"), identity("game"));
    let dial = |me: &Identity| ScriptedEditor::dial(&rig.directory, me.clone(), always(groups()));
    let mut changes = rig.gateway.editors.watch();
    let second = dial(&younger).await.unwrap();
    changes.changed().await.unwrap();
    // However often the older one asks, it is sent away and the younger one stays.
    for _ in 0..20 {
        let mut first = dial(&older).await.unwrap();
        let notice = first.next().await;
        assert_eq!(notice["command"], "cmd_peer_replaced");
        assert_eq!(notice["params"]["instance"], younger.instance);
        first.gone().await;
    }
    let connected = rig.gateway.editors.connected();
    assert_eq!(connected.len(), 1);
    assert_eq!(connected[0].identity().instance, younger.instance);
    drop(second);
}

/// Two clients with a gateway each, and one editor: every call is answered, in the order of its
/// client.
#[tokio::test]
async fn two_gateways_share_an_editor_and_each_keeps_its_order() {
    let (_root, directory) = place();
    let mut programs: Vec<_> = (0..2).map(|_| Program::start(directory.path(), &[], &[])).collect();
    let me = identity("game");
    let secret = directory.secret().unwrap();
    let mut editors = Vec::new();
    for gateway in directory.live_gateways().unwrap() {
        let script = |request: &Value| {
            let path = request["params"]["node_path"].clone();
            Reply::Ok(json!({"node_path": path, "groups": []}))
        };
        let dialed = ScriptedEditor::dial_at(&gateway, &secret, me.clone(), script).await;
        editors.push(dialed.unwrap());
    }
    assert_eq!(editors.len(), 2);
    let clients: Vec<_> = programs
        .drain(..)
        .enumerate()
        .map(|(client, mut program)| {
            tokio::task::spawn_blocking(move || {
                program.wait_for_editors(1);
                for n in 0..100 {
                    let path = format!("C{client}N{n}");
                    let answer = program.call(GROUPS, json!({"node_path": path})).unwrap();
                    assert_eq!(answer["node_path"], path);
                }
                program
            })
        })
        .collect();
    let mut programs = Vec::new();
    for client in clients {
        programs.push(client.await.unwrap());
    }
    for editor in &mut editors {
        let seen: Vec<String> = editor
            .rest()
            .iter()
            .map(|request| request["params"]["node_path"].as_str().unwrap().to_owned())
            .collect();
        let client = seen[0].chars().nth(1).unwrap();
        let expected: Vec<String> = (0..100).map(|n| format!("C{client}N{n}")).collect();
        assert_eq!(seen, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_gateway_meets_every_editor() {
    let (_root, directory) = place();
    let mut programs: Vec<_> = (0..3).map(|_| Program::start(directory.path(), &[], &[])).collect();
    let secret = directory.secret().unwrap();
    let mut editors = Vec::new();
    for name in ["a", "b", "c"] {
        let me = identity(name);
        for gateway in directory.live_gateways().unwrap() {
            let dialed =
                ScriptedEditor::dial_at(&gateway, &secret, me.clone(), always(groups())).await;
            editors.push(dialed.unwrap());
        }
    }
    assert_eq!(editors.len(), 9);
    for program in &mut programs {
        program.wait_for_editors(3);
        let fault = program.call(GROUPS, json!({"node_path": "."})).unwrap_err();
        assert_eq!(fault["required"], "editor_selection");
        assert_eq!(fault["candidates"].as_array().unwrap().len(), 3);
    }
    // One gateway killed: the others do not notice.
    drop(programs.remove(0));
    for program in &mut programs {
        program.wait_for_editors(3);
    }
    assert_eq!(directory.live_gateways().unwrap().len(), 2);
}

/// Strangers that can open the socket, and what they send.
#[tokio::test(flavor = "multi_thread")]
async fn broken_frames_and_strangers_disturb_nobody() {
    use std::{
        io::{Read, Write},
        os::unix::net::UnixStream,
    };
    let (_root, directory) = place();
    let mut program = Program::start(directory.path(), &[], &[]);
    let _editor =
        ScriptedEditor::dial(&directory, identity("game"), always(groups())).await.unwrap();
    program.wait_for_editors(1);
    let socket = directory.live_gateways().unwrap().remove(0).to_string();
    let deep = [b"[".repeat(10_000), b"]".repeat(10_000)].concat();
    let framed = |body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap();
        [&length.to_be_bytes()[..], body].concat()
    };
    let opening = json!({"role": "editor", "build": "1", "nonce": "0",
        "contract": {"min": 1, "max": 1}});
    let proof = [framed(opening.to_string().as_bytes()), framed(b"{\"proof\":\"00\"}")].concat();
    for (what, bytes, is_closed) in [
        ("an oversized header", vec![0xff; 4], true),
        ("more than a handshake needs", vec![0, 1, 0, 1], true),
        ("deep JSON", framed(&deep), true),
        ("no JSON", framed(b"hello"), true),
        ("a wrong proof", proof, true),
        ("half a frame", vec![0, 0, 1, 0, b'{'], false),
        ("nothing", vec![], false),
    ] {
        let mut stranger = UnixStream::connect(&socket).unwrap();
        stranger.write_all(&bytes).unwrap();
        if is_closed {
            stranger.set_read_timeout(Some(Duration::from_secs(4))).unwrap();
            let mut heard = Vec::new();
            // It may be closed before all was read, which resets it.
            let end = stranger.read_to_end(&mut heard);
            let is_end = end
                .as_ref()
                .map_or_else(|error| error.kind() == std::io::ErrorKind::ConnectionReset, |_| true);
            assert!(is_end, "{what}: {end:?}");
            let told = String::from_utf8_lossy(&heard);
            assert!(!told.contains("project") && !told.contains("instance"), "{what}: {told}");
        }
        let start = Instant::now();
        assert_eq!(program.call(GROUPS, json!({"node_path": "."})).unwrap(), groups(), "{what}");
        assert!(start.elapsed() < Duration::from_secs(1), "{what}");
        // Held open while the call was made.
        drop(stranger);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_answers_garbage_loses_only_that_call() {
    let (_root, directory) = place();
    let mut program = Program::start(directory.path(), &["--timeout", "0.3"], &[]);
    let secret = directory.secret().unwrap();
    let gateway = directory.live_gateways().unwrap().remove(0);
    let mut connection = dial(&gateway).await.unwrap();
    handshake(&mut connection, &secret, Role::Editor, &identity("game")).await.unwrap();
    tokio::spawn(async move {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        while let Some(frame) = connection.recv().await.ok().flatten() {
            let request: Value = serde_json::from_slice(&frame).unwrap();
            let id = &request["id"];
            let answer = match request["params"]["node_path"].as_str() {
                Some("deep") => format!(r#"{{"id":{id},"ok":true,"result":{deep}}}"#),
                Some("none") => "no JSON".to_owned(),
                Some("other") => r#"{"id":999,"ok":true,"result":{}}"#.to_owned(),
                _ => format!(r#"{{"id":{id},"ok":true,"result":{}}}"#, groups()),
            };
            connection.send(answer.into()).await.unwrap();
        }
    });
    program.wait_for_editors(1);
    for (path, error) in [("deep", "INTERNAL_ERROR"), ("none", "TIMEOUT"), ("other", "TIMEOUT")] {
        let fault = program.call(GROUPS, json!({"node_path": path})).unwrap_err();
        assert_eq!(fault["error"], error, "{fault}");
        assert_eq!(program.call(GROUPS, json!({"node_path": "."})).unwrap(), groups());
    }
    // Nor does a client that nests without end stop the program.
    program.line(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    ));
    assert_eq!(program.call(GROUPS, json!({"node_path": "."})).unwrap(), groups());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_reconnects_leave_nothing_behind() {
    let (_root, directory) = place();
    let mut program = Program::start(directory.path(), &[], &[]);
    let pid = program.pid();
    let count = |kind: &str| fs::read_dir(format!("/proc/{pid}/{kind}")).unwrap().count();
    let secret = directory.secret().unwrap();
    let gateway = directory.live_gateways().unwrap().remove(0);
    let me = identity("game");
    let mut before = (0, 0);
    // A few threads and files more are work on its way; what is left behind would be hundreds.
    let is_left = |now: (usize, usize), before: (usize, usize)| {
        now.0 > before.0 + 10 || now.1 > before.1 + 10
    };
    for round in 0..1000 {
        let dialed = ScriptedEditor::dial_at(&gateway, &secret, me.clone(), always(groups()));
        let _editor = dialed.await.unwrap();
        if round == 20 {
            before = (count("fd"), count("task"));
        }
    }
    let start = Instant::now();
    // The last connections end a moment after they were left.
    while is_left((count("fd"), count("task")), before) {
        assert!(start.elapsed() < Duration::from_secs(20), "{before:?}");
        program.call("health_check", json!({})).unwrap();
    }
    let _editor = ScriptedEditor::dial_at(&gateway, &secret, me, always(groups())).await.unwrap();
    program.wait_for_editors(1);
    assert_eq!(program.call(GROUPS, json!({"node_path": "."})).unwrap(), groups());
}

/// An editor that is stopped, as a debugger or a full disk stops it.
#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_falls_silent_is_told_apart() {
    let (_root, directory) = place();
    let mut program = Program::start(directory.path(), &["--timeout", "0.3"], &[]);
    let gateway = directory.live_gateways().unwrap().remove(0);
    let secret = directory.secret().unwrap();
    let mut connection = dial(&gateway).await.unwrap();
    handshake(&mut connection, &secret, Role::Editor, &identity("game")).await.unwrap();
    program.wait_for_editors(1);
    let start = Instant::now();
    let answer = program.call("scene_edit_create_node", create_node(json!({})));
    let fault = answer.unwrap_err();
    assert_eq!((&fault["error"], &fault["may_have_applied"]), (&json!("TIMEOUT"), &json!(true)));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    // A moment of silence is told as a number, and is no reason for alarm.
    let health = loop {
        let health = program.call("health_check", json!({})).unwrap();
        let silent = health["editors"][0]["silent_ms"].as_u64().unwrap();
        assert!(silent >= 300, "{health}");
        if silent >= 1_000 {
            break health;
        }
        assert_eq!(health.get("hint"), None, "{health}");
    };
    assert!(health["hint"].as_str().unwrap().contains("has not answered"), "{health}");
    drop(connection);
    program.wait_for_editors(0);
}

#[cfg(unix)]
#[test]
fn a_place_that_is_not_ours_alone_is_refused_and_left_as_it_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = tempfile::tempdir().unwrap();
    let open = root.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let alias = root.path().join("alias");
    symlink(&open, &alias).unwrap();
    let file = root.path().join("file");
    fs::write(&file, "mine").unwrap();
    for place in [&open, &alias, &file] {
        let mut program = Program::start(place, &[], &[]);
        let health = program.call("health_check", json!({})).unwrap();
        let error = health["bridge_bind_error"].as_str().unwrap();
        assert!(error.contains("not private"), "{error}");
        assert_eq!(health["bridge_connected"], false);
    }
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
    assert_eq!(fs::metadata(&open).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_tcp_the_token_is_all_that_counts() {
    let (_root, directory) = place();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("tcp://127.0.0.1:{port}");
    let variables = [("GODOT_MCP_BRIDGE_URL", url.as_str()), ("GODOT_MCP_BRIDGE_TOKEN", "our own")];
    let mut program = Program::start(directory.path(), &[], &variables);
    let health = loop {
        let health = program.call("health_check", json!({})).unwrap();
        assert_eq!(health.get("bridge_bind_error"), None);
        if health.get("bridge_tcp_url").is_some() {
            break health;
        }
    };
    assert_eq!(health["bridge_tcp_url"], url);
    let remote = |token: &str| {
        let variable =
            |name: &str| Some(if name == link::remote::URL { &url } else { token }.to_owned());
        match link::Remote::asked(variable).unwrap() {
            link::remote::Asked::Tcp(remote) => remote,
            other => panic!("{other:?}"),
        }
    };
    for (token, is_right) in [("another", false), ("our own", true)] {
        let remote = remote(token);
        let dialed = ScriptedEditor::dial_at(
            &remote.endpoint(),
            remote.secret(),
            identity("game"),
            always(groups()),
        )
        .await;
        assert_eq!(dialed.is_ok(), is_right);
        if let Ok(_editor) = dialed {
            program.wait_for_editors(1);
            assert_eq!(program.call(GROUPS, json!({"node_path": "."})).unwrap(), groups());
        }
    }
}
