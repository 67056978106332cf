//! `godot_shader_read`.

use godot::prelude::*;
use protocol::{
    Fault,
    tools::shader::{ReadShader, ShaderText, Uniform},
};

use super::{code_of, compile, is_include, mode_name, uniforms};
use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
};

/// The limits of an int that has none of its own.
const ALL_INTS: &str = "-2147483648,2147483647";

impl Read for ReadShader {
    fn read(self, context: &Context) -> Result<ShaderText, Fault> {
        let code = code_of(&self.shader_path)?;
        let shader_path = self.shader_path.to_string();
        if is_include(&self.shader_path) {
            return Ok(ShaderText { shader_path, code, mode: None, uniforms: Vec::new() });
        }
        let (mode, uniforms) = match compile(&code, &self.shader_path, &context.log) {
            Ok(compiled) if compiled.errors.is_empty() => {
                (Some(mode_name(&compiled.shader).to_owned()), uniforms(&compiled.shader))
            }
            _ => (None, Vec::new()),
        };
        let uniforms = uniforms.into_iter().map(told).collect();
        Ok(ShaderText { shader_path, code, mode, uniforms })
    }
}

fn told(info: PropertyInfo) -> Uniform {
    // Every int has all of the numbers of 32 bits as its range, if it has no other.
    let is_telling = info.kind != VariantType::OBJECT
        && !info.hint_string.is_empty()
        && info.hint_string != ALL_INTS;
    let kind = info.type_name();
    Uniform { name: info.name, kind, hint: is_telling.then_some(info.hint_string) }
}
