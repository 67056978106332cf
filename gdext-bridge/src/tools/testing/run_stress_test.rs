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
        runtime::{Patience, TimeState},
        testing::{RunStressTest, StressRun},
    },
};
use serde_json::{json, value::RawValue};

use super::{errors_since, with_last_words};
use crate::{
    game::Question,
    plan::{Context, Progress, Run},
    settings,
};

/// How many events are sent at once: so many may be lost from the count when the game dies.
const AT_ONCE: usize = 20;

/// How long those that are sent at once may take, by what is waited before each.
const AT_ONCE_MS: u64 = 400;

/// How long a game that is well takes at most for its next frame.
const FRAME: Duration = Duration::from_secs(1);

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
        let limit = Duration::from_millis(u64::try_from(self.timeout_ms.get()).unwrap_or_default());
        let delay_ms = u64::try_from(self.delay_ms.get()).unwrap_or_default();
        let todo = VecDeque::from(presses(&actions, count, self.seed));
        check_time(todo.len(), delay_ms, limit)?;
        // What changes nothing, and says how time goes in the game.
        let asked = Question::put(&context.game, Tool::ControlTime, &json!({}))?;
        let run = StressRun {
            survived: false,
            iterations: 0,
            playing_after: true,
            seed: self.seed,
            actions,
            error: String::new(),
            errors: 0,
            first_errors: Vec::new(),
        };
        let mut stress = Stress {
            todo,
            pressed: BTreeSet::new(),
            count,
            handled: 0,
            delay_ms,
            limit,
            since: Instant::now(),
            stage: Stage::Asking(asked),
            run,
        };
        let first_entry = context.game.output(|output| output.last());
        Ok(Progress::Aside(with_last_words(
            move |context| stress.go_on(context),
            move |context, run| {
                (run.errors, run.first_errors) = errors_since(context, first_entry);
            },
        )))
    }
}

/// A press or a release of an action.
type Press = (String, bool);

/// A stress test under way.
struct Stress {
    todo: VecDeque<Press>,
    /// What was pressed by what was sent, and may be still.
    pressed: BTreeSet<String>,
    count: usize,
    handled: usize,
    delay_ms: u64,
    limit: Duration,
    since: Instant,
    stage: Stage,
    run: StressRun,
}

/// How far it is.
enum Stage {
    /// Whether the game is frozen.
    Asking(Question),
    /// So many events are handled next.
    Playing(Question, usize),
    /// The last answer was there.
    Between,
    /// It is ended early, and what is pressed is let go; since when, and what is told if that is done.
    Releasing(Question, Instant, String),
}

impl Stress {
    /// A look once a frame.
    fn go_on(&mut self, context: &Context) -> Option<Result<StressRun, Fault>> {
        let is_over = self.since.elapsed() >= self.limit;
        let answer = match &self.stage {
            Stage::Asking(asked) | Stage::Playing(asked, _) | Stage::Releasing(asked, ..) => {
                asked.answer()
            }
            Stage::Between if is_over && !self.todo.is_empty() => {
                return self.release(context, self.is_late());
            }
            Stage::Between => return self.send(context),
        };
        match (&self.stage, answer) {
            (Stage::Asking(_), Some(Ok(state))) => {
                if is_frozen(&state) {
                    return Some(Err(frozen()));
                }
            }
            (Stage::Playing(_, sent), Some(Ok(_))) => self.handled += sent,
            (Stage::Releasing(.., why), Some(Ok(_))) => {
                let why = why.clone();
                return self.end(context, why);
            }
            // What it is asked to do it knows before it does any of it.
            (_, Some(Err(fault))) if self.handled == 0 && is_refusal(&fault) => {
                return Some(Err(fault.requiring(Required::parameter("actions"))));
            }
            (_, Some(Err(fault))) => return self.end(context, fault.hint),
            (Stage::Releasing(_, since, _), None) if since.elapsed() < FRAME => return None,
            (Stage::Releasing(..), None) => return self.end(context, self.hangs()),
            (_, None) if context.is_unwanted.get() => {
                return self.release(context, "The call was cancelled.".to_owned());
            }
            (_, None) if is_over => return self.release(context, self.is_late()),
            (Stage::Between, _) | (_, None) => return None,
        }
        self.stage = Stage::Between;
        None
    }

    /// Sends the next events, or ends.
    fn send(&mut self, context: &Context) -> Option<Result<StressRun, Fault>> {
        if self.todo.is_empty() {
            return self.end(context, String::new());
        }
        let few = usize::try_from(AT_ONCE_MS / self.delay_ms.max(1)).unwrap_or(AT_ONCE);
        let next = few.clamp(1, AT_ONCE).min(self.todo.len());
        let next: Vec<Press> = self.todo.drain(..next).collect();
        self.pressed.extend(next.iter().map(|(action, _)| action.clone()));
        let sent = next.len();
        context.tell(told(self.handled), told(self.count), "events handled");
        match self.play(context, next.iter().map(|(action, pressed)| event(action, *pressed))) {
            Ok(asked) => {
                self.stage = Stage::Playing(asked, sent);
                None
            }
            Err(fault) => self.end(context, fault.hint),
        }
    }

    /// Ends it before all is done: lets go what is pressed, which also shows whether the game still answers.
    fn release(&mut self, context: &Context, why: String) -> Option<Result<StressRun, Fault>> {
        // What is still being played ends first.
        self.stage = Stage::Between;
        let pressed = std::mem::take(&mut self.pressed);
        let events = pressed.iter().map(|action| SequenceEvent {
            wait_frames: Some(0),
            delay_ms: Some(0),
            ..event(action, false)
        });
        let wait = SequenceEvent { kind: EventKind::Wait, ..event("", false) };
        let wait = SequenceEvent { parameters: serde_json::Map::new(), delay_ms: Some(0), ..wait };
        match self.play(context, events.chain([wait])) {
            Ok(asked) => {
                self.stage = Stage::Releasing(asked, Instant::now(), why);
                None
            }
            Err(fault) => self.end(context, fault.hint),
        }
    }

    fn play(
        &self,
        context: &Context,
        events: impl Iterator<Item = SequenceEvent>,
    ) -> Result<Question, Fault> {
        let timeout_ms = Patience::of::<600_000>();
        let params = PlaySequence { events: events.collect(), delay_ms: self.delay_ms, timeout_ms };
        Question::put(&context.game, Tool::PlaySequence, &params)
    }

    fn is_late(&self) -> String {
        format!(
            "The time was over: the game had handled {} of the {} events within {} ms, and still answers. Give \
             it more time with timeout_ms, or fewer iterations.",
            self.handled.min(self.count),
            self.count,
            self.limit.as_millis()
        )
    }

    fn hangs(&self) -> String {
        format!(
            "The game has handled {} of the {} events within {} ms, and does not answer now. It may be in an \
             endless loop: stop it where it is with godot_debugger_force_break, or end it with \
             godot_runtime_stop_scene. Or give it more time with timeout_ms.",
            self.handled.min(self.count),
            self.count,
            self.limit.as_millis()
        )
    }

    fn end(&mut self, context: &Context, error: String) -> Option<Result<StressRun, Fault>> {
        self.run.survived = error.is_empty();
        self.run.error = match &self.stage {
            Stage::Playing(_, sent) if !error.is_empty() => {
                format!(
                    "{error} Of the {sent} events that it was given last it may have handled some."
                )
            }
            _ => error,
        };
        // The releases at the end are none of those that were asked for.
        self.run.iterations = self.handled.min(self.count);
        self.run.playing_after = context.game.state().playing;
        Some(Ok(self.run.clone()))
    }
}

/// Refuses what cannot be over in time, however fast the game is.
fn check_time(events: usize, delay_ms: u64, limit: Duration) -> Result<(), Fault> {
    let least = Duration::from_millis(told(events).saturating_mul(delay_ms));
    if least <= limit {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "{events} events, with the releases at the end, take {} ms at least, and timeout_ms leaves {} ms for \
         them. Give a longer timeout_ms, a shorter delay_ms or fewer iterations. Nothing was sent.",
        least.as_millis(),
        limit.as_millis()
    ))
    .requiring(Required::parameter("timeout_ms")))
}

fn is_frozen(state: &RawValue) -> bool {
    serde_json::from_str::<TimeState>(state.get()).is_ok_and(|state| state.frozen)
}

/// A frozen game takes input without handling it, so that it would survive whatever it is given.
fn frozen() -> Fault {
    Fault::precondition(
        Required::PLAY_SESSION,
        "The game is frozen and would handle none of it. Let it go on with godot_runtime_control_time and \
         frozen false, and try again. Nothing was sent.",
    )
}

fn told(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Whether the game has refused what it was asked, and is there.
fn is_refusal(fault: &Fault) -> bool {
    fault.required == Some(Required::parameter("events"))
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
fn presses(actions: &[String], count: usize, seed: i64) -> Vec<Press> {
    let mut random = RandomNumberGenerator::new_gd();
    random.set_seed(seed.cast_unsigned());
    let last = i32::try_from(actions.len()).unwrap_or(i32::MAX) - 1;
    let mut held = BTreeSet::new();
    let mut presses = Vec::new();
    for _ in 0..count {
        let index = usize::try_from(random.randi_range(0, last)).unwrap_or_default();
        let Some(action) = actions.get(index) else { continue };
        let pressed = held.insert(action);
        if !pressed {
            held.remove(action);
        }
        presses.push((action.clone(), pressed));
    }
    presses.extend(held.into_iter().map(|action| (action.clone(), false)));
    presses
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
