//! A command of the table, and how it is to be run.

use std::borrow::Cow;

use protocol::{
    Fault, Tool,
    envelope::{self, Request},
};
use serde_json::value::RawValue;

use crate::dispatch::parse;

/// A command of the table, as a request asks for it.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    /// The tool.
    pub(crate) tool: Tool,
    /// Its parameters.
    pub(crate) params: Cow<'a, RawValue>,
    /// How it is to be run.
    pub(crate) mode: Mode,
    /// The scene that must be the active one.
    pub(crate) scene: Option<Cow<'a, str>>,
    /// The running game that is meant.
    pub(crate) instance: Option<u32>,
}

/// How a command is to be run.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// Only the plan.
    Preview,
    /// For real; with leave to discard data, or without.
    Commit { confirm: bool },
}

impl Call<'_> {
    /// What a request asks for.
    pub(crate) fn of(request: &Request) -> Result<Call<'_>, Fault> {
        let scene = request.scene.as_deref().map(Cow::Borrowed);
        if request.command == envelope::PLAN {
            let plan: envelope::Plan = parse(&request.params)?;
            let tool = tool(&plan.command)?;
            let params = Cow::Owned(plan.params);
            return Ok(Call { tool, params, mode: Mode::Preview, scene, instance: None });
        }
        let mode = Mode::Commit { confirm: request.confirm };
        let params = Cow::Borrowed(&*request.params);
        let instance = request.instance;
        Ok(Call { tool: tool(&request.command)?, params, mode, scene, instance })
    }

    /// The same call, to be kept.
    pub(crate) fn into_owned(self) -> Call<'static> {
        let scene = self.scene.map(|scene| Cow::Owned(scene.into_owned()));
        Call { params: Cow::Owned(self.params.into_owned()), scene, ..self }
    }

    /// Whether only the plan is to be made.
    pub(crate) fn is_preview(&self) -> bool {
        matches!(self.mode, Mode::Preview)
    }
}

/// The tool with a wire command.
pub(crate) fn tool(command: &str) -> Result<Tool, Fault> {
    Tool::from_wire(command).ok_or_else(|| {
        Fault::unsupported(format!(
            "This editor's add-on knows no command '{command}'. Update the add-on, then restart the \
             editor."
        ))
    })
}
