//! Keeps answers short: clients cut what is longer than [`MAX_ANSWER`], or drown in it.
//!
//! Reads come in pages, so what is too long here is the answer of a change or a failure. Of these the
//! totals are kept, every row that says that something is not as it should be, and as many others as
//! fit.

use std::io;

use protocol::{ErrorCode, Fault};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::call::Answer;

/// The longest answer, in characters. Clients cut what is longer, or drown in it.
pub const MAX_ANSWER: usize = 25_000;

/// How much is told of a text within an answer that is too long, in characters.
const MAX_TEXT: usize = 1_000;

/// The member that says that something was cut.
const TRUNCATED: &str = "truncated";

/// The room that it takes.
const TRUNCATED_LENGTH: usize = r#","truncated":true"#.len();

/// How much is told of a hint, in characters.
const MAX_HINT: usize = 2_000;

/// Whether a text is longer than an answer may be.
pub fn is_too_long(text: &str) -> bool {
    text.len() > MAX_ANSWER && text.chars().count() > MAX_ANSWER
}

/// The answer if it fits, or what of it fits: long texts are cut, and of an edit the rows that say
/// nothing special. `applied` tells whether the call changed something, which then must not be
/// repeated for the sake of the answer.
pub fn bounded(mut answer: Answer, is_edit: bool, applied: bool) -> Result<Answer, Fault> {
    if !is_too_long(&answer.text) {
        return Ok(answer);
    }
    let mut is_cut = cut_texts(&mut answer.value);
    let whole = if is_cut { length(&answer.value) } else { answer.text.len() };
    if let Value::Object(result) = &mut answer.value {
        is_cut |= is_edit && cut_rows(result, whole, MAX_ANSWER - TRUNCATED_LENGTH);
        if is_cut {
            result.insert(TRUNCATED.to_owned(), Value::Bool(true));
        }
        let text = answer.value.to_string();
        if !is_too_long(&text) {
            return Ok(Answer { text, ..answer });
        }
    }
    let hint = format!(
        "The answer has {} characters; {MAX_ANSWER} are the limit. Ask for less: a page, a lower \
         depth, or a smaller part.{}",
        answer.text.chars().count(),
        if applied { " The call itself was carried out; do not repeat it." } else { "" }
    );
    let fault = Fault::new(ErrorCode::ResponseTooLarge, hint);
    Err(if applied { fault.with("outcome", "applied") } else { fault })
}

/// The same fault without what nobody reads to the end, such as the echo of a long argument.
pub fn told_in_short(mut fault: Fault) -> Fault {
    let mut is_cut = cut(&mut fault.hint, MAX_HINT);
    for fact in fault.details.values_mut() {
        is_cut |= cut_texts(fact);
    }
    let around = length(&Fault { details: Box::default(), ..fault.clone() });
    let room = (MAX_ANSWER - TRUNCATED_LENGTH).saturating_sub(around);
    let whole = length(&fault.details);
    is_cut |= cut_rows(&mut fault.details, whole, room);
    if length(&fault) > MAX_ANSWER - TRUNCATED_LENGTH {
        is_cut = true;
        fault.details.values_mut().for_each(drop_collection);
    }
    if is_cut { fault.with(TRUNCATED, true) } else { fault }
}

/// Cuts every long text within a value. Tells whether there was one.
fn cut_texts(value: &mut Value) -> bool {
    match value {
        Value::String(text) => cut(text, MAX_TEXT),
        Value::Array(items) => {
            items.iter_mut().fold(false, |is_cut, item| cut_texts(item) | is_cut)
        }
        Value::Object(members) => {
            members.values_mut().fold(false, |is_cut, member| cut_texts(member) | is_cut)
        }
        _ => false,
    }
}

/// Cuts a text that has more than `length` characters. Tells whether it had.
fn cut(text: &mut String, length: usize) -> bool {
    let Some((end, _)) = text.char_indices().nth(length) else { return false };
    let all = text.chars().count();
    text.truncate(end);
    text.push_str(&format!("… ({all} characters in all)"));
    true
}

/// Cuts the lists of an object of `whole` bytes so that it has at most `limit`, the longest the most.
/// Rows that say that something is wrong go last. Tells whether one was cut.
fn cut_rows(object: &mut Map<String, Value>, whole: usize, limit: usize) -> bool {
    let mut lists: Vec<Rows<'_>> = object.values_mut().filter_map(Rows::of).collect();
    let in_lists: usize = lists.iter().map(|list| list.length).sum();
    let Some(mut room) = limit.checked_sub(whole.saturating_sub(in_lists)) else { return false };
    if in_lists <= room {
        return false;
    }
    lists.sort_by_key(|list| list.length);
    let count = lists.len();
    for (index, list) in lists.into_iter().enumerate() {
        // What a short list leaves is for the longer ones.
        room -= list.keep(room / (count - index)).min(room);
    }
    true
}

/// A list, and how long it and each of its rows is, in bytes.
struct Rows<'a> {
    rows: &'a mut Vec<Value>,
    lengths: Vec<usize>,
    length: usize,
}

impl Rows<'_> {
    fn of(value: &mut Value) -> Option<Rows<'_>> {
        let rows = value.as_array_mut()?;
        let lengths: Vec<usize> = rows.iter().map(length).collect();
        let commas = rows.len().saturating_sub(1);
        let length = "[]".len() + lengths.iter().sum::<usize>() + commas;
        Some(Rows { rows, lengths, length })
    }

    /// Keeps as many rows as `room` bytes hold, those about something wrong before others, in the order
    /// that they have. Gives what they take.
    fn keep(self, room: usize) -> usize {
        let mut used = "[]".len();
        let mut kept = vec![false; self.rows.len()];
        for wrong_ones in [true, false] {
            for ((row, length), kept) in self.rows.iter().zip(&self.lengths).zip(&mut kept) {
                let needed = length + ",".len();
                if used + needed <= room && tells_of_trouble(row) == wrong_ones {
                    used += needed;
                    *kept = true;
                }
            }
        }
        let mut kept = kept.into_iter();
        self.rows.retain(|_| kept.next().unwrap_or_default());
        used
    }
}

fn tells_of_trouble(row: &Value) -> bool {
    let is_false = |name| row.get(name) == Some(&Value::Bool(false));
    is_false("ok") || is_false("persisted") || row.get("error").is_some()
}

/// How long it is as JSON, in bytes, of which there are never fewer than characters.
fn length(value: &impl Serialize) -> usize {
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).map_or(0, |()| count.0)
}

/// Counts what is written, and keeps nothing of it.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps nothing of a list or an object.
fn drop_collection(value: &mut Value) {
    match value {
        Value::Array(items) => items.clear(),
        Value::Object(members) => members.clear(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::call::written;

    fn rows(count: usize, wrong: usize) -> Value {
        let row = |index| json!({ "index": index, "ok": index != wrong, "command": "create_node" });
        (0..count).map(row).collect()
    }

    #[test]
    fn a_long_edit_keeps_its_totals_and_what_went_wrong() {
        let value = json!({ "count": 5000, "results": rows(5000, 4999), "created": ["a", "b"] });
        let answer = written(value);
        let told = bounded(answer, true, true).unwrap();
        assert!(told.text.len() <= MAX_ANSWER && told.text.len() > MAX_ANSWER / 2);
        assert_eq!(told.value["count"], 5000);
        assert_eq!(told.value["truncated"], true);
        assert_eq!(told.value["created"], json!(["a", "b"]));
        let results = told.value["results"].as_array().unwrap();
        assert_eq!(results[0]["index"], 0);
        assert_eq!(results.last().unwrap()["index"], 4999);
    }

    #[test]
    fn a_long_read_is_not_cut_in_silence() {
        let value = json!({ "nodes": rows(5000, 5000) });
        let answer = written(value);
        let fault = bounded(answer, false, false).unwrap_err();
        assert_eq!(fault.code, ErrorCode::ResponseTooLarge);
    }

    #[test]
    fn a_long_fault_keeps_the_row_that_failed() {
        let fault = Fault::invalid("no").with("results", rows(5000, 4999)).with("aborted_at", 4999);
        let told = told_in_short(fault);
        assert!(length(&told) <= MAX_ANSWER);
        let results = told.details["results"].as_array().unwrap();
        assert!(results.iter().any(|row| row["index"] == 4999));
        assert_eq!(told.details["truncated"], true);
    }
}
