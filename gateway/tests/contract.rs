//! The surface: what clients demand of every tool, and that nothing changes unseen.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

mod support;

use std::{collections::BTreeSet, fs, path::Path};

use gateway::{
    captures,
    cli::tools::{Format, render},
    guidance::INSTRUCTIONS,
    mcp::describe,
    registry::spec,
    safety::{SafetyClass, class_of, flags_of},
};
use protocol::{ErrorCode, Required, Tool, Toolset, Verb};
use serde_json::{Value, json};

fn surface(tool: Tool) -> Value {
    serde_json::to_value(describe(tool)).unwrap()
}

#[test]
fn every_tool_has_its_snapshot_and_no_other_has_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for &tool in Tool::ALL {
            insta::assert_json_snapshot!(tool.name(), surface(tool));
        }
    });
    let expected: BTreeSet<String> =
        Tool::ALL.iter().map(|tool| format!("{}.snap", tool.name())).collect();
    let found: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, expected, "stale or missing snapshots");
}

#[test]
fn every_tool_is_described_as_clients_demand() {
    for &tool in Tool::ALL {
        let surface = surface(tool);
        let name = tool.name();
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
        assert!(name.starts_with("godot_") && !name.contains("__"), "{name}");
        assert!(format!("mcp__godot__{name}").len() <= 64, "{name}");
        assert!(surface["title"].as_str().unwrap().starts_with("Godot "), "{name}");
        let description = surface["description"].as_str().unwrap();
        assert!(description.ends_with('.') && description.len() < 500, "{name}: {description}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(surface["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        let may_download = [Tool::ImportAsset, Tool::RunCommands].contains(&tool);
        assert_eq!(surface["annotations"]["openWorldHint"], may_download, "{name}");
        assert_eq!(surface["_meta"]["safety_class"], class_of(tool).name());
        lint_input(name, &surface["inputSchema"]);
        match surface.get("outputSchema") {
            Some(schema) => lint_output(name, schema),
            None => assert!(captures::shows_picture(tool), "{name} does not say what it answers"),
        }
    }
}

fn lint_input(name: &str, schema: &Value) {
    assert_eq!(schema["type"], "object", "{name}");
    assert_eq!(schema["additionalProperties"], false, "{name}");
    assert!(schema["required"].is_array(), "{name}");
    for (parameter, property) in schema["properties"].as_object().unwrap() {
        let at = format!("{name}.{parameter}");
        let description = property["description"].as_str().unwrap_or_default();
        assert!(!description.is_empty(), "{at} is not described");
        match property.get("type") {
            None => assert!(description.contains('{'), "{at} is untyped and shows no shapes"),
            Some(kind) => assert!(kind.is_string(), "{at}: {kind}"),
        }
        if property["type"] == "array" {
            assert!(property["items"]["type"].is_string(), "{at}");
        }
        assert_ne!(property.get("default"), Some(&Value::Null), "{at}");
        let required = schema["required"].as_array().unwrap().contains(&json!(parameter));
        assert!(!(required && property.get("default").is_some()), "{at}");
    }
    visit(schema, &mut |keyword, value| {
        assert!(keyword != "type" || value.is_string(), "{name}: of type {value}");
        let refused = [
            "$ref",
            "$defs",
            "$schema",
            "oneOf",
            "anyOf",
            "allOf",
            "not",
            "const",
            "format",
            "patternProperties",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "nullable",
            "title",
        ];
        assert!(!refused.contains(&keyword), "{name}: {keyword}");
    });
}

fn lint_output(name: &str, schema: &Value) {
    assert_eq!(schema["type"], "object", "{name}");
    visit(schema, &mut |keyword, _| {
        let refused = ["$ref", "$defs", "$schema", "oneOf", "allOf", "description", "title"];
        assert!(!refused.contains(&keyword), "{name}: {keyword}");
    });
}

/// Visits every keyword of a schema. The names of properties are none.
fn visit(schema: &Value, see: &mut impl FnMut(&str, &Value)) {
    let Value::Object(schema) = schema else { return };
    for (keyword, value) in schema {
        see(keyword, value);
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.values().for_each(|property| visit(property, see));
            }
            ("default" | "enum" | "required", _) => {}
            (_, Value::Array(schemas)) => schemas.iter().for_each(|schema| visit(schema, see)),
            (_, schema) => visit(schema, see),
        }
    }
}

#[test]
fn the_default_surface_fits_its_budget() {
    let default = [Toolset::Core, Toolset::Inspection];
    let size: usize = Tool::ALL
        .iter()
        .filter(|tool| default.contains(&tool.toolset()))
        .map(|&tool| {
            let surface = spec(tool).surface();
            let schema = serde_json::to_string(&surface.input).unwrap();
            tool.name().len() + surface.description.len() + schema.len()
        })
        .sum();
    assert!(size <= 20_000, "{size} bytes");
    assert!(INSTRUCTIONS.len() <= 2048, "{} bytes", INSTRUCTIONS.len());
}

#[test]
fn instructions_name_only_tools_that_exist() {
    let words = INSTRUCTIONS.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    for name in words.filter(|word| word.starts_with("godot_")) {
        assert!(Tool::from_name(name).is_some(), "{name}");
    }
}

#[test]
fn flags_follow_from_the_class() {
    for &tool in Tool::ALL {
        let (class, flags, name) = (class_of(tool), flags_of(tool), tool.name());
        let edits = matches!(tool.verb(), Verb::edits | Verb::overwrites | Verb::batches);
        assert_eq!(
            edits,
            matches!(class, SafetyClass::Mutating | SafetyClass::Destructive),
            "{name}"
        );
        assert_eq!(flags.dry_run, edits, "{name}");
        let confirms = class == SafetyClass::Destructive
            || matches!(tool.verb(), Verb::overwrites | Verb::batches);
        assert_eq!(flags.confirm, confirms, "{name}");
        assert!(edits || !flags.scene, "{name}");
        let properties = &spec(tool).surface().input["properties"];
        for (flag, expected) in [
            ("dry_run", flags.dry_run),
            ("confirm", flags.confirm),
            ("scene", flags.scene),
            ("instance", flags.instance),
        ] {
            // What runs a scene has a parameter of its own with this name.
            if flag == "scene" && tool.verb() == Verb::runs {
                continue;
            }
            assert_eq!(properties.get(flag).is_some(), expected, "{name}: {flag}");
        }
        let output = &spec(tool).surface().output["properties"];
        assert_eq!(output.get("dry_run").is_some(), edits, "{name}");
        let counts_errors = output.get("new_errors").is_some();
        assert_eq!(counts_errors, tool.is_about_the_game(), "{name}");
        assert!(counts_errors || !flags.instance, "{name}");
    }
}

#[test]
fn only_the_permission_model_makes_permits_and_knows_the_flags() {
    for (path, text) in support::sources("src") {
        let code =
            |words: &str| text.lines().any(|l| !l.trim().starts_with("//") && l.contains(words));
        let is_safety = path.ends_with("/safety.rs") || path.contains("/safety/");
        if !is_safety {
            assert!(!code("Permit {"), "{path} makes a permit");
            assert!(!code("fn class_of"), "{path} gives classes");
        }
        if !path.ends_with("/link.rs") && !path.contains("/link/") {
            assert!(
                !code("permit: Permit") && !code("permit: &Permit") || is_safety,
                "{path} takes a permit"
            );
        }
        if path.contains("/local/") {
            assert!(!text.contains("dry_run") && !text.contains("confirm"), "{path} knows a flag");
        }
        if !path.ends_with("/mcp.rs") && !path.contains("/mcp/") {
            assert!(!code("rmcp::"), "{path} knows the protocol library");
        }
        let is_download = path.ends_with("/downloads.rs") || path.contains("/downloads/");
        assert!(is_download || !code("ureq::"), "{path} knows the network");
        let sockets = ["UnixStream", "UnixListener", "TcpStream", "TcpListener", "interprocess"];
        assert!(!sockets.iter().any(|socket| code(socket)), "{path} knows sockets");
        assert!(!code("godot::"), "{path} knows the engine");
    }
}

#[test]
fn the_pages_are_up_to_date() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let tools = fs::read_to_string(docs.join("tools.md")).unwrap().replace("\r\n", "\n");
    assert!(
        tools == render(Format::Markdown),
        "run: cargo run -p gateway -- tools --format markdown > docs/tools.md"
    );
    let safety = fs::read_to_string(docs.join("safety.md")).unwrap();
    let codes = ErrorCode::ALL.iter().map(|code| code.name());
    for word in codes.chain(Required::TOKENS.iter().copied()) {
        assert!(safety.contains(&format!("`{word}`")), "docs/safety.md does not explain {word}");
    }
    for class in SafetyClass::ALL {
        assert!(safety.contains(&format!("`{}`", class.name())), "{}", class.name());
    }
}

/// What the gateway and the editor answer, checked by what clients were promised.
#[tokio::test]
async fn answers_fit_the_schemas_that_are_advertised() {
    let rig = support::Rig::new();
    let stamp = json!({"node_path": "A", "created": false, "dry_run": true, "persisted": false,
        "reason": "node_not_owned", "hint": "x", "undoable": true, "scene": "res://a.tscn"});
    let _editor = rig.editor("game", support::always(stamp)).await;
    for (tool, arguments) in [
        ("health_check", json!({})),
        ("get_server_info", json!({})),
        ("list_toolsets", json!({})),
        ("enable_toolset", json!({"category": "all"})),
        ("disable_toolset", json!({"category": "scene_edit"})),
        ("list_tools_by_safety_class", json!({})),
        ("check_for_updates", json!({})),
        ("enable_toolset", json!({"category": "scene_edit"})),
        ("scene_edit_create_node", support::create_node(json!({"dry_run": true}))),
    ] {
        let answer = rig.call(tool, arguments).await.unwrap();
        let surface = surface(Tool::from_name(&format!("godot_{tool}")).unwrap());
        let schema = jsonschema::validator_for(&surface["outputSchema"]).unwrap();
        let problems: Vec<_> = schema.iter_errors(&answer).map(|e| e.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new(), "{tool}: {answer}");
    }
}
