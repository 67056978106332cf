//! `godot_batch_get_dependencies`.

use godot::{
    classes::{EditorInterface, ResourceLoader},
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::batch::{Dependencies, Dependency, GetDependencies},
};

use crate::{
    plan::{Context, Read},
    resource::file_exists,
    tools::project::needs,
};

impl Read for GetDependencies {
    fn read(self, _: &Context) -> Result<Dependencies, Fault> {
        if !file_exists(&self.path) {
            return Err(Fault::not_found(format!("There is no file '{}'.", self.path))
                .requiring(Required::parameter("path")));
        }
        let dependencies: Vec<Dependency> = needs(self.path.as_str())
            .into_iter()
            .map(|(raw, path)| Dependency {
                raw,
                exists: ResourceLoader::singleton().exists(path.as_str()),
                class: class_of_file(&path),
                path: Some(path),
            })
            .collect();
        let count = dependencies.len();
        Ok(Dependencies { path: self.path.to_string(), dependencies, count })
    }
}

/// The class of the resource in a file, as the editor knows it without loading it.
fn class_of_file(path: &str) -> Option<String> {
    let files = EditorInterface::singleton().get_resource_filesystem()?;
    Some(files.get_file_type(path).to_string()).filter(|class| !class.is_empty())
}
