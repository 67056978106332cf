//! `godot_debugger_evaluate_expression`.

use std::{cell::RefCell, rc::Rc, time::Duration};

use godot::{
    classes::{Engine, EngineDebugger, ResourceLoader},
    prelude::*,
};
use protocol::{
    ErrorCode, Fault, GodotValue, Required,
    tools::{
        debugger::{EvaluateExpression, Evaluation, ExpressionError},
        runtime::OutputEntry,
    },
};
use serde_json::value::{RawValue, to_raw_value};

use super::{backtrace::Backtrace, kind_of};
use crate::{
    game::{
        expression::{LACKS, awaiting, parsed},
        probe::{Deadline, InGame, Needs, Probe, Soon, time_for},
    },
    resource::global_classes,
    signal,
    tools::page::PAGE_CHARACTERS,
    variant,
};

impl InGame for EvaluateExpression {
    fn needs(&self) -> Needs {
        usize::try_from(self.frame.get()).map_or(Needs::Game, Needs::Frame)
    }

    fn complete(answer: Box<RawValue>, errors: Vec<OutputEntry>) -> Box<RawValue> {
        if errors.is_empty() {
            return answer;
        }
        let Ok(mut evaluation) = serde_json::from_str::<Evaluation>(answer.get()) else {
            return answer;
        };
        evaluation.hint.get_or_insert_with(|| PRINTED.to_owned());
        evaluation.errors = errors.into_iter().take(TOLD).map(told).collect();
        to_raw_value(&evaluation).unwrap_or(answer)
    }

    fn answer(self, game: &Probe) -> Result<Soon<Evaluation>, Fault> {
        let scope = Scope::of(&self, game)?;
        let text = self.expression;
        let mut expression = match parsed(&text, &scope.names) {
            Ok(expression) => expression,
            Err(error) => {
                let hint = Some(LACKS.to_owned());
                return Ok(Soon::Now(Evaluation { hint, ..failed(text, "parse", error) }));
            }
        };
        if game.is_stopped() {
            // A step or a stop that was asked for and came to no line is not meant for what is called here.
            EngineDebugger::singleton().set_lines_left(-1);
        }
        let since = Probe::fresh_millisecond();
        let value = expression
            .execute_ex()
            .inputs(&scope.values.upcast_any_array())
            .base_instance(scope.base.as_ref())
            .show_error(false)
            .done();
        let awaited = awaiting(&value);
        if awaited.is_none() {
            game.worked_since(since);
        }
        if expression.has_execute_failed() {
            return Ok(Soon::Now(failed(text, "runtime", expression.get_error_text().to_string())));
        }
        let Some(call) = awaited else { return Ok(Soon::Now(evaluated(text, &value)?)) };
        if game.is_stopped() {
            return Err(Fault::unsupported(
                "The function awaits something, and nothing comes while the game is stopped. It has been \
                 called, and goes on with godot_debugger_continue_execution: do not call it again for that.",
            )
            .may_have_applied());
        }
        let (deadline, limit) = (Deadline::of(game, self.timeout_ms), time_for(self.timeout_ms));
        let returned = Rc::new(RefCell::new(None));
        let heard = Rc::clone(&returned);
        let completed = Callable::from_fn("godot_mcp_completed", move |arguments| {
            heard.replace(Some(arguments.first().map(|it| (*it).clone()).unwrap_or_default()));
        });
        signal::connect(&call, "completed", &completed);
        Ok(Soon::Later(Box::new(move |game| {
            // Kept as long as it is waited for.
            let _ = &call;
            let Some(value) = returned.take() else {
                let is_late = deadline.is_over(game);
                return is_late.then(|| Err(awaits(limit, game.is_frozen())));
            };
            game.worked_since(since);
            Some(evaluated(text.clone(), &value))
        })))
    }
}

/// The function goes on, but has not come to its end in time.
fn awaits(limit: Duration, is_frozen: bool) -> Fault {
    let advice = match is_frozen {
        false => "Call again with a longer timeout_ms only if it may be called twice.",
        true => {
            "The game is frozen, so that most of what can be awaited does not come: let it go on with \
             godot_runtime_control_time."
        }
    };
    let hint = format!(
        "The function was called and still awaits something after {} ms; the game runs on, and the function \
         with it. Its value is lost. {advice}",
        limit.as_millis()
    );
    Fault::new(ErrorCode::Timeout, hint).may_have_applied()
}

/// How many errors are told.
const TOLD: usize = 20;

/// What errors mean for the value.
const PRINTED: &str = "The game printed errors while this was evaluated, see `errors`: the value may not be \
                       what was meant.";

fn told(error: OutputEntry) -> ExpressionError {
    let OutputEntry { text, file, line, function, .. } = error;
    ExpressionError { text, file, line, function }
}

/// What an expression can name.
#[derive(Default)]
struct Scope {
    names: PackedStringArray,
    values: VarArray,
    base: Option<Gd<Object>>,
}

impl Scope {
    fn of(asked: &EvaluateExpression, game: &Probe) -> Result<Scope, Fault> {
        let mut scope = Scope::default();
        let frame = asked.frame.get();
        if frame < 0 {
            scope.base = Some(game.node(&asked.node_path)?.upcast());
        } else {
            let trace = Backtrace::capture()?;
            scope.base = game.owner();
            for (name, value) in
                [trace.locals(frame), trace.members(frame), trace.globals()].into_iter().flatten()
            {
                scope.add(&name, &value);
            }
        }
        // What scripts know by its name, as far as the expression can mean it.
        let engine = Engine::singleton();
        for name in engine.get_singleton_list().as_slice() {
            let name = name.to_string();
            if asked.expression.contains(&name)
                && let Some(singleton) = engine.get_singleton(&name)
            {
                scope.add(&name, &singleton.to_variant());
            }
        }
        for class in global_classes() {
            if asked.expression.contains(&class.name)
                && let Some(script) = ResourceLoader::singleton().load(&class.path)
            {
                scope.add(&class.name, &script.to_variant());
            }
        }
        let Some(root) = game.tree()?.get_root() else { return Ok(scope) };
        for node in root.get_children().iter_shared() {
            scope.add(&node.get_name().to_string(), &node.to_variant());
        }
        Ok(scope)
    }

    /// Adds a name. What came before hides what has the same name.
    fn add(&mut self, name: &str, value: &Variant) {
        if !self.names.contains(name) {
            self.names.push(name);
            self.values.push(value);
        }
    }
}

fn evaluated(expression: String, value: &Variant) -> Result<Evaluation, Fault> {
    let json = variant::to_json(value);
    let length = json.to_string().len();
    if length > PAGE_CHARACTERS {
        return Err(Fault::new(
            ErrorCode::ResponseTooLarge,
            format!(
                "The value, of type {}, has {length} characters of JSON; {PAGE_CHARACTERS} can be told. Ask \
                 for a part of it, such as its size() or slice(0, 10).",
                kind_of(value)
            ),
        )
        .requiring(Required::parameter("expression")));
    }
    Ok(Evaluation {
        expression,
        evaluated: true,
        value: Some(GodotValue(json)),
        kind: Some(kind_of(value)),
        error: None,
        error_kind: None,
        hint: None,
        errors: Vec::new(),
    })
}

fn failed(expression: String, kind: &str, error: String) -> Evaluation {
    Evaluation {
        expression,
        evaluated: false,
        value: None,
        kind: None,
        error: Some(error),
        error_kind: Some(kind.to_owned()),
        hint: None,
        errors: Vec::new(),
    }
}
