//! The whole product under test: a real gateway, a real headless Godot, real MCP between them.
//!
//! * [`setup`]: what is tried, and where it is.
//! * [`project`]: a copy of the sample game with the add-on in it.
//! * [`editor`]: a Godot editor on such a copy.
//! * [`client`]: an MCP client with its own gateway.
//! * [`world`]: the three together.
//! * [`cases`]: many cases on one editor, each with its own copy of a scene.
//! * [`scene_file`]: what is in a saved scene.
//! * [`model`]: models as others make them.
//! * `between`: bytes that no gateway sends.
//! * [`floor`] and [`measure`]: for the bench.

#[cfg(unix)]
pub mod between;
pub mod cases;
pub mod client;
pub mod editor;
pub mod floor;
pub mod measure;
pub mod model;
pub mod played;
pub mod project;
pub mod scene_file;
pub mod setup;
pub mod world;
