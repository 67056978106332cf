//! The program itself, as an MCP client starts it.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::{Value, json};

/// One run of the program with every toolset, initialized. Dropping it kills it.
pub struct Program {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    last_id: i64,
}

impl Program {
    /// Starts it with its editors in `directory`.
    pub fn start(directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_godot-mcp"))
            .args(["serve", "--toolsets", "all"])
            .args(arguments)
            .current_dir(directory.parent().unwrap())
            .env("GODOT_MCP_RUNTIME_DIR", directory)
            .env_remove("GODOT_MCP_PROJECT_DIR")
            .env_remove("GODOT_MCP_BRIDGE_URL")
            .envs(variables.iter().copied())
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
        let input = child.stdin.take().unwrap();
        let mut program = Program { child, input, lines, last_id: 0 };
        program.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        program.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        program
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool: the result, or the fault.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let name = format!("godot_{tool}");
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        let value = serde_json::from_str(text).unwrap_or(answer.clone());
        if answer["result"]["isError"] == true { Err(value) } else { Ok(value) }
    }

    /// Waits until it has as many editors.
    pub fn wait_for_editors(&mut self, count: usize) {
        while self.call("health_check", json!({})).unwrap()["editors"].as_array().unwrap().len()
            != count
        {}
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20)).expect("a line");
            let message: Value = serde_json::from_str(&line).expect("a line of JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn write(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    /// Writes any line.
    pub fn line(&mut self, line: &str) {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
