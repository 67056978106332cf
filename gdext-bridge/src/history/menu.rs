//! Ctrl+Z, as the human would press it.
//!
//! `UndoRedo.undo()` would go past the editor's own stacks and leave them out of step at the next
//! save. So the item of the editor's menu is used whose shortcut is that of undo, in whatever
//! language the editor speaks.

use std::{cell::RefCell, collections::HashMap};

use godot::{
    classes::{EditorInterface, InputEvent, InputMap, Node, PopupMenu},
    prelude::*,
};
use protocol::Fault;

use super::Direction;

/// The items of the editor's menu, looked up once.
#[derive(Default)]
pub(super) struct Menu(RefCell<HashMap<&'static str, (InstanceId, i32)>>);

impl Menu {
    /// Forgets them.
    pub(super) fn forget(&self) {
        self.0.borrow_mut().clear();
    }

    /// Chooses the item of the editor's menu.
    pub(super) fn press(&self, direction: Direction) -> Result<(), Fault> {
        let action = if direction == Direction::Undo { "ui_undo" } else { "ui_redo" };
        let known = self.0.borrow().get(action).copied();
        let known = known.and_then(|(menu, item)| {
            Some((Gd::<PopupMenu>::try_from_instance_id(menu).ok()?, item))
        });
        let (mut menu, item) = match known {
            Some(known) => known,
            None => {
                let (menu, item) = find_menu_item(action).ok_or_else(|| {
                    Fault::unsupported("This editor has no menu item with the shortcut of undo.")
                })?;
                self.0.borrow_mut().insert(action, (menu.instance_id(), item));
                (menu, item)
            }
        };
        menu.emit_signal("id_pressed", vslice![item]);
        Ok(())
    }
}

/// The menu item whose shortcut is that of an input action. The first one is the scene menu's; the
/// script editor has another one, for its text.
fn find_menu_item(action: &str) -> Option<(Gd<PopupMenu>, i32)> {
    let events = InputMap::singleton().action_get_events(action);
    let base = EditorInterface::singleton().get_base_control()?;
    search(&base.upcast(), &events)
}

fn search(node: &Gd<Node>, events: &Array<Gd<InputEvent>>) -> Option<(Gd<PopupMenu>, i32)> {
    if let Ok(menu) = node.clone().try_cast::<PopupMenu>() {
        for index in 0..menu.get_item_count() {
            if let Some(shortcut) = menu.get_item_shortcut(index)
                && events.iter_shared().any(|event| shortcut.matches_event(&event))
            {
                let id = menu.get_item_id(index);
                return Some((menu, id));
            }
        }
    }
    let children = node.get_children_ex().include_internal(true).done();
    children.iter_shared().find_map(|child| search(&child, events))
}
