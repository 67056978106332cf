//! `godot_shader_create`.

use protocol::{
    Fault, Required, Verdict,
    tools::shader::{CreateShader, ShaderCreated},
};

use super::compile;
use crate::{
    file_change::FileChange,
    plan::{Context, Edit, Plan},
    resource::{check_target, file_exists},
    undo::Step,
};

impl Edit for CreateShader {
    const AWAITS_SCAN: bool = true;

    fn plan(self, context: &Context) -> Result<Plan<ShaderCreated>, Fault> {
        let path = self.shader_path;
        check_target(&path, "shader_path")?;
        if path.extension() != "gdshader" {
            return Err(Fault::invalid(format!("'{path}' does not end in '.gdshader'."))
                .requiring(Required::parameter("shader_path")));
        }
        let overwrote = file_exists(&path);
        let errors = match compile(&self.code, &path, &context.log) {
            Ok(compiled) => compiled.errors,
            // An old Godot cannot tell; the file can be written all the same.
            Err(_) => Vec::new(),
        };
        let result =
            ShaderCreated { shader_path: path.to_string(), created: true, overwrote, errors };
        let step = Step::File(FileChange::write(&path, self.code.into_bytes()));
        let plan = Plan::project_steps(result, format!("Create {path}"), vec![step])
            .with_verdict(Verdict::kept());
        Ok(if overwrote {
            plan.discarding(format!("the shader that '{path}' holds now"))
        } else {
            plan
        })
    }
}
