//! `godot_testing_run_stress_test`.

use std::{
    collections::{BTreeSet, VecDeque},
    time::{Duration, Instant},
};

use godot::{classes::RandomNumberGenerator, prelude::*};
use protocol::{
    Fault, Required, Tool,
    tools::{
        input::{EventKind, PlaySequence, SequenceEvent},
        runtime::Patience,
        testing::{RunStressTest, StressRun},
    },
};
use serde_json::json;

use super::errors_since;
use crate::{
    game::Question,
    plan::{Context, Progress, Run},
    settings,
};

/// How many events are sent at once: so many may be lost from the count when the game dies.
const AT_ONCE: usize = 20;

impl Run for RunStressTest {
    fn run(self, context: &Context) -> Result<Progress<StressRun>, Fault> {
        context.game.require_running()?;
        let actions = match self.actions {
            Some(actions) if actions.is_empty() => {
                return Err(Fault::invalid("Name at least one action, or leave them out.")
                    .requiring(Required::parameter("actions")));
            }
            Some(actions) => actions,
            None => usual_actions(),
        };
        let count = usize::try_from(self.iterations.get()).unwrap_or_default();
        let mut todo = VecDeque::from(events(&actions, count, self.seed));
        let limit = Duration::from_millis(u64::try_from(self.timeout_ms.get()).unwrap_or_default());
        let delay_ms = u64::try_from(self.delay_ms.get()).unwrap_or_default();
        let (since, first_entry) = (Instant::now(), context.game.output(|output| output.last()));
        let mut question: Option<(Question, usize)> = None;
        let mut handled = 0;
        let mut run = StressRun {
            survived: false,
            iterations: 0,
            playing_after: true,
            seed: self.seed,
            actions,
            error: String::new(),
            errors: 0,
            first_errors: Vec::new(),
        };
        Ok(Progress::Aside(Box::new(move |context| {
            let end = match &question {
                Some((asked, sent)) => match asked.answer() {
                    Some(Ok(_)) => {
                        handled += sent;
                        question = None;
                        return None;
                    }
                    // What it is asked to do it knows before it does any of it.
                    Some(Err(fault)) if handled == 0 && is_refusal(&fault) => {
                        return Some(Err(fault));
                    }
                    Some(Err(fault)) => Some(fault.hint),
                    None if context.is_unwanted.get() => Some("The call was cancelled.".to_owned()),
                    None if since.elapsed() >= limit => Some(format!(
                        "The game has not handled them within {} ms. It may be in an endless loop: stop it \
                         where it is with godot_debugger_force_break, or end it with \
                         godot_runtime_stop_scene. Or give it more time with timeout_ms.",
                        limit.as_millis()
                    )),
                    None => return None,
                },
                None if todo.is_empty() => Some(String::new()),
                None => {
                    let events: Vec<_> = todo.drain(..todo.len().min(AT_ONCE)).collect();
                    let sent = events.len();
                    let timeout_ms = Patience::of::<600_000>();
                    let params = PlaySequence { events, delay_ms, timeout_ms };
                    context.tell(told(handled), told(count), "events handled");
                    match Question::put(&context.game, Tool::PlaySequence, &params) {
                        Ok(asked) => {
                            question = Some((asked, sent));
                            return None;
                        }
                        Err(fault) => Some(fault.hint),
                    }
                }
            };
            let error = end?;
            run.survived = error.is_empty();
            run.error = error;
            // The releases at the end are none of those that were asked for.
            run.iterations = handled.min(count);
            run.playing_after = context.game.state().playing;
            (run.errors, run.first_errors) = errors_since(context, first_entry);
            Some(Ok(run.clone()))
        })))
    }
}

fn told(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Whether the game has refused what it was asked, and is there.
fn is_refusal(fault: &Fault) -> bool {
    fault.required == Some(Required::parameter("action"))
}

/// The actions of the project, or those of the engine where it has none.
fn usual_actions() -> Vec<String> {
    let names = settings::names_below("input/");
    let own: BTreeSet<String> = names.into_iter().filter(|name| !name.starts_with("ui_")).collect();
    if own.is_empty() {
        let usual = ["ui_accept", "ui_cancel", "ui_down", "ui_left", "ui_right", "ui_up"];
        return usual.map(str::to_owned).to_vec();
    }
    own.into_iter().collect()
}

/// Presses and releases of these actions, in an order that the seed decides, and the releases of what is
/// held at the end.
fn events(actions: &[String], count: usize, seed: i64) -> Vec<SequenceEvent> {
    let mut random = RandomNumberGenerator::new_gd();
    random.set_seed(seed.cast_unsigned());
    let last = i32::try_from(actions.len()).unwrap_or(i32::MAX) - 1;
    let mut held = BTreeSet::new();
    let mut events = Vec::new();
    for _ in 0..count {
        let index = usize::try_from(random.randi_range(0, last)).unwrap_or_default();
        let Some(action) = actions.get(index) else { continue };
        let pressed = held.insert(action);
        if !pressed {
            held.remove(action);
        }
        events.push(event(action, pressed));
    }
    events.extend(held.into_iter().map(|action| event(action, false)));
    events
}

fn event(action: &str, pressed: bool) -> SequenceEvent {
    let parameters = [("action".to_owned(), json!(action)), ("pressed".to_owned(), json!(pressed))];
    SequenceEvent {
        kind: EventKind::Action,
        wait_frames: None,
        delay_ms: None,
        parameters: parameters.into_iter().collect(),
    }
}
