//! `godot_runtime_capture_game_screenshot`.

use protocol::{
    Fault,
    tools::{editor::Picture, runtime::CaptureGameScreenshot},
};

use crate::{
    game::probe::{InGame, Needs, Probe, Soon},
    picture,
};

impl InGame for CaptureGameScreenshot {
    fn needs(&self) -> Needs {
        Needs::Look
    }

    fn answer(self, _: &Probe) -> Result<Soon<Picture>, Fault> {
        picture::require_display("The game")?;
        Ok(Soon::Drawn(Box::new(move |game| Some(capture(&self, game)))))
    }
}

fn capture(asked: &CaptureGameScreenshot, game: &Probe) -> Result<Picture, Fault> {
    let tree = game.tree()?;
    let root = tree.get_root().ok_or_else(|| Fault::internal("The game has no window."))?;
    let image = picture::of_viewport(&root.upcast());
    let image = image.ok_or_else(|| Fault::internal("The game has drawn nothing yet."))?;
    let scene = tree.get_current_scene().map(|scene| scene.get_scene_file_path().to_string());
    let what = match scene {
        Some(scene) if !scene.is_empty() => format!("the running game, in {scene}"),
        _ => "the running game".to_owned(),
    };
    let picture = picture::of_image(image, what, asked.region, asked.max_size)?;
    Ok(Picture { frame: Some(game.drawn()), ..picture })
}
