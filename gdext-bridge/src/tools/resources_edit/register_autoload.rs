//! `godot_resources_edit_register_autoload`.

use protocol::{
    Fault,
    tools::resources_edit::{AutoloadRegistered, RegisterAutoload},
};

use crate::{
    autoload,
    plan::{Context, Edit, Plan},
};

impl Edit for RegisterAutoload {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<AutoloadRegistered>, Fault> {
        autoload::check_name(&self.name)?;
        autoload::check_file(&self.path)?;
        let previous_path = autoload::path_of(&self.name);
        let is_same = previous_path.as_deref() == Some(self.path.as_str())
            && autoload::is_written(&self.name);
        let label = format!("Register the autoload {}", self.name);
        let step = autoload::step(&self.name, Some(&self.path));
        let result = AutoloadRegistered {
            name: self.name,
            path: self.path.to_string(),
            registered: true,
            previous_path,
        };
        Ok(Plan::project_steps(result, label, if is_same { Vec::new() } else { vec![step] }))
    }
}
