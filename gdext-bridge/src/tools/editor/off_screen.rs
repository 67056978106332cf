//! A scene file, drawn on its own where nobody sees it.

use godot::{
    classes::{
        Camera3D, DirectionalLight3D, EditorInterface, GeometryInstance3D, Light3D, Node, Node3D,
        PackedScene, ProjectSettings, ResourceLoader, SubViewport, resource_loader::CacheMode,
        sub_viewport::UpdateMode,
    },
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::scene::walk;

/// The scene in a world of its own. It goes when this does.
pub(super) struct OffScreen {
    viewport: Gd<SubViewport>,
    what: String,
}

impl OffScreen {
    /// Loads the scene, at the size that the game's window has.
    pub(super) fn load(path: &ResPath) -> Result<OffScreen, Fault> {
        let mut loader = ResourceLoader::singleton();
        let scene = loader.load_ex(path.as_str()).cache_mode(CacheMode::IGNORE).done();
        let root = scene
            .and_then(|scene| scene.try_cast::<PackedScene>().ok())
            .and_then(|scene| scene.instantiate())
            .ok_or_else(|| {
                Fault::invalid(format!("The scene '{path}' cannot be loaded."))
                    .requiring(Required::parameter("scene_path"))
            })?;
        let Some(mut base) = EditorInterface::singleton().get_base_control() else {
            root.free();
            return Err(Fault::internal("The editor has no window."));
        };
        let size = Vector2i::new(length("width"), length("height"));
        let mut viewport = SubViewport::new_alloc();
        viewport.set_size(size);
        viewport.set_use_own_world_3d(true);
        viewport.set_update_mode(UpdateMode::ALWAYS);
        viewport.add_child(&root);
        base.add_child(&viewport);
        let mut what = format!(
            "{path}, drawn off screen at the size of the game's window, {} × {}",
            size.x, size.y
        );
        if viewport.get_camera_3d().is_none() && look_at_all(&mut viewport, &root) {
            what.push_str(", from a camera that sees all of it, as it has none of its own");
        }
        Ok(OffScreen { viewport, what })
    }

    /// Where it is drawn.
    pub(super) fn viewport(&self) -> Gd<SubViewport> {
        self.viewport.clone()
    }

    /// What it shows, in words.
    pub(super) fn what(&self) -> String {
        self.what.clone()
    }
}

impl Drop for OffScreen {
    fn drop(&mut self) {
        if self.viewport.is_instance_valid() {
            self.viewport.queue_free();
        }
    }
}

fn length(side: &str) -> i32 {
    let name = format!("display/window/size/viewport_{side}");
    let length = ProjectSettings::singleton().get_setting(&name).try_to::<i32>();
    length.unwrap_or(720).clamp(16, 4096)
}

/// Adds a camera that sees all that is there, and light where there is none. Tells whether there is
/// something to see.
fn look_at_all(viewport: &mut Gd<SubViewport>, root: &Gd<Node>) -> bool {
    let (mut all, mut is_lit): (Option<Aabb>, bool) = (None, false);
    walk(root, &mut |node| {
        is_lit |= node.clone().try_cast::<Light3D>().is_ok();
        if let Ok(shape) = node.clone().try_cast::<GeometryInstance3D>() {
            let bounds = shape.get_global_transform() * shape.get_aabb();
            all = Some(all.map_or(bounds, |all| all.merge(bounds)));
        }
    });
    let Some(all) = all else { return false };
    let from = Vector3::new(0.6, 0.5, 1.0).normalized() * all.size.length().max(1.0) * 1.2;
    let mut camera = Camera3D::new_alloc();
    viewport.add_child(&camera);
    camera.look_at_from_position(all.center() + from, all.center());
    camera.set_far(from.length() * 4.0 + 100.0);
    camera.make_current();
    if !is_lit {
        let mut light = DirectionalLight3D::new_alloc();
        viewport.add_child(&light);
        light.upcast_mut::<Node3D>().set_rotation_degrees(Vector3::new(-50.0, -30.0, 0.0));
    }
    true
}
