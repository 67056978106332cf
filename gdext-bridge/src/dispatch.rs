//! From a command to its handler and back.
//!
//! The only place that commits. A `reads` handler answers; an `edits` handler makes a [`Plan`] and
//! changes nothing. A preview drops the plan's work; the real call does it, reads back what it did
//! and registers one undo step. So a preview is refused where the real call is refused: it is the
//! same code.

use godot::{classes::EditorPlugin, prelude::*};
use protocol::{
    Fault, Required, ResPath, Stamp, Tool,
    envelope::{self, Request},
    for_each_tool,
    stamp::Stamped,
};
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    engine_log::EngineLog,
    history::{Histories, OURS},
    plan::{Context, Edit, Plan, Poll, Progress, Read, Run, Work},
    scene::Scene,
    tabs::Tabs,
    undo::Ledger,
};

macro_rules! dispatch {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// A tool of the table without a handler stops the build here.
        fn run(dispatcher: &Dispatcher, tool: Tool, params: &RawValue, mode: Mode) -> Result<Answer, Fault> {
            match tool {
                $($(Tool::$Params => {
                    arm!($verb dispatcher, params, mode, $root::tools::$set::$Params)
                })*)*
            }
        }
    };
}
macro_rules! arm {
    (local $dispatcher:ident, $params:ident, $mode:ident, $Params:ty) => {
        Err(Fault::internal("This tool is answered by the gateway."))
    };
    (reads $dispatcher:ident, $params:ident, $mode:ident, $Params:ty) => {
        $dispatcher.read::<$Params>($params)
    };
    (runs $dispatcher:ident, $params:ident, $mode:ident, $Params:ty) => {
        $dispatcher.start::<$Params>($params)
    };
    ($verb:ident $dispatcher:ident, $params:ident, $mode:ident, $Params:ty) => {
        $dispatcher.edit::<$Params>($params, $mode)
    };
}
for_each_tool!(dispatch);

/// The wire commands that this build knows.
pub(crate) fn commands() -> Vec<String> {
    let tools = Tool::ALL.iter().filter(|tool| tool.verb() != protocol::Verb::local);
    let control =
        [envelope::PLAN, envelope::PING, envelope::CANCEL, envelope::OUTCOME, envelope::CLIENT];
    tools.map(|tool| tool.wire()).chain(control).map(str::to_owned).collect()
}

/// Runs commands, and carries out what they plan.
pub(crate) struct Dispatcher {
    /// What handlers may use.
    pub(crate) context: Context,
    log: EngineLog,
}

/// A command of the table, as a request asks for it.
pub(crate) struct Call<'a> {
    /// The tool.
    pub(crate) tool: Tool,
    params: std::borrow::Cow<'a, RawValue>,
    mode: Mode,
    scene: Option<&'a str>,
}

/// The answer of a command, or the promise of one.
pub(crate) enum Answer {
    Done(Box<RawValue>),
    Waiting(Poll<Box<RawValue>>),
}

/// How a command is to be run.
#[derive(Clone, Copy)]
enum Mode {
    Preview,
    Commit { confirm: bool },
}

impl Call<'_> {
    /// What a request asks for.
    pub(crate) fn of(request: &Request) -> Result<Call<'_>, Fault> {
        let scene = request.scene.as_deref();
        if request.command == envelope::PLAN {
            let plan: envelope::Plan = parse(&request.params)?;
            let tool = tool(&plan.command)?;
            let params = std::borrow::Cow::Owned(plan.params);
            return Ok(Call { tool, params, mode: Mode::Preview, scene });
        }
        let mode = Mode::Commit { confirm: request.confirm };
        let params = std::borrow::Cow::Borrowed(&*request.params);
        Ok(Call { tool: tool(&request.command)?, params, mode, scene })
    }

    /// Whether only the plan is to be made.
    pub(crate) fn is_preview(&self) -> bool {
        matches!(self.mode, Mode::Preview)
    }
}

impl Dispatcher {
    /// Starts to take note of what the editor does.
    pub(crate) fn new(plugin: &Gd<EditorPlugin>) -> Dispatcher {
        let context = Context { histories: Histories::watch(), tabs: Tabs::watch(plugin) };
        Dispatcher { context, log: EngineLog::install() }
    }

    /// Gives back what was taken from the editor.
    pub(crate) fn stop(&self) {
        self.log.remove();
        self.context.histories.forget();
        self.context.tabs.forget();
    }

    /// Runs a command, or begins one that takes some frames.
    pub(crate) fn run(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        if let Some(scene) = call.scene {
            guard_scene(scene)?;
        }
        run(self, call.tool, &call.params, call.mode)
    }

    fn read<C: Read>(&self, params: &RawValue) -> Result<Answer, Fault> {
        let command: C = parse(params)?;
        Ok(Answer::Done(written(&command.read(&self.context)?)?))
    }

    fn start<C: Run>(&self, params: &RawValue) -> Result<Answer, Fault> {
        let command: C = parse(params)?;
        match command.run(&self.context)? {
            Progress::Done(result) => Ok(Answer::Done(written(&result)?)),
            Progress::Waiting(mut poll) => Ok(Answer::Waiting(Box::new(move |context| {
                Some(poll(context)?.and_then(|result| written(&result)))
            }))),
        }
    }

    fn edit<C: Edit>(&self, params: &RawValue, mode: Mode) -> Result<Answer, Fault> {
        let command: C = parse(params)?;
        // What is still there was printed by somebody else.
        self.log.take();
        let Plan { mut result, verdict, discards, work } =
            command.plan(&self.context).map_err(|fault| self.explain(fault))?;
        let undoable = matches!(&work, Work::Steps { steps, .. } if !steps.is_empty());
        let mut stamp = Stamp {
            dry_run: matches!(mode, Mode::Preview),
            verdict,
            undoable: Some(undoable),
            scene: None,
            discards: discards.clone(),
            engine_errors: Vec::new(),
        };
        let Mode::Commit { confirm } = mode else {
            protocol::Effect::withdraw(&mut result);
            stamp.scene = Scene::active_path();
            stamp.engine_errors = self.log.take();
            return Ok(Answer::Done(written(&Stamped { result, stamp })?));
        };
        if let Some(what) = discards
            && !confirm
        {
            return Err(Fault::precondition(
                Required::CONFIRM,
                format!(
                    "This discards {what}. Look with dry_run=true, then repeat with confirm=true."
                ),
            )
            .with("discards", what));
        }
        match work {
            Work::Steps { label, scene, steps, first, last } => {
                let back = first.map(|first| first()).transpose().map_err(|it| self.explain(it))?;
                if !steps.is_empty() {
                    let done = Ledger::apply(steps, &scene)
                        .and_then(|ledger| ledger.register(&format!("{OURS}{label}"), &scene));
                    if let Err(fault) = done {
                        back.into_iter().for_each(|back| back());
                        return Err(self.explain(fault));
                    }
                    self.context.histories.registered(&scene);
                    self.context.tabs.touched(&scene);
                }
                let result = match last {
                    Some(last) => last(&self.context, result),
                    None => result,
                };
                Ok(Answer::Done(self.stamped(result, stamp)?))
            }
            Work::Action(action) => {
                match action(&self.context, result).map_err(|fault| self.explain(fault))? {
                    Progress::Done(result) => Ok(Answer::Done(self.stamped(result, stamp)?)),
                    Progress::Waiting(poll) => Ok(Answer::Waiting(self.later(poll, stamp))),
                }
            }
        }
    }

    /// A poll whose result is stamped when it comes.
    fn later<T: serde::Serialize + 'static>(
        &self,
        mut poll: Poll<T>,
        stamp: Stamp,
    ) -> Poll<Box<RawValue>> {
        let log = self.log.clone();
        Box::new(move |context| {
            let outcome = poll(context)?;
            let mut stamp = stamp.clone();
            stamp.scene = Scene::active_path();
            stamp.engine_errors = log.take();
            let errors = stamp.engine_errors.clone();
            Some(match outcome {
                Ok(result) => written(&Stamped { result, stamp }),
                Err(fault) => Err(with_engine_errors(fault, errors)),
            })
        })
    }

    fn stamped<T: serde::Serialize>(
        &self,
        result: T,
        mut stamp: Stamp,
    ) -> Result<Box<RawValue>, Fault> {
        stamp.scene = Scene::active_path();
        stamp.engine_errors = self.log.take();
        written(&Stamped { result, stamp })
    }

    /// The same fault with what the engine said, which often is the reason.
    fn explain(&self, fault: Fault) -> Fault {
        with_engine_errors(fault, self.log.take())
    }
}

/// The tool with a wire command.
fn tool(command: &str) -> Result<Tool, Fault> {
    Tool::from_wire(command).ok_or_else(|| {
        Fault::unsupported(format!(
            "This editor's add-on knows no command '{command}'. Update the add-on, then restart the \
             editor."
        ))
    })
}

fn with_engine_errors(fault: Fault, errors: Vec<String>) -> Fault {
    if errors.is_empty() { fault } else { fault.with("engine_errors", errors) }
}

/// Refuses where the active scene is another one than the caller has in mind.
fn guard_scene(wanted: &str) -> Result<(), Fault> {
    let active = Scene::active_path();
    let wanted = ResPath::try_from(wanted.to_owned()).map_err(Fault::invalid)?;
    if active.as_deref() == Some(wanted.as_str()) {
        return Ok(());
    }
    let is = match active.as_deref() {
        None => "no scene is open".to_owned(),
        Some("") => "the active scene was never saved".to_owned(),
        Some(path) => format!("the active scene is '{path}'"),
    };
    Err(Fault::precondition(
        Required::SCENE_MATCH,
        format!(
            "The call is meant for '{wanted}', but {is}. Call godot_scene_edit_open_scene with \
             scene_path '{wanted}' first, or leave `scene` out."
        ),
    )
    .with("active_scene", active.unwrap_or_default()))
}

fn parse<'a, T: serde::Deserialize<'a>>(params: &'a RawValue) -> Result<T, Fault> {
    serde_json::from_str(params.get()).map_err(|error| Fault::invalid(error.to_string()))
}

/// A result as it is sent.
pub(crate) fn written(result: &impl serde::Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(result).map_err(|error| Fault::internal(error.to_string()))
}
