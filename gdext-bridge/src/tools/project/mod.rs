//! `project`: the files of the project, and its settings.

mod allowed;
mod binary;
mod delete_resource_file;
mod get_filesystem_tree;
mod get_setting;
mod move_file;
mod references;
mod resolve_uid;
mod rewrite;
mod search_files;
mod set_setting;

pub(super) use references::needs;

use protocol::{Fault, Required, ResPath};

use crate::{
    files::{link_target, located},
    folder::is_sidecar,
};

/// Refuses the files that are not there for their own sake, or without which there is no project.
fn check_file(path: &ResPath) -> Result<(), Fault> {
    let refuse = |why: &str| {
        Err(Fault::invalid(format!("'{path}' {why}.")).requiring(Required::parameter("path")))
    };
    if path.relative().eq_ignore_ascii_case("project.godot") {
        return refuse("is the project itself");
    }
    if let Some(target) = link_target(path.as_str()) {
        return refuse(&format!(
            "is a link, and what it leads to would go in its place; name that one: '{target}'"
        ));
    }
    let owner = path.as_str().rsplit_once('.').map(|(owner, _)| owner.to_owned());
    if let Some(owner) = owner.filter(|_| is_sidecar(path.as_str()))
        && located(&ResPath::try_from(owner.clone()).map_err(Fault::invalid)?, "path")?.exists()
    {
        return refuse(&format!("belongs to '{owner}' and goes with it; name that one"));
    }
    Ok(())
}
