//! The permission model. All of it: an auditor reads this file and no other.
//!
//! * [`class_of`] gives every tool its class. There is no default: a tool without a row does not
//!   compile.
//! * [`Flags`] are the parameters that a class adds. No tool declares them itself.
//! * [`Gate::admit`] decides, in a fixed order. Only this file makes a [`Permit`], and the link to
//!   the editor takes nothing else, so that no path to the editor goes around it.
//!
//! Three rules are kept elsewhere: paths that escape the project cannot be values
//! (`protocol::path`); which other files may be imported is in [`crate::sources`], which only the
//! gate asks; and the editor refuses to commit a plan that discards data unless the permit carries
//! the agent's `confirm` (it alone can tell).

use std::{sync::Arc, time::Duration};

use protocol::{
    Command, ErrorCode, Fault, Required, Tool, Toolset, Verb,
    bounds::Seconds,
    envelope::{self, Order},
    tools::composite::{BatchCommand, RunCommands},
};
use serde_json::{Map, Value, value::RawValue};

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

/// How much harm a call can do. It follows the effect, not the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SafetyClass {
    /// Changes nothing.
    ReadOnly,
    /// Changes what the editor has open, or a file; undo brings it back. Takes `dry_run`.
    Mutating,
    /// Removes, closes or replaces. Takes `dry_run`, and needs `confirm`.
    Destructive,
    /// Starts work, such as the game.
    Runtime,
}

impl SafetyClass {
    /// Every class, the harmless first.
    pub const ALL: [SafetyClass; 4] = [
        SafetyClass::ReadOnly,
        SafetyClass::Mutating,
        SafetyClass::Destructive,
        SafetyClass::Runtime,
    ];

    /// What agents read in `_meta.safety_class`.
    pub const fn name(self) -> &'static str {
        match self {
            SafetyClass::ReadOnly => "read_only",
            SafetyClass::Mutating => "mutating",
            SafetyClass::Destructive => "destructive",
            SafetyClass::Runtime => "runtime",
        }
    }
}

/// The class of every tool.
///
/// Rows are written `Tool::X`, never `X`: after a glob import the row of a removed tool would
/// quietly become a pattern that matches every tool.
#[deny(clippy::wildcard_enum_match_arm)]
pub const fn class_of(tool: Tool) -> SafetyClass {
    use SafetyClass::{Destructive, Mutating, ReadOnly, Runtime};
    match tool {
        // core
        Tool::HealthCheck => ReadOnly,
        Tool::GetServerInfo => ReadOnly,
        Tool::ListToolsets => ReadOnly,
        Tool::EnableToolset => ReadOnly,
        Tool::DisableToolset => ReadOnly,
        Tool::ListToolsBySafetyClass => ReadOnly,
        Tool::ReadResource => ReadOnly,
        Tool::CheckForUpdates => ReadOnly,
        Tool::DescribeClass => ReadOnly,
        Tool::ListHistory => ReadOnly,
        Tool::DebugWorkflow => Runtime,
        Tool::Undo => Mutating,
        Tool::Redo => Mutating,

        // inspection
        Tool::GetProjectInfo => ReadOnly,
        Tool::ListScenes => ReadOnly,
        Tool::GetActiveScene => ReadOnly,
        Tool::GetSceneTree => ReadOnly,
        Tool::GetSelectedNode => ReadOnly,
        Tool::GetNodeProperties => ReadOnly,
        Tool::GetNodeProperty => ReadOnly,
        Tool::GetNodePropertyList => ReadOnly,
        Tool::GetNodeGroups => ReadOnly,
        Tool::SnapshotSubtree => ReadOnly,
        Tool::DiffSnapshots => ReadOnly,

        // scene_edit
        Tool::OpenScene => Mutating,
        Tool::CreateScene => Mutating,
        Tool::SaveScene => Mutating,
        Tool::CloseScene => Destructive,
        Tool::ReloadScene => Destructive,
        Tool::ListOpenScenes => ReadOnly,
        Tool::CreateNode => Mutating,
        Tool::InstanceScene => Mutating,
        Tool::SetNodeProperty => Mutating,
        Tool::RenameNode => Mutating,
        Tool::MoveNode => Mutating,
        Tool::DuplicateNode => Mutating,
        Tool::DeleteNode => Destructive,
        Tool::SelectNodes => Mutating,
        Tool::AttachScript => Mutating,
        Tool::AddToGroup => Mutating,
        Tool::RemoveFromGroup => Mutating,
        Tool::ListSignalConnections => ReadOnly,
        Tool::ConnectSignal => Mutating,
        Tool::DisconnectSignal => Destructive,
        Tool::SetEditableChildren => Mutating,
        Tool::ExtractScene => Mutating,
        Tool::SaveAllScenes => Mutating,
        Tool::RescanFilesystem => Runtime,

        // input_map
        Tool::AddAction => Mutating,
        Tool::AddEvent => Mutating,
        Tool::GetActionEvents => ReadOnly,
        Tool::ClearActionEvents => Destructive,
        Tool::RemoveAction => Destructive,

        // project_scaffold
        Tool::ScaffoldProject => Destructive,

        // runtime
        Tool::PlayScene => Runtime,
        Tool::IsPlaying => ReadOnly,
        Tool::StopScene => Runtime,
        Tool::RunAndCapture => Runtime,
        Tool::GetGameOutput => ReadOnly,
        Tool::GetGameSceneTree => ReadOnly,
        Tool::ReadProperty => ReadOnly,
        Tool::CaptureGameScreenshot => ReadOnly,
        Tool::ControlTime => Runtime,
        Tool::StepGame => Runtime,
        Tool::FindUiElements => ReadOnly,
        Tool::MonitorProperty => Runtime,
        Tool::GetPropertySamples => ReadOnly,

        // input
        Tool::SimulateKey => Runtime,
        Tool::SimulateMouse => Runtime,
        Tool::SimulateAction => Runtime,
        Tool::SimulateJoypad => Runtime,
        Tool::SimulateTouch => Runtime,
        Tool::PlaySequence => Runtime,
        Tool::RecordInput => Runtime,
        Tool::StopRecording => Runtime,
        Tool::GetInputStats => ReadOnly,

        // editor
        Tool::CaptureScreenshot => ReadOnly,

        // testing
        Tool::AssertNodeState => ReadOnly,
        Tool::RunTests => Runtime,
        Tool::CompareScreenshots => ReadOnly,
        Tool::RunStressTest => Runtime,
        Tool::RunTestScenario => Runtime,

        // debugger
        Tool::SetBreakpoint => Runtime,
        Tool::RemoveBreakpoint => Runtime,
        Tool::ClearBreakpoints => Runtime,
        Tool::ListBreakpoints => ReadOnly,
        Tool::ForceBreak => Runtime,
        Tool::ContinueExecution => Runtime,
        Tool::StepInto => Runtime,
        Tool::StepOver => Runtime,
        Tool::StepOut => Runtime,
        Tool::GetStackFrames => Runtime,
        Tool::GetFrameVariables => Runtime,
        Tool::EvaluateExpression => Runtime,

        // profiling
        Tool::GetEditorPerformance => ReadOnly,
        Tool::GetPerformanceMonitors => ReadOnly,

        // batch
        Tool::FindNodesByType => ReadOnly,
        Tool::GetDependencies => ReadOnly,
        Tool::BatchSetProperty => Mutating,
        Tool::CrossSceneSetProperty => Destructive,

        // composite; each entry of a batch has a class and a permit of its own
        Tool::RunCommands => Mutating,
        Tool::ComposeNode => Mutating,
        Tool::BatchCreateNodes => Mutating,
        Tool::ApplyNodeEdits => Mutating,

        // resources_edit
        Tool::CreateResource => Destructive,
        Tool::ReadResourceFile => ReadOnly,
        Tool::SetResourceProperty => Mutating,
        Tool::RegisterAutoload => Destructive,
        Tool::UnregisterAutoload => Destructive,

        // shader
        Tool::CreateShader => Mutating,
        Tool::ReadShader => ReadOnly,
        Tool::ValidateShader => ReadOnly,
        Tool::AssignShaderMaterial => Mutating,
        Tool::SetShaderParam => Mutating,
        Tool::GetShaderParam => ReadOnly,

        // visual_shader
        Tool::CreateVisualShader => Mutating,
        Tool::ReadVisualShader => ReadOnly,
        Tool::ListShaderNodeTypes => ReadOnly,
        Tool::AddShaderNode => Mutating,
        Tool::ConnectShaderNodes => Mutating,
        Tool::SetShaderNodeParam => Mutating,

        // scripts
        Tool::ListScripts => ReadOnly,
        Tool::ReadScript => ReadOnly,
        Tool::WriteScript => Mutating,
        Tool::PatchScript => Mutating,
        Tool::GetScriptForNode => ReadOnly,
        Tool::GetParseErrors => ReadOnly,

        // project
        Tool::GetFilesystemTree => ReadOnly,
        Tool::SearchFiles => ReadOnly,
        Tool::ResolveUid => ReadOnly,
        Tool::MoveFile => Mutating,
        Tool::DeleteResourceFile => Destructive,
        Tool::GetSetting => ReadOnly,
        Tool::SetSetting => Destructive,

        // asset_import; where from, see `sources` and `downloads`
        Tool::ImportAsset => Mutating,
        Tool::GetImportStatus => ReadOnly,
        Tool::CreateMaterialFromTextures => Mutating,
    }
}

/// Whether a tool runs code that the agent has written, beyond what its class and its name say.
pub const fn executes_code(tool: Tool) -> bool {
    matches!(tool, Tool::EvaluateExpression | Tool::DebugWorkflow)
}

/// Whether a tool may reach beyond this machine, where the user allows that at the start: see
/// [`crate::downloads`]. A batch does by its entries.
pub const fn reaches_network(tool: Tool) -> bool {
    matches!(tool, Tool::ImportAsset | Tool::RunCommands)
}

/// Which parameters the permission model adds to a tool's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags {
    /// `dry_run`: preview, change nothing.
    pub dry_run: bool,
    /// `confirm`: yes, discard what the call discards.
    pub confirm: bool,
    /// `scene`: refuse unless this scene is the active one.
    pub scene: bool,
    /// `instance`: which of the games that run.
    pub instance: bool,
}

/// The flags of every tool: by its class; `confirm` also for edits that may replace a file, and
/// `instance` for what is about one running game.
pub const fn flags_of(tool: Tool) -> Flags {
    let class = class_of(tool);
    let edits = matches!(class, SafetyClass::Mutating | SafetyClass::Destructive);
    Flags {
        dry_run: edits,
        confirm: matches!(class, SafetyClass::Destructive)
            || matches!(tool.verb(), Verb::overwrites | Verb::batches),
        scene: edits && acts_on_active_scene(tool),
        instance: tool.is_about_one_game(),
    }
}

/// Whether an edit goes to the active scene without naming it, and so can hit the wrong one.
const fn acts_on_active_scene(tool: Tool) -> bool {
    let names_its_scene =
        matches!(tool, Tool::OpenScene | Tool::CreateScene | Tool::CloseScene | Tool::ReloadScene);
    match tool.toolset() {
        Toolset::Core => matches!(tool, Tool::Undo | Tool::Redo),
        Toolset::SceneEdit => !names_its_scene,
        Toolset::Batch => matches!(tool, Tool::BatchSetProperty),
        Toolset::Composite => true,
        Toolset::Shader => matches!(tool, Tool::AssignShaderMaterial | Tool::SetShaderParam),
        Toolset::Inspection
        | Toolset::Runtime
        | Toolset::Input
        | Toolset::Editor
        | Toolset::Testing
        | Toolset::Debugger
        | Toolset::Profiling
        | Toolset::Scripts
        | Toolset::Project
        | Toolset::InputMap
        | Toolset::ProjectScaffold
        | Toolset::ResourcesEdit
        | Toolset::VisualShader
        | Toolset::AssetImport => false,
    }
}

// The verb in the table and the class above are two independent statements about one tool. Where
// they disagree, the build stops here.
macro_rules! verbs_and_classes_agree {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => { $($(
        const _: () = assert!(
            agrees(Tool::$Params.verb(), class_of(Tool::$Params)),
            concat!("the table and safety.rs disagree about ", stringify!($name)),
        );
    )*)* };
}

protocol::for_each_tool!(verbs_and_classes_agree);

const fn agrees(verb: Verb, class: SafetyClass) -> bool {
    match verb {
        Verb::reads | Verb::asks | Verb::local => matches!(class, SafetyClass::ReadOnly),
        Verb::batches => matches!(class, SafetyClass::Mutating),
        Verb::edits | Verb::overwrites => {
            matches!(class, SafetyClass::Mutating | SafetyClass::Destructive)
        }
        Verb::runs => matches!(class, SafetyClass::Runtime),
        Verb::games => matches!(class, SafetyClass::ReadOnly | SafetyClass::Runtime),
    }
}

/// A call that was admitted, arguments, flags and all, for one editor. The link takes nothing
/// else. It cannot be copied, so one decision is one call.
#[derive(Debug)]
pub struct Permit {
    tool: Tool,
    editor: Arc<Editor>,
    params: Box<RawValue>,
    asked: Asked,
    /// The worst class of what it lets through.
    class: SafetyClass,
}

impl Permit {
    /// A question that the gateway itself asks. A tool that does more than read stops the build.
    ///
    /// # Errors
    /// If the parameters cannot be written down.
    pub fn question<C: Command>(editor: Arc<Editor>, question: &C) -> Result<Permit, Fault> {
        const { assert!(matches!(class_of(C::TOOL), SafetyClass::ReadOnly), "a question only reads") };
        let params = registry::to_raw(question)?;
        let class = class_of(C::TOOL);
        Ok(Permit { tool: C::TOOL, editor, params, asked: Asked::default(), class })
    }

    /// The tool that is called.
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// The editor that it was admitted for.
    pub fn editor(&self) -> &Arc<Editor> {
        &self.editor
    }

    /// The tool's own parameters.
    pub fn params(&self) -> &RawValue {
        &self.params
    }

    /// Whether only the plan may run.
    pub fn is_preview(&self) -> bool {
        self.asked.dry_run
    }

    /// Whether the agent agreed to discard data.
    pub fn confirmed(&self) -> bool {
        self.asked.confirm
    }

    /// The scene that must be the active one.
    pub fn scene(&self) -> Option<&str> {
        self.asked.scene.as_deref()
    }

    /// Which of the running games it is about.
    pub fn instance(&self) -> Option<u32> {
        self.asked.instance
    }

    /// How long the call itself asks to wait, beyond what every call may take.
    pub fn patience(&self) -> Duration {
        #[derive(serde::Deserialize)]
        struct Waits {
            timeout_ms: Option<u64>,
            wait_ms: Option<u64>,
            timeout_seconds: Option<Seconds>,
        }
        let params = self.params.get();
        let says = params.contains("_ms\"") || params.contains("\"timeout_seconds\"");
        let waits: Option<Waits> = if says { serde_json::from_str(params).ok() } else { None };
        let asked = waits.and_then(|waits| {
            let milliseconds = waits.timeout_ms.or(waits.wait_ms).map(Duration::from_millis);
            milliseconds.or(waits.timeout_seconds.map(Seconds::duration))
        });
        asked.unwrap_or_default()
    }

    /// Whether the call changes something when it arrives.
    pub fn changes(&self) -> bool {
        !self.asked.dry_run && !matches!(self.class, SafetyClass::ReadOnly)
    }
}

/// The flags as the agent set them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    dry_run: bool,
    confirm: bool,
    scene: Option<String>,
    instance: Option<u32>,
}

impl Asked {
    /// Takes the flags out of validated arguments; what is left is the tool's own.
    pub fn take(arguments: &mut Map<String, Value>, flags: Flags) -> Asked {
        let mut flag = |name: &str, exists: bool| {
            exists && arguments.remove(name).and_then(|value| value.as_bool()).unwrap_or(false)
        };
        let dry_run = flag("dry_run", flags.dry_run);
        let confirm = flag("confirm", flags.confirm);
        let scene = match flags.scene.then(|| arguments.remove("scene")).flatten() {
            Some(Value::String(scene)) => Some(scene),
            _ => None,
        };
        let instance = flags.instance.then(|| arguments.remove("instance")).flatten();
        let instance = instance.and_then(|id| u32::try_from(id.as_u64()?).ok());
        Asked { dry_run, confirm, scene, instance }
    }
}

/// Whether a parameter decides about safety, and so is not even guessed from null.
pub fn never_guessed(parameter: &str) -> bool {
    matches!(parameter, "dry_run" | "confirm")
}

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
                    Order::Run(order)
                }
                Err(fault) if run.stop_on_error => {
                    return Err(batches::refused(&command, index, total, fault));
                }
                Err(fault) => Order::Refused(fault),
            };
            entries.push(envelope::BatchEntry { command, order });
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
        asked.dry_run |= batch.dry_run && flags_of(tool).dry_run;
        asked.confirm |= batch.confirm && flags_of(tool).confirm;
        require_confirmation(tool, &asked)?;
        Toolsets::require_godot(tool.toolset(), editor.godot_version())?;
        let params = self.sources.settle(tool, params, editor.project_dir())?;
        let order = envelope::BatchCommand {
            wire: tool.wire().to_owned(),
            params: serde_json::from_str(params.get())
                .map_err(|error| Fault::internal(error.to_string()))?,
            preview: asked.dry_run,
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
