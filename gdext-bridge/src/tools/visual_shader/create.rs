//! `godot_visual_shader_create`.

use godot::{
    classes::{VisualShader, shader::Mode},
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath, Verdict,
    tools::visual_shader::{CreateVisualShader, VisualShaderCreated},
};

use crate::{
    plan::{Context, Edit, Plan},
    resource::file_exists,
    resource_file::ResourceFile,
    tools::shader::mode_named,
};

impl Edit for CreateVisualShader {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<VisualShaderCreated>, Fault> {
        let mode = mode(&self.kind)?;
        let path = match self.path {
            Some(path) => path,
            None => beside(&self.name)?,
        };
        let mut shader = VisualShader::new_gd();
        shader.set_mode(mode);
        let file = ResourceFile::new(&path, "path", shader.upcast())?;
        let overwrote = file_exists(&path);
        let (step, _) = file.written()?;
        let result = VisualShaderCreated {
            path: path.to_string(),
            mode: mode_named(mode).to_owned(),
            created: true,
            overwrote,
        };
        let plan = Plan::project_steps(result, format!("Create {path}"), vec![step])
            .with_verdict(Verdict::kept());
        Ok(if overwrote { plan.discarding(format!("what '{path}' holds now")) } else { plan })
    }
}

fn mode(name: &str) -> Result<Mode, Fault> {
    Ok(match name {
        "2d" | "canvas_item" => Mode::CANVAS_ITEM,
        "3d" | "spatial" => Mode::SPATIAL,
        "particles" => Mode::PARTICLES,
        "sky" => Mode::SKY,
        "fog" => Mode::FOG,
        other => {
            return Err(Fault::invalid(format!(
                "There is no type '{other}'; give 3d, 2d, particles, sky or fog."
            ))
            .requiring(Required::parameter("type")));
        }
    })
}

/// The file that is named after the shader.
fn beside(name: &str) -> Result<ResPath, Fault> {
    let refuse = |why: &str| {
        Err(Fault::invalid(format!("'{name}' {why}; give the file as path instead."))
            .requiring(Required::parameter("name")))
    };
    if name.trim().is_empty() {
        return refuse("is no name");
    }
    if name.contains(['/', '\\', ':']) {
        return refuse("cannot be the name of a file");
    }
    ResPath::try_from(format!("res://{name}.tres")).or_else(|why| refuse(&why))
}
