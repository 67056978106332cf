//! The ports of the nodes of a graph. The engine does not tell which there are, only whether two can
//! be connected; so that is tried with nodes whose ports are known.

use godot::{
    classes::{
        VisualShader, VisualShaderNode, VisualShaderNodeFloatConstant, VisualShaderNodeFloatFunc,
        VisualShaderNodeTexture, VisualShaderNodeTexture2DParameter,
        VisualShaderNodeTransformConstant, VisualShaderNodeTransformFunc,
    },
    prelude::*,
};
use protocol::tools::visual_shader::GraphConnection;

use super::Stage;

/// No node of the engine has as many.
const MOST: i32 = 64;

/// What goes through a port. Numbers, vectors, colors and booleans are converted into each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number, a vector, a color or a boolean.
    Value,
    /// A transform.
    Transform,
    /// A texture to be sampled.
    Sampler,
}

impl Kind {
    /// In words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Value => "value",
            Kind::Transform => "transform",
            Kind::Sampler => "sampler",
        }
    }
}

/// Which ports of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Those that give.
    Outputs,
    /// Those that take.
    Inputs,
}

/// The ports of a node, in order. `scratch` is a copy of the graph that is thrown away.
pub(super) fn ports(
    scratch: &mut Gd<VisualShader>,
    stage: Stage,
    id: i32,
    side: Side,
) -> Vec<Kind> {
    let partners = partners(scratch, stage, side);
    let kind_of = |port: i32| {
        let fits = |(_, partner, at): &&(Kind, i32, i32)| match side {
            Side::Outputs => scratch.can_connect_nodes(stage.kind, id, port, *partner, *at),
            Side::Inputs => scratch.can_connect_nodes(stage.kind, *partner, *at, id, port),
        };
        partners.iter().find(fits).map(|(kind, _, _)| *kind)
    };
    (0..MOST).map_while(kind_of).collect()
}

/// Whether what a connection joins is there and fits. `scratch` is a copy of the graph that is thrown away.
pub(super) fn fits(
    scratch: &mut Gd<VisualShader>,
    stage: Stage,
    connection: &GraphConnection,
) -> bool {
    let gives = ports(scratch, stage, connection.from_node, Side::Outputs);
    let takes = ports(scratch, stage, connection.to_node, Side::Inputs);
    let gives = at(&gives, connection.from_port);
    gives.is_some() && gives == at(&takes, connection.to_port)
}

/// What goes through a port; `None` where there is none of that number.
pub(super) fn at(ports: &[Kind], port: i32) -> Option<Kind> {
    ports.get(usize::try_from(port).ok()?).copied()
}

/// Adds a node for each kind, with its id and the port of that kind.
fn partners(scratch: &mut Gd<VisualShader>, stage: Stage, side: Side) -> Vec<(Kind, i32, i32)> {
    let nodes: [(Kind, Gd<VisualShaderNode>, i32); 3] = match side {
        Side::Outputs => [
            (Kind::Value, VisualShaderNodeFloatFunc::new_gd().upcast(), 0),
            (Kind::Transform, VisualShaderNodeTransformFunc::new_gd().upcast(), 0),
            (Kind::Sampler, VisualShaderNodeTexture::new_gd().upcast(), 2),
        ],
        Side::Inputs => [
            (Kind::Value, VisualShaderNodeFloatConstant::new_gd().upcast(), 0),
            (Kind::Transform, VisualShaderNodeTransformConstant::new_gd().upcast(), 0),
            (Kind::Sampler, VisualShaderNodeTexture2DParameter::new_gd().upcast(), 0),
        ],
    };
    let add = |(kind, node, port): (Kind, Gd<VisualShaderNode>, i32)| {
        let id = scratch.get_valid_node_id(stage.kind);
        scratch.add_node(stage.kind, &node, Vector2::ZERO, id);
        (kind, id, port)
    };
    nodes.into_iter().map(add).collect()
}
