//! `godot_shader_validate`.

use protocol::{
    Fault, Required,
    tools::shader::{ShaderValidated, ValidateShader},
};

use super::{code_of, compile, is_include};
use crate::plan::{Context, Read};

impl Read for ValidateShader {
    fn read(self, context: &Context) -> Result<ShaderValidated, Fault> {
        if is_include(&self.shader_path) {
            return Err(Fault::invalid(
                "An include file is no shader by itself. Validate a shader that includes it.",
            )
            .requiring(Required::parameter("shader_path")));
        }
        let code = code_of(&self.shader_path)?;
        let errors = compile(&code, &self.shader_path, &context.log)?.errors;
        let ok = errors.is_empty();
        Ok(ShaderValidated { shader_path: self.shader_path.into(), ok, errors, complete: ok })
    }
}
