//! How much harm each tool can do, and which parameters follow from that.

use protocol::{Tool, Toolset, Verb};

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
            concat!("the table and the class disagree about ", stringify!($name)),
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
