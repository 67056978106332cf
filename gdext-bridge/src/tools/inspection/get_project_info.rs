//! `godot_inspection_get_project_info`.

use std::collections::BTreeMap;

use godot::{classes::ProjectSettings, prelude::*};
use protocol::{
    Fault,
    tools::inspection::{GetProjectInfo, ProjectInfo},
};

use crate::{
    plan::{Context, Read},
    resource::{godot_version, has_csharp_solution, is_csharp_supported, main_scene, setting_text},
};

impl Read for GetProjectInfo {
    fn read(self, _: &Context) -> Result<ProjectInfo, Fault> {
        let settings = ProjectSettings::singleton();
        let mut autoloads = BTreeMap::new();
        let mut input_actions = Vec::new();
        for entry in settings.get_property_list().iter_shared() {
            let name = entry.get("name").map(|name| name.to_string()).unwrap_or_default();
            if let Some(autoload) = name.strip_prefix("autoload/") {
                // The star marks one that is a global variable; it is no part of the path.
                let path = setting_text(&name);
                autoloads.insert(autoload.to_owned(), path.trim_start_matches('*').to_owned());
            } else if let Some(action) = name.strip_prefix("input/")
                && !action.starts_with("ui_")
            {
                input_actions.push(action.to_owned());
            }
        }
        let path = settings.globalize_path("res://").to_string();
        Ok(ProjectInfo {
            name: setting_text("application/config/name"),
            godot_version: godot_version(),
            main_scene: main_scene(),
            project_path: Some(path.trim_end_matches('/').to_owned()),
            autoloads,
            input_actions,
            csharp_supported: is_csharp_supported(),
            csharp_project: has_csharp_solution(),
        })
    }
}
