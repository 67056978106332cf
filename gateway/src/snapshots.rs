//! Snapshots of scenes: kept here, so that an agent can compare without carrying them around.

mod order;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex},
};

use protocol::{
    Fault, GodotValue, NodePath,
    tools::inspection::{NodeMove, PropertyChange, Snapshot, SnapshotDiff, SnapshotSubtree},
};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    brief::is_too_long,
    call::{Answer, written},
    lock,
    registry::to_value,
};

/// How many snapshots are kept. The one that was not used for the longest time goes first.
const KEPT: usize = 32;

/// The facts that every node has, besides its properties.
const PROPERTIES: &str = "properties";

/// The fact by which a node is known again at another path.
const ID: &str = "id";

/// The place of a node among its siblings. It changes with every sibling that comes or goes, so it
/// is compared apart.
const INDEX: &str = "index";

/// The snapshots that agents took.
#[derive(Default)]
pub struct Snapshots(Mutex<Store>);

#[derive(Default)]
struct Store {
    taken: u64,
    /// The one used last comes last.
    kept: VecDeque<Arc<Taken>>,
}

/// One snapshot.
#[derive(Debug)]
pub struct Taken {
    id: String,
    /// What was asked for, so that the same can be asked again.
    pub question: SnapshotSubtree,
    /// Path of a node to its facts.
    pub nodes: Map<String, Value>,
}

impl Snapshots {
    /// Keeps the snapshot in an editor's answer, and gives the answer its id. The facts stay in
    /// the answer only where they fit.
    ///
    /// # Errors
    /// If the answer holds no snapshot.
    pub fn keep(&self, params: &RawValue, answer: Answer) -> Result<Answer, Fault> {
        let mut snapshot: Snapshot = parse(answer.value)?;
        let question = serde_json::from_str(params.get()).map_err(unreadable)?;
        let Some(nodes) = snapshot.snapshot.clone() else {
            return Err(Fault::internal("The editor answered without the snapshot."));
        };
        snapshot.snapshot_id = self.store(question, nodes);
        let whole = written(to_value(&snapshot)?);
        if !is_too_long(&whole.text) {
            return Ok(whole);
        }
        snapshot.snapshot = None;
        snapshot.truncated = true;
        Ok(written(to_value(&snapshot)?))
    }

    fn store(&self, question: SnapshotSubtree, nodes: Map<String, Value>) -> String {
        let mut store = lock(&self.0);
        store.taken += 1;
        let id = format!("s{}", store.taken);
        store.kept.push_back(Arc::new(Taken { id: id.clone(), question, nodes }));
        if store.kept.len() > KEPT {
            store.kept.pop_front();
        }
        id
    }

    /// The snapshot called `id`.
    ///
    /// # Errors
    /// `RESOURCE_NOT_FOUND`, with those that are kept.
    pub fn get(&self, id: &str) -> Result<Arc<Taken>, Fault> {
        let mut store = lock(&self.0);
        let at = store.kept.iter().position(|taken| taken.id == id);
        let Some(taken) = at.and_then(|at| store.kept.remove(at)) else {
            let known: Vec<&str> = store.kept.iter().map(|taken| taken.id.as_str()).collect();
            return Err(Fault::not_found(format!(
                "There is no snapshot '{id}'. Kept are: {}. Take one with \
                 godot_inspection_snapshot_subtree.",
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            )));
        };
        store.kept.push_back(taken.clone());
        Ok(taken)
    }
}

/// The facts in an editor's answer.
///
/// # Errors
/// If there are none.
pub fn nodes(answer: &RawValue) -> Result<Map<String, Value>, Fault> {
    let snapshot: Snapshot = serde_json::from_str(answer.get()).map_err(unreadable)?;
    snapshot.snapshot.ok_or_else(|| Fault::internal("The editor answered without the snapshot."))
}

/// Every difference at or below `within`.
pub fn compare(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    within: &NodePath,
) -> SnapshotDiff {
    let only = |these: &Map<String, Value>, those: &Map<String, Value>| {
        let missing = |path: &&String| lies_within(path, within) && !those.contains_key(*path);
        these.keys().filter(missing).cloned().collect::<Vec<_>>()
    };
    let mut changed = Vec::new();
    for (path, old) in before {
        if let Some(new) = after.get(path)
            && lies_within(path, within)
        {
            compare_node(path, old, new, &mut changed);
        }
    }
    for change in order::compare(before, after) {
        if lies_within(&change.node, within) {
            changed.push(change);
        }
    }
    let (mut added, mut removed) = (only(after, before), only(before, after));
    let mut moved = Vec::new();
    let gone: HashMap<&Value, &String> =
        removed.iter().filter_map(|path| Some((before.get(path)?.get(ID)?, path))).collect();
    for to in &added {
        let new = after.get(to);
        let from = new.and_then(|new| new.get(ID)).and_then(|id| gone.get(id).copied());
        if let (Some(new), Some(from)) = (new, from)
            && let Some(old) = before.get(from)
        {
            compare_node(to, old, new, &mut changed);
            moved.push(NodeMove { from: from.clone(), to: to.clone() });
        }
    }
    let total = added.len() + removed.len() - moved.len() + changed.len();
    let (from, to): (HashSet<&String>, HashSet<&String>) =
        moved.iter().map(|node| (&node.from, &node.to)).unzip();
    added.retain(|path| !to.contains(path));
    removed.retain(|path| !from.contains(path));
    shorten(SnapshotDiff { added, removed, moved, changed, total, truncated: false })
}

fn compare_node(path: &str, old: &Value, new: &Value, changed: &mut Vec<PropertyChange>) {
    let none = Map::new();
    let facts = |node: &Value| {
        let node = node.as_object().unwrap_or(&none);
        let properties = node.get(PROPERTIES).and_then(Value::as_object).unwrap_or(&none);
        let apart = [PROPERTIES, ID, INDEX];
        let own = node.iter().filter(|(name, _)| !apart.contains(&name.as_str()));
        let facts = own.chain(properties);
        facts.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>()
    };
    let (old, new) = (facts(old), facts(new));
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before != after {
            changed.push(PropertyChange {
                node: path.to_owned(),
                property: name.clone(),
                before: before.cloned().map(GodotValue),
                after: after.cloned().map(GodotValue),
            });
        }
    }
}

fn lies_within(path: &str, within: &NodePath) -> bool {
    within.is_root()
        || path
            .strip_prefix(within.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Drops what does not fit; `total` still counts it.
fn shorten(mut diff: SnapshotDiff) -> SnapshotDiff {
    let too_long =
        |diff: &SnapshotDiff| serde_json::to_string(diff).is_ok_and(|text| is_too_long(&text));
    while too_long(&diff) {
        diff.truncated = true;
        diff.changed.truncate(diff.changed.len() / 2);
        diff.added.truncate((diff.added.len() / 2).max(200).min(diff.added.len()));
        diff.removed.truncate((diff.removed.len() / 2).max(200).min(diff.removed.len()));
        diff.moved.truncate((diff.moved.len() / 2).max(200).min(diff.moved.len()));
        if diff.changed.is_empty() {
            diff.added.truncate(diff.added.len() / 2);
            diff.removed.truncate(diff.removed.len() / 2);
            diff.moved.truncate(diff.moved.len() / 2);
        }
    }
    diff
}

fn parse(value: Value) -> Result<Snapshot, Fault> {
    serde_json::from_value(value).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> Fault {
    Fault::internal(format!("The snapshot cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nodes(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let before = nodes(json!({
            ".": {"type": "Node2D", "groups": [], "properties": {"position": {"x": 1}}},
            "A": {"type": "Node", "properties": {"old": 1}},
            "B": {"type": "Node", "properties": {}},
            "AB": {"type": "Node", "properties": {}},
        }));
        let after = nodes(json!({
            ".": {"type": "Node2D", "groups": ["x"], "properties": {"position": {"x": 2}}},
            "A": {"type": "Sprite2D", "properties": {"new": null}},
            "A/C": {"type": "Node", "properties": {}},
            "AB": {"type": "Timer", "properties": {}},
        }));
        let told = |within: &str| {
            let diff = compare(&before, &after, &NodePath::try_from(within.to_owned()).unwrap());
            let changed = diff
                .changed
                .iter()
                .map(|c| format!("{}:{}", c.node, c.property))
                .collect::<Vec<_>>();
            (diff.added, diff.removed, changed.join(" "), diff.total)
        };
        let all = ".:groups .:position A:type A:old A:new AB:type".to_owned();
        assert_eq!(told("."), (vec!["A/C".into()], vec!["B".into()], all, 8));
        assert_eq!(told("A"), (vec!["A/C".into()], vec![], "A:type A:old A:new".into(), 4));
    }

    #[test]
    fn the_snapshot_unused_for_longest_is_dropped() {
        let snapshots = Snapshots::default();
        let question: SnapshotSubtree = serde_json::from_str("{}").unwrap();
        for _ in 0..KEPT {
            snapshots.store(question.clone(), Map::new());
        }
        assert!(snapshots.get("s1").is_ok());
        assert_eq!(snapshots.store(question, Map::new()), "s33");
        assert!(snapshots.get("s1").is_ok());
        assert!(snapshots.get("s2").unwrap_err().hint.contains("s33"));
    }
}
