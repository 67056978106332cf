//! `godot_inspection_get_node_property_list`.

use godot::prelude::*;
use protocol::{
    Fault,
    tools::inspection::{GetNodePropertyList, NodePropertyList},
};

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    scene::Scene,
};

impl Read for GetNodePropertyList {
    fn read(self, _: &Context) -> Result<NodePropertyList, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let properties = PropertyInfo::all(&node.clone().upcast::<Object>());
        Ok(NodePropertyList {
            node_path: scene.path_of(&node),
            kind: node.get_class().to_string(),
            properties: properties.into_iter().map(|info| info.name).collect(),
        })
    }
}
