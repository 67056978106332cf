//! Where nodes are in the window of the game.
//!
//! Everything is in pixels of the window that the system shows, from its top left corner, as input has
//! it: through cameras, layers, stretched viewports and windows within the window.

use godot::{
    classes::{
        CanvasItem, Control, DisplayServer, Node, Node3D, ProjectSettings, SceneTree, Window,
    },
    prelude::*,
};
use protocol::{Fault, Required};

/// The number of the main window, in events.
pub(crate) const MAIN_WINDOW: i64 = 0;

/// A place to point at.
pub(crate) struct Spot {
    /// Where it is.
    pub(crate) at: Vector2,
    /// The window that it is in, by the number that events have.
    pub(crate) window: i64,
}

/// Gives a game without a display the window that its project wants. The engine leaves it one of 64 by
/// 64 pixels, in which nothing is laid out as players see it and most of the game is out of sight.
pub(crate) fn size_window(tree: &Gd<SceneTree>) {
    const LEFT: Vector2i = Vector2i::new(64, 64);
    let Some(mut window) = tree.get_root() else { return };
    let is_left_so =
        DisplayServer::singleton().get_name() == "headless" && window.get_size() == LEFT;
    if !is_left_so {
        return;
    }
    let settings = ProjectSettings::singleton();
    let pixels = |name: String| {
        let value = settings.get_setting(&format!("display/window/size/{name}"));
        value.try_to::<i32>().ok().filter(|pixels| *pixels > 0)
    };
    let side = |side: &str| {
        pixels(format!("window_{side}_override")).or_else(|| pixels(format!("viewport_{side}")))
    };
    if let (Some(width), Some(height)) = (side("width"), side("height")) {
        window.set_size(Vector2i::new(width, height));
    }
}

/// The rectangle that a control takes up.
pub(crate) fn rect_of(control: &Gd<Control>) -> Rect2 {
    on_screen(&control.clone().upcast()) * Rect2::new(Vector2::ZERO, control.get_size())
}

/// What of a control lies within its window, and within all that clips it; `None` if nothing does.
pub(crate) fn seen_part(control: &Gd<Control>) -> Option<Rect2> {
    let window = window_of(&control.clone().upcast()).filter(is_main)?;
    let mut seen = with_area(rect_of(control))?.intersect(bounds(&window))?;
    let mut parent = control.get_parent();
    while let Some(at) = parent {
        if let Ok(outer) = at.clone().try_cast::<Control>()
            && (outer.is_clipping_contents() || at.is_class("SubViewportContainer"))
        {
            seen = seen.intersect(rect_of(&outer))?;
        }
        parent = at.get_parent();
    }
    with_area(seen)
}

/// Where to point at a node: the middle of what is seen of a control, the origin of another one.
pub(crate) fn spot(node: &Gd<Node>) -> Result<Spot, Fault> {
    let window = window_of(node).ok_or_else(|| Fault::internal("The node is in no window."))?;
    if !is_main(&window) {
        return Err(Fault::unsupported(format!(
            "'{}' is in a window of the system of its own, '{}', which input from here does not reach. \
             Nothing was sent. Windows inside the main one can be clicked (the project setting \
             display/window/subwindows/embed_subwindows); or emit the signal of the node with \
             godot_debugger_evaluate_expression.",
            node.get_path(),
            window.get_path()
        ))
        .requiring(Required::parameter("node_path")));
    }
    let at = if let Ok(control) = node.clone().try_cast::<Control>() {
        if !control.is_visible_in_tree() {
            return Err(hidden(node));
        }
        let size = control.get_size();
        if size.x <= 0.0 || size.y <= 0.0 {
            return Err(refuse(node, "has no size, so that there is nothing to point at"));
        }
        seen_part(&control).ok_or_else(|| out_of_sight(node))?.center()
    } else if let Ok(item) = node.clone().try_cast::<CanvasItem>() {
        if !item.is_visible_in_tree() {
            return Err(hidden(node));
        }
        on_screen(&item).origin
    } else if let Ok(spatial) = node.clone().try_cast::<Node3D>() {
        if !spatial.is_visible_in_tree() {
            return Err(hidden(node));
        }
        projected(&spatial).ok_or_else(|| out_of_sight(node))?
    } else {
        return Err(refuse(
            node,
            &format!(
                "is a {}, which has no place in the window; name a Control, a Node2D or a Node3D",
                node.get_class()
            ),
        ));
    };
    if !bounds(&window).contains_point(at) {
        return Err(out_of_sight(node));
    }
    Ok(Spot { at, window: i64::from(window.get_window_id()) })
}

/// From a node's own coordinates to the pixels of the window.
fn on_screen(item: &Gd<CanvasItem>) -> Transform2D {
    // What the engine itself calls the screen transform of an item leaves out how its viewport is
    // stretched.
    let in_viewport = item.get_global_transform_with_canvas();
    match item.get_viewport() {
        Some(viewport) => viewport.get_screen_transform() * in_viewport,
        None => in_viewport,
    }
}

/// Where the camera of its viewport sees a node.
fn projected(node: &Gd<Node3D>) -> Option<Vector2> {
    let viewport = node.get_viewport()?;
    let camera = viewport.get_camera_3d()?;
    let place = node.get_global_position();
    if camera.is_position_behind(place) {
        return None;
    }
    Some(viewport.get_screen_transform() * camera.unproject_position(place))
}

/// The window of the system that a node is shown in.
fn window_of(node: &Gd<Node>) -> Option<Gd<Window>> {
    let mut window = node.get_window()?;
    while window.is_embedded() {
        window = window.get_parent()?.get_window()?;
    }
    Some(window)
}

/// Whether it is the one that the game begins with, and that input is given to.
fn is_main(window: &Gd<Window>) -> bool {
    window.get_tree_or_null().and_then(|tree| tree.get_root()).as_ref() == Some(window)
}

fn bounds(window: &Gd<Window>) -> Rect2 {
    Rect2::new(Vector2::ZERO, window.get_size().to_vector2())
}

fn with_area(rect: Rect2) -> Option<Rect2> {
    (rect.size.x > 0.0 && rect.size.y > 0.0).then_some(rect)
}

fn hidden(node: &Gd<Node>) -> Fault {
    refuse(node, "is hidden, by itself or with what it lies in")
}

fn out_of_sight(node: &Gd<Node>) -> Fault {
    refuse(node, "is out of the window, or scrolled out of sight")
}

fn refuse(node: &Gd<Node>, why: &str) -> Fault {
    Fault::invalid(format!(
        "'{}' {why}. Nothing was sent. See what can be clicked with godot_runtime_find_ui_elements and \
         visible_only.",
        node.get_path()
    ))
    .requiring(Required::parameter("node_path"))
}
