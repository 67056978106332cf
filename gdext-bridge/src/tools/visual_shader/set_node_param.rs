//! `godot_visual_shader_set_node_param`.

use godot::{
    classes::{VisualShader, VisualShaderNode},
    prelude::*,
};
use protocol::{
    Fault, GodotValue, Required, Verdict,
    tools::visual_shader::{GraphConnection, SetShaderNodeParam, ShaderNodeParamSet},
};
use serde_json::{Value, json};

use super::{Graph, Stage, ports::fits};
use crate::{
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    resource::nearest,
    tools::resources_edit::assign,
    variant,
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
        let node = graph.node(stage, id, "node_id")?;
        check_choice(&graph, &node, &property, &self.value.0)?;
        let json = typed(&node, &property, &self.value.0)?;
        let object = holder(&graph, stage, id, is_position)?;
        let assigned = assign(&graph.file, &object, &property, &json)?;
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

/// What stands for nothing in the engine's lists of names.
const NONE: &str = "[None]";

/// Refuses a name of an input, or of a parameter, that there is not: the node would give zero, and nobody
/// would say so.
fn check_choice(
    graph: &Graph,
    node: &Gd<VisualShaderNode>,
    property: &str,
    json: &Value,
) -> Result<(), Fault> {
    let (names, what) = match (node.get_class().to_string().as_str(), property) {
        ("VisualShaderNodeInput", "input_name") => (inputs(node), "input"),
        ("VisualShaderNodeParameterRef", "parameter_name") => (graph.parameters(), "parameter"),
        _ => return Ok(()),
    };
    let Some(name) = json.as_str().filter(|name| *name != NONE) else { return Ok(()) };
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let near = nearest(name, names.iter().map(String::as_str));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(Fault::invalid(format!("There is no {what} '{name}' here.{near} There are: {all}."))
        .requiring(Required::parameter("value")))
}

/// The inputs that the engine has for a node, by the mode of its shader and the stage that it is in.
fn inputs(node: &Gd<VisualShaderNode>) -> Vec<String> {
    let info = PropertyInfo::listed(&node.clone().upcast(), "input_name");
    let list = info.map(|info| info.hint_string).unwrap_or_default();
    list.split(',').filter(|name| !name.is_empty() && *name != NONE).map(str::to_owned).collect()
}

/// The values of inputs, each with the type that the input has: in a list of any types, an array would
/// stay one, and be no vector.
fn typed(node: &Gd<VisualShaderNode>, property: &str, json: &Value) -> Result<Value, Fault> {
    if property != "default_input_values" {
        return Ok(json.clone());
    }
    // Some clients send lists as text.
    let inner = json.as_str().and_then(|text| serde_json::from_str(text).ok());
    let json = inner.as_ref().unwrap_or(json);
    let Some(list) = json.as_array() else { return Ok(json.clone()) };
    let refuse = |why: String| {
        Err(Fault::invalid(format!(
            "{why} Give the port and its value in turn, as in [0, 0.5, 1, [1, 2]]."
        ))
        .requiring(Required::parameter("value")))
    };
    if list.len() % 2 != 0 {
        return refuse(format!("A list of {} has a port without a value.", list.len()));
    }
    let mut typed = Vec::with_capacity(list.len());
    for pair in list.chunks(2) {
        let [port, value] = pair else { continue };
        let Some(number) = port.as_i64().and_then(|port| i32::try_from(port).ok()) else {
            return refuse(format!("{port} is no number of a port."));
        };
        let kind = node.get_input_port_default_value(number).get_type();
        let name = variant::name_of_kind(kind);
        let tag = value.get("_type").and_then(Value::as_str);
        let is_plain = value.is_array() || value.is_object();
        typed.push(port.clone());
        typed.push(match (kind, tag) {
            (VariantType::NIL, None) if is_plain => {
                return refuse(format!(
                    "The input {number} has no value whose type is known: say which it is, as in \
                     {{\"_type\": \"Vector3\", \"value\": [1, 2, 3]}}."
                ));
            }
            (VariantType::NIL, _) => value.clone(),
            (_, Some(tag)) if tag != name => {
                return refuse(format!("The input {number} takes a {name}, not a {tag}."));
            }
            (_, Some(_)) => value.clone(),
            (_, None) => json!({"_type": name, "value": value}),
        });
    }
    Ok(Value::Array(typed))
}

/// The object that has the property.
fn holder(graph: &Graph, stage: Stage, id: i32, is_position: bool) -> Result<Gd<Object>, Fault> {
    let node = graph.node(stage, id, "node_id")?;
    Ok(if is_position { graph.shader.clone().upcast() } else { node.upcast() })
}
