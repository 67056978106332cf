//! Asks the editor's own language server what is wrong with a script: all errors and warnings with
//! their places, of text that need not be saved, and without running any of it.
//!
//! The server listens on a port of this machine that another editor may have taken, so it is asked
//! first whose project it serves. It is polled by the main thread, which must not wait here; so this
//! runs on the thread of [`crate::connection`].

mod message;

use std::{fmt, io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use self::message::{findings, is_about, method, text, uri, without_end};

/// What is asked.
pub(crate) struct Question {
    /// Where the server listens, on this machine.
    pub(crate) port: u16,
    /// The folder of the project that this editor has open.
    pub(crate) project: String,
    /// The script, as a `res://` path.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

/// One thing that the server found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Whether it is an error, and not a warning.
    pub(crate) is_error: bool,
    /// What it says.
    pub(crate) message: String,
    /// The line, counted from 1.
    pub(crate) line: u32,
    /// The column, counted from 1.
    pub(crate) column: u32,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Nobody listens, or the connection broke.
    Absent(io::Error),
    /// It serves another project, or is something else.
    Foreign,
    /// It did not answer in time.
    Silent,
}

/// How long all of it may take. The first script after the start takes half a second.
const LIMIT: Duration = Duration::from_secs(4);

/// The longest message that is taken. The list of what is wrong with a script is far shorter.
const LONGEST: usize = 32 * 1024 * 1024;

/// A folder that no project has: a server that is asked about it tells which one it serves.
const NO_PROJECT: &str = "/godot-mcp/asks/which/project";

/// How many texts are under way at once, where there are several.
const AT_ONCE: usize = 16;

/// Asks, and hangs up.
pub(crate) async fn ask(question: Question) -> Result<Vec<Finding>, Trouble> {
    tokio::time::timeout(LIMIT, exchange(question)).await.unwrap_or(Err(Trouble::Silent))
}

async fn exchange(question: Question) -> Result<Vec<Finding>, Trouble> {
    let Question { port, project, path, text } = question;
    let mut server = Server::of_project(port, &project).await?;
    let found = server.check(&project, &[(path, text)]).await?;
    Ok(found.into_iter().next().unwrap_or_default())
}

/// Asks about many scripts, given by path and text, for at most `limit`. Gives what was found, in the
/// same order, as far as it got until then.
pub(crate) async fn ask_all(
    port: u16,
    project: String,
    scripts: Vec<(String, String)>,
    limit: Duration,
) -> Result<Vec<Vec<Finding>>, Trouble> {
    let until = tokio::time::Instant::now() + limit;
    let server = tokio::time::timeout_at(until, Server::of_project(port, &project)).await;
    let mut server = server.unwrap_or(Err(Trouble::Silent))?;
    let mut found = Vec::new();
    for some in scripts.chunks(AT_ONCE) {
        match tokio::time::timeout_at(until, server.check(&project, some)).await {
            Ok(checked) => found.extend(checked?),
            Err(_) if found.is_empty() => return Err(Trouble::Silent),
            Err(_) => break,
        }
    }
    Ok(found)
}

/// The server, as a client has it.
struct Server(BufReader<TcpStream>);

impl Server {
    /// The one that serves this project.
    async fn of_project(port: u16, project: &str) -> Result<Server, Trouble> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let mut server = Server(BufReader::new(stream));
        let root = format!("file://{NO_PROJECT}");
        let params = json!({
            "processId": null, "rootUri": root, "rootPath": NO_PROJECT, "capabilities": {}
        });
        server
            .send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
            .await?;
        let mut serves = None;
        loop {
            let message = server.receive().await?;
            if method(&message) == Some("gdscript_client/changeWorkspace") {
                serves = text(&message, "/params/path").map(str::to_owned);
            } else if message.get("id").and_then(Value::as_f64) == Some(1.0) {
                break;
            }
        }
        if serves.as_deref().map(without_end) != Some(without_end(project)) {
            return Err(Trouble::Foreign);
        }
        Ok(server)
    }

    /// What is wrong with some scripts, given by path and text, in the same order.
    async fn check(
        &mut self,
        project: &str,
        scripts: &[(String, String)],
    ) -> io::Result<Vec<Vec<Finding>>> {
        let uris: Vec<String> = scripts.iter().map(|(path, _)| uri(project, path)).collect();
        for (uri, (_, text)) in uris.iter().zip(scripts) {
            let document =
                json!({"uri": uri, "languageId": "gdscript", "version": 1, "text": text});
            self.notify("textDocument/didOpen", json!({"textDocument": document})).await?;
        }
        let mut found: Vec<Option<Vec<Finding>>> = vec![None; scripts.len()];
        while found.iter().any(Option::is_none) {
            let message = self.receive().await?;
            let told = text(&message, "/params/uri").unwrap_or_default();
            if method(&message) == Some("textDocument/publishDiagnostics")
                && let Some(index) = uris.iter().position(|uri| is_about(told, uri))
                && let Some(place) = found.get_mut(index)
            {
                *place = Some(findings(message.pointer("/params/diagnostics")));
            }
        }
        for uri in uris {
            self.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}})).await?;
        }
        Ok(found.into_iter().flatten().collect())
    }

    async fn notify(&mut self, method: &str, params: Value) -> io::Result<()> {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await
    }

    async fn send(&mut self, message: Value) -> io::Result<()> {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.0.get_mut().write_all(frame.as_bytes()).await
    }

    async fn receive(&mut self) -> io::Result<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap_or_default();
                }
                Some(_) => {}
                None => break,
            }
        }
        if length == 0 || length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await?;
        serde_json::from_slice(&body).map_err(Into::into)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Absent(error)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Absent(error) => write!(f, "it cannot be reached ({error})"),
            Trouble::Foreign => f.write_str("its port belongs to another editor or program"),
            Trouble::Silent => f.write_str("it did not answer in time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// Asks a server that answers `initialize` with these messages, and each opened text with those.
    fn check(hello: Vec<Value>, found: Value) -> Result<Vec<Finding>, Trouble> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let serve = async {
                let (stream, _) = listener.accept().await.unwrap();
                let mut client = Server(BufReader::new(stream));
                client.receive().await?;
                for message in hello {
                    client.send(message).await?;
                }
                let opened = client.receive().await?;
                let uri = opened["params"]["textDocument"]["uri"].clone();
                let params = json!({"uri": uri, "diagnostics": found});
                let method = "textDocument/publishDiagnostics";
                client.send(json!({"method": method, "params": params})).await?;
                client
                    .receive()
                    .await
                    .map(|message| assert_eq!(message["method"], "textDocument/didClose"))
            };
            let question = Question {
                port,
                project: "/home/ä b/".to_owned(),
                path: "res://c/d.gd".to_owned(),
                text: "extends Node\n".to_owned(),
            };
            let (answer, _) = tokio::join!(ask(question), serve);
            answer
        })
    }

    fn serves(folder: &str) -> Vec<Value> {
        let told = json!({"method": "gdscript_client/changeWorkspace", "params": {"path": folder}});
        vec![told, json!({"id": 1, "result": {}})]
    }

    #[test]
    fn what_the_server_finds_is_told_with_its_place() {
        let range =
            json!({"start": {"line": 2, "character": 4.0}, "end": {"line": 2, "character": 9}});
        let found = json!([
            {"severity": 1, "message": "no", "range": range},
            {"severity": 2, "message": "hm", "range": range},
        ]);
        let finding = |is_error, message: &str| Finding {
            is_error,
            message: message.to_owned(),
            line: 3,
            column: 5,
        };
        let expected = vec![finding(true, "no"), finding(false, "hm")];
        assert_eq!(check(serves("/home/ä b"), found).unwrap(), expected);
    }

    #[test]
    fn many_scripts_are_told_in_their_order() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let serve = async {
                let (stream, _) = listener.accept().await.unwrap();
                let mut client = Server(BufReader::new(stream));
                client.receive().await.unwrap();
                for message in serves("/game") {
                    client.send(message).await.unwrap();
                }
                let opened = [client.receive().await.unwrap(), client.receive().await.unwrap()];
                for (opened, name) in opened.iter().zip(["first", "second"]).rev() {
                    let uri = &opened["params"]["textDocument"]["uri"];
                    let found = json!([{"severity": 1, "message": name}]);
                    let params = json!({"uri": uri, "diagnostics": found});
                    let method = "textDocument/publishDiagnostics";
                    client.send(json!({"method": method, "params": params})).await.unwrap();
                }
                // Whoever asks next is not answered.
                std::future::pending::<()>().await;
            };
            let scripts = |count: usize| -> Vec<(String, String)> {
                (0..count).map(|n| (format!("res://{n}.gd"), String::new())).collect()
            };
            let ask = ask_all(port, "/game".to_owned(), scripts(2), LIMIT);
            let found = tokio::select! {
                found = ask => found.unwrap(),
                () = serve => panic!("it serves without end"),
            };
            let messages: Vec<&str> =
                found.iter().flatten().map(|finding| finding.message.as_str()).collect();
            assert_eq!(messages, ["first", "second"]);
            let silent = ask_all(port, "/game".to_owned(), scripts(1), Duration::from_millis(20));
            assert!(matches!(silent.await, Err(Trouble::Silent)));
        });
    }

    #[test]
    fn a_server_of_another_project_is_not_believed() {
        for hello in [serves("/home/other"), vec![json!({"id": 1, "result": {}})]] {
            assert!(matches!(check(hello, json!([])), Err(Trouble::Foreign)));
        }
    }
}
