//! `godot_scene_edit_list_open_scenes`.

use protocol::{
    Fault,
    tools::scene_edit::{ListOpenScenes, OpenSceneInfo, OpenScenes},
};

use crate::plan::{Context, Read};

impl Read for ListOpenScenes {
    fn read(self, context: &Context) -> Result<OpenScenes, Fault> {
        let tabs = context.tabs.all().into_iter();
        let scenes =
            tabs.map(|tab| OpenSceneInfo { path: tab.path, active: tab.active, dirty: tab.dirty });
        Ok(OpenScenes { scenes: scenes.collect() })
    }
}
