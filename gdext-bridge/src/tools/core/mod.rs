//! `core`: the class reference and the undo history. The rest of this toolset is the gateway's.

mod describe_class;
mod list_history;
mod redo;
mod undo;

use protocol::{Fault, bounds::StepCount, tools::core::HistoryMove};

use crate::{
    history::{Direction, made_by},
    plan::Context,
    scene::Scene,
};

/// The steps that an undo or redo of `count` would take. Refused where one of them is the human's
/// and the call is for the agent's own only.
fn foretell(
    context: &Context,
    direction: Direction,
    count: StepCount,
    only_agent: bool,
) -> Result<Vec<HistoryMove>, Fault> {
    let count = usize::try_from(count.get()).unwrap_or_default();
    let steps = context.histories.foretell(direction, count);
    match steps.iter().find(|step| only_agent && step.by != "agent") {
        Some(step) => Err(Fault::new(
            protocol::ErrorCode::PreconditionFailed,
            format!(
                "'{}' is a step of the human and not of an agent, and only_agent is set. Nothing was \
                 changed; ask the human, or take fewer steps.",
                step.action
            ),
        )
        .requiring(protocol::Required::parameter("only_agent"))
        .with("steps", serde_json::to_value(&steps).unwrap_or_default())),
        None => Ok(steps),
    }
}

/// Takes `steps` as foretold, one after the other, and tells which were taken.
fn take(
    context: &Context,
    direction: Direction,
    steps: &[HistoryMove],
) -> Result<Vec<HistoryMove>, Fault> {
    let mut taken = Vec::new();
    for _ in steps {
        match context.histories.take(direction) {
            Ok(step) => taken.push(step),
            // What was done stays done, and the answer says how much that is.
            Err(_) if !taken.is_empty() => break,
            Err(fault) => return Err(fault),
        }
    }
    if let Ok(scene) = Scene::active() {
        context.tabs.stepped(&scene);
    }
    Ok(taken)
}

/// The label of the step that would be taken next.
fn next(context: &Context, direction: Direction) -> Option<String> {
    context.histories.foretell(direction, 1).pop().map(|step| step.action)
}

/// One step of a history, as it is listed.
fn listed(name: String, undone: bool) -> protocol::tools::core::HistoryStep {
    let by = made_by(&name).to_owned();
    protocol::tools::core::HistoryStep { name, by, undone }
}
