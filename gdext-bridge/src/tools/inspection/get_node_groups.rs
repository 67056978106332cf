//! `godot_inspection_get_node_groups`.

use protocol::{
    Fault,
    tools::inspection::{GetNodeGroups, NodeGroups},
};

use crate::{
    plan::{Context, Read},
    scene::Scene,
};

impl Read for GetNodeGroups {
    fn read(self, _: &Context) -> Result<NodeGroups, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        Ok(NodeGroups { node_path: scene.path_of(&node), groups: super::groups(&node) })
    }
}
