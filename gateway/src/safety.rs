//! The permission model. All of it: an auditor reads this file and its folder, and nothing else.
//!
//! * [`class_of`] gives every tool its class. There is no default: a tool without a row does not
//!   compile.
//! * [`Flags`] are the parameters that a class adds. No tool declares them itself.
//! * [`Gate::admit`] decides, in a fixed order. Only this folder makes a [`Permit`], and the link to
//!   the editor takes nothing else, so that no path to the editor goes around it.
//!
//! Three rules are kept elsewhere: paths that escape the project cannot be values
//! (`protocol::path`); which other files may be imported is in [`crate::sources`], which only the
//! gate asks; and the editor refuses to commit a plan that discards data unless the permit carries
//! the agent's `confirm` (it alone can tell).

mod class;
mod permit;

use protocol::{
    ErrorCode, Fault, Required, Tool, Verb, envelope,
    tools::composite::{BatchCommand, RunCommands},
};
use serde_json::value::RawValue;

pub use self::{
    class::{Flags, SafetyClass, class_of, executes_code, flags_of, reaches_network},
    permit::{Asked, Permit, never_guessed},
};
use crate::{
    approval::{Approver, Question},
    arguments, batches,
    caller::Caller,
    downloads::{self, Downloaded},
    link::{Editor, Editors},
    registry::{self, JsonObject},
    sources::Sources,
    toolsets::Toolsets,
};

/// What became of a request for admission.
#[derive(Debug)]
pub enum Admission {
    /// The call may go to the editor, and what was downloaded for it be removed once that is done.
    Editor(Permit, Downloaded),
    /// The gateway answers it itself, from these parameters.
    Local(Box<RawValue>),
}

/// Decides about every call.
pub struct Gate {
    /// Which toolsets are on.
    pub toolsets: Toolsets,
    sources: Sources,
    approver: Option<Box<dyn Approver>>,
}

impl Gate {
    /// A gate that asks `approver`, if there is one, before every call that changes something.
    pub fn new(toolsets: Toolsets, approver: Option<Box<dyn Approver>>) -> Gate {
        Gate { toolsets, sources: Sources::default(), approver }
    }

    /// The same gate, letting files be imported from `sources` as well as from the project.
    #[must_use]
    pub fn with_sources(self, sources: Sources) -> Gate {
        Gate { sources, ..self }
    }

    /// The only way to the editor for an agent's call. The order of the checks is part of the
    /// contract: toolset, arguments, class flags, preconditions, approval. Only what passed all of
    /// them is downloaded, where the call imports from the network.
    ///
    /// # Errors
    /// The first check that fails, or the download. Nothing was sent to the editor then.
    pub async fn admit(
        &self,
        tool: Tool,
        arguments: JsonObject,
        editors: &Editors,
        caller: &Caller,
    ) -> Result<Admission, Fault> {
        self.toolsets.require(tool)?;
        let (params, asked) = arguments::read(tool, arguments)?;
        require_confirmation(tool, &asked)?;
        if tool.verb() == Verb::local {
            return Ok(Admission::Local(params));
        }
        let editor = editors.choose().await?;
        Toolsets::require_godot(tool.toolset(), editor.godot_version())?;
        let (params, class) = match tool.verb() {
            Verb::batches => self.admit_batch(&params, &asked, &editor)?,
            _ => {
                let params = self.sources.settle(tool, params, editor.project_dir())?;
                (params, effective_class(tool, &asked))
            }
        };
        let permit = Permit { tool, editor, params, asked, class };
        if permit.changes() {
            editors.require_known(permit.editor())?;
        }
        self.require_approval(&permit).await?;
        let (permit, downloaded) = self.download(permit, caller).await?;
        Ok(Admission::Editor(permit, downloaded))
    }

    /// Gets what the call imports from the network. A preview gets nothing.
    async fn download(
        &self,
        permit: Permit,
        caller: &Caller,
    ) -> Result<(Permit, Downloaded), Fault> {
        let Some(limits) = self.sources.downloads().filter(|_| !permit.is_preview()) else {
            return Ok((permit, Downloaded::default()));
        };
        let (params, downloaded) =
            downloads::fetch(limits, permit.tool, permit.params, caller).await?;
        Ok((Permit { params, ..permit }, downloaded))
    }

    /// Lets every entry of a batch through the gate as a call of its own. Gives what the editor is to
    /// run, and the worst class of it.
    fn admit_batch(
        &self,
        params: &RawValue,
        asked: &Asked,
        editor: &Editor,
    ) -> Result<(Box<RawValue>, SafetyClass), Fault> {
        let run: RunCommands = serde_json::from_str(params.get())
            .map_err(|error| Fault::internal(error.to_string()))?;
        let total = run.commands.len();
        let (mut entries, mut class) = (Vec::new(), SafetyClass::ReadOnly);
        for (index, BatchCommand { command, params }) in run.commands.into_iter().enumerate() {
            let order = match self.admit_entry(&command, params, asked, editor) {
                Ok((order, worst)) => {
                    class = worse(class, worst);
                    Ok(order)
                }
                Err(fault) if run.stop_on_error => {
                    let refused = batches::refused(&command, index, total, fault);
                    return Err(refused.with("dry_run", asked.dry_run));
                }
                refused => refused.map(|(order, _)| order),
            };
            entries.push(envelope::BatchEntry::new(command, order));
        }
        let batch = envelope::Batch { stop_on_error: run.stop_on_error, entries };
        Ok((registry::to_raw(&batch)?, class))
    }

    fn admit_entry(
        &self,
        command: &str,
        mut params: JsonObject,
        batch: &Asked,
        editor: &Editor,
    ) -> Result<(envelope::BatchCommand, SafetyClass), Fault> {
        let tool = batches::tool(command)?;
        self.toolsets.require(tool)?;
        batches::rename_aliases(tool, &mut params);
        let (params, mut asked) = arguments::read(tool, params)?;
        // A batch that is previewed is planned as a whole, and runs none of its entries.
        let preview = asked.dry_run;
        asked.dry_run |= batch.dry_run && flags_of(tool).dry_run;
        asked.confirm |= batch.confirm && flags_of(tool).confirm;
        require_confirmation(tool, &asked)?;
        Toolsets::require_godot(tool.toolset(), editor.godot_version())?;
        let params = self.sources.settle(tool, params, editor.project_dir())?;
        let order = envelope::BatchCommand {
            wire: tool.wire().to_owned(),
            params,
            preview,
            confirm: asked.confirm,
            scene: asked.scene.clone(),
        };
        let class = match asked.dry_run {
            true => SafetyClass::ReadOnly,
            false => effective_class(tool, &asked),
        };
        Ok((order, class))
    }

    async fn require_approval(&self, permit: &Permit) -> Result<(), Fault> {
        let Some(approver) = &self.approver else { return Ok(()) };
        if !permit.changes() {
            return Ok(());
        }
        let tool = permit.tool;
        let question = Question { tool, class: permit.class, arguments: permit.params() };
        approver.approve(question).await.map_err(|reason| {
            Fault::new(
                ErrorCode::ApprovalDenied,
                format!("{} was not approved: {reason}. Do not repeat it as it is; ask the human what they want.", tool.name()),
            )
            .requiring(Required::HUMAN_APPROVAL)
        })
    }
}

/// A mutating call that carries `confirm` may replace a file, and counts as destructive.
fn effective_class(tool: Tool, asked: &Asked) -> SafetyClass {
    if asked.confirm { SafetyClass::Destructive } else { class_of(tool) }
}

/// The class that a batch counts as, if these are in it: destructive before mutating before runtime.
fn worse(a: SafetyClass, b: SafetyClass) -> SafetyClass {
    let rank = |class| match class {
        SafetyClass::ReadOnly => 0,
        SafetyClass::Runtime => 1,
        SafetyClass::Mutating => 2,
        SafetyClass::Destructive => 3,
    };
    if rank(a) < rank(b) { b } else { a }
}

fn require_confirmation(tool: Tool, asked: &Asked) -> Result<(), Fault> {
    if class_of(tool) != SafetyClass::Destructive || asked.dry_run || asked.confirm {
        return Ok(());
    }
    Err(Fault::precondition(
        Required::CONFIRM,
        format!(
            "{} is destructive and was not run. Look at what it would do with \"dry_run\": true; \
             then repeat the call with \"confirm\": true.",
            tool.name()
        ),
    ))
}
