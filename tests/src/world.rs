//! An editor and a client that are connected.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{client::Client, editor::Editor};

/// How long an editor may take to start, import the project and connect.
const PATIENCE: Duration = Duration::from_secs(90);

/// Waits until the editor answers a read through this client, and tells how long that took.
pub fn wait_connected(client: &mut Client, editor: &mut Editor<'_>) -> Duration {
    let start = Instant::now();
    loop {
        // While an editor is alive but not connected yet, the call itself waits for it.
        let answer = client.call("inspection_get_project_info", json!({}));
        if answer.ok {
            return start.elapsed();
        }
        editor.assert_alive();
        assert!(
            start.elapsed() < PATIENCE,
            "the editor did not connect: {}\n── editor\n{}\n── gateway\n{}",
            answer.value,
            editor.log(),
            client.log()
        );
        thread::sleep(Duration::from_millis(2));
    }
}
