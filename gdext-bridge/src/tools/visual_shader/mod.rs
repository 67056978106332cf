//! `visual_shader`: the node graphs of visual shaders, in resource files.

mod add_node;
mod connect_nodes;
mod create;
mod list_node_types;
mod ports;
mod read;
mod set_node_param;

use godot::{
    classes::{
        ClassDb, VisualShader, VisualShaderNode, VisualShaderNodeParameter, shader::Mode,
        visual_shader,
    },
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath,
    tools::{shader::ShaderError, visual_shader::GraphConnection},
};

use crate::{
    plan::Context,
    resource::{engine_base, global_classes},
    resource_file::ResourceFile,
    tools::shader::compile,
    undo::Step,
};

/// The stages as files name them, in the order of the engine.
const STAGES: [&str; 10] = [
    "vertex",
    "fragment",
    "light",
    "start",
    "process",
    "collide",
    "start_custom",
    "process_custom",
    "sky",
    "fog",
];

/// The id of the output of a stage.
const OUTPUT: i32 = 0;

/// Classes that only other classes make sense of.
const BASES: [&str; 3] =
    ["VisualShaderNodeCustom", "VisualShaderNodeGroupBase", "VisualShaderNodeOutput"];

/// The stages that a shader of a mode has, the main one first.
fn stages_of(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::PARTICLES => &["process", "start", "collide", "start_custom", "process_custom"],
        Mode::SKY => &["sky"],
        Mode::FOG => &["fog"],
        _ => &["fragment", "vertex", "light"],
    }
}

/// A visual shader that is a copy of its file.
struct Graph {
    file: ResourceFile,
    shader: Gd<VisualShader>,
}

impl Graph {
    /// Reads the file.
    fn open(path: &ResPath) -> Result<Graph, Fault> {
        Graph::of(ResourceFile::open(path, "shader_path")?)
    }

    /// Reads the file, which is to be changed.
    fn open_to_change(path: &ResPath) -> Result<Graph, Fault> {
        Graph::of(ResourceFile::open_to_change(path, "shader_path")?)
    }

    fn of(file: ResourceFile) -> Result<Graph, Fault> {
        match file.resource.clone().try_cast::<VisualShader>() {
            Ok(shader) => Ok(Graph { file, shader }),
            Err(other) => Err(Fault::invalid(format!(
                "'{}' is a {}, no visual shader.",
                file.path,
                other.get_class()
            ))
            .requiring(Required::parameter("shader_path"))),
        }
    }

    /// The stage called `name`; the main one for no name.
    fn stage(&self, name: &str) -> Result<Stage, Fault> {
        let stages = stages_of(self.shader.get_mode());
        let name = if name.is_empty() { stages.first().copied().unwrap_or_default() } else { name };
        let found = stages.iter().find(|stage| **stage == name);
        found.map(|name| Stage::named(name)).ok_or_else(|| {
            Fault::invalid(format!(
                "'{}' has no stage '{name}'. It has {}.",
                self.file.path,
                stages.join(", ")
            ))
            .requiring(Required::parameter("stage"))
        })
    }

    /// The node with an id. `parameter` is the argument it came in.
    fn node(
        &self,
        stage: Stage,
        id: i32,
        parameter: &'static str,
    ) -> Result<Gd<VisualShaderNode>, Fault> {
        let ids = self.shader.clone().get_node_list(stage.kind);
        let node = ids.as_slice().contains(&id).then(|| self.shader.get_node(stage.kind, id));
        node.flatten().ok_or_else(|| {
            let ids: Vec<String> = ids.as_slice().iter().map(ToString::to_string).collect();
            Fault::not_found(format!(
                "The stage '{}' has no node {id}. It has {}.",
                stage.name,
                ids.join(", ")
            ))
            .requiring(Required::parameter(parameter))
        })
    }

    /// The connections of a stage.
    fn connections(&self, stage: Stage) -> Vec<GraphConnection> {
        let list = self.shader.clone().get_node_connections(stage.kind);
        let read = |entry: VarDictionary| {
            let part = |key: &str| entry.get(key).and_then(|part| part.try_to::<i32>().ok());
            Some(GraphConnection {
                stage: stage.name.to_owned(),
                from_node: part("from_node")?,
                from_port: part("from_port")?,
                to_node: part("to_node")?,
                to_port: part("to_port")?,
            })
        };
        let entries = list.iter_shared().filter_map(|entry| entry.to_variant().try_to().ok());
        entries.filter_map(read).collect()
    }

    /// The names of the parameters that the graph has, in all stages.
    fn parameters(&self) -> Vec<String> {
        let stages = stages_of(self.shader.get_mode()).iter().map(|name| Stage::named(name).kind);
        let nodes = stages.flat_map(|kind| {
            let ids = self.shader.clone().get_node_list(kind);
            let node = |id: &i32| self.shader.get_node(kind, *id);
            ids.as_slice().iter().filter_map(node).collect::<Vec<_>>()
        });
        let parameters = nodes.filter_map(|it| it.try_cast::<VisualShaderNodeParameter>().ok());
        parameters.map(|it| it.get_parameter_name().to_string()).collect()
    }

    /// The step that writes the graph, the graph read again, and what the compiler says of it.
    fn written(&self, context: &Context) -> Result<(Step, Graph, Vec<ShaderError>), Fault> {
        let (step, again) = self.file.written()?;
        let shader = again.try_cast::<VisualShader>();
        let shader =
            shader.map_err(|_| Fault::internal("The file is no visual shader any more."))?;
        let code = shader.get_code().to_string();
        // An old Godot cannot tell; the graph can be changed all the same.
        let errors = compile(&code, &self.file.path, &context.log).map(|compiled| compiled.errors);
        let file = ResourceFile::open(&self.file.path, "shader_path")?;
        Ok((step, Graph { file, shader }, errors.unwrap_or_default()))
    }
}

/// A stage of a visual shader.
#[derive(Clone, Copy)]
struct Stage {
    name: &'static str,
    kind: visual_shader::Type,
}

impl Stage {
    fn named(name: &'static str) -> Stage {
        let index = STAGES.iter().position(|stage| *stage == name).unwrap_or_default();
        let kind = visual_shader::Type::from_ord(i32::try_from(index).unwrap_or_default());
        Stage { name, kind }
    }
}

/// The classes of nodes that a graph can have: the engine's, and those of the project.
fn node_types() -> Vec<String> {
    let db = ClassDb::singleton();
    let engine = db.get_inheriters_from_class("VisualShaderNode");
    let mut types: Vec<String> = engine.as_slice().iter().map(ToString::to_string).collect();
    types.retain(|class| db.can_instantiate(class.as_str()) && !BASES.contains(&class.as_str()));
    let globals = global_classes();
    let own = globals.iter().filter(|class| {
        !class.is_abstract
            && engine_base(class, &globals) == "VisualShaderNodeCustom"
            && class.is_declared()
    });
    types.extend(own.map(|class| class.name.clone()));
    types.sort();
    types
}
