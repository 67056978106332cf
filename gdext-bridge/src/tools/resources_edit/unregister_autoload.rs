//! `godot_resources_edit_unregister_autoload`.

use protocol::{
    Fault,
    tools::resources_edit::{AutoloadUnregistered, UnregisterAutoload},
};

use crate::{
    autoload,
    plan::{Context, Edit, Plan},
};

impl Edit for UnregisterAutoload {
    fn plan(self, _: &Context) -> Result<Plan<AutoloadUnregistered>, Fault> {
        let path = autoload::path_of(&self.name).ok_or_else(|| autoload::missing(&self.name))?;
        let label = format!("Unregister the autoload {}", self.name);
        let step = autoload::step(&self.name, None);
        let result = AutoloadUnregistered { name: self.name, path, unregistered: true };
        Ok(Plan::project_steps(result, label, vec![step]))
    }
}
