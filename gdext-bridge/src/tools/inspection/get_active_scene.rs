//! `godot_inspection_get_active_scene`.

use protocol::{
    Fault,
    tools::inspection::{ActiveScene, GetActiveScene},
};

use crate::{
    plan::{Context, Read},
    scene::Scene,
};

impl Read for GetActiveScene {
    fn read(self, context: &Context) -> Result<ActiveScene, Fault> {
        let Ok(scene) = Scene::active() else {
            return Ok(ActiveScene {
                is_open: false,
                path: None,
                name: None,
                dirty: None,
                dirty_known: false,
            });
        };
        let dirty = context.tabs.is_dirty(&scene);
        Ok(ActiveScene {
            is_open: true,
            path: Some(scene.path()).filter(|path| !path.is_empty()),
            name: Some(scene.root.get_name().to_string()),
            dirty,
            dirty_known: dirty.is_some(),
        })
    }
}
