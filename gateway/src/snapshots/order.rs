//! Which nodes of two snapshots changed places among their siblings.
//!
//! The bare index of a node also changes when another one is added, removed or moved. So only the
//! order of the siblings counts that are in both snapshots: of these, as few as possible are said to
//! have moved, and all others stand still.

use std::collections::HashMap;

use protocol::{GodotValue, tools::inspection::PropertyChange};
use serde_json::{Map, Value};

use super::{ID, INDEX};

/// A node of a snapshot among its siblings.
struct Sibling<'a> {
    path: &'a str,
    index: i64,
    facts: &'a Value,
}

/// The nodes that moved among their siblings, each with its index before and after.
pub(super) fn compare(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Vec<PropertyChange> {
    let (old, new) = (families(before), families(after));
    let mut changes = Vec::new();
    for (parent, siblings) in new {
        let Some(known) = old.get(parent) else { continue };
        let places: HashMap<&str, usize> =
            known.iter().enumerate().map(|(place, it)| (key(it.path, it.facts), place)).collect();
        let both: Vec<(&Sibling<'_>, usize)> = siblings
            .iter()
            .filter_map(|it| Some((it, *places.get(key(it.path, it.facts))?)))
            .collect();
        let still = longest_rise(&both.iter().map(|(_, place)| *place).collect::<Vec<_>>());
        for ((sibling, place), stands_still) in both.into_iter().zip(still) {
            let was = known.get(place).filter(|_| !stands_still);
            changes.extend(was.map(|was| PropertyChange {
                node: sibling.path.to_owned(),
                property: INDEX.to_owned(),
                before: Some(GodotValue(was.index.into())),
                after: Some(GodotValue(sibling.index.into())),
            }));
        }
    }
    changes.sort_by(|a, b| a.node.cmp(&b.node));
    changes
}

/// The children of each node that is in the snapshot itself, in their order.
fn families(nodes: &Map<String, Value>) -> HashMap<&str, Vec<Sibling<'_>>> {
    let mut families: HashMap<&str, Vec<Sibling<'_>>> = HashMap::new();
    for (path, facts) in nodes.iter().filter(|(path, _)| *path != ".") {
        let parent = path.rsplit_once('/').map_or(".", |(parent, _)| parent);
        let index = facts.get(INDEX).and_then(Value::as_i64);
        if let (Some(parent), Some(index)) = (nodes.get_key_value(parent), index) {
            let family = families.entry(key(parent.0, parent.1)).or_default();
            family.push(Sibling { path, index, facts });
        }
    }
    families.values_mut().for_each(|family| family.sort_by_key(|it| it.index));
    families
}

/// By what a node is known again.
fn key<'a>(path: &'a str, facts: &'a Value) -> &'a str {
    facts.get(ID).and_then(Value::as_str).unwrap_or(path)
}

/// Which of these numbers, all different, make up the longest sequence that only rises.
fn longest_rise(numbers: &[usize]) -> Vec<bool> {
    // The position of the smallest number that ends a rise of each length, and for every position
    // the one before it in its rise.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut before = Vec::with_capacity(numbers.len());
    for (position, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|(end, _)| end < number);
        before.push(length.checked_sub(1).and_then(|it| ends.get(it)).map(|(_, at)| *at));
        ends.truncate(ends.len().max(length));
        match ends.get_mut(length) {
            Some(end) => *end = (*number, position),
            None => ends.push((*number, position)),
        }
    }
    let mut is_in = vec![false; numbers.len()];
    let mut at = ends.last().map(|(_, position)| *position);
    while let Some(position) = at {
        if let Some(it) = is_in.get_mut(position) {
            *it = true;
        }
        at = before.get(position).copied().flatten();
    }
    is_in
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A snapshot of a root with these children, in this order.
    fn children(names: &[&str]) -> Map<String, Value> {
        let child = |(index, name): (usize, &&str)| {
            ((*name).to_owned(), json!({"id": name, "index": index}))
        };
        let root = (".".to_owned(), json!({"id": "root", "index": 0}));
        names.iter().enumerate().map(child).chain([root]).collect()
    }

    fn told(before: &[&str], after: &[&str]) -> Vec<String> {
        let changes = compare(&children(before), &children(after));
        changes
            .into_iter()
            .map(|it| format!("{} {}->{}", it.node, it.before.unwrap().0, it.after.unwrap().0))
            .collect()
    }

    #[test]
    fn only_those_that_moved_are_told() {
        assert_eq!(told(&["A", "B", "C"], &["A", "B", "C"]), [""; 0]);
        assert_eq!(told(&["A", "B", "C"], &["X", "A", "B", "Y", "C"]), [""; 0]);
        assert_eq!(told(&["A", "B", "C"], &["C"]), [""; 0]);
        assert_eq!(told(&["A", "B", "C", "D"], &["D", "A", "B", "C"]), ["D 3->0"]);
        assert_eq!(told(&["A", "B", "C", "D"], &["B", "C", "A", "D"]), ["A 0->2"]);
        assert_eq!(told(&["A", "B"], &["B", "X", "A"]).len(), 1);
    }

    #[test]
    fn a_renamed_parent_keeps_its_children() {
        let family = |parent: &str, names: [&str; 2]| {
            let mut nodes = children(&[parent]);
            nodes[parent]["id"] = json!("parent");
            for (index, name) in names.iter().enumerate() {
                nodes.insert(format!("{parent}/{name}"), json!({"id": name, "index": index}));
            }
            nodes
        };
        assert!(compare(&family("P", ["A", "B"]), &family("Q", ["A", "B"])).is_empty());
        let changes = compare(&family("P", ["A", "B"]), &family("Q", ["B", "A"]));
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert!(changes[0].node.starts_with("Q/"), "{changes:?}");
    }
}
