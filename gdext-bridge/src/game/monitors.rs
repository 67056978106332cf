//! Watches properties of nodes in the running game: looks at each once a frame.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use godot::{classes::Node, prelude::*};
use protocol::{Fault, Required, tools::runtime::MonitorEnd};

use super::{
    probe::Probe,
    series::{Look, Rule, Series},
    tools::runtime::value_of,
};
use crate::variant;

/// How many monitors there are at most, ended ones included.
const MOST: usize = 16;

/// All monitors of the game, the oldest first.
#[derive(Clone, Default)]
pub(crate) struct Monitors(Rc<State>);

#[derive(Default)]
struct State {
    monitors: RefCell<Vec<Monitor>>,
    ids: Cell<u64>,
}

/// One property that is watched, or was.
pub(crate) struct Monitor {
    id: u64,
    node: InstanceId,
    /// The node as it was asked for.
    pub(crate) asked: String,
    /// The node, from the root of the game.
    pub(crate) node_path: String,
    /// The property.
    pub(crate) property: String,
    /// What was taken.
    pub(crate) series: Series,
}

impl Monitors {
    /// Begins to watch a property of a node, with its value now. Gives that value, and what the monitor
    /// watched that had to give way.
    pub(crate) fn begin(
        &self,
        node: &Gd<Node>,
        asked: &str,
        property: &str,
        rule: Rule,
        game: &Probe,
    ) -> Result<(serde_json::Value, Option<String>), Fault> {
        let read = || value_of(&node.clone().upcast(), property);
        let look = look(&game.unless_it_fails(read).ok_or_else(|| {
            Fault::invalid(format!("Reading '{property}' stopped the game with an error."))
        })??);
        let frame = game.frame();
        let value = look.value.clone();
        let id = self.0.ids.get() + 1;
        self.0.ids.set(id);
        let mut monitor = Monitor {
            id,
            node: node.instance_id(),
            asked: asked.to_owned(),
            node_path: node.get_path().to_string(),
            property: property.to_owned(),
            series: Series::new(rule),
        };
        monitor.series.take(frame, look);
        if let Some((MonitorEnd::TooLong, _)) = monitor.series.end() {
            return Err(Fault::invalid(format!(
                "The value of '{property}' is too long to be watched. Name a part of it, or another \
                 property that tells the same in short."
            ))
            .requiring(Required::parameter("property")));
        }
        let mut monitors = self.0.monitors.borrow_mut();
        monitors.retain(|it| it.node != monitor.node || it.property != property);
        let dropped = (monitors.len() >= MOST).then(|| {
            // One that has ended is missed less.
            let ended = monitors.iter().position(|it| it.series.end().is_some());
            monitors.remove(ended.unwrap_or_default())
        });
        monitors.push(monitor);
        Ok((value, dropped.map(|it| format!("{}:{}", it.node_path, it.property))))
    }

    /// Looks at every property. To be called once in every frame that counts.
    pub(crate) fn look(&self, game: &Probe) {
        let ids: Vec<u64> = self.read(|monitors| {
            let running = monitors.iter().filter(|it| it.series.end().is_none());
            running.map(|it| it.id).collect()
        });
        for id in ids {
            self.look_at(id, game);
        }
    }

    /// Lets `read` see all monitors.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&[Monitor]) -> T) -> T {
        read(&self.0.monitors.borrow())
    }

    /// Nothing is borrowed while the property is read: its getter may be code of the game, which can stop
    /// in the debugger, where the samples may be asked for.
    fn look_at(&self, id: u64, game: &Probe) {
        let target = self.read(|monitors| {
            let monitor = monitors.iter().find(|it| it.id == id)?;
            Some((monitor.node, monitor.property.clone()))
        });
        let Some((node, property)) = target else { return };
        let seen = Gd::<Node>::try_from_instance_id(node).map(|node| {
            // A property that went with the script of its node is null from then on.
            let value = || value_of(&node.upcast(), &property).unwrap_or_default();
            game.unless_it_fails(value).map(|value| look(&value))
        });
        let frame = game.frame();
        let mut monitors = self.0.monitors.borrow_mut();
        let Some(monitor) = monitors.iter_mut().find(|it| it.id == id) else { return };
        match seen {
            Ok(Some(look)) => monitor.series.take(frame, look),
            // It would fail in every frame, and nobody could let the game go on.
            Ok(None) => monitor.series.end_with(MonitorEnd::Error, frame),
            Err(_) => monitor.series.end_with(MonitorEnd::NodeFreed, frame),
        }
    }
}

fn look(value: &Variant) -> Look {
    Look {
        value: variant::to_json(value),
        numbers: variant::numbers_of(value),
        is_number: matches!(value.get_type(), VariantType::INT | VariantType::FLOAT),
    }
}
