//! `godot_list_history`.

use protocol::{
    Fault,
    tools::core::{History, ListHistory},
};

use super::listed;
use crate::plan::{Context, Read};

/// How many steps are listed.
const RECENT: usize = 20;

impl Read for ListHistory {
    fn read(self, context: &Context) -> Result<History, Fault> {
        let (undo_redo, history) = context
            .histories
            .shown()
            .ok_or_else(|| Fault::internal("The editor has no undo history."))?;
        let depth = undo_redo.get_history_count();
        let current = undo_redo.get_current_action();
        let newest = (0..depth).rev().take(RECENT);
        Ok(History {
            version: i64::try_from(undo_redo.get_version()).unwrap_or(i64::MAX),
            has_undo: undo_redo.has_undo(),
            has_redo: undo_redo.has_redo(),
            can_redo: undo_redo.has_redo(),
            current_action: undo_redo.get_current_action_name().to_string(),
            depth: i64::from(depth),
            recent: newest
                .map(|index| listed(undo_redo.get_action_name(index).to_string(), index > current))
                .collect(),
            history: history.to_owned(),
        })
    }
}
