//! `godot_project_delete_resource_file`.

use protocol::{
    Fault, ResPath,
    tools::project::{DeleteResourceFile, FileDeleted},
};

use super::{check_file, references::Project};
use crate::{
    file_change::FileChange,
    files::{beside, content},
    plan::{Context, Edit, Plan, Progress},
    resource::{check_target, global_classes, on_disk, uid_of},
    script_tabs,
    tools::scene_edit::{
        close_scene::{check_can_close, close},
        losses,
    },
    undo::Step,
};

impl Edit for DeleteResourceFile {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<FileDeleted>, Fault> {
        let path = self.path;
        check_target(&path, "path")?;
        check_file(&path)?;
        content(&path, "path")?;
        script_tabs::check_saved(path.as_str())?;
        let tab = context.tabs.all().into_iter().find(|tab| tab.path == path.as_str());
        if tab.is_some() {
            check_can_close()?;
        }
        let (project, uid) = (Project::read()?, uid_of(path.as_str()));
        let class = global_classes().into_iter().find(|class| class.path == path.as_str());
        let dependents = match class {
            Some(class) => project.dependents_of_class(path.as_str(), uid.as_deref(), &class.name),
            None => project.dependents(path.as_str(), uid.as_deref()),
        };
        let result = FileDeleted {
            path: path.to_string(),
            deleted: true,
            had_uid: beside(&on_disk(path.as_str()), "uid").exists(),
            tab_closed: tab.is_some() || script_tabs::is_open(path.as_str()),
            hint: hint(&path, dependents.len()),
            dependents,
        };
        let label = format!("Delete {path}");
        let steps = vec![Step::File(FileChange::remove(&path))];
        let plan = Plan::project_steps(result, label, steps);
        let Some(tab) = tab else { return Ok(plan) };
        let plan = plan.closing(path.clone()).then(move |context, result| {
            let failed = FileDeleted { tab_closed: false, ..result.clone() };
            match close(context, path.to_string(), result) {
                Ok(mut closing) => Progress::Waiting(Box::new(move |context| {
                    Some(Ok(closing(context)?.unwrap_or_else(|_| failed.clone())))
                })),
                Err(_) => Progress::Done(failed),
            }
        });
        // The history of an open scene may hold steps on files as well.
        Ok(plan.discarding(losses(&tab).0))
    }
}

fn hint(path: &ResPath, dependents: usize) -> Option<String> {
    (dependents > 0).then(|| {
        format!(
            "{dependents} files name '{path}' or its class and will not find it: change them, or move the file with \
             godot_project_move_file instead."
        )
    })
}
