//! Long answers in pages.
//!
//! A cursor is the number of items that came before. An answer holds as many items as fit in
//! [`PAGE_CHARACTERS`], and at least one.

use protocol::{Fault, Required};
use serde::Serialize;

/// How much JSON the items of one page may take. The rest of an answer, which may have 25,000
/// characters, is left for what stands around them.
pub(crate) const PAGE_CHARACTERS: usize = 22_000;

/// Where a page begins.
pub(crate) struct Page {
    start: usize,
}

impl Page {
    /// The page that a cursor names; the empty cursor names the first.
    pub(crate) fn parse(cursor: &str) -> Result<Page, Fault> {
        if cursor.is_empty() {
            return Ok(Page { start: 0 });
        }
        let start = cursor.parse().map_err(|_| {
            Fault::invalid(format!("'{cursor}' is no cursor; give the next_cursor of an answer."))
                .requiring(Required::parameter("cursor"))
        })?;
        Ok(Page { start })
    }

    /// The page that begins after `start` items.
    pub(crate) fn at(start: usize) -> Page {
        Page { start }
    }

    /// The window through which the items of this page are seen.
    pub(crate) fn window(&self, budget: usize) -> Window {
        Window { start: self.start, budget, seen: 0, used: 0, admitted: 0, next: None }
    }
}

/// Lets the items of one page pass, in order.
pub(crate) struct Window {
    start: usize,
    budget: usize,
    seen: usize,
    used: usize,
    admitted: usize,
    next: Option<usize>,
}

impl Window {
    /// Whether the next item is on this page.
    pub(crate) fn admits(&mut self, item: &impl Serialize) -> bool {
        if self.skips() {
            return false;
        }
        let length = serde_json::to_string(item).map(|text| text.len()).unwrap_or_default();
        self.admits_length(length)
    }

    /// Whether the next item need not even be looked at: it lies before or after this page.
    pub(crate) fn skips(&mut self) -> bool {
        let skipped = self.seen < self.start || self.next.is_some();
        if skipped {
            self.seen += 1;
        }
        skipped
    }

    /// Whether the next item, which is that long, is on this page.
    pub(crate) fn admits_length(&mut self, length: usize) -> bool {
        if self.skips() {
            return false;
        }
        if self.admitted > 0 && self.used + length > self.budget {
            self.next = Some(self.seen);
            self.seen += 1;
            return false;
        }
        self.used += length + 1;
        self.admitted += 1;
        self.seen += 1;
        true
    }

    /// Whether all that follows is on later pages.
    pub(crate) fn is_full(&self) -> bool {
        self.next.is_some()
    }

    /// Counts items that follow a full page without looking at them.
    pub(crate) fn skip(&mut self, items: usize) {
        self.seen += items;
    }

    /// How many items there are on all pages; right once all were shown to it.
    pub(crate) fn seen(&self) -> usize {
        self.seen
    }

    /// How many items are on this page.
    pub(crate) fn admitted(&self) -> usize {
        self.admitted
    }

    /// The cursor of the next page, if there is one.
    pub(crate) fn next_cursor(&self) -> Option<String> {
        self.next.map(|next| next.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items of each page of ten ten-character items.
    fn pages(budget: usize) -> Vec<Vec<usize>> {
        let mut pages = Vec::new();
        let mut cursor = String::new();
        loop {
            let mut window = Page::parse(&cursor).unwrap().window(budget);
            pages.push((0..10).filter(|_| window.admits_length(10)).collect());
            assert_eq!(window.seen(), 10);
            match window.next_cursor() {
                Some(next) => cursor = next,
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_hold_everything_once_and_in_order() {
        for budget in [1, 11, 35, 1000] {
            let pages = pages(budget);
            assert_eq!(pages.concat(), (0..10).collect::<Vec<_>>(), "budget {budget}");
        }
    }
}
