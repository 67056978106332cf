//! `godot-mcp`: see `godot-mcp --help`.

use std::{
    env,
    io::{self, IsTerminal, Write},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use clap::Parser;
use gateway::{
    Gateway,
    captures::Captures,
    cli::tools,
    config::{Cli, Command, Serve, Settings, log_level},
    link::Editors,
    mcp,
    safety::Gate,
    snapshots::Snapshots,
    sources::Sources,
    toolsets::Toolsets,
};
use tokio::{runtime, time::sleep};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How long calls that are under way may go on once the client is gone.
const LAST_CALLS: Duration = Duration::from_millis(500);

/// How long the end may take after that.
const SHUTDOWN: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        Some(Command::Tools { format }) => print(&tools::render(format)),
        Some(Command::Serve(serve)) => start(&serve),
        None => start(&cli.serve),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The user may be looking, or a client that keeps standard error: both read text.
            let _ = writeln!(io::stderr(), "godot-mcp: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome.map_err(|error| error.to_string()),
    }
}

fn start(serve: &Serve) -> Result<(), String> {
    let environment = |name: &str| env::var(name).ok();
    log_to_stderr(serve);
    let cwd = env::current_dir().ok();
    let settings = Settings::new(serve, environment, cwd.as_deref())?;
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    if io::stdin().is_terminal() {
        tracing::warn!(
            "standard input is a terminal; this server is meant to be started by an MCP client"
        );
    }
    // One thread: calls wait for the editor, not for this process, and threads cost memory.
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let outcome = runtime.block_on(run(settings));
    // A read of standard input that never returns must not hold the process.
    runtime.shutdown_timeout(SHUTDOWN);
    outcome
}

async fn run(settings: Settings) -> Result<(), String> {
    let directory = link::Directory::open().map_err(|error| error.to_string());
    let editors = Editors::new(directory, settings.wanted, settings.timeout);
    editors.open();
    if let Some(remote) = settings.remote {
        editors.open_remote(remote);
    }
    let closing = CancellationToken::new();
    let toolsets = Toolsets::new(settings.toolsets.as_deref());
    if let Some(warning) = toolsets.warning() {
        tracing::warn!("{warning}");
    }
    let sources = Sources::new(&settings.import_roots).with_downloads(settings.downloads);
    let gateway = Arc::new(Gateway {
        gate: Gate::new(toolsets, None).with_sources(sources),
        editors,
        snapshots: Snapshots::default(),
        captures: Captures::default(),
        checks_updates: settings.checks_updates,
        closing: closing.clone(),
    });

    tokio::select! {
        () = mcp::serve_stdio(gateway) => {}
        () = async { closing.cancelled().await; sleep(LAST_CALLS).await } => {}
        () = stopped() => {}
    }
    Ok(())
}

/// Returns when the process is asked to end, so that its socket and its lock are removed.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a signal to wait for, only the client ends the process.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

fn log_to_stderr(serve: &Serve) {
    let level = log_level(serve, |name| env::var(name).ok());
    // The protocol library logs whole messages below this level.
    let library = level.min(tracing::level_filters::LevelFilter::WARN);
    let filter = Targets::new().with_default(level).with_target("rmcp", library);
    let lines = fmt::layer().json().with_writer(io::stderr);
    // A second logger in one process is the tests' own.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
}
