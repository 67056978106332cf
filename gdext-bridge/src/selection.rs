//! The nodes that the human has selected, across changes that would drop them from the selection.

use godot::{
    classes::{EditorInterface, Node},
    prelude::*,
};

/// Who was selected at one moment.
pub(crate) struct Selection(Vec<InstanceId>);

impl Selection {
    /// Who is selected now.
    pub(crate) fn now() -> Selection {
        let selection = EditorInterface::singleton().get_selection();
        let nodes = selection.map(|selection| selection.get_selected_nodes());
        Selection(
            nodes.iter().flat_map(|nodes| nodes.iter_shared().map(|it| it.instance_id())).collect(),
        )
    }

    /// Selects again who is still in the scene: at once, and once the scene dock has followed the
    /// change, which it does at the end of the frame, and drops who was moved or renamed.
    pub(crate) fn restore(self) {
        if self.0.is_empty() {
            return;
        }
        self.select();
        let later = Callable::from_fn("godot_mcp_select", move |_| self.select());
        later.to_variant().call("call_deferred", &[]);
    }

    fn select(&self) {
        let editor = EditorInterface::singleton();
        let (Some(root), Some(mut selection)) =
            (editor.get_edited_scene_root(), editor.get_selection())
        else {
            return;
        };
        for node in self.0.iter().filter_map(|id| Gd::<Node>::try_from_instance_id(*id).ok()) {
            if node == root || root.is_ancestor_of(&node) {
                selection.add_node(&node);
            }
        }
    }
}
