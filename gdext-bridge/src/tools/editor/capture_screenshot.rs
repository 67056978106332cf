//! `godot_editor_capture_screenshot`.

use std::time::{Duration, Instant};

use godot::{
    classes::{EditorInterface, Engine, SubViewport, Viewport, sub_viewport::UpdateMode},
    prelude::*,
};
use protocol::{
    ErrorCode, Fault, Required,
    tools::editor::{CaptureScreenshot, Picture, View},
};

use super::off_screen::OffScreen;
use crate::{
    picture,
    plan::{Context, Progress, Run},
    scene::Scene,
    tools::scene_edit::check_scene_file,
};

impl Run for CaptureScreenshot {
    fn run(self, _: &Context) -> Result<Progress<Picture>, Fault> {
        picture::require_display("The editor")?;
        let subject = Subject::of(&self)?;
        let limit = Duration::from_millis(u64::try_from(self.timeout_ms.get()).unwrap_or_default());
        let (since, first) = (Instant::now(), Engine::singleton().get_process_frames());
        Ok(Progress::Waiting(Box::new(move |_| {
            // What was changed just now is laid out at the end of the frame, and can be drawn after it.
            if Engine::singleton().get_process_frames() <= first + 1 {
                return None;
            }
            picture::draw();
            let image = subject.viewport().and_then(|viewport| picture::of_viewport(&viewport));
            if image.is_none() && since.elapsed() < limit {
                return None;
            }
            let picture = image.ok_or_else(|| not_drawing(limit)).and_then(|image| {
                picture::of_image(image, subject.what(), self.region, self.max_size)
            });
            Some(picture)
        })))
    }
}

/// What is captured.
enum Subject {
    Window,
    View(Awake, &'static str),
    Scene(OffScreen),
}

impl Subject {
    fn of(asked: &CaptureScreenshot) -> Result<Subject, Fault> {
        if let Some(path) = &asked.scene_path {
            if asked.view != View::Window {
                return Err(Fault::invalid(
                    "A view shows the edited scene; scene_path names another. Leave one of them out.",
                )
                .requiring(Required::parameter("view")));
            }
            check_scene_file(path, "scene_path")?;
            return Ok(Subject::Scene(OffScreen::load(path)?));
        }
        let editor = EditorInterface::singleton();
        let (viewport, name) = match asked.view {
            View::Window => return Ok(Subject::Window),
            View::TwoD => (editor.get_editor_viewport_2d(), "2D"),
            View::ThreeD => (editor.get_editor_viewport_3d(), "3D"),
        };
        let viewport = viewport
            .ok_or_else(|| Fault::unsupported(format!("This editor has no {name} view.")))?;
        Ok(Subject::View(Awake::keep(viewport), name))
    }

    fn viewport(&self) -> Option<Gd<Viewport>> {
        match self {
            Subject::Window => EditorInterface::singleton().get_base_control()?.get_viewport(),
            Subject::View(view, _) => Some(view.viewport.clone().upcast()),
            Subject::Scene(scene) => Some(scene.viewport().upcast()),
        }
    }

    fn what(&self) -> String {
        match self {
            Subject::Window => "the editor's main window".to_owned(),
            Subject::View(_, name) => match Scene::active_path() {
                Some(path) if path.is_empty() => {
                    format!("the {name} view of the edited scene, which was never saved")
                }
                Some(path) => format!("the {name} view of {path}"),
                None => format!("the {name} view, in which no scene is open"),
            },
            Subject::Scene(scene) => scene.what(),
        }
    }
}

/// A view that is drawn also while the human looks at another one.
struct Awake {
    viewport: Gd<SubViewport>,
    before: UpdateMode,
}

impl Awake {
    fn keep(mut viewport: Gd<SubViewport>) -> Awake {
        let before = viewport.get_update_mode();
        viewport.set_update_mode(UpdateMode::ALWAYS);
        Awake { viewport, before }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        if self.viewport.is_instance_valid() {
            self.viewport.set_update_mode(self.before);
        }
    }
}

fn not_drawing(limit: Duration) -> Fault {
    let hint = format!(
        "The editor drew nothing within {} ms. Its window may be minimised: bring it back and repeat.",
        limit.as_millis()
    );
    Fault::new(ErrorCode::Timeout, hint).with("outcome", "not_applied")
}
