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
