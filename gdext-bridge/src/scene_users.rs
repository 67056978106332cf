//! Open scenes that have instances of others, or inherit from them.

use std::collections::HashSet;

use godot::{
    classes::{PackedScene, ResourceLoader},
    prelude::*,
};

use crate::{
    persistence::is_inherited,
    scene::{self, Scene},
    tabs,
};

/// The open scenes that show one of these, at any depth, without those themselves. Before Godot 4.5 only the
/// active one is looked at; the others the editor makes anew itself, when it shows them again.
pub(crate) fn of(scenes: &[String]) -> Vec<String> {
    let open = tabs::roots().into_iter().map(|root| Scene { root });
    open.filter(|scene| uses(scene, scenes)).map(|scene| scene.path()).collect()
}

/// Whether the nodes of a scene come from one of these files.
fn uses(scene: &Scene, scenes: &[String]) -> bool {
    let own = scene.path();
    let mut files = HashSet::new();
    scene::walk(&scene.root, &mut |node| {
        files.insert(node.get_scene_file_path().to_string());
    });
    files.into_iter().any(|file| with_bases(file).any(|it| it != own && scenes.contains(&it)))
}

/// A scene file, and those that it inherits from.
fn with_bases(file: String) -> impl Iterator<Item = String> {
    // More than that are none that the engine could load.
    const LONGEST: usize = 64;
    std::iter::successors(Some(file), |file| base(file)).take(LONGEST)
}

/// The scene that a scene file inherits from.
fn base(file: &str) -> Option<String> {
    let mut loader = ResourceLoader::singleton();
    if !is_inherited(file) || !loader.exists(file) {
        return None;
    }
    let scene = loader.load(file)?.try_cast::<PackedScene>().ok()?;
    Some(scene.get_state()?.get_node_instance(0)?.get_path().to_string())
}
