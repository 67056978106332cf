//! A human, or a rule of theirs, who may refuse a call.
//!
//! The hook is asked last, after every other check has passed, and never for a read or a preview.

use std::pin::Pin;

use protocol::Tool;
use serde_json::value::RawValue;

use crate::safety::SafetyClass;

/// What is asked: may this call be made?
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The tool.
    pub tool: Tool,
    /// Its class; a call that carries `confirm` counts as destructive.
    pub class: SafetyClass,
    /// Its own parameters.
    pub arguments: &'a RawValue,
}

/// The answer to a [`Question`]: nothing for yes, the reason for no.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// Says yes or no to calls that change something.
pub trait Approver: Send + Sync {
    /// Whether the call may be made; otherwise the reason why not.
    fn approve<'a>(&'a self, question: Question<'a>) -> Answer<'a>;
}
