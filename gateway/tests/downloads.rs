//! What is downloaded for an import, what is not, and what is left of it.

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
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use gateway::{
    approval::{Answer, Approver, Question},
    call,
    caller::Caller,
    downloads::Limits,
    sources::Sources,
};
use link::Directory;
use protocol::{Fault, Tool};
use serde_json::{Value, json};
use support::{Reply, Rig, Script, ScriptedEditor, Setup, identity, program::Program};
use tokio_util::sync::CancellationToken;

const IMPORT: &str = "asset_import_asset";
const BATCH: &str = "composite_run_commands";

/// What the server has to give.
const CONTENT: &[u8] = b"this is what lies there";

/// Room for that and little more, and more time than is needed.
const LIMITS: Limits = Limits { bytes: 40, time: Duration::from_secs(30) };

/// A server on this machine that answers by a script, each connection on a thread of its own.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (notes, answer) = (asked.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, notes, answer) = (stream.unwrap(), notes.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut head = String::new();
                    let mut lines = BufReader::new(stream.try_clone().unwrap());
                    while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).unwrap() > 0 {}
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    notes.lock().unwrap().push(head);
                    answer(&path, &mut stream);
                });
            }
        });
        Server { address, asked }
    }

    /// One that knows every way to answer, by the path.
    fn usual() -> Server {
        Server::start(|path, stream| {
            // The other side may have heard enough.
            let _ = stream.write_all(&usual_answer(path));
        })
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// The heads of the requests so far.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn usual_answer(path: &str) -> Vec<u8> {
    let sized = |status: &str, length: usize, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    };
    let chunks = |count: usize| {
        let chunk = [format!("{:x}\r\n", CONTENT.len()).as_bytes(), CONTENT, b"\r\n"].concat();
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        [head, chunk.repeat(count), b"0\r\n\r\n".to_vec()].concat()
    };
    let sent_on = |status: &str, location: &str| {
        let head =
            format!("HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        head.into_bytes()
    };
    match path {
        "/a.png" => sized("200 OK", CONTENT.len(), CONTENT),
        "/chunked" => chunks(1),
        "/until-the-end" => [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), CONTENT].concat(),
        "/sent/on" => sent_on("302 Found", "/sent/there"),
        "/sent/there" => sent_on("307 Temporary Redirect", "../a.png"),
        "/sent/../a.png" => sized("200 OK", CONTENT.len(), CONTENT),
        "/5" | "/4" | "/3" | "/2" | "/1" => {
            let left: u8 = path[1..].parse().unwrap();
            sent_on("301 Moved Permanently", &format!("/{}", left - 1))
        }
        "/0" => sized("200 OK", CONTENT.len(), CONTENT),
        "/loop" => sent_on("302 Found", "/loop"),
        "/to-a-file" => sent_on("302 Found", "file:///etc/passwd"),
        "/to-credentials" => sent_on("302 Found", "http://user:password@example.org/a.png"),
        "/nowhere" => sent_on("302 Found", ""),
        "/large" => sized("200 OK", 41, &[0; 41]),
        "/large-chunked" => chunks(2),
        "/cut" => sized("200 OK", CONTENT.len() + 1, CONTENT),
        "/broken" => sized("500 Internal Server Error", 3, b"no!"),
        _ => sized("404 Not Found", 3, b"no!"),
    }
}

/// The files that the editor was to import, with what was in them then.
type Seen = Arc<Mutex<Vec<(PathBuf, Vec<u8>)>>>;

/// An editor that imports, alone or in a batch.
fn importer(seen: &Seen) -> impl Script + use<> {
    let seen = seen.clone();
    move |request: &Value| {
        let read = |params: &Value| {
            let source = PathBuf::from(params["source"].as_str().unwrap());
            seen.lock().unwrap().push((source.clone(), fs::read(&source).unwrap()));
            source
        };
        if let Some(entries) = request["params"]["entries"].as_array() {
            let runs = entries.iter().filter_map(|entry| entry.get("run"));
            let sources: Vec<_> = runs.map(|run| read(&run["params"])).collect();
            return Reply::Fault(Fault::invalid(format!("'{}' is broken.", sources[0].display())));
        }
        read(&request["params"]);
        Reply::Ok(imported(false))
    }
}

fn imported(is_preview: bool) -> Value {
    json!({
        "target_path": "res://a.png", "imported": !is_preview, "overwrote": false,
        "scan_complete": !is_preview, "scan_deferred": false, "loop_applied": false,
        "dry_run": is_preview,
    })
}

fn import(source: &str) -> Value {
    json!({"source": source, "target_path": "res://a.png"})
}

fn rig(limits: Option<Limits>) -> Rig {
    rig_with(limits, None)
}

fn rig_with(limits: Option<Limits>, approver: Option<Box<dyn Approver>>) -> Rig {
    let sources = Sources::default().with_downloads(limits);
    Rig::with(Setup { sources, approver, ..Setup::default() })
}

#[tokio::test]
async fn what_is_downloaded_reaches_the_editor_and_nothing_of_it_stays() {
    let (rig, server, seen) = (rig(Some(LIMITS)), Server::usual(), Seen::default());
    let _editor = rig.editor("game", importer(&seen)).await;
    for path in ["/a.png", "/chunked", "/until-the-end", "/sent/on", "/5"] {
        let answer = rig.call(IMPORT, import(&server.at(path))).await.unwrap();
        assert_eq!(answer["imported"], true, "{path}: {answer}");
        let (file, content) = seen.lock().unwrap().pop().unwrap();
        assert_eq!(content, CONTENT, "{path}");
        assert!(!file.exists() && !file.parent().unwrap().exists(), "{} stays", file.display());
    }
    for head in server.asked() {
        let head = head.to_ascii_lowercase();
        assert!(head.contains("user-agent: godot-mcp/"), "{head}");
        assert!(!head.contains("authorization") && !head.contains("cookie"), "{head}");
    }
}

#[tokio::test]
async fn what_cannot_be_had_is_refused_and_the_editor_is_not_asked() {
    let (rig, server, seen) = (rig(Some(LIMITS)), Server::usual(), Seen::default());
    let mut editor = rig.editor("game", importer(&seen)).await;
    // Nobody listens there, and no other test can: the system gives such a low port to nobody.
    let closed = "127.0.0.1:1";
    let invalid = "VALIDATION_ERROR";
    for (source, code, told) in [
        (server.at("/nothing"), "RESOURCE_NOT_FOUND", "/nothing"),
        (server.at("/broken"), invalid, "500"),
        (server.at("/large"), invalid, "40 bytes"),
        (server.at("/large-chunked"), invalid, "40 bytes"),
        (server.at("/cut"), invalid, "cannot be downloaded"),
        (server.at("/loop"), invalid, "more than 5 times"),
        (server.at("/nowhere"), invalid, "without saying where"),
        (server.at("/to-a-file"), invalid, "'file:///etc/passwd' is no address"),
        (server.at("/to-credentials"), invalid, "a password"),
        (format!("http://{closed}/a.png"), invalid, "cannot be downloaded"),
    ] {
        let fault = rig.call(IMPORT, import(&source)).await.unwrap_err();
        assert_eq!(fault["error"], code, "{source}: {fault}");
        assert_eq!(fault["required"], "source", "{source}: {fault}");
        assert!(fault["hint"].as_str().unwrap().contains(told), "{source}: {fault}");
    }
    assert_eq!(editor.rest().len(), 0, "the editor was asked");
    let loops = server.asked().iter().filter(|head| head.contains(" /loop ")).count();
    assert_eq!(loops, 6, "one request, and five that it was sent on to");
}

#[tokio::test]
async fn a_server_that_stalls_is_not_waited_for_beyond_the_limit() {
    let limits = Limits { time: Duration::from_millis(300), ..LIMITS };
    let (rig, seen) = (rig(Some(limits)), Seen::default());
    let mut editor = rig.editor("game", importer(&seen)).await;
    let server = Server::start(|path, stream| {
        if path == "/middle" {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").unwrap();
        }
        // Until the other side gives up.
        let _ = stream.read(&mut [0]);
    });
    for path in ["/", "/middle"] {
        let fault = rig.call(IMPORT, import(&server.at(path))).await.unwrap_err();
        assert_eq!(
            (&fault["error"], &fault["outcome"]),
            (&json!("TIMEOUT"), &json!("not_applied")),
            "{fault}"
        );
        assert!(fault["hint"].as_str().unwrap().contains("0.3 s"), "{fault}");
    }
    assert_eq!(editor.rest().len(), 0, "the editor was asked");
}

#[tokio::test]
async fn nobody_is_asked_for_what_is_not_to_be_downloaded() {
    let server = Server::usual();
    let address = server.at("/a.png");
    let with_password = address.replace("http://", "http://user:password@");
    for (limits, source, code, told) in [
        (None, &address, "UNSUPPORTED", "--allow-downloads"),
        (Some(LIMITS), &with_password, "VALIDATION_ERROR", "a password"),
    ] {
        let rig = rig(limits);
        let mut editor = rig.editor("game", |_: &Value| Reply::Ok(imported(true))).await;
        for dry_run in [false, true] {
            let mut call = import(source);
            call["dry_run"] = json!(dry_run);
            let entry = json!({"command": "import_asset", "params": import(source)});
            let batch = json!({"commands": [entry], "dry_run": dry_run});
            for (tool, call) in [(IMPORT, call), (BATCH, batch)] {
                let fault = rig.call(tool, call).await.unwrap_err();
                assert_eq!((&fault["error"], &fault["required"]), (&json!(code), &json!("source")));
                assert!(fault["hint"].as_str().unwrap().contains(told), "{fault}");
            }
        }
        assert_eq!(editor.rest().len(), 0, "the editor was asked");
    }
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test]
async fn a_preview_downloads_nothing() {
    let (rig, server) = (rig(Some(LIMITS)), Server::usual());
    let script = |request: &Value| match &request["params"]["command"] {
        command if command == "cmd_import_asset" => Reply::Ok(imported(true)),
        _ => Reply::Fault(Fault::invalid("Enough.")),
    };
    let mut editor = rig.editor("game", script).await;
    let address = server.at("/a.png");
    let mut preview = import(&address);
    preview["dry_run"] = json!(true);
    rig.call(IMPORT, preview.clone()).await.unwrap();
    let asked = editor.next().await;
    assert_eq!(asked["command"], "cmd_plan");
    assert_eq!(asked["params"]["params"]["source"], address.as_str());

    let entry =
        |params: &Value| json!({"commands": [{"command": "import_asset", "params": params}]});
    rig.call(BATCH, entry(&preview)).await.unwrap_err();
    let run = editor.next().await["params"]["entries"][0]["run"].clone();
    assert_eq!((&run["params"]["source"], &run["preview"]), (&json!(address), &json!(true)));
    let mut batch = entry(&import(&address));
    batch["dry_run"] = json!(true);
    rig.call(BATCH, batch).await.unwrap_err();
    assert_eq!(editor.next().await["command"], "cmd_plan");
    assert_eq!(server.asked(), [""; 0]);
}

/// An approver that says no, and notes what it was shown.
struct Refusing(Arc<Mutex<Vec<String>>>);

impl Approver for Refusing {
    fn approve<'a>(&'a self, question: Question<'a>) -> Answer<'a> {
        self.0.lock().unwrap().push(question.arguments.to_string());
        Box::pin(async { Err("not today".to_owned()) })
    }
}

#[tokio::test]
async fn who_approves_is_shown_the_address_before_anything_is_downloaded() {
    let (server, shown) = (Server::usual(), Arc::default());
    let rig = rig_with(Some(LIMITS), Some(Box::new(Refusing(Arc::clone(&shown)))));
    let _editor = rig.editor("game", importer(&Seen::default())).await;
    let fault = rig.call(IMPORT, import(&server.at("/a.png"))).await.unwrap_err();
    assert_eq!(fault["error"], "APPROVAL_DENIED", "{fault}");
    assert!(shown.lock().unwrap()[0].contains(&server.at("/a.png")));
    assert_eq!(server.asked(), [""; 0]);
}

#[tokio::test]
async fn a_call_that_is_cancelled_stops_its_download() {
    let (rig, seen) = (rig(Some(LIMITS)), Seen::default());
    let mut editor = rig.editor("game", importer(&seen)).await;
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let (ended, ends) = mpsc::channel();
    let server = Server::start(move |_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").unwrap();
        begun.send(()).unwrap();
        // Nothing, or an error, once the other side is gone.
        ended.send(stream.read(&mut [0]).unwrap_or_default()).unwrap();
    });
    let cancel = CancellationToken::new();
    let address = server.at("/");
    let (answer, ()) = tokio::join!(rig.call_until(IMPORT, import(&address), &cancel), async {
        begins.recv().await.unwrap();
        cancel.cancel();
    });
    let fault = answer.unwrap_err();
    assert_eq!((&fault["error"], &fault["outcome"]), (&json!("TIMEOUT"), &json!("not_applied")));
    assert!(fault["hint"].as_str().unwrap().contains("cancelled"), "{fault}");
    assert_eq!(ends.recv_timeout(Duration::from_secs(10)), Ok(0), "the connection is still there");
    assert_eq!(editor.rest().len(), 0, "the editor was asked");
}

#[tokio::test]
async fn whoever_listens_hears_how_much_is_there() {
    let (rig, server) = (rig(Some(LIMITS)), Server::usual());
    let _editor = rig.editor("game", importer(&Seen::default())).await;
    let (caller, heard) = Caller::listening(CancellationToken::new());
    let arguments = import(&server.at("/a.png")).as_object().cloned().unwrap();
    call::call(&rig.gateway, Tool::ImportAsset, arguments, &caller).await.unwrap();
    let told = heard.borrow().clone().expect("progress");
    let length = u64::try_from(CONTENT.len()).unwrap();
    assert_eq!((told.done, told.total), (length, Some(length)));
    assert!(told.message.contains("127.0.0.1"), "{}", told.message);
}

#[tokio::test]
async fn each_import_of_a_batch_is_downloaded_and_faults_speak_of_addresses() {
    let (rig, server, seen) = (rig(Some(LIMITS)), Server::usual(), Seen::default());
    let mut editor = rig.editor("game", importer(&seen)).await;
    let batch = |paths: [&str; 2], stop_on_error: bool| {
        let entries = paths
            .map(|path| json!({"command": "import_asset", "params": import(&server.at(path))}));
        json!({"commands": entries, "stop_on_error": stop_on_error})
    };
    let fault = rig.call(BATCH, batch(["/a.png", "/chunked"], true)).await.unwrap_err();
    let told = format!("'{}' is broken.", server.at("/a.png"));
    assert_eq!(fault["hint"], told.as_str());
    let files = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(
        files.iter().map(|(_, content)| content.as_slice()).collect::<Vec<_>>(),
        [CONTENT; 2]
    );
    assert!(files.iter().all(|(file, _)| !file.exists()), "{files:?}");
    editor.next().await;

    let fault = rig.call(BATCH, batch(["/a.png", "/nothing"], true)).await.unwrap_err();
    assert_eq!((&fault["error"], &fault["aborted_at"]), (&json!("RESOURCE_NOT_FOUND"), &json!(1)));
    assert_eq!(editor.rest().len(), 0, "the editor was asked");

    rig.call(BATCH, batch(["/a.png", "/nothing"], false)).await.unwrap_err();
    let asked = editor.next().await;
    let refused = &asked["params"]["entries"][1]["refused"];
    assert_eq!(refused["error"], "RESOURCE_NOT_FOUND", "{asked}");
}

/// The program as the user starts it, where the environment knows a proxy that must not be used.
#[tokio::test(flavor = "multi_thread")]
async fn the_program_downloads_by_itself_and_leaves_nothing_behind() {
    let root = tempfile::tempdir().unwrap();
    let directory = Directory::at(root.path().join("run")).unwrap();
    let temporary = root.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let temporary = temporary.to_str().unwrap().to_owned();
    let (server, proxy, seen) = (Server::usual(), Server::usual(), Seen::default());
    let mut variables: Vec<(&str, &str)> =
        ["TMPDIR", "TMP", "TEMP"].map(|name| (name, temporary.as_str())).to_vec();
    let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"];
    variables.extend(names.map(|name| (name, proxy.address.as_str())));
    variables.push(("GODOT_MCP_ALLOW_DOWNLOADS", "true"));
    let mut program = Program::start(directory.path(), &["--max-download-mb", "1"], &variables);
    let script = importer(&seen);
    let _editor = ScriptedEditor::dial(&directory, identity("game"), script).await.unwrap();
    tokio::task::spawn_blocking(move || {
        program.wait_for_editors(1);
        program.call(IMPORT, import(&server.at("/a.png"))).unwrap();
        program.call(IMPORT, import(&server.at("/cut"))).unwrap_err();
        assert_eq!(server.asked().len(), 2);
    })
    .await
    .unwrap();
    assert_eq!(proxy.asked(), [""; 0]);
    let (file, content) = seen.lock().unwrap().pop().unwrap();
    assert_eq!(content, CONTENT);
    assert!(file.starts_with(&temporary), "{}", file.display());
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}
