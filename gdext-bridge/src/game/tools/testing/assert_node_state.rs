//! `godot_testing_assert_node_state`.

use std::time::{Duration, Instant};

use godot::prelude::*;
use protocol::{
    Fault, GodotValue,
    tools::testing::{AssertNodeState, NodeStateAsserted},
};
use serde_json::Value;

use super::comparison::compare;
use crate::{
    game::{
        probe::{Deadline, InGame, Needs, Probe, Soon},
        tools::runtime::read_property::value_of,
    },
    property::PropertyInfo,
    variant,
};

impl InGame for AssertNodeState {
    fn needs(&self) -> Needs {
        Needs::Look
    }

    fn answer(self, game: &Probe) -> Result<Soon<NodeStateAsserted>, Fault> {
        let now = look(&self, game);
        let within = Duration::from_millis(u64::try_from(self.within_ms.get()).unwrap_or_default());
        if now.passed || within.is_zero() {
            return Ok(Soon::Now(now));
        }
        let (deadline, since) = (Deadline::of(game, self.timeout_ms), Instant::now());
        Ok(Soon::Later(Box::new(move |game| {
            let Some(now) = game.unless_it_fails(|| look(&self, game)) else {
                // It would in every frame. Whoever has asked knows already that the game is stopped.
                return Some(Err(Fault::invalid("Reading the property stopped the game.")));
            };
            let is_over = since.elapsed() >= within || deadline.is_over(game);
            (now.passed || is_over).then_some(Ok(now))
        })))
    }
}

/// Reads the property and compares it, as it is in this frame.
fn look(wanted: &AssertNodeState, game: &Probe) -> NodeStateAsserted {
    let mut told = NodeStateAsserted {
        node_path: wanted.node_path.to_string(),
        property: wanted.property.clone(),
        op: wanted.op,
        expected: wanted.expected.clone(),
        actual: None,
        passed: false,
        error: String::new(),
        frame: Some(game.frame()),
    };
    match read(wanted, game) {
        Ok((actual, expected)) => {
            match compare(wanted.op, &actual, &expected, wanted.tolerance) {
                Ok(passed) => told.passed = passed,
                Err(why) => told.error = why,
            }
            told.actual = (!actual.is_null()).then_some(GodotValue(actual));
        }
        Err(fault) => told.error = fault.hint,
    }
    told
}

/// The value of the property, and what is expected of it in the same form.
fn read(wanted: &AssertNodeState, game: &Probe) -> Result<(Value, Value), Fault> {
    let node = game.node(&wanted.node_path)?.upcast::<Object>();
    let actual = value_of(&node, &wanted.property)?;
    let expected = &wanted.expected.0;
    let slot = PropertyInfo::of(&node, &wanted.property)
        .filter(|info| !info.accepts_any())
        .unwrap_or_else(|| PropertyInfo::slot(actual.get_type()));
    // What does not fit its type is no such value; it still may be an element of it, or another number.
    let expected = match actual.get_type() {
        VariantType::NIL | VariantType::OBJECT => expected.clone(),
        _ => variant::from_json(expected, &slot, None)
            .map_or_else(|_| expected.clone(), |value| variant::to_json(&value)),
    };
    Ok((variant::to_json(&actual), expected))
}
