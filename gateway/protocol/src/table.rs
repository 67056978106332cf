//! The one list of every tool.
//!
//! To add a tool, add its parameters and its result to its toolset's module under [`crate::tools`]
//! and one row here. The compiler then names what is missing: a safety class
//! (`gateway/src/safety/class.rs`) and a handler (`gdext-bridge/src/tools/`, or `gateway/src/local/` for
//! a `local` tool).

/// Calls `$callback!` with the whole table.
///
/// A row reads: action, wire command, verb, parameters, result. The verb says what a call does:
///
/// * `reads` the editor,
/// * `asks` it what takes some frames to answer, and changes nothing,
/// * `edits` it, and so can be previewed,
/// * `overwrites`: an edit that may replace a file wholesale, and so takes `confirm`,
/// * `batches`: edits made of other tools' commands; its parameters cross the link as
///   [`crate::envelope::Batch`], one entry a permit,
/// * `runs` something that has no preview, such as the game or a scan,
/// * `games`: the running game answers it,
/// * `local`: the gateway answers it.
///
/// `gateway/src/safety/class.rs` must agree with the verb, or the build fails.
#[macro_export]
macro_rules! for_each_tool {
    ($callback:ident) => {
        $callback! {
            $crate,
            core / Core "godot_" {
                health_check               "-"                          local      HealthCheck -> Health;
                get_server_info            "-"                          local      GetServerInfo -> ServerInfo;
                list_toolsets              "-"                          local      ListToolsets -> ToolsetList;
                enable_toolset             "-"                          local      EnableToolset -> ToolsetChanged;
                disable_toolset            "-"                          local      DisableToolset -> ToolsetChanged;
                list_tools_by_safety_class "-"                          local      ListToolsBySafetyClass -> ToolsBySafetyClass;
                read_resource              "-"                          local      ReadResource -> ResourceText;
                check_for_updates          "-"                          local      CheckForUpdates -> UpdateStatus;
                describe_class             "cmd_describe_class"         reads      DescribeClass -> ClassDescription;
                list_history               "cmd_list_history"           reads      ListHistory -> History;
                debug_workflow             "cmd_debug_workflow"         runs       DebugWorkflow -> DebugReport;
                undo                       "cmd_undo"                   edits      Undo -> Undone;
                redo                       "cmd_redo"                   edits      Redo -> Redone;
            }
            inspection / Inspection "godot_inspection_" {
                get_project_info           "cmd_get_project_info"       reads      GetProjectInfo -> ProjectInfo;
                list_scenes                "cmd_list_scenes"            reads      ListScenes -> SceneList;
                get_active_scene           "cmd_get_active_scene"       reads      GetActiveScene -> ActiveScene;
                get_scene_tree             "cmd_get_scene_tree"         reads      GetSceneTree -> SceneTree;
                get_selected_node          "cmd_get_selected_node"      reads      GetSelectedNode -> SelectedNode;
                get_node_properties        "cmd_get_node_properties"    reads      GetNodeProperties -> NodeProperties;
                get_node_property          "cmd_get_node_property"      reads      GetNodeProperty -> NodeProperty;
                get_node_property_list     "cmd_get_node_property_list" reads      GetNodePropertyList -> NodePropertyList;
                get_node_groups            "cmd_get_node_groups"        reads      GetNodeGroups -> NodeGroups;
                snapshot_subtree           "cmd_snapshot_subtree"       reads      SnapshotSubtree -> Snapshot;
                diff_snapshots             "-"                          local      DiffSnapshots -> SnapshotDiff;
            }
            scene_edit / SceneEdit "godot_scene_edit_" {
                open_scene                 "cmd_open_scene"             edits      OpenScene -> SceneOpened;
                create_scene               "cmd_create_scene"           overwrites CreateScene -> SceneCreated;
                save_scene                 "cmd_save_scene"             edits      SaveScene -> SceneSaved;
                close_scene                "cmd_close_scene"            edits      CloseScene -> SceneClosed;
                reload_scene               "cmd_reload_scene"           edits      ReloadScene -> SceneReloaded;
                list_open_scenes           "cmd_list_open_scenes"       reads      ListOpenScenes -> OpenScenes;
                create_node                "cmd_create_node"            edits      CreateNode -> NodeCreated;
                instance_scene             "cmd_instance_scene"         edits      InstanceScene -> SceneInstanced;
                set_node_property          "cmd_set_node_property"      edits      SetNodeProperty -> PropertySet;
                rename_node                "cmd_rename_node"            edits      RenameNode -> NodeRenamed;
                move_node                  "cmd_move_node"              edits      MoveNode -> NodeMoved;
                duplicate_node             "cmd_duplicate_node"         edits      DuplicateNode -> NodeDuplicated;
                delete_node                "cmd_delete_node"            edits      DeleteNode -> NodeDeleted;
                select_nodes               "cmd_select_nodes"           edits      SelectNodes -> NodesSelected;
                attach_script              "cmd_attach_script"          edits      AttachScript -> ScriptAttached;
                add_to_group               "cmd_add_to_group"           edits      AddToGroup -> GroupChanged;
                remove_from_group          "cmd_remove_from_group"      edits      RemoveFromGroup -> GroupChanged;
                list_signal_connections    "cmd_list_signal_connections" reads     ListSignalConnections -> SignalConnections;
                connect_signal             "cmd_connect_signal"         edits      ConnectSignal -> SignalConnected;
                disconnect_signal          "cmd_disconnect_signal"      edits      DisconnectSignal -> SignalDisconnected;
                set_editable_children      "cmd_set_editable_children"  edits      SetEditableChildren -> EditableChildrenSet;
                extract_scene              "cmd_extract_scene"          overwrites ExtractScene -> SceneExtracted;
                save_all_scenes            "cmd_save_all_scenes"        edits      SaveAllScenes -> AllScenesSaved;
                rescan_filesystem          "cmd_rescan_filesystem"      runs       RescanFilesystem -> FilesystemRescanned;
            }
            input_map / InputMap "godot_input_map_" {
                add_action                 "cmd_add_input_action"       edits      AddAction -> ActionAdded;
                add_event                  "cmd_add_input_event"        edits      AddEvent -> EventAdded;
                get_action_events          "cmd_get_input_action_events" reads     GetActionEvents -> ActionEvents;
                clear_action_events        "cmd_clear_input_action_events" edits   ClearActionEvents -> ActionEventsCleared;
                remove_action              "cmd_remove_input_action"    edits      RemoveAction -> ActionRemoved;
            }
            project_scaffold / ProjectScaffold "godot_project_" {
                scaffold                   "cmd_scaffold_project"       edits      ScaffoldProject -> ProjectScaffolded;
            }
            runtime / Runtime "godot_runtime_" {
                play_scene                 "cmd_play_scene"             runs       PlayScene -> PlayState;
                is_playing                 "cmd_is_playing"             reads      IsPlaying -> PlayState;
                stop_scene                 "cmd_stop_scene"             runs       StopScene -> PlayState;
                run_and_capture            "cmd_run_and_capture"        runs       RunAndCapture -> RunCaptured;
                get_game_output            "cmd_get_game_output"        reads      GetGameOutput -> GameOutput;
                get_game_scene_tree        "cmd_get_game_scene_tree"    games      GetGameSceneTree -> GameSceneTree;
                read_property              "cmd_read_property"          games      ReadProperty -> GameProperty;
                capture_game_screenshot    "cmd_capture_game_screenshot" games     CaptureGameScreenshot -> Picture;
                control_time               "cmd_control_time"           games      ControlTime -> TimeState;
                step_frames                "cmd_step_frames"            games      StepGame -> GameStepped;
                find_ui_elements           "cmd_find_ui_elements"       games      FindUiElements -> UiElements;
                monitor_property           "cmd_monitor_property"       games      MonitorProperty -> PropertyMonitored;
                get_property_samples       "cmd_get_property_samples"   games      GetPropertySamples -> PropertySamples;
            }
            input / Input "godot_input_" {
                simulate_key               "cmd_simulate_key"           games      SimulateKey -> InputSent;
                simulate_mouse             "cmd_simulate_mouse"         games      SimulateMouse -> InputSent;
                simulate_action            "cmd_simulate_action"        games      SimulateAction -> InputSent;
                simulate_joypad            "cmd_simulate_joypad"        games      SimulateJoypad -> InputSent;
                simulate_touch             "cmd_simulate_touch"         games      SimulateTouch -> InputSent;
                play_sequence              "cmd_play_input_sequence"    games      PlaySequence -> InputSent;
                record                     "cmd_record_input"           games      RecordInput -> RecordingStarted;
                stop_recording             "cmd_stop_recording"         games      StopRecording -> Recording;
                get_stats                  "cmd_get_input_stats"        games      GetInputStats -> InputStats;
            }
            editor / Editor "godot_editor_" {
                capture_screenshot         "cmd_capture_editor_screenshot" asks    CaptureScreenshot -> Picture;
            }
            testing / Testing "godot_testing_" {
                assert_node_state          "cmd_assert_node_state"      games      AssertNodeState -> NodeStateAsserted;
                run_tests                  "cmd_run_tests"              runs       RunTests -> TestsRun;
                compare_screenshots        "-"                          local      CompareScreenshots -> ScreenshotsCompared;
                run_stress_test            "cmd_run_stress_test"        runs       RunStressTest -> StressRun;
                run_test_scenario          "cmd_run_test_scenario"      runs       RunTestScenario -> ScenarioRun;
            }
            debugger / Debugger "godot_debugger_" {
                set_breakpoint             "cmd_set_breakpoint"         runs       SetBreakpoint -> BreakpointChanged;
                remove_breakpoint          "cmd_remove_breakpoint"      runs       RemoveBreakpoint -> BreakpointChanged;
                clear_breakpoints          "cmd_clear_breakpoints"      runs       ClearBreakpoints -> BreakpointsCleared;
                list_breakpoints           "cmd_list_breakpoints"       reads      ListBreakpoints -> Breakpoints;
                force_break                "cmd_force_break"            runs       ForceBreak -> ForcedBreak;
                continue_execution         "cmd_continue_execution"     runs       ContinueExecution -> Continued;
                step_into                  "cmd_step_into"              runs       StepInto -> Stepped;
                step_over                  "cmd_step_over"              runs       StepOver -> Stepped;
                step_out                   "cmd_step_out"               runs       StepOut -> Stepped;
                get_stack_frames           "cmd_get_stack_frames"       runs       GetStackFrames -> StackFrames;
                get_frame_variables        "cmd_get_frame_variables"    games      GetFrameVariables -> FrameVariables;
                evaluate_expression        "cmd_evaluate_expression"    games      EvaluateExpression -> Evaluation;
            }
            profiling / Profiling "godot_profiling_" {
                get_editor_performance     "cmd_get_editor_performance" reads      GetEditorPerformance -> EditorPerformance;
                get_performance_monitors   "cmd_get_performance_monitors" games    GetPerformanceMonitors -> GamePerformance;
            }
            batch / Batch "godot_batch_" {
                find_nodes_by_type         "cmd_find_nodes_by_type"     reads      FindNodesByType -> NodesFound;
                get_dependencies           "cmd_get_dependencies"       reads      GetDependencies -> Dependencies;
                set_property               "cmd_batch_set_property"     edits      BatchSetProperty -> PropertiesSet;
                cross_scene_set_property   "cmd_cross_scene_set_property" edits    CrossSceneSetProperty -> ScenesChanged;
            }
            composite / Composite "godot_composite_" {
                run_commands               "cmd_run_commands"           batches    RunCommands -> CommandsRun;
                compose_node               "cmd_compose_node"           edits      ComposeNode -> NodeComposed;
                batch_create_nodes         "cmd_batch_create_nodes"     edits      BatchCreateNodes -> NodesCreated;
                apply_node_edits           "cmd_apply_node_edits"       edits      ApplyNodeEdits -> NodesEdited;
            }
            resources_edit / ResourcesEdit "godot_resources_edit_" {
                create_resource            "cmd_create_resource"        edits      CreateResource -> ResourceCreated;
                read_resource_file         "cmd_read_resource"          reads      ReadResourceFile -> ResourceFile;
                set_resource_property      "cmd_set_resource_property"  edits      SetResourceProperty -> ResourcePropertySet;
                register_autoload          "cmd_register_autoload"      edits      RegisterAutoload -> AutoloadRegistered;
                unregister_autoload        "cmd_unregister_autoload"    edits      UnregisterAutoload -> AutoloadUnregistered;
            }
            shader / Shader "godot_shader_" {
                create                     "cmd_create_shader"          overwrites CreateShader -> ShaderCreated;
                read                       "cmd_read_shader"            reads      ReadShader -> ShaderText;
                validate                   "cmd_validate_shader"        reads      ValidateShader -> ShaderValidated;
                assign_material            "cmd_assign_shader_material" edits      AssignShaderMaterial -> ShaderMaterialAssigned;
                set_param                  "cmd_set_shader_param"       edits      SetShaderParam -> ShaderParamSet;
                get_param                  "cmd_get_shader_param"       reads      GetShaderParam -> ShaderParam;
            }
            visual_shader / VisualShader "godot_visual_shader_" {
                create                     "cmd_create_visual_shader"   overwrites CreateVisualShader -> VisualShaderCreated;
                read                       "cmd_read_visual_shader"     reads      ReadVisualShader -> VisualShaderGraph;
                list_node_types            "cmd_list_shader_node_types" reads      ListShaderNodeTypes -> ShaderNodeTypes;
                add_node                   "cmd_add_shader_node"        edits      AddShaderNode -> ShaderNodeAdded;
                connect_nodes              "cmd_connect_shader_nodes"   edits      ConnectShaderNodes -> ShaderNodesConnected;
                set_node_param             "cmd_set_shader_node_param"  edits      SetShaderNodeParam -> ShaderNodeParamSet;
            }
            scripts / Scripts "godot_scripts_" {
                list                       "cmd_list_scripts"           reads      ListScripts -> ScriptList;
                read                       "cmd_read_script"            reads      ReadScript -> ScriptText;
                write                      "cmd_write_script"           edits      WriteScript -> ScriptWritten;
                patch                      "cmd_patch_script"           edits      PatchScript -> ScriptPatched;
                get_for_node               "cmd_get_script_for_node"    reads      GetScriptForNode -> NodeScript;
                get_parse_errors           "cmd_get_parse_errors"       asks       GetParseErrors -> ParseErrors;
            }
            project / Project "godot_project_" {
                get_filesystem_tree        "cmd_get_filesystem_tree"    reads      GetFilesystemTree -> FilesystemTree;
                search_files               "cmd_search_files"           reads      SearchFiles -> FilesFound;
                resolve_uid                "cmd_resolve_uid"            reads      ResolveUid -> UidResolved;
                move_file                  "cmd_move_resource_file"     overwrites MoveFile -> FileMoved;
                delete_resource_file       "cmd_delete_resource_file"   edits      DeleteResourceFile -> FileDeleted;
                get_setting                "cmd_get_setting"            reads      GetSetting -> SettingValue;
                set_setting                "cmd_set_setting"            edits      SetSetting -> SettingSet;
            }
            asset_import / AssetImport "godot_asset_import_" {
                asset                      "cmd_import_asset"           overwrites ImportAsset -> AssetImported;
                get_status                 "cmd_get_import_status"      asks       GetImportStatus -> ImportStatus;
                create_material_from_textures "cmd_create_material_from_textures" overwrites CreateMaterialFromTextures -> MaterialCreated;
            }
        }
    };
}

/// Derives the enums and the [`Command`](crate::Command) implementations from a table.
///
/// Exported for the tests which show that a faulty table does not compile.
#[macro_export]
macro_rules! define_tools {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// The unit of gating: an agent enables a toolset, never a single tool.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Toolset {
            $(
                #[doc = concat!("`", stringify!($set), "`: see [`crate::tools::", stringify!($set), "`].")]
                $Set
            ),*
        }

        impl Toolset {
            /// Every toolset, in the order of the table.
            pub const ALL: &[Toolset] = &[$(Toolset::$Set),*];

            /// The name that agents use, such as `scene_edit`.
            pub const fn name(self) -> &'static str {
                match self { $(Toolset::$Set => stringify!($set)),* }
            }
        }

        /// Every tool, named after its parameter type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tool {
            $($(
                #[doc = concat!("`", $prefix, stringify!($name), "`.")]
                $Params
            ),*),*
        }

        impl Tool {
            /// Every tool, in the order of the table.
            pub const ALL: &[Tool] = &[$($(Tool::$Params),*),*];

            /// The name that agents see, with its toolset in it: `godot_<toolset>_<action>`.
            pub const fn name(self) -> &'static str {
                match self { $($(Tool::$Params => concat!($prefix, stringify!($name))),*),* }
            }

            /// The action alone: the stem of the file that holds the handler.
            pub const fn action(self) -> &'static str {
                match self { $($(Tool::$Params => stringify!($name)),*),* }
            }

            /// The name of the command on the link; `-` for a tool that the gateway answers.
            pub const fn wire(self) -> &'static str {
                match self { $($(Tool::$Params => $wire),*),* }
            }

            /// What a call does, as its row says.
            pub const fn verb(self) -> $crate::table::Verb {
                match self { $($(Tool::$Params => $crate::table::Verb::$verb),*),* }
            }

            /// The toolset that must be enabled for a call.
            pub const fn toolset(self) -> Toolset {
                match self { $($(Tool::$Params => Toolset::$Set),*),* }
            }
        }

        $($(impl $root::Command for $root::tools::$set::$Params {
            const TOOL: Tool = Tool::$Params;
            type Output = $root::tools::$set::$Output;
        })*)*

        const _: () = assert!(
            $crate::table::distinct(&[$($(concat!($prefix, stringify!($name))),*),*]),
            "two tools of the table share one name"
        );
        const _: () = assert!(
            $crate::table::distinct(&[$($($wire),*),*]),
            "two tools of the table share one wire command"
        );
    };
}

for_each_tool!(define_tools);

/// What a call does to the editor. Spelled in small letters, as in the rows of the table.
#[allow(non_camel_case_types, reason = "the variants are the words of the table")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Asks, and changes nothing.
    reads,
    /// Asks what takes some frames to answer.
    asks,
    /// Changes what the editor has open; can be previewed.
    edits,
    /// An edit that may replace a whole file, and so takes `confirm`.
    overwrites,
    /// Runs commands of other tools as one edit.
    batches,
    /// Starts something that has no preview.
    runs,
    /// Answered by the running game.
    games,
    /// Answered by the gateway itself.
    local,
}

impl Tool {
    /// Whether its answers are about the game, and so tell which errors are new.
    pub const fn is_about_the_game(self) -> bool {
        match self.verb() {
            Verb::local => false,
            Verb::games => true,
            // These run another one, beside the editor, and tell of its errors.
            Verb::runs if matches!(self, Tool::RunAndCapture | Tool::RunTests) => false,
            _ => matches!(
                self.toolset(),
                Toolset::Runtime | Toolset::Input | Toolset::Debugger | Toolset::Testing
            ),
        }
    }

    /// Whether it is about one game and no other, and so takes `instance`.
    pub const fn is_about_one_game(self) -> bool {
        match self.verb() {
            Verb::games => true,
            Verb::runs => matches!(
                self,
                Tool::ForceBreak
                    | Tool::ContinueExecution
                    | Tool::StepInto
                    | Tool::StepOver
                    | Tool::StepOut
                    | Tool::GetStackFrames
                    | Tool::RunStressTest
            ),
            _ => false,
        }
    }

    /// The tool that agents call `name`.
    pub fn from_name(name: &str) -> Option<Tool> {
        Tool::ALL.iter().copied().find(|tool| tool.name() == name)
    }

    /// The tool whose command on the link is `wire`.
    pub fn from_wire(wire: &str) -> Option<Tool> {
        Tool::ALL.iter().copied().find(|tool| tool.verb() != Verb::local && tool.wire() == wire)
    }
}

impl Toolset {
    /// The toolset that agents call `name`.
    pub fn from_name(name: &str) -> Option<Toolset> {
        Toolset::ALL.iter().copied().find(|toolset| toolset.name() == name)
    }

    /// Its tools, in the order of the table.
    pub fn tools(self) -> impl Iterator<Item = Tool> {
        Tool::ALL.iter().copied().filter(move |tool| tool.toolset() == self)
    }
}

/// Whether no two names are the same; `-` stands for none and may repeat. Runs at compile time.
#[allow(clippy::indexing_slicing, reason = "a constant function has no iterators")]
pub const fn distinct(names: &[&str]) -> bool {
    let mut i = 0;
    while i < names.len() {
        let mut j = i + 1;
        while j < names.len() {
            if same(names[i].as_bytes(), names[j].as_bytes()) && !same(names[i].as_bytes(), b"-") {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    true
}

#[allow(clippy::indexing_slicing, reason = "a constant function has no iterators")]
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_tools() {
        for &tool in Tool::ALL {
            assert_eq!(Tool::from_name(tool.name()), Some(tool));
            if tool.verb() != Verb::local {
                assert_eq!(Tool::from_wire(tool.wire()), Some(tool));
                assert!(tool.wire().starts_with("cmd_"));
            }
        }
        assert_eq!(Tool::from_wire("-"), None);
    }
}
