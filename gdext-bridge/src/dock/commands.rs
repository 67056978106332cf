//! The list of the last commands, the newest on top.

use godot::{
    classes::{Control, Tree},
    global::HorizontalAlignment,
    prelude::*,
};

use super::{
    gateways::{set_cells, set_columns},
    look::Tone,
    text::{self, WallClock},
};
use crate::activity::{Activity, REMEMBERED, Record};

/// The list, and how many commands it has seen.
pub(super) struct Commands {
    tree: Gd<Tree>,
    seen: u64,
}

/// The titles of the columns, and how wide those are that do not take what is left.
const COLUMNS: [(&str, Option<f32>); 4] =
    [("Time", Some(80.0)), ("Command", None), ("Outcome", Some(190.0)), ("ms", Some(70.0))];

/// The column of the outcome, which is colored.
const OUTCOME: i32 = 2;

/// The column of the duration, which is aligned as numbers are.
const DURATION: i32 = 3;

impl Commands {
    /// An empty list.
    pub(super) fn new(mut tree: Gd<Tree>) -> Commands {
        set_columns(&mut tree, &COLUMNS);
        tree.set_column_title_alignment(DURATION, HorizontalAlignment::RIGHT);
        Commands { tree, seen: 0 }
    }

    /// Shows what is new, so that a busy agent does not make the whole list be written again and
    /// again. A new theme does.
    pub(super) fn show(&mut self, activity: &Activity, clock: WallClock, is_stale: bool) {
        if is_stale {
            self.tree.clear();
            self.tree.create_item();
            self.seen = 0;
        }
        for record in activity.since(self.seen) {
            self.add(&record, clock);
        }
        self.seen = activity.count();
    }

    fn add(&mut self, record: &Record, clock: WallClock) {
        let Some(root) = self.tree.get_root() else { return };
        let made = self.tree.create_item_ex().parent(&root).index(0).done();
        let Some(mut item) = made else { return };
        set_cells(
            &mut item,
            &[
                clock.time(record.at),
                text::command(record),
                text::outcome(record).to_owned(),
                text::millis(record.took),
            ],
        );
        let tone = if record.error.is_none() { Tone::Good } else { Tone::Bad };
        item.set_custom_color(OUTCOME, tone.color(&self.tree.clone().upcast::<Control>()));
        item.set_text_alignment(DURATION, HorizontalAlignment::RIGHT);
        let surplus = root.get_child_count() > i32::try_from(REMEMBERED).unwrap_or(i32::MAX);
        if surplus && let Some(oldest) = root.get_child(-1) {
            // A tree item is no reference: it stays until it is freed.
            oldest.free();
        }
    }
}
