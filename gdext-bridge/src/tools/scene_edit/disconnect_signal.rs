//! `godot_scene_edit_disconnect_signal`.

use godot::prelude::*;
use protocol::{
    Fault, Verdict,
    tools::scene_edit::{DisconnectSignal, SignalDisconnected},
};

use super::{check_signal, connections};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    scene::Scene,
    undo::Step,
};

impl Edit for DisconnectSignal {
    fn plan(self, _: &Context) -> Result<Plan<SignalDisconnected>, Fault> {
        let scene = Scene::active()?;
        let source = scene.node(&self.source_path)?;
        let target = scene.node(&self.target_path)?;
        check_signal(&source, &self.signal_name)?;
        let found = connections(&scene, &source).into_iter().find(|connection| {
            connection.signal == self.signal_name
                && connection.target == target
                && connection
                    .callable
                    .method_name()
                    .is_some_and(|name| name.to_string() == self.method_name)
        });
        let Some(connection) = found else {
            return Err(Fault::not_found(format!(
                "'{}' of '{}' is not connected to '{}' of '{}'. See \
                 godot_scene_edit_list_signal_connections.",
                self.signal_name, self.source_path, self.method_name, self.target_path
            )));
        };
        let verdict = match connection.is_inherited() {
            true => Verdict::dropped(
                "defined_in_base_scene",
                "The connection is defined in an instanced or inherited scene. Take it back there.",
            ),
            false => persistence::of_node(&scene, &source),
        };

        let result = SignalDisconnected {
            source_path: scene.path_of(&source),
            signal_name: self.signal_name,
            target_path: scene.path_of(&target),
            method_name: self.method_name,
            disconnected: true,
        };
        let label = format!("Disconnect {}:{}", result.source_path, result.signal_name);
        let what = format!(
            "the connection of '{}' to '{}' of '{}'",
            result.signal_name, result.method_name, result.target_path
        );
        let (signal, callable) = (connection.signal.clone(), connection.callable.clone());
        let step = Step::Call {
            object: source.clone().upcast(),
            do_call: ("disconnect", vec![signal.to_variant(), callable.to_variant()]),
            undo_call: (
                "connect",
                vec![signal.to_variant(), callable.to_variant(), connection.flags.to_variant()],
            ),
            holds: Box::new(move || !source.is_connected(signal.as_str(), &callable)),
        };
        let plan = Plan::steps(result, label, scene, vec![step]);
        Ok(plan.with_verdict(verdict).discarding(what))
    }
}
