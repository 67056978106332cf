//! What a batch would do, as far as that can be told without doing it.
//!
//! Every entry is planned on its own, in the state as it is now. Where an entry speaks of what an
//! earlier one makes, it cannot be planned yet, and the answer says so; where it speaks of what an
//! earlier one takes away, it would fail, and so the preview does.

use protocol::{Fault, Stamp, Toolset, Verb, envelope};
use serde_json::value::RawValue;

use super::{
    active::acts,
    entry::{Entry, first_refusal, read},
    foreseen::{Foreseen, gone, makes_paths, place_of, subjects, target_of},
    refusals::params_of,
};
use crate::{
    call::{Call, Mode},
    dispatch::{Answer, Dispatcher, Prepared},
};

/// Plans every entry.
pub(super) fn preview(
    dispatcher: &Dispatcher,
    batch: envelope::Batch,
) -> Result<Box<RawValue>, Fault> {
    let stop_on_error = batch.stop_on_error;
    let (entries, mut report) = read(batch)?;
    if stop_on_error && let Some((index, fault)) = first_refusal(&entries) {
        return Err(report.refusal(index, fault, true));
    }
    let mut foreseen = Foreseen::default();
    let mut planned = Vec::new();
    for Entry { index, order } in entries {
        let outcome = match order {
            Ok(call) => plan(dispatcher, index, call, &mut foreseen),
            Err(fault) => Err(Failure::Certain(fault)),
        };
        let command = report.results.get(index).map(|it| it.command.clone()).unwrap_or_default();
        match outcome {
            Ok(Some(result)) => {
                report.take_down(index, Ok(result));
                planned.push(command);
            }
            Ok(None) => {
                if let Some(result) = report.results.get_mut(index) {
                    result.ok = true;
                    result.hint = Some("It runs something and has no preview.".to_owned());
                }
                planned.push(command);
            }
            Err(Failure::Uncertain) => {
                if let Some(result) = report.results.get_mut(index) {
                    result.ok = true;
                    result.depends_on_earlier = Some(true);
                    result.hint = Some(
                        "It depends on what an earlier command makes, and is planned when that is \
                         there."
                            .to_owned(),
                    );
                }
            }
            Err(Failure::Certain(fault)) => {
                report.take_down(index, Err(fault.clone()));
                if stop_on_error {
                    return Err(report.abortion(index, fault, None));
                }
            }
        }
    }
    let undo_steps = foreseen.undo_steps.count();
    report.outside_undo = foreseen.outside_undo;
    let stamp = Stamp {
        dry_run: true,
        verdict: None,
        undoable: Some(undo_steps > 0 && report.outside_undo.is_empty()),
        scene: None,
        discards: (!foreseen.discards.is_empty()).then(|| foreseen.discards.join("; ")),
        engine_errors: Vec::new(),
    };
    let mut run = report.run(undo_steps);
    if foreseen.undo_steps.is_least() {
        const MORE: &str =
            "There may be more undo steps, as some commands could not be planned yet.";
        run.hint = Some(run.hint.map_or(MORE.to_owned(), |hint| format!("{hint} {MORE}")));
    }
    run.planned = Some(planned);
    dispatcher.stamped(run, stamp)
}

/// Why an entry has no plan.
enum Failure {
    /// It would fail.
    Certain(Fault),
    /// It may work once the ones before it have run.
    Uncertain,
}

fn plan(
    dispatcher: &Dispatcher,
    index: usize,
    call: Call<'_>,
    foreseen: &mut Foreseen,
) -> Result<Option<Box<RawValue>>, Failure> {
    let params = params_of(&call);
    let subjects = subjects(call.tool, &params);
    let target = target_of(call.tool, &params);
    let speaks_of_made = subjects.iter().any(|path| foreseen.makes(path));
    let mut needed = subjects.iter().filter(|path| Some(path.as_str()) != target);
    if !speaks_of_made
        && let Some((path, by)) = needed.find_map(|path| Some((path, foreseen.takes_away(path)?)))
    {
        return Err(Failure::Certain(gone(path, by, &params)));
    }
    let is_vacated = target.is_some_and(|path| foreseen.takes_away(path).is_some());
    if is_vacated && matches!(call.tool.verb(), Verb::edits | Verb::overwrites) {
        // There is room for a new one.
        foreseen.changes_unplanned(call.tool, &params, subjects, None, index);
        return Err(Failure::Uncertain);
    }
    match call.tool.verb() {
        verb @ (Verb::runs | Verb::games) => {
            if verb == Verb::runs {
                foreseen.undo_steps.register();
            }
            foreseen.outside_undo.extend(acts(call.tool).then_some(index));
            return Ok(None);
        }
        Verb::asks => return Ok(None),
        _ => {}
    }
    // One that asks for a preview of its own changes nothing.
    let is_edit = call.tool.verb() != Verb::reads && !matches!(call.mode, Mode::Preview);
    let (tool, place) = (call.tool, place_of(&params));
    if foreseen.cannot_see(tool, &params) {
        if is_edit {
            foreseen.changes_unplanned(tool, &params, subjects, place, index);
        }
        return Err(Failure::Uncertain);
    }
    let speaks_of_changed = subjects.iter().any(|subject| foreseen.changed.contains(subject))
        || foreseen.has_other_scripts && is_edit && tool.toolset() == Toolset::Scripts
        // Its name is free by then, or taken, which is not so now.
        || place.as_ref().is_some_and(|it| foreseen.takes_away(it).is_some() || foreseen.made.contains(it));
    let call = Call { mode: Mode::Preview, ..call };
    let scene = foreseen.changed_scene.clone();
    let planned = dispatcher.context.tabs.ahead(scene, || dispatcher.prepare(&call));
    let is_mended =
        |fault: &Fault| foreseen.may_change(&params, &subjects) || foreseen.may_mend(fault);
    let is_uncertain = speaks_of_changed || planned.as_ref().err().is_some_and(is_mended);
    if is_uncertain {
        if is_edit {
            foreseen.makes_unknown |= place.is_none() && makes_paths(tool)
                || place.as_ref().is_some_and(|it| foreseen.made.contains(it));
            foreseen.changes_unplanned(tool, &params, subjects, place, index);
        }
        return Err(Failure::Uncertain);
    }
    match planned {
        Ok(Prepared::Answer(Answer::Done(result))) => Ok(Some(result)),
        Ok(Prepared::Preview(result, reach)) if is_edit => {
            foreseen.scenes.check(&reach).map_err(Failure::Certain)?;
            foreseen.changes(tool, &params, &subjects, index);
            foreseen.takes(index, reach, &serde_json::from_str(result.get()).unwrap_or_default());
            Ok(Some(result))
        }
        Ok(Prepared::Preview(result, _)) => Ok(Some(result)),
        // A preview never waits, and never is an edit.
        Ok(_) => Ok(None),
        Err(fault) => Err(Failure::Certain(fault)),
    }
}
