//! The toolset `scene_edit`, deeper: scripts, groups, signals and editable children; paths that
//! follow; what comes back with a deleted branch; and the guard of the scene.

use std::{fs, process::ExitCode};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const MAIN: &str = "res://scenes/main.tscn";
const LEVEL: &str = "res://scripts/level.gd";

fn main() -> ExitCode {
    let cases = [scripts(), groups(), signals(), editable(), extract(), files()];
    let more = [paths(), branches(), guard()];
    run(cases.into_iter().chain(more).flatten().collect())
}

fn scripts() -> Vec<Case> {
    vec![
        case("attach_script to a node without one", |t| {
            t.open(MAIN);
            let edit = t.edit("scene_edit_attach_script", script("Coins", LEVEL));
            assert_eq!(edit.answer["attached"], true, "{}", edit.answer);
            assert!(edit.answer.get("previous_script").is_none(), "{}", edit.answer);
            assert_eq!(edit.answer["persisted"], true);
            let text = format!("ExtResource(\"{LEVEL}\")");
            assert_eq!(edit.saved.property("Coins", "script"), text);
        }),
        case("attach_script swaps a script, and undo gives back the exported values", |t| {
            t.open(MAIN);
            let set = json!({"node_path": "Player", "property": "max_health", "value": 8});
            t.ok("scene_edit_set_node_property", set);
            let edit =
                t.edit("scene_edit_attach_script", script("Player", "res://scripts/enemy.gd"));
            assert_eq!(edit.answer["previous_script"], "res://scripts/player.gd");
            assert_eq!(edit.before.property("Player", "max_health"), "8");
            t.undo(1);
            assert_eq!(t.property("Player", "max_health"), 8);
            assert_eq!(t.property("Player", "speed"), 180.0);
        }),
        case("attach_script of the script that is there changes nothing", |t| {
            t.open(MAIN);
            let answer =
                t.ok("scene_edit_attach_script", script("Player", "res://scripts/player.gd"));
            assert_eq!(answer["undoable"], false, "{answer}");
            assert_eq!(t.steps(), [""; 0]);
        }),
        case(
            "attach_script refuses another base class, what is no script, and what is broken",
            |t| {
                t.open(MAIN);
                let broken = t.path("broken.gd");
                fs::write(t.project().file(&broken), "extends Node2D\nfunc (:\n").unwrap();
                for (path, code) in [
                    ("res://scripts/enemy.gd", "VALIDATION_ERROR"),
                    ("res://resources/theme.tres", "VALIDATION_ERROR"),
                    ("res://scripts/none.gd", "RESOURCE_NOT_FOUND"),
                    (broken.as_str(), "VALIDATION_ERROR"),
                ] {
                    let fault =
                        t.edit_fault("scene_edit_attach_script", script("Coins", path), code);
                    assert_eq!(fault["required"], "script_path", "{fault}");
                }
                let fault = t.edit_fault(
                    "scene_edit_attach_script",
                    script("Nobody", LEVEL),
                    "RESOURCE_NOT_FOUND",
                );
                assert_eq!(fault["required"], "node_exists", "{fault}");
            },
        ),
    ]
}

fn groups() -> Vec<Case> {
    vec![
        case("add_to_group and remove_from_group", |t| {
            t.open(MAIN);
            let edit = t.edit("scene_edit_add_to_group", group("Player", "loot 項目"));
            assert_eq!(
                (&edit.answer["in_group"], &edit.answer["changed"]),
                (&json!(true), &json!(true))
            );
            let mut groups = edit.saved.node("Player").groups.clone();
            groups.sort();
            assert_eq!(groups, ["loot 項目", "player"]);
            let edit = t.edit("scene_edit_remove_from_group", group("Player", "player"));
            assert_eq!(
                (&edit.answer["in_group"], &edit.answer["changed"]),
                (&json!(false), &json!(true))
            );
            assert_eq!(edit.saved.node("Player").groups, ["loot 項目"]);
        }),
        case("a group that is as wanted is no step", |t| {
            t.open(MAIN);
            let answer = t.ok("scene_edit_add_to_group", group("Player", "player"));
            assert_eq!((&answer["in_group"], &answer["changed"]), (&json!(true), &json!(false)));
            let answer = t.ok("scene_edit_remove_from_group", group("Player", "none"));
            assert_eq!((&answer["in_group"], &answer["changed"]), (&json!(false), &json!(false)));
            assert_eq!(t.steps(), [""; 0]);
        }),
        case("groups refuse names that are the engine's own, and nodes that are not there", |t| {
            t.open(MAIN);
            for tool in ["scene_edit_add_to_group", "scene_edit_remove_from_group"] {
                for name in ["", " ", "_private", "a\nb"] {
                    let fault = t.edit_fault(tool, group("Player", name), "VALIDATION_ERROR");
                    assert_eq!(fault["required"], "group", "{fault}");
                }
                let fault = t.edit_fault(tool, group("Nobody", "a"), "RESOURCE_NOT_FOUND");
                assert_eq!(fault["required"], "node_exists", "{fault}");
            }
        }),
    ]
}

fn signals() -> Vec<Case> {
    vec![
        case("list_signal_connections tells own from inherited ones", |t| {
            t.open(MAIN);
            let own = t.ok("scene_edit_list_signal_connections", json!({"node_path": "Player"}));
            assert_eq!(own["total"], 2, "{own}");
            let died = json!({
                "signal": "died", "target_path": ".", "method": "_on_player_died",
                "persistent": true, "inherited": false,
            });
            assert!(own["connections"].as_array().unwrap().contains(&died), "{own}");
            let hitbox = json!({"node_path": "Enemies/Guard/Hitbox"});
            let inherited = t.ok("scene_edit_list_signal_connections", hitbox);
            assert_eq!(inherited["connections"][0]["inherited"], true, "{inherited}");
            assert_eq!(inherited["connections"][0]["target_path"], "Enemies/Guard");
            let none = t.ok("scene_edit_list_signal_connections", json!({"node_path": "Coins"}));
            assert_eq!((&none["total"], &none["connections"]), (&json!(0), &json!([])));
        }),
        case("connect_signal is saved, and once is enough", |t| {
            t.open(MAIN);
            let call = connection("Coins", "visibility_changed", ".", "_on_clock_timeout");
            let edit = t.edit("scene_edit_connect_signal", call.clone());
            assert_eq!(edit.answer["connected"], true, "{}", edit.answer);
            assert_eq!(edit.answer["already_connected"], false);
            assert!(edit.saved.connects("visibility_changed Coins -> .::_on_clock_timeout"));
            let steps = t.steps();
            let again = t.ok("scene_edit_connect_signal", call);
            assert_eq!(again["already_connected"], true, "{again}");
            assert_eq!(t.steps(), steps);
        }),
        case("connect_signal refuses what would fail in the game", |t| {
            t.open(MAIN);
            for (call, required) in [
                (connection("Player", "dead", ".", "_on_player_died"), "signal_name"),
                (connection("Player", "died", ".", "_on_player_dead"), "method_name"),
                // The signal carries a number that the method does not take.
                (connection("Player", "health_changed", ".", "_on_clock_timeout"), "method_name"),
            ] {
                let fault = t.edit_fault("scene_edit_connect_signal", call, "VALIDATION_ERROR");
                assert_eq!(fault["required"], required, "{fault}");
            }
            let call = connection("Player", "died", "Nobody", "x");
            t.edit_fault("scene_edit_connect_signal", call, "RESOURCE_NOT_FOUND");
        }),
        case("disconnect_signal needs confirm, and undo connects again", |t| {
            t.open(MAIN);
            let mut call = connection("Player", "died", ".", "_on_player_died");
            t.refused("scene_edit_disconnect_signal", call.clone(), "confirm");
            call["confirm"] = json!(true);
            let edit = t.edit("scene_edit_disconnect_signal", call.clone());
            assert_eq!(edit.answer["disconnected"], true, "{}", edit.answer);
            assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
            assert!(edit.before.connects("died Player -> .::_on_player_died"));
            assert!(!edit.saved.connects("died Player -> .::_on_player_died"));
            t.edit_fault("scene_edit_disconnect_signal", call, "RESOURCE_NOT_FOUND");
        }),
    ]
}

fn editable() -> Vec<Case> {
    vec![
        case("set_editable_children opens an instance", |t| {
            t.open(MAIN);
            let call = json!({"node_path": "Enemies/Patrol", "editable": true});
            let edit = t.edit("scene_edit_set_editable_children", call.clone());
            assert_eq!(
                (&edit.answer["editable"], &edit.answer["changed"]),
                (&json!(true), &json!(true))
            );
            assert!(edit.saved.editable.contains(&"Enemies/Patrol".to_owned()));
            let again = t.ok("scene_edit_set_editable_children", call);
            assert_eq!(again["changed"], false, "{again}");
        }),
        case("set_editable_children closes one, and undo brings its overrides back", |t| {
            t.open(MAIN);
            let call = json!({"node_path": "Enemies/Guard", "editable": false});
            let edit = t.edit("scene_edit_set_editable_children", call);
            assert_eq!(edit.answer["editable"], false, "{}", edit.answer);
            assert!(edit.before.find("Enemies/Guard/Sprite").is_some());
            assert!(edit.saved.find("Enemies/Guard/Sprite").is_none());
            assert_eq!(edit.saved.editable, [""; 0]);
        }),
        case("set_editable_children refuses what is no instance", |t| {
            t.open(MAIN);
            for node in [".", "Player", "Enemies/Guard/Sprite"] {
                let call = json!({"node_path": node});
                let tool = "scene_edit_set_editable_children";
                let fault = t.edit_fault(tool, call, "VALIDATION_ERROR");
                assert_eq!(fault["required"], "node_path", "{fault}");
            }
        }),
    ]
}

fn extract() -> Vec<Case> {
    vec![
        case("extract_scene writes a scene and leaves the node in place", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            let path = t.path("branch.tscn");
            let before = t.saved();
            let call = json!({"node_path": "Branch", "scene_path": path});
            let preview = t.ok("scene_edit_extract_scene", with(&call, "dry_run", json!(true)));
            assert_eq!(preview["node_count"], 7, "{preview}");
            assert!(!t.project().file(&path).exists(), "a preview wrote the file");
            let answer = t.ok("scene_edit_extract_scene", call);
            assert_eq!((&answer["extracted"], &answer["replaced"]), (&json!(true), &json!(false)));
            assert_eq!(answer["file_kept_on_undo"], true, "{answer}");
            assert_branch(&t.project().scene(&path));
            assert_eq!(before.diff(&t.saved()), [""; 0]);
            assert_eq!(t.steps(), [""; 0]);
        }),
        case("extract_scene puts an instance in place of the node", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            let path = t.path("branch.tscn");
            let call = json!({
                "node_path": "Branch", "scene_path": path, "replace_with_instance": true,
                "confirm": true,
            });
            let edit = t.edit("scene_edit_extract_scene", call);
            assert_eq!(edit.answer["instance_path"], "Branch", "{}", edit.answer);
            assert_branch(&t.project().scene(&path));
            assert_eq!(edit.saved.paths(), [".", "Outside", "Branch", "After"], "its place");
            assert_eq!(edit.saved.node("Branch").instance, path);
            assert_eq!(edit.saved.property("Branch", "unique_name_in_owner"), "true");
            assert!(edit.saved.connects("timeout Outside -> Branch::queue_redraw"));
            assert!(edit.saved.connects("timeout Outside -> Branch/Last::queue_redraw"));
            assert!(edit.saved.connects("visibility_changed Branch -> After::queue_redraw"));
            let lost = "Branch/Clock:timeout -> After:queue_redraw";
            assert_eq!(edit.answer["lost_connections"], json!([lost]));
        }),
        case("extract_scene saves the scene that is left, when asked", |t| {
            let scene = bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            let path = t.path("branch.tscn");
            let call = json!({
                "node_path": "Branch", "scene_path": path, "replace_with_instance": true,
                "save_current": true, "confirm": true,
            });
            let file = t.project().file(&scene);
            let theirs = format!("{}\n\n", fs::read_to_string(&file).unwrap());
            fs::write(&file, &theirs).unwrap();
            t.refused("scene_edit_extract_scene", call.clone(), "save_current");
            assert_eq!(fs::read_to_string(&file).unwrap(), theirs);
            assert!(!t.project().file(&path).exists());
            t.ok("scene_edit_reload_scene", json!({"scene_path": scene, "confirm": true}));
            let answer = t.ok("scene_edit_extract_scene", call);
            assert_eq!(answer["saved"], true, "{answer}");
            assert_eq!(t.project().scene(&scene).node("Branch").instance, path);
        }),
        case(
            "extract_scene refuses roots, instances, other files, and to replace one unasked",
            |t| {
                let scene = t.open(MAIN);
                let tool = "scene_edit_extract_scene";
                let free = t.path("free.tscn");
                for (node, path, required) in [
                    (".", free.as_str(), "node_path"),
                    ("Enemies/Patrol", free.as_str(), "node_path"),
                    ("Enemies/Guard/Sprite", free.as_str(), "node_path"),
                    ("Coins", "res://cases/coins.txt", "scene_path"),
                    ("Coins", scene.as_str(), "scene_path"),
                ] {
                    let call = json!({"node_path": node, "scene_path": path, "confirm": true});
                    let fault = t.edit_fault(tool, call, "VALIDATION_ERROR");
                    assert_eq!(fault["required"], required, "{fault}");
                }
                let taken = t.path("taken.tscn");
                fs::copy(t.project().file("res://scenes/coin.tscn"), t.project().file(&taken))
                    .unwrap();
                let text = t.project().read(&taken);
                t.refused(tool, json!({"node_path": "Coins", "scene_path": taken}), "confirm");
                assert_eq!(t.project().read(&taken), text);
                let call = json!({"node_path": "Coins", "scene_path": taken, "confirm": true});
                assert_eq!(t.ok(tool, call)["overwrote"], true);
                assert_eq!(t.project().scene(&taken).paths().len(), 7);
            },
        ),
    ]
}

fn files() -> Vec<Case> {
    vec![
        case("save_all_scenes writes every scene with changes", |t| {
            let scenes = [t.open(MAIN), t.open(MAIN)];
            for scene in &scenes {
                t.ok("scene_edit_open_scene", json!({"scene_path": scene}));
                let set = json!({"node_path": "Player", "property": "speed", "value": 21});
                t.ok("scene_edit_set_node_property", set);
            }
            let preview = t.ok("scene_edit_save_all_scenes", json!({"dry_run": true}));
            assert_eq!((&preview["saved"], &preview["count"]), (&json!(false), &json!(0)));
            for scene in &scenes {
                assert_eq!(t.project().scene(scene).property("Player", "speed"), "180.0");
            }
            let answer = t.ok("scene_edit_save_all_scenes", json!({}));
            assert_eq!(answer["saved"], true, "{answer}");
            assert!(answer["count"].as_u64().unwrap() >= 2, "{answer}");
            for scene in &scenes {
                assert_eq!(t.project().scene(scene).property("Player", "speed"), "21.0");
            }
            let tabs = t.ok("scene_edit_list_open_scenes", json!({}));
            let dirty =
                tabs["scenes"].as_array().unwrap().iter().filter(|it| it["dirty"] == json!(true));
            assert_eq!(dirty.count(), 0, "{tabs}");
        }),
        case("a save tells that somebody else changed the file", |t| {
            let scene = t.open(MAIN);
            assert_eq!(t.ok("scene_edit_save_scene", json!({}))["changed_on_disk"], false);
            let file = t.project().file(&scene);
            let text = fs::read_to_string(&file).unwrap();
            // One that was only touched is as it was.
            fs::remove_file(&file).unwrap();
            fs::write(&file, &text).unwrap();
            let preview = t.ok("scene_edit_save_scene", json!({"dry_run": true}));
            assert_eq!(preview["changed_on_disk"], false, "{preview}");
            fs::write(&file, format!("{text}\n\n")).unwrap();
            let preview = t.ok("scene_edit_save_scene", json!({"dry_run": true}));
            assert_eq!(preview["changed_on_disk"], true, "{preview}");
            let all = t.ok("scene_edit_save_all_scenes", json!({"dry_run": true}));
            let mine =
                all["scenes"].as_array().unwrap().iter().find(|it| it["path"] == scene.as_str());
            assert_eq!(mine.unwrap()["changed_on_disk"], true, "{all}");
            assert_eq!(t.ok("scene_edit_save_scene", json!({}))["changed_on_disk"], true);
            assert_eq!(t.ok("scene_edit_save_scene", json!({}))["changed_on_disk"], false);
        }),
        case("rescan_filesystem answers when new files are known", |t| {
            t.open(MAIN);
            let (scene, class) = (t.path("new.tscn"), t.path("fresh_class.gd"));
            fs::copy(t.project().file("res://scenes/coin.tscn"), t.project().file(&scene)).unwrap();
            fs::write(t.project().file(&class), "class_name FreshClass\nextends Node2D\n").unwrap();
            let answer = t.ok("scene_edit_rescan_filesystem", json!({}));
            assert_eq!((&answer["scanned"], &answer["scanning"]), (&json!(true), &json!(false)));
            let list = t.ok("inspection_list_scenes", json!({})).to_string();
            assert!(list.contains(&scene), "{list}");
            let create =
                json!({"parent_path": ".", "node_type": "FreshClass", "node_name": "Fresh"});
            let edit = t.edit("scene_edit_create_node", create);
            let text = format!("ExtResource(\"{class}\")");
            assert_eq!(edit.saved.property("Fresh", "script"), text);
        }),
    ]
}

fn paths() -> Vec<Case> {
    vec![
        case("paths of every kind follow a renamed node", |t| {
            open_paths(t);
            let call = json!({"node_path": "Panel", "new_name": "Frame"});
            let edit = t.edit("scene_edit_rename_node", call);
            assert_paths(&edit.saved, "../Frame", "../Frame/Inner", "%Frame/Inner", "Deep");
            let mut updated = texts(&edit.answer["updated_paths"]);
            updated.sort();
            assert_eq!(
                updated,
                [
                    "Player:animation/turn/track/0",
                    "Remote:remote_path",
                    "Watcher:by_name",
                    "Watcher:holder:path",
                    "Watcher:loose",
                    "Watcher:one",
                    "Watcher:several",
                    "Watcher:through_unique",
                    "Watcher:typed",
                ]
            );
        }),
        case("uses of a unique name follow its node when it is renamed", |t| {
            open_paths(t);
            let call = json!({"node_path": "Panel/Inner/Deep", "new_name": "Low"});
            let edit = t.edit("scene_edit_rename_node", call);
            assert_eq!(edit.saved.property("Watcher", "unique"), "NodePath(\"%Low:rotation\")");
            let track = &edit.saved.resources["Animation_turn"].properties["tracks/1/path"];
            assert_eq!(track, "NodePath(\"%Low:rotation\")");
            assert!(edit.saved.property("Watcher", "several").contains("\"../Panel/Inner/Low\""));
        }),
        case("paths of every kind follow a moved node", |t| {
            open_paths(t);
            let call = json!({"node_path": "Panel/Inner", "new_parent_path": "Other"});
            let edit = t.edit("scene_edit_move_node", call);
            let inner = "../Other/Inner";
            assert_paths(&edit.saved, "../Panel", inner, inner, "Deep");
        }),
        case("unique names stay when what has them moves", |t| {
            open_paths(t);
            let call = json!({"node_path": "Panel", "new_parent_path": "Other"});
            let edit = t.edit("scene_edit_move_node", call);
            assert_paths(
                &edit.saved,
                "../Other/Panel",
                "../Other/Panel/Inner",
                "%Panel/Inner",
                "Deep",
            );
        }),
        case("paths follow when the node that has them moves", |t| {
            open_paths(t);
            let call = json!({"node_path": "Watcher", "new_parent_path": "Other"});
            let edit = t.edit("scene_edit_move_node", call);
            let one = edit.saved.property("Other/Watcher", "one");
            assert_eq!(one, "NodePath(\"../../Panel/Inner:position\")");
            assert_eq!(edit.saved.property("Other/Watcher", "elsewhere"), "NodePath(\"..\")");
            assert_eq!(
                edit.saved.property("Other/Watcher", "through_unique"),
                "NodePath(\"%Panel/Inner\")"
            );
        }),
        case("a node that nothing leads to is renamed alone", |t| {
            open_paths(t);
            let call = json!({"node_path": "Remote", "new_name": "Far"});
            let edit = t.edit("scene_edit_rename_node", call);
            assert!(edit.answer.get("updated_paths").is_none(), "{}", edit.answer);
        }),
    ]
}

fn branches() -> Vec<Case> {
    vec![
        case("a deleted branch comes back with order, groups, signals and names", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            // `edit` compares the file before with the one after undo, to the last connection.
            let edit =
                t.edit("scene_edit_delete_node", json!({"node_path": "Branch", "confirm": true}));
            assert_eq!(edit.saved.paths(), [".", "Outside", "After"]);
            assert_eq!(edit.saved.connections, [""; 0]);
            assert_eq!(edit.before.connections.len(), 5);
            assert_eq!(edit.before.editable, ["Branch/Guard"]);
            t.undo(1);
            // A name that is unique again leads somewhere.
            let rename = json!({"node_path": "Branch/Clock", "new_name": "Ticker"});
            t.ok("scene_edit_rename_node", rename);
            assert_eq!(t.property("Branch/Ticker", "unique_name_in_owner"), true);
            let all = t.ok("inspection_get_node_groups", json!({"node_path": "Branch"}));
            assert_eq!(all["groups"], json!(["first", "second"]));
        }),
        case("a part of a branch comes back into its place", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            for node in ["Branch/First", "Branch/Guard", "Branch/Guard/Hitbox/Extra", "Branch/Last"]
            {
                let call = json!({"node_path": node, "confirm": true});
                let edit = t.edit("scene_edit_delete_node", call);
                assert_eq!(edit.answer["persisted"], true, "{}", edit.answer);
                assert!(edit.saved.find(node).is_none(), "{node}");
                t.undo(1);
            }
        }),
        case("a duplicated branch has all that the original has but its unique names", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            let edit = t.edit("scene_edit_duplicate_node", json!({"node_path": "Branch"}));
            let saved = &edit.saved;
            assert_eq!(edit.answer["node_path"], "Branch2");
            let below = |top: &str| -> Vec<String> {
                let below = saved.paths().into_iter().filter_map(|it| it.strip_prefix(top));
                below.filter(|it| it.starts_with('/')).map(str::to_owned).collect()
            };
            assert_eq!(below("Branch2"), below("Branch"));
            assert_eq!(saved.node("Branch2").groups, ["first", "second"]);
            assert_eq!(saved.node("Branch2/First").groups, ["first"]);
            assert_eq!(saved.property("Branch2/Guard", "speed"), "12.0");
            assert_eq!(saved.property("Branch2/Guard/Sprite", "modulate"), "Color(1, 0, 0, 1)");
            assert_eq!(saved.editable, ["Branch/Guard", "Branch2/Guard"]);
            assert!(saved.connects("timeout Branch2/Clock -> After::queue_redraw"));
            assert!(saved.connects("timeout Branch2/Clock -> Branch2/First::queue_redraw"));
            assert_eq!(saved.property("Branch/Clock", "unique_name_in_owner"), "true");
            assert_eq!(saved.property("Branch2/Clock", "unique_name_in_owner"), "");
            let order: Vec<_> = saved.paths().into_iter().filter(|it| !it.contains('/')).collect();
            assert_eq!(order, [".", "Outside", "Branch", "Branch2", "After"]);
        }),
        case("a moved branch keeps all that it has", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            let call = json!({"node_path": "Branch", "new_parent_path": "After"});
            let edit = t.edit("scene_edit_move_node", call);
            let saved = &edit.saved;
            assert_eq!(saved.node("After/Branch").groups, ["first", "second"]);
            assert_eq!(saved.editable, ["After/Branch/Guard"]);
            assert!(saved.find("After/Branch/Guard/Hitbox/Extra").is_some());
            assert_eq!(saved.property("After/Branch/Clock", "unique_name_in_owner"), "true");
            assert!(saved.connects("timeout Outside -> After/Branch/Last::queue_redraw"));
            assert!(saved.connects("timeout After/Branch/Clock -> After::queue_redraw"));
            assert_eq!(saved.connections.len(), edit.before.connections.len());
        }),
        case("a moved or renamed node stays selected", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            let select = json!({"node_paths": ["Branch/Last"]});
            t.ok("scene_edit_select_nodes", select);
            let call = json!({"node_path": "Branch/Last", "new_name": "Final"});
            t.ok("scene_edit_rename_node", call);
            let selected = t.ok("inspection_get_selected_node", json!({}));
            assert_eq!(selected["all"], json!(["Branch/Final"]), "{selected}");
        }),
        case("a branch is deleted in one step, with the label of the call", |t| {
            bed(t, "structure.tscn", include_str!("bed/structure.tscn"));
            t.ok("scene_edit_delete_node", json!({"node_path": "Branch", "confirm": true}));
            assert_eq!(t.steps(), ["MCP: Delete Branch"]);
        }),
    ]
}

fn guard() -> Vec<Case> {
    vec![
        case("the guard stops every edit that is meant for another scene", |t| {
            let other = t.open(MAIN);
            let active = t.open(MAIN);
            let before = t.saved();
            for (tool, call) in edits(&t.path("made.tscn")) {
                // The empty path stands for a scene that was never saved.
                for (guard, dry_run) in [(other.as_str(), false), (&other, true), ("", false)] {
                    let call = with(&call, "scene", json!(guard));
                    let call = with(&call, "dry_run", json!(dry_run));
                    let fault = t.refused(tool, call, "scene_match");
                    assert_eq!(fault["active_scene"], active.as_str(), "{tool}: {fault}");
                }
            }
            assert_eq!(t.steps(), [""; 0]);
            assert_eq!(before.diff(&t.saved()), [""; 0]);
            assert!(!t.project().file(&t.path("made.tscn")).exists());
        }),
        case("a bare name is no path, and all nodes that have it are named", |t| {
            t.open(MAIN);
            let set = json!({"node_path": "Hitbox", "property": "position", "value": [1, 2]});
            let fault = t.edit_fault("scene_edit_set_node_property", set, "RESOURCE_NOT_FOUND");
            let mut candidates = texts(&fault["candidates"]);
            candidates.sort();
            let expected = ["Boss", "Guard", "Patrol"].map(|it| format!("Enemies/{it}/Hitbox"));
            assert_eq!(candidates, expected, "{fault}");
        }),
        case("every edit names the scene that it changed", |t| {
            let scene = t.open(MAIN);
            for (tool, call) in edits(&t.path("made.tscn")) {
                let preview = t.ok(tool, with(&call, "dry_run", json!(true)));
                assert_eq!(preview["scene"], scene.as_str(), "{tool}: {preview}");
                let answer = t.ok(tool, with(&call, "scene", json!(scene)));
                assert_eq!(answer["scene"], scene.as_str(), "{tool}: {answer}");
                t.call("undo", json!({}));
            }
        }),
    ]
}

/// One call of each tool that edits the active scene.
fn edits(file: &str) -> Vec<(&'static str, Value)> {
    let coin = "res://scenes/coin.tscn";
    vec![
        (
            "scene_edit_create_node",
            json!({"parent_path": ".", "node_type": "Node", "node_name": "New"}),
        ),
        ("scene_edit_instance_scene", json!({"parent_path": ".", "scene_path": coin})),
        (
            "scene_edit_set_node_property",
            json!({"node_path": "Player", "property": "speed", "value": 1}),
        ),
        ("scene_edit_rename_node", json!({"node_path": "Clock", "new_name": "Watch"})),
        ("scene_edit_move_node", json!({"node_path": "Clock", "new_parent_path": "Coins"})),
        ("scene_edit_duplicate_node", json!({"node_path": "Player"})),
        ("scene_edit_delete_node", json!({"node_path": "Coins", "confirm": true})),
        ("scene_edit_attach_script", script("Coins", LEVEL)),
        ("scene_edit_add_to_group", group("Coins", "loot")),
        ("scene_edit_remove_from_group", group("Player", "player")),
        (
            "scene_edit_connect_signal",
            connection("Coins", "visibility_changed", ".", "_on_clock_timeout"),
        ),
        (
            "scene_edit_disconnect_signal",
            with(&connection("Player", "died", ".", "_on_player_died"), "confirm", json!(true)),
        ),
        ("scene_edit_set_editable_children", json!({"node_path": "Enemies/Patrol"})),
        (
            "scene_edit_extract_scene",
            json!({"node_path": "Coins", "scene_path": file, "confirm": true}),
        ),
        ("scene_edit_save_scene", json!({})),
        ("scene_edit_select_nodes", json!({"node_paths": ["Player"]})),
    ]
}

fn script(node: &str, path: &str) -> Value {
    json!({"node_path": node, "script_path": path})
}

fn group(node: &str, group: &str) -> Value {
    json!({"node_path": node, "group": group})
}

fn connection(source: &str, signal: &str, target: &str, method: &str) -> Value {
    json!({
        "source_path": source, "signal_name": signal, "target_path": target, "method_name": method,
    })
}

fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = value;
    arguments
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().cloned().unwrap_or_default();
    list.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

/// Opens a test bed as a scene of this case's own; `BED` in it is the folder that it is in.
fn bed(t: &mut Test<'_>, name: &str, text: &str) -> String {
    let path = t.path(name);
    let folder = path.rsplit_once('/').unwrap().0.to_owned();
    fs::write(t.project().file(&path), text.replace("BED", &folder)).unwrap();
    t.ok("scene_edit_open_scene", json!({"scene_path": path}));
    t.close_at_end(&path);
    path
}

fn open_paths(t: &mut Test<'_>) {
    for (name, text) in [
        ("paths.gd", include_str!("bed/paths.gd")),
        ("path_holder.gd", include_str!("bed/path_holder.gd")),
    ] {
        let path = t.path(name);
        fs::write(t.project().file(&path), text).unwrap();
    }
    bed(t, "paths.tscn", include_str!("bed/paths.tscn"));
}

/// Every path to the panel, to what is in it, and to the deepest node.
fn assert_paths(
    saved: &e2e::scene_file::SceneFile,
    panel: &str,
    inner: &str,
    through: &str,
    deep: &str,
) {
    let watcher = &saved.node("Watcher").properties;
    assert_eq!(watcher["one"], format!("NodePath(\"{inner}:position\")"));
    let several =
        [panel, &format!("{inner}/{deep}"), "../Other"].map(|it| format!("NodePath(\"{it}\")"));
    assert_eq!(watcher["several"], format!("Array[NodePath]([{}])", several.join(", ")));
    let loose = format!("[1, NodePath(\"{inner}\"), [NodePath(\"{panel}\")]]");
    assert_eq!(watcher["loose"], loose);
    assert!(watcher["by_name"].contains(&format!("\"a\": NodePath(\"{inner}\")")));
    assert!(watcher["typed"].starts_with("Dictionary[String, NodePath]("), "{}", watcher["typed"]);
    assert!(watcher["typed"].contains(&format!("NodePath(\"{inner}\")")));
    assert_eq!(watcher["through_unique"], format!("NodePath(\"{through}\")"));
    assert_eq!(watcher["unique"], format!("NodePath(\"%{deep}:rotation\")"));
    assert_eq!(watcher["elsewhere"], "NodePath(\"../Other\")");
    assert_eq!(watcher["node"], format!("NodePath(\"{inner}\")"));
    let holder = &saved.resources["Resource_holder"].properties["path"];
    assert_eq!(*holder, format!("NodePath(\"{inner}\")"));
    let remote = saved.property("Remote", "remote_path");
    assert_eq!(remote, format!("NodePath(\"{inner}\")"));
    let tracks = &saved.resources["Animation_turn"].properties;
    let from_root = inner.trim_start_matches("../");
    assert_eq!(tracks["tracks/0/path"], format!("NodePath(\"{from_root}:position\")"));
    assert_eq!(tracks["tracks/1/path"], format!("NodePath(\"%{deep}:rotation\")"));
}

/// The branch of `structure.tscn` as a scene of its own.
fn assert_branch(saved: &e2e::scene_file::SceneFile) {
    assert_eq!(
        saved.paths(),
        [
            ".",
            "First",
            "Clock",
            "Guard",
            "Guard/Sprite",
            "Guard/Hitbox/Extra",
            "Last",
            "Last/Below"
        ]
    );
    assert_eq!(saved.node(".").groups, ["first", "second"]);
    assert_eq!(saved.node("First").groups, ["first"]);
    assert_eq!(saved.property(".", "position"), "Vector2(10, 20)");
    assert_eq!(saved.property("Clock", "unique_name_in_owner"), "true");
    assert_eq!(saved.property(".", "unique_name_in_owner"), "", "a root is not in a scene");
    assert_eq!(saved.property("Guard", "speed"), "12.0");
    assert_eq!(saved.property("Guard/Sprite", "modulate"), "Color(1, 0, 0, 1)");
    assert_eq!(saved.editable, ["Guard"]);
    assert_eq!(saved.connections.len(), 1, "{:?}", saved.connections);
    assert!(saved.connects("timeout Clock -> First::queue_redraw"));
}
