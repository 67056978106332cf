//! `godot_profiling_get_editor_performance`.

use protocol::{
    Fault,
    tools::profiling::{EditorPerformance, GetEditorPerformance},
};

use crate::{
    performance,
    plan::{Context, Read},
};

impl Read for GetEditorPerformance {
    fn read(self, _: &Context) -> Result<EditorPerformance, Fault> {
        let (monitors, custom) = performance::read(&performance::chosen(&self.names)?);
        Ok(EditorPerformance { monitors, custom })
    }
}
