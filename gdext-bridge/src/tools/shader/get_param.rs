//! `godot_shader_get_param`.

use godot::{classes::RenderingServer, prelude::*};
use protocol::{
    Fault, GodotValue,
    tools::shader::{GetShaderParam, ShaderParam},
};

use super::{held, near, uniforms};
use crate::{
    plan::{Context, Read},
    scene::Scene,
    variant,
};

impl Read for GetShaderParam {
    fn read(self, _: &Context) -> Result<ShaderParam, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let held = held(&scene, &node)?;
        let uniforms = uniforms(&held.shader);
        let info = uniforms.iter().find(|info| info.name == self.name);
        let own = held.material.get_shader_parameter(self.name.as_str());
        let overridden = info.is_some() && !own.is_nil();
        let value = match (info, overridden) {
            (None, _) => Variant::nil(),
            (Some(_), true) => own,
            (Some(_), false) => RenderingServer::singleton()
                .shader_get_parameter_default(held.shader.get_rid(), self.name.as_str()),
        };
        Ok(ShaderParam {
            node_path: scene.path_of(&node),
            value: GodotValue(variant::to_json(&value)),
            exists: info.is_some(),
            overridden,
            kind: info.map(|info| info.type_name()),
            suggestions: if info.is_some() { Vec::new() } else { near(&self.name, &uniforms) },
            name: self.name,
        })
    }
}
