//! `godot_scene_edit_rescan_filesystem`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault,
    tools::scene_edit::{FilesystemRescanned, RescanFilesystem},
};

use crate::{
    plan::{Context, Progress, Run},
    scan::{Scan, tell_scanning},
};

impl Run for RescanFilesystem {
    fn run(self, _: &Context) -> Result<Progress<FilesystemRescanned>, Fault> {
        let files = EditorInterface::singleton().get_resource_filesystem();
        let files = files.ok_or_else(|| Fault::internal("The editor has no file system."))?;
        // A scan that is running may have passed what is new, so ours comes after it.
        let mut ours: Option<Scan> = None;
        Ok(Progress::Waiting(Box::new(move |context| match &ours {
            Some(scan) => {
                scan.tell(context);
                scan.has_ended().then(|| {
                    context.outside.take_in_all();
                    Ok(FilesystemRescanned { scanned: true, scanning: false })
                })
            }
            None => {
                if files.is_scanning() {
                    tell_scanning(context, &files);
                } else {
                    ours = Some(Scan::start(&files));
                }
                None
            }
        })))
    }
}
