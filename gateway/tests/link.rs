//! Editors that come, go, are slow, or are not the right one.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod support;

use std::time::{Duration, Instant};

use gateway::{brief::MAX_ANSWER, caller::Caller, link::selection::Wanted};
use link::{ContractRange, HandshakeError};
use protocol::Fault;
use serde_json::{Value, json};
use support::{Reply, Rig, ScriptedEditor, Setup, always, create_node, identity};
use tokio_util::sync::CancellationToken;

fn groups() -> Value {
    json!({ "node_path": ".", "groups": ["enemies"] })
}

#[tokio::test]
async fn a_call_without_an_editor_fails_at_once_and_says_where_it_looked() {
    let rig = Rig::new();
    let start = Instant::now();
    let fault = rig.call("inspection_get_active_scene", json!({})).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    assert_eq!(
        (&fault["error"], &fault["required"]),
        (&json!("BRIDGE_DISCONNECTED"), &json!("bridge_connected"))
    );
    let place = rig.gateway.editors.address();
    assert!(place.ends_with(".sock"));
    assert!(fault["hint"].as_str().unwrap().contains(&place), "{fault}");
}

#[tokio::test]
async fn an_editor_that_is_alive_is_waited_for() {
    let rig = Rig::new();
    let _presence = rig.directory.announce_editor("/projects/game").unwrap();
    let call = rig.call("inspection_get_node_groups", json!({"node_path": "."}));
    let connect = ScriptedEditor::dial(&rig.directory, identity("game"), always(groups()));
    let (answer, _editor) = tokio::join!(call, connect);
    assert_eq!(answer.unwrap(), groups());
}

#[tokio::test(start_paused = true)]
async fn but_not_for_long() {
    let rig = Rig::new();
    let _presence = rig.directory.announce_editor("/projects/game").unwrap();
    let start = tokio::time::Instant::now();
    let fault = rig.call("inspection_get_active_scene", json!({})).await.unwrap_err();
    assert_eq!(fault["error"], "BRIDGE_DISCONNECTED");
    assert!(fault["hint"].as_str().unwrap().contains("has not connected yet"), "{fault}");
    assert!(start.elapsed() <= Duration::from_millis(1100));
}

/// Calls that get no answer: arguments of a tool, whether it may have been applied.
#[tokio::test]
async fn a_timeout_says_what_became_of_the_call_and_withdraws_it() {
    let rig = Rig::with(Setup { timeout: Duration::from_millis(30), ..Setup::default() });
    let mut editor = rig.editor("game", |_| Reply::Silence).await;
    for (tool, arguments, outcome) in [
        ("inspection_get_node_groups", json!({"node_path": "."}), "not_applied"),
        ("scene_edit_create_node", create_node(json!({"dry_run": true})), "not_applied"),
        ("scene_edit_create_node", create_node(json!({})), "may_have_applied"),
    ] {
        let fault = rig.call(tool, arguments).await.unwrap_err();
        assert_eq!((&fault["error"], &fault["outcome"]), (&json!("TIMEOUT"), &json!(outcome)));
        assert_eq!(fault["may_have_applied"] == true, outcome == "may_have_applied");
        let (request, cancel) = (editor.next().await, editor.next().await);
        assert_eq!(request["deadline_ms"], 30);
        assert_eq!(cancel["command"], "cmd_cancel");
        assert_eq!(cancel["params"]["id"], request["id"]);
    }
}

#[tokio::test]
async fn a_cancelled_call_is_withdrawn() {
    let rig = Rig::new();
    let mut editor = rig.editor("game", |_| Reply::Silence).await;
    let cancel = CancellationToken::new();
    let call = rig.call_until("scene_edit_create_node", create_node(json!({})), &cancel);
    let (fault, request) = tokio::join!(call, async {
        let request = editor.next().await;
        cancel.cancel();
        request
    });
    assert_eq!(fault.unwrap_err()["outcome"], "may_have_applied");
    let withdrawn = editor.next().await;
    assert_eq!(
        (&withdrawn["command"], &withdrawn["params"]["id"]),
        (&json!("cmd_cancel"), &request["id"])
    );
}

#[tokio::test]
async fn an_editor_lost_in_mid_call_is_told_apart_from_one_that_was_never_there() {
    let rig = Rig::new();
    for (tool, arguments, outcome) in [
        ("inspection_get_node_groups", json!({"node_path": "."}), "not_applied"),
        ("scene_edit_create_node", create_node(json!({})), "may_have_applied"),
    ] {
        let mut changes = rig.gateway.editors.watch();
        let _editor = rig.editor("game", |_| Reply::HangUp).await;
        changes.mark_unchanged();
        let fault = rig.call(tool, arguments).await.unwrap_err();
        let told = (&fault["error"], &fault["required"], &fault["outcome"]);
        assert_eq!(
            told,
            (&json!("BRIDGE_DISCONNECTED"), &json!("bridge_connected"), &json!(outcome))
        );
        if rig.gateway.editors.connected().len() == 1 {
            changes.changed().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_late_answer_goes_to_nobody() {
    let rig = Rig::with(Setup { timeout: Duration::from_millis(30), ..Setup::default() });
    let slow = |request: &Value| match request["command"].as_str() {
        Some("cmd_get_node_groups") => Reply::Silence,
        _ => Reply::Ok(json!({"is_open": false, "dirty_known": true})),
    };
    let _editor = rig.editor("game", slow).await;
    rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap_err();
    let scene = rig.call("inspection_get_active_scene", json!({})).await.unwrap();
    assert_eq!(scene["is_open"], false);
}

#[tokio::test]
async fn an_answer_that_breaks_the_contract_is_an_error() {
    let rig = Rig::new();
    let _editor = rig.editor("game", always(json!({"node_path": 1}))).await;
    let fault =
        rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap_err();
    assert_eq!(fault["error"], "INTERNAL_ERROR");
    assert!(fault["hint"].as_str().unwrap().contains("broke the contract"), "{fault}");
}

#[tokio::test]
async fn a_read_that_is_too_long_is_an_error_and_an_edit_is_told_in_part() {
    let rig = Rig::new();
    // Many texts, none of which is long.
    let many = vec!["x".repeat(100); 300];
    let script = move |request: &Value| match request["command"].as_str() {
        Some("cmd_create_node") => Reply::Ok(json!({
            "node_path": "A", "created": true, "dry_run": false, "warnings": many,
        })),
        _ => Reply::Ok(json!({"node_path": ".", "groups": many})),
    };
    let _editor = rig.editor("game", script).await;
    let read = rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap_err();
    assert_eq!((&read["error"], read.get("outcome")), (&json!("RESPONSE_TOO_LARGE"), None));
    let edit = rig.call("scene_edit_create_node", create_node(json!({}))).await.unwrap();
    assert_eq!((&edit["created"], &edit["truncated"]), (&json!(true), &json!(true)));
    assert!(edit.to_string().len() <= MAX_ANSWER);
}

/// Texts within an answer: their length, and whether they are cut.
#[tokio::test]
async fn a_long_text_within_an_answer_is_told_in_part() {
    for (length, other, is_cut) in
        [(20_000, 1_000, false), (30_000, 1_000, true), (30_000, 1_001, true), (3_000_000, 1, true)]
    {
        let rig = Rig::new();
        let (long, short) = ("ä".repeat(length), "ö".repeat(other));
        let result = json!({"node_path": ".", "groups": [long, short]});
        let _editor = rig.editor("game", always(result)).await;
        let answer =
            rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap();
        let part = format!("{}… ({length} characters in all)", "ä".repeat(1_000));
        assert_eq!(answer["groups"][0], if is_cut { part } else { long }, "{length}");
        assert_eq!(answer["groups"][1].as_str() == Some(&short), other <= 1_000, "{other}");
        assert_eq!(answer.get("truncated"), is_cut.then_some(&json!(true)));
    }
}

/// An edit that was made is told as one, however long what it wrote.
#[tokio::test]
async fn an_edit_with_a_long_text_is_a_success() {
    let rig = Rig::new();
    let result = json!({
        "node_path": ".", "property": "text", "previous": "", "value": "x".repeat(30_000),
        "set": true, "dry_run": false,
    });
    let _editor = rig.editor("game", always(result)).await;
    let arguments = json!({"node_path": ".", "property": "text", "value": "x".repeat(30_000)});
    let answer = rig.call("scene_edit_set_node_property", arguments).await.unwrap();
    assert_eq!(answer["truncated"], true);
    assert!(answer["value"].as_str().unwrap().ends_with("x… (30000 characters in all)"));
}

#[tokio::test]
async fn where_no_contract_is_shared_the_health_check_says_both_versions() {
    let rig = Rig::new();
    let mut me = identity("game");
    (me.build, me.contract) = ("9.9.9".to_owned(), ContractRange { min: 90, max: 99 });
    let refused = ScriptedEditor::dial(&rig.directory, me, always(json!({}))).await;
    assert!(matches!(refused, Err(HandshakeError::Version { .. })));
    // The gateway's side of the handshake may end a moment later.
    let health = loop {
        let health = rig.call("health_check", json!({})).await.unwrap();
        if health.get("version_notice").is_some() {
            break health;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(health["bridge_connected"], false);
    for part in ["90 to 99", "9.9.9", "contract 1 to 1"] {
        assert!(health["version_notice"].as_str().unwrap().contains(part), "{health}");
        assert!(health["hint"].as_str().unwrap().contains(part), "{health}");
    }
    let fault = rig.call("inspection_get_active_scene", json!({})).await.unwrap_err();
    assert!(fault["hint"].as_str().unwrap().contains("9.9.9"), "{fault}");
}

/// Which editor a call goes to: what was wanted, who is connected, who gets it or the error.
#[tokio::test]
async fn the_right_editor_or_none() {
    let named = |name: &str| Wanted::Named(format!("/projects/{name}").into());
    let nearby = |name: &str| Wanted::Nearby(format!("/projects/{name}").into());
    for (wanted, connected, expected) in [
        (Wanted::Any, &["a"][..], Ok("a")),
        (Wanted::Any, &["a", "b"], Err("editor_selection")),
        (named("b"), &["a", "b"], Ok("b")),
        (named("c"), &["a", "b"], Err("bridge_connected")),
        (named("c"), &["a"], Err("bridge_connected")),
        (nearby("a"), &["a", "b"], Ok("a")),
        (nearby("c"), &["a"], Ok("a")),
        (nearby("c"), &["a", "b"], Err("editor_selection")),
    ] {
        let case = format!("{wanted:?} {connected:?}");
        let rig = Rig::with(Setup { wanted, ..Setup::default() });
        let mut editors = Vec::new();
        for &name in connected {
            let answer = json!({"node_path": ".", "groups": [name]});
            editors.push(rig.editor(name, always(answer)).await);
        }
        let answer = rig.call("inspection_get_node_groups", json!({"node_path": "."})).await;
        match (answer, expected) {
            (Ok(answer), Ok(name)) => assert_eq!(answer["groups"], json!([name]), "{case}"),
            (Err(fault), Err(required)) => {
                assert_eq!(fault["required"], required, "{case}: {fault}");
                let candidates = fault["candidates"].as_array().unwrap();
                assert_eq!(candidates.len(), connected.len(), "{case}: {fault}");
                assert_eq!(candidates[0]["project_path"], "/projects/a");
            }
            (answer, _) => panic!("{case}: {answer:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_nearby_project_that_is_open_is_not_passed_over() {
    let wanted = Wanted::Nearby("/projects/mine".into());
    let rig = Rig::with(Setup { wanted, ..Setup::default() });
    let _presence = rig.directory.announce_editor("/projects/mine").unwrap();
    let mut other = rig.editor("other", always(groups())).await;
    let fault =
        rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap_err();
    assert_eq!(fault["error"], "BRIDGE_DISCONNECTED");
    assert_eq!(other.rest().len(), 0);
}

#[tokio::test]
async fn the_newer_editor_of_a_project_takes_over() {
    let rig = Rig::new();
    let mut old = rig.editor("game", always(json!({"node_path": ".", "groups": ["old"]}))).await;
    let _new = rig.editor("game", always(json!({"node_path": ".", "groups": ["new"]}))).await;
    assert_eq!(old.next().await["command"], "cmd_peer_replaced");
    let answer = rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap();
    assert_eq!(answer["groups"], json!(["new"]));
    old.gone().await;
}

/// What editors and the client do, one after the other, and what the client hears of it. `A+`: the
/// older editor dials; `A-`: it hangs up; `read`, `plan` and `edit`: a call, and who answers it.
#[tokio::test]
async fn a_change_is_refused_once_after_another_editor_took_over() {
    for steps in [
        // The younger one takes over, and a read or a preview is no harm.
        "A+ edit=A B+ read=B plan=B told edit=! quiet edit=B edit=B",
        // A read is a call as well.
        "A+ read=A B+ edit=! edit=B",
        // Whose calls went nowhere has nothing to be told.
        "A+ B+ quiet edit=B",
        // The older one comes back.
        "A+ B+ edit=B B- A+ told edit=! edit=A",
        "A+ edit=A B+ edit=! edit=B B- A+ edit=! edit=A",
        // And finds everything as it was.
        "A+ edit=A B+ B- A+ quiet edit=A",
        // A restart, and a connection that was lost.
        "A+ edit=A A- B+ quiet edit=B",
        "A+ edit=A A- A+ quiet edit=A",
    ] {
        let rig = Rig::new();
        let (older, mut younger) = (identity("game"), identity("game"));
        younger.pid = older.pid + 1;
        let mut editors: [Option<ScriptedEditor>; 2] = [None, None];
        for step in steps.split(' ') {
            let index = usize::from(step.starts_with('B'));
            let me = [&older, &younger][index];
            match step {
                "A+" | "B+" => {
                    let mut changes = rig.gateway.editors.watch();
                    let name = step[..1].to_owned();
                    let script = move |request: &Value| match request["command"].as_str() {
                        Some("cmd_get_node_groups") => {
                            Reply::Ok(json!({"node_path": ".", "groups": [name]}))
                        }
                        _ => {
                            Reply::Ok(json!({"node_path": name, "created": true, "dry_run": false}))
                        }
                    };
                    let dialed = ScriptedEditor::dial(&rig.directory, me.clone(), script).await;
                    editors[index] = Some(dialed.unwrap());
                    changes.changed().await.unwrap();
                }
                "A-" | "B-" => {
                    editors[index] = None;
                    while !rig.gateway.editors.connected().is_empty() {
                        tokio::task::yield_now().await;
                    }
                }
                "told" | "quiet" => {
                    let health = rig.call("health_check", json!({})).await.unwrap();
                    let hint = health["hint"].as_str().unwrap_or_default();
                    assert_eq!(hint.contains("took over"), step == "told", "{steps}: {health}");
                }
                _ => {
                    let (call, expected) = step.split_once('=').unwrap();
                    let (tool, arguments) = match call {
                        "read" => ("inspection_get_node_groups", json!({"node_path": "."})),
                        call => (
                            "scene_edit_create_node",
                            create_node(json!({"dry_run": call == "plan"})),
                        ),
                    };
                    match rig.call(tool, arguments).await {
                        Ok(answer) => {
                            let by = answer.pointer("/groups/0").unwrap_or(&answer["node_path"]);
                            assert_eq!(by, expected, "{steps}: {step}");
                        }
                        Err(fault) => {
                            assert_eq!((&fault["error"], expected), (&json!("PEER_REPLACED"), "!"));
                            assert_eq!(fault["outcome"], "not_applied");
                            let pid = rig.gateway.editors.connected()[0].identity().pid;
                            assert_eq!(fault["pid"], pid, "{steps}: {step}");
                            let hint = fault["hint"].as_str().unwrap();
                            assert!(hint.contains(&format!("pid {pid}")), "{hint}");
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn an_editor_that_dials_again_has_not_been_replaced() {
    let rig = Rig::new();
    let me = identity("game");
    let mut changes = rig.gateway.editors.watch();
    let dial = |me| ScriptedEditor::dial(&rig.directory, me, always(groups()));
    let mut first = dial(me.clone()).await.unwrap();
    changes.changed().await.unwrap();
    let _second = dial(me).await.unwrap();
    first.gone().await;
    assert_eq!(first.rest(), Vec::<Value>::new());
    rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap();
}

#[tokio::test]
async fn calls_arrive_in_the_order_in_which_they_were_made() {
    let rig = Rig::new();
    let mut editor = rig.editor("game", always(groups())).await;
    let calls = (0..100).map(|n| {
        let path = format!("N{n}");
        let gateway = rig.gateway.clone();
        tokio::spawn(async move {
            let arguments = json!({"node_path": path}).as_object().cloned().unwrap();
            let caller = Caller::default();
            gateway::call::call(&gateway, protocol::Tool::GetNodeGroups, arguments, &caller).await
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    let arrived: Vec<Value> =
        editor.rest().into_iter().map(|r| r["params"]["node_path"].clone()).collect();
    let made: Vec<Value> = (0..100).map(|n| json!(format!("N{n}"))).collect();
    assert_eq!(arrived, made);
}

#[tokio::test]
async fn the_server_tells_about_the_editor() {
    let rig = Rig::new();
    let script = |request: &Value| match request["command"].as_str() {
        Some("cmd_get_active_scene") => {
            Reply::Ok(json!({"is_open": true, "path": "res://a.tscn", "dirty_known": false}))
        }
        _ => Reply::Fault(Fault::internal("no")),
    };
    let mut me = identity("game");
    me.project.as_mut().unwrap().commands.retain(|command| command != "cmd_undo");
    let mut changes = rig.gateway.editors.watch();
    let _editor = ScriptedEditor::dial(&rig.directory, me, script).await.unwrap();
    changes.changed().await.unwrap();

    let info = rig.call("get_server_info", json!({})).await.unwrap();
    assert_eq!(info["active_scene"], "res://a.tscn");
    assert_eq!(info["bridge"]["project_path"], "/projects/game");
    assert!(info["addon_drift_warning"].as_str().unwrap().contains("cmd_undo"));
    assert_eq!(info["common_errors"].as_array().unwrap().len(), 8);
    let health = rig.call("health_check", json!({})).await.unwrap();
    assert_eq!(health["editors"][0]["selected"], true);
    assert_eq!(health.get("hint"), None);
}

#[tokio::test]
async fn resources_are_read_as_text() {
    let rig = Rig::new();
    let mut editor = rig.editor("game", always(json!({"total": 0, "tree": null}))).await;
    let tree = rig.call("read_resource", json!({"uri": "godot://scene/tree/2"})).await.unwrap();
    assert_eq!(tree["result"], r#"{"total":0,"tree":null}"#);
    assert_eq!(editor.next().await["params"]["max_depth"], 2);
}

#[tokio::test]
async fn snapshots_are_kept_and_compared() {
    let rig = Rig::new();
    let count = std::sync::atomic::AtomicI64::new(0);
    let script = move |_: &Value| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Reply::Ok(json!({
            "node_path": "A",
            "node_count": 1,
            "snapshot": {"A": {"type": "Node", "properties": {"n": n}}},
        }))
    };
    let mut editor = rig.editor("game", script).await;
    let question = json!({"node_path": "A", "properties": ["n"], "max_depth": 1});
    let first = rig.call("inspection_snapshot_subtree", question.clone()).await.unwrap();
    let second = rig.call("inspection_snapshot_subtree", question).await.unwrap();
    assert_eq!((&first["snapshot_id"], &second["snapshot_id"]), (&json!("s1"), &json!("s2")));
    assert_eq!(first["truncated"], false);

    let between = json!({"before_id": "s1", "after_id": "s2"});
    let diff = rig.call("inspection_diff_snapshots", between).await.unwrap();
    let change = json!({"node": "A", "property": "n", "before": 0, "after": 1});
    assert_eq!((&diff["changed"], &diff["total"]), (&json!([change]), &json!(1)));

    editor.rest();
    let now = rig.call("inspection_diff_snapshots", json!({"before_id": "s1"})).await.unwrap();
    assert_eq!(now["changed"][0]["after"], 2);
    let asked = &editor.next().await["params"];
    assert_eq!(asked, &json!({"node_path": "A", "properties": ["n"], "max_depth": 1}));
}

#[tokio::test]
async fn a_long_snapshot_is_kept_but_not_sent() {
    let rig = Rig::new();
    let facts = json!({".": {"type": "x".repeat(30_000), "properties": {}}});
    let answer = json!({"node_path": ".", "node_count": 1, "snapshot": facts});
    let _editor = rig.editor("game", always(answer)).await;
    let taken = rig.call("inspection_snapshot_subtree", json!({})).await.unwrap();
    assert_eq!((taken.get("snapshot"), &taken["truncated"]), (None, &json!(true)));
    let diff = rig.call("inspection_diff_snapshots", json!({"before_id": "s1"})).await.unwrap();
    assert_eq!(diff["total"], 0);
}
