//! Tools are found by those who do not list them: clients with many tools search names and descriptions
//! for the words of a question.

use std::collections::{BTreeSet, HashMap};

use gateway::registry::spec;
use protocol::Tool;

/// Words that say nothing of what is wanted.
const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "by", "do", "does", "for", "from", "has", "have",
    "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or", "that", "the", "there",
    "this", "to", "under", "what", "which", "with",
];

/// How far down a client looks.
const SHOWN: usize = 5;

/// What users ask for, and the tool that does it.
const QUESTIONS: &[(&str, &str)] = &[
    ("is the editor connected", "godot_health_check"),
    ("version of the server", "godot_get_server_info"),
    ("which tools are destructive", "godot_list_tools_by_safety_class"),
    ("which toolsets are there", "godot_list_toolsets"),
    ("enable the scene editing toolset", "godot_enable_toolset"),
    ("disable a toolset", "godot_disable_toolset"),
    ("check for a newer release", "godot_check_for_updates"),
    ("what properties and methods does a class have", "godot_describe_class"),
    ("undo the last step", "godot_undo"),
    ("screenshot of the editor", "godot_editor_capture_screenshot"),
    ("screenshot of the running game", "godot_runtime_capture_game_screenshot"),
    ("find a button of the user interface", "godot_runtime_find_ui_elements"),
    ("watch a property of the running game from frame to frame", "godot_runtime_monitor_property"),
    ("read the samples of a monitored property", "godot_runtime_get_property_samples"),
    ("how long do frames take", "godot_profiling_get_performance_monitors"),
    ("memory of the editor", "godot_profiling_get_editor_performance"),
    ("compare two screenshots", "godot_testing_compare_screenshots"),
    ("assert the state of a node in the game", "godot_testing_assert_node_state"),
    ("run a test scenario", "godot_testing_run_test_scenario"),
    ("stress test with random input", "godot_testing_run_stress_test"),
    ("run the unit tests of the project", "godot_testing_run_tests"),
    ("find out what is wrong with the project", "godot_debug_workflow"),
    ("redo", "godot_redo"),
    ("undo history", "godot_list_history"),
    ("read a resource by uri", "godot_read_resource"),
    ("main scene and autoloads of the project", "godot_inspection_get_project_info"),
    ("events of an input action", "godot_input_map_get_action_events"),
    ("write a script", "godot_scripts_write"),
    ("move a file with its references", "godot_project_move_file"),
    ("run several commands as one undo step", "godot_composite_run_commands"),
    ("set a breakpoint", "godot_debugger_set_breakpoint"),
    ("press a key in the running game", "godot_input_simulate_key"),
    ("stop the game", "godot_runtime_stop_scene"),
    ("run the project headless and capture its output", "godot_runtime_run_and_capture"),
    ("register an autoload", "godot_resources_edit_register_autoload"),
    ("set a shader parameter", "godot_shader_set_param"),
    ("list scene files", "godot_inspection_list_scenes"),
    ("active scene has unsaved changes", "godot_inspection_get_active_scene"),
    ("node tree of the scene", "godot_inspection_get_scene_tree"),
    ("selected node", "godot_inspection_get_selected_node"),
    ("read all properties of a node", "godot_inspection_get_node_properties"),
    ("read one property of a node", "godot_inspection_get_node_property"),
    ("list property names and types of a node", "godot_inspection_get_node_property_list"),
    ("groups of a node", "godot_inspection_get_node_groups"),
    ("take a snapshot of a subtree", "godot_inspection_snapshot_subtree"),
    ("compare a snapshot with the scene now", "godot_inspection_diff_snapshots"),
    ("open a scene", "godot_scene_edit_open_scene"),
    ("create a new scene file", "godot_scene_edit_create_scene"),
    ("save the scene", "godot_scene_edit_save_scene"),
    ("save all open scenes", "godot_scene_edit_save_all_scenes"),
    ("close a scene tab", "godot_scene_edit_close_scene"),
    ("reload the scene from its file", "godot_scene_edit_reload_scene"),
    ("add a node", "godot_scene_edit_create_node"),
    ("delete a node", "godot_scene_edit_delete_node"),
    ("rename a node", "godot_scene_edit_rename_node"),
    ("move a node to another parent", "godot_scene_edit_move_node"),
    ("reparent a node", "godot_scene_edit_move_node"),
    ("duplicate a node", "godot_scene_edit_duplicate_node"),
    ("set a property of a node", "godot_scene_edit_set_node_property"),
    ("change the position of a node", "godot_scene_edit_set_node_property"),
    ("instance a scene", "godot_scene_edit_instance_scene"),
    ("attach a script to a node", "godot_scene_edit_attach_script"),
    ("add a node to a group", "godot_scene_edit_add_to_group"),
    ("remove a node from a group", "godot_scene_edit_remove_from_group"),
    ("connect a signal to a method", "godot_scene_edit_connect_signal"),
    ("disconnect a signal", "godot_scene_edit_disconnect_signal"),
    ("list signal connections", "godot_scene_edit_list_signal_connections"),
    ("make children of an instance editable", "godot_scene_edit_set_editable_children"),
    ("save a branch as its own scene", "godot_scene_edit_extract_scene"),
    ("select nodes in the editor", "godot_scene_edit_select_nodes"),
    ("rescan the filesystem for new files", "godot_scene_edit_rescan_filesystem"),
    ("list open scenes", "godot_scene_edit_list_open_scenes"),
];

/// The words of a text, in their simplest form.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::to_ascii_lowercase)
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
        .collect()
}

/// A word without the endings that make no difference to a search.
fn stem(word: &str) -> String {
    for (ending, plain) in [("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("s", "")] {
        if word.len() > 3
            && let Some(stem) = word.strip_suffix(ending)
        {
            return format!("{stem}{plain}");
        }
    }
    word.to_owned()
}

#[test]
fn every_question_finds_its_tool() {
    let texts: Vec<(Tool, BTreeSet<String>, BTreeSet<String>)> = Tool::ALL
        .iter()
        .map(|&tool| {
            let surface = spec(tool).surface();
            let parameters = surface.input.get("properties").and_then(|it| it.as_object());
            let names: Vec<&str> =
                parameters.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            let text = format!("{} {}", surface.description, names.join(" "));
            (tool, words(tool.name()), words(&text))
        })
        .collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (_, name, text) in &texts {
        name.union(text).for_each(|word| *uses.entry(word).or_default() += 1);
    }
    let mut missed = Vec::new();
    for (question, wanted) in QUESTIONS {
        let asked = words(question);
        // A word counts for more where few tools have it, and in a name.
        let score = |name: &BTreeSet<String>, text: &BTreeSet<String>| -> f64 {
            asked
                .iter()
                .map(|word| {
                    let rare = 1.0 / uses.get(word.as_str()).map_or(1.0, |count| *count as f64);
                    rare * (f64::from(u8::from(name.contains(word))) * 2.0
                        + f64::from(u8::from(text.contains(word))))
                })
                .sum()
        };
        let mut ranked: Vec<(f64, &str)> =
            texts.iter().map(|(tool, name, text)| (score(name, text), tool.name())).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let shown: Vec<&str> = ranked.iter().take(SHOWN).map(|(_, name)| *name).collect();
        if !shown.contains(wanted) {
            missed.push(format!("{question:?} finds {shown:?} and not {wanted}"));
        }
        assert!(Tool::from_name(wanted).is_some(), "{wanted} is no tool");
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
