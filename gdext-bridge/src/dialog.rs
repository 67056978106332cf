//! The dialog that the editor waits for, if one is open: its title, its text and its buttons.
//!
//! Only a human answers it. Nothing here presses a button.

use godot::{
    classes::{
        AcceptDialog, BaseButton, Button, EditorInterface, Label, Node, RichTextLabel, Window,
    },
    prelude::*,
};
use protocol::{Fault, Required, envelope::Dialog};

/// The dialog on top, if there is one. Progress bars do not count: they go by themselves.
pub(crate) fn open() -> Option<Dialog> {
    let base = EditorInterface::singleton().get_base_control()?;
    let top = base.get_last_exclusive_window()?;
    let is_main = base.get_window().as_ref() == Some(&top);
    if is_main || !top.is_visible() || top.get_class() == "ProgressDialog" {
        return None;
    }
    Some(describe(&top))
}

/// What a call is told that waits for something which the dialog holds up.
pub(crate) fn blocking(dialog: Dialog, what: &str) -> Fault {
    let fact = serde_json::to_value(&dialog).unwrap_or_default();
    Fault::precondition(
        Required::HUMAN_APPROVAL,
        format!(
            "{what}: the editor asks the human '{}' ({}). Tell the human to answer it, then repeat \
             the call.",
            dialog.title,
            dialog.text.lines().next().unwrap_or_default()
        ),
    )
    .with("dialog", fact)
}

fn describe(window: &Gd<Window>) -> Dialog {
    let mut parts = Parts::default();
    parts.collect(&window.clone().upcast());
    let text = match window.clone().try_cast::<AcceptDialog>() {
        Ok(dialog) if !dialog.get_text().is_empty() => dialog.get_text().to_string(),
        _ => parts.texts.join("\n"),
    };
    Dialog { title: window.get_title().to_string(), text, buttons: parts.buttons }
}

/// What is written on a window.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    buttons: Vec<String>,
}

/// How much of a long window is reported, such as a list of many files.
const MOST_PARTS: usize = 20;

impl Parts {
    fn collect(&mut self, node: &Gd<Node>) {
        for child in node.get_children_ex().include_internal(true).done().iter_shared() {
            if child.clone().try_cast::<Window>().is_ok() {
                continue;
            }
            let is_shown = child
                .clone()
                .try_cast::<godot::classes::CanvasItem>()
                .is_ok_and(|item| item.is_visible_in_tree());
            if is_shown {
                self.note(&child);
            }
            self.collect(&child);
        }
    }

    fn note(&mut self, node: &Gd<Node>) {
        if let Ok(button) = node.clone().try_cast::<Button>() {
            note(&mut self.buttons, button.get_text());
        } else if let Ok(label) = node.clone().try_cast::<Label>() {
            note(&mut self.texts, label.get_text());
        } else if let Ok(label) = node.clone().try_cast::<RichTextLabel>() {
            note(&mut self.texts, label.get_parsed_text());
        } else if node.clone().try_cast::<BaseButton>().is_ok() {
            note(&mut self.buttons, GString::from(&node.get_name()));
        }
    }
}

fn note(list: &mut Vec<String>, text: GString) {
    if !text.is_empty() && list.len() < MOST_PARTS {
        list.push(text.to_string());
    }
}
