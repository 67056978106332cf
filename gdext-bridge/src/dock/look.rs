//! What the dock takes from the editor's theme, by name, and what it does without.

use godot::{
    classes::{Control, EditorInterface, Texture2D},
    prelude::*,
};

/// What a color says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// All is well.
    Good,
    /// It is on its way, or is held up.
    Waiting,
    /// It does not work.
    Bad,
    /// Somebody else has it.
    Elsewhere,
    /// Nothing to say.
    Quiet,
}

impl Tone {
    /// The color as the editor's theme has it.
    pub(super) fn color(self, control: &Gd<Control>) -> Color {
        match self {
            Tone::Good => themed(control, "success_color", Color::from_rgb(0.45, 0.95, 0.5)),
            Tone::Waiting => themed(control, "warning_color", Color::from_rgb(1.0, 0.87, 0.4)),
            Tone::Bad => themed(control, "error_color", Color::from_rgb(1.0, 0.47, 0.42)),
            // The theme has no such color of its own; this one is seen on dark and on light.
            Tone::Elsewhere => Color::from_rgb(0.69, 0.5, 0.95),
            Tone::Quiet => {
                themed(control, "font_disabled_color", Color::from_rgb(0.55, 0.55, 0.55))
            }
        }
    }
}

/// A color of the editor, or `fallback` in a theme that does not have it.
fn themed(control: &Gd<Control>, name: &str, fallback: Color) -> Color {
    if control.has_theme_color_ex(name).theme_type("Editor").done() {
        control.get_theme_color_ex(name).theme_type("Editor").done()
    } else {
        fallback
    }
}

/// An icon of the editor, if its theme has it.
pub(super) fn icon(control: &Gd<Control>, name: &str) -> Option<Gd<Texture2D>> {
    let has = control.has_theme_icon_ex(name).theme_type("EditorIcons").done();
    has.then(|| control.get_theme_icon_ex(name).theme_type("EditorIcons").done())?
}

/// A length in the pixels of this screen.
#[allow(clippy::cast_possible_truncation, reason = "no dock is that large")]
pub(super) fn scaled(length: f32) -> i32 {
    (length * EditorInterface::singleton().get_editor_scale()).round() as i32
}
