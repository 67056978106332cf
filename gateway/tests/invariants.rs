//! What holds across the crates of the workspace. `docs/architecture.md` lists all invariants.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The packages that a package of the workspace is built with, at any depth, tests left out.
fn dependencies(package: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--package", package, "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}", "--no-dedupe"])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().skip(1).filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

/// The sources below a folder: path and text, without comments.
fn sources(folder: &str) -> Vec<(String, String)> {
    fn collect(folder: &Path, into: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                let code = code.collect::<Vec<_>>().join("\n");
                into.push((path.to_string_lossy().replace('\\', "/"), code));
            }
        }
    }
    let mut found = Vec::new();
    collect(&workspace().join(folder), &mut found);
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}

#[track_caller]
fn check_not_built_with(package: &str, forbidden: &[&str]) {
    let found = dependencies(package);
    assert!(!found.is_empty());
    for name in forbidden {
        assert!(!found.iter().any(|it| it == name), "{package} is built with {name}");
    }
}

#[test]
fn the_contract_does_nothing() {
    check_not_built_with(
        "protocol",
        &["tokio", "godot", "rmcp", "interprocess", "link", "gateway"],
    );
    for (path, code) in sources("gateway/protocol/src") {
        for word in ["std::fs", "std::net", "std::process", "std::env", "std::thread", "async fn"] {
            assert!(!code.contains(word), "{path} has {word}");
        }
    }
}

#[test]
fn the_two_sides_know_the_contract_and_not_each_other() {
    check_not_built_with("gdext-bridge", &["gateway", "rmcp"]);
    check_not_built_with("gateway", &["gdext-bridge", "godot"]);
    check_not_built_with("link", &["gateway", "gdext-bridge", "godot", "rmcp"]);
}

#[test]
fn the_bridge_keeps_its_parts_apart() {
    for (path, code) in sources("gdext-bridge/src") {
        if !["/background.rs", "/connection.rs", "/game/line.rs", "/language_server.rs"]
            .iter()
            .any(|end| path.ends_with(end))
        {
            for word in ["tokio::", "link::dial", "UnixStream", "TcpStream", "interprocess"] {
                assert!(!code.contains(word), "{path} knows sockets: {word}");
            }
        } else {
            assert!(
                !code.contains("godot::"),
                "{path} runs beside the main thread, off the engine"
            );
        }
        if path.contains("/tools/") {
            for word in ["dry_run", "confirm", "commit_action", "create_action", "add_do_method"] {
                assert!(!code.contains(word), "{path} has {word}, which is the dispatcher's");
            }
        }
    }
}

#[test]
fn the_package_is_complete_and_has_no_plugin_cfg() {
    let addon = fs::read_to_string(workspace().join("addon.gdextension")).unwrap();
    // Keys with `editor` in them are left out of exported games.
    let libraries = addon.lines().filter(|line| line.contains("bin/"));
    for line in libraries {
        assert!(line.contains(".editor"), "{line} would be exported");
    }
    assert!(addon.contains("compatibility_minimum = \"4.4\""));
    assert!(!workspace().join("plugin.cfg").exists());
}

#[test]
fn every_tool_has_its_one_file() {
    for &tool in protocol::Tool::ALL {
        let place = format!("{}/{}.rs", tool.toolset().name(), tool.action());
        let file = match tool.verb() {
            protocol::Verb::local => format!("gateway/src/local/{place}"),
            // It has no handler: the bridge runs its parts, each by its own.
            protocol::Verb::batches => "gdext-bridge/src/batch/mod.rs".to_owned(),
            protocol::Verb::games => format!("gdext-bridge/src/game/tools/{place}"),
            _ => format!("gdext-bridge/src/tools/{place}"),
        };
        assert!(workspace().join(&file).exists(), "{} is not in {file}", tool.name());
    }
}

/// Asked by its own name, as a newcomer would.
#[test]
fn dependencies_are_explained() {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let page = fs::read_to_string(workspace().join("docs/architecture.md")).unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(workspace())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    assert!(manifest.contains("[workspace.dependencies]"));
    for package in packages {
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            let is_explained = ours.contains(&name) || page.contains(&format!("`{name}`"));
            assert!(is_explained, "docs/architecture.md does not say what `{name}` is for");
        }
    }
}
