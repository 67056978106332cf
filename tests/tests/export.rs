//! Exports of a project that has the add-on: nothing of it is in them.
//!
//! Exports of whole games need export templates. Where the machine has none, packs are exported, which
//! need none, and run with the Godot at hand.

use std::{
    fs,
    path::Path,
    process::{ExitCode, Stdio},
};

use e2e::{
    cases::run_alone,
    client::Client,
    editor::{Editor, assert_no_leaks},
    project::Project,
    world::wait_connected,
};
use serde_json::{Value, json};

fn main() -> ExitCode {
    run_alone(&[
        ("an exported game has no file of the add-on, and runs without a word of it", games),
        (
            "a pack has nothing of the add-on, and an export that fails leaves the project whole",
            packs,
        ),
        ("an editor that died in an export is made good by the next", healed),
        ("the settings of the project stay as they are, whatever is done", settings),
    ])
}

/// What the engine knows of the project's extensions and ids.
const KEPT: [&str; 2] = ["res://.godot/extension_list.cfg", "res://.godot/uid_cache.bin"];

/// A sign of the add-on in any file.
const SIGN: &[u8] = b"godot_mcp";

fn games() {
    let project = prepared();
    let Some([debug, release]) = templates(&project) else {
        return eprintln!("no export templates are at hand: only packs were exported");
    };
    presets(&project, &debug, &release);
    for order in ["--export-debug", "--export-release"] {
        let folder = project.work().join(order);
        fs::create_dir(&folder).unwrap();
        let game = folder.join("game.x86_64");
        let before = kept(&project);
        let log = godot(&project, &[order, "Linux", &game.to_string_lossy()], true);
        assert!(!log.contains("WARNING"), "{order}: {log}");
        assert_eq!(kept(&project), before, "{order} changed what the engine keeps");
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|it| it.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["game.pck", "game.x86_64"], "{order}");
        assert_clean(&folder.join("game.pck"));
        let (code, log) = inside(&project, &game, &["--headless", "--quit-after", "30"]);
        assert_eq!(code, 0, "{order}: {log}");
        // Release builds of some Godots complain about the game's own containers when these go.
        let without =
            if log.contains("ERROR") { without(order, &debug, &release) } else { log.clone() };
        let theirs: Vec<String> = without.lines().map(without_numbers).collect();
        let ours = log.lines().filter(|line| !theirs.contains(&without_numbers(line)));
        assert_silent(order, &ours.collect::<Vec<_>>().join("\n"));
        assert!(!log.to_lowercase().contains("mcp"), "{order}: {log}");
    }
}

/// What the same game prints where its project has never had the add-on.
fn without(order: &str, debug: &str, release: &str) -> String {
    let project = Project::new();
    fs::remove_dir_all(project.file("res://addons/godot_mcp")).unwrap();
    presets(&project, debug, release);
    let game = project.work().join("game.x86_64");
    godot(&project, &[order, "Linux", &game.to_string_lossy()], true);
    inside(&project, &game, &["--headless", "--quit-after", "30"]).1
}

/// A line without what differs from run to run.
fn without_numbers(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn packs() {
    let project = prepared();
    presets(&project, "", "");
    let before = kept(&project);
    let pack = project.work().join("game.pck");
    godot(&project, &["--export-pack", "Linux", &pack.to_string_lossy()], true);
    assert_clean(&pack);
    assert_eq!(kept(&project), before);
    // The Godot at hand is an editor's, for which the library is meant: it must not be looked for.
    let alone = project.work().join("alone");
    fs::create_dir(&alone).unwrap();
    let mut command = project.godot();
    command.arg("--path").arg(&alone).arg("--main-pack").arg(&pack).args(["--quit-after", "30"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let log = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{}\n{log}", output.status);
    assert_silent("the game of the pack", &log);

    let nowhere = project.work().join("no such folder/game.pck");
    godot(&project, &["--export-pack", "Linux", &nowhere.to_string_lossy()], false);
    assert_eq!(kept(&project), before, "the export that failed left its traces");
}

fn healed() {
    let project = prepared();
    // As an editor leaves it that dies in the middle of an export.
    let list = project.file(KEPT[0]);
    let whole = fs::read_to_string(&list).unwrap();
    assert!(whole.contains("addons/godot_mcp"), "{whole}");
    fs::write(&list, whole.replace("res://addons/godot_mcp/addon.gdextension\n", "")).unwrap();
    presets(&project, "", "");
    // Another export comes before any editor does.
    let pack = project.work().join("game.pck");
    godot(&project, &["--export-pack", "Linux", &pack.to_string_lossy()], true);
    assert_clean(&pack);
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    client.close();
    editor.quit();
    assert_eq!(fs::read_to_string(&list).unwrap(), whole);
}

fn settings() {
    let project = Project::new();
    presets(&project, "", "");
    let text = || fs::read(project.file("res://project.godot")).unwrap();
    let before = text();
    let mut client = Client::start(&project);
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    editor.hands(&json!({"do": "enable", "on": false}));
    editor.hands(&json!({"do": "enable", "on": true}));
    wait_connected(&mut client, &mut editor);
    editor.quit();
    let pack = project.work().join("game.pck").to_string_lossy().into_owned();
    let script = "extends SceneTree\n\nfunc _init() -> void:\n\tquit()\n";
    fs::write(project.file("res://quit.gd"), script).unwrap();
    let runs: [&[&str]; 4] = [
        &["--import"],
        &["--export-pack", "Linux", &pack],
        &["--script", "res://quit.gd"],
        &["--quit"],
    ];
    for run in runs {
        godot(&project, run, true);
        assert_eq!(text(), before, "{run:?} changed project.godot");
    }
    let mut editor = Editor::start(&project);
    wait_connected(&mut client, &mut editor);
    editor.hands(&json!({"do": "enable", "on": false}));
    editor.quit();
    client.close();
    assert_eq!(text(), before, "project.godot was changed");
}

/// A project whose files are imported, and that knows the add-on.
fn prepared() -> Project {
    let project = Project::new();
    godot(&project, &["--import"], true);
    // Otherwise nothing could be found in a pack.
    for bytes in kept(&project) {
        assert!(bytes.windows(SIGN.len()).any(|it| it == SIGN));
    }
    project
}

/// Two presets that differ in nothing but the templates that they name. The tests' own plugin stays out.
fn presets(project: &Project, debug: &str, release: &str) {
    let text = format!(
        "[preset.0]\n\nname=\"Linux\"\nplatform=\"Linux\"\nrunnable=true\n\
         export_filter=\"all_resources\"\ninclude_filter=\"*.gdextension, LICENSE\"\n\
         exclude_filter=\"addons/e2e_hands/*\"\nexport_path=\"\"\n\n[preset.0.options]\n\n\
         custom_template/debug=\"{debug}\"\ncustom_template/release=\"{release}\"\n\
         debug/export_console_wrapper=0\nbinary_format/embed_pck=false\nbinary_format/architecture=\"x86_64\"\n\
         texture_format/s3tc_bptc=true\n"
    );
    fs::write(project.file("res://export_presets.cfg"), text).unwrap();
}

/// The templates of Debian's packages, for debug and release, as the engine sees them.
fn templates(project: &Project) -> Option<[String; 2]> {
    let paths = ["debug", "release"].map(|kind| format!("/usr/bin/godot-template-{kind}"));
    let program = Path::new("/bin/sh");
    let is_there =
        |path: &String| inside(project, program, &["-c", &format!("test -x {path}")]).0 == 0;
    paths.iter().all(is_there).then_some(paths)
}

/// Runs Godot as a tool, and demands that it ends well, or badly, and that it is not heard of us.
fn godot(project: &Project, arguments: &[&str], works: bool) -> String {
    let output = project.godot().args(arguments).stdin(Stdio::null()).output().unwrap();
    let log = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.success(), works, "{arguments:?}: {}\n{log}", output.status);
    assert_no_leaks(&log);
    assert!(!works || !log.contains("ERROR"), "{arguments:?}: {log}");
    // What is exported says its own path, which has the word.
    let work = project.folder().parent().unwrap().to_string_lossy().into_owned();
    let told = log.replace(&work, "").to_lowercase();
    assert!(!told.contains("mcp"), "{arguments:?} printed something of ours: {log}");
    log
}

/// Runs a program where Godot runs, which may be in a system of its own, and gives its exit code and all
/// that it printed.
fn inside(project: &Project, program: &Path, arguments: &[&str]) -> (i64, String) {
    const SCRIPT: &str = "extends SceneTree\n\nfunc _init() -> void:\n\
        \tvar order: PackedStringArray = OS.get_cmdline_user_args()\n\
        \tvar output := []\n\
        \tvar code := OS.execute(order[1], order.slice(2), output, true)\n\
        \tFileAccess.open(order[0], FileAccess.WRITE).store_string(JSON.stringify([code, output[0]]))\n\
        \tquit()\n";
    let script = project.work().join("inside.gd");
    fs::write(&script, SCRIPT).unwrap();
    let answer = project.work().join("inside.json");
    let mut command = project.godot();
    command.arg("--script").arg(&script).arg("--").args([&answer, program]).args(arguments);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&fs::read(&answer).unwrap()).unwrap();
    (told[0].as_i64().unwrap(), told[1].as_str().unwrap().to_owned())
}

fn assert_clean(pack: &Path) {
    let bytes = fs::read(pack).unwrap();
    let has = |sign: &[u8]| bytes.windows(sign.len()).any(|it| it == sign);
    assert!(has(b"project.binary") && has(b"scenes/main.tscn"), "{} is no pack", pack.display());
    assert!(!has(SIGN), "{} names the add-on", pack.display());
    assert!(!has(b"gdextension"), "{} names an extension", pack.display());
}

fn assert_silent(what: &str, log: &str) {
    assert_no_leaks(log);
    for sign in ["ERROR", "WARNING", "mcp", "gdextension", "GDExtension"] {
        assert!(!log.contains(sign), "{what} printed {sign:?}: {log}");
    }
}

fn kept(project: &Project) -> Vec<Vec<u8>> {
    KEPT.iter().map(|path| fs::read(project.file(path)).unwrap()).collect()
}
