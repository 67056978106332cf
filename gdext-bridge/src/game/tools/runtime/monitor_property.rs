//! `godot_runtime_monitor_property`.

use protocol::{
    Fault, GodotValue,
    tools::runtime::{MonitorProperty, PropertyMonitored},
};

use crate::game::{
    probe::{InGame, Probe, Soon},
    series::Rule,
};

impl InGame for MonitorProperty {
    fn answer(self, game: &Probe) -> Result<Soon<PropertyMonitored>, Fault> {
        let node = game.node(&self.node_path)?;
        let rule = Rule {
            most: usize::try_from(self.samples.get()).unwrap_or(1),
            on_change_only: self.on_change_only,
            epsilon: self.epsilon,
        };
        let (asked, frame) = (self.node_path.as_str(), game.frame());
        let (value, dropped) = game.monitors().begin(&node, asked, &self.property, rule, game)?;
        Ok(Soon::Now(PropertyMonitored {
            monitoring: true,
            node_path: node.get_path().to_string(),
            property: self.property,
            samples: self.samples.get(),
            on_change_only: self.on_change_only,
            epsilon: self.epsilon,
            frame,
            value: GodotValue(value),
            monitors: game.monitors().read(<[_]>::len),
            dropped,
        }))
    }
}
