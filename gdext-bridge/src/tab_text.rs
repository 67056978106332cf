//! The text of a tab in which a file is edited, of whichever editor: whether it was typed and is not
//! saved, and the content of the file in its place.

use godot::{classes::CodeEdit, prelude::*};

/// Whether something was typed since the text was last read or saved.
pub(crate) fn is_typed(text: &Gd<CodeEdit>) -> bool {
    text.get_version() != text.get_saved_version()
}

/// Whether the tab shows something else than the content of a file.
pub(crate) fn differs(text: &Gd<CodeEdit>, content: &[u8]) -> bool {
    plain(&String::from_utf8_lossy(content)) != plain(&text.get_text().to_string())
}

/// Shows the content of the file and counts it as saved. Who looks at it goes on looking at the same
/// place.
pub(crate) fn put(text: &mut Gd<CodeEdit>, content: &str) {
    let content = plain(content);
    if text.get_text().to_string() != content {
        let (line, column) = (text.get_caret_line(), text.get_caret_column());
        let (down, right) = (text.get_v_scroll(), text.get_h_scroll());
        text.set_text(&content);
        let last = text.get_line_count() - 1;
        text.set_caret_line(line.min(last));
        text.set_caret_column(column);
        text.set_v_scroll(down);
        text.set_h_scroll(right);
    }
    text.tag_saved_version();
}

/// A text as an editor shows it: without a byte order mark and carriage returns.
fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace('\r', "")
}
