//! `godot_visual_shader_read`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue,
    tools::visual_shader::{GraphNode, ReadVisualShader, VisualShaderGraph},
};

use super::{Graph, OUTPUT, Stage, stages_of};
use crate::{
    plan::{Context, Read},
    tools::{
        page::{PAGE_CHARACTERS, Page},
        resources_edit::changed,
        shader::mode_named,
    },
    variant,
};

impl Read for ReadVisualShader {
    fn read(self, _: &Context) -> Result<VisualShaderGraph, Fault> {
        let graph = Graph::open(&self.shader_path)?;
        let mut window = Page::parse(&self.cursor)?.window(PAGE_CHARACTERS);
        let mode = graph.shader.get_mode();
        let mut answer = VisualShaderGraph {
            shader_path: self.shader_path.to_string(),
            mode: mode_named(mode).to_owned(),
            nodes: Vec::new(),
            connections: Vec::new(),
            total: 0,
            next_cursor: None,
        };
        for (index, name) in stages_of(mode).iter().enumerate() {
            let stage = Stage::named(name);
            let ids = graph.shader.clone().get_node_list(stage.kind);
            // Every stage has an output; those that nobody has touched are left out.
            if index > 0 && ids.as_slice() == [OUTPUT] {
                continue;
            }
            for id in ids.as_slice() {
                if window.skips() {
                    continue;
                }
                let node = told(&graph, stage, *id);
                if window.admits(&node) {
                    answer.nodes.push(node);
                }
            }
            for connection in graph.connections(stage) {
                if window.admits(&connection) {
                    answer.connections.push(connection);
                }
            }
        }
        answer.total = window.seen();
        answer.next_cursor = window.next_cursor();
        Ok(answer)
    }
}

fn told(graph: &Graph, stage: Stage, id: i32) -> GraphNode {
    let node = graph.shader.get_node(stage.kind, id);
    let position = graph.shader.get_node_position(stage.kind, id);
    GraphNode {
        id,
        stage: stage.name.to_owned(),
        kind: node
            .as_ref()
            .map(|node| variant::class_of(&node.clone().upcast()))
            .unwrap_or_default(),
        position: GodotValue(variant::to_json(&position.to_variant())),
        parameters: node.map(|node| changed(&node.upcast())).unwrap_or_default(),
    }
}
