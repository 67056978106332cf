//! The list of gateways: one row each, with how far the handshake got.

use std::time::Instant;

use godot::{
    classes::{Control, Tree, TreeItem},
    prelude::*,
};

use super::look::{Tone, scaled};
use crate::status::{Notes, Standing, State, short_name};

/// The list, and what it shows.
pub(super) struct Gateways {
    tree: Gd<Tree>,
    shown: Vec<Row>,
}

/// What is written about one gateway.
#[derive(Debug, PartialEq)]
struct Row {
    gateway: String,
    tone: Tone,
    cells: [String; 3],
}

/// The titles of the columns, and how wide those are that do not take what is left.
const COLUMNS: [(&str, Option<f32>); 3] =
    [("Client", Some(120.0)), ("Gateway", Some(135.0)), ("Handshake", None)];

/// The column of the state, which is colored.
const STATE: i32 = 2;

impl Gateways {
    /// An empty list.
    pub(super) fn new(mut tree: Gd<Tree>) -> Gateways {
        set_columns(&mut tree, &COLUMNS);
        Gateways { tree, shown: Vec::new() }
    }

    /// Shows what the board says.
    pub(super) fn show(&mut self, now: Instant, notes: &Notes, is_stale: bool) {
        let rows: Vec<Row> =
            notes.gateways.iter().map(|(gateway, it)| Row::of(gateway, it, now)).collect();
        if rows == self.shown && !is_stale {
            return;
        }
        self.tree.clear();
        let root = self.tree.create_item();
        for row in &rows {
            let Some(mut item) = self.tree.create_item_ex().parent(root.as_ref()).done() else {
                return;
            };
            set_cells(&mut item, &row.cells);
            item.set_custom_color(STATE, row.tone.color(&self.tree.clone().upcast::<Control>()));
            item.set_tooltip_text(0, &row.gateway);
        }
        self.shown = rows;
    }
}

impl Row {
    fn of(gateway: &str, standing: &Standing, now: Instant) -> Row {
        let retry = standing.retry_at.map(|at| at.saturating_duration_since(now).as_secs_f32());
        let retry = retry.map(|left| format!(", next try in {:.0} s", left.ceil()));
        let retry = retry.unwrap_or_default();
        let trouble = standing.trouble.as_deref();
        let (tone, state) = match standing.state {
            State::Connected => (Tone::Good, "connected".to_owned()),
            State::Replaced => (Tone::Elsewhere, "replaced by another editor".to_owned()),
            State::Refused => {
                (Tone::Bad, format!("refused{retry}: {}", trouble.unwrap_or("no reason given")))
            }
            State::Dialing => match trouble {
                Some(trouble) => (Tone::Waiting, format!("dialing again, after: {trouble}")),
                None => (Tone::Waiting, format!("dialing{retry}")),
            },
        };
        let client = standing.client.as_ref().map(ToString::to_string);
        // Before its handshake a gateway is only a process.
        let process = short_name(gateway);
        let via = match &standing.build {
            Some(build) => format!("{build}, {process}"),
            None => process,
        };
        let cells = [client.unwrap_or_else(|| "?".to_owned()), via, state];
        Row { gateway: gateway.to_owned(), tone, cells }
    }
}

/// Titles and widths; those without a width share what is left.
pub(super) fn set_columns(tree: &mut Gd<Tree>, columns: &[(&str, Option<f32>)]) {
    tree.set_columns(i32::try_from(columns.len()).unwrap_or(1));
    for (index, (title, width)) in (0..).zip(columns) {
        tree.set_column_title(index, *title);
        tree.set_column_title_alignment(index, godot::global::HorizontalAlignment::LEFT);
        tree.set_column_clip_content(index, true);
        tree.set_column_expand(index, width.is_none());
        if let Some(width) = width {
            tree.set_column_custom_minimum_width(index, scaled(*width));
        }
    }
}

/// Writes the cells of a row; what does not fit is in the tooltip.
pub(super) fn set_cells(item: &mut Gd<TreeItem>, cells: &[String]) {
    for (index, cell) in (0..).zip(cells) {
        item.set_text(index, cell.as_str());
        item.set_tooltip_text(index, cell.as_str());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_refusal_tells_why_and_when_it_is_tried_again() {
        let now = Instant::now();
        let standing = Standing {
            state: State::Refused,
            trouble: Some("no contract is shared".to_owned()),
            retry_at: Some(now + Duration::from_millis(2500)),
            ..Standing::default()
        };
        let row = Row::of("/run/gw-7.sock", &standing, now);
        assert_eq!(row.tone, Tone::Bad);
        let told = ["?", "process 7", "refused, next try in 3 s: no contract is shared"];
        assert_eq!(row.cells, told);
    }

    #[test]
    fn a_connection_is_shown_by_its_client_and_by_what_serves_it() {
        let standing = Standing {
            state: State::Connected,
            build: Some("0.1.0".to_owned()),
            client: Some(protocol::envelope::Client::new("Claude Code", "1.2")),
            ..Standing::default()
        };
        let row = Row::of("/run/gw-7.sock", &standing, Instant::now());
        assert_eq!(row.cells, ["Claude Code 1.2", "0.1.0, process 7", "connected"]);
    }
}
