//! `godot_scene_edit_save_scene`.

use protocol::{
    Fault,
    tools::scene_edit::{SaveScene, SceneSaved},
};

use crate::{
    plan::{Context, Edit, Plan, Progress},
    saving::{require_path, save_active},
    scene::Scene,
};

impl Edit for SaveScene {
    fn plan(self, context: &Context) -> Result<Plan<SceneSaved>, Fault> {
        let path = require_path(&Scene::active()?)?;
        let result = SceneSaved {
            saved: true,
            path: Some(path.clone()),
            changed_on_disk: context.tabs.changed_on_disk(&path),
        };
        Ok(Plan::action(result, move |context, result| {
            save_active(&context.tabs, &path)?;
            Ok(Progress::Done(result))
        }))
    }
}
