//! The rendezvous directory: one private folder a user, in which every process of ours shows that
//! it is alive.
//!
//! A gateway holds `gw-<pid>.lock` and listens on `gw-<pid>.sock`; an editor holds `ed-<pid>.lock`,
//! says in `ed-<pid>.json` which project it has open, and listens on `ed-<pid>.sock` for its games.
//! Liveness is a lock that the system frees when its holder dies, however it dies: no heartbeat, no
//! trust in process ids. What the dead leave behind is removed by whoever sees it first; nothing else
//! is ever touched.

use std::{
    env, fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process, thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::{
    platform,
    stream::{Endpoint, Listener},
};

/// The environment variable that puts the directory elsewhere.
pub const OVERRIDE: &str = "GODOT_MCP_RUNTIME_DIR";

/// How long a process tries to take its own lock, which others hold only to look at it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// The directory, made and checked: it is ours alone.
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
}

/// An editor that is alive, connected or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditorPresence {
    /// Its process.
    pub pid: u32,
    /// The folder of the project it has open.
    pub project: String,
}

/// The held sign that this process is alive. Dropping it takes the sign down.
#[derive(Debug)]
pub struct Presence {
    stem: PathBuf,
    _lock: fs::File,
}

/// What all processes of one user share, and nobody else can read.
#[derive(Clone)]
pub struct Secret(pub(crate) [u8; 32]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Directory {
    /// The directory that every process of this user finds, whatever its environment: MCP clients
    /// start servers with a stripped one, so neither `XDG_RUNTIME_DIR` nor `TMPDIR` has a say.
    ///
    /// # Errors
    /// If it cannot be made, or is not private to this user.
    pub fn open() -> io::Result<Directory> {
        match env::var_os(OVERRIDE) {
            Some(path) if !path.is_empty() => Directory::at(PathBuf::from(path)),
            _ => Directory::at(platform::runtime_dir()?),
        }
    }

    /// The directory at `path`. Its parents may be links; it must not be one itself.
    ///
    /// # Errors
    /// If it cannot be made, or is not private to this user.
    pub fn at(path: PathBuf) -> io::Result<Directory> {
        platform::make_private_dir(&path)?;
        Ok(Directory { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts to listen as a gateway.
    ///
    /// # Errors
    /// If the socket or the lock cannot be made.
    pub fn announce_gateway(&self) -> io::Result<Listener> {
        let presence = self.announce(&format!("gw-{}", process::id()))?;
        Listener::local(presence.stem.with_extension("sock"), Some(presence))
    }

    /// Shows that this process is an editor with `project` open.
    ///
    /// # Errors
    /// If the lock cannot be made.
    pub fn announce_editor(&self, project: &str) -> io::Result<Presence> {
        let presence = self.announce(&format!("ed-{}", process::id()))?;
        let facts = EditorPresence { pid: process::id(), project: project.to_owned() };
        write_private(&presence.stem.with_extension("json"), &serde_json::to_vec(&facts)?)?;
        Ok(presence)
    }

    /// Starts to listen for the games of the editor that has shown itself by `presence`, which takes
    /// the socket down, too.
    ///
    /// # Errors
    /// If the socket cannot be made.
    pub fn listen_for_games(&self, presence: &Presence) -> io::Result<Listener> {
        Listener::local(presence.stem.with_extension("sock"), None)
    }

    /// Where the editor with this process listens for its games, if it does.
    pub fn editor(&self, pid: u32) -> Endpoint {
        Endpoint::Local(self.path.join(format!("ed-{pid}.sock")))
    }

    /// The sockets of all gateways that are alive.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn live_gateways(&self) -> io::Result<Vec<Endpoint>> {
        let stems = self.live("gw-")?;
        Ok(stems.into_iter().map(|stem| Endpoint::Local(stem.with_extension("sock"))).collect())
    }

    /// All editors that are alive.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn live_editors(&self) -> io::Result<Vec<EditorPresence>> {
        let stems = self.live("ed-")?;
        // Between taking its lock and writing its facts an editor has none yet.
        let facts = |stem: PathBuf| {
            let text = fs::read(stem.with_extension("json")).ok()?;
            serde_json::from_slice(&text).ok()
        };
        Ok(stems.into_iter().filter_map(facts).collect())
    }

    /// The secret of this user, made when it is first asked for.
    ///
    /// # Errors
    /// If it cannot be read or made, or has another length.
    pub fn secret(&self) -> io::Result<Secret> {
        let path = self.path.join("secret");
        if !path.exists() {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(io::Error::other)?;
            let draft = self.path.join(format!("secret.{}", process::id()));
            write_private(&draft, &bytes)?;
            // A link is made whole or not at all, and never over another one's secret.
            let linked = fs::hard_link(&draft, &path);
            fs::remove_file(&draft)?;
            if let Err(error) = linked
                && error.kind() != io::ErrorKind::AlreadyExists
            {
                return Err(error);
            }
        }
        platform::check_private_file(&path)?;
        let mut bytes = Vec::new();
        fs::File::open(&path)?.take(33).read_to_end(&mut bytes)?;
        let bytes = bytes.try_into().map_err(|_| {
            io::Error::other(format!("{} does not hold 32 bytes; delete it", path.display()))
        })?;
        Ok(Secret(bytes))
    }

    /// Takes the lock called `name` for as long as the process lives.
    fn announce(&self, name: &str) -> io::Result<Presence> {
        let stem = self.path.join(name);
        let path = stem.with_extension("lock");
        let give_up = Instant::now() + PATIENCE;
        let mut pause = Duration::from_millis(1);
        while Instant::now() < give_up {
            let lock =
                fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            match lock.try_lock() {
                // Somebody who tidies up may have removed the file between our two steps.
                Ok(()) if platform::is_at(&lock, &path) => {
                    return Ok(Presence { stem, _lock: lock });
                }
                // Somebody who looks for the living holds the lock for a moment.
                Ok(()) | Err(fs::TryLockError::WouldBlock) => {
                    drop(lock);
                    thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(fs::TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AddrInUse, format!("{} is taken", path.display())))
    }

    /// The names of the living whose kind is `prefix`, in order; what the dead left is removed.
    fn live(&self, prefix: &str) -> io::Result<Vec<PathBuf>> {
        let mut stems = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let path = entry.path();
            // A link may lead to somebody else's file, and a lock of ours never is one.
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if !is_file || !is_lock_of_ours(&path, prefix) {
                continue;
            }
            let Ok(lock) = fs::OpenOptions::new().write(true).open(&path) else { continue };
            let stem = path.with_extension("");
            match lock.try_lock() {
                Err(fs::TryLockError::WouldBlock) => stems.push(stem),
                Err(fs::TryLockError::Error(error)) => return Err(error),
                // What was opened may be gone already, and in its place the lock of somebody who
                // has just come to life.
                Ok(()) if platform::is_at(&lock, &path) => remove_traces(&stem),
                Ok(()) => {}
            }
        }
        stems.sort();
        Ok(stems)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        remove_traces(&self.stem);
    }
}

/// Whether a file is called as our locks are: the kind, the process and `.lock`.
fn is_lock_of_ours(path: &Path, kind: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let pid = name.strip_prefix(kind).and_then(|rest| rest.strip_suffix(".lock"));
    pid.is_some_and(|pid| pid.parse::<u32>().is_ok_and(|number| number.to_string() == pid))
}

/// Removes what one process keeps in the directory, its lock last. Somebody else may be faster.
fn remove_traces(stem: &Path) {
    for extension in ["sock", "json", "lock"] {
        let _ = fs::remove_file(stem.with_extension(extension));
    }
}

/// Writes a file that only this user can read, whole or not at all.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = platform::create_private_file(&draft)?;
    file.write_all(bytes)?;
    drop(file);
    fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn directory() -> (tempfile::TempDir, Directory) {
        let parent = tempfile::tempdir().unwrap();
        let directory = Directory::at(parent.path().join("run")).unwrap();
        (parent, directory)
    }

    #[test]
    fn the_living_are_seen_and_the_dead_are_tidied_up() {
        let (_parent, directory) = directory();
        let editor = directory.announce_editor("/somewhere").unwrap();
        fs::write(directory.path().join("ed-1.lock"), "").unwrap();
        fs::write(directory.path().join("ed-1.json"), "{}").unwrap();
        let seen = directory.live_editors().unwrap();
        assert_eq!(seen, [EditorPresence { pid: process::id(), project: "/somewhere".into() }]);
        assert!(!directory.path().join("ed-1.json").exists());
        drop(editor);
        assert_eq!(directory.live_editors().unwrap(), []);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_game_finds_its_editor() {
        let (_parent, directory) = directory();
        let presence = directory.announce_editor("/somewhere").unwrap();
        let listener = directory.listen_for_games(&presence).unwrap();
        let endpoint = directory.editor(process::id());
        assert_eq!(listener.endpoint(), &endpoint);
        let (dialed, accepted) = tokio::join!(crate::dial(&endpoint), listener.accept());
        assert!(dialed.is_ok() && accepted.is_ok());
        drop((listener, presence));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_process_is_announced_while_others_look() {
        let (_parent, directory) = directory();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        directory.live("ed-").unwrap();
                    }
                });
            }
            let outcomes: Vec<bool> = (0..50)
                .map(|_| {
                    let presence = directory.announce("ed-1");
                    thread::sleep(Duration::from_millis(1));
                    presence.is_ok() && directory.path().join("ed-1.lock").exists()
                })
                .collect();
            done.store(true, Ordering::Relaxed);
            assert_eq!(outcomes, [true; 50]);
        });
    }

    #[test]
    fn everybody_reads_the_same_secret() {
        let (_parent, directory) = directory();
        let first = directory.secret().unwrap();
        assert_eq!(first.0, directory.secret().unwrap().0);
        fs::write(directory.path().join("secret"), "short").unwrap();
        assert!(directory.secret().is_err());
    }

    #[test]
    fn a_foreign_file_is_left_alone() {
        let (_parent, directory) = directory();
        // A socket without a lock is nobody of ours, whoever listens on it.
        let foreign = ["gw-notes.txt", "gw-notes.lock", "gw-1x.lock", "gw-7.sock", "ed-07.lock"];
        for name in foreign {
            fs::write(directory.path().join(name), "mine").unwrap();
        }
        assert_eq!(directory.live_gateways().unwrap(), []);
        assert_eq!(directory.live_editors().unwrap(), []);
        for name in foreign {
            assert_eq!(fs::read(directory.path().join(name)).unwrap(), b"mine", "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_lock_is_left_alone() {
        let (parent, directory) = directory();
        let victim = parent.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        let planted = directory.path().join("gw-7.lock");
        std::os::unix::fs::symlink(&victim, &planted).unwrap();
        assert_eq!(directory.live_gateways().unwrap(), []);
        assert!(planted.is_symlink());
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn only_a_private_folder_will_do() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let parent = tempfile::tempdir().unwrap();
        let open = parent.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Directory::at(open).is_err());

        let real = parent.path().join("real");
        Directory::at(real.clone()).unwrap();
        let alias = parent.path().join("alias");
        symlink(&real, &alias).unwrap();
        assert!(Directory::at(alias.clone()).is_err());
        assert!(Directory::at(alias.join("below")).is_ok());
    }
}
