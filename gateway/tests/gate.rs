//! What is refused before anything is sent, and what is sent for what is admitted.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod support;

use std::sync::{Arc, Mutex};

use gateway::{
    approval::{Answer, Approver, Question},
    safety::SafetyClass,
};
use protocol::{Fault, Required, Toolset};
use serde_json::{Value, json};
use support::{Reply, Rig, Setup, always, create_node, node_created};

/// Calls that must not reach the editor: tool, arguments, error, required, part of the hint.
#[tokio::test]
async fn refusals() {
    let rig = Rig::new();
    let mut editor = rig.editor("game", always(node_created())).await;
    let delete = |flags: Value| {
        let mut arguments = json!({ "node_path": "A" });
        arguments.as_object_mut().unwrap().extend(flags.as_object().cloned().unwrap());
        arguments
    };
    let invalid = "VALIDATION_ERROR";
    for (tool, arguments, error, required, hint) in [
        // Flags that decide about safety are never guessed.
        (
            "scene_edit_create_node",
            create_node(json!({"dry_run": "off"})),
            invalid,
            "dry_run",
            "boolean",
        ),
        (
            "scene_edit_create_node",
            create_node(json!({"dry_run": 0})),
            invalid,
            "dry_run",
            "boolean",
        ),
        (
            "scene_edit_create_node",
            create_node(json!({"dry_run": "False"})),
            invalid,
            "dry_run",
            "boolean",
        ),
        (
            "scene_edit_create_node",
            create_node(json!({"dry_run": null})),
            invalid,
            "dry_run",
            "boolean",
        ),
        ("scene_edit_delete_node", delete(json!({"confirm": 1})), invalid, "confirm", "boolean"),
        (
            "scene_edit_delete_node",
            delete(json!({"confirm": "yes"})),
            invalid,
            "confirm",
            "boolean",
        ),
        ("scene_edit_create_node", create_node(json!({"confirm": true})), invalid, "", "unknown"),
        (
            "inspection_get_node_groups",
            json!({"node_path": ".", "dry_run": true}),
            invalid,
            "",
            "unknown",
        ),
        // A destructive call needs confirm.
        ("scene_edit_delete_node", delete(json!({})), "PRECONDITION_FAILED", "confirm", "dry_run"),
        (
            "scene_edit_delete_node",
            delete(json!({"confirm": false})),
            "PRECONDITION_FAILED",
            "confirm",
            "confirm",
        ),
        ("scene_edit_close_scene", json!({}), "PRECONDITION_FAILED", "confirm", "confirm"),
        // Paths cannot leave the scene or the project.
        (
            "inspection_get_node_groups",
            json!({"node_path": "/root/A"}),
            invalid,
            "node_path",
            "absolute",
        ),
        (
            "inspection_get_node_groups",
            json!({"node_path": "A/../.."}),
            invalid,
            "node_path",
            "climbs",
        ),
        (
            "scene_edit_open_scene",
            json!({"scene_path": "/etc/passwd"}),
            invalid,
            "scene_path",
            "res://",
        ),
        (
            "scene_edit_open_scene",
            json!({"scene_path": "res://../x.tscn"}),
            invalid,
            "scene_path",
            "leaves",
        ),
        (
            "scene_edit_open_scene",
            json!({"scene_path": "uid://b1"}),
            invalid,
            "scene_path",
            "res://",
        ),
        (
            "scene_edit_select_nodes",
            json!({"node_paths": ["A", "/B"]}),
            invalid,
            "node_paths",
            "node_paths/1",
        ),
        (
            "scene_edit_create_node",
            create_node(json!({"scene": "main.tscn"})),
            invalid,
            "scene",
            "res://",
        ),
        // Bounds and types.
        ("undo", json!({"count": 0}), invalid, "count", "at least 1"),
        ("undo", json!({"count": 1.5}), invalid, "count", "integer"),
        (
            "inspection_get_scene_tree",
            json!({"max_depth": -2}),
            invalid,
            "max_depth",
            "at least -1",
        ),
        (
            "inspection_get_scene_tree",
            json!({"max_depth": "deep"}),
            invalid,
            "max_depth",
            "integer",
        ),
        ("inspection_get_scene_tree", json!({"depth": 2}), invalid, "", "did you mean 'max_depth'"),
        ("inspection_list_scenes", json!({"offset": -1}), invalid, "offset", "at least 0"),
        ("health_check", json!({"verbose": true}), invalid, "", "no parameters"),
        ("inspection_get_node_property", json!({"node_path": "."}), invalid, "property", "missing"),
        // Toolsets.
        (
            "enable_toolset",
            json!({"category": "scene_edt"}),
            invalid,
            "category",
            "did you mean 'scene_edit'",
        ),
        ("enable_toolset", json!({"category": ""}), invalid, "category", "names no toolset"),
        ("disable_toolset", json!({"category": "core"}), invalid, "category", "cannot be disabled"),
        ("disable_toolset", json!({"category": "all"}), invalid, "category", "cannot be disabled"),
        // Things that the gateway keeps.
        (
            "read_resource",
            json!({"uri": "godot://nothing"}),
            "RESOURCE_NOT_FOUND",
            "",
            "godot://scene/current",
        ),
        ("inspection_diff_snapshots", json!({"before_id": "s9"}), "RESOURCE_NOT_FOUND", "", "s9"),
    ] {
        let fault = rig.call(tool, arguments.clone()).await.unwrap_err();
        let told =
            (fault["error"].as_str().unwrap(), fault["required"].as_str().unwrap_or_default());
        assert_eq!(told, (error, required), "{tool} {arguments}: {fault}");
        assert!(fault["hint"].as_str().unwrap().contains(hint), "{tool} {arguments}: {fault}");
    }
    assert_eq!(editor.rest(), Vec::<Value>::new(), "something was sent");
}

#[tokio::test]
async fn all_problems_are_told_at_once() {
    let rig = Rig::new();
    let arguments =
        json!({ "parent_path": "/root", "node_typ": "Node2D", "dry_run": "off", "scene": "x" });
    let fault = rig.call("scene_edit_create_node", arguments).await.unwrap_err();
    let problems = fault["problems"].as_array().unwrap();
    let mut at: Vec<&str> =
        problems.iter().map(|problem| problem["at"].as_str().unwrap()).collect();
    at.sort_unstable();
    assert_eq!(at, ["dry_run", "node_name", "node_typ", "node_type", "parent_path", "scene"]);
    assert_eq!(fault.get("required"), None);
    for part in ["did you mean 'node_type'", "node_name: is required", "absolute"] {
        assert!(fault["hint"].as_str().unwrap().contains(part), "{fault}");
    }
}

/// What is refused is not sent back whole: arguments of a tool, and what the hint still says.
#[tokio::test]
async fn no_refusal_is_longer_than_an_answer_may_be() {
    let rig = Rig::new();
    let long = "x".repeat(1_000_000);
    let many: Value = (0..5_000).map(|n| (format!("unknown_{n}"), json!(n))).collect();
    let escaped = "\u{1}".repeat(100_000);
    for (tool, arguments, hint) in [
        ("inspection_get_node_groups", json!({"node_path": ".", long.clone(): 1}), "node_path"),
        ("inspection_get_node_groups", json!({"node_path": format!("/{long}")}), "was not run"),
        ("inspection_get_scene_tree", json!({"max_depth": long}), "integer"),
        ("inspection_get_scene_tree", many, "unknown_0"),
        ("read_resource", json!({"uri": long}), "There is no resource"),
        ("read_resource", json!({"uri": escaped}), "There is no resource"),
        ("enable_toolset", json!({"category": long}), "xxx"),
        ("inspection_diff_snapshots", json!({"before_id": long}), "xxx"),
    ] {
        let fault = rig.call(tool, arguments).await.unwrap_err();
        let length = fault.to_string().chars().count();
        assert!(length <= 25_000, "{tool}: {length}");
        assert!(fault["hint"].as_str().unwrap().contains(hint), "{tool}: {fault}");
    }
}

/// The same for what an editor has against a call.
#[tokio::test]
async fn nor_is_a_fault_of_the_editor() {
    let rig = Rig::new();
    let long = "x".repeat(100_000);
    let fault = Fault::not_found(&long)
        .with("outcome", "not_applied")
        .with("given", json!({"text": long, "names": [long, "short"]}))
        .with("candidates", vec![&long[..900]; 1_000]);
    let _editor = rig.editor("game", move |_| Reply::Fault(fault.clone())).await;
    let fault =
        rig.call("inspection_get_node_groups", json!({"node_path": "."})).await.unwrap_err();
    assert!(fault.to_string().chars().count() <= 25_000);
    assert!(fault["hint"].as_str().unwrap().ends_with("x… (100000 characters in all)"), "{fault}");
    assert_eq!(fault["given"]["names"][1], "short");
    assert!(fault["candidates"].as_array().unwrap().len() < 30);
    assert_eq!((&fault["truncated"], &fault["outcome"]), (&json!(true), &json!("not_applied")));
}

#[tokio::test]
async fn arguments_that_are_too_deep_or_too_long_are_refused() {
    let rig = Rig::new();
    let deep = (0..100).fold(json!(1), |value, _| json!([value]));
    let long = json!("x".repeat(9 * 1024 * 1024));
    for (value, hint) in [(deep, "deeper"), (long, "longer")] {
        let arguments = json!({ "node_path": ".", "property": "name", "value": value });
        let fault = rig.call("scene_edit_set_node_property", arguments).await.unwrap_err();
        assert_eq!(fault["error"], "VALIDATION_ERROR");
        assert!(fault["hint"].as_str().unwrap().contains(hint), "{fault}");
    }
}

/// What clients send, and what the editor gets: tool, arguments, parameters on the link.
#[tokio::test]
async fn lenient_where_no_meaning_is_lost() {
    let rig = Rig::new();
    let mut editor = rig.editor("game", always(json!({}))).await;
    let set = |value: Value| json!({ "node_path": "", "property": "p", "value": value });
    let sent = |value: Value| json!({ "node_path": ".", "property": "p", "value": value });
    for (tool, given, expected) in [
        (
            "inspection_get_scene_tree",
            json!({"max_depth": "4.0", "lightweight": "true"}),
            json!({"max_depth": 4, "lightweight": true}),
        ),
        (
            "inspection_get_scene_tree",
            json!({"max_depth": 3.0}),
            json!({"max_depth": 3, "lightweight": false}),
        ),
        (
            "inspection_get_scene_tree",
            json!({"max_depth": null, "cursor": null}),
            json!({"max_depth": -1, "lightweight": false}),
        ),
        (
            "scene_edit_select_nodes",
            json!({"node_paths": "[\"A/\", \"./B\"]"}),
            json!({"node_paths": ["A", "B"]}),
        ),
        ("scene_edit_set_node_property", set(json!("007")), sent(json!("007"))),
        ("scene_edit_set_node_property", set(json!("true")), sent(json!("true"))),
        ("scene_edit_set_node_property", set(json!("[1]")), sent(json!("[1]"))),
        ("scene_edit_set_node_property", set(json!(null)), sent(json!(null))),
        (
            "scene_edit_set_node_property",
            set(json!(9_007_199_254_740_993_i64)),
            sent(json!(9_007_199_254_740_993_i64)),
        ),
        (
            "scene_edit_open_scene",
            json!({"scene_path": "res://a/../b.tscn"}),
            json!({"scene_path": "res://b.tscn"}),
        ),
        (
            "undo",
            json!({"count": "2"}),
            json!({"count": 2, "only_agent": false, "skip_changed_files": false}),
        ),
    ] {
        // The script's answer fits none of the tools; only what was sent matters here.
        let _ = rig.call(tool, given.clone()).await;
        assert_eq!(editor.next().await["params"], expected, "{tool} {given}");
    }
}

/// Flags as they are sent, and the frame that the editor gets: command, confirm, scene.
#[tokio::test]
async fn flags_travel_in_the_envelope() {
    let rig = Rig::new();
    let mut editor = rig.editor("game", always(json!({}))).await;
    let node = |flags: Value| create_node(flags);
    let scene = |flags: Value| {
        let mut arguments = json!({ "root_type": "Node", "scene_path": "res://a.tscn" });
        arguments.as_object_mut().unwrap().extend(flags.as_object().cloned().unwrap());
        arguments
    };
    for (tool, given, command, confirm, guard) in [
        ("scene_edit_create_node", node(json!({})), "cmd_create_node", json!(null), json!(null)),
        (
            "scene_edit_create_node",
            node(json!({"dry_run": false})),
            "cmd_create_node",
            json!(null),
            json!(null),
        ),
        (
            "scene_edit_create_node",
            node(json!({"dry_run": "true"})),
            "cmd_plan",
            json!(null),
            json!(null),
        ),
        (
            "scene_edit_create_node",
            node(json!({"scene": "res://b.tscn"})),
            "cmd_create_node",
            json!(null),
            json!("res://b.tscn"),
        ),
        (
            "scene_edit_create_node",
            node(json!({"scene": ""})),
            "cmd_create_node",
            json!(null),
            json!(""),
        ),
        ("scene_edit_create_scene", scene(json!({})), "cmd_create_scene", json!(null), json!(null)),
        (
            "scene_edit_create_scene",
            scene(json!({"confirm": true})),
            "cmd_create_scene",
            json!(true),
            json!(null),
        ),
        (
            "scene_edit_create_scene",
            scene(json!({"confirm": true, "dry_run": true})),
            "cmd_plan",
            json!(true),
            json!(null),
        ),
        (
            "scene_edit_delete_node",
            json!({"node_path": "A", "confirm": "true"}),
            "cmd_delete_node",
            json!(true),
            json!(null),
        ),
        (
            "scene_edit_delete_node",
            json!({"node_path": "A", "dry_run": true}),
            "cmd_plan",
            json!(null),
            json!(null),
        ),
        (
            "undo",
            json!({"scene": "res://b.tscn", "dry_run": true}),
            "cmd_plan",
            json!(null),
            json!("res://b.tscn"),
        ),
    ] {
        let _ = rig.call(tool, given.clone()).await;
        let frame = editor.next().await;
        let told =
            (frame["command"].as_str().unwrap(), frame["confirm"].clone(), frame["scene"].clone());
        assert_eq!(told, (command, confirm, guard), "{tool} {given}");
        assert_eq!(frame["deadline_ms"], 10_000);
        let text = frame["params"].to_string();
        assert!(!text.contains("dry_run") && !text.contains("confirm"), "{text}");
        if command == "cmd_plan" {
            assert!(frame["params"]["command"].as_str().unwrap().starts_with("cmd_"), "{frame}");
        }
    }
    assert_eq!(editor.rest().len(), 0, "one call, one round trip");
}

#[tokio::test]
async fn a_tool_that_is_off_says_which_call_enables_it() {
    let rig = Rig::with(Setup { toolsets: None, ..Setup::default() });
    let mut changes = rig.gateway.gate.toolsets.watch();
    let fault = rig.call("scene_edit_create_node", json!({"nonsense": 1})).await.unwrap_err();
    assert_eq!(
        (&fault["error"], &fault["required"]),
        (&json!("PRECONDITION_FAILED"), &json!("toolset"))
    );
    assert!(
        fault["hint"]
            .as_str()
            .unwrap()
            .contains(r#"godot_enable_toolset {"category":"scene_edit"}"#)
    );

    let call = &fault["call"];
    assert_eq!(call["name"], "godot_enable_toolset");
    let enabled = rig.call("enable_toolset", call["arguments"].clone()).await.unwrap();
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    let tools = enabled["tools"].as_array().unwrap();
    assert_eq!(
        (tools.len(), &enabled["min_godot"]),
        (Toolset::SceneEdit.tools().count(), &json!("4.4"))
    );
    assert!(tools.iter().all(|tool| tool["input_schema"]["type"] == "object"));

    // It is on, so the next refusal is about something else.
    let fault = rig.call("scene_edit_create_node", create_node(json!({}))).await.unwrap_err();
    assert_eq!(fault["error"], "BRIDGE_DISCONNECTED");
    rig.call("enable_toolset", json!({"category": "scene_edit, inspection"})).await.unwrap();
    assert!(!changes.has_changed().unwrap(), "nothing changed");
    let disabled = rig.call("disable_toolset", json!({"category": "scene_edit"})).await.unwrap();
    assert_eq!((&disabled["enabled"], disabled.get("tools")), (&json!(false), None));
    assert!(changes.has_changed().unwrap());
}

#[tokio::test]
async fn an_old_editor_is_refused_what_it_cannot_do() {
    let rig = Rig::new();
    let mut identity = support::identity("game");
    identity.project.as_mut().unwrap().godot_version = "4.3.1.stable".to_owned();
    let mut changes = rig.gateway.editors.watch();
    let _editor =
        support::ScriptedEditor::dial(&rig.directory, identity, always(json!({}))).await.unwrap();
    changes.changed().await.unwrap();
    for (tool, arguments) in [
        ("scene_edit_create_node", create_node(json!({}))),
        ("enable_toolset", json!({"category": "scene_edit"})),
    ] {
        let fault = rig.call(tool, arguments).await.unwrap_err();
        assert_eq!(fault["required"], "godot_version", "{fault}");
    }
}

/// What an approver was asked: action, class, arguments.
type Asked = (&'static str, SafetyClass, String);

/// An approver that notes what it was asked, and says no to destructive calls.
struct Noting(Arc<Mutex<Vec<Asked>>>);

impl Approver for Noting {
    fn approve<'a>(&'a self, question: Question<'a>) -> Answer<'a> {
        let asked = (question.tool.action(), question.class, question.arguments.to_string());
        self.0.lock().unwrap().push(asked);
        Box::pin(async move {
            if question.class == SafetyClass::Destructive {
                Err("not today".to_owned())
            } else {
                Ok(())
            }
        })
    }
}

#[tokio::test]
async fn approval_is_asked_last_and_only_for_what_changes_something() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let approver: Option<Box<dyn Approver>> = Some(Box::new(Noting(asked.clone())));
    let rig = Rig::with(Setup { approver, ..Setup::default() });
    let absent = rig.call("scene_edit_create_node", create_node(json!({}))).await.unwrap_err();
    assert_eq!(absent["error"], "BRIDGE_DISCONNECTED");
    let mut editor = rig.editor("game", always(node_created())).await;

    let confirm = json!({"root_type": "Node", "scene_path": "res://a.tscn", "confirm": true});
    for (tool, arguments, denied) in [
        ("scene_edit_create_node", create_node(json!({"dry_run": true})), false),
        ("scene_edit_delete_node", json!({"node_path": "A"}), false),
        ("inspection_get_active_scene", json!({}), false),
        ("scene_edit_create_node", create_node(json!({})), false),
        ("scene_edit_delete_node", json!({"node_path": "A", "confirm": true}), true),
        ("scene_edit_create_scene", confirm, true),
    ] {
        let fault = rig.call(tool, arguments).await.err().unwrap_or_default();
        assert_eq!(fault["error"] == "APPROVAL_DENIED", denied, "{tool}: {fault}");
        assert_eq!(fault["required"] == "human_approval", denied, "{tool}: {fault}");
    }
    let asked = asked.lock().unwrap();
    let actions: Vec<_> = asked.iter().map(|(action, class, _)| (*action, *class)).collect();
    use SafetyClass::{Destructive, Mutating};
    assert_eq!(
        actions,
        [("create_node", Mutating), ("delete_node", Destructive), ("create_scene", Destructive)]
    );
    assert!(asked[0].2.contains("Node2D"), "the arguments are shown");
    assert_eq!(editor.rest().len(), 3, "two reads or previews and one edit");
}

#[tokio::test]
async fn what_the_editor_refuses_reaches_the_agent_unchanged() {
    let rig = Rig::new();
    let refusal =
        Fault::precondition(Required::CONFIRM, "It replaces a file.").with("discards", "x");
    let told = refusal.clone();
    let _editor = rig.editor("game", move |_| Reply::Fault(told.clone())).await;
    let arguments = json!({"root_type": "Node", "scene_path": "res://a.tscn"});
    let fault = rig.call("scene_edit_create_scene", arguments).await.unwrap_err();
    assert_eq!(fault, serde_json::to_value(refusal).unwrap());
}
