//! `godot_resources_edit_create_resource`.

use godot::classes::Shader;
use protocol::{
    Fault, Required, Verdict,
    tools::resources_edit::{CreateResource, ResourceCreated},
};

use super::is_kept;
use crate::{
    plan::{Context, Edit, Plan},
    resource::file_exists,
    resource_file::ResourceFile,
    variant,
};

impl Edit for CreateResource {
    /// The class may be one of a script that was just written.
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ResourceCreated>, Fault> {
        let resource = variant::make(&self.kind)
            .map_err(|misfit| Fault::from(misfit).requiring(Required::parameter("type")))?;
        if resource.clone().try_cast::<Shader>().is_ok() {
            return Err(Fault::invalid(
                "Shaders are created with godot_shader_create or godot_visual_shader_create.",
            )
            .requiring(Required::parameter("type")));
        }
        let file = ResourceFile::new(&self.resource_path, "resource_path", resource)?;
        variant::fill(&file.resource, &self.kind, &self.properties)
            .map_err(|misfit| Fault::from(misfit).requiring(Required::parameter("properties")))?;
        let overwrote = file_exists(&self.resource_path);
        let (step, again) = file.written().map_err(|fault| match &fault.required {
            Some(required) if *required == Required::parameter("value") => {
                fault.requiring(Required::parameter("properties"))
            }
            _ => fault,
        })?;
        for name in self.properties.keys() {
            let (written, got) = (file.resource.get(name), again.get(name));
            if !is_kept(&written, &got) {
                return Err(Fault::invalid(format!(
                    "A file keeps '{name}' as {} instead of {}. Nothing was changed.",
                    variant::to_json(&got),
                    variant::to_json(&written)
                ))
                .requiring(Required::parameter("properties")));
            }
        }
        let result = ResourceCreated {
            resource_path: file.path.to_string(),
            kind: self.kind,
            created: true,
            overwrote,
        };
        let label = format!("Create {}", file.path);
        let what = format!("what '{}' holds now", file.path);
        let plan = Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept());
        Ok(if overwrote { plan.discarding(what) } else { plan })
    }
}
