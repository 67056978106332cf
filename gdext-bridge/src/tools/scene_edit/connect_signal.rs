//! `godot_scene_edit_connect_signal`.

use godot::{classes::object::ConnectFlags, prelude::*, register::info::MethodFlags};
use protocol::{
    Fault, Required,
    tools::scene_edit::{ConnectSignal, SignalConnected},
};

use super::{check_signal, connect};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    resource::nearest,
    scene::Scene,
};

impl Edit for ConnectSignal {
    fn plan(self, _: &Context) -> Result<Plan<SignalConnected>, Fault> {
        let scene = Scene::active()?;
        let source = scene.node(&self.source_path)?;
        let target = scene.node(&self.target_path)?;
        check_signal(&source, &self.signal_name)?;
        check_method(&source, &self.signal_name, &target, &self.method_name)?;
        let callable = Callable::from_object_method(&target, self.method_name.as_str());
        let already_connected = source.is_connected(self.signal_name.as_str(), &callable);
        let verdict = persistence::of_connection(&scene, &source, &target);

        let result = SignalConnected {
            source_path: scene.path_of(&source),
            signal_name: self.signal_name,
            target_path: scene.path_of(&target),
            method_name: self.method_name,
            connected: true,
            already_connected,
        };
        let label = format!("Connect {}:{}", result.source_path, result.signal_name);
        let flags = i64::try_from(ConnectFlags::PERSIST.ord()).unwrap_or_default();
        let step = connect(&source, &result.signal_name, &callable, flags);
        let steps = if already_connected { Vec::new() } else { vec![step] };
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

/// Refuses a method that does not exist, or that does not take what the signal carries: either is an
/// error only when the signal is emitted, in the running game.
fn check_method(
    source: &Gd<Node>,
    signal: &str,
    target: &Gd<Node>,
    method: &str,
) -> Result<(), Fault> {
    let refuse =
        |why: String| Err(Fault::invalid(why).requiring(Required::parameter("method_name")));
    let name = |entry: &VarDictionary| entry.get("name").map(|name| name.to_string());
    let methods = target.get_method_list();
    let found = methods.iter_shared().find(|entry| name(entry).as_deref() == Some(method));
    let Some(found) = found.filter(|_| target.has_method(method)) else {
        let names: Vec<String> = methods.iter_shared().filter_map(|entry| name(&entry)).collect();
        let near = nearest(method, names.iter().map(String::as_str));
        let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
        return refuse(format!(
            "'{}' has no method '{method}'.{near} Write it into the node's script first.",
            target.get_name()
        ));
    };
    let length = |entry: &VarDictionary, key: &str| {
        let list = entry.get(key).map(|list| list.call("size", &[]));
        list.and_then(|size| size.try_to::<i64>().ok()).unwrap_or_default()
    };
    let signals = source.get_signal_list();
    let carried = signals.iter_shared().find(|entry| name(entry).as_deref() == Some(signal));
    let carried = carried.map(|entry| length(&entry, "args")).unwrap_or_default();
    let most = length(&found, "args");
    let least = most - length(&found, "default_args");
    let flags: i64 = found.get("flags").and_then(|flags| flags.try_to().ok()).unwrap_or_default();
    let takes_any = flags & i64::try_from(MethodFlags::VARARG.ord()).unwrap_or_default() != 0;
    if carried < least || (carried > most && !takes_any) {
        return refuse(format!(
            "'{signal}' carries {carried} arguments, but '{method}' takes {least} to {most}."
        ));
    }
    Ok(())
}
