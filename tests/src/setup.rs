//! What is tried, and where it is.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// The programs under test. `cargo xtask` says where they are; without it, they are looked for
/// where `cargo build` and `cargo xtask godot` put them.
#[derive(Debug)]
pub struct Setup {
    /// The top of the repository.
    pub repository: PathBuf,
    /// A Godot executable.
    pub godot: PathBuf,
    /// The gateway.
    pub gateway: PathBuf,
    /// What Godot computes once for all projects, such as the class reference.
    pub cache: PathBuf,
}

impl Setup {
    /// The setup of this process.
    pub fn get() -> &'static Setup {
        static SETUP: OnceLock<Setup> = OnceLock::new();
        SETUP.get_or_init(|| {
            let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
            let told = |name| env::var_os(name).map(PathBuf::from);
            let gateway = told("E2E_GATEWAY").unwrap_or_else(beside_this_program);
            let setup = Setup {
                godot: told("E2E_GODOT").unwrap_or_else(|| ask_for_godot(&repository)),
                cache: gateway.with_file_name("e2e-cache"),
                gateway,
                repository,
            };
            std::fs::create_dir_all(&setup.cache).unwrap();
            assert!(
                setup.gateway.is_file(),
                "there is no gateway at {}; run `cargo xtask link` first",
                setup.gateway.display()
            );
            setup
        })
    }
}

fn ask_for_godot(repository: &Path) -> PathBuf {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["xtask", "godot"])
        .current_dir(repository)
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo can be run");
    assert!(output.status.success(), "`cargo xtask godot` failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end())
}

/// Test programs lie in `target/<profile>/deps`, others in `target/<profile>`.
fn beside_this_program() -> PathBuf {
    let program = env::current_exe().unwrap();
    let mut folder = program.parent().unwrap();
    if folder.ends_with("deps") {
        folder = folder.parent().unwrap();
    }
    folder.join(format!("godot-mcp{}", env::consts::EXE_SUFFIX))
}
