//! `godot_visual_shader_set_node_param`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue, Verdict,
    tools::visual_shader::{SetShaderNodeParam, ShaderNodeParamSet},
};

use super::{Graph, Stage};
use crate::{
    plan::{Context, Edit, Plan},
    tools::resources_edit::assign,
};

impl Edit for SetShaderNodeParam {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<ShaderNodeParamSet>, Fault> {
        let graph = Graph::open_to_change(&self.shader_path)?;
        let stage = graph.stage(&self.stage)?;
        let id = self.node_id;
        // Where a node is shown is a property of the graph.
        let is_position = self.property.split(':').next() == Some("position");
        let property = match is_position {
            true => format!("nodes/{}/{id}/{}", stage.name, self.property),
            false => self.property.clone(),
        };
        let object = holder(&graph, stage, id, is_position)?;
        let assigned = assign(&graph.file, &object, &property, &self.value.0)?;
        let (step, again, errors) = graph.written(context)?;
        assigned.check_kept(&holder(&again, stage, id, is_position)?)?;
        let label = format!("Set {id}:{} in {}", self.property, self.shader_path);
        let result = ShaderNodeParamSet {
            node_id: id,
            property: self.property,
            value: GodotValue(assigned.value),
            previous: GodotValue(assigned.previous),
            set: true,
            errors,
        };
        Ok(Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept()))
    }
}

/// The object that has the property.
fn holder(graph: &Graph, stage: Stage, id: i32, is_position: bool) -> Result<Gd<Object>, Fault> {
    let node = graph.node(stage, id, "node_id")?;
    Ok(if is_position { graph.shader.clone().upcast() } else { node.upcast() })
}
