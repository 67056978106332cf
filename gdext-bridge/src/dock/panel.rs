//! The controls of the dock, and where they are.

use godot::{
    classes::{
        Button, CheckButton, Control, HBoxContainer, HSplitContainer, Label, Tree, VBoxContainer,
        control::SizeFlags, node::AutoTranslateMode, text_server::OverrunBehavior,
    },
    prelude::*,
};

use super::look::{Tone, icon, scaled};

/// The controls that are looked at again after they were made.
pub(super) struct Panel {
    /// All of it.
    pub(super) root: Gd<Control>,
    /// The on/off switch.
    pub(super) enabled: Gd<CheckButton>,
    /// The switch that stops edits.
    pub(super) pause: Gd<CheckButton>,
    /// Copies the commands.
    pub(super) copy: Gd<Button>,
    /// The list of gateways.
    pub(super) gateways: Gd<Tree>,
    /// The list of commands.
    pub(super) commands: Gd<Tree>,
    status: Gd<Label>,
    project: Gd<Label>,
    error: Gd<Label>,
}

impl Panel {
    /// Makes the controls. Their names are for tests.
    pub(super) fn build() -> Panel {
        let mut enabled = named(CheckButton::new_alloc(), "Enabled");
        enabled.set_text("Enabled");
        enabled.set_tooltip_text(
            "Lets MCP clients find this editor. Kept in the editor setting godot_mcp/enabled.",
        );
        let mut pause = named(CheckButton::new_alloc(), "Pause");
        pause.set_text("Pause edits");
        pause.set_tooltip_text(
            "Refuses everything that would change something. Clients can still look, and preview.",
        );
        let mut copy = named(Button::new_alloc(), "Copy");
        copy.set_text("Copy");
        copy.set_tooltip_text("Copies the list of commands as text.");
        let status = line("Status");
        let mut project = line("Project");
        project.set_horizontal_alignment(godot::global::HorizontalAlignment::RIGHT);
        let mut error = line("Error");
        error.set_visible(false);

        let mut bar = HBoxContainer::new_alloc();
        bar.add_theme_constant_override("separation", scaled(12.0));
        add(&mut bar, &[&enabled.clone().upcast(), &pause.clone().upcast()]);
        add(&mut bar, &[&status.clone().upcast(), &project.clone().upcast()]);
        add(&mut bar, &[&copy.clone().upcast()]);

        let gateways = list("Gateways", 345.0, 2.0);
        let commands = list("Commands", 360.0, 3.0);
        let mut lists = HSplitContainer::new_alloc();
        lists.set_v_size_flags(SizeFlags::EXPAND_FILL);
        add(&mut lists, &[&gateways.clone().upcast(), &commands.clone().upcast()]);

        let mut root = named(VBoxContainer::new_alloc(), "GodotMcpDock");
        // Only what the editor itself says is translated: names of nodes and projects are no words.
        root.set_auto_translate_mode(AutoTranslateMode::DISABLED);
        root.set_custom_minimum_size(Vector2::new(0.0, pixels(210.0)));
        add(&mut root, &[&bar.upcast(), &lists.upcast(), &error.clone().upcast()]);
        let root = root.upcast();
        Panel { root, enabled, pause, copy, gateways, commands, status, project, error }
    }

    /// Takes anew from the theme what does not follow it by itself.
    pub(super) fn follow_theme(&self) {
        let icon = icon(&self.root, "ActionCopy");
        self.copy.clone().set_button_icon(icon.as_ref());
        set_color(&self.error, Tone::Bad.color(&self.root));
    }

    /// Moves the switches to where they are meant to be, without a signal.
    pub(super) fn set_switches(&self, on: bool, is_paused: bool) {
        self.enabled.clone().set_pressed_no_signal(on);
        self.pause.clone().set_pressed_no_signal(is_paused);
    }

    /// Shows all in one sentence.
    pub(super) fn set_status(&self, tone: Tone, status: &str) {
        set_color(&self.status, tone.color(&self.root));
        set_text(&self.status, &format!("● {status}"));
    }

    /// Shows the project and the active scene.
    pub(super) fn set_project(&self, project: &str) {
        set_text(&self.project, project);
    }

    /// Shows the last error, if there was one.
    pub(super) fn set_error(&self, error: Option<&str>) {
        self.error.clone().set_visible(error.is_some());
        set_text(&self.error, error.unwrap_or_default());
    }
}

/// A line of text that gives way where there is no room; the whole is in its tooltip.
fn line(name: &str) -> Gd<Label> {
    let mut label = named(Label::new_alloc(), name);
    label.set_text_overrun_behavior(OverrunBehavior::TRIM_ELLIPSIS);
    label.set_h_size_flags(SizeFlags::EXPAND_FILL);
    // Without it a label hears nothing of the mouse, and so shows no tooltip.
    label.set_mouse_filter(godot::classes::control::MouseFilter::PASS);
    label
}

/// A list with columns.
fn list(name: &str, width: f32, share: f32) -> Gd<Tree> {
    let mut tree = named(Tree::new_alloc(), name);
    tree.set_hide_root(true);
    tree.set_hide_folding(true);
    tree.set_column_titles_visible(true);
    tree.set_select_mode(godot::classes::tree::SelectMode::ROW);
    tree.set_custom_minimum_size(Vector2::new(pixels(width), pixels(90.0)));
    tree.set_h_size_flags(SizeFlags::EXPAND_FILL);
    tree.set_stretch_ratio(share);
    tree
}

fn named<T: Inherits<Node>>(node: Gd<T>, name: &str) -> Gd<T> {
    node.clone().upcast::<Node>().set_name(name);
    node
}

fn add<T: Inherits<Node>>(parent: &mut Gd<T>, children: &[&Gd<Node>]) {
    let mut parent = parent.clone().upcast::<Node>();
    for child in children {
        parent.add_child(*child);
    }
}

fn set_text(label: &Gd<Label>, text: &str) {
    if label.get_text() != text {
        let mut label = label.clone();
        label.set_text(text);
        label.set_tooltip_text(text);
    }
}

fn set_color(label: &Gd<Label>, color: Color) {
    if label.get_theme_color("font_color") != color {
        label.clone().add_theme_color_override("font_color", color);
    }
}

#[allow(clippy::cast_precision_loss, reason = "no dock is that large")]
fn pixels(length: f32) -> f32 {
    scaled(length) as f32
}
