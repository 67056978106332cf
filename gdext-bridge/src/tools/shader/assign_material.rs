//! `godot_shader_assign_material`.

use godot::{
    classes::{ResourceLoader, Shader, ShaderMaterial, shader::Mode},
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath,
    tools::shader::{AssignShaderMaterial, ShaderMaterialAssigned},
};

use super::{kept, mode_name};
use crate::{
    outside, persistence,
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    resource::file_exists,
    scene::Scene,
    undo::Step,
};

impl Edit for AssignShaderMaterial {
    /// The shader may be one that was just written.
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ShaderMaterialAssigned>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let shader = load(&self.shader_path)?;
        let slot = slot(&scene, &node, &shader)?;
        let object = node.clone().upcast::<Object>();
        let has = object.get(slot).try_to::<Gd<ShaderMaterial>>().ok();
        let has = has.filter(|has| has.get_shader().is_some_and(|has| has == shader));
        let is_there = has.as_ref().is_some_and(|has| kept::is_ours(&scene, has));
        // One that has the shader already, and is another's, becomes the node's own as it is.
        let copy = has.and_then(|has| has.duplicate_resource().try_cast::<ShaderMaterial>().ok());
        let mut material = copy.unwrap_or_else(ShaderMaterial::new_gd);
        material.set_shader(&shader);
        let value = material.to_variant();
        let result = ShaderMaterialAssigned {
            node_path: scene.path_of(&node),
            shader_path: self.shader_path.to_string(),
            material_property: slot.to_owned(),
            assigned: true,
        };
        let verdict = match PropertyInfo::of(&object, slot) {
            Some(info) => persistence::of_property(&scene, &node, &info, &value),
            None => persistence::of_node(&scene, &node),
        };
        let label = format!("Assign {} to {}", self.shader_path, result.node_path);
        // A material that has the shader already keeps its parameters.
        let steps = match is_there {
            true => Vec::new(),
            false => vec![Step::Set { object, property: slot.to_owned(), value }],
        };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

fn load(path: &ResPath) -> Result<Gd<Shader>, Fault> {
    let named = |fault: Fault| fault.requiring(Required::parameter("shader_path"));
    if !file_exists(path) {
        return Err(named(Fault::not_found(format!("There is no file '{path}'."))));
    }
    outside::take_in(path.as_str());
    let mut loader = ResourceLoader::singleton();
    let resource = loader.exists(path.as_str()).then(|| loader.load(path.as_str())).flatten();
    let shader = resource.and_then(|resource| resource.try_cast::<Shader>().ok());
    shader.ok_or_else(|| named(Fault::invalid(format!("'{path}' is no shader."))))
}

/// The property of a node that takes a material with a shader of that type.
fn slot(scene: &Scene, node: &Gd<Node>, shader: &Gd<Shader>) -> Result<&'static str, Fault> {
    let is = |class: &str| node.is_class(class);
    let fits = match shader.get_mode() {
        Mode::CANVAS_ITEM if is("CanvasItem") => Some("material"),
        Mode::SPATIAL if is("GeometryInstance3D") => Some("material_override"),
        Mode::PARTICLES if is("GPUParticles2D") || is("GPUParticles3D") => Some("process_material"),
        Mode::FOG if is("FogVolume") => Some("material"),
        _ => None,
    };
    fits.ok_or_else(|| {
        let class = node.get_class().to_string();
        let takes = if is("GPUParticles2D") {
            "a particles or canvas_item shader"
        } else if is("GPUParticles3D") {
            "a particles or spatial shader"
        } else if is("CanvasItem") {
            "a canvas_item shader"
        } else if is("GeometryInstance3D") {
            "a spatial shader"
        } else if is("FogVolume") {
            "a fog shader"
        } else {
            "no shader"
        };
        let sky = match shader.get_mode() {
            Mode::SKY => " A sky shader belongs to the sky of an Environment.",
            _ => "",
        };
        Fault::invalid(format!(
            "'{}' is a {} shader, but '{}' is a {class}, which takes {takes}.{sky}",
            shader.get_path(),
            mode_name(shader),
            scene.path_of(node)
        ))
        .requiring(Required::parameter("shader_path"))
    })
}
