//! Games that tests play: scenes of one node with a script of theirs.

use std::fs;

use serde_json::{Value, json};

use crate::cases::Test;

/// Plays a scene of one node of that class, called Root, with that script, frozen and at a fixed frame rate.
pub fn play_script(t: &mut Test<'_>, kind: &str, text: &str) -> String {
    let (script, scene) = (t.path("root.gd"), t.path("root.tscn"));
    fs::write(t.project().file(&script), text).unwrap();
    let scene_text = format!(
        "[gd_scene format=3]\n\n[ext_resource type=\"Script\" path=\"{script}\" id=\"1\"]\n\n\
         [node name=\"Root\" type=\"{kind}\"]\nscript = ExtResource(\"1\")\n"
    );
    fs::write(t.project().file(&scene), scene_text).unwrap();
    t.ok("scene_edit_rescan_filesystem", json!({}));
    let game = json!({"scene_path": scene, "fixed_fps": 60, "frozen": true});
    t.ok("runtime_play_scene", game);
    scene
}

/// Stops the game.
pub fn stop(t: &mut Test<'_>) {
    assert_eq!(t.ok("runtime_stop_scene", json!({}))["playing"], false);
}

/// Lets a frozen game run for some frames.
pub fn step(t: &mut Test<'_>, frames: u64) -> Value {
    let stepped = t.ok("runtime_step_frames", json!({"frames": frames}));
    assert_eq!(stepped["frames"], frames, "{stepped}");
    stepped
}

/// A property of a node of the game.
pub fn read(t: &mut Test<'_>, node: &str, property: &str) -> Value {
    t.ok("runtime_read_property", json!({"node_path": node, "property": property}))["value"].take()
}
