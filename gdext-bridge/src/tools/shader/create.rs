//! `godot_shader_create`.

use protocol::{
    Fault, Required, Verdict,
    tools::shader::{CreateShader, ShaderCreated},
};

use super::compile;
use crate::{
    file_change::FileChange,
    files::{self, located, unreadable},
    plan::{Context, Edit, Plan},
    resource::{check_target, file_exists},
    tools::scripts::text::Source,
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
        // A file that is replaced keeps its byte order mark and its line ends, where it is text.
        let old = files::read(&located(&path, "shader_path")?);
        let old = old.map_err(|error| unreadable(path.as_str(), &error))?;
        let new = match old.and_then(|old| Source::of(&path, old).ok()) {
            Some(source) => source.with(&self.code),
            None => self.code.into_bytes(),
        };
        let step = Step::File(FileChange::write(&path, new));
        let plan = Plan::project_steps(result, format!("Create {path}"), vec![step])
            .with_verdict(Verdict::kept());
        Ok(if overwrote {
            plan.discarding(format!("the shader that '{path}' holds now"))
        } else {
            plan
        })
    }
}
