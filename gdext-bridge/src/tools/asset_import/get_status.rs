//! `godot_asset_import_get_status`.

use std::time::{Duration, Instant};

use protocol::{
    Fault,
    tools::asset_import::{GetImportStatus, ImportStatus},
};

use super::status;
use crate::plan::{Context, Progress, Run};

impl Run for GetImportStatus {
    fn run(self, _: &Context) -> Result<Progress<ImportStatus>, Fault> {
        let wait = Duration::from_millis(u64::try_from(self.wait_ms.get()).unwrap_or_default());
        let until = Instant::now() + wait;
        let now = status(&self.target_path)?;
        if wait.is_zero() || is_final(&now) {
            return Ok(Progress::Done(now));
        }
        Ok(Progress::Waiting(Box::new(move |_| match status(&self.target_path) {
            Ok(now) if !is_final(&now) && Instant::now() < until => None,
            answer => Some(answer),
        })))
    }
}

/// Whether waiting changes nothing.
fn is_final(status: &ImportStatus) -> bool {
    status.imported || matches!(status.reason.as_deref(), Some("import_failed" | "no_such_file"))
}
