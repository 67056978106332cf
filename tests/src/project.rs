//! A copy of the sample game with the add-on in it, and the private folders of an editor for it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{scene_file::SceneFile, setup::Setup};

/// The folder of the add-on in a project.
const ADDON: &str = "addons/godot_mcp";

/// A plugin of the tests' own, which does in the editor what only its user could do.
const HANDS: &str = "addons/e2e_hands";

/// A project that a test may change, in a folder that goes away with it.
#[derive(Debug)]
pub struct Project {
    folder: PathBuf,
    keep: TempDir,
}

impl Project {
    /// A copy of `godot-project`.
    pub fn new() -> Project {
        Project::named("game")
    }

    /// A copy in a folder of that name.
    pub fn named(name: &str) -> Project {
        let setup = Setup::get();
        let source = setup.repository.join("godot-project");
        let keep = TempDir::with_prefix("godot-mcp-e2e-").unwrap();
        let folder = keep.path().join(name);
        copy_folder(&source, &folder, &[".godot", "addons"]).unwrap();
        let addon = source.join(ADDON);
        assert!(
            addon.join("addon.gdextension").exists(),
            "the add-on is not in godot-project; run `cargo xtask link` first"
        );
        link_folder(&addon, &folder.join(ADDON)).unwrap();

        let hands = folder.join(HANDS);
        fs::create_dir_all(&hands).unwrap();
        fs::write(hands.join("plugin.cfg"), include_str!("hands/plugin.cfg")).unwrap();
        fs::write(hands.join("hands.gd"), include_str!("hands/hands.gd")).unwrap();
        let settings = folder.join("project.godot");
        let mut text = fs::read_to_string(&settings).unwrap();
        let enabled = format!("enabled=PackedStringArray(\"res://{HANDS}/plugin.cfg\")");
        // Sections are in order, as the engine itself would write them.
        text = text.replace("[input]\n", &format!("[editor_plugins]\n\n{enabled}\n\n[input]\n"));
        fs::write(&settings, text).unwrap();

        for name in ["run", "config", "data", "work"] {
            fs::create_dir(keep.path().join(name)).unwrap();
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let private = fs::Permissions::from_mode(0o700);
            fs::set_permissions(keep.path().join("run"), private).unwrap();
        }
        let project = Project { folder, keep };
        project.set_editor_settings("");
        project
    }

    /// The folder of the project.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file of the project, by its `res://` path.
    pub fn file(&self, path: &str) -> PathBuf {
        self.folder.join(path.strip_prefix("res://").unwrap_or(path))
    }

    /// The text of a file, by its `res://` path.
    pub fn read(&self, path: &str) -> String {
        let file = self.file(path);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// A scene of the project as it is on disk.
    pub fn scene(&self, path: &str) -> SceneFile {
        SceneFile::parse(&self.read(path))
    }

    /// The private folder where this project's editors and gateways meet.
    pub fn rendezvous(&self) -> PathBuf {
        self.keep.path().join("run")
    }

    /// A folder for what tests leave around: logs and messages.
    pub fn work(&self) -> PathBuf {
        self.keep.path().join("work")
    }

    /// Writes the settings of the editor, which it reads at its next start.
    pub fn set_editor_settings(&self, lines: &str) {
        let folder = self.keep.path().join("config/godot");
        fs::create_dir_all(&folder).unwrap();
        // A port that no other editor has, as several may run beside each other.
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).and_then(|it| it.local_addr());
        let port = format!("network/language_server/remote_port = {}\n", free.unwrap().port());
        let head = "[gd_resource type=\"EditorSettings\" format=3]\n\n[resource]\n";
        let text = format!("{head}{port}{lines}");
        // Each minor version has a file of its own.
        for minor in 4..12 {
            fs::write(folder.join(format!("editor_settings-4.{minor}.tres")), &text).unwrap();
        }
    }

    /// A command that runs Godot on this project, away from the settings of whoever runs the
    /// tests.
    pub fn godot(&self) -> Command {
        let mut command = self.godot_in_window();
        command.arg("--headless");
        command
    }

    /// The same with a window, for which the caller sets `DISPLAY`.
    pub fn godot_in_window(&self) -> Command {
        let mut command = Command::new(&Setup::get().godot);
        command.arg("--path").arg(&self.folder);
        command
            .env("XDG_CONFIG_HOME", self.keep.path().join("config"))
            .env("XDG_DATA_HOME", self.keep.path().join("data"))
            .env("XDG_CACHE_HOME", &Setup::get().cache)
            .env("GODOT_MCP_RUNTIME_DIR", self.rendezvous())
            .env("E2E_HANDS", self.work())
            .env_remove("GODOT_MCP_DISABLE")
            .env_remove("GODOT_MCP_BRIDGE_URL")
            .env_remove("DISPLAY");
        command
    }
}

impl Default for Project {
    fn default() -> Project {
        Project::new()
    }
}

fn copy_folder(from: &Path, to: &Path, except: &[&str]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if except.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to, except)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Links rather than copies: a library with debug information is large.
fn link_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            link_folder(&entry.path(), &to)?;
            continue;
        }
        let source = fs::canonicalize(entry.path())?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(source, to)?;
        #[cfg(not(unix))]
        fs::copy(source, to).map(drop)?;
    }
    Ok(())
}
