//! `godot_inspection_list_scenes`.

use std::collections::BTreeSet;

use godot::{
    classes::{EditorFileSystemDirectory, EditorInterface},
    prelude::*,
};
use protocol::{
    Fault,
    tools::inspection::{ListScenes, SceneFile, SceneList},
};

use crate::{
    plan::{Context, Read},
    resource::main_scene,
    scene::Scene,
    tools::page::{PAGE_CHARACTERS, Page},
};

impl Read for ListScenes {
    fn read(self, context: &Context) -> Result<SceneList, Fault> {
        let mut paths = BTreeSet::new();
        if let Some(files) = EditorInterface::singleton().get_resource_filesystem()
            && let Some(top) = files.get_filesystem()
        {
            collect(&top, &mut paths);
        }
        let main_scene = main_scene();
        let active = Scene::active_path();
        let open: Vec<String> = context.tabs.all().into_iter().map(|tab| tab.path).collect();
        // One that is open but not yet scanned is a scene all the same.
        paths.extend(open.iter().filter(|path| !path.is_empty()).cloned());
        let mut window = Page::parse(&self.offset.to_string())?.window(PAGE_CHARACTERS);
        let mut scenes = Vec::new();
        for path in paths {
            let scene = SceneFile {
                is_main: main_scene.as_ref() == Some(&path),
                is_open: open.contains(&path),
                is_active: active.as_ref() == Some(&path),
                path,
            };
            if window.admits(&scene) {
                scenes.push(scene);
            }
        }
        let next_offset = window.next_cursor().and_then(|cursor| cursor.parse().ok());
        Ok(SceneList {
            main_scene,
            total: window.seen(),
            returned: scenes.len(),
            truncated: next_offset.is_some(),
            next_offset,
            scenes,
        })
    }
}

/// Adds the scene files of a folder and all below it.
fn collect(folder: &Gd<EditorFileSystemDirectory>, paths: &mut BTreeSet<String>) {
    for index in 0..folder.get_file_count() {
        if folder.get_file_type(index) == "PackedScene" {
            paths.insert(folder.get_file_path(index).to_string());
        }
    }
    for index in 0..folder.get_subdir_count() {
        if let Some(below) = folder.get_subdir(index) {
            collect(&below, paths);
        }
    }
}
