//! `godot_scene_edit_rescan_filesystem`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::scene_edit::{FilesystemRescanned, RescanFilesystem},
};

use crate::plan::{Context, Progress, Run};

impl Run for RescanFilesystem {
    fn run(self, _: &Context) -> Result<Progress<FilesystemRescanned>, Fault> {
        let files = EditorInterface::singleton().get_resource_filesystem();
        let mut files = files.ok_or_else(|| Fault::internal("The editor has no file system."))?;
        // A scan that is running may have passed what is new, so ours comes after it.
        let mut is_started = false;
        Ok(Progress::Waiting(Box::new(move |_| {
            if files.is_scanning() {
                return None;
            }
            if is_started {
                return Some(Ok(FilesystemRescanned { scanned: true, scanning: false }));
            }
            files.scan();
            // The engine passes over it while the one before is not quite put away.
            is_started = files.is_scanning();
            None
        })))
    }
}
