//! `godot_testing_run_test_scenario`.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    ErrorCode, Fault, Tool,
    tools::{
        runtime::{PlayScene, PlayState, StopScene},
        testing::{RunTestScenario, ScenarioRun},
    },
};

use serde_json::json;

use super::{
    errors_since,
    script::{Act, acts},
    with_last_words,
};
use crate::{
    game::{Question, check_events},
    plan::{Context, Poll, Progress, Run},
    tools::runtime::play_scene::scene_to_play,
};

impl Run for RunTestScenario {
    fn run(self, context: &Context) -> Result<Progress<ScenarioRun>, Fault> {
        check_events(self.events.as_deref().unwrap_or_default())?;
        scene_to_play(self.scene.as_ref(), "scene")?;
        let play = PlayScene {
            scene_path: self.scene.clone(),
            fixed_fps: self.fixed_fps,
            frozen: self.fixed_fps > 0,
            timeout_ms: self.timeout_ms,
        };
        let limit = Duration::from_millis(u64::try_from(self.timeout_ms.get()).unwrap_or_default());
        let mut scenario = Scenario {
            todo: acts(&self),
            stop_after: self.stop_after,
            limit,
            since: Instant::now(),
            run: ScenarioRun::default(),
            stage: match play.run(context)? {
                Progress::Done(_) => Stage::Acting(None),
                Progress::Waiting(poll) | Progress::Aside(poll) => Stage::Starting(poll),
            },
        };
        Ok(Progress::Aside(with_last_words(
            move |context| scenario.go_on(context),
            // A run has an output of its own, so all of it is of this one.
            |context, run| (run.errors, run.first_errors) = errors_since(context, 0),
        )))
    }
}

/// A scenario under way.
struct Scenario {
    todo: VecDeque<Act>,
    stop_after: bool,
    limit: Duration,
    since: Instant,
    run: ScenarioRun,
    stage: Stage,
}

/// How far it is.
enum Stage {
    Starting(Poll<PlayState>),
    Acting(Option<Doing>),
    /// With what is answered then.
    Stopping(Poll<PlayState>, Option<Fault>),
}

/// What is being done just now.
enum Doing {
    Waiting(Instant, Duration),
    Asking(Question),
    Checking(Question),
    Finishing(Question),
}

impl Scenario {
    /// A look once a frame.
    fn go_on(&mut self, context: &Context) -> Option<Result<ScenarioRun, Fault>> {
        match &mut self.stage {
            Stage::Starting(poll) => {
                let started = poll(context)?;
                self.stage = Stage::Acting(None);
                self.run.played = true;
                match started {
                    Ok(state) if state.connected => {
                        self.run.connected = true;
                        self.run.saved = state.saved;
                        None
                    }
                    Ok(state) => {
                        self.run.saved.clone_from(&state.saved);
                        let place = state.reason.as_deref().unwrap_or("stopped in the debugger");
                        let why = format!("Before its first frame the game is {place}.");
                        self.end_early(context, &why)
                    }
                    // It was started and is not there: a result of the test, as whatever it does later.
                    Err(fault) if fault.details.contains_key("state") => {
                        let saved = fault.details.get("state").and_then(|it| it.get("saved"));
                        let saved = saved.and_then(|it| serde_json::from_value(it.clone()).ok());
                        self.run.saved = saved.unwrap_or_default();
                        self.end_early(context, &fault.hint)
                    }
                    Err(fault) => self.end(context, Some(fault)),
                }
            }
            Stage::Acting(_) if context.is_unwanted.get() => {
                self.end_early(context, "The call was cancelled.")
            }
            Stage::Acting(doing) => {
                let answer = match doing {
                    Some(Doing::Waiting(since, time)) if since.elapsed() < *time => None,
                    Some(Doing::Waiting(..)) | None => return self.next(context),
                    Some(
                        Doing::Asking(question)
                        | Doing::Checking(question)
                        | Doing::Finishing(question),
                    ) => question.answer(),
                };
                match answer {
                    Some(Ok(answer)) => {
                        if let Some(Doing::Checking(_)) = doing
                            && let Ok(check) = serde_json::from_str(answer.get())
                        {
                            self.run.assertions.push(check);
                        }
                        self.stage = Stage::Acting(None);
                        None
                    }
                    // The game is there and does not take this: a mistake of the caller.
                    Some(Err(fault)) if is_mistake(&fault) => self.end(context, Some(fault)),
                    Some(Err(fault)) => self.end_early(context, &fault.hint),
                    None if self.since.elapsed() >= self.limit => {
                        let why = match doing {
                            Some(Doing::Finishing(_)) => "The game did not finish its frame",
                            _ => "It was not over",
                        };
                        let why = format!("{why} within {} ms.", self.limit.as_millis());
                        self.end_early(context, &why)
                    }
                    None => {
                        // It is waited for without a question, and may be gone meanwhile.
                        let fault = context.game.require_running().err()?;
                        self.end_early(context, &fault.hint)
                    }
                }
            }
            Stage::Stopping(poll, fault) => {
                let stopped = poll(context)?;
                let fault = fault.take().or(stopped.err());
                Some(self.told(fault))
            }
        }
    }

    /// Begins the next act, or ends.
    fn next(&mut self, context: &Context) -> Option<Result<ScenarioRun, Fault>> {
        let Some(act) = self.todo.pop_front() else {
            self.run.passed = self.run.assertions.iter().all(|check| check.passed);
            return self.end(context, None);
        };
        let begun = match &act {
            Act::Wait(time) => Ok(Doing::Waiting(Instant::now(), *time)),
            Act::Ask(tool, params) => {
                Question::put(&context.game, *tool, params).map(Doing::Asking)
            }
            // What changes nothing, and is answered between two frames.
            Act::Finish => {
                Question::put(&context.game, Tool::ControlTime, &json!({})).map(Doing::Finishing)
            }
            Act::Check(check) => {
                Question::put(&context.game, Tool::AssertNodeState, check).map(Doing::Checking)
            }
        };
        match begun {
            Ok(doing) => {
                self.stage = Stage::Acting(Some(doing));
                None
            }
            Err(fault) => self.end_early(context, &fault.hint),
        }
    }

    /// Something has gone wrong, which is a result of the test.
    fn end_early(&mut self, context: &Context, why: &str) -> Option<Result<ScenarioRun, Fault>> {
        self.run.error = why.to_owned();
        self.end(context, None)
    }

    fn end(
        &mut self,
        context: &Context,
        fault: Option<Fault>,
    ) -> Option<Result<ScenarioRun, Fault>> {
        self.run.playing_after = context.game.state().playing;
        if !self.stop_after {
            return Some(self.told(fault));
        }
        self.run.playing_after = false;
        // One that has used up its time may hang, and is not asked to quit.
        if self.since.elapsed() >= self.limit {
            EditorInterface::singleton().stop_playing_scene();
        }
        match (StopScene {}).run(context) {
            Ok(Progress::Waiting(poll) | Progress::Aside(poll)) => {
                self.stage = Stage::Stopping(poll, fault);
                None
            }
            Ok(Progress::Done(_)) => Some(self.told(fault)),
            Err(late) => Some(self.told(fault.or(Some(late)))),
        }
    }

    fn told(&mut self, fault: Option<Fault>) -> Result<ScenarioRun, Fault> {
        match fault {
            // It was started nevertheless.
            Some(fault) if !self.run.saved.is_empty() => {
                Err(fault.with("saved", std::mem::take(&mut self.run.saved)))
            }
            Some(fault) => Err(fault),
            None => Ok(std::mem::take(&mut self.run)),
        }
    }
}

/// Whether the game has refused what it was asked.
fn is_mistake(fault: &Fault) -> bool {
    matches!(fault.code, ErrorCode::ValidationError | ErrorCode::ResourceNotFound)
}
