//! `godot_resources_edit_read_resource_file`.

use godot::{
    classes::{PackedScene, Resource, Script},
    prelude::*,
};
use protocol::{
    Fault, Required,
    tools::resources_edit::{ReadResourceFile, ResourceFile, SubResource},
};
use serde_json::Map;

use super::{changed, inside, stored};
use crate::{
    plan::{Context, Read},
    resource_file,
    tools::page::{PAGE_CHARACTERS, Page},
    variant,
};

impl Read for ReadResourceFile {
    fn read(self, _: &Context) -> Result<ResourceFile, Fault> {
        let file = resource_file::ResourceFile::open(&self.resource_path, "resource_path")?;
        refuse_others(&file.resource)?;
        let mut window = Page::parse(&self.cursor)?.window(PAGE_CHARACTERS);
        let script = file.resource.get_script();
        let mut answer = ResourceFile {
            resource_path: file.path.to_string(),
            kind: variant::class_of(&file.resource.clone().upcast()),
            script: script.map(|script| script.get_path().to_string()),
            properties: Map::new(),
            sub_resources: Vec::new(),
            total: 0,
            next_cursor: None,
        };
        for (name, value) in stored(&file.resource) {
            let value = variant::to_json(&value);
            if window.admits(&(&name, &value)) {
                answer.properties.insert(name, value);
            }
        }
        for inside in inside(&file.resource) {
            let entry = SubResource {
                path: inside.get_path().to_string(),
                kind: variant::class_of(&inside.clone().upcast()),
                properties: changed(&inside),
            };
            if window.admits(&entry) {
                answer.sub_resources.push(entry);
            }
        }
        answer.total = window.seen();
        answer.next_cursor = window.next_cursor();
        Ok(answer)
    }
}

/// Scenes and scripts have tools of their own, which show what matters of them.
fn refuse_others(resource: &Gd<Resource>) -> Result<(), Fault> {
    let object = resource.clone().upcast::<Object>();
    let tool = if object.clone().try_cast::<PackedScene>().is_ok() {
        "a scene; open it and see godot_inspection_get_scene_tree"
    } else if object.try_cast::<Script>().is_ok() {
        "a script; see godot_scripts_read"
    } else {
        return Ok(());
    };
    Err(Fault::invalid(format!("'{}' is {tool}.", resource.get_path()))
        .requiring(Required::parameter("resource_path")))
}
