//! `godot_project_move_file`.

use godot::classes::PackedScene;
use protocol::{
    Fault, Required, ResPath,
    tools::project::{FileMoved, MoveFile},
};

use super::{
    binary::Binaries,
    check_file,
    references::{Project, named_uids},
    rewrite::{Rewrite, Route},
};
use crate::{
    file_change::FileChange,
    file_move::FileMove,
    files::{self, beside, located, made_beside, stem, unreadable},
    folder::{Folder, is_sidecar},
    history,
    plan::{Context, Edit, Plan},
    refresh,
    resource::{check_length, check_target, file_exists, on_disk, reserved_for},
    scene::{self, Scene},
    script_tabs,
    settings::SettingsChange,
    tabs::{Tab, check_closed},
    together,
    undo::Step,
};

impl Edit for MoveFile {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<FileMoved>, Fault> {
        let MoveFile { path, new_path } = self;
        let is_folder = check_source(&path)?;
        check_place(&path, &new_path, is_folder)?;
        let made = if is_folder { Vec::new() } else { made(&path, &new_path)? };
        let route = Route { old: path.to_string(), new: new_path.to_string(), is_folder, made };
        let files = files(&path, &route)?;
        for (_, new) in &files {
            check_length(&res_path(new)?, "new_path")?;
        }
        let project = Project::read()?;
        let mut rewrite = Rewrite::of(&project, &route);
        let binaries = Binaries::of(&project, &route);
        rewrite.references.extend(binaries.references.clone());
        check_open(context, &route, &files, &rewrite, &binaries)?;
        let ends = route.ends().map(|(old, new)| Ok([res_path(old)?, res_path(new)?]));
        let ends = ends.collect::<Result<Vec<[ResPath; 2]>, Fault>>()?;
        let overwritten: Vec<_> =
            ends.iter().map(|[_, new]| new).filter(|it| file_exists(it)).cloned().collect();
        let Losses { mut discards, lost_steps, reads_again, tells_active } =
            losses(context, &route, &rewrite, &binaries);
        discards.extend(overwritten.iter().map(|it| format!("the file that is at '{it}' now")));
        let result = FileMoved {
            old_path: path.to_string(),
            new_path: new_path.to_string(),
            updated_refs: rewrite.references,
            files: files.len(),
            moved: true,
            lost_steps,
            hint: hint(&binaries.left),
        };
        let label = format!("Move {path} to {new_path}");
        let uids = uids(&project, &route);
        let mut steps = vec![Step::MoveFile(FileMove { ends, files: files.clone(), uids })];
        for (file, text) in rewrite.texts {
            let file = res_path(&file)?;
            let (forth, back) = (route.clone(), route.reversed());
            let reword = move |text: &str, is_back: bool| {
                if is_back { &back } else { &forth }.renamed(text).0
            };
            let change = FileChange::write(&file, text.into_bytes());
            steps.push(Step::File(change.rewording(Box::new(reword))));
        }
        steps.extend(binaries.step(route));
        if !rewrite.settings.is_empty() {
            steps.push(Step::Settings(SettingsChange::all(rewrite.settings)));
        }
        let mut steps = together::group(files, steps);
        let removed = overwritten.iter().map(|it| Step::File(FileChange::remove(it)));
        steps.splice(0..0, removed);
        let plan = Plan::project_steps(result, label, steps)
            .then(move |_, result| {
                refresh::when_read_again(result, move |result, lost| {
                    if !tells_active {
                        result.lost_steps.extend(lost);
                    }
                })
            })
            .reading_again(reads_again);
        Ok(match discards.is_empty() {
            true => plan,
            false => plan.discarding(discards.join(", and ")),
        })
    }
}

/// Refuses what cannot be moved. Tells whether it is a folder.
fn check_source(path: &ResPath) -> Result<bool, Fault> {
    let refuse = |why: &str| {
        Err(Fault::invalid(format!("'{path}' {why}.")).requiring(Required::parameter("path")))
    };
    let place = located(path, "path")?;
    if path.relative().is_empty() {
        return refuse("is the whole project");
    }
    if let Some(whose) = reserved_for(path) {
        return refuse(&format!("is kept for {whose}, or holds what is"));
    }
    check_file(path)?;
    if !place.exists() {
        return Err(Fault::not_found(format!("There is no file or folder '{path}'."))
            .requiring(Required::parameter("path")));
    }
    Ok(place.is_dir())
}

/// Refuses a place that it cannot be moved to.
fn check_place(path: &ResPath, new_path: &ResPath, is_folder: bool) -> Result<(), Fault> {
    let refuse = |why: String| {
        Err(Fault::invalid(format!("'{new_path}' {why}."))
            .requiring(Required::parameter("new_path")))
    };
    if path == new_path {
        return refuse("is where it lies already".to_owned());
    }
    check_target(new_path, "new_path")?;
    check_closed(new_path, "new_path")?;
    if is_sidecar(new_path.as_str()) || new_path.relative() == "project.godot" {
        return refuse("is a name that the editor keeps for itself".to_owned());
    }
    if is_folder {
        if new_path.as_str().starts_with(&format!("{path}/")) {
            return refuse("lies in the folder itself".to_owned());
        }
        if file_exists(new_path) {
            return refuse("is a file, and a folder cannot take its place".to_owned());
        }
    } else if path.extension() != new_path.extension() {
        return refuse(format!(
            "must end in '.{}' as before: what a file is, Godot tells by that",
            path.extension()
        ));
    }
    Ok(())
}

/// What the editor has made of a file beside it, each with where it will be.
fn made(path: &ResPath, new_path: &ResPath) -> Result<Vec<(String, String)>, Fault> {
    let import = files::read(&beside(&on_disk(path.as_str()), "import"));
    let import = import.map_err(|error| unreadable(path.as_str(), &error))?.unwrap_or_default();
    let (old, new) = (stem(path.as_str()), stem(new_path.as_str()));
    let made = made_beside(path.as_str(), &String::from_utf8_lossy(&import)).into_iter();
    let made = made.filter(|made| on_disk(made).exists());
    Ok(made
        .filter_map(|made| Some((made.clone(), format!("{new}{}", made.strip_prefix(old)?))))
        .collect())
}

/// The UIDs that texts name together with what moves, each with the path before and after. A file may have
/// had another one than it has now, by which the engine still finds it for those who name that.
fn uids(project: &Project, route: &Route) -> Vec<(String, [String; 2])> {
    let mut uids = Vec::new();
    for text in &project.texts {
        for (uid, path) in named_uids(&text.text).filter(|(_, path)| route.takes(path)) {
            uids.push((uid.to_owned(), [path.to_owned(), route.after(path)]));
        }
    }
    uids.sort();
    uids.dedup();
    uids
}

fn res_path(path: &str) -> Result<ResPath, Fault> {
    ResPath::try_from(path.to_owned()).map_err(Fault::internal)
}

/// The files that move, each with its path before and after.
fn files(path: &ResPath, route: &Route) -> Result<Vec<(String, String)>, Fault> {
    if !route.is_folder {
        let ends = route.ends().map(|(old, new)| (old.to_owned(), new.to_owned()));
        return Ok(ends.collect());
    }
    let mut files = Vec::new();
    Folder::find(path, "path")?
        .each_file(&mut |file| {
            if !is_sidecar(file) {
                files.push((file.to_owned(), route.after(file)));
            }
            true
        })
        .map_err(|error| unreadable(path.as_str(), &error))?;
    Ok(files)
}

/// What goes with open scenes that are read again.
#[derive(Default)]
struct Losses {
    /// In words for the one who is asked to confirm.
    discards: Vec<String>,
    /// The labels of their undo steps.
    lost_steps: Vec<String>,
    /// Whether there is such a scene.
    reads_again: bool,
    /// Whether the steps of the active scene are among them.
    tells_active: bool,
}

/// What goes of the undo histories of open scenes that are read again, as they name what is moved.
fn losses(context: &Context, route: &Route, rewrite: &Rewrite, binaries: &Binaries) -> Losses {
    let mut losses = Losses::default();
    let is_written = |path: &str| {
        let then = route.after(path);
        rewrite.texts.iter().any(|(it, _)| *it == then) || binaries.paths().any(|it| it == path)
    };
    let tabs = context.tabs.all();
    // Each is shown for that, and after the last the one that is active now.
    let leaves_active = tabs.iter().any(|tab| !tab.active && is_written(&tab.path));
    for Tab { path, active, .. } in tabs {
        let why = if is_written(&path) {
            losses.reads_again = true;
            "which is read again"
        } else if active && leaves_active && uses_instance(&is_written) {
            "which the editor makes anew, as a scene that is an instance in it is written"
        } else {
            continue;
        };
        losses.tells_active |= active;
        let steps = history::of_path(&path).map(|it| history::labels(&it)).unwrap_or_default();
        if !steps.is_empty() {
            losses.discards.push(format!("the undo history of '{path}', {why}"));
            losses.lost_steps.extend(steps);
        }
    }
    losses
}

/// Whether the active scene inherits from such a scene, or has an instance of it at any depth.
fn uses_instance(is_such: &impl Fn(&str) -> bool) -> bool {
    let Ok(active) = Scene::active() else { return false };
    let base = refresh::loaded(&active.path()).and_then(|it| it.try_cast::<PackedScene>().ok());
    let base = base.and_then(|scene| scene.get_state()?.get_node_instance(0));
    let mut uses = base.is_some_and(|base| is_such(&base.get_path().to_string()));
    scene::walk(&active.root, &mut |node| {
        uses |= *node != active.root && is_such(&node.get_scene_file_path().to_string());
    });
    uses
}

/// Refuses where the editor has unsaved changes of something that moves or is rewritten.
fn check_open(
    context: &Context,
    route: &Route,
    files: &[(String, String)],
    rewrite: &Rewrite,
    binaries: &Binaries,
) -> Result<(), Fault> {
    let is_touched = |path: &str| {
        route.takes(path)
            || rewrite.texts.iter().any(|(it, _)| it == path)
            || binaries.paths().any(|it| it == path)
    };
    let tabs = context.tabs.all();
    let unsaved = tabs.iter().filter(|tab| tab.dirty != Some(false) && is_touched(&tab.path));
    let unsaved: Vec<&str> = unsaved.map(|tab| &*tab.path).collect();
    if let Some(first) = unsaved.first() {
        return Err(Fault::precondition(
            Required::SCENE_SAVED,
            format!(
                "The open scene '{first}' has unsaved changes, and names what is to be moved. Save it \
                 with godot_scene_edit_save_all_scenes first. In a batch, put the move into one of \
                 its own, before the entries that edit the scene."
            ),
        )
        .with("scenes", unsaved));
    }
    let texts = rewrite.texts.iter().map(|(path, _)| path);
    files.iter().map(|(old, _)| old).chain(texts).try_for_each(|it| script_tabs::check_saved(it))
}

/// Who names it, is no text, and cannot be saved anew.
fn hint(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| {
        format!(
            "These files are not text and were not rewritten, as they are broken, name files that are \
             missing, or have unsaved changes; they find it by its UID as long as it has one. Open and \
             save them: {}.",
            files.join(", ")
        )
    })
}
