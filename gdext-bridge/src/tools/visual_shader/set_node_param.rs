//! `godot_visual_shader_set_node_param`.

use super::{Graph, Stage, ports::fits};
use crate::{
    plan::{Context, Edit, Plan},
    tools::resources_edit::assign,
};
use godot::{classes::VisualShader, prelude::*};
use protocol::{
    Fault, GodotValue, Verdict,
    tools::visual_shader::{GraphConnection, SetShaderNodeParam, ShaderNodeParamSet},
};

impl Edit for SetShaderNodeParam {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<ShaderNodeParamSet>, Fault> {
        let mut graph = Graph::open_to_change(&self.shader_path)?;
        let stage = graph.stage(&self.stage)?;
        let id = self.node_id;
        // Where a node is shown is a property of the graph.
        let is_position = self.property.split(':').next() == Some("position");
        let property = match is_position {
            true => format!("nodes/{}/{id}/{}", stage.name, self.property),
            false => self.property.clone(),
        };
        let joined = graph.connections(stage).into_iter();
        let joined = joined.filter(|it| it.from_node == id || it.to_node == id);
        let joined: Vec<GraphConnection> = joined.collect();
        let object = holder(&graph, stage, id, is_position)?;
        let assigned = assign(&graph.file, &object, &property, &self.value.0)?;
        if !is_position {
            disconnect_misfits(&mut graph, stage, &joined)?;
        }
        let (step, again, errors) = graph.written(context)?;
        assigned.check_kept(&holder(&again, stage, id, is_position)?)?;
        let label = format!("Set {id}:{} in {}", self.property, self.shader_path);
        let result = ShaderNodeParamSet {
            node_id: id,
            property: self.property,
            value: GodotValue(assigned.value),
            previous: GodotValue(assigned.previous),
            set: true,
            removed_connections: {
                let kept = again.connections(stage);
                joined.into_iter().filter(|it| !kept.contains(it)).collect()
            },
            errors,
        };
        Ok(Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept()))
    }
}

/// Takes out those of these connections whose ports are gone, or fit each other no more.
fn disconnect_misfits(
    graph: &mut Graph,
    stage: Stage,
    joined: &[GraphConnection],
) -> Result<(), Fault> {
    if joined.is_empty() {
        return Ok(());
    }
    let again = graph.file.written()?.1.try_cast::<VisualShader>();
    let mut scratch =
        again.map_err(|_| Fault::internal("The file is no visual shader any more."))?;
    for it in joined.iter().filter(|it| !fits(&mut scratch, stage, it)) {
        let (from, out, to, into) = (it.from_node, it.from_port, it.to_node, it.to_port);
        graph.shader.disconnect_nodes(stage.kind, from, out, to, into);
    }
    Ok(())
}

/// The object that has the property.
fn holder(graph: &Graph, stage: Stage, id: i32, is_position: bool) -> Result<Gd<Object>, Fault> {
    let node = graph.node(stage, id, "node_id")?;
    Ok(if is_position { graph.shader.clone().upcast() } else { node.upcast() })
}
