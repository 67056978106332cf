//! `godot_visual_shader_add_node`.

use godot::{classes::VisualShaderNode, prelude::*};
use protocol::{
    Fault, Required, Verdict,
    tools::visual_shader::{AddShaderNode, ShaderNodeAdded},
};
use serde_json::json;

use super::{Graph, node_types};
use crate::{
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    resource::nearest,
    variant,
};

/// 0 is the output, and 1 is kept by the engine.
const FIRST: i32 = 2;

impl Edit for AddShaderNode {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<ShaderNodeAdded>, Fault> {
        let mut graph = Graph::open_to_change(&self.shader_path)?;
        let stage = graph.stage(&self.stage)?;
        let node = make(&self.node_type)?;
        let id = self.node_id;
        let named = |fault: Fault| fault.requiring(Required::parameter("node_id"));
        if id < FIRST {
            return Err(named(Fault::invalid(format!("Ids of nodes begin with {FIRST}."))));
        }
        if graph.shader.get_node_list(stage.kind).as_slice().contains(&id) {
            let free = graph.shader.get_valid_node_id(stage.kind);
            return Err(named(Fault::invalid(format!(
                "The stage '{}' has a node {id} already. {free} is free.",
                stage.name
            ))));
        }
        let position = position(&self.position)?;
        graph.shader.add_node(stage.kind, &node, position, id);
        let (step, again, errors) = graph.written(context)?;
        let there = again.shader.get_node(stage.kind, id);
        if there.is_none_or(|there| there.get_class() != node.get_class()) {
            return Err(Fault::internal("The file does not keep the node. Nothing was changed."));
        }
        let label = format!("Add {} to {}", self.node_type, self.shader_path);
        let result = ShaderNodeAdded {
            node_id: id,
            node_type: self.node_type,
            stage: stage.name.to_owned(),
            added: true,
            errors,
        };
        Ok(Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept()))
    }
}

fn make(class: &str) -> Result<Gd<VisualShaderNode>, Fault> {
    let types = node_types();
    if !types.iter().any(|known| known == class) {
        let near = nearest(class, types.iter().map(String::as_str));
        let near = near.map(|near| format!("Did you mean '{near}'?"));
        return Err(Fault::invalid(format!(
            "There is no class '{class}' of nodes of a visual shader. {}",
            near.unwrap_or_else(|| "See godot_visual_shader_list_node_types.".to_owned())
        ))
        .requiring(Required::parameter("node_type")));
    }
    let named = |fault: Fault| fault.requiring(Required::parameter("node_type"));
    let made = variant::make(class).map_err(|misfit| named(misfit.into()))?;
    made.try_cast().map_err(|_| Fault::internal(format!("The engine made no {class}.")))
}

fn position(numbers: &[f64]) -> Result<Vector2, Fault> {
    if numbers.is_empty() {
        return Ok(Vector2::ZERO);
    }
    let slot = PropertyInfo::slot(VariantType::VECTOR2);
    let value = variant::from_json(&json!(numbers), &slot, None)
        .map_err(|misfit| Fault::from(misfit).requiring(Required::parameter("position")))?;
    Ok(value.try_to().unwrap_or_default())
}
