//! What a scenario does with the game, act by act.

use std::{collections::VecDeque, time::Duration};

use protocol::{
    Tool,
    tools::{
        input::{EventKind, PlaySequence, SequenceEvent},
        runtime::Patience,
        testing::{AssertNodeState, Assertion, Delay, RunTestScenario},
    },
};
use serde_json::{Value, json};

/// One thing to do.
pub(super) enum Act {
    /// Nothing, for so long.
    Wait(Duration),
    /// Have the game run a tool.
    Ask(Tool, Value),
    /// Check something.
    Check(Box<AssertNodeState>),
    /// Have the game come to its next frame. One that hangs in a script still answers all else.
    Finish,
}

/// All of it, in order.
pub(super) fn acts(scenario: &RunTestScenario) -> VecDeque<Act> {
    let mut acts = VecDeque::new();
    if let Some(seed) = scenario.seed {
        acts.push_back(Act::Ask(Tool::ControlTime, json!({"seed": seed})));
    }
    let clock = Clock { fps: u64::from(scenario.fixed_fps) };
    acts.extend(clock.wait(milliseconds(scenario.setup_ms)));
    let events = scenario.events.as_deref().unwrap_or_default();
    acts.extend(clock.play(events));
    acts.extend(clock.wait(milliseconds(scenario.settle_ms)));
    let checks = scenario.assertions.iter().flatten();
    acts.extend(checks.map(|check| Act::Check(Box::new(whole(check)))));
    acts.push_back(Act::Finish);
    acts
}

/// How time passes in the game: really, or a frame at a time while it is frozen.
struct Clock {
    /// Frames a second; 0 for real time.
    fps: u64,
}

impl Clock {
    fn wait(&self, milliseconds: u64) -> Option<Act> {
        match self.fps {
            0 if milliseconds > 0 => Some(Act::Wait(Duration::from_millis(milliseconds))),
            0 => None,
            _ => self.step(self.frames(milliseconds)),
        }
    }

    fn play(&self, events: &[SequenceEvent]) -> Vec<Act> {
        if self.fps == 0 {
            let all = (!events.is_empty()).then(|| sequence(events.to_vec()));
            return all.into_iter().collect();
        }
        let mut acts = Vec::new();
        for (index, event) in events.iter().enumerate() {
            let asked = event.wait_frames.unwrap_or_default();
            let asked = asked.max(self.frames(event.delay_ms.unwrap_or_default()));
            // Each in a frame of its own, as in real time.
            acts.extend(self.step(asked.max(u64::from(index > 0))));
            if event.kind != EventKind::Wait {
                let now = SequenceEvent { wait_frames: None, delay_ms: None, ..event.clone() };
                acts.push(sequence(vec![now]));
            }
        }
        acts
    }

    fn step(&self, frames: u64) -> Option<Act> {
        let params = json!({"frames": frames, "timeout_ms": 600_000});
        (frames > 0).then(|| Act::Ask(Tool::StepGame, params))
    }

    /// The frames that last so long; a started one counts.
    fn frames(&self, milliseconds: u64) -> u64 {
        (milliseconds * self.fps).div_ceil(1000)
    }
}

fn sequence(events: Vec<SequenceEvent>) -> Act {
    let whole = PlaySequence { events, delay_ms: 0, timeout_ms: Patience::of::<600_000>() };
    Act::Ask(Tool::PlaySequence, serde_json::to_value(whole).unwrap_or_default())
}

fn whole(check: &Assertion) -> AssertNodeState {
    AssertNodeState {
        node_path: check.node_path.clone(),
        property: check.property.clone(),
        expected: check.expected.clone(),
        op: check.op,
        tolerance: check.tolerance,
        within_ms: Delay::of::<0>(),
        timeout_ms: Patience::of::<600_000>(),
    }
}

fn milliseconds(delay: Delay) -> u64 {
    u64::try_from(delay.get()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(scenario: Value) -> Vec<String> {
        let scenario: RunTestScenario = serde_json::from_value(scenario).unwrap();
        let told = |act: &Act| match act {
            Act::Wait(time) => format!("wait {}", time.as_millis()),
            Act::Ask(Tool::StepGame, params) => format!("step {}", params["frames"]),
            Act::Ask(Tool::PlaySequence, params) => {
                format!("play {}", params["events"].as_array().unwrap().len())
            }
            Act::Ask(tool, _) => tool.name().to_owned(),
            Act::Check(check) => format!("check {}", check.property),
            Act::Finish => "finish".to_owned(),
        };
        acts(&scenario).iter().map(told).collect()
    }

    #[test]
    fn in_real_time_the_game_plays_all_input_at_once() {
        let events = json!([{"type": "wait", "delay_ms": 5}, {"type": "key", "key": "A"}]);
        let check = json!([{"node_path": ".", "property": "name", "expected": "Main"}]);
        let scenario = json!({"events": events, "assertions": check, "seed": 3, "settle_ms": 0});
        let expected = ["godot_runtime_control_time", "wait 800", "play 2", "check name", "finish"];
        assert_eq!(told(scenario), expected);
    }

    #[test]
    fn at_a_fixed_rate_every_wait_is_a_number_of_frames() {
        let events = json!([
            {"type": "key", "key": "A"},
            {"type": "key", "key": "A", "pressed": false, "delay_ms": 90},
            {"type": "wait", "wait_frames": 4},
            {"type": "key", "key": "B"},
        ]);
        let scenario = json!({"events": events, "fixed_fps": 60, "setup_ms": 100});
        let expected = "step 6, play 1, step 6, play 1, step 4, step 1, play 1, step 18, finish";
        assert_eq!(told(scenario).join(", "), expected);
    }
}
