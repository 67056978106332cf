//! `core`: the class reference, the undo history, and a look at all that may be wrong. The rest of this toolset is the gateway's.

mod debug_workflow;
mod describe_class;
mod findings;
mod list_history;
mod redo;
mod undo;

use protocol::{ErrorCode, Fault, Required, bounds::StepCount, tools::core::HistoryMove};

use crate::{
    history::{self, Direction, Foreseen, labels, made_by},
    plan::Context,
    scene::Scene,
    scene_save,
    undo::kept,
};

/// The steps that an undo or redo of `count` would take. Refused where one of them is the human's and
/// the call is for the agent's own only; and where files have changed since, unless these are to be
/// left as they are.
fn foretell(
    context: &Context,
    direction: Direction,
    count: StepCount,
    only_agent: bool,
    leaves_changed: bool,
) -> Result<Vec<Foreseen>, Fault> {
    let count = usize::try_from(count.get()).unwrap_or_default();
    let steps = context.histories.foretell(direction, count);
    if let Some(Foreseen { step, .. }) = steps.iter().find(|it| only_agent && it.step.by != "agent")
    {
        return Err(Fault::new(
            ErrorCode::PreconditionFailed,
            format!(
                "'{}' is a step of the human and not of an agent, and only_agent is set. Nothing was \
                 changed; ask the human, or take fewer steps.",
                step.action
            ),
        )
        .requiring(Required::parameter("only_agent"))
        .with("steps", listing(&steps)));
    }
    for (index, foreseen) in steps.iter().enumerate() {
        let for_their_sake = |fault: &&Fault| kept::is_for_their_sake(fault);
        let other = foreseen.faults.iter().find(|fault| !for_their_sake(fault));
        match other.or(foreseen.faults.first()) {
            Some(fault) if other.is_some() || !leaves_changed => {
                return Err(refused(fault, foreseen, index));
            }
            _ => {}
        }
    }
    Ok(steps)
}

/// Why a step cannot be taken, and the ways on.
fn refused(fault: &Fault, foreseen: &Foreseen, index: usize) -> Fault {
    let action = &foreseen.step.action;
    let mut hint = format!("{} It is part of the step '{action}'; no step was taken.", fault.hint);
    if index > 0 {
        hint += &format!(" The {index} before it can be: repeat with count={index}.");
    }
    let mut fault = fault.clone();
    if kept::is_for_their_sake(&fault) {
        hint += " To take the step and all before it, and leave the files in skipped_files as they \
                 are on the disk, repeat with skip_changed_files=true.";
        fault = fault
            .requiring(Required::parameter("skip_changed_files"))
            .with("skipped_files", foreseen.leave.files());
    }
    Fault { hint, ..fault }.with("action", action.as_str()).with("steps_before", index)
}

fn listing(steps: &[Foreseen]) -> serde_json::Value {
    let steps: Vec<_> = steps.iter().map(|foreseen| &foreseen.step).collect();
    serde_json::to_value(steps).unwrap_or_default()
}

/// The files that would be left as they are.
fn left(steps: &[Foreseen]) -> Vec<String> {
    let mut files: Vec<String> =
        steps.iter().flat_map(|foreseen| foreseen.leave.files()).cloned().collect();
    files.sort();
    files.dedup();
    files
}

/// The steps of open scenes whose files would be written: such a scene is read again, unless it has
/// unsaved changes.
fn lost_steps(context: &Context, steps: &[Foreseen]) -> Vec<String> {
    let is_written = |path: &String| {
        steps.iter().any(|it| it.writes.contains(path) && !it.leave.files().contains(path))
    };
    let tabs = context.tabs.all().into_iter();
    let read_again = tabs.filter(|tab| tab.dirty == Some(false) && is_written(&tab.path));
    read_again.filter_map(|tab| history::of_path(&tab.path)).flat_map(|it| labels(&it)).collect()
}

/// What is to be said of files that are left as they are.
fn hint(left: &[String]) -> Option<String> {
    (!left.is_empty()).then(|| {
        format!(
            "Left as on the disk, as somebody else changed them since: {}. Read them, and write what \
             they should be.",
            left.join(", ")
        )
    })
}

/// What became of foretold steps.
struct Taken {
    steps: Vec<HistoryMove>,
    /// The files that were left as they are.
    left: Vec<String>,
    hint: Option<String>,
}

/// Takes `steps` as foretold, one after the other.
fn take(context: &Context, direction: Direction, steps: &[Foreseen]) -> Result<Taken, Fault> {
    let mut taken = Taken { steps: Vec::new(), left: Vec::new(), hint: None };
    let mut hints = Vec::new();
    scene_save::take_notes();
    for foreseen in steps {
        match context.histories.take(direction, &foreseen.leave) {
            Ok((step, left)) => {
                scene_save::catch_up(&context.tabs);
                taken.steps.push(step);
                taken.left.extend(left);
            }
            Err(fault) if taken.steps.is_empty() => return Err(fault),
            // What was done stays done, and the answer says how much that is.
            Err(fault) => {
                hints.push(format!("It stopped before the next step: {}", fault.hint));
                break;
            }
        }
    }
    if let Ok(scene) = Scene::active() {
        context.tabs.stepped(&scene);
    }
    taken.left.sort();
    taken.left.dedup();
    hints.extend(hint(&taken.left));
    hints.extend(scene_save::take_notes());
    taken.hint = (!hints.is_empty()).then(|| hints.join(" "));
    Ok(taken)
}

/// The label of the step that would be taken next.
fn next(context: &Context, direction: Direction) -> Option<String> {
    context.histories.foretell(direction, 1).pop().map(|next| next.step.action)
}

/// One step of a history, as it is listed.
fn listed(name: String, undone: bool) -> protocol::tools::core::HistoryStep {
    let by = made_by(&name).to_owned();
    protocol::tools::core::HistoryStep { name, by, undone }
}
