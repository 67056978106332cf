//! `godot_scripts_get_for_node`.

use godot::{
    classes::{EditorInterface, Script},
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath,
    tools::scripts::{GetScriptForNode, NodeScript},
};

use super::text::{Source, lines};
use crate::{
    files::content,
    plan::{Context, Read},
    scene::Scene,
};

impl Read for GetScriptForNode {
    fn read(self, _: &Context) -> Result<NodeScript, Fault> {
        let scene = Scene::active()?;
        let node = match &self.node_path {
            Some(path) => scene.node(path)?,
            None => selected()?,
        };
        let nothing = NodeScript {
            node_path: scene.path_of(&node),
            script_path: None,
            content: None,
            truncated: false,
        };
        let Some(script) = node.get_script() else { return Ok(nothing) };
        let path = script.get_path().to_string();
        let text = text(&script, &path)?;
        let page = lines(&path, &text, 0, usize::MAX)?;
        Ok(NodeScript {
            script_path: Some(path),
            content: Some(page.content),
            truncated: page.next.is_some(),
            ..nothing
        })
    }
}

/// The text of the file; of a script that is built into a scene, what the scene holds.
fn text(script: &Gd<Script>, path: &str) -> Result<String, Fault> {
    match ResPath::try_from(path.to_owned()) {
        Ok(file) => Ok(Source::of(&file, content(&file, "node_path")?)?.plain()),
        Err(_) => Ok(script.get_source_code().to_string()),
    }
}

fn selected() -> Result<Gd<Node>, Fault> {
    let selection = EditorInterface::singleton().get_selection();
    let nodes = selection.map(|selection| selection.get_selected_nodes()).unwrap_or_default();
    nodes.iter_shared().next().ok_or_else(|| {
        Fault::precondition(
            Required::parameter("node_path"),
            "No node is selected in the editor; give its node_path.",
        )
    })
}
