//! `godot_scene_edit_list_signal_connections`.

use protocol::{
    Fault,
    tools::scene_edit::{ListSignalConnections, SignalConnection, SignalConnections},
};

use super::connections;
use crate::{
    plan::{Context, Read},
    scene::Scene,
    tools::page::{PAGE_CHARACTERS, Page},
};

impl Read for ListSignalConnections {
    fn read(self, _: &Context) -> Result<SignalConnections, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let mut window = Page::parse(&self.cursor)?.window(PAGE_CHARACTERS);
        let mut listed = Vec::new();
        for connection in connections(&scene, &node) {
            let entry = SignalConnection {
                target_path: scene.path_of(&connection.target),
                method: connection
                    .callable
                    .method_name()
                    .map(|it| it.to_string())
                    .unwrap_or_default(),
                persistent: connection.is_persistent(),
                inherited: connection.is_inherited(),
                signal: connection.signal,
            };
            if window.admits(&entry) {
                listed.push(entry);
            }
        }
        Ok(SignalConnections {
            node_path: scene.path_of(&node),
            connections: listed,
            total: window.seen(),
            next_cursor: window.next_cursor(),
        })
    }
}
