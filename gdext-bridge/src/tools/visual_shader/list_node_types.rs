//! `godot_visual_shader_list_node_types`.

use protocol::{
    Fault,
    tools::visual_shader::{ListShaderNodeTypes, ShaderNodeTypes},
};

use super::node_types;
use crate::plan::{Context, Read};

impl Read for ListShaderNodeTypes {
    fn read(self, _: &Context) -> Result<ShaderNodeTypes, Fault> {
        Ok(ShaderNodeTypes { types: node_types() })
    }
}
