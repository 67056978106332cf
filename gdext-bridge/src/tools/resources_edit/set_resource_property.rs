//! `godot_resources_edit_set_resource_property`.

use godot::prelude::*;
use protocol::{
    Fault, GodotValue, Verdict,
    tools::resources_edit::{ResourcePropertySet, SetResourceProperty},
};

use super::assign;
use crate::{
    plan::{Context, Edit, Plan},
    resource_file::ResourceFile,
};

impl Edit for SetResourceProperty {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ResourcePropertySet>, Fault> {
        let file = ResourceFile::open_to_change(&self.resource_path, "resource_path")?;
        let object = file.resource.clone().upcast::<Object>();
        let assigned = assign(&file, &object, &self.property, &self.value.0)?;
        let (step, again) = file.written()?;
        assigned.check_kept(&again.upcast())?;
        let label = format!("Set {}:{}", file.path, self.property);
        let result = ResourcePropertySet {
            resource_path: file.path.to_string(),
            property: self.property,
            value: GodotValue(assigned.value),
            previous: GodotValue(assigned.previous),
            set: true,
        };
        Ok(Plan::project_steps(result, label, vec![step]).with_verdict(Verdict::kept()))
    }
}
