//! Connects signals of the engine to closures.
//!
//! What gdext itself connects it also disconnects when the editor ends, for the sake of libraries
//! that are reloaded, and warns the user of it. This library is never reloaded and takes its
//! connections back itself, so it connects past that.

use godot::prelude::*;

/// Connects. Whoever does must disconnect, or free `object`, before the plugin is gone.
pub(crate) fn connect<T: Inherits<Object>>(object: &Gd<T>, signal: &str, callable: &Callable) {
    let arguments = [signal.to_variant(), callable.to_variant()];
    object.clone().upcast::<Object>().call("connect", &arguments);
}

/// The same, but before all that is connected by now: that is called after it.
pub(crate) fn connect_first<T: Inherits<Object>>(
    object: &Gd<T>,
    signal: &str,
    callable: &Callable,
) {
    let mut object = object.clone().upcast::<Object>();
    let others = object.get_signal_connection_list(signal);
    connect(&object, signal, callable);
    for other in others.iter_shared() {
        let Some(callable) = other.get("callable").and_then(|it| it.try_to::<Callable>().ok())
        else {
            continue;
        };
        let flags = other.get("flags").unwrap_or_else(|| 0.to_variant());
        object.disconnect(signal, &callable);
        object.call("connect", &[signal.to_variant(), callable.to_variant(), flags]);
    }
}
