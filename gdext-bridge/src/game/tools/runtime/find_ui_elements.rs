//! `godot_runtime_find_ui_elements`.

use godot::{
    classes::{
        BaseButton, ClassDb, Control, Label, LineEdit, Node, Range, RichTextLabel, TextEdit,
    },
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::runtime::{FindUiElements, UiElement, UiElements, UiRect},
};

use crate::{
    game::{
        place,
        probe::{InGame, Needs, Probe, Soon},
    },
    resource::{NodeKind, class_of},
    scene::walk,
    tools::page::{PAGE_CHARACTERS, Page},
};

/// How much of a text is told, in characters.
const MOST_TEXT: usize = 1000;

impl InGame for FindUiElements {
    fn needs(&self) -> Needs {
        Needs::Look
    }

    fn answer(self, game: &Probe) -> Result<Soon<UiElements>, Fault> {
        let kind = kind(&self.class_filter)?;
        let wanted = self.name_contains.to_lowercase();
        let root = game.tree()?.get_root();
        let root = root.ok_or_else(|| Fault::internal("The game has no window."))?;
        let mut found: Vec<Gd<Control>> = Vec::new();
        walk(&root.upcast(), &mut |node| {
            let Ok(control) = node.clone().try_cast::<Control>() else { return };
            if self.visible_only && !control.is_visible_in_tree()
                || kind.as_ref().is_some_and(|kind| !kind.has(node))
            {
                return;
            }
            let has = |text: &str| text.to_lowercase().contains(&wanted);
            if wanted.is_empty()
                || has(&node.get_name().to_string())
                || Texts::of(&control).any(has)
            {
                found.push(control);
            }
        });

        let start = self.offset.count();
        let mut window = Page::at(0).window(PAGE_CHARACTERS);
        let page = found.iter().skip(start).take(self.limit.count());
        let elements: Vec<UiElement> =
            page.map(element).take_while(|element| window.admits(element)).collect();
        let end = start.saturating_add(elements.len());
        let truncated = end < found.len();
        Ok(Soon::Now(UiElements {
            ready: true,
            frame: game.frame(),
            total: found.len(),
            returned: elements.len(),
            truncated,
            next_offset: truncated.then_some(end),
            elements,
        }))
    }
}

/// The class to look for; `None` for any.
fn kind(name: &str) -> Result<Option<NodeKind>, Fault> {
    const PARAMETER: &str = "class_filter";
    if name.is_empty() {
        return Ok(None);
    }
    let kind = NodeKind::find(name, PARAMETER)?;
    let db = ClassDb::singleton();
    if db.class_exists(name)
        && !db.is_parent_class(name, "Control")
        && !db.is_parent_class("Control", name)
    {
        return Err(Fault::invalid(format!(
            "'{name}' is no class of user interface elements, which all are Controls. For other nodes see \
             godot_runtime_get_game_scene_tree."
        ))
        .requiring(Required::parameter(PARAMETER)));
    }
    Ok(Some(kind))
}

fn element(control: &Gd<Control>) -> UiElement {
    let node = control.clone().upcast::<Node>();
    let rect = place::rect_of(control);
    let Texts { text, shown } = Texts::of(control);
    let (text, text_cut) = text.map(cut).unzip();
    UiElement {
        path: node.get_path().to_string(),
        name: node.get_name().to_string(),
        node_class: class_of(&node),
        visible: control.is_visible_in_tree(),
        rect: UiRect {
            x: pixels(rect.position.x),
            y: pixels(rect.position.y),
            w: pixels(rect.size.x),
            h: pixels(rect.size.y),
        },
        in_window: place::seen_part(control).is_some(),
        text,
        text_cut: text_cut.unwrap_or_default(),
        shown_text: shown.map(|shown| cut(shown).0),
        disabled: disabled(control),
        pressed: as_class::<BaseButton>(control)
            .filter(|button| button.is_toggle_mode())
            .map(|button| button.is_pressed()),
        value: as_class::<Range>(control).map(|range| range.get_value()),
        focused: control.has_focus(),
    }
}

/// In hundredths of pixels, as finer ones say nothing.
fn pixels(length: f32) -> f64 {
    (f64::from(length) * 100.0).round() / 100.0
}

/// The control as one of a class, if it is of it.
fn as_class<T: Inherits<Control>>(control: &Gd<Control>) -> Option<Gd<T>> {
    control.clone().try_cast().ok()
}

/// Whether a control that takes input does not.
fn disabled(control: &Gd<Control>) -> Option<bool> {
    if let Some(button) = as_class::<BaseButton>(control) {
        return Some(button.is_disabled());
    }
    if let Some(field) = as_class::<LineEdit>(control) {
        return Some(!field.is_editable());
    }
    as_class::<TextEdit>(control).map(|field| !field.is_editable())
}

/// What a control says.
struct Texts {
    /// Its text as it is set.
    text: Option<String>,
    /// What is shown in its place.
    shown: Option<String>,
}

impl Texts {
    fn of(control: &Gd<Control>) -> Texts {
        if let Some(rich) = as_class::<RichTextLabel>(control) {
            return Texts { text: Some(rich.get_parsed_text().to_string()), shown: None };
        }
        // Buttons, labels, fields, and controls of the game that have such a property.
        let text = control.get("text");
        let text = (text.get_type() == VariantType::STRING).then(|| text.to_string());
        let is_translated =
            as_class::<Label>(control).is_some() || as_class::<BaseButton>(control).is_some();
        let shown = text.as_ref().filter(|text| is_translated && !text.is_empty());
        let shown = shown.map(|text| control.atr(text).to_string());
        Texts { shown: shown.filter(|shown| Some(shown) != text.as_ref()), text }
    }

    /// Whether one of the texts is as wanted.
    fn any(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        [&self.text, &self.shown].into_iter().flatten().any(|text| is_wanted(text))
    }
}

/// The beginning of a text, and whether there is more.
fn cut(mut text: String) -> (String, bool) {
    match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => {
            text.truncate(end);
            (text, true)
        }
        None => (text, false),
    }
}
