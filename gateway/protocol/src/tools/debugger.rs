//! `debugger`: stop the running game, look at what it does, and let it go on.

use serde::{Deserialize, Serialize};

use super::runtime::{Patience, two_seconds};
use crate::{
    GamePath, GodotValue, ResPath,
    bounds::{Bounded, PageSize},
};

/// The line of a script, counted from 1.
pub type Line = Bounded<1, 10_000_000>;

/// A call on the stack: 0 is the innermost.
pub type Frame = Bounded<0, 100_000>;

/// A call on the stack, or -1 for none.
pub type MaybeFrame = Bounded<-1, 100_000>;

/// Stop the game whenever it comes to a line of a GDScript file. Works before the game is started, also
/// for `_ready`, and while it runs. It stays until it is removed or the editor ends, at the same line also
/// when the script is changed, and is no part of the project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetBreakpoint {
    /// The script, such as "res://player.gd".
    pub path: ResPath,
    /// The line, counted from 1. One without code is refused, and the nearest with code is named.
    pub line: Line,
}

/// Remove a breakpoint that was set with `godot_debugger_set_breakpoint`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveBreakpoint {
    /// The script.
    pub path: ResPath,
    /// The line, counted from 1.
    pub line: Line,
}

/// The result of [`SetBreakpoint`] and [`RemoveBreakpoint`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BreakpointChanged {
    /// Whether there is a breakpoint now.
    pub breakpoint_set: bool,
    /// Whether it was removed.
    pub breakpoint_removed: bool,
    /// The script.
    pub path: String,
    /// The line.
    pub line: i64,
    /// The text of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether a game runs that was told.
    pub in_game: bool,
}

/// Remove all breakpoints that were set with `godot_debugger_set_breakpoint`. The human's own, in the
/// script editor, stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClearBreakpoints {}

/// The result of [`ClearBreakpoints`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BreakpointsCleared {
    /// Whether there are none left. There are none.
    pub breakpoints_cleared: bool,
    /// How many were removed.
    pub count: usize,
}

/// List the breakpoints: those of agents, and the human's in the script editor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListBreakpoints {
    /// How many to give at most. Default 200.
    #[serde(default = "PageSize::usual")]
    pub limit: PageSize,
}

/// The result of [`ListBreakpoints`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breakpoints {
    /// The breakpoints, by file and line.
    pub breakpoints: Vec<Breakpoint>,
    /// How many there are.
    pub total: usize,
    /// Whether some were left out.
    pub truncated: bool,
}

/// One breakpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breakpoint {
    /// The script.
    pub path: String,
    /// The line, counted from 1.
    pub line: i64,
    /// Whose it is: "agent", which can be removed, or "editor", set by the human in the script editor.
    pub source: String,
    /// The line as the file has it by now, without the blanks around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the file has no code at that line any more, so that the game does not stop there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// Stop the game at the next line of a script that it executes, in an endless loop too. A game that
/// executes no script is stopped between two frames, with no calls on the stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ForceBreak {
    /// How long to wait until it has stopped, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`ForceBreak`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForcedBreak {
    /// Whether the game was told to stop. It is not if it was stopped before.
    pub force_break_sent: bool,
    /// Whether it is stopped.
    pub breaked: bool,
    /// Where, and why.
    #[serde(flatten)]
    pub stop: Stop,
}

/// Where the game is stopped, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stop {
    /// Why: "Breakpoint", or the error that stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line that comes next, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
}

/// Let a stopped game go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContinueExecution {}

/// The result of [`ContinueExecution`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Continued {
    /// Whether the game runs. False if it has come to a breakpoint again at once, or is back in a stop
    /// from before: an expression that was evaluated there had stopped in turn.
    pub running: bool,
    /// Where it is stopped, and why.
    #[serde(flatten)]
    pub stop: Stop,
}

/// Execute one line of a stopped game, and go into the function that it calls. Answers when the game has
/// stopped again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepInto {
    /// How long to wait until it has stopped again, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// Execute one line of a stopped game, with all that it calls. Answers when the game has stopped again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepOver {
    /// How long to wait until it has stopped again, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// Execute the rest of the function that a game is stopped in. Answers when it has stopped again, in the
/// caller. From a function that the engine called, the game goes on to the next script line that it
/// executes, or just goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepOut {
    /// How long to wait until it has stopped again, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

/// The result of [`StepInto`], [`StepOver`] and [`StepOut`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stepped {
    /// Whether the game did the step.
    pub stepped: bool,
    /// Whether it is stopped again. False if it still runs: it waits, or executes no script any more. The
    /// step is over then, and stops nothing later.
    pub breaked: bool,
    /// Where, and why.
    #[serde(flatten)]
    pub stop: Stop,
}

/// List the calls that led to where the game is stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetStackFrames {
    /// How many to give at most, the innermost first. Default 200.
    #[serde(default = "PageSize::usual")]
    pub limit: PageSize,
}

/// The result of [`GetStackFrames`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackFrames {
    /// The calls, the innermost first.
    pub frames: Vec<StackFrame>,
    /// Why the game is stopped: "Breakpoint", or the error.
    pub reason: String,
    /// How many calls there are.
    pub total: usize,
    /// Whether some were left out.
    pub truncated: bool,
    /// What it means that there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One call on the stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StackFrame {
    /// Its number, to pass as `frame`.
    pub frame: usize,
    /// The function.
    pub function: String,
    /// The script.
    pub file: String,
    /// The line, counted from 1.
    pub line: i64,
}

/// List the variables of a call on the stack of a stopped game: its own, those of its object and the
/// global ones. Needs Godot 4.5. To look into an object, name it in
/// `godot_debugger_evaluate_expression`, such as "enemy.health".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetFrameVariables {
    /// The call, as `godot_debugger_get_stack_frames` numbers it. Default 0, the innermost.
    #[serde(default = "innermost")]
    pub frame: Frame,
    /// How long to wait for the game, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

fn innermost() -> Frame {
    Frame::of::<0>()
}

/// The result of [`GetFrameVariables`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameVariables {
    /// The call.
    pub frame: usize,
    /// Parameters and variables of the function.
    pub locals: Vec<FrameVariable>,
    /// `self`, and the variables of its script.
    pub members: Vec<FrameVariable>,
    /// Autoloads and other global values.
    pub globals: Vec<FrameVariable>,
    /// Whether some were left out, as the answer would be too long: evaluate them by their name.
    pub truncated: bool,
}

/// A variable with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameVariable {
    /// Its name.
    pub name: String,
    /// The type of the value, or its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// The value: objects as path or class; a long value as the beginning of its text.
    pub value: GodotValue,
    /// Whether this is only the beginning of the value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Evaluate an expression in the running game, or in a call on the stack while it is stopped. An
/// expression may call functions, which then are executed. It is what Godot's class Expression reads:
/// no statements and assignments, no `a if b else c`, `is`, `as` or lambdas. A function that awaits is
/// waited for; one that has not ended in time goes on in the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EvaluateExpression {
    /// The expression, such as "GameState.score * 2" or "get_node(\"Main/Player\").health".
    /// Autoloads, global classes and the engine's singletons have their names.
    pub expression: String,
    /// The node whose properties and functions it can name: "/root/…", or relative to the current
    /// scene. Default "/root". Not used with `frame`, where it is the object of the call.
    #[serde(default = "GamePath::root")]
    pub node_path: GamePath,
    /// While the game is stopped: the call whose variables it can name, as
    /// `godot_debugger_get_stack_frames` numbers it. Needs Godot 4.5. Default -1: none.
    #[serde(default = "no_frame")]
    pub frame: MaybeFrame,
    /// How long to wait for the value, in milliseconds. Default 2000.
    #[serde(default = "two_seconds")]
    pub timeout_ms: Patience,
}

fn no_frame() -> MaybeFrame {
    MaybeFrame::of::<-1>()
}

/// The result of [`EvaluateExpression`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evaluation {
    /// The expression.
    pub expression: String,
    /// Whether there is a value.
    pub evaluated: bool,
    /// The value: objects as path or class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<GodotValue>,
    /// The type of the value, or its class.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What kind of error it is: "parse" for an expression that is none, "runtime" for one that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    /// What can be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The errors that the game printed meanwhile, at most 20. A value that there is may be another one than
    /// was meant then. Where a function awaits, other parts of the game may have printed some of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ExpressionError>,
}

/// An error that the game printed while an expression was evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpressionError {
    /// What it says.
    pub text: String,
    /// The script, or the source file of the engine where no script has led there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}
