//! `godot_scene_edit_save_all_scenes`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault, Required,
    tools::scene_edit::{AllScenesSaved, SaveAllScenes, SavedScene},
};

use crate::{
    dialog,
    file_mark::FileMark,
    plan::{Context, Edit, Plan, Progress},
    saving::refused,
    scene::Scene,
};

impl Edit for SaveAllScenes {
    fn plan(self, context: &Context) -> Result<Plan<AllScenesSaved>, Fault> {
        Scene::active()?;
        let tabs = context.tabs.all();
        if tabs.iter().any(|tab| tab.path.is_empty()) {
            return Err(Fault::precondition(
                Required::SCENE_SAVED,
                "An open scene was never saved and has no file; the editor would ask the human about \
                 it. Close its tab, or ask the human to save it once.",
            ));
        }
        let scenes = tabs.iter().map(|tab| SavedScene {
            path: tab.path.clone(),
            saved: false,
            changed_on_disk: context.tabs.changed_on_disk(&tab.path),
        });
        let dirty: Vec<bool> = tabs.iter().map(|tab| tab.dirty != Some(false)).collect();
        let result = AllScenesSaved { saved: true, count: 0, scenes: scenes.collect() };
        Ok(Plan::action(result, move |context, mut result| {
            let before: Vec<FileMark> =
                result.scenes.iter().map(|scene| FileMark::of(&scene.path)).collect();
            let dialog = dialog::open();
            EditorInterface::singleton().save_all_scenes();
            for (scene, before) in result.scenes.iter_mut().zip(before) {
                scene.saved = FileMark::of(&scene.path) != before;
                if scene.saved {
                    context.tabs.saved(&scene.path);
                }
            }
            result.count = result.scenes.iter().filter(|scene| scene.saved).count();
            let missed =
                result.scenes.iter().zip(dirty).find(|(scene, dirty)| *dirty && !scene.saved);
            if let Some((scene, _)) = missed {
                return Err(refused(dialog, &format!("The editor did not write '{}'", scene.path))
                    .with("scenes", serde_json::to_value(&result.scenes).unwrap_or_default()));
            }
            Ok(Progress::Done(result))
        }))
    }
}
