//! The link as the editor feels it: versions that do not fit, calls that are taken back, frames that
//! are broken, and a gateway that comes and goes.

#[cfg(unix)]
use std::{
    fs,
    io::Write,
    os::unix::net::UnixStream,
    sync::atomic::{AtomicBool, Ordering},
};
use std::{
    process::ExitCode,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

#[cfg(unix)]
use e2e::between::Between;
use e2e::{
    cases::run_alone, client::Client, editor::Editor, measure::memory, project::Project,
    world::wait_connected,
};
use link::{
    Directory, HandshakeError, Identity, Listener, Role, handshake, handshake::ContractRange,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run_alone(&[
        ("where no contract is shared both sides say both versions", versions),
        ("a call that is cancelled while it waits is never started", cancelled),
        #[cfg(unix)]
        ("broken, endless and many frames do not hold up the editor", frames),
        ("a thousand reconnects leave nothing in the editor's memory", reconnects),
    ])
}

/// A build that no other build shares a contract with.
fn stranger() -> Identity {
    let contract = ContractRange { min: 90, max: 99 };
    Identity { contract, build: "9.9.9".to_owned(), ..Identity::of_this_process(None).unwrap() }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Waits for the next dial, and shakes hands as the gateway `me`.
async fn meet(
    listener: &Listener,
    directory: &Directory,
    me: &Identity,
) -> Result<Identity, HandshakeError> {
    let mut connection = listener.accept().await?;
    handshake(&mut connection, &directory.secret()?, Role::Gateway, me).await
}

/// The gateway is the test itself.
fn versions() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let directory = Directory::at(project.rendezvous()).unwrap();
    let (told, refusals) = mpsc::channel();
    thread::spawn(move || {
        runtime().block_on(async {
            let listener = directory.announce_gateway().unwrap();
            // The editor tries again and again, until nobody listens any more.
            loop {
                let met = meet(&listener, &directory, &stranger()).await;
                if told.send(met.map(drop).map_err(|refusal| refusal.to_string())).is_err() {
                    return;
                }
            }
        });
    });
    let first = || refusals.recv_timeout(Duration::from_secs(60)).unwrap();
    let told = first().expect_err("the editor took a gateway of another contract");
    for part in ["contract 90 to 99", env!("CARGO_PKG_VERSION"), "1 to 1"] {
        assert!(told.contains(part), "{part} is not in: {told}");
    }
    let dock = editor.hands(&json!({"do": "dock"}));
    for shown in [&dock["Gateways"][0][2], &dock["Error"]] {
        for part in ["contract 1 to 1", "9.9.9", "90 to 99"] {
            assert!(shown.as_str().unwrap().contains(part), "{part} is not in {dock}");
        }
    }
    editor.quit();
}

fn cancelled() {
    let project = Project::new();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    let scene = json!({"scene_path": "res://scenes/main.tscn"});
    assert!(client.call("scene_edit_open_scene", scene).ok);
    let create = |name: &str| json!({"parent_path": ".", "node_type": "Node2D", "node_name": name});
    let stalled = project.work().join("stalled");
    thread::scope(|scope| {
        let stall = scope.spawn(|| editor.hands(&json!({"do": "stall", "ms": 3000})));
        wait_for(|| stalled.exists());
        let (withdrawn, _reply) = client.begin("scene_edit_create_node", &create("Withdrawn"));
        let (_, kept) = client.begin("scene_edit_create_node", &create("Kept"));
        client.cancel(withdrawn);
        assert!(!stall.is_finished(), "the editor was not busy for long enough");
        let answer = kept.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(answer["result"]["structuredContent"]["node_path"], "Kept", "{answer}");
        stall.join().unwrap();
    });
    let history = client.call("list_history", json!({})).value;
    assert_eq!(history["depth"], 1, "{history}");
    assert!(client.call("inspection_get_node_groups", json!({"node_path": "Kept"})).ok);
    assert!(!client.call("inspection_get_node_groups", json!({"node_path": "Withdrawn"})).ok);
    editor.quit();
}

fn wait_for(mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "it does not come about");
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
/// How much longer a frame may take than in an idle editor, in milliseconds.
const DELAY: f64 = 5.0;

/// How often it is measured at most.
#[cfg(unix)]
const TRIES: usize = 3;

#[cfg(unix)]
fn is_slower(busy: &Value, idle: &Value, parts: &[&str]) -> bool {
    let time = |times: &Value, part: &str| times[part].as_f64().unwrap();
    parts.iter().any(|part| time(busy, part) > time(idle, part) + DELAY)
}

#[cfg(unix)]
fn frames() {
    let project = Project::new();
    let apart = Project::new();
    let mut client = Client::start_with(&apart, |command| {
        command.env("GODOT_MCP_DEFAULT_TOOLSETS", "all").env_remove("GODOT_MCP_PROJECT_DIR")
    });
    let between = Between::stand(&project.rendezvous(), &apart.rendezvous());
    let mut editor = Editor::start(&project);
    wait_for(|| between.is_up());
    // It has a lot to do in its first second.
    measure(&mut editor, &project, |_| {}, &between);
    let idle = measure(&mut editor, &project, |_| {}, &between);
    println!("idle: {idle}");
    let half = [&(1_u32 << 20).to_be_bytes()[..], b"{\"id\":"].concat();
    let endless = u32::MAX.to_be_bytes().to_vec();
    let garbage = frame(&vec![b'x'; 60_000]);
    let long = frame(&vec![b'['; 20 << 20]);
    let unknown = frame(br#"{"id":1,"command":"cmd_of_tomorrow","params":{}}"#);
    let many = unknown.repeat(200);
    let questions = frame(br#"{"id":1,"command":"cmd_ping","params":null}"#).repeat(200);
    let both = &["p50", "p90"][..];
    for (name, bytes, again, parts) in [
        ("half a frame", half, false, both),
        ("a frame without end", endless, true, both),
        ("garbage", garbage, true, both),
        ("a long frame", long, true, both),
        // Commands take the main thread's time, and all processors. Yet the frames go on.
        ("unknown commands", many, true, &["p50"]),
        ("questions", questions, true, &["p50"]),
    ] {
        let inject = |stream: &mut UnixStream| {
            // It may have hung up, and is back soon.
            let _ = stream.write_all(&bytes);
        };
        // A machine that does other things makes frames longer now and then; the link would always.
        let mut told = Vec::new();
        while told.len() < TRIES && told.last().is_none_or(|last| is_slower(last, &idle, parts)) {
            told.push(measure_while(&mut editor, &project, inject, &between, again));
        }
        println!("{name}: {told:?}");
        let best = told.last().unwrap();
        assert!(!is_slower(best, &idle, parts), "{name}: {told:?}, idle {idle}");
    }
    drop(between);
    // All of that was no harm: whoever comes next is served.
    client = {
        client.close();
        Client::start(&project)
    };
    wait_connected(&mut client, &mut editor);
    editor.quit();
}

/// Says at its end that something is over.
#[cfg(unix)]
struct Over<'a>(&'a AtomicBool);

#[cfg(unix)]
impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(unix)]
fn frame(body: &[u8]) -> Vec<u8> {
    [&u32::try_from(body.len()).unwrap().to_be_bytes(), body].concat()
}

#[cfg(unix)]
fn measure(
    editor: &mut Editor<'_>,
    project: &Project,
    inject: impl Fn(&mut UnixStream) + Sync,
    between: &Between,
) -> Value {
    measure_while(editor, project, inject, between, false)
}

#[cfg(unix)]
/// The times of the frames while something is sent to the editor, once or again and again.
fn measure_while(
    editor: &mut Editor<'_>,
    project: &Project,
    inject: impl Fn(&mut UnixStream) + Sync,
    between: &Between,
    again: bool,
) -> Value {
    let measuring = project.work().join("measuring");
    let _ = fs::remove_file(&measuring);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(|| measuring.exists());
            while !is_over.load(Ordering::Relaxed) {
                if let Some(mut stream) = between.editor() {
                    inject(&mut stream);
                    if !again {
                        return;
                    }
                }
                thread::yield_now();
            }
        });
        // Also where the editor is held up for good, which ends this by a panic.
        let _over = Over(&is_over);
        editor.hands(&json!({"do": "frames", "ms": 1000}))
    })
}

fn reconnects() {
    let project = Project::new();
    let mut editor = Editor::start(&project);
    let directory = Directory::at(project.rendezvous()).unwrap();
    let me = Identity::of_this_process(None).unwrap();
    let pid = editor.pid();
    let (mut warm, mut last) = (0.0, 0.0);
    runtime().block_on(async {
        let listener = directory.announce_gateway().unwrap();
        for round in 0..=1000 {
            meet(&listener, &directory, &me).await.unwrap();
            last = memory(pid).unwrap_or_default();
            if round == 200 {
                warm = last;
            }
        }
    });
    println!("after 200 reconnects {warm:.1} MB, after 1,000 {last:.1} MB");
    assert!(last - warm < 2.0, "{warm} MB grew to {last} MB");
    editor.assert_alive();
    editor.quit();
}
