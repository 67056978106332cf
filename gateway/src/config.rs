//! What the user can set: flags first, then environment variables, then the defaults.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, Parser, Subcommand, ValueEnum};

use link::{Remote, remote};

use crate::{
    cli::tools::Format,
    downloads::{DEFAULT_MEBIBYTES, Limits},
    link::selection::Wanted,
};

/// How long an editor has to answer a call, unless the user says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

const ENVIRONMENT: &str = "\
Environment variables (a flag wins over its variable; an empty variable counts as unset):
  GODOT_MCP_PROJECT_DIR       the same as --project
  GODOT_MCP_TRANSPORT         the same as --transport
  GODOT_MCP_DEFAULT_TOOLSETS  the same as --toolsets
  GODOT_MCP_LOG_LEVEL         the same as --log-level
  GODOT_MCP_ALLOW_DOWNLOADS   1, true or yes is the same as --allow-downloads
  GODOT_MCP_CHECK_UPDATES     1, true or yes allows asking the network for a newer release
  GODOT_MCP_RUNTIME_DIR       the directory where editors and servers find each other; set it to
                              the same value for both, or leave it alone
  GODOT_MCP_BRIDGE_URL        tcp://host:port to meet editors there as well, for containers, WSL and
                              other machines; any other form is ignored
  GODOT_MCP_BRIDGE_TOKEN      the secret of both sides, which tcp:// requires; 16 characters or more
                              where others than this machine can reach the address";

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "godot-mcp",
    version,
    about = "An MCP server that drives a live Godot editor.",
    long_about = "An MCP server that drives a live Godot editor.\n\nMCP clients start it and speak \
        to it over standard input and output. Editors that have the add-on find it by themselves, \
        whichever is started first. Without a subcommand it serves.",
    after_help = ENVIRONMENT,
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    /// What to do; `serve` if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How to serve.
    #[command(flatten)]
    pub serve: Serve,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve one MCP client over standard input and output until it closes them.
    #[command(after_help = ENVIRONMENT)]
    Serve(Serve),
    /// Print every tool: names, safety classes, parameters and results.
    Tools {
        /// `json` as clients get it, or `markdown` as in docs/tools.md.
        #[arg(long, value_enum, default_value = "json")]
        format: Format,
    },
}

/// How to serve.
#[derive(Debug, Default, Clone, Args)]
pub struct Serve {
    /// Work on the project in this folder and on no other. Without it: the project that the
    /// working directory lies in, else the only editor that is connected.
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// How the client is connected. `http` is not available in this build yet.
    #[arg(long, value_enum, value_name = "KIND")]
    pub transport: Option<Transport>,
    /// How long an editor has to answer a call, in seconds [default: 10].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Toolsets that are on from the start, separated by commas: names, bundles (author, playtest,
    /// ship) or all [default: inspection].
    #[arg(long, value_name = "LIST")]
    pub toolsets: Option<String>,
    /// A folder that files may be imported from, beside the project itself. May be given several
    /// times.
    #[arg(long, value_name = "DIR")]
    pub import_root: Vec<PathBuf>,
    /// Let files be imported from http and https addresses, too, of the local network as well. No
    /// proxy and no credentials are used, and a call has 60 seconds for it.
    #[arg(long)]
    pub allow_downloads: bool,
    /// The largest file that is downloaded, in MiB, from 1 to 256 [default: 64].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=256))]
    pub max_download_mb: Option<u64>,
    /// How much to log to standard error, as lines of JSON: off, error, warn, info, debug or trace
    /// [default: info].
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<String>,
}

/// How a client is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Standard input and output.
    Stdio,
    /// HTTP.
    Http,
}

/// The settings of one run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which project to work on.
    pub wanted: Wanted,
    /// How long an editor has to answer.
    pub timeout: Duration,
    /// The toolsets that are on from the start.
    pub toolsets: Option<String>,
    /// The folders that files may be imported from, beside the project.
    pub import_roots: Vec<PathBuf>,
    /// How much may be downloaded, if anything may.
    pub downloads: Option<Limits>,
    /// Where to meet editors beyond this machine.
    pub remote: Option<Remote>,
    /// Whether the network may be asked for a newer release.
    pub checks_updates: bool,
    /// What the user should know about the settings.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Settles the flags, the environment and the defaults.
    ///
    /// # Errors
    /// If something was asked for that this build cannot do.
    pub fn new(
        serve: &Serve,
        environment: impl Fn(&str) -> Option<String>,
        cwd: Option<&Path>,
    ) -> Result<Settings, String> {
        let environment = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let mut warnings = Vec::new();

        let http = match serve.transport {
            Some(transport) => transport == Transport::Http,
            None => {
                environment("GODOT_MCP_TRANSPORT").is_some_and(|t| t.eq_ignore_ascii_case("http"))
            }
        };
        if http {
            return Err("the transport http is not available in this build yet; use stdio".into());
        }

        let remote = match Remote::asked(environment)? {
            remote::Asked::Tcp(remote) => Some(remote),
            remote::Asked::Ignored(warning) => {
                warnings.push(warning);
                None
            }
            remote::Asked::No => None,
        };

        let named = serve
            .project
            .clone()
            .filter(|path| !path.as_os_str().is_empty())
            .or_else(|| environment("GODOT_MCP_PROJECT_DIR").map(PathBuf::from));
        if let Some(named) = &named
            && !named.join("project.godot").is_file()
            && !named.ends_with("project.godot")
        {
            warnings.push(format!("there is no project.godot in {}", named.display()));
        }

        let lost = serve.import_root.iter().filter(|root| !root.is_dir());
        warnings.extend(lost.map(|root| format!("there is no folder {}", root.display())));

        let variable = environment("GODOT_MCP_ALLOW_DOWNLOADS");
        let downloads = (serve.allow_downloads || variable.is_some_and(|value| is_yes(&value)))
            .then(|| Limits::mebibytes(serve.max_download_mb.unwrap_or(DEFAULT_MEBIBYTES)));
        if downloads.is_none() && serve.max_download_mb.is_some() {
            warnings.push("--max-download-mb means nothing without --allow-downloads".to_owned());
        }

        Ok(Settings {
            downloads,
            import_roots: serve.import_root.clone(),
            wanted: Wanted::new(named.as_deref(), cwd),
            timeout: serve.timeout.unwrap_or(DEFAULT_TIMEOUT),
            remote,
            toolsets: serve.toolsets.clone().or_else(|| environment("GODOT_MCP_DEFAULT_TOOLSETS")),
            checks_updates: environment("GODOT_MCP_CHECK_UPDATES")
                .is_some_and(|value| is_yes(&value)),
            warnings,
        })
    }
}

/// The level to log at, by the names that Rust and Python have for it.
pub fn log_level(
    serve: &Serve,
    environment: impl Fn(&str) -> Option<String>,
) -> tracing::level_filters::LevelFilter {
    use tracing::level_filters::LevelFilter;
    let name = serve.log_level.clone().or_else(|| environment("GODOT_MCP_LOG_LEVEL"));
    match name.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "off" | "none" => LevelFilter::OFF,
        "error" | "critical" => LevelFilter::ERROR,
        "warn" | "warning" => LevelFilter::WARN,
        "debug" => LevelFilter::DEBUG,
        "trace" => LevelFilter::TRACE,
        _ => LevelFilter::INFO,
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.trim().parse().map_err(|_| "not a number of seconds".to_owned())?;
    if !(0.1..=3600.0).contains(&seconds) {
        return Err("must be from 0.1 to 3600".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn is_yes(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn settle(flags: &[&str], variables: &[(&str, &str)]) -> Result<Settings, String> {
        let cli =
            Cli::try_parse_from([&["godot-mcp"], flags].concat()).map_err(|e| e.to_string())?;
        let serve = match cli.command {
            Some(Command::Serve(serve)) => serve,
            _ => cli.serve,
        };
        let environment = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned())
        };
        Settings::new(&serve, environment, None)
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_win_over_variables_and_empty_ones_count_as_unset() {
        let variables = [("GODOT_MCP_DEFAULT_TOOLSETS", "all"), ("GODOT_MCP_PROJECT_DIR", "/b")];
        let given = settle(&["serve", "--project", "/a", "--timeout", "2.5"], &variables).unwrap();
        assert_eq!(given.wanted, Wanted::Named("/a".into()));
        assert_eq!(given.toolsets.as_deref(), Some("all"));
        assert_eq!(given.timeout, Duration::from_millis(2500));
        assert_eq!(settle(&[], &variables).unwrap().wanted, Wanted::Named("/b".into()));
        let empty =
            settle(&[], &[("GODOT_MCP_DEFAULT_TOOLSETS", ""), ("GODOT_MCP_PROJECT_DIR", " ")]);
        let empty = empty.unwrap();
        assert_eq!((empty.toolsets, empty.wanted), (None, Wanted::Any));
    }

    #[test]
    fn what_this_build_cannot_do_is_refused_or_ignored_with_one_warning() {
        assert!(settle(&["--transport", "http"], &[]).unwrap_err().contains("http"));
        assert!(settle(&[], &[("GODOT_MCP_TRANSPORT", "http")]).is_err());
        assert!(settle(&["--transport", "stdio"], &[("GODOT_MCP_TRANSPORT", "http")]).is_ok());
        let ignored = settle(&[], &[("GODOT_MCP_BRIDGE_URL", "ws://localhost:9080")]).unwrap();
        assert_eq!(ignored.warnings.len(), 1);
        assert!(settle(&["--timeout", "0"], &[]).is_err());
    }

    #[test]
    fn nothing_is_downloaded_unless_the_user_says_so() {
        let variable = |value| [("GODOT_MCP_ALLOW_DOWNLOADS", value)];
        assert_eq!(settle(&[], &[]).unwrap().downloads, None);
        assert_eq!(settle(&[], &variable("0")).unwrap().downloads, None);
        let usual = Some(Limits::mebibytes(64));
        assert_eq!(settle(&["--allow-downloads"], &[]).unwrap().downloads, usual);
        assert_eq!(settle(&[], &variable("1")).unwrap().downloads, usual);
        let size = ["--max-download-mb", "3"];
        let given = settle(&[size[0], size[1], "--allow-downloads"], &[]).unwrap();
        assert_eq!(given.downloads.unwrap().bytes, 3 << 20);
        let idle = settle(&size, &[]).unwrap();
        assert_eq!((idle.downloads, idle.warnings.len()), (None, 1));
        for size in ["0", "257", "-1", "much"] {
            assert!(settle(&["--allow-downloads", "--max-download-mb", size], &[]).is_err());
        }
    }

    #[test]
    fn tcp_is_refused_without_a_good_token() {
        let url = ("GODOT_MCP_BRIDGE_URL", "tcp://0.0.0.0:9080");
        let refusal = settle(&[], &[url]).unwrap_err();
        assert!(refusal.contains("GODOT_MCP_BRIDGE_TOKEN"), "{refusal}");
        let refusal = settle(&[], &[url, ("GODOT_MCP_BRIDGE_TOKEN", "hunter2")]).unwrap_err();
        assert!(refusal.contains("16") && !refusal.contains("hunter2"), "{refusal}");
        let token = ("GODOT_MCP_BRIDGE_TOKEN", "0123456789abcdef");
        let settings = settle(&[], &[url, token]).unwrap();
        assert!(!format!("{settings:?}").contains(token.1));
        let remote = settings.remote.unwrap();
        assert_eq!(remote.endpoint().to_string(), "tcp://0.0.0.0:9080");
    }
}
