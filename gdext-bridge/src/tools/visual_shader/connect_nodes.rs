//! `godot_visual_shader_connect_nodes`.

use godot::{global::Error, prelude::*};
use protocol::{
    Fault, Required, Verdict,
    tools::visual_shader::{ConnectShaderNodes, ShaderNodesConnected},
};

use super::{
    Graph, Stage,
    ports::{Kind, Side, at, ports},
};
use crate::plan::{Context, Edit, Plan};

impl Edit for ConnectShaderNodes {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<ShaderNodesConnected>, Fault> {
        let mut graph = Graph::open_to_change(&self.shader_path)?;
        let stage = graph.stage(&self.stage)?;
        check_ports(&self, &graph, stage)?;
        let label = format!(
            "Connect {}:{} with {}:{} in {}",
            self.from_node, self.from_port, self.to_node, self.to_port, self.shader_path
        );
        let ends = (self.from_node, self.from_port, self.to_node, self.to_port);
        let (from, out, to, into) = ends;
        let mut result =
            ShaderNodesConnected { connected: true, replaced: None, errors: Vec::new() };
        if graph.shader.is_node_connection(stage.kind, from, out, to, into) {
            let plan = Plan::project_steps(result, label, Vec::new());
            return Ok(plan.with_verdict(Verdict::kept()));
        }
        let mut connections = graph.connections(stage).into_iter();
        result.replaced = connections.find(|it| it.to_node == to && it.to_port == into);
        if let Some(old) = &result.replaced {
            graph.shader.disconnect_nodes(stage.kind, old.from_node, old.from_port, to, into);
        }
        if !graph.shader.can_connect_nodes(stage.kind, from, out, to, into) {
            return Err(Fault::invalid(format!(
                "{from} takes from {to} already, directly or through others, so this would close a \
                 circle."
            ))
            .requiring(Required::parameter("to_node")));
        }
        let connected = graph.shader.connect_nodes(stage.kind, from, out, to, into);
        let (step, again, errors) = graph.written(context)?;
        if connected != Error::OK || again.connections(stage) != graph.connections(stage) {
            return Err(Fault::internal(
                "The file does not keep the connection. Nothing was changed.",
            ));
        }
        result.errors = errors;
        Ok(Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept()))
    }
}

/// Refuses ports that there are not, and those that do not fit each other.
fn check_ports(call: &ConnectShaderNodes, graph: &Graph, stage: Stage) -> Result<(), Fault> {
    let from = graph.node(stage, call.from_node, "from_node")?.get_class();
    let to = graph.node(stage, call.to_node, "to_node")?.get_class();
    let refuse = |why: String, parameter: &'static str| {
        Err(Fault::invalid(why).requiring(Required::parameter(parameter)))
    };
    if call.from_node == call.to_node {
        return refuse("A node cannot be connected with itself.".to_owned(), "to_node");
    }
    let mut scratch = Graph::open(&call.shader_path)?.shader;
    let outputs = ports(&mut scratch, stage, call.from_node, Side::Outputs);
    let inputs = ports(&mut scratch, stage, call.to_node, Side::Inputs);
    let Some(gives) = at(&outputs, call.from_port) else {
        return refuse(
            missing("output", call.from_node, &from, call.from_port, &outputs),
            "from_port",
        );
    };
    let Some(takes) = at(&inputs, call.to_port) else {
        return refuse(missing("input", call.to_node, &to, call.to_port, &inputs), "to_port");
    };
    if gives != takes {
        return refuse(
            format!(
                "The output {} of {from} is a {}, the input {} of {to} takes a {}.",
                call.from_port,
                gives.name(),
                call.to_port,
                takes.name()
            ),
            "to_port",
        );
    }
    Ok(())
}

fn missing(side: &str, id: i32, class: &GString, port: i32, ports: &[Kind]) -> String {
    let kinds: Vec<&str> = ports.iter().map(|kind| kind.name()).collect();
    let has = match kinds.len() {
        0 => format!("no {side} ports"),
        count => format!("{side} ports 0 to {}: {}", count - 1, kinds.join(", ")),
    };
    format!("Node {id}, a {class}, has no {side} port {port}. It has {has}.")
}
